"""Laws that hold for every session format, and the damage that they are held against."""

import json
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from tests.formats.json_histories import (
    POLICIES,
    compact,
    has_conversation,
    reuses_open_ids,
    with_long_inputs,
)
from turnfold import (
    BudgetUnsatisfiable,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, repaired

Json = Any

scalars = st.sampled_from([None, True, 0, -1.5, "", "text", "user", "functionCall"])
values: st.SearchStrategy[Json] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)


def nodes(document: Json, path: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
    """List the paths of all nodes of a JSON value."""
    listed = [path]
    items = document.items() if isinstance(document, dict) else ()
    numbered = enumerate(document) if isinstance(document, list) else ()
    for key, each in (*items, *numbered):
        listed += nodes(each, (*path, key))
    return listed


def with_node(document: Json, path: tuple[Json, ...], value: Json) -> Json:
    """Return a JSON value with another value at a path."""
    if not path:
        return value
    copied = document.copy()
    copied[path[0]] = with_node(document[path[0]], path[1:], value)
    return copied


@st.composite
def damaged(draw: st.DrawFn, documents: st.SearchStrategy[Json]) -> Json:
    """Draw a document in which one or two nodes are something else."""
    document = draw(documents)
    for _ in range(draw(st.integers(1, 2))):
        document = with_node(document, draw(st.sampled_from(nodes(document))), draw(values))
    return document


def holds_on_damage(module: ModuleType, source: Json) -> None:
    """Parsing gives a session or says why not; what it gives renders, whole and cut (R2, R4)."""
    module.matches(_objects(source) if module.LINES else source)
    module.check(source)
    try:
        session = module.parse(source)
    except UnreadableTranscript:
        return
    assert module.render(session.transcript, session) == source
    for share in (60, 20):
        tokens = session.transcript.token_estimate() * share // 100
        view = compact(session, POLICIES["default_chain"], tokens, 0)
        if view is None:
            continue
        try:
            module.check(module.render(view, session))
        except UnrenderableView:
            assert not has_conversation(repaired(view, session))


def _objects(source: bytes) -> list[Json]:
    values = [json.loads(line) for line in source.splitlines()]
    return [value for value in values if isinstance(value, dict)]


def holds_at_a_cut(
    module: ModuleType, source: Json, policy: str, cut: tuple[int, int, Pins]
) -> Json | None:
    """A cut history passes the check, and is the same view when it is read again (R2, L3).

    Returns what was rendered, or None where nothing was cut.
    """
    share, recent, pins = cut
    source = with_long_inputs(source) if policy == "masking_inputs" else source
    session = module.parse(source, pins=pins)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[policy], tokens, recent)
    if view is None or view.transcript is session.transcript or not has_conversation(view):
        return None
    if not has_conversation(repaired(view, session)):
        return None
    rendered = module.render(view, session)
    assert module.check(rendered, pending_ok=True) == []
    if not reuses_open_ids(session):
        reads_again(module, rendered, repaired(view, session), pins)
    return rendered


def reads_again(
    module: ModuleType, rendered: Json, view: CompactedView, pins: Pins | None = None
) -> None:
    """What was written gives the turns of its view back, in either scope (L3)."""
    copied = rendered if isinstance(rendered, bytes) else json.loads(json.dumps(rendered))
    for scope in ("live", "full"):
        again = module.parse(copied, scope=scope, pins=pins or Pins(), ledger=view.ledger)
        assert again.transcript.turn_ids() == view.transcript.turn_ids()
        assert again.transcript.digest() == view.transcript.digest()
        assert again.ledger == view.ledger


def holds_over_rounds(module: ModuleType, source: Json) -> None:
    """A session that is compacted again and again has one ledger to its first turns (L2, L3)."""
    session = module.parse(source)
    leaves = len(session.transcript)
    for _ in range(3):
        tokens = session.transcript.token_estimate() * 2 // 3
        view = compact(session, POLICIES["default_chain"], tokens, 4)
        assert view is not None
        rendered = module.render(view, session)
        assert module.check(rendered) == []
        reads_again(module, rendered, view)
        session = module.parse(rendered, ledger=view.ledger)
        assert len(view.ledger.leaf_ids) == leaves


def compacts_recorded(module: ModuleType, source: Json, scope: str, share: int) -> None:
    """A recorded session comes back whole, and compacts to what passes the check."""
    session: Session = module.parse(source, scope=scope)
    assert module.render(session.transcript, session) == source
    limit = session.transcript.token_estimate() * share // 100
    policy = default_chain()
    try:
        plan = policy.decide(session.transcript, CompactionBudget(limit))
    except BudgetUnsatisfiable:
        return
    summaries = {each.group_id: "What was done." for each in plan.summarization_requests}
    view = CompactionExecutor().apply(session.transcript, plan, summaries)
    rendered = module.render(view, session)
    assert module.check(rendered, pending_ok=True) == []
    reads_again(module, rendered, repaired(view, session))
