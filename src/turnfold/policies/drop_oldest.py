"""Dropping whole exchanges, oldest first: the deterministic last resort."""

from turnfold.budget import CompactionBudget
from turnfold.decision import Reason
from turnfold.plan import CompactionPlan
from turnfold.policies._draft import PlanDraft
from turnfold.transcript import Transcript


class DropOldestPolicy:
    """Drops whole exchanges, oldest first, until the transcript fits (contract D1).

    What it will not do: touch SYSTEM turns, pinned turns or the protected tail; split an
    exchange; drop more than the budget asks for. It keeps nothing of what it drops. Where
    nothing droppable is left and the view is still too large, the plan says `budget_unmet`.

    Reasons it gives: `drop: over_budget`.

    Example:
        >>> from turnfold import CompactionBudget, DropOldestPolicy, Transcript, TranscriptTurn
        >>> turns = [TranscriptTurn(name, "user", name, 10) for name in "abc"]
        >>> budget = CompactionBudget(20, protected_recent_turns=1)
        >>> plan = DropOldestPolicy().decide(Transcript(turns), budget)
        >>> [decision.action.value for decision in plan.decisions]
        ['drop', 'keep', 'keep']
    """

    name = "drop_oldest"
    version = "1"

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        """Return the plan.

        Raises:
            BudgetUnsatisfiable: The untouchable turns alone exceed the limit.
        """
        draft = PlanDraft(transcript, budget)
        self.revise(draft)
        return draft.seal(self.name, self.version)

    def revise(self, draft: PlanDraft) -> None:
        """Drop the oldest units of a draft until it fits."""
        excess = draft.excess
        heads = []
        if excess:
            for head, tokens in draft.units():
                heads.append(head)
                excess -= tokens
                if excess <= 0:
                    break
            draft.drop(heads, Reason.DROP_OVER_BUDGET, owner=self)

    def relax(self, draft: PlanDraft) -> None:
        """Give back the newest dropped exchanges that the draft has room for by now."""
        draft.give_back(self)
