"""Masked inputs in a rendering: a turn whose calls stay, with stubs for the long values in them.

What masks inputs leaves a turn's words, so that its message is written as a kept one is: the
original with less in its calls. Copies of the same values in it go too. A thinking block or a
reasoning item is bound to the message as it was, so that the format leaves it out (B1).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from turnfold._metadata import KIND, KIND_MASKED
from turnfold.formats._document import Place, Source
from turnfold.formats._session import transcript_of
from turnfold.tokens._inputs import ShortInputs, short_inputs
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

Shorten = Callable[[Any, ShortInputs], Any]


class Shortened(NamedTuple):
    """A source that holds the messages with short inputs, and the turns that they are of."""

    source: Source
    turn_ids: frozenset[str]


def short_inputs_of(turn: TranscriptTurn, content: str, calls: int) -> ShortInputs | None:
    """Return what a masked turn holds instead of its inputs; None where it is masked otherwise.

    Args:
        turn: The turn of a view.
        content: Its content as it was read.
        calls: How many calls it makes.
    """
    if turn.role is not Role.ASSISTANT or turn.metadata.get(KIND) != KIND_MASKED:
        return None
    if turn.content == content:
        return None
    short = short_inputs(content, calls)
    return short if short is not None and short.content == turn.content else None


def _all_of(message: Any, short: ShortInputs) -> Any:  # noqa: ANN401  JSON.
    return short.within(message)


def _as_it_is(message: Any) -> Any:  # noqa: ANN401  JSON.
    return message


def _one(place: Place) -> Sequence[int]:
    return (place.message,)


def items_at(place: Place) -> Sequence[int]:
    """Return the numbers of the messages of a turn whose place counts messages."""
    return place.blocks or (place.message,)


def shortened(
    view: CompactedView | Transcript,
    source: Source,
    *,
    shorten: Shorten = _all_of,
    bare: Callable[[Any], Any] = _as_it_is,
    numbers: Callable[[Place], Sequence[int]] = _one,
) -> Shortened:
    """Return a source in which the turns whose inputs a view masks are as the view has them.

    Args:
        view: The view.
        source: What it was made from; never changed.
        shorten: Returns a message with short inputs, where it holds more than the turn.
        bare: Returns a message without the reasoning that is bound to what it was.
        numbers: The numbers of the messages of a turn.
    """
    found = short_inputs_in(view, source)
    if not found:
        return Shortened(source, frozenset())
    messages, turns = list(source.messages), list(source.turns)
    for position, (turn, place) in enumerate(turns):
        short = found.get(turn.turn_id)
        if short is not None:
            turns[position] = (replace(turn, content=short.content), place)
            for number in numbers(place):
                messages[number] = bare(shorten(messages[number], short))
    return Shortened(replace(source, messages=messages, turns=turns), frozenset(found))


def short_inputs_in(view: CompactedView | Transcript, source: Source) -> dict[str, ShortInputs]:
    """Return what the turns hold whose inputs a view masks, by their ids."""
    found: dict[str, ShortInputs] = {}
    for turn in transcript_of(view):
        calls = source.calls.get(turn.turn_id)
        if calls:
            short = short_inputs_of(turn, source.contents[turn.turn_id], len(calls))
            if short is not None:
                found[turn.turn_id] = short
    return found
