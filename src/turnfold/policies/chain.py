"""Composing policies: each over what the ones before would leave, one plan at the end."""

from collections.abc import Callable, Sequence

from turnfold.budget import CompactionBudget
from turnfold.errors import InvalidConfiguration
from turnfold.plan import CompactionPlan
from turnfold.policies._draft import PlanDraft
from turnfold.policies._projection import absorb, project
from turnfold.protocols import CompactionPolicy
from turnfold.transcript import Transcript


class PolicyChain:
    """Runs policies in order over a projection, and stops when the transcript fits (contract H1).

    Each policy sees the view that the ones before would give, planned summaries included. A later
    policy that drops or folds a planned summary drops or folds all its turns. At the end, policies
    give back what later ones made unnecessary. The plan's name lists the members and versions.

    What it will not do: run a policy that is no longer needed; know any policy by name, so that
    a stranger's policy composes like turnfold's own.

    Reasons it gives: those of its members.

    Args:
        policies: At least one, in the order in which they run.

    Raises:
        InvalidConfiguration: There is none, or something is no policy.
    """

    version = "1"

    def __init__(self, policies: Sequence[CompactionPolicy]) -> None:
        self.policies = tuple(policies)
        if not self.policies:
            msg = "a chain needs at least one policy"
            raise InvalidConfiguration(msg)
        given: tuple[object, ...] = self.policies
        for policy in given:
            if isinstance(policy, type) or not isinstance(policy, CompactionPolicy):
                msg = (
                    "a policy is an object with a name, a version and decide(transcript, budget); "
                    f"{policy!r:.80} is none"
                )
                raise InvalidConfiguration(msg, {"type": type(policy).__name__})
        members = "+".join(f"{member.name}@{member.version}" for member in self.policies)
        self.name = f"chain({members})"

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        """Return the one plan of all policies.

        Raises:
            BudgetUnsatisfiable: The untouchable turns alone exceed the limit.
        """
        draft = PlanDraft(transcript, budget)
        self.revise(draft)
        return draft.seal(self.name, self.version)

    def revise(self, draft: PlanDraft) -> None:
        """Let the policies continue a draft, until it fits."""
        ran: list[CompactionPolicy] = []
        for policy in self.policies:
            if draft.fits:
                break
            ran.append(policy)
            revise: Callable[[PlanDraft], None] | None = getattr(policy, "revise", None)
            if revise is not None:
                revise(draft)
            else:
                _consult(policy, draft)
        if len(ran) > 1:
            _relax(ran, draft)

    def relax(self, draft: PlanDraft) -> None:
        """Let the members give back what later policies made unnecessary."""
        _relax(self.policies, draft)


def _relax(policies: Sequence[CompactionPolicy], draft: PlanDraft) -> None:
    for policy in reversed(policies) if draft.fits else ():
        relax: Callable[[PlanDraft], None] | None = getattr(policy, "relax", None)
        if relax is not None:
            relax(draft)


def _consult(policy: CompactionPolicy, draft: PlanDraft) -> None:
    """Let a policy that reads transcripts decide over the projection.

    Within the limit a policy changes nothing, so where only the target is missed it is asked to
    fit the target, or what the untouchable turns need where that is more.
    """
    budget = draft.budget
    if draft.tokens <= budget.limit:
        window = max(budget.goal, draft.floor) + budget.reserved_tokens
        budget = CompactionBudget(
            window, budget.protected_recent_turns, reserved_tokens=budget.reserved_tokens
        )
    absorb(draft, policy.decide(project(draft), budget))
