"""What stands on a terminal, and what goes into a pipe."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.console import chat, environment, lines, process, turnfold

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

PATIENCE = 30.0
HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202eevil\r"


def read(leader: int, until: bytes, seconds: float) -> bytes:
    """Read a terminal until it shows something, is closed, or the time is over."""
    shown, deadline = b"", time.monotonic() + seconds
    while time.monotonic() < deadline and not (until and until in shown):
        if select.select([leader], [], [], 0.1)[0]:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
    return shown


def on_a_terminal(
    *arguments: str | Path,
    columns: int = 100,
    feed: tuple[bytes, ...] = (),
    until: bytes = b"",
    **extra: str,
) -> str:
    """Run the command with its output on a terminal; feed standard input with pauses."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (40, columns))
    command = [sys.executable, "-m", "turnfold", *map(str, arguments)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=follower,
        stderr=follower,
        env=environment(**extra),
    ) as child:
        os.close(follower)
        assert child.stdin is not None
        shown = b""
        for each in feed:
            child.stdin.write(each)
            child.stdin.flush()
            shown += read(leader, until, PATIENCE if until else 2.0)
        child.stdin.close()
        shown += read(leader, b"", 60.0)
    os.close(leader)
    return shown.decode("utf-8")


def test_a_terminal_has_colours_and_a_pipe_has_none(chat_file: Path) -> None:
    arguments = ("plan", chat_file, "--max-tokens", "50%")
    assert "\x1b[" in on_a_terminal(*arguments)
    piped = process(*arguments)
    assert "\x1b" not in piped.out + piped.err


def test_no_color_is_respected(chat_file: Path) -> None:
    shown = on_a_terminal("plan", chat_file, "--max-tokens", "50%", NO_COLOR="1")
    assert "\x1b[33m" not in shown


def test_a_row_is_a_line_on_a_narrow_terminal(chat_file: Path) -> None:
    shown = on_a_terminal("plan", chat_file, "--max-tokens", "50%", columns=60, NO_COLOR="1")
    turns = shown.partition("Plan")[0].replace("\x1b[0m", "").replace("\x1b[2m", "")
    assert sum(" assistant " in line for line in turns.splitlines()) == 13
    assert sum(" mask " in line or " keep " in line for line in turns.splitlines()) >= 25
    assert len(turns.splitlines()) < 40


def test_a_pipe_is_as_wide_as_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(json.dumps(chat(3, tool="t" * 200)), encoding="utf-8")
    missing = tmp_path / ("a" * 120)
    done = process("inspect", file, missing, COLUMNS="40")
    assert str(file) in done.out.splitlines()
    assert len(done.err.splitlines()) == 1
    assert all(line == line.rstrip() for line in done.out.splitlines())


def test_a_long_reading_shows_a_bar_and_takes_it_away() -> None:
    content = b"".join(lines(3))
    shown = on_a_terminal("inspect", "-", feed=(content,), until=b"Reading")
    assert "Reading" in shown
    assert "\x1b[2K" in shown
    assert "Tokens by role" in shown.rpartition("Reading")[2]
    for option in ("--json", "-q"):
        assert "Reading" not in on_a_terminal("inspect", "-", option, feed=(content,))


def test_a_short_reading_shows_none(chat_file: Path) -> None:
    assert "Reading" not in on_a_terminal("inspect", chat_file)


def test_a_session_cannot_steer_the_terminal(tmp_path: Path) -> None:
    messages = chat(4, tool=f"tool{HOSTILE}")
    messages[1]["content"] = HOSTILE
    file = tmp_path / f"s{HOSTILE}.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    plan = tmp_path / "plan.json"
    turnfold("plan", file, "--max-tokens", "55%", "--policy", "summarize", "-o", plan)
    commands = [
        ("inspect", file),
        ("plan", file, "--max-tokens", "50%"),
        ("plan", file, "--max-tokens", "1"),
        ("inspect", f"{file}{HOSTILE}"),
        ("inspect", file, "--format", HOSTILE),
        ("inspect", file, f"--{HOSTILE}"),
        ("inspect", file, "--scope", HOSTILE),
        ("requests", file, plan, "--group", HOSTILE),
        ("compact", file, "--max-tokens", "60%", "-o", tmp_path / f"out{HOSTILE}"),
    ]
    for arguments in commands:
        done = turnfold(*arguments)
        for forbidden in ("\x1b", "\x07", "\x9b", "\u202e", "\r"):
            assert forbidden not in done.out + done.err, arguments
    shown = on_a_terminal("requests", file, plan, NO_COLOR="1")
    assert "\x1b]" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown


def test_damage_cannot_steer_the_terminal(tmp_path: Path) -> None:
    good = lines(3)
    record = json.loads(good[2])
    record["message"]["content"][0]["tool_use_id"] = HOSTILE
    good[2] = json.dumps(record).encode() + b"\n"
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"".join(good))
    for command in (("inspect",), ("plan", "--max-tokens", "60%")):
        done = turnfold(*command, file)
        assert "\x1b" not in done.out + done.err
        assert "\u202e" not in done.out + done.err


def test_a_reader_that_leaves_is_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "long.json"
    file.write_text(json.dumps(chat(1500, size=2)), encoding="utf-8")
    for options in (["--all"], ["--json"], ["-o", "-", "-q"]):
        command = [sys.executable, "-m", "turnfold", "plan", str(file), "--max-tokens", "60%"]
        with subprocess.Popen(
            [*command, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        ) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            child.stdout.read(10)
            child.stdout.close()
            assert child.stderr.read() == b""
        assert child.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
@pytest.mark.parametrize("options", [[], ["--json"], ["-o", "-"]])
def test_a_full_disk_behind_standard_output(chat_file: Path, options: list[str]) -> None:
    command = [sys.executable, "-m", "turnfold", "plan", str(chat_file), "--max-tokens", "50%"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*command, *options],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
            env=environment(),
        )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_an_interrupt_is_quiet_and_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "turnfold", "compact", "-", "--max-tokens", "50%"]
    # A runner in the background ignores interrupts, and so would the child.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        started = subprocess.Popen(
            [*command, "-o", str(out)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
    finally:
        signal.signal(signal.SIGINT, before)
    with started as child:
        assert child.stdin is not None
        assert child.stderr is not None
        child.stdin.write(lines(1)[0])
        child.stdin.flush()
        time.sleep(3)
        child.send_signal(signal.SIGINT)
        assert b"Traceback" not in child.stderr.read()
        child.stdin.close()
    assert child.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_another_encoding_than_utf_8_is_no_failure(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(json.dumps(chat(30, tool="lire_été_日本")), encoding="utf-8")
    done = process("plan", file, "--max-tokens", "50%", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert done.out.isascii()
