"""The ledger against a book kept by hand, through any number of rounds (section 6)."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.strategies import planned, policies, satisfiable_budgets, summaries_for, unpickle
from turnfold import (
    CompactedView,
    CompactionExecutor,
    CompactionPlan,
    Role,
    Transcript,
    TranscriptTurn,
)
from turnfold.errors import LedgerMismatch
from turnfold.ledger import Ledger, differences, verify
from turnfold.testing.strategies import transcripts

apply = CompactionExecutor().apply


def renamed(transcript: Transcript, prefix: str) -> tuple[TranscriptTurn, ...]:
    return tuple(
        replace(
            turn,
            turn_id=f"{prefix}{turn.turn_id}",
            tool_call_id=turn.tool_call_id and f"{prefix}{turn.tool_call_id}",
        )
        for turn in transcript
    )


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Transcript, CompactedView, oracles.Book]:
    """Return all originals, the view after up to three rounds, and the book kept by hand."""
    book = oracles.Book()
    originals: tuple[TranscriptTurn, ...] = ()
    current: tuple[TranscriptTurn, ...] = ()
    view = None
    for number in range(draw(st.integers(1, 3))):
        fresh = renamed(draw(transcripts(max_turns=7)), f"r{number} ")
        originals += fresh
        transcript = Transcript(current + fresh)
        book.appear([turn.turn_id for turn in fresh])
        plan = draw(policies()).decide(transcript, draw(satisfiable_budgets(transcript)))
        ledger = view.ledger if view else None
        view = apply(transcript, plan, summaries_for(plan), ledger=ledger)
        book.compact([(each.action.value, each.group_id) for each in plan.decisions])
        current = view.transcript.turns
    assert view is not None
    return Transcript(originals), view, book


@given(rounds())
def test_every_original_turn_is_accounted_for_exactly_once(
    case: tuple[Transcript, CompactedView, oracles.Book],
) -> None:
    """L1, L2.

    Would catch: a leaf that is lost in a second round, a summary that is evidence for another,
    a masked turn that counts as kept once it is seen again.
    """
    originals, view, book = case
    entries = list(view.ledger.entries())
    assert [entry.turn_id for entry in entries] == list(originals.turn_ids())
    assert {entry.turn_id: entry.fate.value for entry in entries} == book.fates
    for entry, turn in zip(entries, originals, strict=True):
        assert entry.content_digest == oracles.content_sha256(turn.content)
        assert entry.turn_digest == turn.digest()


@given(rounds())
def test_every_turn_of_a_view_resolves_to_its_leaves(
    case: tuple[Transcript, CompactedView, oracles.Book],
) -> None:
    """L2.

    Would catch: a summary of a summary that resolves to the summary, leaves out of order.
    """
    originals, view, book = case
    assert view.transcript.turn_ids() == tuple(shown.turn_id for shown in book.view)
    assert view.ledger.view_turn_ids() == view.transcript.turn_ids()
    order = {turn_id: position for position, turn_id in enumerate(originals.turn_ids())}
    homes = {}
    for shown in book.view:
        leaves = view.ledger.leaves_of(shown.turn_id)
        assert sorted(leaves, key=order.__getitem__) == list(leaves)
        assert set(leaves) == set(shown.leaves)
        homes.update(dict.fromkeys(leaves, shown.turn_id))
    for entry in view.ledger.entries():
        assert entry.view_turn_id == homes.get(entry.turn_id)


@given(rounds())
def test_a_ledger_survives_json_and_pickle_and_verifies(
    case: tuple[Transcript, CompactedView, oracles.Book],
) -> None:
    """L3.

    Would catch: a column that is lost on the way.
    """
    originals, view, _ = case
    verify(originals, view.transcript, view.ledger)
    read = Ledger.from_dict(json.loads(json.dumps(view.ledger.to_dict())))
    assert read == view.ledger
    assert hash(read) == hash(view.ledger)
    assert read.digest() == view.ledger.digest()
    assert unpickle(pickle.dumps(read)) == read
    verify(originals, view.transcript, read)


def change_one(transcript: Transcript, change: str, position: int) -> Transcript:
    turns = list(transcript.turns)
    turn = turns[position]
    if change == "character":
        turns[position] = replace(turn, content=f"{turn.content[:-1]}#")
        if turn.content.endswith("#"):
            turns[position] = replace(turn, content=f"{turn.content[:-1]}%")
    elif change == "role":
        turns[position] = replace(turn, role=Role.USER if turn.role != "user" else Role.TOOL)
    elif change == "id":
        turns[position] = replace(turn, turn_id=f"{turn.turn_id}'")
    elif change == "call":
        turns[position] = replace(turn, tool_call_id=f"{turn.tool_call_id}'")
    elif change == "order":
        turns.insert(0, turns.pop())
    elif change == "removed":
        del turns[position]
    else:
        turns.insert(position, TranscriptTurn("a stranger", Role.USER, "", 0))
    return Transcript(tuple(turns))


CHANGES = ("character", "role", "id", "call", "order", "removed", "added")


@given(
    rounds(),
    st.sampled_from(CHANGES),
    st.sampled_from(("original", "view")),
    st.floats(0, 1, exclude_max=True),
)
def test_any_single_change_of_either_side_is_found(
    case: tuple[Transcript, CompactedView, oracles.Book], change: str, side: str, where: float
) -> None:
    """L3.

    Would catch: a digest that leaves out a field, a comparison of sets where order counts.
    """
    originals, view, _ = case
    touched = originals if side == "original" else view.transcript
    if len(touched) < 1 + (change == "order"):
        return
    changed = change_one(touched, change, int(where * len(touched)))
    pair = (changed, view.transcript) if side == "original" else (originals, changed)
    assert differences(*pair, view.ledger)
    with pytest.raises(LedgerMismatch) as mismatch:
        verify(*pair, view.ledger)
    assert side in mismatch.value.message


def dropped_first(turns: tuple[TranscriptTurn, ...]) -> tuple[TranscriptTurn, ...]:
    return turns[1:]


def changed_first(turns: tuple[TranscriptTurn, ...]) -> tuple[TranscriptTurn, ...]:
    return (replace(turns[0], content=f"{turns[0].content}!"), *turns[1:])


def reordered(turns: tuple[TranscriptTurn, ...]) -> tuple[TranscriptTurn, ...]:
    return (*turns[1:], turns[0])


@given(planned(), st.sampled_from((dropped_first, changed_first, reordered)))
def test_a_ledger_is_not_continued_over_another_view(
    case: tuple[Transcript, CompactionPlan],
    change: Callable[[tuple[TranscriptTurn, ...]], tuple[TranscriptTurn, ...]],
) -> None:
    """L1, L2: a leaf that is said to be kept has the content of the original.

    Would catch: a second round over a view that somebody edited.
    """
    transcript, plan = case
    view = apply(transcript, plan, summaries_for(plan))
    if len(view.transcript) < 2:
        return
    other = Transcript(change(view.transcript.turns))
    again = _keep_all(other)
    with pytest.raises(LedgerMismatch):
        apply(other, again, ledger=view.ledger)


def _keep_all(transcript: Transcript) -> CompactionPlan:
    from turnfold import CompactionBudget, DropOldestPolicy  # noqa: PLC0415  Used here only.

    return DropOldestPolicy().decide(transcript, CompactionBudget(10**6))
