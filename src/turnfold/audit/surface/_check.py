"""The surface profile as the one check of an audit over turns."""

from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome
from turnfold.audit._finding import Axis, Finding, Severity, Status
from turnfold.audit.surface._compare import audit_surface
from turnfold.audit.surface._source import read_source


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Hold the lines of the replaced turns against the summaries, word for word."""
    source = read_source("\n".join(turn.content for turn in evidence.replaced), jsonl=False)
    summary = "\n".join(each.text for each in evidence.summaries)
    report = audit_surface(source, summary, min_severity=config.min_severity)
    findings = [
        Finding(
            Axis.CRITICAL,
            item.category,
            Status.LOST,
            Severity(item.severity.lower()),
            item.text,
            rule="surface",
        )
        for item in report.dropped
    ]
    notes = ("there were more items than are examined",) if report.truncated else ()
    return Outcome(findings, sum(each.kept + each.dropped for each in report.totals), notes)
