"""The gate that the audit keeps (contract F3); loaded when a summary is audited, as it is large."""

from collections.abc import Mapping, Sequence
from typing import Final

from turnfold.audit import AuditConfig, AuditReport, Severity, audit_safely
from turnfold.fulfil._job import SummaryJob
from turnfold.transcript import Transcript

_MOST_PROBLEMS: Final = 12


def audited(
    text: str,
    job: SummaryJob,
    config: AuditConfig | None,
    *,
    originals: Transcript,
    groups: Mapping[str, Sequence[str]],
) -> AuditReport:
    """Return the audit of a summary of a job alone; every other turn counts as staying.

    Args:
        text: The summary.
        job: The job.
        config: The options of the audit.
        originals: The original turns, through all rounds.
        groups: For each earlier summary the ids of the turns that it stands for.
    """
    replaced = set(job.request.turn_ids)
    replaced.update(*(groups.get(name, ()) for name in job.request.turn_ids))
    staying = [name for name in originals.turn_ids() if name not in replaced]
    return audit_safely(originals, text, config, staying=staying)


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
