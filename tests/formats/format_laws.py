"""Laws that every format keeps, for histories and damage of any kind."""

import copy
import json
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.formats.json_histories import (
    POLICIES,
    Json,
    compact,
    eighth,
    has_conversation,
    reuses_open_ids,
    sweep,
    with_long_inputs,
)
from turnfold import (
    BudgetUnsatisfiable,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    Role,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, repaired
from turnfold.fulfil import fulfil_extractively

Validate = Callable[[Json], None]


def comes_back(module: ModuleType, source: Json, **options: Json) -> None:
    """Nothing changed: the very input, for both scopes and every policy (R2)."""
    before = copy.deepcopy(source)
    for scope in ("live", "full"):
        session = module.parse(source, scope=scope, **options)
        assert session.format == module.NAME
        assert module.render(session.transcript, session) is source
        for policy in POLICIES.values():
            view = compact(session, policy, 10**9)
            assert view is not None
            assert module.render(view, session) is source
    assert source == before


def is_compacted(
    module: ModuleType,
    source: Json,
    policy: str,
    cut: tuple[int, int, Pins],
    *,
    validate: Validate | None = None,
    **options: Json,
) -> None:
    """A view at any cut passes the check, and reads back to its turns with its ledger (L3)."""
    source = with_long_inputs(source) if policy == "masking_inputs" else source
    before = copy.deepcopy(source)
    share, recent, pins = cut
    session = module.parse(source, pins=pins, **options)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[policy], tokens, recent)
    if view is None or view.transcript is session.transcript:
        return
    shown = repaired(view, session)
    if not has_conversation(shown):
        with pytest.raises(UnrenderableView):
            module.render(view, session)
        return
    rendered = module.render(view, session)
    assert module.check(rendered, pending_ok=True, **_named(options)) == []
    if validate is not None:
        validate(rendered)
    assert source == before
    assert module.render(view, session) == rendered
    if not reuses_open_ids(session):
        reads_back(module, rendered, shown, pins=pins, **options)


def _named(options: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in options.items() if key == "conversation"}


def reads_back(module: ModuleType, rendered: Json, view: CompactedView, **options: Json) -> None:
    written = rendered if isinstance(rendered, bytes) else json.loads(json.dumps(rendered))
    again = module.parse(written, ledger=view.ledger, **options)
    assert again.transcript.digest() == view.transcript.digest()
    assert again.ledger == view.ledger


def every_cut_is_taken(module: ModuleType, source: Json, policy: str, pins: Pins) -> None:
    """A1, C7: every cut and every budget of a small history."""
    source = with_long_inputs(source) if policy == "masking_inputs" else source
    session = module.parse(source, pins=pins, estimator=eighth)
    seen = set()
    for view in sweep(session, POLICIES[policy]):
        if not has_conversation(view):
            with pytest.raises(UnrenderableView):
                module.render(view, session)
            continue
        rendered = module.render(view, session)
        spelled = rendered if isinstance(rendered, bytes) else json.dumps(rendered)
        if spelled not in seen:
            seen.add(spelled)
            assert module.check(rendered, pending_ok=True) == [], spelled
    assert len(seen) > 1


def recorded_is_compacted(module: ModuleType, source: Json, **options: Json) -> list[str]:
    """A recorded session at 50, 30 and 15 %: taken and read back, or unsatisfiable; says which."""
    outcomes = []
    for scope in ("live", "full"):
        session: Session = module.parse(source, scope=scope, **options)
        assert not session.damage
        for share in (50, 30, 15):
            tokens = session.transcript.token_estimate() * share // 100
            try:
                plan = default_chain().decide(session.transcript, CompactionBudget(tokens, 2))
            except BudgetUnsatisfiable:
                outcomes.append("unsatisfiable")
                continue
            summaries = fulfil_extractively(session.transcript, plan)
            view = CompactionExecutor().apply(session.transcript, plan, summaries)
            rendered = module.render(view, session)
            assert module.check(rendered, pending_ok=True, **_named(options)) == []
            reads_back(module, rendered, view, **options)
            outcomes.append("compacted")
    return outcomes


def stays_readable(module: ModuleType, source: Json, **options: Json) -> None:
    """Whatever was replaced: an UnreadableTranscript, or a session that comes back (R4)."""
    module.matches(source)
    for scope in ("live", "full"):
        try:
            session = module.parse(source, scope=scope, **options)
        except UnreadableTranscript:
            continue
        assert module.render(session.transcript, session) is source
        module.check(source, **_named(options))
        for recent in (0, 1):
            view = compact(session, POLICIES["default_chain"], 40, recent)
            if view is not None and has_conversation(repaired(view, session)):
                module.render(view, session)


def nodes(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a document."""
    yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from nodes(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from nodes(each, (*path, number))


def put(value: Json, path: tuple[Any, ...], other: Json) -> Json:
    """Return a document with another value at a path."""
    if not path:
        return other
    copied = value.copy()
    copied[path[0]] = put(copied[path[0]], path[1:], other)
    return copied


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(["", "user", "tool", "id", "\ud800", "\0", "x" * 50]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["role", "content", "id", "text", "x"]), inner, max_size=3),
    ),
    max_leaves=6,
)


@st.composite
def damaged(draw: st.DrawFn, document: Json) -> Json:
    """A document in which one value is another."""
    path = draw(st.sampled_from(list(nodes(document))))
    return put(document, path, draw(JSON))


def kinds_of(session: Session) -> list[tuple[str, str | None]]:
    """Each turn's role, and what is said of it."""
    return [(turn.role.value, turn.metadata.get("turnfold.kind")) for turn in session.transcript]


def results_of(session: Session) -> list[str]:
    return [turn.turn_id for turn in session.transcript if turn.role is Role.TOOL]
