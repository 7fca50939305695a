"""turnfold never writes over its input, asks before it writes over anything, and writes whole."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.console import Outcome, turnfold
from turnfold.cli import _files

SIDES = (".plan.json", ".report.json", ".ledger.json")


def compact(file: Path, out: Path, *options: str) -> Outcome:
    return turnfold("compact", file, "--max-tokens", "50%", "-o", out, *options)


def require_untouched(file: Path, done: Outcome, *words: str) -> None:
    assert done.code == 2
    assert done.err.startswith("Error: ")
    for word in words:
        assert word in done.err
    assert not list(file.parent.glob(".turnfold-*"))


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_the_input_is_never_the_output(chat_file: Path, force: list[str]) -> None:
    before = chat_file.read_bytes()
    folder = chat_file.parent
    link, hard = folder / "link.json", folder / "hard.json"
    link.symlink_to(chat_file)
    os.link(chat_file, hard)
    (folder / "sub").mkdir()
    for out in (chat_file, link, hard, folder / "sub" / ".." / chat_file.name):
        done = compact(chat_file, out, *force)
        require_untouched(chat_file, done, "never overwrites its input")
        done = turnfold("plan", chat_file, "--max-tokens", "50%", "-o", out, *force)
        require_untouched(chat_file, done, "never overwrites its input")
    require_untouched(chat_file, compact(link, chat_file, *force), "input")
    assert chat_file.read_bytes() == before


def test_no_side_file_is_an_input(chat_file: Path) -> None:
    folder = chat_file.parent
    plan, texts = folder / "out.json.plan.json", folder / "out.json.report.json"
    turnfold("plan", chat_file, "--max-tokens", "50%", "-o", plan)
    texts.write_text("{}", encoding="utf-8")
    out = folder / "out.json"
    done = turnfold("apply", chat_file, plan, "-o", out, "--force")
    require_untouched(chat_file, done, "out.json.plan.json")
    plan.rename(folder / "plan.json")
    arguments = ("apply", chat_file, folder / "plan.json", "--summaries", texts, "-o", out)
    require_untouched(chat_file, turnfold(*arguments, "--force"), "out.json.report.json")
    ledger = Path(f"{chat_file}.ledger.json")
    ledger.write_text("{}", encoding="utf-8")
    done = turnfold("plan", chat_file, "--max-tokens", "50%", "-o", ledger, "--force")
    require_untouched(chat_file, done, "ledger.json")


@pytest.mark.parametrize("suffix", ["", *SIDES])
def test_what_exists_is_replaced_only_by_force(chat_file: Path, suffix: str) -> None:
    out = chat_file.with_name("out.json")
    existing = Path(f"{out}{suffix}")
    existing.write_text("mine", encoding="utf-8")
    require_untouched(chat_file, compact(chat_file, out), existing.name, "--force")
    assert existing.read_text("utf-8") == "mine"
    assert compact(chat_file, out, "--force").code == 0
    assert json.loads(existing.read_bytes())


def test_a_plan_that_exists_is_replaced_only_by_force(chat_file: Path) -> None:
    out = chat_file.with_name("plan.json")
    out.write_text("mine", encoding="utf-8")
    arguments = ("plan", chat_file, "--max-tokens", "50%", "-o", out)
    require_untouched(chat_file, turnfold(*arguments), "--force")
    assert turnfold(*arguments, "--force").code == 0


def test_an_output_that_is_no_file(chat_file: Path) -> None:
    folder = chat_file.parent / "folder"
    folder.mkdir()
    require_untouched(chat_file, compact(chat_file, folder, "--force"), "is a folder")
    pipe = chat_file.parent / "pipe"
    os.mkfifo(pipe)
    require_untouched(chat_file, compact(chat_file, pipe, "--force"), "no regular file")
    assert pipe.is_fifo()


def test_a_folder_that_does_not_exist(chat_file: Path) -> None:
    done = compact(chat_file, chat_file.parent / "absent" / "out.json")
    require_untouched(chat_file, done, "absent", "create it")


def test_a_name_too_long_for_a_side_file(chat_file: Path) -> None:
    done = compact(chat_file, chat_file.with_name("x" * 250))
    require_untouched(chat_file, done, "File name too long")
    assert len(list(chat_file.parent.iterdir())) == 1


def test_a_symbolic_link_leads_to_the_file_that_is_written(chat_file: Path) -> None:
    folder = chat_file.parent / "elsewhere"
    folder.mkdir()
    target, link = folder / "target.json", chat_file.with_name("out.json")
    target.write_text("mine", encoding="utf-8")
    link.symlink_to(target)
    assert compact(chat_file, link, "--force").code == 0
    assert link.is_symlink()
    assert json.loads(target.read_bytes())


def test_a_private_session_stays_private(chat_file: Path) -> None:
    chat_file.chmod(0o600)
    out = chat_file.with_name("out.json")
    assert compact(chat_file, out).code == 0
    for suffix in ("", *SIDES):
        assert Path(f"{out}{suffix}").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), PermissionError(13, "no")]
)
@pytest.mark.parametrize("written_before", [0, 1, 3])
def test_nothing_is_written_where_something_cannot_be(
    chat_file: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError, written_before: int
) -> None:
    write, calls = _files._write_new, []  # noqa: SLF001  There is no disk that can be filled.

    def fill(path: Path, content: bytes, mode: int) -> None:
        calls.append(path)
        write(path, content[: len(content) // 2], mode)
        if len(calls) > written_before:
            raise fault

    monkeypatch.setattr(_files, "_write_new", fill)
    out = chat_file.with_name("out.json")
    out.write_text("mine", encoding="utf-8")
    done = compact(chat_file, out, "--force")
    require_untouched(chat_file, done, "out.json")
    assert sorted(chat_file.parent.iterdir()) == [chat_file, out]
    assert out.read_text("utf-8") == "mine"


def test_nothing_is_written_where_the_session_cannot_be_compacted(chat_file: Path) -> None:
    out = chat_file.with_name("out.json")
    assert turnfold("compact", chat_file, "--max-tokens", "20", "-o", out).code == 2
    assert list(chat_file.parent.iterdir()) == [chat_file]
