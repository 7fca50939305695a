"""Budgets (contract section 2)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.strategies import turn
from turnfold import (
    BudgetUnsatisfiable,
    CompactionBudget,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    SummarizingPolicy,
    Transcript,
    TurnfoldError,
    default_chain,
)
from turnfold.errors import InvalidConfiguration

POLICIES = [
    DropOldestPolicy(),
    ObservationMaskingPolicy(),
    SummarizingPolicy("p"),
    default_chain(),
]


def test_limit_and_goal_are_what_is_left_for_turns() -> None:
    """B1."""
    budget = CompactionBudget(100, 2, target_tokens=60, reserved_tokens=10)
    assert (budget.limit, budget.goal) == (90, 50)
    assert CompactionBudget(100).goal == CompactionBudget(100).limit == 100
    assert CompactionBudget(100).protected_recent_turns == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": -1},
        {"max_tokens": True},
        {"max_tokens": 1.5},
        {"max_tokens": None},
        {"protected_recent_turns": -1},
        {"protected_recent_turns": None},
        {"target_tokens": -1},
        {"target_tokens": 101},
        {"target_tokens": 5, "reserved_tokens": 6},
        {"reserved_tokens": -1},
        {"reserved_tokens": 101},
        {"reserved_tokens": None},
    ],
    ids=str,
)
def test_a_budget_refuses_values_that_it_cannot_have(wrong: dict[str, Any]) -> None:
    """B1."""
    with pytest.raises(InvalidConfiguration):
        CompactionBudget(**{"max_tokens": 100, **wrong})
    with pytest.raises(InvalidConfiguration):
        replace(CompactionBudget(100), **wrong)


def test_the_edges_are_allowed() -> None:
    """B1."""
    assert CompactionBudget(0, 0).limit == 0
    assert CompactionBudget(10, reserved_tokens=10).limit == 0
    assert CompactionBudget(10, target_tokens=10).goal == 10
    assert CompactionBudget(10, target_tokens=4, reserved_tokens=4).goal == 0


def test_a_budget_and_its_dictionary_are_inverse() -> None:
    """B1."""
    budget = CompactionBudget(100, 2, target_tokens=60, reserved_tokens=10)
    assert CompactionBudget.from_dict(json.loads(json.dumps(budget.to_dict()))) == budget
    assert CompactionBudget.from_dict({"max_tokens": 5}) == CompactionBudget(5)


@pytest.mark.parametrize("record", [{}, [], None, {"max_tokens": "5"}], ids=str)
def test_a_record_that_is_no_budget_is_refused(record: Any) -> None:  # noqa: ANN401  Anything.
    """B1."""
    with pytest.raises(InvalidConfiguration):
        CompactionBudget.from_dict(record)


TURNS = (
    turn("sys", "system", 10),
    turn("pin", tokens=20, pinned=True),
    turn("free", tokens=30, content="secret"),
    turn("tail", tokens=40),
)


def test_a_floor_over_the_limit_is_refused_with_both_numbers_and_causes() -> None:
    """B4, E1."""
    with pytest.raises(BudgetUnsatisfiable) as refused:
        DropOldestPolicy().decide(Transcript(TURNS), CompactionBudget(74, 1, reserved_tokens=5))
    error = refused.value
    assert error.details["floor_tokens"] == 70
    assert error.details["limit"] == 69
    assert error.details["floor_by_cause"] == {"system": 10, "pinned": 20, "tail": 40}
    assert "70" in error.message
    assert "69" in error.message
    assert "raise max_tokens to at least 75" in error.message
    assert "unpin" in error.message
    assert "recent turns" in error.message
    assert "secret" not in error.message


def test_what_is_named_to_relax_is_what_would_help() -> None:
    """B4."""
    with pytest.raises(BudgetUnsatisfiable) as refused:
        DropOldestPolicy().decide(Transcript(TURNS[:1]), CompactionBudget(9, 1))
    assert "unpin" not in refused.value.message
    assert "recent" not in refused.value.message.partition("raise")[2]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_equality_fits(policy: DropOldestPolicy) -> None:
    """B4."""
    transcript = Transcript(TURNS)
    assert policy.decide(transcript, CompactionBudget(100, 1)).changes_nothing
    at_floor = policy.decide(transcript, CompactionBudget(70, 1))
    assert at_floor.tokens_after_estimate >= 70


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@pytest.mark.parametrize(
    "turns",
    [
        (),
        (turn("sys", "system"),),
        (turn("u"),),
        (turn("s", "system"), turn("u"), turn("c", "assistant", 5, "x"), turn("r", "tool", 5, "x")),
    ],
    ids=["empty", "system", "user", "exchange"],
)
def test_what_fits_comes_back_untouched_for_every_policy(
    policy: DropOldestPolicy, turns: tuple[Any, ...]
) -> None:
    """B5, known failure L6."""
    plan = policy.decide(Transcript(turns), CompactionBudget(10**6, 0))
    assert plan.changes_nothing
    assert plan.summarization_requests == ()
    assert not plan.budget_unmet


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_what_fits_the_limit_is_untouched_although_it_is_over_the_target(
    policy: DropOldestPolicy,
) -> None:
    """B1, B5: over the limit compaction starts."""
    plan = policy.decide(Transcript(TURNS), CompactionBudget(100, 1, target_tokens=75))
    assert plan.changes_nothing


def test_once_started_compaction_goes_down_to_the_target() -> None:
    """B1."""
    turns = tuple(turn(f"t{number}") for number in range(10))
    plan = DropOldestPolicy().decide(
        Transcript(turns), CompactionBudget(95, 1, target_tokens=55, reserved_tokens=5)
    )
    assert plan.tokens_after_estimate == 50


def test_a_target_below_the_floor_is_gone_down_to_as_far_as_possible() -> None:
    """B1, B4: unmet and the floor are judged by the limit."""
    plan = DropOldestPolicy().decide(Transcript(TURNS), CompactionBudget(99, 1, target_tokens=5))
    assert plan.tokens_after_estimate == 70
    assert not plan.budget_unmet


def test_a_tiny_budget_is_refused_and_never_gives_a_view_of_system_turns_alone() -> None:
    """B4, known failure C7."""
    turns = [turn("sys", "system"), turn("u"), turn("c", "assistant", 1, "x")]
    turns += [turn(f"r{number}", "tool", 500, "x") for number in range(5)]
    with pytest.raises(TurnfoldError) as refused:
        default_chain().decide(Transcript(tuple(turns)), CompactionBudget(100, 1))
    assert refused.value.code == "budget_unsatisfiable"
