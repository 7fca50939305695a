"""What an audit finds: one record a fault, with its axis, class, status, severity and place."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self

from turnfold._record import sealed

LONGEST_LITERAL: Final = 200
"""A literal is cut at so many characters where it is printed; it is compared whole."""


class Axis(StrEnum):
    """The question that a finding answers; the value is the wire form."""

    FIDELITY = "fidelity"
    COVERAGE = "coverage"
    COMPLIANCE = "compliance"
    CRITICAL = "critical"


class Status(StrEnum):
    """What became of a fact or a rule; the value is the wire form.

    The first eight compare a fact with the original; the others are about rules and items.
    """

    EXACT = "exact"
    REFORMATTED = "reformatted"
    SHORTENED = "shortened"
    CASE_ONLY = "case_only"
    BASENAME_ONLY = "basename_only"
    MUTATED = "mutated"
    ABSENT = "absent"
    UNVERIFIED = "unverified"

    MISSING = "missing"
    SUPERSEDED = "superseded"
    SCOPE_LOST = "scope_lost"
    COEXISTS = "coexists_review"

    LOST = "lost"
    NEGATED = "negated"
    WEAKENED = "weakened"
    NARROWED = "narrowed"
    STALE = "stale"
    EXCHANGED = "exchanged"


SOUND: Final = frozenset((Status.EXACT, Status.REFORMATTED, Status.SHORTENED, Status.BASENAME_ONLY))
"""A summary may say it like this: the original supports it."""


class Severity(StrEnum):
    """How much a finding weighs; the value is the wire form."""

    HIGH = "high"
    MEDIUM = "medium"
    INFO = "info"


_WEIGHTS: Final = {Severity.HIGH: 0, Severity.MEDIUM: 1, Severity.INFO: 2}


@sealed
@dataclass(frozen=True, slots=True)
class Place:
    """Where in a summary something stands.

    Args:
        start: The first character, from 0.
        end: One past the last.
        turn_id: The summary turn of the view; None for a bare summary.
    """

    start: int
    end: int
    turn_id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the place as plain JSON values."""
        return {"start": self.start, "end": self.end, "turn_id": self.turn_id}


@sealed
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a reader of the summary should know.

    Args:
        axis: The question that it answers.
        kind: The class of what was found: a `turnfold.facts.Kind`, or `decision`, `constraint`,
            `error`, `file_edit`, `todo`, `correction`, `term`.
        status: What became of it.
        severity: How much it weighs.
        literal: The fact, the term or the line, without credentials.
        leaf_turn_ids: Original turns that say it, or what it was; at most ten.
        place: Where the summary says it; None for what it does not say.
        nearest: The original that it was taken from, if there is one.
        rule: How the forms differ, in a word or two.
    """

    axis: Axis
    kind: str
    status: Status
    severity: Severity
    literal: str
    leaf_turn_ids: tuple[str, ...] = ()
    place: Place | None = None
    nearest: str | None = None
    rule: str | None = None

    @property
    def weight(self) -> tuple[int, bool, int]:
        """Sort findings by this: the worst first, then by their place in the summary.

        What has no place stays in the order of its check, which knows what weighs more.
        """
        at = self.place.start if self.place else -1
        return _WEIGHTS[self.severity], self.place is None, at

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain JSON values."""
        return {
            "axis": self.axis.value,
            "kind": self.kind,
            "status": self.status.value,
            "severity": self.severity.value,
            "literal": self.literal[:LONGEST_LITERAL],
            "leaf_turn_ids": list(self.leaf_turn_ids),
            "place": self.place.to_dict() if self.place else None,
            "nearest": self.nearest[:LONGEST_LITERAL] if self.nearest else None,
            "rule": self.rule,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave."""
        place = record["place"]
        return cls(
            Axis(record["axis"]),
            record["kind"],
            Status(record["status"]),
            Severity(record["severity"]),
            record["literal"],
            tuple(record["leaf_turn_ids"]),
            Place(**place) if place else None,
            record["nearest"],
            record["rule"],
        )
