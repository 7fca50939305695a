"""Uses of the public API that must type-check under `mypy --strict`; never run."""

from typing import assert_type

from turnfold import (
    Action,
    CharRatioEstimator,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    CompactionPolicy,
    CompactionReport,
    DropOldestPolicy,
    Ledger,
    ObservationMaskingPolicy,
    PlanDraft,
    PolicyChain,
    Role,
    SummarizationRequest,
    SummarizingPolicy,
    Summary,
    TokenEstimator,
    Transcript,
    TranscriptTurn,
    TurnDecision,
    TurnfoldError,
    default_chain,
)
from turnfold.ledger import verify
from turnfold.testing import check_policy


class OwnPolicy:
    """A policy needs no base class."""

    name = "own"
    version = "1"

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        draft = PlanDraft(transcript, budget)
        assert_type(draft.excess, int)
        draft.drop([head for head, _ in draft.units()], "drop: own")
        return draft.seal(self.name, self.version)


class OwnEstimator:
    """An estimator needs no base class."""

    def estimate_tokens(self, text: str) -> int:
        return len(text)


def make_turns() -> Transcript:
    first = TranscriptTurn("a", Role.USER, "text", 3)
    second = TranscriptTurn("b", "tool", "", 0, tool_call_id="x", pinned=True, metadata={"k": "v"})
    assert_type(first.role, Role)
    assert_type(second.tool_call_id, str | None)
    assert_type(second.metadata["k"], str)
    assert_type(first.digest(), str)
    transcript = Transcript([first, second])
    assert_type(transcript.turns, tuple[TranscriptTurn, ...])
    assert_type(transcript.turn("a"), TranscriptTurn)
    assert_type(transcript.turn_ids(), tuple[str, ...])
    assert_type(Transcript.from_calls([first], {"a": ["call"]}), Transcript)
    return transcript


def plan_with(policy: CompactionPolicy, transcript: Transcript) -> CompactionPlan:
    budget = CompactionBudget(1000, 2, target_tokens=800, reserved_tokens=100)
    assert_type(budget.limit, int)
    plan = policy.decide(transcript, budget)
    assert_type(plan.decisions, tuple[TurnDecision, ...])
    assert_type(plan.decisions[0].action, Action)
    assert_type(plan.summarization_requests, tuple[SummarizationRequest, ...])
    assert_type(plan.budget_unmet, bool)
    assert_type(plan.canonical_json(), str)
    assert_type(CompactionPlan.from_dict(plan.to_dict()), CompactionPlan)
    return plan


def policies() -> list[CompactionPolicy]:
    estimator: TokenEstimator = OwnEstimator()
    return [
        DropOldestPolicy(),
        ObservationMaskingPolicy(2, order="largest", protect_tools={"plan"}, estimator=len),
        ObservationMaskingPolicy(estimator=estimator),
        ObservationMaskingPolicy(estimator=CharRatioEstimator(3)),
        SummarizingPolicy("brief", 0.3, 2, extent="until_it_fits"),
        PolicyChain([OwnPolicy(), DropOldestPolicy()]),
        default_chain(prompt_id="brief", estimator=estimator),
        OwnPolicy(),
    ]


def apply(transcript: Transcript, plan: CompactionPlan) -> CompactedView:
    summaries: dict[str, str | Summary] = {
        request.group_id: Summary("text", request.turn_ids)
        for request in plan.summarization_requests
    }
    executor = CompactionExecutor()
    view = executor.apply(transcript, plan, summaries, estimator=len)
    texts: dict[str, str] = {"group": "text"}
    view = executor.apply(transcript, plan, texts, ledger=view.ledger)
    assert_type(view.transcript, Transcript)
    assert_type(view.report, CompactionReport)
    assert_type(view.ledger, Ledger)
    verify(transcript, view.transcript, view.ledger)
    return view


def refuse(error: TurnfoldError) -> str:
    assert_type(error.code, str)
    return error.message


def check() -> None:
    check_policy(OwnPolicy)
    check_policy(OwnPolicy(), examples=10, seed=1)
    check_policy(default_chain)
