"""Holding a policy against the laws, and the smallest counterexample where one is broken."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from turnfold.budget import CompactionBudget
from turnfold.errors import BudgetUnsatisfiable
from turnfold.protocols import CompactionPolicy
from turnfold.testing._laws import LAWS, Trial, floor_tokens
from turnfold.transcript import Transcript


def check_policy(
    policy_or_factory: CompactionPolicy | Callable[[], CompactionPolicy],
    *,
    examples: int = 200,
    seed: int | None = None,
) -> None:
    """Hold a policy against the laws of every policy (contract H3); return where it keeps them.

    Args:
        policy_or_factory: A policy, or a class or function that makes one. A factory is called
            for every plan, so that a state kept in the policy shows as a broken law.
        examples: How many transcripts and budgets to try.
        seed: Of the examples; without one they are the same at every run.

    Raises:
        AssertionError: A law is broken; names its contract, what happened, and the smallest
            transcript and budget that show it.
        ModuleNotFoundError: Hypothesis is not installed.
    """
    make = _factory(policy_or_factory)
    _require_attributes(make())
    strategies, hypothesis = _load_hypothesis()
    settings = hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=seed is None,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    broken: list[AssertionError] = []

    def try_one(case: tuple[Transcript, CompactionBudget]) -> None:
        try:
            _hold(make, _Case(*case))
        except AssertionError as fault:
            broken.append(fault)
            raise

    test = settings(hypothesis.given(case=strategies.cases())(try_one))
    if seed is not None:
        test = hypothesis.seed(seed)(test)
    try:
        test()
    except AssertionError as smallest:
        raise AssertionError(str(smallest)) from smallest.__cause__
    except hypothesis.errors.Flaky as flaky:
        msg = f"{broken[-1]}\n[P7] tried again, the policy kept this law: its plans vary"
        raise AssertionError(msg) from flaky


def _factory(given: object) -> Callable[[], CompactionPolicy]:
    is_policy = hasattr(given, "decide") and not isinstance(given, type)
    if callable(given) and not is_policy:
        return given
    policy: Any = given
    return lambda: policy


def _require_attributes(policy: object) -> None:
    for attribute in ("name", "version"):
        value = getattr(policy, attribute, None)
        if not isinstance(value, str) or not value:
            msg = f"[P8] {attribute} must be a string that is not empty; got {value!r}"
            raise AssertionError(msg)
    decides = callable(getattr(policy, "decide", None))
    if not decides:
        msg = f"[P1] a policy has decide(transcript, budget); a {type(policy).__name__} does not"
        raise AssertionError(msg)


def _load_hypothesis() -> tuple[Any, Any]:
    try:
        import hypothesis  # noqa: PLC0415  An extra, needed only here.
    except ImportError as fault:
        msg = "check_policy needs Hypothesis: install turnfold[testing]"
        raise ModuleNotFoundError(msg, name="hypothesis") from fault
    from turnfold.testing import strategies  # noqa: PLC0415  Needs the extra.

    return strategies, hypothesis


@dataclass(frozen=True, slots=True)
class _Case:
    transcript: Transcript
    budget: CompactionBudget

    def fail(self, number: str, problem: str, cause: Exception | None = None) -> NoReturn:
        turns = "".join(f"\n  {json.dumps(turn.to_dict())}" for turn in self.transcript)
        msg = (
            f"[{number}] the policy breaks a law: {problem}\n"
            f"smallest counterexample: {self.budget}, turns:{turns or ' none'}"
        )
        raise AssertionError(msg) from cause


def _hold(make: Callable[[], CompactionPolicy], case: _Case) -> None:
    """Try one case; a law that raises is broken, whatever it raises."""
    floor = floor_tokens(case.transcript, case.budget)
    limit = case.budget.max_tokens - case.budget.reserved_tokens
    try:
        plan = make().decide(case.transcript, case.budget)
    except BudgetUnsatisfiable as outcome:
        if floor <= limit:
            case.fail("B4", f"it refused a budget whose floor of {floor} fits {limit}", outcome)
        named = outcome.details.get("floor_tokens"), outcome.details.get("limit")
        if named != (floor, limit):
            case.fail("B4", f"details must say floor_tokens {floor} and limit {limit}", outcome)
        return
    except Exception as fault:  # noqa: BLE001  Whatever a policy raises is a finding.
        case.fail("P1, P6", f"decide raised {type(fault).__name__}: {fault}", fault)
    if floor > limit:
        case.fail("B4", f"it planned although the floor of {floor} exceeds {limit}")
    trial = Trial(make(), case.transcript, case.budget, plan)
    for law in LAWS:
        try:
            problem = next(law.problems(trial), None)
        except Exception as fault:  # noqa: BLE001  A plan that cannot be used breaks the law too.
            case.fail(law.number, f"{law.name}: {type(fault).__name__}: {fault}", fault)
        if problem is not None:
            case.fail(law.number, f"{law.name}: {problem}")
