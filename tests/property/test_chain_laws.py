"""What a chain decides: over projections (H1), without over-compacting (H2), to a fixed point."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.strategies import five, satisfiable_cases, summaries_for
from turnfold import (
    Action,
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    CompactionPolicy,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    PlanDraft,
    PolicyChain,
    SummarizingPolicy,
    Transcript,
    default_chain,
)

Case = tuple[Transcript, CompactionBudget]


class Opaque:
    """A policy of which a chain sees nothing but `decide`."""

    def __init__(self, policy: CompactionPolicy) -> None:
        self._policy = policy
        self.name = policy.name
        self.version = policy.version

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        return self._policy.decide(transcript, budget)


def make(name: str) -> CompactionPolicy:
    if name == "mask":
        return ObservationMaskingPolicy(0, estimator=five)
    if name == "fold":
        return SummarizingPolicy("p", 0.5, 2)
    if name == "fold_some":
        return SummarizingPolicy("p", 0.3, 1, extent="until_it_fits")
    return DropOldestPolicy()


def one_after_another(
    policies: Sequence[CompactionPolicy], transcript: Transcript, budget: CompactionBudget
) -> tuple[dict[str, str], int]:
    """Apply each policy for real to the view of the one before; return fates and size."""
    book = oracles.Book()
    book.appear(transcript.turn_ids())
    view, start = transcript, transcript.token_estimate()
    limit, goal = oracles.limit_of(budget), oracles.goal_of(budget)
    for policy in policies:
        size = view.token_estimate()
        if start <= limit or size <= goal:
            break
        floor = sum(oracles.floor_by_cause(view.turns, budget).values())
        within = CompactionBudget(
            max(goal, floor) + budget.reserved_tokens,
            budget.protected_recent_turns,
            reserved_tokens=budget.reserved_tokens,
        )
        plan = policy.decide(view, budget if size > limit else within)
        book.compact([(each.action.value, each.group_id) for each in plan.decisions])
        view = CompactionExecutor().apply(view, plan, summaries_for(plan)).transcript
    return book.fates, view.token_estimate()


def fates(plan: CompactionPlan) -> dict[str, str]:
    words = {"keep": "kept", "mask": "masked", "summarize": "summarized", "drop": "dropped"}
    return {each.turn_id: words[each.action.value] for each in plan.decisions}


CHAINS = st.lists(st.sampled_from(("mask", "fold", "fold_some", "drop")), min_size=1, max_size=4)


@given(satisfiable_cases(), CHAINS)
def test_a_chain_decides_what_its_members_decide_one_after_another(
    case: Case, names: list[str]
) -> None:
    """H1: each over the projection, planned summaries included, one plan at the end.

    Would catch: a projection of another size, a planned summary that loses turns when a later
    policy drops or folds it, a policy that runs although the view fits.
    """
    transcript, budget = case
    members = [make(name) for name in names]
    plan = PolicyChain([Opaque(member) for member in members]).decide(transcript, budget)
    expected, size = one_after_another(members, transcript, budget)
    assert fates(plan) == expected
    assert plan.tokens_after_estimate == size


class OnlyRevises(Opaque):
    """A policy that continues drafts, and does not give anything back at the end."""

    def revise(self, draft: PlanDraft) -> None:
        self._policy.revise(draft)  # type: ignore[attr-defined]  # All of ours do.


@given(satisfiable_cases(), CHAINS)
def test_a_member_that_revises_a_draft_decides_as_one_that_reads_projections(
    case: Case, names: list[str]
) -> None:
    """H1: a stranger composes like ours.

    Would catch: a draft whose view differs from the transcript that it would give.
    """
    transcript, budget = case
    members = [make(name) for name in names]
    ours = PolicyChain([OnlyRevises(member) for member in members]).decide(transcript, budget)
    strangers = PolicyChain([Opaque(member) for member in members]).decide(transcript, budget)
    assert ours.actions == strangers.actions
    assert ours.reasons == strangers.reasons
    assert ours.summarization_requests == strangers.summarization_requests


def would_fit_again(transcript: Transcript, plan: CompactionPlan, *, largest: bool) -> list[str]:
    """Say what could be put back although the contract says that nothing can."""
    goal = oracles.goal_of(plan.budget)
    room = goal - plan.tokens_after_estimate
    if plan.changes_nothing or room < 0:
        return []
    found = []
    stubs = [each for each in plan.decisions if each.action is Action.MASK]
    if stubs:
        sizes = {turn.turn_id: turn.token_estimate for turn in transcript}
        if largest:
            stubs.sort(key=lambda each: -sizes[each.turn_id])
        last = stubs[-1]
        if sizes[last.turn_id] - (last.replacement_tokens or 0) <= room:
            found.append(f"unmask {last.turn_id}")
    removed = [
        position
        for position, each in enumerate(plan.decisions)
        if each.action in (Action.DROP, Action.SUMMARIZE)
        and oracles.exchange(transcript.turns, position)[0] == position
    ]
    dropped = [each for each in removed if plan.decisions[each].action is Action.DROP]
    if removed:
        last_removed = (dropped or removed)[-1]
        members = oracles.exchange(transcript.turns, last_removed)
        cost = sum(transcript.turns[each].token_estimate for each in members)
        if 0 < cost <= room:
            found.append(f"put back {transcript.turn_ids()[last_removed]}")
    return found


@given(satisfiable_cases(max_turns=16), st.sampled_from(("oldest", "largest")))
def test_the_default_chain_does_not_over_compact(case: Case, order: str) -> None:
    """H2.

    Would catch: masks that stay although a later drop made room, a fold or a drop too many.
    """
    transcript, budget = case
    policy = default_chain(
        keep_recent_results=0,
        mask_order=order,  # type: ignore[arg-type]
        min_span_turns=2,
        estimator=five,
    )
    plan = policy.decide(transcript, budget)
    assert would_fit_again(transcript, plan, largest=order == "largest") == []


@given(satisfiable_cases())
def test_a_view_that_fits_is_not_compacted_again(case: Case) -> None:
    """B5, known failure E1: planning again on the result changes nothing.

    Would catch: a view that is planned at another size than it has.
    """
    transcript, budget = case
    policy = default_chain(min_span_turns=2, estimator=five)
    plan = policy.decide(transcript, budget)
    view = CompactionExecutor().apply(transcript, plan, summaries_for(plan))
    if not plan.budget_unmet:
        again = policy.decide(view.transcript, budget)
        assert again.changes_nothing
        assert not again.budget_unmet


@given(satisfiable_cases())
def test_the_default_chain_is_unmet_only_where_nothing_removable_is_left(case: Case) -> None:
    """D1, H2, known failure E1: the last resort goes as far as it may.

    Would catch: a chain that stops although a whole exchange could still be dropped.
    """
    transcript, budget = case
    plan = default_chain(min_span_turns=2, estimator=five).decide(transcript, budget)
    if plan.budget_unmet:
        retained = [
            position
            for position, each in enumerate(plan.decisions)
            if each.action in (Action.KEEP, Action.MASK)
        ]
        assert not any(oracles.is_removable(transcript.turns, budget, each) for each in retained)
        assert plan.summarization_requests == ()
