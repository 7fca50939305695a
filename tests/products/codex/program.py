"""The Codex CLI itself, with a home of its own and a fake provider behind it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.products.programs import run
from turnfold.formats import parse
from turnfold.testing.provider import FakeProvider, Request
from turnfold.transcript import Transcript

_OPTIONS = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
_CONFIG = """
model = "gpt-5.5"
model_provider = "fake"
model_reasoning_effort = "medium"
{settings}
[model_providers.fake]
name = "fake"
base_url = "{base_url}/v1"
wire_api = "responses"
experimental_bearer_token = "any"

[features]
plugins = false
"""


@dataclass(frozen=True, slots=True)
class Program:
    """The program with a home and a project that nothing else uses.

    Args:
        path: Where it is.
        folder: What holds the home and the project.
        settings: Lines of its configuration.
    """

    path: str
    folder: Path
    settings: str = ""

    @property
    def home(self) -> Path:
        """Its `CODEX_HOME`."""
        return self.folder / "home"

    def ask(self, provider: FakeProvider, prompt: str, *, resumes: str = "") -> list[str]:
        """Have a prompt answered, in a session that is resumed where its id is given.

        Returns:
            What the program warns of.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        config = _CONFIG.format(settings=self.settings, base_url=provider.base_url)
        (self.home / "config.toml").write_text(config)
        session = ("resume", resumes) if resumes else ()
        done = run(
            [self.path, "exec", *session, *_OPTIONS, prompt],
            self.folder,
            {"HOME": str(self.home), "CODEX_HOME": str(self.home), "RUST_LOG": "warn"},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [line for line in done.stderr.splitlines() if " WARN " in line]

    def rollout(self) -> Path:
        """The one session that it has."""
        (found,) = self.home.glob("sessions/**/*.jsonl")
        return found

    def take(self, data: bytes) -> str:
        """Put a session where the program looks for it, and return its id."""
        named: str = json.loads(data.splitlines()[0])["payload"]["id"]
        folder = self.home / "sessions" / "2026" / "01" / "01"
        folder.mkdir(parents=True)
        (folder / f"rollout-2026-01-01T00-00-00-{named}.jsonl").write_bytes(data)
        return named


def history(request: Request) -> Transcript:
    """What a request shows the model."""
    return parse({"input": request.body["input"]}).transcript


def words(transcript: Transcript) -> Sequence[str]:
    """What is said in a history, turn by turn, behind the instructions of Codex itself."""
    return [turn.content for turn in transcript][1:]
