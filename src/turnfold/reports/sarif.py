"""An audit as SARIF 2.1.0, which code hosts show beside the lines of a file.

Written by hand: no library for writing SARIF is kept up, and the part that is needed is small.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from turnfold._canonical import sha256_of_record
from turnfold.audit import Finding, Severity
from turnfold.reports._audited import (
    MEANINGS,
    Audited,
    Spot,
    printable,
    rule_of,
    sentence_of,
    shown,
    spot_of,
)

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: Final = {Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.INFO: "note"}

_STANDARD_INPUT: Final = "standard-input"
_TOP: Final = Spot(1, 1, 1, 1)


def to_sarif(audits: Sequence[Audited], *, version: str = "") -> dict[str, Any]:
    """Return audits as one SARIF log, ready for `json.dumps`.

    A finding that has no place in its file points at its first line, as code hosts want a line.

    Args:
        audits: The audits of one run.
        version: Of the tool; left out where it is empty.
    """
    driver: dict[str, Any] = {"name": "turnfold"}
    if version:
        driver["version"] = version
    rules = _rules(audits)
    places = {rule["id"]: index for index, rule in enumerate(rules)}
    results = [_result(audited, each, places) for audited in audits for each in _found(audited)]
    run = {
        "tool": {"driver": {**driver, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(audits)],
        "results": results,
        "properties": {"audits": [_summary(audited) for audited in audits]},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _found(audited: Audited) -> Iterator[Finding]:
    yield from audited.report.findings


def _rules(audits: Sequence[Audited]) -> list[dict[str, Any]]:
    statuses = {rule_of(each): each.status for audited in audits for each in _found(audited)}
    return [
        {"id": rule, "shortDescription": {"text": MEANINGS[status]}}
        for rule, status in sorted(statuses.items())
    ]


def _result(audited: Audited, finding: Finding, places: dict[str, int]) -> dict[str, Any]:
    rule = rule_of(finding)
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(audited.file)},
            "region": _region(spot_of(audited, finding) or _TOP),
        }
    }
    if finding.place is not None and finding.place.turn_id is not None:
        location["logicalLocations"] = [{"name": printable(finding.place.turn_id), "kind": "turn"}]
    same = {"rule": rule, "kind": finding.kind, "literal": finding.literal, "file": audited.name}
    properties = {
        "severity": finding.severity.value,
        "kind": finding.kind,
        "literal": shown(finding.literal),
        "nearest": shown(finding.nearest) if finding.nearest else None,
        "leafTurnIds": list(map(printable, finding.leaf_turn_ids)),
        "audit": printable(audited.name),
    }
    return {
        "ruleId": rule,
        "ruleIndex": places[rule],
        "level": LEVELS[finding.severity],
        "message": {"text": sentence_of(finding)},
        "locations": [location],
        "partialFingerprints": {"turnfold/1": sha256_of_record(same)[:32]},
        "properties": properties,
    }


def _region(spot: Spot) -> dict[str, int]:
    region = {"startLine": spot.line}
    if (spot.line, spot.column) < (spot.end_line, spot.end_column):
        region |= {
            "startColumn": spot.column,
            "endLine": spot.end_line,
            "endColumn": spot.end_column,
        }
    return region


def _uri(file: str) -> str:
    """Return a file as a URI, relative where its path is."""
    if file == "-":
        return _STANDARD_INPUT
    path = PurePath(file)
    drive, posix = path.drive, path.as_posix()
    if path.is_absolute() and drive.endswith(":"):
        return f"file:///{drive}{_quoted(posix[len(drive) :])}"
    if path.is_absolute():
        # A share of Windows brings its server, behind two slashes of its own.
        return ("file:" if drive else "file://") + _quoted(posix)
    # A colon in the first segment would be read as a scheme.
    return _quoted(posix)


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogateescape"))


def _invocation(audits: Sequence[Audited]) -> dict[str, Any]:
    faults = [
        {"level": "error", "message": {"text": printable(f"{each.check}: {each.message}")}}
        for audited in audits
        for each in audited.report.errors
    ]
    notes = [
        {"level": "note", "message": {"text": shown(note)}}
        for audited in audits
        for note in audited.report.notes
    ]
    return {"executionSuccessful": not faults, "toolExecutionNotifications": faults + notes}


def _summary(audited: Audited) -> dict[str, Any]:
    report = audited.report
    return {
        "name": printable(audited.name),
        "verdict": report.verdict.value,
        "coverageShare": round(report.share, 4),
        "ledgerIncomplete": report.ledger_incomplete,
    }
