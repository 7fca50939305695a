"""`turnfold audit`: a summary against its transcript, and what is read of it."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Outcome, chat, lines, process, record, turnfold
from turnfold import CompactedView, Transcript
from turnfold.audit import (
    AuditConfig,
    AuditMemory,
    AuditReport,
    Axis,
    CheckFault,
    CoverageShare,
    Finding,
    Place,
    Severity,
    Status,
    audit_safely,
)
from turnfold.cli import _audit_runs

SUMMARY = "The port is 8444. Never push.\n测试在 src/app.py 里。\n"
KEY = "ghp_0123456789abcdefghij"


@dataclass
class Checks:
    """Stands for the checks: it remembers what it was asked, and finds what it was told."""

    findings: tuple[Finding, ...] = ()
    only_in: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[Transcript, Any, AuditConfig, tuple[str, ...]]] = field(default_factory=list)

    def __call__(
        self,
        original: Transcript,
        result: Any,  # noqa: ANN401  A view or a text.
        config: AuditConfig,
        *,
        staying: Collection[str] = (),
        memory: AuditMemory | None = None,
    ) -> AuditReport:
        del memory
        self.asked.append((original, result, config, tuple(staying)))
        blank = replace(audit_safely(Transcript(), "Nothing."), notes=(), errors=())
        found = self.findings if self.only_in in str(result) else ()
        return replace(blank, findings=found, min_severity=config.min_severity, **self.changes)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Checks:
    made = Checks()
    monkeypatch.setattr(_audit_runs, "audit_safely", made)
    return made


@pytest.fixture
def summary_file(tmp_path: Path) -> Path:
    path = tmp_path / "summary.md"
    path.write_text(SUMMARY, encoding="utf-8")
    return path


def finding(severity: Severity = Severity.HIGH, text: str = "8444") -> Finding:
    start = SUMMARY.find(text)
    place = Place(start, start + len(text)) if start >= 0 else None
    status, nearest = (Status.MUTATED, "8443") if place else (Status.LOST, None)
    return Finding(Axis.FIDELITY, "port", status, severity, text, ("u1", "a2"), place, nearest)


@pytest.mark.parametrize(
    "case",
    [
        (None, (), 0, "PASS"),
        (Severity.INFO, (), 0, "PASS"),
        (Severity.MEDIUM, (), 1, "WARN"),
        (Severity.MEDIUM, ("--min-severity", "high"), 1, "WARN"),
        (Severity.MEDIUM, ("--min-severity", "medium"), 2, "FAIL"),
        (Severity.HIGH, (), 2, "FAIL"),
    ],
)
def test_the_verdict_is_the_exit_code(
    checks: Checks,
    chat_file: Path,
    summary_file: Path,
    case: tuple[Severity | None, tuple[str, ...], int, str],
) -> None:
    severity, options, code, verdict = case
    checks.findings = (finding(severity),) if severity else ()
    said = turnfold("audit", chat_file, summary_file, *options)
    assert (said.code, said.err) == (code, "")
    assert said.out.startswith(f"{verdict}: findings ")
    told = turnfold("audit", chat_file, summary_file, *options, "--json")
    report = json.loads(told.stdout)
    assert (told.code, report["verdict"], report["exit_code"]) == (code, verdict, code)
    assert report["schema"] == "turnfold.audit/1"
    quiet = turnfold("audit", chat_file, summary_file, *options, "-q")
    assert (quiet.code, quiet.out, quiet.err) == (code, "", "")


def test_a_person_reads_totals_findings_and_the_sentence_around_them(
    checks: Checks, chat_file: Path, summary_file: Path
) -> None:
    """Would catch: a finding without its nearest original, its turns, or its sentence."""
    checks.findings = (finding(), finding(Severity.INFO, "absent.py"))
    checks.changes = {
        "coverage": (CoverageShare("path", 2.0, 3.0, 1),),
        "checked": (("fidelity", 1234),),
        "notes": ("a note",),
        "errors": (CheckFault("rules", "ValueError at check:3"),),
    }
    said = turnfold("audit", chat_file, summary_file).out
    assert "findings 1 high, 0 medium, 1 info; coverage 66 %; 1 check failed" in said
    assert "fidelity 1,234" in said
    assert "path 66 % (1 lost)" in said
    first, _, rest = said.partition("absent.py")
    assert "high" in first
    assert "fidelity/mutated  port  8444" in first
    assert "8443" in first
    assert "u1, a2" in first
    assert "line 1" in first
    assert "The port is 8444." in first
    assert "Never push" not in said
    assert "failed: ValueError at check:3" in rest
    assert "a note" in rest


def test_the_sentence_is_cut_at_chinese_marks_and_places_hold(
    checks: Checks, chat_file: Path, summary_file: Path
) -> None:
    checks.findings = (finding(text="src/app.py"),)
    said = turnfold("audit", chat_file, summary_file)
    assert "line 2" in said.out
    assert "测试在 src/app.py 里。" in said.out
    assert "Never push" not in said.out


def test_no_credential_and_no_control_character_is_shown(
    checks: Checks, chat_file: Path, tmp_path: Path
) -> None:
    """Would catch: a sentence, a literal or a note that is printed as it came."""
    text = f"\x1b[31mThe token={KEY} opens 8444\u202e here."
    file = tmp_path / "s.txt"
    file.write_text(text, encoding="utf-8")
    start = text.index("8444")
    bad = f"x\x1b[2J token={KEY}"
    leak = Finding(
        *(Axis.FIDELITY, "quoted", Status.MUTATED, Severity.HIGH, bad, ("u\x1b[2J",)),
        *(Place(start, start + 4), bad, "a\x07rule"),
    )
    checks.findings, checks.changes = (leak,), {"notes": (bad,)}
    for options in ((), ("--json",), ("--sarif", "-"), ("--junit", "-")):
        done = turnfold("audit", chat_file, file, *options)
        assert KEY not in done.out + done.err
        for steering in ("\x1b", "\u202e", "\x07"):
            assert steering not in done.out + done.err
    said = turnfold("audit", chat_file, file).out
    assert "token=[secret] opens 8444 here." in said


def test_fifty_findings_are_shown_and_the_rest_is_counted(
    checks: Checks, chat_file: Path, summary_file: Path
) -> None:
    checks.findings = tuple(finding(text=f"lost-{each}.py") for each in range(53))
    said = turnfold("audit", chat_file, summary_file).out
    assert said.count("fidelity/lost") == 50
    assert "and 3 more; --json lists all" in said
    told = json.loads(turnfold("audit", chat_file, summary_file, "--json").stdout)
    assert len(told["findings"]) == 53
    checks.findings = checks.findings[:50]
    assert "more" not in turnfold("audit", chat_file, summary_file).out


def test_a_text_transcript_is_the_users_by_paragraph(
    checks: Checks, tmp_path: Path, summary_file: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("\n用端口 8443。\nNever push.\n \n\nSecond.\r\n", encoding="utf-8")
    assert turnfold("audit", file, summary_file).code == 0
    ((original, result, _, staying),) = checks.asked
    assert [(turn.turn_id, turn.role.value, turn.content) for turn in original] == [
        ("line 2", "user", "用端口 8443。\nNever push.\n"),
        ("line 6", "user", "Second.\r\n"),
    ]
    assert (result, staying) == (SUMMARY, ())


def test_what_no_format_recognises_is_text_and_said_to_be(
    checks: Checks, tmp_path: Path, summary_file: Path
) -> None:
    file = tmp_path / "notes.log"
    file.write_text("Use port 8443.", encoding="utf-8")
    done = turnfold("audit", file, summary_file)
    assert done.code == 0
    assert "Warning: " in done.err
    assert "counts as the user's" in done.err
    assert [turn.content for turn in checks.asked[0][0]] == ["Use port 8443."]
    piped = turnfold("audit", "-", summary_file, stdin=b"Use port 8443.")
    assert piped.code == 0


def test_a_markdown_file_that_quotes_a_session_is_text(
    checks: Checks, tmp_path: Path, summary_file: Path
) -> None:
    file = tmp_path / "notes.md"
    file.write_bytes(b"Use port 8443.\n" + lines(1)[0])
    assert turnfold("audit", file, summary_file).code == 0
    assert checks.asked[0][0].turns[0].content.startswith("Use port 8443.")


def test_the_summary_can_come_from_standard_input(checks: Checks, chat_file: Path) -> None:
    done = turnfold("audit", chat_file, "-", stdin="\ufeff端口 8444".encode())
    assert done.code == 0
    assert checks.asked[0][1] == "端口 8444"


def test_options_reach_the_audit(
    checks: Checks, chat_file: Path, summary_file: Path, tmp_path: Path
) -> None:
    """Would catch: an option that is read and left aside, or a file that wins over an option."""
    terms = tmp_path / "terms.json"
    terms.write_text('{"keep": ["不要推送"], "drop": ["old"]}', encoding="utf-8")
    for name, content in (
        ("c.toml", 'min_severity = "medium"\ncritical_number_count = 7\n'),
        ("c.json", '{"min_severity": "medium", "critical_number_count": 7}'),
        ("c.conf", '{"min_severity": "medium", "critical_number_count": 7}'),
    ):
        file = tmp_path / name
        file.write_text(content, encoding="utf-8")
        turnfold("audit", chat_file, summary_file, "--config", file, "--vocabulary", terms)
        config = checks.asked[-1][2]
        assert (config.min_severity, config.critical_number_count) == ("medium", 7)
        assert config.compliance_vocabulary.keep == ("不要推送",)
        turnfold("audit", chat_file, summary_file, "--config", file, "--min-severity", "high")
        assert checks.asked[-1][2].min_severity == "high"


def test_a_number_that_toml_cannot_have_is_a_broken_configuration(
    chat_file: Path, summary_file: Path, tmp_path: Path
) -> None:
    """Would catch: a traceback where the number is too long for Python to read."""
    file = tmp_path / "c.toml"
    file.write_text(f"critical_number_count = 1{'0' * 5000}\n", encoding="utf-8")
    done = turnfold("audit", chat_file, summary_file, "--config", file)
    assert done.code == 2
    assert "neither JSON nor TOML" in done.err


def test_scope_and_format_reach_the_parser(
    checks: Checks, compacted_file: Path, summary_file: Path
) -> None:
    for options in ((), ("--scope", "full"), ("--scope", "live"), ("--format", "claude-code")):
        assert turnfold("audit", compacted_file, summary_file, *options).code == 0
    full, same, live, named = (len(original) for original, *_ in checks.asked)
    assert full == same == named > live
    done = turnfold("audit", compacted_file, summary_file, "--format", "openai-chat")
    assert (done.code, done.out) == (2, "")


def compact(file: Path, out: Path, *options: str) -> None:
    done = turnfold("compact", file, "--max-tokens", "50%", "-o", out, "--no-audit", *options)
    assert done.code == 0


@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize("name", ["chat_file", "code_file", "compacted_file"])
def test_a_compacted_session_is_audited_as_the_view_that_it_is(
    checks: Checks, request: pytest.FixtureRequest, name: str, scope: str
) -> None:
    """Would catch: another scope than the ledger's, later turns as evidence, a view without it."""
    file: Path = request.getfixturevalue(name)
    out = file.with_name(f"out{file.suffix}")
    compact(file, out, "--scope", scope)
    assert turnfold("audit", file, out).code == 0
    ((original, view, _, staying),) = checks.asked
    assert isinstance(view, CompactedView)
    assert original.turn_ids() == view.ledger.leaf_ids
    assert view.transcript.turn_ids() == view.ledger.view_turn_ids()
    assert view.transcript.digest() == view.ledger.view_digest
    assert staying == ()


