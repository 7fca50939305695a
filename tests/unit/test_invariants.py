"""A plan against its transcript (contracts P6, B4, X3)."""

from dataclasses import replace

import pytest

from tests.strategies import session, turn
from turnfold import (
    CompactionBudget,
    CompactionPlan,
    DropOldestPolicy,
    InvalidPlan,
    PlanDraft,
    PlanTranscriptMismatch,
    Role,
    Transcript,
)
from turnfold.invariants import require_same_turns

TRANSCRIPT = session(rounds=3)
PLAN = DropOldestPolicy().decide(TRANSCRIPT, CompactionBudget(250, 1))


def test_the_same_turns_are_no_mismatch_and_appended_ones_are_counted() -> None:
    """X3."""
    assert require_same_turns(TRANSCRIPT, PLAN) == 0
    assert require_same_turns(Transcript((*TRANSCRIPT.turns, turn("a"), turn("b"))), PLAN) == 2


def test_appended_turns_of_a_kept_exchange_are_no_mismatch() -> None:
    """X3."""
    later = Transcript((*TRANSCRIPT.turns, turn("more", "tool", 1, "x2")))
    assert require_same_turns(later, PLAN) == 1


def test_a_transcript_that_lost_its_end_is_a_mismatch() -> None:
    """X3."""
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        require_same_turns(Transcript(TRANSCRIPT.turns[:-1]), PLAN)
    assert mismatch.value.details["unknown"] == ["last"]


def test_a_turn_inserted_before_the_end_is_a_mismatch() -> None:
    """X3."""
    turns = (*TRANSCRIPT.turns[:-1], turn("new"), TRANSCRIPT.turns[-1])
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        require_same_turns(Transcript(turns), PLAN)
    assert mismatch.value.details["unplanned"] == ["new"]


def test_a_plan_that_declares_a_system_turn_free_is_refused() -> None:
    """P6."""
    draft = PlanDraft(Transcript((turn("a"), *TRANSCRIPT.turns[1:])), CompactionBudget(250, 1))
    draft.drop([0, 1], "drop: because")
    plan = replace(draft.seal("hand", "1"), turn_ids=PLAN.turn_ids, digests=PLAN.digests)
    with pytest.raises(PlanTranscriptMismatch, match="'sys'"):
        require_same_turns(TRANSCRIPT, plan)


def test_a_plan_that_declares_a_turn_to_be_system_is_refused() -> None:
    """P6."""
    protections = bytearray(PLAN.protections)
    kept = PLAN.actions.rindex(b"K") - 1
    protections[kept] = ord("S")
    plan = replace(PLAN, protections=bytes(protections))
    with pytest.raises(PlanTranscriptMismatch):
        require_same_turns(TRANSCRIPT, plan)


def test_a_plan_that_splits_exchanges_by_declaring_them_apart_is_refused() -> None:
    """P6, P3."""
    apart = Transcript(tuple(replace(each, tool_call_id=None) for each in TRANSCRIPT))
    draft = PlanDraft(apart, CompactionBudget(250, 1))
    draft.drop([2], "drop: because")
    forged = replace(draft.seal("hand", "1"), digests=PLAN.digests)
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        require_same_turns(TRANSCRIPT, forged)
    assert mismatch.value.details["changed"] == ["result0", "result1", "result2"]


def test_a_pin_that_came_later_protects_a_turn_that_the_plan_removes() -> None:
    """T3, B2."""
    turns = tuple(replace(each, pinned=each.turn_id == "task") for each in TRANSCRIPT)
    with pytest.raises(PlanTranscriptMismatch, match="'task'"):
        require_same_turns(Transcript(turns), PLAN)
    pinned_last = (*TRANSCRIPT.turns[:-1], replace(TRANSCRIPT.turns[-1], pinned=True))
    assert require_same_turns(Transcript(pinned_last), PLAN) == 0


def test_a_draft_that_breaks_a_rule_cannot_be_sealed() -> None:
    """P6."""
    draft = PlanDraft(TRANSCRIPT, CompactionBudget(250, 1))
    draft.drop([0], "drop: because")
    draft.mask(3, (" ", 1, None), "")
    with pytest.raises(InvalidPlan) as refused:
        draft.seal("hand", "1")
    assert len(refused.value.violations) == 3


def test_a_sealed_plan_knows_its_transcript() -> None:
    """P6."""
    assert isinstance(PLAN, CompactionPlan)
    assert PLAN.digests == b"".join(bytes.fromhex(each.digest())[:8] for each in TRANSCRIPT.turns)
    assert PLAN.protections == b"S" + b"-" * 7 + b"T"
    assert PLAN.exchanges == (0, 1, 2, 2, 4, 4, 6, 6, 8)
    assert TRANSCRIPT.turns[0].role is Role.SYSTEM
