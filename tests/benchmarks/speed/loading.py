"""Loading beside `json.loads` of the same bytes: recorded sessions, one long line, many short."""

import gc
import json
import tracemalloc
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time
from typing import Final, NamedTuple, Protocol

from tests.conftest import corpus_root
from turnfold.errors import UnreadableTranscript
from turnfold.formats import parse

_BAR: Final = 3.0
_RUNS: Final = 5
_LONG: Final = 25_000_000
_LINES: Final = 200_000


class Marks(Protocol):
    """Counts what is over its bar."""

    def mark(self, what: str, *, holds: bool) -> str:
        """Return `ok` or `OVER`."""


class Loaded(NamedTuple):
    """A figure: bytes, times `json.loads`, and the peak beyond it in times of the bytes."""

    size: int
    ratio: float
    peak: float


def print_all(verdicts: Marks) -> None:
    """Print the table, and mark what is over its bar."""
    print("\nloading: x json.loads of the same bytes; peak memory in times of the file's size")
    by_folder: dict[str, list[Loaded]] = {}
    for folder, data in _recorded():
        by_folder.setdefault(folder, []).append(measure(data))
    for folder, figures in by_folder.items():
        size = sum(each.size for each in figures)
        ratio = sum(each.ratio * each.size for each in figures) / size
        peak = max(each.peak for each in figures)
        _print_row(folder, Loaded(size, ratio, peak), verdicts, bar=_BAR)
    if not by_folder:
        print("  skipped: no recorded sessions (TURNFOLD_CORPUS)")
    for name, data in (
        ("one line of 25 MB", _long_line()),
        ("200,000 short lines", _short_lines()),
    ):
        _print_row(name, measure(data, runs=1), verdicts, bar=None)


def _print_row(name: str, figure: Loaded, verdicts: Marks, *, bar: float | None) -> None:
    what = f"loading {name}: {figure.ratio:.1f} of {bar}"
    mark = "" if bar is None else f"{bar:g} {verdicts.mark(what, holds=figure.ratio <= bar)}"
    size = f"{figure.size / 1e6:7.2f} MB"
    print(f"  {name:24} {size} {figure.ratio:6.1f}  peak {figure.peak:5.1f}  {mark}")


def _recorded() -> Iterator[tuple[str, bytes]]:
    root = corpus_root()
    for path in sorted(root.glob("*/*")) if root else ():
        if path.parent.name != "summaries":
            yield path.parent.name, path.read_bytes()


def measure(data: bytes, runs: int = _RUNS) -> Loaded:
    """Load a file, the first conversation of several, and compare with reading its JSON."""
    conversation = 0 if _holds_several(data) else None
    ratio = median(
        _seconds(lambda: _load(data, conversation)) / (_seconds(lambda: _plain(data)) or 1e-9)
        for _ in range(runs)
    )
    gc.collect()
    tracemalloc.start()
    _load(data, conversation)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Loaded(len(data), ratio, peak / len(data))


def _holds_several(data: bytes) -> bool:
    try:
        parse(data)
    except UnreadableTranscript:
        return True
    return False


def _load(data: bytes, conversation: int | None) -> None:
    parse(data, conversation=conversation)


def _plain(data: bytes) -> None:
    try:
        json.loads(data)
    except ValueError:
        for line in data.split(b"\n"):
            if line.strip():
                json.loads(line)


def _seconds(work: Callable[[], None]) -> float:
    gc.collect()
    start = process_time()
    work()
    return process_time() - start


def _record(number: int, role: str, text: str) -> bytes:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    record = {"type": role, "uuid": f"u{number}", "parentUuid": f"u{number - 1}"}
    return json.dumps({**record, "sessionId": "s", "message": message}).encode() + b"\n"


def _long_line() -> bytes:
    words = "a line of a log that nobody reads; " * (_LONG // 35)
    return _record(1, "user", "Read it.") + _record(2, "assistant", words) + _record(3, "user", "?")


def _short_lines() -> bytes:
    return b"".join(_record(at, ("user", "assistant")[at % 2], f"{at}") for at in range(_LINES))
