"""pi itself, with a home of its own and a fake provider behind it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.products.programs import run
from turnfold.formats._marks import BRIDGE
from turnfold.testing.provider import FakeProvider, Request

_OPTIONS = ("--provider", "fake", "--model", "any", "--thinking", "medium", "--print")
_WINDOW = 100_000


@dataclass(frozen=True, slots=True)
class Program:
    """The program with a home and a project that nothing else uses.

    Args:
        path: Where it is; Node.js is found by the path of the environment.
        folder: What holds the home and the project.
        api: Which API it is to speak.
        window: The context window that it is told of, in tokens.
    """

    path: str
    folder: Path
    api: str = "openai-completions"
    window: int = _WINDOW

    def ask(self, provider: FakeProvider, prompt: str, *options: str | Path) -> None:
        """Have a prompt answered."""
        agent = self.folder / "home" / ".pi" / "agent"
        agent.mkdir(parents=True, exist_ok=True)
        version = "" if self.api == "anthropic-messages" else "/v1"
        model = {"id": "any", "reasoning": True, "contextWindow": self.window, "maxTokens": 2_000}
        served = {"baseUrl": provider.base_url + version, "api": self.api, "apiKey": "any"}
        models = {"providers": {"fake": {**served, "models": [model]}}}
        compaction = {"enabled": True, "reserveTokens": 2_000, "keepRecentTokens": 1_500}
        (agent / "models.json").write_text(json.dumps(models))
        (agent / "settings.json").write_text(json.dumps({"compaction": compaction}))
        done = run(
            [self.path, *_OPTIONS, *map(str, options), prompt],
            self.folder,
            {"HOME": str(self.folder / "home"), "PI_OFFLINE": "1", "PI_TELEMETRY": "0"},
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def session(self) -> Path:
        """The one session that it has."""
        (found,) = self.folder.glob("home/.pi/agent/sessions/*/*.jsonl")
        return found


def sent(request: Request) -> list[str]:
    """What the messages of a request say, one after the other, without the instructions.

    Without the words too that turnfold writes where nothing is left before an answer.
    """
    listed = request.body.get("messages") or request.body["input"]
    others = [each for each in listed if each.get("role") not in ("system", "developer")]
    return [text for message in others for text in _texts(message) if text != BRIDGE]


def _texts(value: Any) -> list[str]:  # noqa: ANN401  A message, its content, or a part of it.
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    if isinstance(value, dict):
        return [text for key in ("content", "text", "output") for text in _texts(value.get(key))]
    return []
