"""Exchanges that are minted from per-call ids (T4, known failures A4, A7, A10)."""

import json
from collections import Counter
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from turnfold import Role, Transcript, TranscriptTurn

POOL = ("", "call_0", "call_1", "\ud800")


class Event(NamedTuple):
    """A turn by its part and its call ids."""

    turn_id: str
    part: str
    call_ids: tuple[str, ...]


@st.composite
def unambiguous(draw: st.DrawFn) -> list[Event]:
    """Return turns in which no call repeats an id that still waits for its result."""
    waiting: Counter[str] = Counter()
    events = []
    for position in range(draw(st.integers(0, 14))):
        free = [call_id for call_id in POOL if not waiting[call_id]]
        part = draw(st.sampled_from(("call", "answer", "answer", "stray", "none")))
        if part == "call" and free:
            ids = tuple(draw(st.lists(st.sampled_from(free), max_size=3)))
            waiting.update(ids)
        elif part == "answer" and waiting.total():
            ids = (draw(st.sampled_from(sorted(waiting.elements()))),)
            waiting.subtract(ids)
        elif part == "stray" and free:
            part, ids = "answer", (draw(st.sampled_from(free)),)
        else:
            part, ids = "none", ()
        events.append(Event(f"t{position}", part, ids))
    return events


@st.composite
def anything(draw: st.DrawFn) -> list[Event]:
    """Return turns with any call ids in any order."""
    parts = st.sampled_from(("call", "answer", "none"))
    rows = draw(
        st.lists(st.tuples(parts, st.lists(st.sampled_from(POOL), max_size=3)), max_size=12)
    )
    return [
        Event(f"t{position}", part, tuple(ids[:1] if part == "answer" else ids))
        for position, (part, ids) in enumerate(rows)
    ]


ROLES = {"call": Role.ASSISTANT, "answer": Role.TOOL, "none": Role.USER}


def build(events: list[Event]) -> Transcript:
    turns = [TranscriptTurn(each.turn_id, ROLES[each.part], "", 1) for each in events]
    calls = {each.turn_id: each.call_ids for each in events if each.part != "none"}
    return Transcript.from_calls(turns, calls)


def exchanges(transcript: Transcript) -> list[str | None]:
    return [turn.tool_call_id for turn in transcript]


@given(unambiguous())
def test_a_result_joins_the_nearest_call_that_waits_for_it(events: list[Event]) -> None:
    """T4, A7.

    Would catch: a global table of ids, a result given to an occurrence that has its result.
    """
    transcript = build(events)
    expected = oracles.pair_calls(events)
    assert exchanges(transcript) == expected
    calls = {each.turn_id for each in events if each.part == "call"}
    for turn, event, exchange in zip(transcript, events, expected, strict=True):
        is_orphan = event.part == "answer" and bool(event.call_ids) and exchange not in calls
        assert ("turnfold.damage" in turn.metadata) is is_orphan
        if event.call_ids:
            assert json.loads(turn.metadata["turnfold.call_ids"]) == list(event.call_ids)


@given(anything(), st.integers(0, 12))
def test_appending_turns_renames_nothing(events: list[Event], count: int) -> None:
    """T4.

    Would catch: an id that depends on what comes later.
    """
    assert exchanges(build(events[:count])) == exchanges(build(events))[:count]


@given(anything())
def test_no_exchange_holds_a_result_without_its_call(events: list[Event]) -> None:
    """T4, A1: whatever the ids, an exchange has at most as many results of an id as calls.

    Would catch: a doubled result that is taken for a second answer, a result that is given to
    an exchange whose call it cannot answer.
    """
    balance: dict[str, Counter[str]] = {}
    for turn, event in zip(build(events), events, strict=True):
        if turn.tool_call_id is None or "turnfold.damage" in turn.metadata:
            continue
        calls = balance.setdefault(turn.tool_call_id, Counter())
        if event.part == "call":
            calls.update(event.call_ids)
        else:
            calls.subtract(event.call_ids)
            assert all(number >= 0 for number in calls.values())


@given(anything())
def test_an_exchange_has_the_id_of_its_first_turn_and_an_orphan_stands_alone(
    events: list[Event],
) -> None:
    """T4, T7.

    Would catch: an id that a counter or an input gave, an orphan that joins an exchange.
    """
    transcript = build(events)
    members: dict[str, list[str]] = {}
    for turn in transcript:
        if turn.tool_call_id is not None:
            members.setdefault(turn.tool_call_id, []).append(turn.turn_id)
    for exchange, ids in members.items():
        assert exchange == ids[0]
    for turn in transcript:
        if "turnfold.damage" in turn.metadata:
            assert members[str(turn.tool_call_id)] == [turn.turn_id]
