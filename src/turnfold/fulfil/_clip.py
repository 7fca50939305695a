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


def clipped(
    job: SummaryJob, window: int | None, count: Callable[[str], int]
) -> tuple[SummaryJob, dict[str, str]]:
    """Return the job as it fits a writer's window, and what is left of each turn in it.

    Tool results are shortened first, the longest most, each to its beginning and its end; then
    all turns. Where even that is too much, only the newest are shown, the user's before others.
    Every turn stays in the job, with a line that says what is missing of it.

    Args:
        job: The job.
        window: What all turns together may take up, in tokens; None for no limit.
        count: Measures a text, in tokens.
    """
    sizes = [count(turn.content) for turn in job.turns]
    if window is None or sum(sizes) <= window:
        return job, {turn.turn_id: WHOLE for turn in job.turns}
    caps = _caps(sizes, [turn.role for turn in job.turns], window)
    turns, shown = [], {}
    for turn, size, cap in zip(job.turns, sizes, caps, strict=True):
        made, state = _shortened(turn, size, cap)
        turns.append(made)
        shown[turn.turn_id] = state
    return replace(job, turns=tuple(turns)), shown


def _caps(sizes: Sequence[int], roles: Sequence[Role], window: int) -> list[int]:
    """Return what each turn may take up, in tokens; 0 where it is not shown."""
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
    caps, room = [0] * len(sizes), window
    for at in sorted(range(len(sizes)), key=lambda at: (roles[at] is not Role.USER, -at)):
        caps[at] = min(sizes[at], _LEAST)
        room -= caps[at]
        if room < 0:
            caps[at] = 0
            break
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
        return replace(turn, content=f"[not shown: {len(content):,} characters]"), UNSEEN
    held = len(content) * cap // size
    tail = held // 3
    head = held - tail
    left_out = f"[{len(content) - held:,} characters not shown]"
    text = f"{content[:head]}\n{left_out}\n{content[len(content) - tail :]}"
    return replace(turn, content=text), CLIPPED
