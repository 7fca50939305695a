"""Every error that turnfold raises, under one root.

```
TurnfoldError                    code, details
├── CompactionOutcome            the request was well formed, and this is its answer
│   ├── BudgetUnsatisfiable      the untouchable turns alone exceed the limit
│   ├── SummaryMissing           a planned summary was not supplied
│   ├── SummaryRejected          a summary is blank, or not smaller than what it replaces
│   ├── FulfilmentFailed         no summary that was written could be accepted
│   └── PlanTranscriptMismatch   the plan was made for other turns
└── TurnfoldDefect               something handed in is malformed
    ├── InvalidConfiguration     a budget, a policy or an option
    ├── InvalidTranscript        a turn or a transcript
    ├── InvalidPlan              all violations of a plan at once
    ├── LedgerMismatch           a ledger that does not fit what it is held against
    ├── UnreadableTranscript     a source that is no session, with file, line and path
    └── UnrenderableView         a view that no provider would accept
```

A message says what, which ids (at most ten), both numbers, and what to do. It never quotes the
content of a turn. `code` is stable; `details` holds plain JSON values.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

_SAMPLE = 10


def name_some(ids: Iterable[str]) -> str:
    """Name at most ten ids, and say how many more there are."""
    listed = list(ids)
    shown = ", ".join(repr(each) for each in listed[:_SAMPLE])
    more = len(listed) - _SAMPLE
    return f"{shown} and {more} more" if more > 0 else shown


def some(ids: Iterable[str]) -> list[str]:
    """At most ten ids, for the `details` of an error."""
    return list(ids)[:_SAMPLE]


def shown(value: object, most: int = 80) -> str:
    """Show a value that cannot be used, in a limited number of characters; it never raises.

    Python refuses to spell an integer of more than some 4,300 digits, wherever it stands.
    """
    try:
        return repr(value)[:most]
    except Exception:  # noqa: BLE001  The value is refused already, whatever its `__repr__` does.
        return f"a {type(value).__name__} that cannot be shown"


class TurnfoldError(Exception):
    """The root of all errors of turnfold.

    Args:
        message: What happened, where, both numbers, and what to do.
        details: The same facts as plain JSON values.
        code: Overrides the stable code of the class.
    """

    code: str
    default_code: ClassVar[str] = "turnfold_error"

    def __init__(
        self,
        message: str,
        details: Mapping[str, Any] | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = dict(details or {})
        self.code = code or self.default_code

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild through the constructor, whose arguments `Exception` does not keep."""
        return type(self), (self.message, self.details, self.code)

    def to_dict(self) -> dict[str, Any]:
        """Return the error as plain JSON values: `code`, `message`, `details`."""
        return {"code": self.code, "message": self.message, "details": self.details}


class CompactionOutcome(TurnfoldError):
    """The request was well formed; the answer is that it cannot be done like this."""

    default_code = "compaction_outcome"


class BudgetUnsatisfiable(CompactionOutcome):
    """The untouchable turns alone exceed the limit of the budget (contract B4)."""

    default_code = "budget_unsatisfiable"


class SummaryMissing(CompactionOutcome):
    """A group of the plan has no summary (contract X2)."""

    default_code = "summary_missing"


class SummaryRejected(CompactionOutcome):
    """A summary is blank or is not smaller than what it replaces (contract X2)."""

    default_code = "summary_rejected"


class FulfilmentFailed(CompactionOutcome):
    """A summary of a plan was asked for and none was accepted (contracts F1, F3)."""

    default_code = "fulfilment_failed"


class PlanTranscriptMismatch(CompactionOutcome):
    """The plan was made for other turns (contract X3)."""

    default_code = "plan_transcript_mismatch"


class TurnfoldDefect(TurnfoldError, ValueError):
    """Something that was handed in is malformed."""

    default_code = "defect"


class InvalidConfiguration(TurnfoldDefect):
    """A budget, a policy or an option has a value that it cannot have."""

    default_code = "invalid_configuration"


class InvalidTranscript(TurnfoldDefect):
    """A turn or a transcript breaks a rule of section 1 of the contracts."""

    default_code = "invalid_transcript"


class InvalidPlan(TurnfoldDefect):
    """A plan breaks its own rules; `violations` names all of them (contract P6)."""

    default_code = "invalid_plan"

    @classmethod
    def from_violations(cls, violations: Sequence[str]) -> "InvalidPlan":
        """Make one error of all violations of one plan."""
        listed = "".join(f"\n  - {each}" for each in violations)
        return cls(
            f"The plan breaks {len(violations)} rule(s):{listed}", {"violations": list(violations)}
        )

    @property
    def violations(self) -> tuple[str, ...]:
        """The violated rules, in the order of the contracts."""
        return tuple(self.details.get("violations", ()))


class LedgerMismatch(TurnfoldDefect):
    """A ledger does not fit the original or the view that it is held against (contract L3)."""

    default_code = "ledger_mismatch"


class UnreadableTranscript(TurnfoldDefect):
    """A source is no session that turnfold reads; says the place (contract E1)."""

    default_code = "unreadable_transcript"


class UnrenderableView(TurnfoldDefect):
    """A view would be rendered as something that no provider accepts (contract T7)."""

    default_code = "unrenderable_view"
