"""The conformance suite over turnfold's policies, and over policies that break its laws (H3)."""

from dataclasses import fields, replace
from itertools import count
from typing import Any

import pytest

from tests import oracles
from tests.strategies import OURS
from turnfold import (
    BudgetUnsatisfiable,
    CompactionBudget,
    CompactionPlan,
    DropOldestPolicy,
    PlanDraft,
    SummarizingPolicy,
    Transcript,
)
from turnfold.decision import KEEP
from turnfold.testing import LAWS, check_policy


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_policy_of_turnfold_keeps_the_laws(name: str) -> None:
    """H3.

    Would catch: any policy that splits an exchange, touches what is untouchable, changes what
    fits, promises a size that the view does not have, or decides differently in a chain.
    """
    check_policy(OURS[name], examples=60)


def test_a_policy_object_is_checked_like_a_factory() -> None:
    check_policy(DropOldestPolicy(), examples=20)


class Stranger:
    """A policy that knows nothing of drafts; what it does with a drop-oldest plan is its own."""

    name = "stranger"
    version = "1"

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = DropOldestPolicy().decide(transcript, budget)
        return replace(plan, policy_name=self.name, policy_version=self.version)


def test_a_stranger_without_drafts_keeps_the_laws() -> None:
    check_policy(Stranger, examples=60)


class GivesOwnReasons(Stranger):
    """Names every turn in its reason, also within one exchange."""

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        reasons = tuple(f"{each.action.value}: {each.turn_id!r}" for each in plan.decisions)
        return replace(plan, reasons=reasons)


def test_a_stranger_that_gives_each_turn_its_own_reason_keeps_the_laws() -> None:
    """P2, H1: its own reasons survive a chain."""
    check_policy(GivesOwnReasons, examples=100)


def forged(plan: CompactionPlan, **columns: object) -> CompactionPlan:
    """Bypass all validation, as nobody should."""
    made = object.__new__(CompactionPlan)
    for name in (column.name for column in fields(CompactionPlan)):
        object.__setattr__(made, name, columns.get(name, getattr(plan, name)))
    return made


