"""The plan: one decision with a reason for every turn, and the summaries it asks for (section 3).

A plan stores columns over the turns, shared with the transcript that it was made for; decisions
are made when they are read.
"""

from collections.abc import Iterator, Mapping
from dataclasses import InitVar, dataclass
from itertools import compress
from typing import Any, Final, Self

from turnfold._canonical import canonical_pieces, sha256_of_record
from turnfold._columns import Columns
from turnfold._plan_rules import violations
from turnfold._record import sealed
from turnfold.budget import CompactionBudget
from turnfold.decision import (
    ACTIONS,
    KEEP,
    MASK,
    SUMMARIZE,
    SummarizationRequest,
    TurnDecision,
)
from turnfold.errors import InvalidPlan

SCHEMA: Final = "turnfold.plan/1"

_IS_KEPT: Final = bytes(code == KEEP for code in range(256))


@sealed
@dataclass(frozen=True, slots=True)
class EditCost:
    """What a plan's edit costs beyond tokens (contract P10).

    Args:
        first_changed_turn_id: The earliest turn that is not kept, or None.
        tokens_before_edit: The size before it: the part of a prompt cache that survives.
        tokens_after_edit: The original size from there on: cache and prefix-bound reasoning lost.
    """

    first_changed_turn_id: str | None
    tokens_before_edit: int
    tokens_after_edit: int


class _PlanCache:
    """Slots outside the fields: derived from the columns when first asked for."""

    __slots__ = ("_after", "_before", "_hash")
    _before: int
    _after: int
    _hash: str


