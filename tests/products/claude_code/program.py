"""Claude Code itself, in folders of its own and against a fake provider, and what it sends."""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.products.programs import run
from turnfold.testing.provider import FakeProvider

Object = dict[str, Any]

_OPTIONS = ("--output-format", "json", "--allowedTools", "Bash,Read,Write,Agent")
_HOOK = """#!/bin/sh
event=$(cat)
printf '%s\\n' "$event" >> "$TURNFOLD_EVENTS"
printf '%s' "$event" | "{python}" -m turnfold "$@"
"""


@dataclass(frozen=True, slots=True)
class Program:
    """The program with a home and a project that nothing else uses.

    Args:
        path: Where it is.
        folder: What holds the home and the project.
    """

    path: str
    folder: Path

    @property
    def project(self) -> Path:
        """The folder that it works in."""
        return self.folder / "project"

    def ask(self, provider: FakeProvider, prompt: str, *options: str, **environment: str) -> str:
        """Have a prompt answered, and return the id of the session."""
        self.project.mkdir(parents=True, exist_ok=True)
        done = run(
            [self.path, "-p", prompt, *_OPTIONS, *options],
            self.project,
            self._environment(provider) | environment,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        result = json.loads(done.stdout)
        assert not result["is_error"], result["result"]
        named: str = result["session_id"]
        return named

    def session(self, named: str) -> Path:
        """Return the file of a session."""
        (found,) = (self.folder / "home" / ".claude" / "projects").glob(f"*/{named}.jsonl")
        return found

    def with_hook_on_path(self) -> Path:
        """Put a `turnfold` where the program finds it; return where its events are noted."""
        command = self.folder / "bin" / "turnfold"
        command.parent.mkdir(parents=True)
        command.write_text(_HOOK.format(python=sys.executable))
        command.chmod(0o755)
        return self.folder / "events.jsonl"

    def _environment(self, provider: FakeProvider) -> dict[str, str]:
        """Return what it is started with: nothing of the caller's own."""
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "CLAUDE_CONFIG_DIR": str(home / ".claude"),
            "TURNFOLD_EVENTS": str(self.folder / "events.jsonl"),
            "ANTHROPIC_BASE_URL": provider.base_url,
            "ANTHROPIC_API_KEY": "any",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
        }


def without_reminders(messages: Iterable[Object]) -> list[Object]:
    """Return what was said: no system messages, no reminders; one role after the other.

    Blocks are in one spelling, whichever of those that mean the same was sent.
    """
    said: list[Object] = []
    for message in messages:
        if message["role"] == "system":
            continue
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not said or said[-1]["role"] != message["role"]:
            said.append({"role": message["role"], "content": []})
        said[-1]["content"] += [_plain(each) for each in blocks if not _is_reminder(each)]
    return said


def _is_reminder(block: Object) -> bool:
    return block["type"] == "text" and str(block["text"]).startswith("<system-reminder>")


def _plain(block: Object) -> Object:
    plain = {key: each for key, each in block.items() if key != "cache_control"}
    if block["type"] == "text":
        plain["text"] = block["text"].strip()
    if block["type"] == "tool_result":
        plain["is_error"] = bool(block.get("is_error"))
        content = block["content"]
        plain["content"] = (
            [{"type": "text", "text": content}] if isinstance(content, str) else content
        )
    return plain