class DropsSystemTurns(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        draft = PlanDraft(transcript, budget)
        if draft.excess:
            flags = draft.columns.system_flags()
            draft.drop([position for position, is_it in enumerate(flags) if is_it], "drop: system")
        return draft.seal(self.name, self.version)


class HidesProtections(Stranger):
    """Forges the plan's own columns, so that the plan finds nothing wrong with itself."""

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        if transcript.token_estimate() <= budget.limit:
            return plan
        free = b"-" * len(plan.actions)
        return forged(plan, protections=free, actions=b"D" * len(plan.actions))


class SplitsExchanges(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        first = plan.actions.find(b"D")
        if first < 0:
            return plan
        actions = b"K" * first + b"D" + b"K" * (len(plan.actions) - first - 1)
        return forged(plan, actions=actions)


class ChangesWhatFits(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        smaller = replace(budget, max_tokens=max(budget.reserved_tokens, budget.max_tokens - 20))
        try:
            plan = super().decide(transcript, replace(smaller, target_tokens=None))
        except BudgetUnsatisfiable:
            return super().decide(transcript, budget)
        return forged(plan, budget=budget)


class PlansForAnotherBudget(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        super().decide(transcript, budget)
        roomy = CompactionBudget(10**9, budget.protected_recent_turns)
        return super().decide(transcript, roomy)


class VariesFromCallToCall(Stranger):
    def __init__(self) -> None:
        self._calls = count()

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        return replace(plan, reasons=(f"{next(self._calls)}",) * len(plan.reasons))


_CALLS = count()


class VariesByGlobalState(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        return replace(plan, reasons=(f"{next(_CALLS) % 3}",) * len(plan.reasons))


class MasksWithLargerText(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = DropOldestPolicy().decide(transcript, budget)
        plan = forged(plan, policy_name=self.name)
        if plan.changes_nothing:
            return plan
        position = plan.actions.index(b"D")
        actions = bytearray(b"K" * len(plan.actions))
        actions[position] = ord("M")
        larger = plan.token_estimates[position] + 1
        return forged(
            plan,
            actions=bytes(actions),
            replacements=("[a very long stub]",),
            replacement_tokens=(larger,),
        )


class MasksWithNothing(MasksWithLargerText):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        nothing = (0,) * len(plan.replacements)
        return forged(plan, replacements=(" ",) * len(nothing), replacement_tokens=nothing)


class PlansLargeSummaries(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = SummarizingPolicy("p", min_span_turns=1).decide(transcript, budget)
        requests = tuple(
            replace(each, target_tokens=transcript.token_estimate() + 1)
            for each in plan.summarization_requests
        )
        return forged(plan, policy_name=self.name, summarization_requests=requests)


class NeverRefuses(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        try:
            return super().decide(transcript, budget)
        except BudgetUnsatisfiable:
            roomy = super().decide(transcript, CompactionBudget(10**9))
            return forged(roomy, budget=budget)


class RefusesTooMuch(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        if plan.budget_unmet:
            msg = "not even so"
            raise BudgetUnsatisfiable(msg)
        return plan


class RefusesWithoutNumbers(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        try:
            return super().decide(transcript, budget)
        except BudgetUnsatisfiable as outcome:
            raise BudgetUnsatisfiable(outcome.message) from outcome


class SaysAnotherName(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        return replace(super().decide(transcript, budget), policy_name="another")


class ForgetsTheLastTurn(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        return super().decide(Transcript(transcript.turns[:-1]), budget)


class Crashes(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        if len(transcript) > 2:
            msg = "no idea"
            raise RuntimeError(msg)
        return super().decide(transcript, budget)


class ReturnsNothing(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        super().decide(transcript, budget)
        return None  # type: ignore[return-value]


class PromisesTooLittle(Stranger):
    """Carries estimates that are not those of the transcript."""

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        honest = dict(zip(plan.turn_ids, plan.token_estimates, strict=True))
        if plan.changes_nothing or plan.actions[-1] != KEEP:
            return plan
        last = honest[plan.turn_ids[-1]]
        return forged(plan, token_estimates=(*plan.token_estimates[:-1], last // 2))


class StoresWhatJsonCannot(Stranger):
    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        plan = super().decide(transcript, budget)
        return forged(plan, reasons=list(plan.reasons))


BROKEN: list[tuple[Any, str]] = [
    (DropsSystemTurns, "P6"),
    (HidesProtections, "B2"),
    (SplitsExchanges, "P3"),
    (ChangesWhatFits, "B5"),
    (PlansForAnotherBudget, "P6"),
    (VariesFromCallToCall(), "P7"),
    (VariesByGlobalState, "P7"),
    (MasksWithLargerText, "M2"),
    (MasksWithNothing, "M2"),
    (PlansLargeSummaries, "S1"),
    (NeverRefuses, "B4"),
    (RefusesTooMuch, "B4"),
    (RefusesWithoutNumbers, "B4"),
    (SaysAnotherName, "P8"),
    (ForgetsTheLastTurn, "P1"),
    (Crashes, "P1"),
    (ReturnsNothing, "P6"),
    (PromisesTooLittle, "P5"),
    (StoresWhatJsonCannot, "P9"),
]


@pytest.mark.parametrize(
    ("broken", "number"),
    [
        pytest.param(broken, number, id=getattr(broken, "__name__", type(broken).__name__))
        for broken, number in BROKEN
    ],
)
def test_the_suite_refuses_a_policy_that_breaks_a_law(
    broken: Any,  # noqa: ANN401  A policy, or a factory of one.
    number: str,
) -> None:
    """H3: a suite that cannot fail would be no suite.

    Would catch: a law that believes the plan instead of looking at the transcript.
    """
    with pytest.raises(AssertionError) as failure:
        check_policy(broken, examples=100)
    message = str(failure.value)
    assert number in message.partition("]")[0]
    assert "smallest counterexample" in message


def test_the_counterexample_is_small() -> None:
    """A SYSTEM turn and a turn that makes the transcript larger than the floor would do."""
    with pytest.raises(AssertionError) as failure:
        check_policy(DropsSystemTurns)
    assert str(failure.value).count('"turn_id"') <= 3


@pytest.mark.parametrize("missing", ["name", "version"])
def test_a_policy_without_name_or_version_is_refused(missing: str) -> None:
    """P8."""
    policy = type("Nameless", (Stranger,), {missing: ""})
    with pytest.raises(AssertionError, match=missing):
        check_policy(policy)


def test_what_is_no_policy_is_refused() -> None:
    with pytest.raises(AssertionError, match="name"):
        check_policy(5)  # type: ignore[arg-type]


def test_examples_are_the_same_at_every_run_unless_a_seed_is_given() -> None:
    def transcripts_tried(seed: int | None) -> list[str]:
        seen: list[str] = []

        class Watching(Stranger):
            def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
                seen.append(f"{transcript.digest()} {budget}")
                return super().decide(transcript, budget)

        check_policy(Watching, examples=20, seed=seed)
        return seen

    assert transcripts_tried(None) == transcripts_tried(None)
    assert transcripts_tried(1) == transcripts_tried(1)
    assert transcripts_tried(1) != transcripts_tried(2)


def test_every_law_names_its_contract() -> None:
    assert all(law.number and law.name for law in LAWS)
    assert len({law.name for law in LAWS}) == len(LAWS)


def test_a_policy_that_keeps_everything_is_lawful_but_unmet() -> None:
    """B4: doing nothing is honest as long as the plan says so."""

    class KeepsEverything(Stranger):
        def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
            return PlanDraft(transcript, budget).seal(self.name, self.version)

    check_policy(KeepsEverything, examples=50)


def features(transcript: Transcript, budget: CompactionBudget) -> set[str]:
    """Name what a case has that a policy could get wrong."""
    turns = transcript.turns
    floor = sum(oracles.floor_by_cause(turns, budget).values())
    total, limit = transcript.token_estimate(), budget.limit
    members = [oracles.exchange(turns, position) for position in range(len(turns))]
    spans = [range(each[0], each[-1] + 1) for each in members if len(each) > 1]
    seen = {
        "no turns": not turns,
        "a batch": any(len(each) > 2 for each in members),
        "interleaved": any(a[0] < b[0] < a[-1] < b[-1] for a in spans for b in spans),
        "an unanswered call": any(
            turn.tool_call_id and turn.role == "assistant" and len(members[position]) == 1
            for position, turn in enumerate(turns)
        ),
        "an orphan": any(
            turn.role == "tool" and len(members[position]) == 1
            for position, turn in enumerate(turns)
        ),
        "a pin": any(turn.pinned for turn in turns),
        "a locked exchange": any(
            len(each) > 1 and not oracles.is_removable(turns, budget, each[0]) for each in members
        ),
        "empty content": any(not turn.content for turn in turns),
        "no tokens": any(not turn.token_estimate for turn in turns),
        "a lone surrogate": any("\ud800" in turn.content for turn in turns),
        "over": total > limit >= floor,
        "fits": total <= limit,
        "fits exactly": 0 < total == limit,
        "floor exceeds": floor > limit,
        "floor fits exactly": total > limit == floor > 0,
        "a target": budget.target_tokens is not None and total > limit,
        "a reserve": budget.reserved_tokens > 0,
        "all protected": 0 < len(turns) <= budget.protected_recent_turns,
    }
    return {name for name, holds in seen.items() if holds}


def test_the_strategies_reach_what_they_aim_at() -> None:
    """H3.

    Would catch: a strategy that no longer makes what a law needs in order to fail.
    """
    reached: set[str] = set()

    class Watching(Stranger):
        def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
            reached.update(features(transcript, budget))
            return super().decide(transcript, budget)

    check_policy(Watching)
    everything = {
        *("no turns", "a batch", "interleaved", "an unanswered call", "an orphan", "a pin"),
        *("a locked exchange", "empty content", "no tokens", "a lone surrogate", "over", "fits"),
        *("fits exactly", "floor exceeds", "floor fits exactly", "a target", "a reserve"),
        "all protected",
    }
    assert reached == everything
