"""The laws that every policy keeps, as values (contract H3).

What a law expects it works out from the transcript and the budget, slowly and by itself: it
believes nothing that the plan says about either.
"""

import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from turnfold.budget import CompactionBudget
from turnfold.decision import Action, TurnDecision
from turnfold.executor import CompactionExecutor
from turnfold.plan import CompactionPlan
from turnfold.policies import PolicyChain
from turnfold.protocols import CompactionPolicy
from turnfold.transcript import Role, Transcript, TranscriptTurn

_RETAINED = frozenset({Action.KEEP, Action.MASK})


@dataclass(frozen=True, slots=True)
class Trial:
    """One plan of a policy, and what it was made for.

    Args:
        policy: The policy that made the plan.
        transcript: What it was made for.
        budget: What it was made for.
        plan: What `policy.decide(transcript, budget)` returned.
    """

    policy: CompactionPolicy
    transcript: Transcript
    budget: CompactionBudget
    plan: CompactionPlan

    def decided(self) -> Iterator[tuple[TranscriptTurn, TurnDecision]]:
        """Yield each turn with its decision."""
        return zip(self.transcript, self.plan.decisions, strict=True)


@dataclass(frozen=True, slots=True)
class Law:
    """A law of the contracts, and the function that finds where a trial breaks it.

    Args:
        number: The contracts that it comes from.
        name: What holds, in a few words.
        problems: Yields what is wrong with a trial; nothing where the law holds.
    """

    number: str
    name: str
    problems: Callable[[Trial], Iterator[str]]


def untouchable_ids(transcript: Transcript, budget: CompactionBudget) -> frozenset[str]:
    """Return the ids of SYSTEM turns, pinned turns and the protected tail (contract B2)."""
    turns = transcript.turns
    tail = turns[max(0, len(turns) - budget.protected_recent_turns) :]
    fixed = [turn for turn in turns if turn.role is Role.SYSTEM or turn.pinned]
    return frozenset(turn.turn_id for turn in (*fixed, *tail))


def floor_tokens(transcript: Transcript, budget: CompactionBudget) -> int:
    """Return what the untouchable turns need, in tokens (contract B4)."""
    untouchable = untouchable_ids(transcript, budget)
    return sum(turn.token_estimate for turn in transcript if turn.turn_id in untouchable)


def _is_a_plan_for_this(trial: Trial) -> Iterator[str]:
    plan: object = trial.plan
    policy = trial.policy
    if not isinstance(plan, CompactionPlan):
        yield f"decide returned a {type(plan).__name__}, not a CompactionPlan"
        return
    if plan.budget != trial.budget:
        yield f"the plan is for another budget: {plan.budget}"
    if (plan.policy_name, plan.policy_version) != (policy.name, policy.version):
        yield (
            f"the plan says {plan.policy_name!r} {plan.policy_version!r}; the policy is "
            f"{policy.name!r} {policy.version!r}"
        )


def _is_total(trial: Trial) -> Iterator[str]:
    decided = tuple(decision.turn_id for decision in trial.plan.decisions)
    if decided != trial.transcript.turn_ids():
        yield f"decisions are about {decided}, turns are {trial.transcript.turn_ids()}"


def _untouchable_is_kept(trial: Trial) -> Iterator[str]:
    untouchable = untouchable_ids(trial.transcript, trial.budget)
    for turn, decision in trial.decided():
        if turn.turn_id in untouchable and decision.action is not Action.KEEP:
            yield f"{turn.turn_id!r} is untouchable and decided {decision.action.value}"


def _exchanges_are_whole(trial: Trial) -> Iterator[str]:
    fates: dict[str, set[tuple[str, str | None]]] = {}
    for turn, decision in trial.decided():
        if turn.tool_call_id is not None:
            retained = decision.action in _RETAINED
            fate = ("retained", None) if retained else (decision.action.value, decision.group_id)
            fates.setdefault(turn.tool_call_id, set()).add(fate)
    for call_id, several in fates.items():
        if len(several) > 1:
            names = ", ".join(sorted(fate for fate, _ in several))
            yield f"the exchange {call_id!r} is split: {names}"


def _is_never_larger(trial: Trial) -> Iterator[str]:
    sizes = {turn.turn_id: turn.token_estimate for turn in trial.transcript}
    for decision in trial.plan.decisions:
        if (decision.replacement_tokens or 0) > sizes[decision.turn_id]:
            yield (
                f"the stand-in of {decision.turn_id!r} has {decision.replacement_tokens} tokens, "
                f"the turn {sizes[decision.turn_id]}"
            )
        if decision.action is Action.MASK and not (decision.replacement or "").strip():
            yield f"the stand-in of {decision.turn_id!r} is blank"
    for request in trial.plan.summarization_requests:
        replaced = sum(sizes[turn_id] for turn_id in request.turn_ids)
        if request.target_tokens >= replaced:
            yield (
                f"the summary of {request.group_id} is planned at {request.target_tokens} tokens, "
                f"its turns have {replaced}"
            )
    before = sum(sizes.values())
    if trial.plan.tokens_after_estimate > before:
        yield f"the view has {trial.plan.tokens_after_estimate} tokens, the transcript {before}"


