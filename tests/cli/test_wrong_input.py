"""Every kind of wrong input ends in a sentence, in exit code 2, and in no traceback."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.console import Outcome, chat, lines, process, turnfold


def require_refusal(done: Outcome, *words: str, code: str | None = None) -> None:
    assert done.code == 2, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    if code is None:
        assert done.err.startswith("Error: ")
    else:
        last = json.loads(done.err.splitlines()[-1])
        assert last["schema"] == "turnfold.error/1"
        assert last["error"]["code"] == code
    for word in words:
        assert word in done.err


def refused(file: Path, *words: str, code: str) -> None:
    """Hold every command that reads a session against a file that is none."""
    out = file.parent / "out.json"
    require_refusal(turnfold("inspect", file), *words)
    require_refusal(turnfold("plan", file, "--max-tokens", "100", "--json"), *words, code=code)
    require_refusal(turnfold("compact", file, "--max-tokens", "50%", "-o", out), *words)
    assert not out.exists()


def test_a_process_says_it_on_standard_error_and_in_its_exit_code(tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    file.touch()
    for command in (["inspect"], ["plan", "--max-tokens", "9"]):
        require_refusal(process(*command, file), "empty.jsonl", "no session")


def test_a_missing_file(tmp_path: Path) -> None:
    refused(tmp_path / "absent.json", "absent.json", "No such file", code="file_not_found")


def test_a_directory(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    refused(folder, "folder", "Is a directory", code="is_a_directory")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty", b""),
        ("blank", b" \n\n"),
        ("binary", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
        ("nuls", bytes(2000)),
        ("number", b"42"),
        ("object", b'{"name": "turnfold", "version": 1}'),
        ("list", b"[1, 2, 3]"),
        ("empty-list", b"[]"),
        ("text", b"Dear diary, today I compacted a session.\n"),
        ("utf-16", json.dumps(chat(2)).encode("utf-16")),
        ("brackets", b"[" * 100_000),
        ("digits", b"1" * 10_000),
        ("records", b'{"a": 1}\n{"b": 2}\n'),
    ],
)
def test_what_is_no_session(tmp_path: Path, name: str, content: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    refused(file, name, "no session", code="unreadable_transcript")
    require_refusal(turnfold("inspect", "-", stdin=content), "standard input")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nobody is refused")
def test_a_file_that_may_not_be_read(chat_file: Path) -> None:
    chat_file.chmod(0)
    refused(chat_file, "Permission denied", code="permission_denied")


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    require_refusal(turnfold("inspect", tmp_path / ("x" * 300)), "File name too long")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--max-tokens", "0"),
        ("--max-tokens", "0%"),
        ("--max-tokens", "130%"),
        ("--max-tokens", "-5"),
        ("--max-tokens", "-5%"),
        ("--max-tokens", "many"),
        ("--max-tokens", ""),
        ("--max-tokens", "1.5"),
        ("--max-tokens", "NaN%"),
        ("--max-tokens", "0.001%"),
        ("--max-tokens", "٣٠٠"),
        ("--max-tokens", "9" * 5000),
        ("--target-tokens", "0"),
        ("--target-tokens", "200%"),
        ("--target-tokens", "-1"),
        ("--reserved-tokens", "-1"),
        ("--reserved-tokens", "some"),
        ("--protect-recent", "-1"),
    ],
)
def test_values_that_no_budget_has(chat_file: Path, option: str, value: str) -> None:
    given = {"--max-tokens": "500", option: value}
    options = [word for pair in given.items() for word in pair]
    require_refusal(turnfold("plan", chat_file, *options), option)
    require_refusal(turnfold("plan", chat_file, *options, "--json"), option, code="bad_value")


def test_a_target_or_a_reserve_over_the_window(chat_file: Path) -> None:
    over = turnfold("plan", chat_file, "--max-tokens", "500", "--target-tokens", "600")
    require_refusal(over, "600", "500")
    over = turnfold("plan", chat_file, "--max-tokens", "500", "--reserved-tokens", "600")
    require_refusal(over, "600", "500")
    over = turnfold("plan", chat_file, "--max-tokens", "500", "--reserved-tokens", "500")
    require_refusal(over, "500")


def test_an_unknown_format(chat_file: Path) -> None:
    done = turnfold("inspect", chat_file, "--format", "carrier-pigeon")
    require_refusal(done, "carrier-pigeon", "openai-chat")


def test_another_format_than_the_file_has(chat_file: Path, code_file: Path) -> None:
    require_refusal(turnfold("inspect", chat_file, "--format", "claude-code"), "chat.json")
    require_refusal(turnfold("inspect", code_file, "--format", "openai-chat"), "code.jsonl")


def test_an_unsatisfiable_budget_names_the_floor_and_the_options(chat_file: Path) -> None:
    out = chat_file.with_name("out.json")
    arguments = ("compact", chat_file, "--max-tokens", "50", "-o", out)
    causes = ("chat.json", "limit is 50", "system", "pinned", "tail", "--protect-recent")
    require_refusal(turnfold(*arguments), *causes)
    done = turnfold(*arguments, "--json")
    require_refusal(done, code="budget_unsatisfiable")
    details = json.loads(done.err)["error"]["details"]
    assert details["floor_tokens"] == sum(details["floor_by_cause"].values()) > 50
    floor = str(details["floor_tokens"])
    assert turnfold("plan", chat_file, "--max-tokens", floor).code in (0, 1)
    assert not out.exists()


@pytest.fixture
def plan_file(chat_file: Path) -> Path:
    path = chat_file.with_name("plan.json")
    arguments = ("--max-tokens", "900", "--policy", "summarize", "-o", path, "-q")
    done = turnfold("plan", chat_file, *arguments)
    assert done.code in (0, 1)
    return path


def apply_refused(chat_file: Path, plan_file: Path, *options: str | Path) -> Outcome:
    out = chat_file.with_name("out.json")
    done = turnfold("apply", chat_file, plan_file, *options, "-o", out)
    assert not list(chat_file.parent.glob("out.json*"))
    return done


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"schema": "turnfold.plan/9"}', b"\xff", b"[" * 100_000]
)
def test_a_plan_that_is_no_plan(chat_file: Path, content: bytes) -> None:
    broken = chat_file.with_name("broken.json")
    broken.write_bytes(content)
    require_refusal(apply_refused(chat_file, broken), "broken.json")
    require_refusal(turnfold("requests", chat_file, broken), "broken.json")


def test_a_plan_that_was_edited_names_what_is_wrong(chat_file: Path, plan_file: Path) -> None:
    record = json.loads(plan_file.read_bytes())
    record["actions"] = "D" * len(record["actions"])
    plan_file.write_text(json.dumps(record), encoding="utf-8")
    require_refusal(apply_refused(chat_file, plan_file), "plan.json", "breaks")


def test_a_plan_for_another_session(code_file: Path, plan_file: Path) -> None:
    done = apply_refused(code_file, plan_file, "--json")
    require_refusal(done, "another session", code="plan_transcript_mismatch")
    require_refusal(turnfold("requests", code_file, plan_file), "another session")


def test_a_plan_for_an_earlier_state_of_the_session(chat_file: Path, plan_file: Path) -> None:
    messages = json.loads(chat_file.read_bytes())
    messages[3]["content"] += " changed"
    chat_file.write_text(json.dumps(messages), encoding="utf-8")
    require_refusal(apply_refused(chat_file, plan_file), "changed", "m3")


def test_summaries_that_lack_a_group_or_are_none(chat_file: Path, plan_file: Path) -> None:
    (request,) = json.loads(plan_file.read_bytes())["summarization_requests"]
    group = request["group_id"]
    texts = chat_file.with_name("texts.json")
    for content, word in (
        ({"another": "text"}, group),
        ({}, group),
        ({group: " \n"}, "blank"),
        ({group: 5}, group),
        ({group: None}, group),
        ({group: "word " * 20_000}, "smaller"),
        ([], "object"),
    ):
        texts.write_text(json.dumps(content), encoding="utf-8")
        done = apply_refused(chat_file, plan_file, "--summaries", texts)
        require_refusal(done, "texts.json", word)
    require_refusal(apply_refused(chat_file, plan_file), group)
    absent = chat_file.with_name("absent.json")
    require_refusal(apply_refused(chat_file, plan_file, "--summaries", absent), "absent.json")


def test_a_group_that_the_plan_does_not_have(chat_file: Path, plan_file: Path) -> None:
    done = turnfold("requests", chat_file, plan_file, "--group", "span-0")
    require_refusal(done, "span-0", "plan.json")


def test_standard_input_stands_for_one_file(chat_file: Path) -> None:
    require_refusal(turnfold("requests", "-", "-"), "standard input")
    require_refusal(turnfold("inspect", "-", chat_file, "-"), "standard input")


@pytest.mark.parametrize(
    ("bad", "place"),
    [
        (b'{"type": "assistant", "mess', "line 8"),
        (bytes(500) + b"\n", "line 8"),
        (b"[" * 100_000 + b"\n", "line 8"),
        (b"\xff\xfe nonsense\n", "line 8"),
    ],
)
def test_one_bad_record_is_a_warning_with_its_line(tmp_path: Path, bad: bytes, place: str) -> None:
    file, out = tmp_path / "s.jsonl", tmp_path / "out.jsonl"
    good = lines(3)
    file.write_bytes(b"".join([*good[:7], bad, *good[7:]]))
    assert len(good) == 8
    done = turnfold("compact", file, "--max-tokens", "90%", "-o", out)
    assert done.code == 0
    assert f"Warning: {file}: {place}" in done.err
    assert turnfold("inspect", out).code == 0
    assert json.loads(Path(f"{out}.report.json").read_bytes())["damage"][0]["place"] == place


def test_glued_records_are_both_read(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    good = lines(3)
    good[2] = good[2].rstrip(b"\n")
    file.write_bytes(b"".join(good))
    done = turnfold("inspect", file, "--json")
    (session,) = json.loads(done.stdout)["sessions"]
    assert session["turns"] == 8
    assert [each["place"] for each in session["damage"]] == ["line 3"]


def test_a_bad_file_among_good_ones_does_not_hide_them(chat_file: Path, tmp_path: Path) -> None:
    done = turnfold("inspect", tmp_path / "absent", chat_file, "--json")
    assert done.code == 2
    assert [each["file"] for each in json.loads(done.stdout)["sessions"]] == [str(chat_file)]
    assert json.loads(done.err)["error"]["code"] == "file_not_found"
