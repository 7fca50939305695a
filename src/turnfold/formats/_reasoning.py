"""Reasoning that is bound to what stands before it (known failures B1 to B5).

A provider may bind a thinking block, or a reasoning item, to all that stands before it. Once a
turn before it was masked, dropped or summarised, Anthropic refuses the block and OpenAI ignores
it. What was reasoned before the first edit stays good.
"""

from typing import Literal

from turnfold.formats._session import Session, transcript_of
from turnfold.transcript import Transcript
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
