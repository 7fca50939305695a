"""The audit's part: extraction, whole audits and hostile texts beside `set(text.split())`."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from time import process_time
from typing import Final, NamedTuple, Protocol, TypeVar

from tests.benchmarks.speed.timing import growth
from tests.benchmarks.speed.workload import Workload
from tests.conftest import corpus_root
from turnfold import Transcript
from turnfold.audit import AuditMemory, audit
from turnfold.facts import NameReader, critical_lines, find, redact, secrets
from turnfold.formats import parse

Given = TypeVar("Given")

HOSTILE: Final = (
    *("A-A-A-", "1.1.1.", "a.a.", "a@a@", "////", "[[[[", "    ", "x", "error error ", "\\"),
    *("exit code     ", '"a "a', "%41%41", "://://", "$$$", ",1,1,1", "-----BEGIN "),
    *("token=token=", "a_b ", "C:\\", "a:a:", "1 ms ", "http://a ", "不"),
)
_LINE: Final = 1_900
"""No more than `critical_lines` examines of a line."""


def in_lines(text: str) -> object:
    """Return the critical lines of a text whose lines are as long as is examined."""
    return critical_lines("\n".join(text[at : at + _LINE] for at in range(0, len(text), _LINE)))


WORKS: Final[tuple[Callable[[str], object], ...]] = (find, redact, secrets, in_lines)
_SIZES: Final = (250_000, 500_000, 1_000_000)
_RUNS: Final = 5
_EXTRACTION: Final = 5.0
_WHOLE: Final = 8.0
_MEGABYTES_A_SECOND: Final = 20.0
_EXPONENT: Final = 1.5
_LINE_SECONDS: Final = 0.1
_LINE_MEMORY: Final = 3.0
_SUMMARY: Final = 8_000
_COMPACTIONS: Final = (1, 4, 16, 64)


class Marks(Protocol):
    """Counts what is over its bar."""

    def mark(self, what: str, *, holds: bool) -> str:
        """Return `ok` or `OVER`."""


class Recorded(NamedTuple):
    """A session: the bytes of its file, and its turns."""

    size: int
    transcript: Transcript


def print_all(verdicts: Marks) -> None:
    """Print the tables, and mark what is over its bar."""
    sessions = list(_sessions("claude_code"))
    texts = {"workload, chat": [each["content"] for each in Workload.of(4_000, "chat").messages]}
    for kind in ("claude_code", "openai_chat"):
        found = [turn.content for each in _sessions(kind) for turn in each.transcript]
        if found:
            texts[kind] = found
    _print_extraction(texts, verdicts)
    if sessions:
        _print_whole(sessions, verdicts)
        _print_growing(_joined(sessions).transcript, verdicts)
    else:
        print("skipped: no recorded sessions (TURNFOLD_CORPUS)")
    _print_hostile(verdicts)
    _print_lines(verdicts)


def _sessions(kind: str) -> Iterator[Recorded]:
    root = corpus_root()
    if root is not None:
        for path in sorted((root / kind).iterdir()):
            data = path.read_bytes()
            yield Recorded(len(data), parse(data, scope="full").transcript)


def _split(texts: Sequence[str]) -> None:
    for text in texts:
        set(text.split())


def _read(texts: Sequence[str]) -> None:
    reader = NameReader()
    for text in texts:
        reader.facts(text)


def _seconds(work: Callable[[Given], object], given: Given) -> float:
    gc.collect()
    start = process_time()
    work(given)
    return process_time() - start


def _print_extraction(texts: dict[str, list[str]], verdicts: Marks) -> None:
    print("\nextraction of names: x set(text.split()) of the same texts")
    for kind, group in texts.items():
        ratio = median(_seconds(_read, group) / _seconds(_split, group) for _ in range(_RUNS))
        what = f"extraction, {kind}: {ratio:.1f} of {_EXTRACTION:g}"
        mark = verdicts.mark(what, holds=ratio <= _EXTRACTION)
        print(f"  {kind:28} {sum(map(len, group)) / 1e6:6.2f} M characters {ratio:6.1f}  {mark}")


def _print_whole(sessions: Sequence[Recorded], verdicts: Marks) -> None:
    """Audit what the assistant said last as if it were a summary of everything before.

    What a summary costs by itself weighs most in a short session; the bars are for a long one.
    """
    print("\nwhole audit of Claude Code sessions, a summary of 8 kB each")
    for name, group in (("each", sessions), ("all as one", [_joined(sessions)])):
        audits = [_audited(each) for each in group]
        total, split = (sum(times) for times in zip(*audits, strict=True))
        ratio, rate = total / split, sum(each.size for each in group) / 1e6 / total
        for what, holds in (
            (f"whole audit, {name}: {ratio:.1f} x split of {_WHOLE:g}", ratio <= _WHOLE),
            (
                f"whole audit, {name}: {rate:.1f} MB/s of {_MEGABYTES_A_SECOND:g}",
                rate >= _MEGABYTES_A_SECOND,
            ),
        ):
            print(f"  {what}  {verdicts.mark(what, holds=holds)}")


def _audited(session: Recorded) -> tuple[float, float]:
    """Return the seconds of an audit, and of splitting the same texts."""
    said = "\n".join(turn.content for turn in session.transcript if turn.role == "assistant")
    summary = said[-_SUMMARY:] or "nothing"
    texts = [turn.content for turn in session.transcript]
    return (
        median(_seconds(lambda turns: audit(turns, summary), session.transcript) for _ in range(3)),
        median(_seconds(_split, texts) for _ in range(3)),
    )


def _joined(sessions: Sequence[Recorded]) -> Recorded:
    """Return one long session of all."""
    turns = [
        replace(turn, turn_id=f"{number}-{turn.turn_id}")
        for number, session in enumerate(sessions)
        for turn in session.transcript
    ]
    return Recorded(sum(each.size for each in sessions), Transcript(turns))


def _print_growing(transcript: Transcript, verdicts: Marks) -> None:
    """Audit one session at each of so many compactions, with a memory and without."""
    print("\none session audited at each of its compactions: x one audit of all of it")
    for name, new in (("one memory", AuditMemory), ("none", _no_memory)):
        times = [_seconds_growing(transcript, number, new()) for number in _COMPACTIONS]
        row = " ".join(f"{time / times[0]:6.1f}" for time in times)
        exponent = growth((_COMPACTIONS[1], times[1]), (_COMPACTIONS[-1], times[-1]))
        what = f"audits of a growing session, {name}: exponent {exponent:.2f}"
        mark = verdicts.mark(what, holds=exponent <= _EXPONENT)
        print(f"  {name:12} {row}   exponent {exponent:.2f}  {mark}", flush=True)


def _no_memory() -> None:
    """Return what stands for no memory."""


def _seconds_growing(transcript: Transcript, number: int, memory: AuditMemory | None) -> float:
    seconds = 0.0
    for part in range(1, number + 1):
        before = Transcript(transcript.turns[: len(transcript) * part // number])
        said = "\n".join(turn.content for turn in before if turn.role == "assistant")
        summary = said[-_SUMMARY:] or "nothing"
        seconds += _seconds(partial(audit, result=summary, memory=memory), before)
    return seconds


def _print_hostile(verdicts: Marks) -> None:
    names = " ".join(f"{work.__name__:>22}" for work in WORKS)
    print(f"\nhostile texts of 1 MB: seconds, exponent from 0.25 MB\n  {'':18}{names}")
    for unit in HOSTILE:
        row = []
        for work in WORKS:
            times = [min(_seconds(work, (unit * size)[:size]) for _ in range(2)) for size in _SIZES]
            # Below a hundredth of a second the clock says nothing of growth.
            low = max(times[0], 0.01)
            exponent = growth((_SIZES[0], low), (_SIZES[-1], max(times[-1], low)))
            what = f"hostile {unit!r}, {work.__name__}: exponent {exponent:.2f}"
            mark = verdicts.mark(what, holds=exponent <= _EXPONENT)
            row.append(f"{times[-1]:9.3f} {exponent:7.2f} {mark:>4}")
        print(f"  {unit!r:18}" + " ".join(row), flush=True)


def _print_lines(verdicts: Marks) -> None:
    print("\nlong lines: seconds for 50 kB; memory for 5 MB, x the line")
    for unit in HOSTILE:
        spent = max(_seconds(work, (unit * 50_000)[:50_000]) for work in WORKS)
        what = f"50 kB of {unit!r}: {spent:.3f} of {_LINE_SECONDS:g} s"
        verdicts.mark(what, holds=spent <= _LINE_SECONDS)
        text = (unit * 5_000_000)[:5_000_000]
        used = _memory(text)
        what = f"5 MB of {unit!r}: {used:.1f} of {_LINE_MEMORY:g} times in memory"
        mark = verdicts.mark(what, holds=used <= _LINE_MEMORY)
        print(f"  {unit!r:18} {spent:8.4f} {used:8.2f}  {mark}", flush=True)
    # What has names is kept by its names: this figure is shown and has no bar.
    plain = " ".join(f"{_word(number)}" for number in range(700_000))[:5_000_000]
    print(f"  distinct words     {'':8} {_memory(plain):8.2f}")


def _word(number: int) -> str:
    """Return a word of letters that no other number has."""
    return "".join(chr(97 + int(digit)) for digit in str(number))


def _memory(text: str) -> float:
    """Return the peak of reading names and credentials, in lengths of the text."""
    peak = 0
    for work in (find, redact):
        gc.collect()
        tracemalloc.start()
        work(text)
        peak = max(peak, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return peak / len(text)
