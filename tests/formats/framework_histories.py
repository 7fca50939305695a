"""Histories for the formats in which frameworks keep a chat, and the laws that hold for them.

A history is made of steps that know no format. They are valid by construction: parallel calls,
reasoning, images, errors, empty results, ids that are used again, a pending tail. `broken` ones
have calls that nobody answered, and words between a call and its result.
"""

import copy
import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from hypothesis import strategies as st

from tests.formats.json_histories import (
    NO_PINS,
    POLICIES,
    Json,
    compact,
    has_conversation,
    reuses_open_ids,
)
from turnfold import CompactedView, DropOldestPolicy, Role, Transcript, UnreadableTranscript
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, repaired

Thought = Literal["", "plain", "signed"]
Who = Literal["system", "user", "assistant"]
Build = Callable[[list["Step"]], Json]
Validate = Callable[[Json], None]
PAIRING = {"unanswered_call", "orphan_result", "repeated_id", "foreign_result", "step_id"}


@dataclass(frozen=True)
class Said:
    """Somebody's words."""

    who: Who
    text: str
    thought: Thought = ""
    image: bool = False


@dataclass(frozen=True)
class Result:
    """What a tool gave."""

    text: str
    failed: bool = False


@dataclass(frozen=True)
class Batch:
    """Calls of the model with their results; None where there is none."""

    text: str
    results: dict[str, Result | None]
    thought: Thought = ""
    between: str | None = None


Step = Said | Batch

Event = Said | Batch | tuple[str, Result]
"""What stands in a history: words, calls, or the result of the call with an id."""


def events_of(steps: list[Step]) -> list[Event]:
    """What happens in order: words that stand between come behind the first result."""
    events: list[Event] = []
    for step in steps:
        events.append(step)
        if isinstance(step, Batch):
            given = [(name, each) for name, each in step.results.items() if each is not None]
            events += given[:1]
            events += [Said("user", step.between)] if step.between is not None else []
            events += given[1:]
    return events


WORDS = st.sampled_from(["go on", "continue", "ok", "look at the log 🟥", "x" * 300])
THOUGHTS = st.sampled_from(["", "", "plain", "signed"])
IDS = st.sampled_from(["call_0", "call_1", "call_2"])
RESULTS = st.builds(
    Result, st.sampled_from(["", "ok", "continue", "y" * 90, "z" * 400, '{"a": 1}']), st.booleans()
)
CALL_TEXTS = st.sampled_from(["", "I look."])

SPOKEN = st.one_of(
    st.builds(Said, st.just("user"), WORDS, image=st.booleans()),
    st.builds(Said, st.just("assistant"), WORDS, THOUGHTS),
)
BATCHES = st.builds(
    Batch, CALL_TEXTS, st.dictionaries(IDS, RESULTS, min_size=1, max_size=3), THOUGHTS
)
BROKEN_BATCHES = st.builds(
    Batch,
    CALL_TEXTS,
    st.dictionaries(IDS, st.none() | RESULTS, min_size=1, max_size=3),
    THOUGHTS,
    st.none() | WORDS,
)
PENDING = st.builds(
    Batch,
    CALL_TEXTS,
    st.dictionaries(IDS, st.none() | RESULTS, min_size=1, max_size=3).filter(
        lambda results: None in results.values()
    ),
    THOUGHTS,
)


@st.composite
def valid(draw: st.DrawFn) -> list[Step]:
    """A history that every provider takes, but for calls at its end that may wait."""
    opening: list[Step] = [Said("system", "Be brief.")] if draw(st.booleans()) else []
    task = Said("user", draw(WORDS), image=draw(st.booleans()))
    steps = draw(st.lists(st.one_of(SPOKEN, BATCHES), min_size=1, max_size=8))
    tail = [draw(PENDING)] if draw(st.booleans()) else []
    return [*opening, task, *steps, *tail]


