"""Hypothesis strategies for transcripts and budgets, every value by construction.

Needs the extra `turnfold[testing]`. What they aim at: exchanges that interleave, parallel calls,
calls without a result and results without a call, pins, empty turns and turns of no tokens, text
with lone surrogates, and budgets on and beside every edge.
"""

from collections.abc import Mapping
from typing import Any, Final

from turnfold.budget import CompactionBudget
from turnfold.testing._laws import floor_tokens
from turnfold.transcript import Role, Transcript, TranscriptTurn

try:
    from hypothesis import strategies as st
except ImportError as fault:
    _MSG: Final = "turnfold.testing.strategies needs Hypothesis: install turnfold[testing]"
    raise ModuleNotFoundError(_MSG, name="hypothesis") from fault

__all__ = ["budgets", "cases", "contents", "token_estimates", "transcripts"]

AWKWARD_TEXTS: Final = (
    "",
    " ",
    "ok",
    "line\nline\r\n",
    "\ud800",
    "half \udfff half",
    "\u2028\u2029",
    "\x00",
    "e\u0301 \U0001f469\u200d\U0001f4bb",
    "</conversation_summary>",
    '{"path": "/etc/hosts", "lines": [1, 2]}',
)

_ID_SHAPES: Final = ("t{}", "turn {}", "\u00fc{}", "summary:span-{}", "\ud800{}", "\u2028{}")
_METADATA: Final[tuple[Mapping[str, str], ...]] = (
    {},
    {"turnfold.tool_name": "read_file"},
    {"turnfold.tool_name": "run\n\ud800", "turnfold.status": "error"},
    {"note": "kept"},
)
_MARKS: Final[tuple[tuple[bool, Mapping[str, str]], ...]] = (
    *((False, metadata) for metadata in _METADATA * 3),
    (True, {}),
)
_ALONE: Final = 0
_OPENS: Final = -1
_JOINS: Final = 1
_SHAPES: Final = (
    (Role.USER, _ALONE),
    (Role.ASSISTANT, _ALONE),
    (Role.ASSISTANT, _OPENS),
    (Role.ASSISTANT, _OPENS),
    (Role.TOOL, _JOINS),
    (Role.TOOL, _JOINS),
    (Role.TOOL, _JOINS + 1),
    (Role.TOOL, _JOINS + 2),
    (Role.TOOL, _OPENS),
    (Role.TOOL, _ALONE),
    (Role.USER, _JOINS),
    (Role.SYSTEM, _ALONE),
    (Role.SYSTEM, _JOINS),
)
"""A role, and what the turn does with exchanges: none, opens one, joins the n-th latest."""


def contents() -> st.SearchStrategy[str]:
    """Return texts, awkward ones among them."""
    return st.sampled_from(AWKWARD_TEXTS)


def token_estimates() -> st.SearchStrategy[int]:
    """Return sizes in tokens, from nothing to what a stub is smaller than."""
    return st.integers(0, 120)


def transcripts(*, max_turns: int = 12) -> st.SearchStrategy[Transcript]:
    """Return transcripts of up to `max_turns` turns, shaped like an agent's or like nothing.

    An exchange is opened by one turn and joined by any later ones, so that exchanges interleave.
    """
    outlines = st.tuples(
        st.sampled_from(_SHAPES),
        st.sampled_from(_ID_SHAPES),
        contents(),
        token_estimates(),
        st.sampled_from(_MARKS),
    )
    return st.lists(outlines, max_size=max_turns).map(_assemble)


def _assemble(outlines: list[tuple[Any, ...]]) -> Transcript:
    made: list[TranscriptTurn] = []
    opened: list[str] = []
    for position, ((role, link), id_shape, content, tokens, marks) in enumerate(outlines):
        pinned, metadata = marks
        exchange = None
        if link >= _JOINS and opened:
            exchange = opened[-min(link, len(opened))]
        elif link != _ALONE:
            exchange = f"x{position}"
            opened.append(exchange)
        made.append(
            TranscriptTurn(
                id_shape.format(position),
                role,
                content,
                tokens,
                tool_call_id=exchange,
                pinned=pinned,
                metadata=metadata,
            )
        )
    return Transcript(tuple(made))


@st.composite
def budgets(draw: st.DrawFn, transcript: Transcript) -> CompactionBudget:
    """Return budgets for a transcript: below its floor, on every edge, between, and above."""
    recent = draw(st.integers(0, 5))
    total = transcript.token_estimate()
    floor = floor_tokens(transcript, CompactionBudget(0, recent))
    edges = (floor, floor - 1, floor + 1, total - 1, total, floor - 1)
    limit = draw(
        st.one_of(st.integers(floor, total), st.sampled_from(edges).map(lambda edge: max(0, edge)))
    )
    reserve = draw(st.sampled_from((0, 0, 1, 1000)))
    goal = draw(st.one_of(st.none(), st.integers(0, limit), st.integers(min(floor, limit), limit)))
    return CompactionBudget(
        limit + reserve,
        recent,
        target_tokens=None if goal is None else goal + reserve,
        reserved_tokens=reserve,
    )


@st.composite
def cases(draw: st.DrawFn, *, max_turns: int = 12) -> tuple[Transcript, CompactionBudget]:
    """Return a transcript and a budget for it."""
    transcript = draw(transcripts(max_turns=max_turns))
    return transcript, draw(budgets(transcript))
