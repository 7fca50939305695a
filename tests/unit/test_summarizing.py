"""Planning a summary (contract S1)."""

import math
from typing import Any

import pytest

from tests.strategies import turn
from turnfold import (
    Action,
    CompactionBudget,
    CompactionPlan,
    Reason,
    SummarizingPolicy,
    Transcript,
)
from turnfold.errors import InvalidConfiguration
from turnfold.policies import MINIMUM_TARGET


def chat(count: int, tokens: int = 100) -> Transcript:
    return Transcript(tuple(turn(f"t{number}", tokens=tokens) for number in range(count)))


def folded(plan: CompactionPlan) -> list[str]:
    return [each.turn_id for each in plan.decisions if each.action is Action.SUMMARIZE]


def test_the_whole_oldest_span_is_folded_at_its_ratio() -> None:
    """S1."""
    plan = SummarizingPolicy("brief").decide(chat(10), CompactionBudget(999, 4))
    (request,) = plan.summarization_requests
    assert folded(plan) == list(request.turn_ids) == [f"t{number}" for number in range(6)]
    assert (request.target_tokens, request.prompt_id) == (120, "brief")
    assert plan.decisions[0].reason == Reason.SUMMARIZE_OLDEST
    assert plan.estimator_ratio is None


def test_a_span_ends_at_what_may_not_be_removed() -> None:
    """S1, B3."""
    turns = [turn(f"t{number}", tokens=50) for number in range(10)]
    turns[3] = turn("pin", tokens=50, pinned=True)
    plan = SummarizingPolicy("p", min_span_turns=3).decide(
        Transcript(tuple(turns)), CompactionBudget(499, 1)
    )
    assert folded(plan) == ["t0", "t1", "t2"]


def test_a_span_that_is_too_short_is_passed_over() -> None:
    """S1."""
    turns = [turn(f"t{number}", tokens=50) for number in range(10)]
    turns[3] = turn("pin", tokens=50, pinned=True)
    plan = SummarizingPolicy("p", min_span_turns=4).decide(
        Transcript(tuple(turns)), CompactionBudget(499, 1)
    )
    assert folded(plan) == ["t4", "t5", "t6", "t7", "t8"]


def test_an_exchange_that_reaches_out_of_the_span_is_left_out_of_it() -> None:
    """S1, P3, known failure A1."""
    turns = (
        turn("a", tokens=50),
        turn("b", tokens=50),
        turn("call", "assistant", 50, "x"),
        turn("sys", "system", 5),
        turn("result", "tool", 50, "x"),
        turn("end", tokens=5),
    )
    plan = SummarizingPolicy("p", min_span_turns=2).decide(
        Transcript(turns), CompactionBudget(200, 1)
    )
    assert folded(plan) == ["a", "b"]


def test_a_span_is_split_again_where_that_cuts_another_exchange() -> None:
    """S1, P3."""
    turns = (
        turn("a", tokens=50),
        turn("call y", "assistant", 50, "y"),
        turn("call x", "assistant", 50, "x"),
        turn("result y", "tool", 50, "y"),
        turn("b", tokens=50),
        turn("c", tokens=50),
        turn("sys", "system", 5),
        turn("result x", "tool", 50, "x"),
        turn("end", tokens=5),
    )
    plan = SummarizingPolicy("p", min_span_turns=2).decide(
        Transcript(turns), CompactionBudget(300, 1)
    )
    assert folded(plan) == ["b", "c"]


def test_no_summary_is_planned_that_would_not_be_smaller() -> None:
    """S1, known failure D4."""
    transcript = Transcript((*chat(4, tokens=0).turns, turn("end", tokens=9)))
    assert folded(SummarizingPolicy("p").decide(transcript, CompactionBudget(9, 1))) == []
    larger = SummarizingPolicy("p", 1.0).decide(chat(8), CompactionBudget(500))
    assert folded(larger) == []
    assert larger.budget_unmet


