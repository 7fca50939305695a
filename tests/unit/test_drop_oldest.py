"""Dropping the oldest (contract D1)."""

import pytest

from tests.strategies import session, turn
from turnfold import (
    Action,
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    DropOldestPolicy,
    Reason,
    Transcript,
)


def dropped(plan: CompactionPlan) -> list[str]:
    return [each.turn_id for each in plan.decisions if each.action is Action.DROP]


def test_whole_exchanges_go_oldest_first_until_it_fits() -> None:
    """D1."""
    plan = DropOldestPolicy().decide(session(rounds=4), CompactionBudget(300, 1))
    assert dropped(plan) == ["task", "call0", "result0", "call1", "result1"]
    assert plan.tokens_after_estimate == 230
    assert {each.reason for each in plan.decisions if each.action is Action.DROP} == {
        Reason.DROP_OVER_BUDGET
    }


def test_a_locked_exchange_stays_and_says_so() -> None:
    """B3, P2."""
    turns = (
        turn("call", "assistant", 50, "x"),
        turn("old", tokens=50),
        turn("result", "tool", 50, "x"),
    )
    plan = DropOldestPolicy().decide(Transcript(turns), CompactionBudget(100, 1))
    assert dropped(plan) == ["old"]
    assert plan.decisions[0].reason == Reason.KEEP_LOCKED
    assert plan.decisions[2].reason == Reason.KEEP_TAIL


def test_reasons_say_why_a_turn_is_kept() -> None:
    """P2, B2."""
    turns = (turn("sys", "system"), turn("pin", pinned=True), turn("a"), turn("b"), turn("end"))
    plan = DropOldestPolicy().decide(Transcript(turns), CompactionBudget(40, 1))
    assert [each.reason for each in plan.decisions] == [
        Reason.KEEP_SYSTEM,
        Reason.KEEP_PINNED,
        Reason.DROP_OVER_BUDGET,
        Reason.KEEP_FITS,
        Reason.KEEP_TAIL,
    ]


def test_where_nothing_droppable_is_left_the_plan_says_so() -> None:
    """D1, B4."""
    turns = (turn("call", "assistant", 90, "x"), turn("result", "tool", 10, "x"))
    plan = DropOldestPolicy().decide(Transcript(turns), CompactionBudget(50, 1))
    assert dropped(plan) == []
    assert plan.budget_unmet


TURNS = Transcript(
    (
        turn("sys", "system", 7),
        turn("user 1", "user", 5),
        turn("call 1", "assistant", 3, "t1"),
        turn("result 1", "tool", 11, "t1"),
        turn("text", "assistant", 2),
        turn("user 2", "user", 4),
        turn("call 2", "assistant", 6, "t2"),
        turn("result 2a", "tool", 8, "t2"),
        turn("result 2b", "tool", 9, "t2"),
    )
)


@pytest.mark.parametrize("recent", range(4))
def test_at_every_budget_no_result_stands_without_its_call(recent: int) -> None:
    """P3, known failures A1 and A4: swept over all budgets."""
    for limit in range(TURNS.token_estimate() + 1):
        floor = sum(turn.token_estimate for turn in TURNS.turns[len(TURNS) - recent :]) + 7
        if limit < floor:
            continue
        plan = DropOldestPolicy().decide(TURNS, CompactionBudget(limit, recent))
        view = CompactionExecutor().apply(TURNS, plan).transcript
        left = [turn.turn_id for turn in view]
        assert ("call 1" in left) == ("result 1" in left)
        assert ("call 2" in left) == ("result 2a" in left) == ("result 2b" in left)
        assert view.token_estimate() <= limit or plan.budget_unmet
