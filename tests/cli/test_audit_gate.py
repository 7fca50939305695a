"""The audit at the end of `turnfold compact`: shown, written, and a gate only where asked for."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import environment, turnfold
from turnfold import Transcript
from turnfold.audit import AuditReport, Axis, CheckFault, Finding, Severity, Status, audit_safely

KEY = "ghp_0123456789abcdefghij"
BLANK = replace(audit_safely(Transcript(), "Nothing."), notes=(), errors=())


def report_of(severity: Severity | None) -> AuditReport:
    if severity is None:
        return BLANK
    lost = Finding(Axis.COVERAGE, "quoted", Status.LOST, severity, f"token={KEY}")
    return replace(BLANK, findings=(lost,))


def let_it_find(monkeypatch: pytest.MonkeyPatch, report: AuditReport) -> list[Any]:
    asked: list[Any] = []

    def audited(*arguments: Any) -> AuditReport:  # noqa: ANN401  Whatever it is asked.
        asked.append(arguments)
        return report

    monkeypatch.setattr("turnfold.cli._audit_end.audit_safely", audited)
    return asked


def test_it_is_one_line_a_file_and_a_part_of_the_record(code_file: Path) -> None:
    out = code_file.with_name("out.jsonl")
    arguments = ("compact", code_file, "--max-tokens", "50%", "-o", out)
    said = turnfold(*arguments)
    assert said.code == 0
    (line,) = [each for each in said.out.splitlines() if each.startswith("  audit ")]
    assert "findings" in line
    assert ".audit.json" in said.out
    stored = json.loads(Path(f"{out}.audit.json").read_bytes())
    assert stored["schema"] == "turnfold.audit/1"
    assert stored["errors"] == []
    assert stored["verdict"] in line
    told = json.loads(turnfold(*arguments, "--force", "--json").stdout)
    assert told["audit"] == stored
    assert "audit" not in json.loads(Path(f"{out}.report.json").read_bytes())


def test_it_is_what_turnfold_audit_says_afterwards(compacted_file: Path) -> None:
    """Would catch: another original, or another view, at the end than later on."""
    for scope in ("live", "full"):
        out = compacted_file.with_name(f"{scope}.jsonl")
        arguments = ("compact", compacted_file, "--max-tokens", "50%", "--scope", scope)
        assert turnfold(*arguments, "-o", out).code == 0
        later = turnfold("audit", compacted_file, out, "--json")
        stored = json.loads(Path(f"{out}.audit.json").read_bytes())
        assert json.loads(later.stdout) == stored


@pytest.mark.parametrize(
    ("severity", "gated"),
    [(None, 0), (Severity.INFO, 0), (Severity.MEDIUM, 1), (Severity.HIGH, 2)],
)
def test_the_exit_code_is_the_budgets_unless_the_gate_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, code_file: Path, severity: Severity | None, gated: int
) -> None:
    let_it_find(monkeypatch, report_of(severity))
    out = code_file.with_name("out.jsonl")
    fits = ("compact", code_file, "--max-tokens", "50%", "-o", out, "--force")
    over = ("compact", code_file, "--max-tokens", "700", "--policy", "mask", "-o", out, "--force")
    assert turnfold(*fits).code == 0
    assert turnfold(*over).code == 1
    done = turnfold(*fits, "--gate")
    assert done.code == gated
    assert ("--gate" in done.err) is bool(gated)
    assert out.exists()
    assert turnfold(*over, "--gate").code == max(1, gated)


def test_a_fault_costs_nothing_but_the_gate(
    monkeypatch: pytest.MonkeyPatch, code_file: Path
) -> None:
    broken = replace(BLANK, errors=(CheckFault("rules", "ValueError at check:3"),))
    let_it_find(monkeypatch, broken)
    out = code_file.with_name("out.jsonl")
    arguments = ("compact", code_file, "--max-tokens", "50%", "-o", out, "--force")
    said = turnfold(*arguments)
    assert said.code == 0
    assert "1 check failed" in said.out
    assert out.exists()
    assert turnfold(*arguments, "--gate").code == 2


def test_it_runs_with_quiet_and_json_and_shows_no_credential(
    monkeypatch: pytest.MonkeyPatch, code_file: Path
) -> None:
    asked = let_it_find(monkeypatch, report_of(Severity.HIGH))
    out = code_file.with_name("out.jsonl")
    for option in ("-q", "--json"):
        done = turnfold(
            *("compact", code_file, "--max-tokens", "50%", "-o", out, "--force"), option
        )
        assert done.code == 0
        assert KEY not in done.out
    assert len(asked) == 2
    stored = Path(f"{out}.audit.json").read_text("utf-8")
    assert KEY not in stored
    assert json.loads(stored)["verdict"] == "FAIL"


def test_where_nothing_was_compacted_there_is_no_audit(
    monkeypatch: pytest.MonkeyPatch, code_file: Path
) -> None:
    asked = let_it_find(monkeypatch, report_of(Severity.HIGH))
    out = code_file.with_name("out.jsonl")
    arguments = ("compact", code_file, "--max-tokens", "100%", "-o", out, "--gate")
    said = turnfold(*arguments)
    assert (said.code, said.err) == (0, "")
    assert "  audit " not in said.out
    assert asked == []
    assert json.loads(Path(f"{out}.audit.json").read_bytes())["skipped"]
    told = turnfold(*arguments, "--json", "--force")
    assert json.loads(told.stdout)["audit"] is None


def test_no_audit_leaves_it_out(monkeypatch: pytest.MonkeyPatch, code_file: Path) -> None:
    asked = let_it_find(monkeypatch, report_of(Severity.HIGH))
    out = code_file.with_name("out.jsonl")
    arguments = ("compact", code_file, "--max-tokens", "50%", "-o", out, "--no-audit")
    told = turnfold(*arguments, "--json")
    assert told.code == 0
    assert "audit" not in json.loads(told.stdout)
    assert asked == []
    assert not Path(f"{out}.audit.json").exists()
    refused = turnfold(*arguments, "--gate", "--force")
    assert refused.code == 2
    assert "--gate" in refused.err


def test_an_audit_that_exists_is_replaced_only_by_force(code_file: Path) -> None:
    out = code_file.with_name("out.jsonl")
    existing = Path(f"{out}.audit.json")
    existing.write_text("mine", encoding="utf-8")
    arguments = ("compact", code_file, "--max-tokens", "50%", "-o", out)
    assert turnfold(*arguments).code == 2
    assert existing.read_text("utf-8") == "mine"
    assert turnfold(*arguments, "--force").code == 0
    assert existing.read_text("utf-8") != "mine"


def test_a_session_on_standard_output_has_its_audit_beside_it(code_file: Path) -> None:
    done = turnfold("compact", code_file, "--max-tokens", "50%", "-o", "-")
    assert done.code == 0
    assert "  audit " in done.err
    assert not list(code_file.parent.glob("*.audit.json"))


def test_no_other_command_loads_the_audit() -> None:
    """Would catch: a second of imports before `turnfold --version`."""
    script = (
        "import sys; from turnfold.cli import run\n"
        "run(['inspect', '--help'])\n"
        "sys.exit(any(each.startswith(('turnfold.audit', 'turnfold.reports')) "
        "for each in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, env=environment()
    )
    assert done.returncode == 0