def test_nothing_to_fold_asks_for_nothing() -> None:
    """S1, known failure E5: an empty range is no summary."""
    plan = SummarizingPolicy("p", min_span_turns=1).decide(
        Transcript((turn("pin", pinned=True), turn("x", call="c"), turn("end", call="c"))),
        CompactionBudget(29, 1),
    )
    assert plan.summarization_requests == ()
    assert plan.budget_unmet


def test_until_it_fits_folds_only_the_oldest_part() -> None:
    """S1."""
    policy = SummarizingPolicy("p", extent="until_it_fits")
    plan = policy.decide(chat(20), CompactionBudget(1500))
    (request,) = plan.summarization_requests
    assert folded(plan) == [f"t{number}" for number in range(7)]
    assert request.target_tokens == 140
    assert plan.tokens_after_estimate == 1440


def test_a_span_that_would_not_fit_at_its_ratio_gets_a_smaller_target() -> None:
    """S1: so that a chain does not drop the summary that it has just planned."""
    policy = SummarizingPolicy("p", 0.5, extent="until_it_fits")
    plan = policy.decide(chat(10), CompactionBudget(500))
    assert len(folded(plan)) == 6
    assert plan.summarization_requests[0].target_tokens == 100
    assert plan.tokens_after_estimate == 500


def test_a_target_is_not_lowered_below_the_minimum() -> None:
    """S1."""
    policy = SummarizingPolicy("p", 0.5, extent="until_it_fits")
    plan = policy.decide(chat(10), CompactionBudget(410))
    assert plan.summarization_requests[0].target_tokens == MINIMUM_TARGET == 64
    assert plan.budget_unmet


def test_a_target_is_at_least_one() -> None:
    """S1."""
    plan = SummarizingPolicy("p", 0.001, 2).decide(chat(5, tokens=3), CompactionBudget(14, 1))
    assert plan.summarization_requests[0].target_tokens == 1


@pytest.mark.parametrize(
    "options",
    [
        {"prompt_id": ""},
        {"prompt_id": " "},
        {"prompt_id": None},
        {"target_ratio": 0},
        {"target_ratio": -0.1},
        {"target_ratio": math.inf},
        {"target_ratio": math.nan},
        {"target_ratio": 1e308},
        {"target_ratio": 10**400},
        {"target_ratio": True},
        {"target_ratio": "0.2"},
        {"min_span_turns": 0},
        {"min_span_turns": 1.5},
        {"min_span_turns": True},
        {"extent": "some"},
    ],
    ids=str,
)
def test_an_option_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    """S1, E1."""
    with pytest.raises(InvalidConfiguration):
        SummarizingPolicy(**{"prompt_id": "p", **options})


def test_a_span_before_knotted_exchanges_is_found_however_deep_the_knot() -> None:
    """S1, U3. Would catch: a search that gives up after some rounds and passes over the rest."""
    names = [f"x{number}" for number in range(40)]
    knot = []
    for number, name in enumerate(names):
        knot.append(turn(f"c{number}", "assistant", 50, name))
        if number:
            knot.append(turn(f"r{number}", "tool", 50, names[number - 1]))
    plain = [turn(f"u{number}", "user", 50) for number in range(6)]
    held = [turn("pin", "user", 1, pinned=True), turn("last", "tool", 1, names[-1])]
    transcript = Transcript([*plain, *knot, *held])
    plan = SummarizingPolicy("p").decide(transcript, CompactionBudget(1000, 0))
    assert folded(plan) == [f"u{number}" for number in range(6)]


def test_a_summary_smaller_than_the_least_is_not_asked_for() -> None:
    """S1, F2: what writes summaries may need room for a header."""
    policy = SummarizingPolicy("p", 0.1, min_target_tokens=64)
    (request,) = policy.decide(chat(6), CompactionBudget(400, 1)).summarization_requests
    assert request.target_tokens == 64
    small = policy.decide(chat(6, tokens=10), CompactionBudget(30, 1))
    assert small.changes_nothing
