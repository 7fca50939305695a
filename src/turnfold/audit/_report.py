"""What an audit gives: findings, counts, shares, one verdict; ready to be an event's body."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

from turnfold._record import sealed
from turnfold.audit._finding import Axis, Finding, Severity

SCHEMA: Final = "turnfold.audit/1"

LIMITATION: Final = (
    "Deterministic and literal: a paraphrase is out of reach, and an unverified value is a "
    "candidate to look at, not a fabrication."
)


class Verdict(StrEnum):
    """How an audit ends; the value is the wire form."""

    PASS = "PASS"  # noqa: S105  No password.
    WARN = "WARN"
    FAIL = "FAIL"


_EXIT_CODES: Final = {Verdict.PASS: 0, Verdict.WARN: 1, Verdict.FAIL: 2}


@sealed
@dataclass(frozen=True, slots=True)
class CheckFault:
    """A check that failed: the others still reported."""

    check: str
    message: str


@sealed
@dataclass(frozen=True, slots=True)
class CoverageShare:
    """How much of what was replaced stands in the view, of one class.

    Args:
        kind: The class.
        kept: The weight of the key facts that stand in the view.
        total: The weight of all key facts of the replaced turns.
        lost: How many key facts stand nowhere in the view.
    """

    kind: str
    kept: float
    total: float
    lost: int

    @property
    def share(self) -> float:
        """The kept weight of the total; 1 where there is none."""
        return self.kept / self.total if self.total else 1.0


@sealed
@dataclass(frozen=True, slots=True)
class AuditReport:
    """The outcome of an audit (no content of a turn beyond the literals found).

    Args:
        findings: The worst first.
        coverage: Shares by class, in alphabetical order.
        checked: How many assertions, terms, rules and items each check looked at.
        ledger_incomplete: Whether original turns are missing, so that findings weigh less.
        subject: The hex SHA-256 of the texts under audit; of any other text it says nothing.
        config_fingerprint: Of the configuration.
        vocabulary_fingerprint: Of the terms.
        min_severity: The threshold of FAIL.
        notes: What was not examined, capped, or fell back to a default, a sentence each.
        errors: Checks that failed.
    """

    findings: tuple[Finding, ...]
    coverage: tuple[CoverageShare, ...]
    checked: tuple[tuple[str, int], ...]
    ledger_incomplete: bool
    subject: str
    config_fingerprint: str
    vocabulary_fingerprint: str
    min_severity: Literal["high", "medium"] = "high"
    notes: tuple[str, ...] = ()
    errors: tuple[CheckFault, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """PASS: nothing above INFO. FAIL: a finding at the threshold, or a failed check."""
        found = {finding.severity for finding in self.findings}
        if Severity.HIGH in found or self.errors:
            return Verdict.FAIL
        if Severity.MEDIUM in found:
            return Verdict.FAIL if self.min_severity == "medium" else Verdict.WARN
        return Verdict.PASS

    @property
    def exit_code(self) -> int:
        """0 PASS, 1 WARN, 2 FAIL."""
        return _EXIT_CODES[self.verdict]

    @property
    def share(self) -> float:
        """The weight of the key facts that stand in the view, of all; 1 where there is none."""
        total = sum(each.total for each in self.coverage)
        return sum(each.kept for each in self.coverage) / total if total else 1.0

    def count(self, axis: Axis | None = None, severity: Severity | None = None) -> int:
        """Return how many findings there are, of one axis or severity if given."""
        return sum(
            (axis is None or each.axis is axis) and (severity is None or each.severity is severity)
            for each in self.findings
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values, ready to be an `audit.signals` event."""
        return {
            "schema": SCHEMA,
            "verdict": self.verdict.value,
            "exit_code": self.exit_code,
            "min_severity": self.min_severity,
            "counts": self._counts(),
            "checked": dict(self.checked),
            "coverage": {
                "share": round(self.share, 4),
                "classes": {
                    each.kind: {
                        "share": round(each.share, 4),
                        "lost": each.lost,
                        "weight": round(each.total, 4),
                    }
                    for each in self.coverage
                },
            },
            "findings": [finding.to_dict() for finding in self.findings],
            "ledger_incomplete": self.ledger_incomplete,
            "subject": self.subject,
            "config_fingerprint": self.config_fingerprint,
            "vocabulary_fingerprint": self.vocabulary_fingerprint,
            "notes": list(self.notes),
            "errors": [{"check": each.check, "message": each.message} for each in self.errors],
            "limitation": LIMITATION,
        }

    def _counts(self) -> Mapping[str, Mapping[str, int]]:
        tally = Counter((each.axis, each.severity) for each in self.findings)
        return {
            axis.value: {severity.value: tally[axis, severity] for severity in Severity}
            for axis in Axis
        }
