"""What a surface audit gives; its dictionary has the keys that `compact-audit` 0.1.0 has."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from turnfold._record import sealed
from turnfold.audit._report import Verdict
from turnfold.audit.surface._source import SurfaceParseError

LIMITATION: Final = (
    "Lines are compared word for word: a dropped item was not found, and a paraphrase is never "
    "found. Look before you call it lost; a severity sorts, it does not judge the meaning."
)

Category = Literal["decision", "constraint", "error", "file_edit", "todo"]
Severity = Literal["HIGH", "MEDIUM"]

SEVERITIES: Final[Mapping[Category, Severity]] = {
    "decision": "HIGH",
    "constraint": "HIGH",
    "error": "HIGH",
    "file_edit": "MEDIUM",
    "todo": "MEDIUM",
}
"""What losing an item weighs, by its category, in the order in which a line is examined."""


@sealed
@dataclass(frozen=True, slots=True)
class SurfaceItem:
    """An item that the summary does not have, without credentials.

    Args:
        category: `decision`, `constraint`, `error`, `file_edit` or `todo`.
        key: What was looked for, uncut.
        text: The line that it stands on, cut at 500 characters.
        severity: `HIGH` for decisions, constraints and errors, else `MEDIUM`.
        basename: The key of a path's last part; empty for whole lines.
    """

    category: Category
    key: str
    text: str
    severity: Severity
    basename: str = ""


@sealed
@dataclass(frozen=True, slots=True)
class SurfaceTotal:
    """How many items of a category the summary has, and how many not."""

    category: Category
    kept: int
    dropped: int


@sealed
@dataclass(frozen=True, slots=True)
class SurfaceReport:
    """What a surface audit found.

    Args:
        totals: Of every category, in the order in which a line is examined.
        dropped: The items that the summary does not have, in transcript order.
        parse_errors: The lines that could not be read.
        truncated: Whether there were more than 500 items; those beyond were not examined.
        min_severity: The threshold of FAIL.
        limitation: What the profile cannot see.
    """

    totals: tuple[SurfaceTotal, ...]
    dropped: tuple[SurfaceItem, ...]
    parse_errors: tuple[SurfaceParseError, ...] = ()
    truncated: bool = False
    min_severity: Literal["high", "medium"] = "high"
    limitation: str = LIMITATION

    @property
    def kept(self) -> int:
        """How many items the summary has."""
        return sum(total.kept for total in self.totals)

    @property
    def verdict(self) -> Verdict:
        """PASS: nothing dropped. FAIL: something at the threshold, or a line that is no record."""
        severe = any(
            item.severity == "HIGH" or self.min_severity == "medium" for item in self.dropped
        )
        if self.parse_errors or severe:
            return Verdict.FAIL
        return Verdict.WARN if self.dropped else Verdict.PASS

    @property
    def exit_code(self) -> int:
        """0 PASS, 1 WARN, 2 FAIL."""
        return tuple(Verdict).index(self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values, with the keys that `compact-audit` has."""
        return {
            "totals": {
                each.category: {"kept": each.kept, "dropped": each.dropped} for each in self.totals
            },
            "total_items": self.kept + len(self.dropped),
            "kept": self.kept,
            "dropped_count": len(self.dropped),
            "dropped": [asdict(item) for item in self.dropped],
            "parse_errors": len(self.parse_errors),
            "truncated": self.truncated,
            "min_severity": self.min_severity,
            "verdict": self.verdict.value,
            "exit_code": self.exit_code,
            "limitation": self.limitation,
        }