@st.composite
def broken(draw: st.DrawFn) -> list[Step]:
    """A history in which calls are open and results late."""
    steps = st.one_of(SPOKEN, BATCHES, BROKEN_BATCHES)
    return [Said("user", draw(WORDS)), *draw(st.lists(steps, min_size=1, max_size=9))]


@st.composite
def cuts(draw: st.DrawFn) -> tuple[int, int, Pins]:
    """A share of the tokens in percent, a protected tail, and the pins."""
    pins = draw(st.sampled_from([Pins(), NO_PINS]))
    return draw(st.integers(1, 99)), draw(st.integers(0, 4)), pins


VALUES: st.SearchStrategy[Json] = st.sampled_from(
    [None, True, 0, -1.5, "", "x", "system", "tool", [], {}, [None], [[]], {"type": 7}, {"id": []}]
)


def nodes(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all nodes of a JSON value."""
    found = [path]
    if isinstance(value, dict):
        for key, each in value.items():
            found += nodes(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            found += nodes(each, (*path, number))
    return found


@st.composite
def damaged(draw: st.DrawFn, build: Build) -> Json:
    """A document in which one or two nodes are anything else."""
    document = copy.deepcopy(build(draw(valid())))
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(nodes(document)))
        if not path:
            return draw(VALUES)
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        if draw(st.booleans()):
            holder[path[-1]] = copy.deepcopy(draw(VALUES))
        else:
            del holder[path[-1]]
    return document


def rendered_from(document: Json) -> Json:
    """The document after a way through JSON."""
    return json.loads(json.dumps(document))


def installed(name: str) -> Any:  # noqa: ANN401
    """A framework's module for a second opinion on the types; None where it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def check_untouched(module: ModuleType, document: Json) -> None:
    """R2: an unchanged view is the input, and nothing in it is touched."""
    before = copy.deepcopy(document)
    for scope in ("live", "full"):
        session = module.parse(document, scope=scope)
        assert module.render(session.transcript, session) is document
        assert all(turn.token_estimate > 0 for turn in session.transcript)
    assert document == before


def _waits(view: CompactedView) -> bool:
    """A10: whether the view ends with calls that still wait for results."""
    last = next(turn for turn in reversed(view.transcript.turns) if turn.role is not Role.TOOL)
    return last.metadata.get("turnfold.status") == "pending"


def check_compacted(
    module: ModuleType,
    document: Json,
    policy: str,
    *,
    cut: tuple[int, int, Pins],
    validate: Validate,
) -> Json:
    """A1, L3: what is written is taken, is read again, and is the same view with its ledger."""
    before = copy.deepcopy(document)
    share, recent, pins = cut
    session: Session = module.parse(document, pins=pins)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[policy], tokens, recent)
    if view is None or view.transcript is session.transcript or not has_conversation(view):
        return None
    shown = repaired(view, session)
    if not has_conversation(shown):
        return None
    for reasoning in (None, "keep", "strip_all"):
        rendered = module.render(view, session, reasoning=reasoning)
        written = rendered_from(rendered)
        assert module.check(written, pending_ok=True) == [], written
        if _waits(shown):
            assert "unanswered_call" in {fault.rule for fault in module.check(written)}
        validate(written)
        again = module.parse(written, ledger=shown.ledger, pins=pins)
        if not reuses_open_ids(session):
            assert again.transcript.digest() == shown.transcript.digest()
            assert again.ledger == shown.ledger
    assert document == before
    return rendered


def check_damaged(module: ModuleType, document: Json) -> None:
    """R4: anything is read or refused, comes back as it was, and is compacted into pairs."""
    module.matches(document)
    module.check(document)
    try:
        session = module.parse(document)
    except UnreadableTranscript:
        return
    assert module.render(session.transcript, session) is document
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() * 2 // 3, 0)
    for shown in (view, Transcript(session.transcript.turns[1:])):
        if shown is None:
            continue
        try:
            rendered = module.render(shown, session)
        except UnrenderableView:
            continue
        faults = module.check(rendered_from(rendered), pending_ok=True)
        assert not PAIRING & {fault.rule for fault in faults}, (faults, rendered)
