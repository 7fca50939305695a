"""Running the checks: each alone, one verdict."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

from turnfold.audit import compliance, coverage, critical, fidelity, rules, statements
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import (
    Blocks,
    Evidence,
    Outcome,
    evidence_of,
    subject_of,
    texts_of,
)
from turnfold.audit._finding import Axis, Finding, Severity
from turnfold.audit._memory import AuditMemory
from turnfold.audit._report import AuditReport, CheckFault
from turnfold.audit.surface._check import check as check_surface
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

_SURFACE: Final = "surface"

Check = Callable[[Evidence, AuditConfig], Outcome]

CHECKS: Final[Mapping[str, Check]] = {
    "fidelity": fidelity.check,
    "statements": statements.check,
    "coverage": coverage.check,
    "compliance": compliance.check,
    "rules": rules.check,
    "critical": critical.check,
}


def audit(
    original: Transcript,
    result: CompactedView | str | Blocks,
    config: AuditConfig | None = None,
    *,
    staying: Collection[str] = (),
    memory: AuditMemory | None = None,
) -> AuditReport:
    """Hold a compacted view, or a bare summary, against the original turns.

    Args:
        original: The turns before, through all rounds; earlier summaries are never evidence.
        result: The view; or a summary as a text or as a provider's content blocks.
        config: The options; defaults when absent.
        staying: For a bare summary the ids of the turns that stay beside it.
        memory: What earlier audits of the session read of its turns; new when absent.

    Raises:
        NotAuditable: The summary is none, or the view is of another session.
    """
    config = config or AuditConfig()
    evidence = evidence_of(
        original, result, staying, path_markers=config.path_markers, memory=memory
    )
    outcomes = {name: check(evidence, config) for name, check in _checks(config).items()}
    return _report(evidence, config, outcomes)


def _checks(config: AuditConfig) -> Mapping[str, Check]:
    return {_SURFACE: check_surface} if config.profile == _SURFACE else CHECKS


def is_about(report: AuditReport, result: CompactedView | str | Blocks) -> bool:
    """Whether a report is about this view or summary as it is now.

    A summary that was cut or edited after its audit passed has not been audited.

    Args:
        report: What an audit gave.
        result: The view or the summary.
    """
    return subject_of(texts_of(result)) == report.subject


def audit_safely(
    original: Transcript,
    result: CompactedView | str | Blocks,
    config: AuditConfig | Mapping[str, object] | None = None,
    *,
    staying: Collection[str] = (),
    memory: AuditMemory | None = None,
) -> AuditReport:
    """Audit as `audit` does, and never raise: a check that fails is named in `errors`.

    Args:
        original: The turns before.
        result: The view or the summary.
        config: The options, or what JSON or TOML gave for them; what cannot be used is the
            default, and the report's notes say so.
        staying: For a bare summary the ids of the turns that stay beside it.
        memory: What earlier audits of the session read of its turns; new when absent.
    """
    notes: tuple[str, ...] = ()
    if config is not None and not isinstance(config, AuditConfig):
        config, notes = AuditConfig.from_dict(config)
    config = config or AuditConfig()
    try:
        evidence = evidence_of(
            original, result, staying, path_markers=config.path_markers, memory=memory
        )
    except Exception as fault:  # noqa: BLE001  Nothing here may cost a caller its run.
        empty = Evidence((), (), (), ())
        return _report(empty, config, {}, errors=(_named("evidence", fault),), notes=notes)
    outcomes: dict[str, Outcome] = {}
    errors = []
    for name, check in _checks(config).items():
        try:
            outcomes[name] = check(evidence, config)
        except Exception as fault:  # noqa: BLE001  The other checks still report.
            errors.append(_named(name, fault))
    return _report(evidence, config, outcomes, errors=tuple(errors), notes=notes)


def _named(check: str, fault: Exception) -> CheckFault:
    """Name a fault by its type and place; its text could quote a turn."""
    trace = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_code.co_name}:{trace.tb_lineno}" if trace else ""
    return CheckFault(check, f"{type(fault).__name__}{place}")


def _report(
    evidence: Evidence,
    config: AuditConfig,
    outcomes: Mapping[str, Outcome],
    *,
    errors: tuple[CheckFault, ...] = (),
    notes: tuple[str, ...] = (),
) -> AuditReport:
    findings = [finding for outcome in outcomes.values() for finding in outcome.findings]
    if evidence.incomplete:
        findings = list(map(_downgraded, findings))
        notes = (*notes, "original turns are missing: findings weigh less")
    said = [*notes, *(note for outcome in outcomes.values() for note in outcome.notes)]
    vocabulary = config.compliance_vocabulary
    return AuditReport(
        findings=tuple(sorted(findings, key=lambda finding: finding.weight)),
        coverage=outcomes["coverage"].coverage if "coverage" in outcomes else (),
        checked=tuple((name, outcome.checked) for name, outcome in outcomes.items()),
        ledger_incomplete=evidence.incomplete,
        subject=subject_of(evidence.summaries),
        config_fingerprint=config.fingerprint(),
        vocabulary_fingerprint=vocabulary.fingerprint(config.compliance_fingerprint_version),
        min_severity=config.min_severity,
        notes=tuple(dict.fromkeys(said)),
        errors=errors,
    )


_LIGHTER: Final = {
    Severity.HIGH: Severity.MEDIUM,
    Severity.MEDIUM: Severity.INFO,
    Severity.INFO: Severity.INFO,
}


def _downgraded(finding: Finding) -> Finding:
    """Weigh a finding less: what is missing could support it. A literal drop term could not be."""
    if finding.axis is Axis.COMPLIANCE and finding.place is not None and not finding.nearest:
        return finding
    return replace(finding, severity=_LIGHTER[finding.severity])
