"""turnfold: compaction of agent transcripts as plan, fulfil, apply.

Example:
    >>> from turnfold import CompactionBudget, CompactionExecutor, Transcript, TranscriptTurn
    >>> from turnfold import DropOldestPolicy
    >>> transcript = Transcript([TranscriptTurn(name, "user", name, 40) for name in "abc"])
    >>> budget = CompactionBudget(max_tokens=80, protected_recent_turns=1)
    >>> plan = DropOldestPolicy().decide(transcript, budget)
    >>> CompactionExecutor().apply(transcript, plan).transcript.turn_ids()
    ('b', 'c')
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from turnfold.budget import CompactionBudget
    from turnfold.decision import Action, Reason, SummarizationRequest, TurnDecision
    from turnfold.errors import (
        BudgetUnsatisfiable,
        InvalidPlan,
        InvalidTranscript,
        PlanTranscriptMismatch,
        SummaryMissing,
        SummaryRejected,
        TurnfoldError,
        UnreadableTranscript,
    )
    from turnfold.executor import CompactionExecutor, Summary
    from turnfold.ledger import Ledger
    from turnfold.plan import CompactionPlan
    from turnfold.policies import (
        DropOldestPolicy,
        ObservationMaskingPolicy,
        PlanDraft,
        PolicyChain,
        SummarizingPolicy,
        default_chain,
    )
    from turnfold.protocols import CompactionPolicy, TokenEstimator
    from turnfold.tokens import CharRatioEstimator
    from turnfold.transcript import Role, Transcript, TranscriptTurn
    from turnfold.view import CompactedView, CompactionReport

_HOMES = {
    "Action": "decision",
    "BudgetUnsatisfiable": "errors",
    "CharRatioEstimator": "tokens",
    "CompactedView": "view",
    "CompactionBudget": "budget",
    "CompactionExecutor": "executor",
    "CompactionPlan": "plan",
    "CompactionPolicy": "protocols",
    "CompactionReport": "view",
    "DropOldestPolicy": "policies",
    "InvalidPlan": "errors",
    "InvalidTranscript": "errors",
    "Ledger": "ledger",
    "ObservationMaskingPolicy": "policies",
    "PlanDraft": "policies",
    "PlanTranscriptMismatch": "errors",
    "PolicyChain": "policies",
    "Reason": "decision",
    "Role": "transcript",
    "SummarizationRequest": "decision",
    "SummarizingPolicy": "policies",
    "Summary": "executor",
    "SummaryMissing": "errors",
    "SummaryRejected": "errors",
    "TokenEstimator": "protocols",
    "Transcript": "transcript",
    "TranscriptTurn": "transcript",
    "TurnDecision": "decision",
    "TurnfoldError": "errors",
    "UnreadableTranscript": "errors",
    "default_chain": "policies",
}

__all__ = [
    "Action",
    "BudgetUnsatisfiable",
    "CharRatioEstimator",
    "CompactedView",
    "CompactionBudget",
    "CompactionExecutor",
    "CompactionPlan",
    "CompactionPolicy",
    "CompactionReport",
    "DropOldestPolicy",
    "InvalidPlan",
    "InvalidTranscript",
    "Ledger",
    "ObservationMaskingPolicy",
    "PlanDraft",
    "PlanTranscriptMismatch",
    "PolicyChain",
    "Reason",
    "Role",
    "SummarizationRequest",
    "SummarizingPolicy",
    "Summary",
    "SummaryMissing",
    "SummaryRejected",
    "TokenEstimator",
    "Transcript",
    "TranscriptTurn",
    "TurnDecision",
    "TurnfoldError",
    "UnreadableTranscript",
    "default_chain",
]


def __getattr__(name: str) -> object:
    """Load a name when it is first used, so that `import turnfold` costs next to nothing."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  Reads files.

        return version("turnfold")
    if name not in _HOMES:
        msg = f"module 'turnfold' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # noqa: PLC0415  A module more for `import turnfold`.

    value = getattr(import_module(f"turnfold.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
