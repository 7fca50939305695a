"""Wrong input of `turnfold audit` ends in a sentence and in exit code 2; broken terms do not."""

import json
from pathlib import Path

import pytest

from tests.cli.console import Outcome, turnfold


@pytest.fixture
def summary_file(tmp_path: Path) -> Path:
    path = tmp_path / "summary.txt"
    path.write_text("Fix the failing test. Never push.", encoding="utf-8")
    return path


def require_refusal(done: Outcome, *words: str, code: str | None = None) -> None:
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    if code is None:
        assert done.err.splitlines()[-1].startswith("Error: ")
    else:
        assert json.loads(done.err.splitlines()[-1])["error"]["code"] == code
    for word in words:
        assert word in done.err


BAD_TEXTS = [
    (b"", "empty", "empty_text"),
    (b" \n\t\n", "empty", "empty_text"),
    (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "UTF-8", "no_text"),
    (b"text\0more", "NUL", "no_text"),
    (b"caf\xe9", "UTF-8", "no_text"),
]


@pytest.mark.parametrize(("content", "word", "code"), BAD_TEXTS)
def test_a_summary_that_is_no_text(chat_file: Path, content: bytes, word: str, code: str) -> None:
    summary = chat_file.with_name("bad.md")
    summary.write_bytes(content)
    require_refusal(turnfold("audit", chat_file, summary), "bad.md", word)
    require_refusal(turnfold("audit", chat_file, summary, "--json"), word, code=code)
    piped = turnfold("audit", chat_file, "-", stdin=content)
    require_refusal(piped, "standard input", word)


@pytest.mark.parametrize("bad", BAD_TEXTS)
@pytest.mark.parametrize("name", ["bad.txt", "bad.log", "bad.jsonl"])
def test_a_transcript_that_is_neither_session_nor_text(
    summary_file: Path, name: str, bad: tuple[bytes, str, str]
) -> None:
    content, word, code = bad
    transcript = summary_file.with_name(name)
    transcript.write_bytes(content)
    require_refusal(turnfold("audit", transcript, summary_file), name)
    if name == "bad.txt":
        require_refusal(turnfold("audit", transcript, summary_file, "--json"), word, code=code)


def test_records_that_no_format_has_are_not_read_as_text(summary_file: Path) -> None:
    """Would catch: a broken session that counts as one long turn of the user."""
    for name in ("s.json", "s.jsonl"):
        file = summary_file.with_name(name)
        file.write_text('{"a": 1}\n{"b": 2}\n', encoding="utf-8")
        require_refusal(turnfold("audit", file, summary_file), name, "no session")
        require_refusal(turnfold("audit", summary_file, file), name, "no session")


def test_a_missing_file_and_a_directory(
    chat_file: Path, summary_file: Path, tmp_path: Path
) -> None:
    absent = tmp_path / "absent.txt"
    for arguments in ((absent, summary_file), (chat_file, absent), (absent,)):
        require_refusal(turnfold("audit", *arguments), "absent.txt", "No such file")
    for arguments in ((tmp_path, summary_file), (chat_file, tmp_path), (tmp_path,)):
        require_refusal(turnfold("audit", *arguments), "directory")
    for option in ("--vocabulary", "--config"):
        done = turnfold("audit", chat_file, summary_file, option, absent)
        require_refusal(done, "absent.txt")


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"[]", "not an object"),
        (b"{}", "empty"),
        (b'{"keep": "push"}', "keep"),
        (b'{"keep": [1, "\xe4\xb8\x8d"]}', "1 terms"),
        (b'{"kept": ["push"]}', "kept"),
    ],
)
def test_a_broken_vocabulary_is_said_and_the_audit_goes_on(
    chat_file: Path, summary_file: Path, content: bytes, word: str
) -> None:
    terms = chat_file.with_name("terms.json")
    terms.write_bytes(content)
    plain = turnfold("audit", chat_file, summary_file)
    done = turnfold("audit", chat_file, summary_file, "--vocabulary", terms)
    assert done.code == plain.code
    assert done.err.startswith("Warning: ")
    assert word in done.err
    told = turnfold("audit", chat_file, summary_file, "--vocabulary", terms, "--json")
    assert any(word in note for note in json.loads(told.stdout)["notes"])