def test_a_summary_without_its_ledger_is_audited_beside_the_turns_that_stay(
    checks: Checks, code_file: Path
) -> None:
    out = code_file.with_name("out.jsonl")
    compact(code_file, out, "--policy", "summarize")
    Path(f"{out}.ledger.json").unlink()
    assert turnfold("audit", code_file, out).code == 0
    ((original, result, _, staying),) = checks.asked
    assert "conversation_summary" not in result
    assert 0 < len(staying) < len(original)
    assert original.turn_ids()[0] in staying
    assert original.turn_ids()[-1] in staying


def test_a_compacted_session_of_another_transcript_is_unusable(
    code_file: Path, tmp_path: Path
) -> None:
    other, out = tmp_path / "other.jsonl", tmp_path / "out.jsonl"
    renamed = re.sub(rb'"(u|msg_)([0-9])', rb'"other_\1\2', b"".join(lines(12)))
    other.write_bytes(renamed)
    compact(other, out)
    done = turnfold("audit", code_file, out, "--json")
    assert (done.code, done.out) == (2, "")
    assert json.loads(done.err)["error"]["code"] == "not_auditable"


def inner(*arguments: str | Path) -> list[dict[str, Any]]:
    done = turnfold("audit", *arguments, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.stdout)
    assert told["schema"] == "turnfold.audit.session/1"
    compactions: list[dict[str, Any]] = told["compactions"]
    return compactions


