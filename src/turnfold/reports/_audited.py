"""One audit with the file that its summary stands in, and what every report says of a finding."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from turnfold._record import sealed
from turnfold.audit import AuditReport, Finding, Status
from turnfold.audit._finding import LONGEST_LITERAL
from turnfold.facts import redact

MEANINGS: Final[Mapping[Status, str]] = {
    Status.EXACT: "The summary says it as the original does.",
    Status.REFORMATTED: "The summary spells it in another way.",
    Status.SHORTENED: "The summary says a legal shortening of it.",
    Status.CASE_ONLY: "The summary differs from the original in upper and lower case.",
    Status.BASENAME_ONLY: "The summary names the file without its folder.",
    Status.MUTATED: "The summary says another value than the original.",
    Status.ABSENT: "It does not stand in the summary.",
    Status.UNVERIFIED: "No original turn says it: a candidate to look at, not a fabrication.",
    Status.MISSING: "A term that has to be kept is not in the summary.",
    Status.SUPERSEDED: "A term that has to go is in the summary.",
    Status.SCOPE_LOST: "A limit of the original is not in the summary.",
    Status.COEXISTS: "A term to keep and a term to drop stand in the summary together.",
    Status.LOST: "It stands nowhere in what is left.",
    Status.NEGATED: "The summary says the opposite.",
    Status.WEAKENED: "The summary says it less strictly.",
    Status.NARROWED: "The summary says it of less.",
    Status.STALE: "The summary keeps a value that was corrected later.",
    Status.EXCHANGED: "The summary puts one true value in the place of another.",
}


class Spot(NamedTuple):
    """Where something stands in a file; lines and columns count characters, from 1."""

    line: int
    column: int
    end_line: int
    end_column: int


@sealed
@dataclass(frozen=True, slots=True)
class Audited:
    """An audit, and where the texts under it stand.

    Args:
        report: What was found.
        file: The file that holds the summary, as a person named it.
        texts: The texts under audit by the turn that they are; a bare one under None.
        lines: For texts inside a session the line of the file that each stands on. Where this is
            empty and there is one text, the file holds that text and nothing else.
        title: Which compaction of the file it was; empty where there is one.
    """

    report: AuditReport
    file: str
    texts: Mapping[str | None, str] = field(default_factory=dict)
    lines: Mapping[str | None, int] = field(default_factory=dict)
    title: str = ""

    @property
    def name(self) -> str:
        """The file and which compaction it is."""
        return f"{self.file}: {self.title}" if self.title else self.file


def spot_of(audited: Audited, finding: Finding) -> Spot | None:
    """Return where in its file a finding stands, as exactly as that is known."""
    place = finding.place
    turn_id = place.turn_id if place else None
    if turn_id in audited.lines:
        return Spot(audited.lines[turn_id], 1, audited.lines[turn_id], 1)
    if place is None or audited.lines or turn_id is not None or None not in audited.texts:
        return None
    text = audited.texts[None]
    return Spot(*_line_and_column(text, place.start), *_line_and_column(text, place.end))


def _line_and_column(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def rule_of(finding: Finding) -> str:
    """Return the id of the rule that a finding breaks: `axis/status`."""
    return f"{finding.axis.value}/{finding.status.value}"


def sentence_of(finding: Finding) -> str:
    """Say a finding in a sentence."""
    said = f"{finding.kind} {shown(finding.literal)!r}: {MEANINGS[finding.status]}"
    if finding.nearest:
        said += f" The nearest original is {shown(finding.nearest)!r}."
    if finding.rule:
        said += f" ({shown(finding.rule)})"
    if finding.leaf_turn_ids:
        said += f" Original turns: {', '.join(map(shown, finding.leaf_turn_ids))}."
    return said


def shown(text: str) -> str:
    """Return a text without credentials, cut, on one line, and without control characters."""
    return printable(redact(text))[:LONGEST_LITERAL]


def printable(text: str) -> str:
    """Return a text as one line of characters that XML and terminals can hold."""
    return "".join(each if each.isprintable() else " " * each.isspace() for each in text)