def _what_fits_is_untouched(trial: Trial) -> Iterator[str]:
    before = sum(turn.token_estimate for turn in trial.transcript)
    limit = trial.budget.max_tokens - trial.budget.reserved_tokens
    changed = [each for each in trial.plan.decisions if each.action is not Action.KEEP]
    if before <= limit and (changed or trial.plan.summarization_requests):
        yield (
            f"the transcript fits ({before} of {limit} tokens), and the plan changes "
            f"{[decision.turn_id for decision in changed]}"
        )


def _is_unmet_exactly_when_over(trial: Trial) -> Iterator[str]:
    limit = trial.budget.max_tokens - trial.budget.reserved_tokens
    after, unmet = trial.plan.tokens_after_estimate, trial.plan.budget_unmet
    if unmet is not (after > limit):
        yield f"budget_unmet is {unmet} at {after} tokens with a limit of {limit}"


def _decides_the_same_again(trial: Trial) -> Iterator[str]:
    again = trial.policy.decide(trial.transcript, trial.budget)
    copy = Transcript.from_dict(trial.transcript.to_dict())
    of_a_copy = trial.policy.decide(copy, trial.budget)
    if trial.plan.canonical_json() != again.canonical_json():
        yield "the second plan has other bytes than the first"
    elif trial.plan.canonical_json() != of_a_copy.canonical_json():
        yield "the plan of an equal transcript has other bytes"


def _summaries(plan: CompactionPlan) -> Mapping[str, str]:
    return {request.group_id: "a summary" for request in plan.summarization_requests}


def _estimate_is_the_size_of_the_view(trial: Trial) -> Iterator[str]:
    view = CompactionExecutor().apply(trial.transcript, trial.plan, _summaries(trial.plan))
    size = sum(turn.token_estimate for turn in view.transcript)
    if size != trial.plan.tokens_after_estimate:
        yield f"the plan promises {trial.plan.tokens_after_estimate} tokens, the view has {size}"


def _a_chain_of_one_decides_alike(trial: Trial) -> Iterator[str]:
    chained = PolicyChain([trial.policy]).decide(trial.transcript, trial.budget)
    # A chain asks nobody about what fits, so there the reasons for keeping are its own.
    asked = sum(turn.token_estimate for turn in trial.transcript) > trial.budget.limit
    for alone, in_chain in zip(trial.plan.decisions, chained.decisions, strict=True):
        expected = alone if asked else replace(alone, reason=in_chain.reason)
        if expected != in_chain:
            yield f"alone {alone}, in a chain {in_chain}"
    if trial.plan.summarization_requests != chained.summarization_requests:
        yield (
            f"alone it asks for {trial.plan.summarization_requests}, in a chain for "
            f"{chained.summarization_requests}"
        )


def _survives_storage(trial: Trial) -> Iterator[str]:
    plan = trial.plan
    if CompactionPlan.from_dict(json.loads(plan.canonical_json())) != plan:
        yield "read back from its JSON it is another plan"
    if pickle.loads(pickle.dumps(plan)) != plan:  # noqa: S301  The bytes were made here.
        yield "unpickled it is another plan"


LAWS: tuple[Law, ...] = (
    Law("P6, P8", "the plan is for this transcript, budget and policy", _is_a_plan_for_this),
    Law("P1", "one decision a turn, in transcript order", _is_total),
    Law("B2", "untouchable turns are kept", _untouchable_is_kept),
    Law("P3, B3", "exchanges stay whole", _exchanges_are_whole),
    Law("M2, S1", "nothing becomes larger", _is_never_larger),
    Law("B5", "what fits is untouched", _what_fits_is_untouched),
    Law("B4", "unmet exactly when over the limit", _is_unmet_exactly_when_over),
    Law("P7", "the same bytes each time", _decides_the_same_again),
    Law(
        "P5, H3",
        "the estimate is the size of the view with summaries at their target",
        _estimate_is_the_size_of_the_view,
    ),
    Law("H1, H3", "a chain of one decides alike", _a_chain_of_one_decides_alike),
    Law("P6, P9", "the plan survives JSON and pickle", _survives_storage),
)
"""All laws, in the order in which they are checked: a later one may rely on those before it."""