def test_a_compaction_inside_a_session_is_held_against_all_before_it(
    checks: Checks, compacted_file: Path
) -> None:
    (one,) = inner(compacted_file)
    ((original, result, _, staying),) = checks.asked
    assert result == "This session continues: it passes."
    assert len(original) == one["original_turns"] == 14
    assert (staying, one["turn_id"], one["line"]) == ((), "u1001", 16)
    said = turnfold("audit", compacted_file)
    assert "Compaction 1 of 1: u1001 (line 16)" in said.out


def boundary(number: int, **metadata: object) -> list[dict[str, Any]]:
    made = {
        **record(number, "user", ""),
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "compactMetadata": {"trigger": "auto", **metadata},
    }
    del made["message"]
    summary = record(number + 1, "user", f"Summary {number}.", isCompactSummary=True)
    return [made, summary]


def test_each_compaction_has_its_own_original_and_what_stayed_beside_it(
    checks: Checks, tmp_path: Path
) -> None:
    """Would catch: an earlier summary as evidence, later turns, or what stayed counted as gone."""
    file = twice_compacted(tmp_path)
    first, second = inner(file)
    assert [first["of"], second["compaction"], second["line"]] == [2, 2, 7]
    (before, one, _, stayed), (all_before, two, _, none) = checks.asked
    assert (before.turn_ids(), one, stayed) == (("u0", "u1"), "Summary 10.", ("u1",))
    assert (all_before.turn_ids(), two, none) == (("u0", "u1", "u20"), "Summary 30.", ())
    said = turnfold("audit", file).out
    assert said.index("Compaction 1 of 2") < said.index("Compaction 2 of 2")