@pytest.mark.parametrize(
    "content", ["", "min_severity = ", '{"min_severity": ', "[" * 100_000, "just words"]
)
def test_a_configuration_that_is_none_is_unusable(
    chat_file: Path, summary_file: Path, content: str
) -> None:
    """Would catch: a gate that goes on with other options than it was given."""
    file = chat_file.with_name("audit.toml")
    file.write_text(content, encoding="utf-8")
    done = turnfold("audit", chat_file, summary_file, "--config", file)
    require_refusal(done, "audit.toml")


def test_an_option_that_there_is_not_is_said(chat_file: Path, summary_file: Path) -> None:
    file = chat_file.with_name("audit.toml")
    file.write_text('min_severity = "low"\nspeed = 3\n', encoding="utf-8")
    done = turnfold("audit", chat_file, summary_file, "--config", file, "--json")
    notes = " ".join(json.loads(done.stdout)["notes"])
    assert "'speed'" in notes
    assert "min_severity must be" in notes


def test_the_arguments_that_no_audit_has(chat_file: Path, summary_file: Path) -> None:
    pair = (chat_file, summary_file)
    for arguments, word in (
        ((), "FILE"),
        ((*pair, chat_file), "--jsonl"),
        (("-", "-"), "standard input"),
        ((chat_file, "--scope", "live"), "--scope"),
        ((*pair, "--jsonl", "--scope", "live"), "--scope"),
        ((*pair, "--jsonl", "--sarif", "o"), "--jsonl"),
        ((*pair, "--jsonl", "--junit", "o"), "--jsonl"),
        ((*pair, "--sarif", "o", "--junit", "o"), "two files"),
        ((*pair, "--sarif", "-", "--junit", "-"), "two files"),
        ((*pair, "--format", "carrier-pigeon"), "carrier-pigeon"),
        ((*pair, "--min-severity", "info"), "--min-severity"),
        ((*pair, "--profile", "deep"), "--profile"),
        ((chat_file, "--profile", "surface"), "TRANSCRIPT"),
        ((*pair, "--profile", "surface", "--jsonl"), "TRANSCRIPT"),
        ((*pair, "--profile", "surface", "--sarif", "o"), "--sarif"),
        ((*pair, "--profile", "surface", "--scope", "live"), "--scope"),
        ((*pair, "--profile", "surface", "--format", "openai-chat"), "--format"),
    ):
        require_refusal(turnfold("audit", *arguments), word)
    assert not Path("o").exists()


@pytest.mark.parametrize("option", ["--sarif", "--junit"])
def test_no_report_is_written_over_an_input(
    chat_file: Path, summary_file: Path, option: str
) -> None:
    before = summary_file.read_bytes()
    for file in (chat_file, summary_file):
        done = turnfold("audit", chat_file, summary_file, option, file, "--force")
        require_refusal(done, "input")
    assert summary_file.read_bytes() == before
    nowhere = chat_file.parent / "no" / "out"
    require_refusal(turnfold("audit", chat_file, summary_file, option, nowhere), "folder")


def test_damage_is_a_warning(code_file: Path, summary_file: Path) -> None:
    code_file.write_bytes(b'{"broken\n' + code_file.read_bytes())
    done = turnfold("audit", code_file, summary_file)
    assert "Warning: " in done.err
    assert "line 1" in done.err


def test_a_session_without_a_summary_is_no_summary(chat_file: Path, code_file: Path) -> None:
    require_refusal(turnfold("audit", chat_file, code_file), "without a summary")
