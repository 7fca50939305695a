"""Both libraries behind one shape: a case goes in, the decisions of each turn come out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import turnfold
from tests.benchmarks.differential_cutctx.cases import Case

_Makers = Mapping[str, Callable[[], Any]]

POLICIES: Final = ("drop", "summarise", "mask")


@dataclass(frozen=True)
class Outcome:
    """What was decided: `plan`, `unsatisfiable`, or `refused` where a library rejects its plan."""

    kind: str
    actions: tuple[str, ...] = ()
    groups: tuple[tuple[tuple[str, ...], int], ...] = ()
    tokens_after: int = 0
    unmet: bool = False


class _Constant:
    """Sizes every stub alike: the stubs of the two libraries differ in length."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens

    def estimate_tokens(self, _text: str) -> int:
        return self._tokens


def of_turnfold(case: Case, policy: str) -> Outcome:
    made: _Makers = {
        "drop": turnfold.DropOldestPolicy,
        "summarise": lambda: turnfold.SummarizingPolicy("p", case.ratio, case.min_span),
        "mask": lambda: turnfold.ObservationMaskingPolicy(
            case.keep_recent, estimator=_Constant(case.stub_tokens)
        ),
    }
    return _decide(turnfold, case, made[policy](), turnfold.InvalidPlan)


def of_cutctx(case: Case, policy: str) -> Outcome:
    cutctx = import_module("cutctx")
    made: _Makers = {
        "drop": cutctx.DropOldestPolicy,
        "summarise": lambda: cutctx.SummarizingPolicy("p", case.ratio, case.min_span),
        "mask": lambda: cutctx.ObservationMaskingPolicy(
            case.keep_recent, estimator=_Constant(case.stub_tokens)
        ),
    }
    return _decide(cutctx, case, made[policy](), import_module("baseaicore").ValidationError)


def _decide(library: Any, case: Case, policy: Any, refusal: type[Exception]) -> Outcome:  # noqa: ANN401
    transcript = library.Transcript(
        tuple(
            library.TranscriptTurn(
                turn.name,
                library.Role(turn.role),
                f"content of {turn.name}",
                turn.tokens,
                tool_call_id=turn.call,
                pinned=turn.pinned,
            )
            for turn in case.turns
        )
    )
    budget = library.CompactionBudget(case.max_tokens, protected_recent_turns=case.protected)
    try:
        plan = policy.decide(transcript, budget)
    except library.BudgetUnsatisfiable:
        return Outcome("unsatisfiable")
    except refusal:
        return Outcome("refused")
    decided = plan.decisions if hasattr(plan, "decisions") else plan.actions
    return Outcome(
        "plan",
        tuple(each.action.value for each in decided),
        tuple((each.turn_ids, each.target_tokens) for each in plan.summarization_requests),
        plan.tokens_after_estimate,
        plan.budget_unmet,
    )


def faults(case: Case, outcome: Outcome) -> list[str]:
    """Return what is wrong with a plan by the rules that both libraries state; empty if nothing."""
    if outcome.kind != "plan":
        return [f"no plan: {outcome.kind}"]
    found = []
    fates: dict[str, set[object]] = {}
    tail = len(case.turns) - case.protected
    group_of = {name: group for group, _ in outcome.groups for name in group}
    tokens = sum(target for _, target in outcome.groups)
    for place, (turn, action) in enumerate(zip(case.turns, outcome.actions, strict=True)):
        untouchable = turn.pinned or turn.role == "system" or place >= tail
        if untouchable and action != "keep":
            found.append(f"{turn.name} is untouchable")
        fate = "stays" if action in ("keep", "mask") else (action, group_of.get(turn.name))
        fates.setdefault(turn.call or f"alone {turn.name}", set()).add(fate)
        tokens += {"keep": turn.tokens, "mask": case.stub_tokens}.get(action, 0)
    found += [f"exchange {name} is split" for name, each in fates.items() if len(each) > 1]
    if tokens != outcome.tokens_after or outcome.unmet != (tokens > case.max_tokens):
        found.append(f"the view has {tokens} tokens, and the plan says {outcome.tokens_after}")
    return found