def twice_compacted(folder: Path) -> Path:
    text = "Use port 8443."
    kept = {"preservedMessages": {"anchorUuid": "u11", "uuids": ["u1"]}}
    records = [
        *(record(0, "user", text), record(1, "user", "Then go on.")),
        *boundary(10, **kept),
        record(20, "user", "No, use 8444."),
        *boundary(30),
        record(40, "user", "Done?"),
    ]
    file = folder / "twice.jsonl"
    file.write_bytes(b"".join(json.dumps(each).encode() + b"\n" for each in records))
    return file


@pytest.mark.parametrize("worse", ["Summary 10.", "Summary 30."])
def test_the_worst_compaction_is_the_exit_code(checks: Checks, tmp_path: Path, worse: str) -> None:
    checks.findings, checks.only_in = (finding(Severity.MEDIUM),), worse
    file = twice_compacted(tmp_path)
    done = turnfold("audit", file, "--json")
    told = json.loads(done.stdout)
    assert (done.code, told["verdict"], told["exit_code"]) == (1, "WARN", 1)
    assert turnfold("audit", file, "--jsonl").code == 1
    sarif = json.loads(turnfold("audit", file, "--sarif", "-").stdout)
    (result,) = sarif["runs"][0]["results"]
    line = {"Summary 10.": 4, "Summary 30.": 7}[worse]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": line}


def test_what_came_after_a_compaction_is_not_held_against_it(
    checks: Checks, code_file: Path
) -> None:
    out = code_file.with_name("out.jsonl")
    compact(code_file, out)
    later = record(500, "user", "And now something else.")
    for file in (code_file, out):
        file.write_bytes(file.read_bytes() + json.dumps(later).encode() + b"\n")
    assert turnfold("audit", code_file, out).code == 0
    ((original, view, _, _),) = checks.asked
    assert original.turn_ids() == view.ledger.leaf_ids
    assert view.transcript.digest() == view.ledger.view_digest


def refused(done: Outcome, *words: str) -> None:
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    for word in words:
        assert word in done.err


def test_a_session_without_a_compaction_says_what_to_do(chat_file: Path) -> None:
    refused(turnfold("audit", chat_file), "no compaction inside", "SUMMARY")


