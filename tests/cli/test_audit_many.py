"""`turnfold audit --jsonl`: many sessions, a record a compaction, a broken file among them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Outcome, compacted_before, lines, turnfold
from turnfold.cli._audit_inner import audit_session
from turnfold.cli._show import write_json_line


@pytest.fixture
def sessions(tmp_path: Path) -> list[Path]:
    made = []
    for name, content in (
        ("one.jsonl", compacted_before(2)),
        ("broken.jsonl", [b'{"type": "assist\n', b"\x00\xff\n"]),
        ("plain.jsonl", lines(2)),
        ("两.jsonl", compacted_before(3)),
    ):
        path = tmp_path / name
        path.write_bytes(b"".join(content))
        made.append(path)
    return made


def records_of(done: Outcome) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()]


def many(files: Sequence[str | Path], *options: str) -> Outcome:
    return turnfold("audit", *files, "--jsonl", *options)


def test_a_broken_file_is_a_record_and_stops_no_other(sessions: list[Path]) -> None:
    """Would catch: an audit that ends at the first bad file, or that leaves it out silently."""
    done = many(sessions)
    assert done.code == 2
    one, broken, plain, other = records_of(done)
    assert [each["file"] for each in (one, broken, plain, other)] == list(map(str, sessions))
    assert {each["schema"] for each in (one, broken, plain, other)} == {"turnfold.audit.record/1"}
    for each in (one, other):
        assert each["audit"]["schema"] == "turnfold.audit/1"
        assert (each["compaction"], each["of"]) == (1, 1)
    assert broken["error"]["code"] == "unreadable_transcript"
    assert plain["skipped"]["code"] == "no_compaction"


def test_a_table_at_the_end_is_on_standard_error(sessions: list[Path]) -> None:
    done = many(sessions)
    table = dict(line.rsplit(maxsplit=1) for line in done.err.splitlines() if "  " in line)
    numbers = {name.strip(): number for name, number in table.items()}
    assert numbers["compactions"] == "2"
    assert numbers["files that could not be read"] == "1"
    assert numbers["files without a compaction"] == "1"
    verdicts = [each["audit"]["verdict"] for each in records_of(done) if "audit" in each]
    assert {name: int(numbers[name]) for name in ("PASS", "WARN", "FAIL")} == {
        name: verdicts.count(name) for name in ("PASS", "WARN", "FAIL")
    }


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_a_machine_reads_records_and_nothing_else(sessions: list[Path], option: str) -> None:
    done = many(sessions, option)
    assert len(records_of(done)) == 4
    assert done.err == ""


def test_the_worst_record_is_the_exit_code(sessions: list[Path]) -> None:
    one, broken, plain, _ = sessions
    alone = turnfold("audit", one, "-q").code
    assert many([one, plain]).code == alone
    assert many([one, broken]).code == 2
    nothing = many([plain])
    assert nothing.code == 2
    assert "no compaction was audited" in nothing.err


def test_two_files_are_two_sessions(sessions: list[Path]) -> None:
    """Would catch: the second of two files taken for a summary of the first."""
    one, other = sessions[0], sessions[3]
    assert [each["file"] for each in records_of(many([one, other]))] == [str(one), str(other)]


def test_what_nobody_expected_is_a_record_too(
    monkeypatch: pytest.MonkeyPatch, sessions: list[Path]
) -> None:

    def failing(source: Any, *others: Any) -> Any:  # noqa: ANN401  As the real one.
        if source.path.endswith("one.jsonl"):
            raise ZeroDivisionError(source.path)
        yield from audit_session(source, *others)

    monkeypatch.setattr("turnfold.cli._audit_many.audit_session", failing)
    one, *_, last = records_of(many(sessions))
    assert one["error"]["code"] == "internal_error"
    assert "audit" in last


def test_a_directory_and_a_missing_file_are_records(sessions: list[Path], tmp_path: Path) -> None:
    done = many([tmp_path, tmp_path / "absent.jsonl", sessions[0]])
    codes = [each.get("error", {}).get("code") for each in records_of(done)]
    assert (done.code, codes) == (2, ["is_a_directory", "file_not_found", None])


def test_sessions_are_read_one_after_another(
    monkeypatch: pytest.MonkeyPatch, sessions: list[Path]
) -> None:
    """Would catch: records that are held back until all sessions were read."""
    order: list[str] = []

    def reading(source: Any, *others: Any) -> Any:  # noqa: ANN401  As the real one.
        order.append("read")
        return audit_session(source, *others)

    def writing(record: dict[str, Any]) -> None:
        order.append("write")
        write_json_line(record)

    monkeypatch.setattr("turnfold.cli._audit_many.audit_session", reading)
    monkeypatch.setattr("turnfold.cli._audit_many.write_json_line", writing)
    many(sessions)
    assert order == ["read", "write"] * len(sessions)
