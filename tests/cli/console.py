"""Running turnfold as a person does, and small sessions to run it on."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from turnfold.cli import app

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "acceptance" / "sessions" / "recorded_session.jsonl"


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it wrote where."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode("utf-8")

    @property
    def err(self) -> str:
        return self.stderr.decode("utf-8")


def environment(**extra: str) -> dict[str, str]:
    quiet = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TURNFOLD_DEBUG", "GITHUB_ACTIONS")
    kept = {name: value for name, value in os.environ.items() if name not in quiet}
    return {**kept, "PYTHONUTF8": "1", "TERM": "xterm-256color", **extra}


def turnfold(*arguments: str | Path, stdin: bytes = b"") -> Outcome:
    """Run the command in this process."""
    done = CliRunner().invoke(app, list(map(str, arguments)), input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Outcome(done.exit_code, done.stdout_bytes, done.stderr.encode("utf-8"))


def process(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **extra: str
) -> Outcome:
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "turnfold", *map(str, arguments)]
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env=environment(**extra),
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def chat(steps: int, *, size: int = 60, tool: str = "read_file") -> list[dict[str, Any]]:
    """An OpenAI chat in which every step reads a file."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a careful agent."},
        {"role": "user", "content": "Fix the failing test. Never push."},
    ]
    for step in range(steps):
        call_id = f"call_{step}"
        arguments = json.dumps({"path": f"src/module_{step}.py"})
        call = {"name": tool, "arguments": arguments}
        messages += [
            {
                "role": "assistant",
                "content": f"I look at part {step}.",
                "tool_calls": [{"id": call_id, "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": call_id,
                "content": " ".join(f"line_{each} = {each * step}" for each in range(size)),
            },
        ]
    messages.append({"role": "assistant", "content": "Done: the test passes."})
    return messages


def record(number: int, role: str, content: object, **extra: object) -> dict[str, Any]:
    """A record of a Claude Code session."""
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        message |= {"id": f"msg_{number}", "type": "message", "model": "m"}
    return {
        "parentUuid": f"u{number - 1}" if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/work",
        "sessionId": "11111111-2222-4333-8444-555555555555",
        "version": "2.1.0",
        "type": role,
        "message": message,
        "uuid": f"u{number}",
        "timestamp": f"2026-01-01T00:00:{number % 60:02d}.000Z",
        **extra,
    }


def lines(steps: int, *, size: int = 60) -> list[bytes]:
    """A Claude Code session, line by line, in which every step runs a command."""
    records = [record(0, "user", "Fix the failing test. Never push.")]
    for step in range(steps):
        number = 1 + 2 * step
        call = {"type": "tool_use", "id": f"toolu_{step}", "name": "Bash", "input": {"n": step}}
        result = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{step}",
            "content": " ".join(f"line_{each} = {each * step}" for each in range(size)),
        }
        records.append(record(number, "assistant", [call]))
        records.append(record(number + 1, "user", [result]))
    last = 1 + 2 * steps
    records.append(record(last, "assistant", [{"type": "text", "text": "Done: it passes."}]))
    return [json.dumps(each).encode() + b"\n" for each in records]


def compacted_before(steps: int) -> list[bytes]:
    """A Claude Code session that was compacted once: its history, a boundary, a summary, more."""
    before = lines(steps)
    number = 1000
    boundary = {
        **record(number, "user", ""),
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "parentUuid": None,
        "compactMetadata": {"trigger": "auto", "preTokens": 1000},
    }
    del boundary["message"]
    summary = record(
        number + 1, "user", "This session continues: it passes.", isCompactSummary=True
    )
    after = [json.loads(each) for each in lines(steps)]
    for place, each in enumerate(after, start=number + 2):
        each |= {"uuid": f"u{place}", "parentUuid": f"u{place - 1}"}
        if each["type"] == "assistant":
            each["message"]["id"] = f"msg_{place}"
        for block in each["message"]["content"]:
            if isinstance(block, dict):
                for key in ("id", "tool_use_id"):
                    if key in block:
                        block[key] += "_later"
    return before + [json.dumps(each).encode() + b"\n" for each in (boundary, summary, *after)]
