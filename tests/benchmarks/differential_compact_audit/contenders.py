"""One audit by each tool, as the record that `compact-audit --json` prints."""

import io
import json
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Self

from tests.benchmarks.differential_compact_audit.cases import Case
from turnfold.audit.surface import audit_surface, read_source

_COMPACT_AUDIT: Final = import_module("compact_audit.cli").main


@dataclass(frozen=True)
class Outcome:
    """A report; or, without one, why there is none."""

    report: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None


class Files:
    """A folder for the two files that the other tool opens."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def of_compact_audit(self, case: Case) -> Outcome:
        """Run its command; standard output is UTF-8, as in a terminal."""
        transcript = Path(self._folder.name, f"transcript{case.suffix}")
        summary = Path(self._folder.name, "summary.md")
        transcript.write_bytes(case.source)
        summary.write_bytes(case.summary.encode())
        options = ["--json", "--min-severity", case.min_severity]
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        try:
            with redirect_stdout(printed), redirect_stderr(io.StringIO()):
                code = _COMPACT_AUDIT(["audit", str(transcript), str(summary), *options])
        except SystemExit as fault:
            return Outcome(refused=f"usage error, exit code {fault.code}")
        except (RecursionError, UnicodeEncodeError) as fault:
            return Outcome(refused=f"uncaught {type(fault).__name__}")
        printed.seek(0)
        report = json.load(printed)
        return Outcome({**report, "exit code of the command": code})


def of_turnfold(case: Case) -> Outcome:
    """Run turnfold's surface profile."""
    source = read_source(case.source, jsonl=case.suffix == ".jsonl")
    report = audit_surface(source, case.summary, min_severity=case.min_severity)
    return Outcome({**report.to_dict(), "exit code of the command": report.exit_code})