@sealed
@dataclass(frozen=True, slots=True)
class CompactionPlan(_PlanCache):
    """A total function over one transcript, valid by construction (contracts P1 to P10).

    Policies make plans with `turnfold.policies.PlanDraft`. Construction, `replace`, `from_dict`
    and unpickling all validate the whole.

    Args:
        budget: The budget that it was made for.
        policy_name: Who decided.
        policy_version: Its version.
        turn_ids: The turns, in transcript order; all further columns follow this order.
        digests: 8 bytes a turn: the beginning of the turn's digest.
        token_estimates: The callers' estimates, in tokens.
        exchanges: For each turn the position of the earliest turn of its exchange.
        protections: A byte a turn, why it is untouchable: `S` system, `P` pinned, `T` tail, `-`.
        actions: A byte a turn: `K` keep, `M` mask, `S` summarise, `D` drop.
        reasons: The reason of each decision.
        replacements: The stand-in texts of the masked turns, in order.
        replacement_tokens: Their estimates, in tokens.
        summarization_requests: The summaries asked for, by their earliest turn.
        estimator_ratio: Characters a token, when the built-in ratio produced a figure here.
        columns: Those of the transcript, not kept. The ids, estimates and exchanges that the plan
            shares with it were checked when the transcript was made, and are not checked again.

    Raises:
        InvalidPlan: With all violations.
    """

    budget: CompactionBudget
    policy_name: str
    policy_version: str
    turn_ids: tuple[str, ...]
    digests: bytes
    token_estimates: tuple[int, ...]
    exchanges: tuple[int, ...]
    protections: bytes
    actions: bytes
    reasons: tuple[str, ...]
    replacements: tuple[str, ...] = ()
    replacement_tokens: tuple[int, ...] = ()
    summarization_requests: tuple[SummarizationRequest, ...] = ()
    estimator_ratio: float | None = None
    columns: InitVar[Columns | None] = None

    def __post_init__(self, columns: Columns | None) -> None:
        found = violations(self, columns)
        if found:
            raise InvalidPlan.from_violations(found)

    @property
    def tokens_before(self) -> int:
        """The size of the transcript, in tokens (contract P5)."""
        try:
            return self._before
        except AttributeError:
            object.__setattr__(self, "_before", sum(self.token_estimates))
            return self._before

    @property
    def tokens_after_estimate(self) -> int:
        """The size of the view, in tokens, with every summary at its target (contract P5)."""
        try:
            return self._after
        except AttributeError:
            kept = sum(compress(self.token_estimates, self.actions.translate(_IS_KEPT)))
            targets = sum(request.target_tokens for request in self.summarization_requests)
            object.__setattr__(self, "_after", kept + sum(self.replacement_tokens) + targets)
            return self._after

    @property
    def budget_unmet(self) -> bool:
        """Whether the view is over the limit of the budget (contract B4)."""
        return self.tokens_after_estimate > self.budget.limit

    @property
    def changes_nothing(self) -> bool:
        """Whether every turn is kept."""
        return self.actions.count(KEEP) == len(self.actions)

    @property
    def edit_cost(self) -> EditCost:
        """What the edit costs beyond tokens (contract P10)."""
        kept = len(self.actions) - len(self.actions.lstrip(b"K"))
        if kept == len(self.actions):
            return EditCost(None, self.tokens_before, 0)
        before = sum(self.token_estimates[:kept])
        return EditCost(self.turn_ids[kept], before, self.tokens_before - before)

    @property
    def decisions(self) -> tuple[TurnDecision, ...]:
        """One decision a turn, in transcript order (contract P1); made anew at each reading."""
        return tuple(self._decide())

    def _decide(self) -> Iterator[TurnDecision]:
        groups = {
            turn_id: request.group_id
            for request in self.summarization_requests
            for turn_id in request.turn_ids
        }
        stubs = iter(zip(self.replacements, self.replacement_tokens, strict=True))
        for turn_id, code, reason in zip(self.turn_ids, self.actions, self.reasons, strict=True):
            stub, tokens = next(stubs) if code == MASK else (None, None)
            group = groups[turn_id] if code == SUMMARIZE else None
            yield TurnDecision(turn_id, ACTIONS[code], reason, stub, tokens, group)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain JSON values, by column, with its derived figures."""
        record = {**self._spelled(), "digests": self.digests.hex()}
        return {key: list(each) if type(each) is tuple else each for key, each in record.items()}

    def _spelled(self) -> dict[str, Any]:
        """Return what is written of the plan; columns as they are, which JSON spells alike."""
        return {
            "schema": SCHEMA,
            "budget": self.budget.to_dict(),
            "policy_name": self.policy_name,
            "policy_version": self.policy_version,
            "estimator_ratio": self.estimator_ratio,
            "tokens_before": self.tokens_before,
            "tokens_after_estimate": self.tokens_after_estimate,
            "budget_unmet": self.budget_unmet,
            "turn_ids": self.turn_ids,
            "digests": self.digests,
            "token_estimates": self.token_estimates,
            "exchanges": self.exchanges,
            "protections": self.protections.decode("latin-1"),
            "actions": self.actions.decode("latin-1"),
            "reasons": self.reasons,
            "replacements": self.replacements,
            "replacement_tokens": self.replacement_tokens,
            "summarization_requests": [each.to_dict() for each in self.summarization_requests],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Raises:
            InvalidPlan: A column is missing, is of another kind, breaks a rule, or the derived
                figures are not those that follow from the decisions.
        """
        if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
            found = record.get("schema") if isinstance(record, Mapping) else type(record).__name__
            raise InvalidPlan.from_violations([f"P7 its schema is {found!r}, not {SCHEMA!r}"])
        try:
            columns = _read_columns(record)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as fault:
            problem = f"P6 a column cannot be read: {fault!r:.200}"
            raise InvalidPlan.from_violations([problem]) from fault
        plan = cls(**columns)
        wrong = [
            f"P5 {name} is {record.get(name)!r}; {getattr(plan, name)!r} follows from the decisions"
            for name in ("tokens_before", "tokens_after_estimate", "budget_unmet")
            if record.get(name) != getattr(plan, name)
        ]
        if wrong:
            raise InvalidPlan.from_violations(wrong)
        return plan

    def canonical_json(self) -> str:
        """Return the plan's only spelling: the same bytes everywhere (contract P7)."""
        return "".join(canonical_pieces(self._spelled()))

    def plan_hash(self) -> str:
        """Return the hex SHA-256 of the canonical JSON."""
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", sha256_of_record(self._spelled()))
            return self._hash

    def describe(self) -> str:
        """Return the plan in a few lines for a person."""
        return _describe(self)


