"""A progress bar that appears only where a command takes longer than a moment."""

import sys
import threading
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

_MOMENT: Final = 0.5
"""Seconds after which the bar appears."""


class Activity:
    """What a command is doing, shown on standard error if that is a terminal.

    Args:
        shown: Whether anything may be shown at all.
    """

    def __init__(self, *, shown: bool) -> None:
        self._progress: Progress | None = None
        self._timer: threading.Timer | None = None
        if shown and sys.stderr.isatty():
            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            self._task = self._progress.add_task("", total=None)
            self._timer = threading.Timer(_MOMENT, self._progress.start)
            self._timer.daemon = True

    def __enter__(self) -> Self:
        if self._timer is not None:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None and self._progress is not None:
            self._timer.cancel()
            self._timer.join()
            self._progress.stop()

    def step(self, description: str, total: int | None = None) -> None:
        """Say what comes next, and how much of it there is where that is known."""
        if self._progress is not None:
            self._progress.reset(self._task, description=description, total=total)

    def follow(self, lines: Iterable[bytes], size: int | None) -> Iterator[bytes]:
        """Yield the lines of a source of `size` bytes, and move the bar with them."""
        self.step("Reading", size or None)
        if self._progress is None:
            yield from lines
            return
        for line in lines:
            self._progress.advance(self._task, len(line))
            yield line
