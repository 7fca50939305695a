"""What a compaction says that it saves is what it saves (known failures D4, D5)."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from turnfold import (
    BudgetUnsatisfiable,
    CompactionBudget,
    CompactionExecutor,
    CompactionPolicy,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    PolicyChain,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
    default_chain,
)
from turnfold.decision import Action, Reason
from turnfold.fulfil import fulfil_extractively
from turnfold.testing import LAWS
from turnfold.testing._laws import Trial
from turnfold.tokens import MessageEstimator

ESTIMATOR = MessageEstimator()
POLICIES: dict[str, CompactionPolicy] = {
    "masking": ObservationMaskingPolicy(0, estimator=ESTIMATOR),
    "masking_largest": ObservationMaskingPolicy(
        1, order="largest", mask_inputs=True, estimator=ESTIMATOR
    ),
    "masking_inputs": ObservationMaskingPolicy(0, mask_inputs=True, estimator=ESTIMATOR),
    "summarizing": SummarizingPolicy("p", min_span_turns=2, min_target_tokens=64),
    "drop_oldest": DropOldestPolicy(),
    "default_chain": default_chain(mask_inputs=True, min_target_tokens=64, estimator=ESTIMATOR),
}


def turn(turn_id: str, role: str, content: str, exchange: str | None = None) -> TranscriptTurn:
    """A turn as a loader counts it."""
    tokens = ESTIMATOR.estimate_tokens(content)
    ids = {} if exchange is None else {"turnfold.call_ids": f'["{exchange}"]'}
    return TranscriptTurn(turn_id, role, content, tokens, tool_call_id=exchange, metadata=ids)


sizes = st.sampled_from([0, 2, 30, 90, 400, 5_000])


@st.composite
def sessions(draw: st.DrawFn) -> Transcript:
    """Words, and calls with inputs and results of any size."""
    turns = [turn("task", "user", "The task.")]
    for number, (words, given_, result) in enumerate(
        draw(st.lists(st.tuples(sizes, sizes, sizes), min_size=1, max_size=12))
    ):
        arguments = json.dumps({"path": "a.py", "text": "w" * given_})
        call = f"{'I look. ' * (words // 8)}\n[call write] {arguments}"
        turns.append(turn(f"call{number}", "assistant", call, f"x{number}"))
        turns.append(turn(f"result{number}", "tool", "y" * result, f"x{number}"))
    return Transcript((*turns, turn("last", "user", "And now?")))


@settings(max_examples=60)
@given(
    name=st.sampled_from(sorted(POLICIES)),
    transcript=sessions(),
    share=st.integers(1, 99),
    recent=st.integers(0, 3),
)
def test_d5_reported_savings_are_measured_savings(
    name: str, *, transcript: Transcript, share: int, recent: int
) -> None:
    """D5: counted again after `apply`, by the same estimator.

    Would catch: a stand-in that is the whole text, one whose own size is left out, a total that
    is worked out from what was planned and not from what is there.
    """
    budget = CompactionBudget(transcript.token_estimate() * share // 100, recent)
    try:
        plan = POLICIES[name].decide(transcript, budget)
    except BudgetUnsatisfiable:
        return
    trial = Trial(POLICIES[name], transcript, budget, plan)
    assert [each for law in LAWS for each in law.problems(trial)] == []
    summaries = fulfil_extractively(transcript, plan, estimator=ESTIMATOR)
    view = CompactionExecutor().apply(transcript, plan, summaries, estimator=ESTIMATOR)
    recounted = sum(ESTIMATOR.estimate_tokens(each.content) for each in view.transcript)
    assert view.report.tokens_before == transcript.token_estimate()
    assert view.report.tokens_after == recounted
    assert view.report.budget_unmet is (recounted > budget.limit)
    if plan.changes_nothing:
        assert recounted == transcript.token_estimate()
    else:
        assert recounted < transcript.token_estimate()
        for decision in plan.decisions:
            if decision.action is Action.MASK:
                size = transcript.turn(decision.turn_id).token_estimate
                assert ESTIMATOR.estimate_tokens(decision.replacement or "") < size


def test_d5_two_old_results_of_5_kb_save_more_than_half() -> None:
    """D5: its minimal input."""
    turns = [turn("task", "user", "The task.")]
    for number in range(3):
        turns.append(turn(f"call{number}", "assistant", "I look.", f"x{number}"))
        turns.append(turn(f"result{number}", "tool", f"{number} " * 2_500, f"x{number}"))
    transcript = Transcript(tuple(turns))
    plan = ObservationMaskingPolicy(1, estimator=ESTIMATOR).decide(
        transcript, CompactionBudget(transcript.token_estimate() // 2, 1)
    )
    view = CompactionExecutor().apply(transcript, plan)
    recounted = sum(ESTIMATOR.estimate_tokens(each.content) for each in view.transcript)
    assert recounted == view.report.tokens_after
    assert recounted < transcript.token_estimate() / 2


def test_d5_a_rung_that_saves_nothing_is_a_no_op_and_the_chain_moves_on() -> None:
    """D5: small results are left alone and it is said why; the next policy does the work."""
    turns = [turn("task", "user", "The task.")]
    for number in range(9):
        turns.append(turn(f"call{number}", "assistant", "I look. " * 40, f"x{number}"))
        turns.append(turn(f"result{number}", "tool", "ok", f"x{number}"))
    transcript = Transcript(tuple(turns))
    budget = CompactionBudget(transcript.token_estimate() // 2, 2)
    masking = ObservationMaskingPolicy(0, mask_inputs=True, estimator=ESTIMATOR)
    alone = masking.decide(transcript, budget)
    assert alone.changes_nothing
    assert alone.budget_unmet
    small = [each.turn_id for each in alone.decisions if each.reason == Reason.KEEP_NOT_SMALLER]
    assert small == [f"result{number}" for number in range(8)]
    chain = PolicyChain([masking, DropOldestPolicy()]).decide(transcript, budget)
    assert not chain.budget_unmet
    actions = {decision.action for decision in chain.decisions}
    assert actions == {Action.KEEP, Action.DROP}
    kept = [
        each for each in chain.decisions if each.action is Action.KEEP and "result" in each.turn_id
    ]
    assert Reason.KEEP_NOT_SMALLER in {each.reason for each in kept}
