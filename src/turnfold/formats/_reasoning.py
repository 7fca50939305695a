"""Reasoning that is bound to what stands before it (known failures B1 to B5).

A provider may bind a thinking block, or a reasoning item, to all that stands before it. Once a
turn before it was masked, dropped or summarised, Anthropic refuses the block and OpenAI ignores
it. What was reasoned before the first edit stays good.
"""

from collections.abc import Sequence
from typing import Literal

from turnfold._metadata import KIND, STATUS, STATUS_DEAD, STATUS_PENDING
from turnfold.formats._session import Session, transcript_of
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

Reasoning = Literal["strip_after_edit", "keep", "strip_all"]
"""What a rendering does with reasoning: leave it out after the first edit, keep all of it, or
leave all of it out."""


def first_edit(view: CompactedView | Transcript, session: Session) -> int:
    """Return how many turns at the start of a view stand as the session has them."""
    turns, originals = transcript_of(view).turns, session.transcript.turns
    same = 0
    for turn, original in zip(turns, originals, strict=False):
        if turn is not original and turn != original:
            break
        same += 1
    return same


def is_stripped(position: int, edited: int, reasoning: Reasoning) -> bool:
    """Whether a rendering leaves out the reasoning of the turn at a position of the view."""
    return reasoning == "strip_all" or (reasoning == "strip_after_edit" and position >= edited)


def stripped_turns(
    view: CompactedView | Transcript,
    session: Session,
    reasoning: Reasoning,
    *,
    keeps_loop: bool = True,
) -> frozenset[str]:
    """Return the ids of the assistant turns whose reasoning a rendering leaves out.

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What was asked for.
        keeps_loop: Whether the current tool loop keeps its own after an edit, as a provider may
            want it whole.
    """
    turns = transcript_of(view).turns
    if reasoning == "keep":
        return frozenset()
    start, end = 0, len(turns)
    if reasoning == "strip_after_edit":
        start = first_edit(view, session)
        end = loop_start(turns) if keeps_loop else end
    return frozenset(turn.turn_id for turn in turns[start:end] if turn.role is Role.ASSISTANT)


def loop_start(turns: Sequence[TranscriptTurn]) -> int:
    """Return where the tool loop begins that the model is in the middle of; the end if in none.

    What a user says right behind the results goes to the provider in one message with them, so
    the model is in the loop still.
    """
    end = len(turns)
    while end and turns[end - 1].role is Role.USER:
        end -= 1
    if not end or not _is_unfinished(turns[end - 1]):
        return len(turns)
    for position in range(end - 1, -1, -1):
        turn = turns[position]
        if turn.role is Role.USER and turn.metadata.get(KIND) is None:
            return position
    return 0


def _is_unfinished(turn: TranscriptTurn) -> bool:
    """Whether a turn is a result, or calls that wait for one or are written with one."""
    return turn.role is Role.TOOL or turn.metadata.get(STATUS) in (STATUS_PENDING, STATUS_DEAD)
