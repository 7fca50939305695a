"""The Gemini CLI itself, with a home of its own and a server behind it."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from tests.products.gemini_cli.server import Gemini
from tests.products.programs import run

_OPTIONS = ("--skip-trust", "--yolo", "-m", "gemini-2.5-pro")
_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
}


@dataclass(frozen=True, slots=True)
class Program:
    """The program with a home and a project that nothing else uses.

    Args:
        path: Where it is; Node.js is found by the path of the environment.
        folder: What holds the home and the project.
        settings: More of its settings.
    """

    path: str
    folder: Path
    settings: dict[str, object] = field(default_factory=dict)

    def run(self, server: Gemini, prompt: str, *options: str | Path) -> tuple[int, str]:
        """Have a prompt answered; return the exit code and what was printed."""
        home, project = self.folder / "home", self.folder / "project"
        (home / ".gemini").mkdir(parents=True, exist_ok=True)
        project.mkdir(exist_ok=True)
        (home / ".gemini" / "settings.json").write_text(json.dumps(_SETTINGS | self.settings))
        done = run(
            [self.path, *_OPTIONS, *map(str, options), "-p", prompt],
            project,
            {
                "HOME": str(home),
                "GEMINI_API_KEY": "any",
                "GOOGLE_GEMINI_BASE_URL": server.base_url,
                "GEMINI_CLI_NO_RELAUNCH": "true",
            },
        )
        return done.returncode, done.stdout + done.stderr

    def ask(self, server: Gemini, prompt: str, *options: str | Path) -> None:
        """Have a prompt answered."""
        code, printed = self.run(server, prompt, *options)
        assert code == 0, printed

    def sessions(self) -> list[Path]:
        """The sessions that it has, the largest first."""
        found = self.folder.glob("home/.gemini/tmp/*/chats/*.jsonl")
        return sorted(found, key=lambda each: -each.stat().st_size)