def _read_columns(record: Mapping[str, Any]) -> dict[str, Any]:
    ratio = record["estimator_ratio"]
    return {
        "budget": CompactionBudget.from_dict(record["budget"]),
        "policy_name": record["policy_name"],
        "policy_version": record["policy_version"],
        "digests": bytes.fromhex(record["digests"]),
        "protections": record["protections"].encode("latin-1"),
        "actions": record["actions"].encode("latin-1"),
        "summarization_requests": tuple(
            SummarizationRequest(
                each["group_id"],
                _listed(each, "turn_ids"),
                each["target_tokens"],
                each["prompt_id"],
            )
            for each in _listed(record, "summarization_requests")
        ),
        "estimator_ratio": float(ratio) if type(ratio) is int else ratio,
        **{name: _listed(record, name) for name in _LISTS},
    }


_LISTS: Final = (
    "turn_ids",
    "token_estimates",
    "exchanges",
    "reasons",
    "replacements",
    "replacement_tokens",
)


def _listed(record: Mapping[str, Any], name: str) -> tuple[Any, ...]:
    column = record[name]
    if not isinstance(column, list | tuple):
        msg = f"{name} is a {type(column).__name__}, not a list"
        raise TypeError(msg)
    return tuple(column)


def _describe(plan: CompactionPlan) -> str:
    counts = {action: plan.actions.count(code) for code, action in ACTIONS.items()}
    cost = plan.edit_cost
    verdict = "over the limit" if plan.budget_unmet else "fits"
    headline = (
        f"{plan.policy_name} {plan.policy_version}: {plan.tokens_before:,} tokens to "
        f"{plan.tokens_after_estimate:,}, limit {plan.budget.limit:,}: {verdict}"
    )
    lines = [
        headline,
        f"  {', '.join(f'{action} {count:,}' for action, count in counts.items())}",
    ]
    if cost.first_changed_turn_id is not None:
        lines.append(
            f"  first change at {cost.first_changed_turn_id!r}: {cost.tokens_before_edit:,} tokens "
            f"before it stay as they were, {cost.tokens_after_edit:,} from there on do not"
        )
    lines.extend(
        f"  {request.group_id}: {len(request.turn_ids)} turns into {request.target_tokens:,} "
        f"tokens by prompt {request.prompt_id!r}"
        for request in plan.summarization_requests
    )
    tally: dict[str, int] = {}
    for reason in plan.reasons:
        tally[reason] = tally.get(reason, 0) + 1
    lines.extend(f"  {count:>7,}  {reason}" for reason, count in sorted(tally.items()))
    return "\n".join(lines)


@sealed
@dataclass(frozen=True, slots=True)
class DecisionChange:
    """A turn about which two plans decide differently; None where a plan does not have it."""

    turn_id: str
    before: TurnDecision | None
    after: TurnDecision | None


def diff(plan_a: CompactionPlan, plan_b: CompactionPlan) -> tuple[DecisionChange, ...]:
    """Return the turns about which two plans decide differently, reasons included (contract P9).

    Turns of `plan_a` come first, in its order, then those that only `plan_b` has.
    """
    before = {decision.turn_id: decision for decision in plan_a.decisions}
    after = {decision.turn_id: decision for decision in plan_b.decisions}
    return tuple(
        DecisionChange(turn_id, before.get(turn_id), after.get(turn_id))
        for turn_id in (*before, *(each for each in after if each not in before))
        if before.get(turn_id) != after.get(turn_id)
    )
