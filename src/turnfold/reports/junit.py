"""An audit as JUnit XML, which CI systems show as tests; needs the extra `reports`."""

from collections.abc import Iterator, Sequence
from typing import Final

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from turnfold.audit import AuditReport, Axis, Finding, Severity
from turnfold.reports._audited import Audited, printable, rule_of, sentence_of, shown

_CLASS: Final = "turnfold.audit"
_DECLARATION: Final = b'<?xml version="1.0" encoding="utf-8"?>\n'


def to_junit(audits: Sequence[Audited]) -> bytes:
    """Return audits as JUnit XML: a suite an audit, a test a finding.

    A finding at the threshold of FAIL is a failure, one below it is skipped with its message, and
    one that only informs passes with its message as output. A check that failed is an error; where
    none did, an axis without findings is one test that passes.
    """
    document = JUnitXml("turnfold audit")
    for audited in audits:
        suite = TestSuite(printable(audited.name))
        for case in _cases(audited.report):
            suite.add_testcase(case)
        document.add_testsuite(suite)
    written: bytes = document.tostring()  # type: ignore[no-untyped-call]
    return _DECLARATION + written + b"\n"


def _cases(report: AuditReport) -> Iterator[TestCase]:
    for fault in report.errors:
        case = TestCase(printable(f"{fault.check} runs"), _CLASS)
        case.result = [Error(printable(fault.message), "check failed")]
        yield case
    for finding in report.findings:
        yield _case(finding, report)
    for axis in Axis:
        if not report.errors and not report.count(axis):
            yield TestCase(f"{axis.value}: no findings", f"{_CLASS}.{axis.value}")


def _case(finding: Finding, report: AuditReport) -> TestCase:
    name = f"{finding.status.value} {finding.kind}: {shown(finding.literal)}"
    case = TestCase(printable(name), f"{_CLASS}.{finding.axis.value}")
    message = sentence_of(finding)
    fails = finding.severity is Severity.HIGH or (
        finding.severity is Severity.MEDIUM and report.min_severity == "medium"
    )
    if fails:
        case.result = [Failure(message, rule_of(finding))]
    elif finding.severity is Severity.MEDIUM:
        case.result = [Skipped(message, rule_of(finding))]
    else:
        case.system_out = message
    return case
