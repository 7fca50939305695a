"""What the leaf policies decide, against oracles that were written from the contracts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.strategies import STUB_TOKENS, five, planned, satisfiable_cases
from turnfold import (
    Action,
    BudgetUnsatisfiable,
    CompactionBudget,
    CompactionPlan,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    SummarizingPolicy,
    Transcript,
)
from turnfold.testing.strategies import cases

Case = tuple[Transcript, CompactionBudget]


def decided(plan: CompactionPlan, action: Action) -> set[int]:
    return {position for position, each in enumerate(plan.decisions) if each.action is action}


@given(cases())
def test_a_budget_is_refused_exactly_when_the_floor_exceeds_its_limit(case: Case) -> None:
    """B4.

    Would catch: a cause counted twice, a tail that is off by one, equality refused.
    """
    transcript, budget = case
    floor = oracles.floor_by_cause(transcript.turns, budget)
    limit = oracles.limit_of(budget)
    if sum(floor.values()) <= limit:
        DropOldestPolicy().decide(transcript, budget)
        return
    with pytest.raises(BudgetUnsatisfiable) as refused:
        DropOldestPolicy().decide(transcript, budget)
    assert refused.value.details["floor_by_cause"] == floor
    assert refused.value.details["floor_tokens"] == sum(floor.values())
    assert refused.value.details["limit"] == limit


@given(satisfiable_cases())
def test_drop_oldest_drops_whole_exchanges_from_the_oldest_until_it_fits(case: Case) -> None:
    """D1, B1, B3.

    Would catch: an exchange dropped in part, one too many, or a goal taken for the limit.
    """
    transcript, budget = case
    plan = DropOldestPolicy().decide(transcript, budget)
    assert decided(plan, Action.DROP) == oracles.dropped(transcript.turns, budget)


@given(
    satisfiable_cases(),
    st.integers(0, 3),
    st.sampled_from(("oldest", "largest")),
    st.sampled_from((frozenset(), frozenset({"read_file"}))),
)
def test_masking_masks_what_the_contract_says_and_no_more(
    case: Case, keep_recent: int, order: str, protected: frozenset[str]
) -> None:
    """M1.

    Would catch: a recent, untouchable or protected result masked, the wrong order, one too many.
    """
    transcript, budget = case
    policy = ObservationMaskingPolicy(
        keep_recent,
        order=order,  # type: ignore[arg-type]
        protect_tools=protected,
        estimator=five,
    )
    options = oracles.Masking(keep_recent, order, protected, STUB_TOKENS)
    expected = oracles.masked(transcript.turns, budget, options)
    assert decided(policy.decide(transcript, budget), Action.MASK) == expected


@given(satisfiable_cases(), st.sampled_from((0.1, 0.2, 0.5, 0.99)), st.integers(1, 4))
def test_summarizing_folds_the_oldest_span_in_its_whole_extent(
    case: Case, ratio: float, min_span: int
) -> None:
    """S1.

    Would catch: a span that splits an exchange, a later one, a shorter one, another target.
    """
    transcript, budget = case
    plan = SummarizingPolicy("p", ratio, min_span).decide(transcript, budget)
    spans = oracles.qualifying_spans(transcript.turns, budget, ratio, min_span)
    if not spans:
        assert plan.changes_nothing
        return
    span, target = spans[0]
    (request,) = plan.summarization_requests
    assert decided(plan, Action.SUMMARIZE) == set(span)
    assert request.turn_ids == tuple(transcript.turn_ids()[each] for each in span)
    assert request.target_tokens == target


@given(satisfiable_cases(), st.sampled_from((0.1, 0.2, 0.5)), st.integers(1, 4))
def test_folding_until_it_fits_folds_spans_from_the_oldest_and_no_more(
    case: Case, ratio: float, min_span: int
) -> None:
    """S1: whole spans, oldest first, and of the last one only as much as is needed.

    Would catch: a fold in the middle, a fold larger than asked for, a target that is lowered
    although the view fits or that is lowered to nothing.
    """
    transcript, budget = case
    turns, goal = transcript.turns, oracles.goal_of(budget)
    policy = SummarizingPolicy("p", ratio, min_span, extent="until_it_fits")
    plan = policy.decide(transcript, budget)
    spans = oracles.qualifying_spans(turns, budget, ratio, min_span)
    requests = plan.summarization_requests
    if not spans:
        assert plan.changes_nothing
        return
    assert 1 <= len(requests) <= len(spans)
    after = oracles.size(turns)
    for request, (span, target) in zip(requests, spans, strict=False):
        whole = tuple(transcript.turn_ids()[each] for each in span)
        assert request.turn_ids == whole[: len(request.turn_ids)]
        if request is not requests[-1]:
            assert request.turn_ids == whole
            after -= oracles.size(turns[span.start : span.stop]) - target
    if len(requests) < len(spans) or requests[-1].turn_ids != whole:
        assert plan.tokens_after_estimate <= goal
    if plan.tokens_after_estimate > goal:
        targets = [min(64, target) for _, target in spans]
        assert [request.target_tokens for request in requests] == targets
    start = spans[len(requests) - 1][0].start
    end = start + len(requests[-1].turn_ids)
    assert end - start >= min_span
    assert oracles.is_whole_span(turns, budget, start, end)
    for shorter in range(start + min_span, end):
        if oracles.is_whole_span(turns, budget, start, shorter):
            part = oracles.size(turns[start:shorter])
            assert after - part + max(1, round(part * ratio)) > goal


@given(planned())
def test_the_figures_of_a_plan_follow_from_its_decisions(
    case: tuple[Transcript, CompactionPlan],
) -> None:
    """P5, B4, P10.

    Would catch: a stub counted at the size of what it replaces, a summary counted twice.
    """
    transcript, plan = case
    targets = {each.group_id: each.target_tokens for each in plan.summarization_requests}
    after = 0
    for turn, decision in zip(transcript, plan.decisions, strict=True):
        if decision.action is Action.KEEP:
            after += turn.token_estimate
        elif decision.action is Action.MASK:
            after += decision.replacement_tokens or 0
        elif decision.action is Action.SUMMARIZE:
            after += targets.pop(str(decision.group_id), 0)
    assert plan.tokens_before == oracles.size(transcript.turns)
    assert plan.tokens_after_estimate == after
    assert plan.budget_unmet is (after > oracles.limit_of(plan.budget))
    kept = 0
    while kept < len(transcript) and plan.decisions[kept].action is Action.KEEP:
        kept += 1
    cost = plan.edit_cost
    assert cost.tokens_before_edit == oracles.size(transcript.turns[:kept])
    assert cost.tokens_after_edit == oracles.size(transcript.turns[kept:])
    changed = None if kept == len(transcript) else transcript.turn_ids()[kept]
    assert cost.first_changed_turn_id == changed
