"""What was handed back already, in a folder of the user's cache: a file for each compaction.

A file is named after a session's file and the newest summary in it. That there is one means that
nothing more is handed back about this summary; in it stand digests of the lines that were handed
back when the compaction after that summary ran. No text of a session is kept.
"""

import os
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from turnfold.cli._files import put

FORGOTTEN_AFTER: Final = 90 * 24 * 3600
"""Seconds after which a file of a session that nobody came back to is removed."""

_PRIVATE_FILE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700
_NAME: Final = 32


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered of a session.

    Args:
        transcript: The session's file.
    """

    transcript: str

    def has(self, summary: str) -> bool:
        """Whether all was said about a summary; the empty one stands for a session's beginning."""
        return self._file(summary).exists()

    def claim(self, summary: str) -> bool:
        """Take a summary to oneself; False where another did.

        Raises:
            OSError: Nothing can be remembered there.
        """
        file = self._file(summary)
        _prepare(file.parent)
        try:
            file.touch(_PRIVATE_FILE, exist_ok=False)
        except FileExistsError:
            return False
        return True

    def keep(self, summary: str, digests: Collection[str]) -> None:
        """Remember what was handed back when the compaction after a summary ran.

        Raises:
            OSError: Nothing can be remembered there.
        """
        file = self._file(summary)
        _prepare(file.parent)
        put(file, "".join(f"{each}\n" for each in sorted(digests)).encode(), _PRIVATE_FILE)

    def kept(self, summary: str) -> frozenset[str]:
        """Return what was handed back when the compaction after a summary ran, where known."""
        with suppress(OSError):
            return frozenset(self._file(summary).read_text("ascii", "replace").split())
        return frozenset()

    def _file(self, summary: str) -> Path:
        place = os.path.normcase(Path(self.transcript).absolute())
        name = sha256(f"{place}\n{summary}".encode(errors="surrogatepass")).hexdigest()[:_NAME]
        return _folder() / name


def _folder() -> Path:
    named = (os.environ.get(each, "") for each in ("XDG_CACHE_HOME", "LOCALAPPDATA"))
    cache = next((each for each in named if Path(each).is_absolute()), "")
    return (Path(cache) if cache else Path.home() / ".cache") / "turnfold" / "claude-code"


def _prepare(folder: Path) -> None:
    """Make the folder, and remove what is old."""
    folder.mkdir(_PRIVATE_FOLDER, parents=True, exist_ok=True)
    oldest = time.time() - FORGOTTEN_AFTER
    with suppress(OSError), os.scandir(folder) as found:
        for each in found:
            with suppress(OSError):
                if each.is_file() and each.stat().st_mtime < oldest:
                    Path(each).unlink()
