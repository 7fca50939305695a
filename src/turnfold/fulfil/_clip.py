"""What a writer is shown of each turn, where not all of it has room (contract F3)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Final

from turnfold.fulfil._job import SummaryJob
from turnfold.transcript import Role, TranscriptTurn

WHOLE: Final = "whole"
CLIPPED: Final = "clipped"
UNSEEN: Final = "unseen"

_LEAST: Final = 48
"""With fewer tokens than this a turn is not shown at all: its ends would say nothing."""

_ANY_NUMBER: Final = 100_000


def clipped(
    job: SummaryJob, window: int | None, count: Callable[[str], int]
) -> tuple[SummaryJob, dict[str, str]]:
    """Return the job as it fits a writer's window, and what is left of each turn in it.

    Tool results are shortened first, the longest most, each to its beginning and its end; then
    all turns. Where even that is too much, only the newest are shown, the user's before others.
    Every turn stays in the job, with a line that says what is missing of it; such lines count, and
    a turn that is no longer than its line is shown instead.

    Args:
        job: The job.
        window: What all turns together may take up, in tokens; None for no limit.
        count: Measures a text, in tokens.
    """
    sizes = [count(turn.content) for turn in job.turns]
    if window is None or sum(sizes) <= window:
        return job, {turn.turn_id: WHOLE for turn in job.turns}
    mark = min(count(_not_shown(_ANY_NUMBER)), _LEAST - 1)
    caps = _caps(sizes, [turn.role for turn in job.turns], window, mark)
    turns, shown = [], {}
    for turn, size, cap in zip(job.turns, sizes, caps, strict=True):
        made, state = _shortened(turn, size, cap)
        turns.append(made)
        shown[turn.turn_id] = state
    return replace(job, turns=tuple(turns)), shown


def _caps(sizes: Sequence[int], roles: Sequence[Role], window: int, mark: int) -> list[int]:
    """Return what each turn may take up, in tokens; the mark's where it is not shown."""
    is_tool = [role is Role.TOOL for role in roles]
    tools = list(compress(sizes, is_tool))
    height = _level(tools, window - (sum(sizes) - sum(tools)))
    if height >= _LEAST:
        return [
            min(size, height) if tool else size for size, tool in zip(sizes, is_tool, strict=True)
        ]
    height = _level(sizes, window)
    if height >= _LEAST:
        return [min(size, height) for size in sizes]
    caps = [min(size, mark) for size in sizes]
    room = window - sum(caps)
    for at in sorted(range(len(sizes)), key=lambda at: (roles[at] is not Role.USER, -at)):
        more = min(sizes[at], _LEAST) - caps[at]
        if more > room:
            break
        caps[at] += max(0, more)
        room -= max(0, more)
    return caps


def _level(sizes: Sequence[int], room: int) -> int:
    """Return the height to which all are cut so that their sum has room; at least 0."""
    if not sizes or room <= 0:
        return 0
    low, high = 0, max(sizes)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in sizes) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _shortened(turn: TranscriptTurn, size: int, cap: int) -> tuple[TranscriptTurn, str]:
    if size <= cap:
        return turn, WHOLE
    content = turn.content
    if cap < _LEAST:
        return replace(turn, content=_not_shown(len(content))), UNSEEN
    held = max(1, len(content) * cap // size - len(_left_out(len(content))) - len("\n\n"))
    tail = held // 3
    head = held - tail
    left_out = _left_out(len(content) - held)
    text = f"{content[:head]}\n{left_out}\n{content[len(content) - tail :]}"
    return replace(turn, content=text), CLIPPED


def _not_shown(characters: int) -> str:
    return f"[not shown: {characters:,} characters]"


def _left_out(characters: int) -> str:
    return f"[{characters:,} characters not shown]"