def test_what_turnfold_wrote_needs_the_session_that_it_came_from(code_file: Path) -> None:
    """Would catch: a digest held against the few turns that happen to stand before it."""
    out = code_file.with_name("out.jsonl")
    compact(code_file, out, "--policy", "summarize")
    for _ in range(2):
        refused(turnfold("audit", out), "not in it", "TRANSCRIPT")
        Path(f"{out}.ledger.json").unlink(missing_ok=True)


def test_sarif_and_junit_are_written_beside_the_result(
    checks: Checks, chat_file: Path, summary_file: Path, tmp_path: Path
) -> None:
    checks.findings = (finding(),)
    sarif, junit = tmp_path / "out.sarif", tmp_path / "out.xml"
    options = ("--sarif", sarif, "--junit", junit)
    done = turnfold("audit", chat_file, summary_file, *options)
    assert (done.code, done.err) == (2, "")
    assert done.out.startswith("FAIL")
    log = json.loads(sarif.read_bytes())
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("fidelity/mutated", "error")
    assert b'failures="1"' in junit.read_bytes()
    refused(turnfold("audit", chat_file, summary_file, *options), "--force")
    assert turnfold("audit", chat_file, summary_file, *options, "--force").code == 2


@pytest.mark.parametrize("case", [("--sarif", b"{"), ("--junit", b"<?xml")])
def test_a_report_on_standard_output_has_it_alone(
    checks: Checks, chat_file: Path, summary_file: Path, case: tuple[str, bytes]
) -> None:
    option, start = case
    checks.findings = (finding(),)
    done = turnfold("audit", chat_file, summary_file, option, "-")
    assert done.stdout.startswith(start)
    assert b"Findings" not in done.stdout
    assert done.err.startswith("FAIL")
    quiet = turnfold("audit", chat_file, summary_file, option, "-", "-q")
    assert (quiet.stdout, quiet.err) == (done.stdout, "")


def test_without_the_extra_junit_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, chat_file: Path, summary_file: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr("turnfold.cli._audit_command.find_spec", lambda _: None)
    arguments = ("audit", chat_file, summary_file, "--junit", tmp_path / "out.xml")
    refused(turnfold(*arguments), "pip install 'turnfold[reports]'")
    assert turnfold("audit", chat_file, summary_file, "--sarif", tmp_path / "o").code in (0, 1, 2)
    assert (tmp_path / "o").exists()


def test_the_surface_profile_gives_its_own_report(tmp_path: Path) -> None:
    """Would catch: another shape than `to_dict`, or roles and formats read where lines count."""
    file, summary = tmp_path / "s.jsonl", tmp_path / "summary.txt"
    rows = [{"content": "We decided to use SQLite."}, {"text": "todo: docs\x1b[2J"}]
    file.write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
    summary.write_text("We decided to use SQLite", encoding="utf-8")
    arguments = ("audit", file, summary, "--profile", "surface")
    told = turnfold(*arguments, "--json")
    report = json.loads(told.stdout)
    assert (told.code, report["verdict"], report["dropped_count"]) == (1, "WARN", 1)
    assert "limitation" in report
    assert "schema" not in report
    assert turnfold(*arguments, "--min-severity", "medium").code == 2
    said = turnfold(*arguments)
    assert (said.code, said.err) == (1, "")
    assert said.out.startswith("WARN: 2 items, 1 kept, 1 dropped")
    assert "\x1b" not in said.out
    for words in ("todo: docs", report["limitation"]):
        assert words in said.out
    assert turnfold(*arguments, "-q").out == ""
    file.write_bytes(b'{"broken\n')
    failed = turnfold(*arguments)
    assert failed.code == 2
    assert "line 1" in failed.out
    notes = tmp_path / "notes.txt"
    notes.write_text("We decided to use SQLite.", encoding="utf-8")
    assert turnfold("audit", notes, summary, "--profile", "surface").code == 0


def test_a_real_audit_of_a_process(tmp_path: Path) -> None:
    """Would catch: an audit that only works where its checks are replaced."""
    file, summary = tmp_path / "chat.json", tmp_path / "summary.txt"
    file.write_text(json.dumps(chat(2)), encoding="utf-8")
    summary.write_text("Fix the failing test in src/module_1.py. Never push.", encoding="utf-8")
    done = process("audit", file, summary, "--json")
    report = json.loads(done.stdout)
    assert done.code == report["exit_code"]
    assert report["errors"] == []
