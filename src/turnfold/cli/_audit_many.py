"""Many sessions in one go: a JSON record for each compaction, and a table at the end."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from turnfold.audit import Severity, Verdict
from turnfold.cli import _show
from turnfold.cli._audit_inner import NO_COMPACTION, Compaction, audit_session
from turnfold.cli._audit_inputs import Asked
from turnfold.cli._errors import ExitCode, unexpected
from turnfold.cli._files import Source
from turnfold.cli._progress import Activity
from turnfold.cli._show import Column, Screen, write_json_line
from turnfold.errors import TurnfoldError

RECORD_SCHEMA: Final = "turnfold.audit.record/1"

_COLUMNS: Final = (Column("what"), Column("number", "right"))
_SILENT: Final = Screen(quiet=True)


def audit_many(sources: Sequence[Source], asked: Asked, screen: Screen) -> int:
    """Audit each compaction of each session; one that cannot be read stops no other.

    Nothing of a session is kept once its records are written.

    Returns:
        The exit code: the worst of all; 2 where a file could not be read, or nothing was audited.
    """
    tally: Counter[str] = Counter()
    code = 0
    with Activity(shown=screen.talks) as activity:
        for number, source in enumerate(sources, 1):
            activity.step(f"Auditing {number:,} of {len(sources):,}")
            for record in _records(source, asked):
                write_json_line(record)
                sys.stdout.flush()
                code = max(code, _count(record, tally))
    _conclude(tally, screen)
    return code if tally["compactions"] else ExitCode.UNUSABLE


def _records(source: Source, asked: Asked) -> Iterator[dict[str, Any]]:
    compactions = audit_session(source, asked, _SILENT, Activity(shown=False))
    while True:
        try:
            found = next(compactions, None)
        except TurnfoldError as error:
            yield _failed(source, error)
            return
        except Exception as fault:  # noqa: BLE001  The other sessions are audited all the same.
            yield _failed(source, unexpected(fault))
            return
        if found is None:
            return
        yield record_of_compaction(source, found)


def _failed(source: Source, error: TurnfoldError) -> dict[str, Any]:
    said = {"skipped" if error.code == NO_COMPACTION else "error": error.to_dict()}
    return {"schema": RECORD_SCHEMA, "file": source.path, **said}


def record_of_compaction(source: Source, found: Compaction) -> dict[str, Any]:
    """Return the audit of a compaction as plain JSON values."""
    return {
        "schema": RECORD_SCHEMA,
        "file": source.path,
        "compaction": found.number,
        "of": found.of,
        "turn_id": found.turn_id,
        "line": found.line,
        "original_turns": found.original_turns,
        "staying_turns": found.staying_turns,
        "audit": found.audited.report.to_dict(),
    }


def _count(record: dict[str, Any], tally: Counter[str]) -> int:
    """Add a record to the tally, and return its exit code."""
    if "audit" not in record:
        failed = "error" in record
        tally["files that could not be read" if failed else "files without a compaction"] += 1
        return ExitCode.UNUSABLE if failed else 0
    report = record["audit"]
    tally["compactions"] += 1
    tally[report["verdict"]] += 1
    for counts in report["counts"].values():
        tally.update({f"{severity} findings": number for severity, number in counts.items()})
    code: int = report["exit_code"]
    return code


def _conclude(tally: Counter[str], screen: Screen) -> None:
    names = (
        "compactions",
        *Verdict,
        *(f"{severity.value} findings" for severity in Severity),
        "files without a compaction",
        "files that could not be read",
    )
    rows = [[name, f"{tally[name]:,}"] for name in names]
    screen.say(_show.table("Audited", _COLUMNS, rows))
    if not tally["compactions"]:
        screen.warn(NO_COMPACTION, "no compaction was audited: there is none in these files")
