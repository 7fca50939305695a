"""What an audit has against a summary (contract F3); loaded when one fails, as it is large."""

from typing import Final

from turnfold.audit import AuditReport, Severity

_MOST_PROBLEMS: Final = 12


def problems_of(report: AuditReport) -> tuple[str, ...]:
    """Return what a writer has to mend, worst first, a sentence a finding."""
    found = [each for each in report.findings if each.severity is not Severity.INFO]
    said = [
        f"{each.kind} {each.literal!r}: {each.status.value}"
        + (f"; the record has {each.nearest!r}" if each.nearest else "")
        for each in found[:_MOST_PROBLEMS]
    ]
    if len(found) > _MOST_PROBLEMS:
        said.append(f"and {len(found) - _MOST_PROBLEMS} more")
    return tuple(said)
