"""A conversation that is a list of items: writing a view of it, kept items as they were."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._document import Message, Source, require_known
from turnfold.formats._session import renderable_turns
from turnfold.formats._short_inputs import items_at, shortened
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

Item = Any

_SIGNED: Final = ("thinking_blocks", "reasoning_details")


def _as_it_is(item: Item, _turn: TranscriptTurn) -> Item:
    return item


def without_signed_reasoning(message: Message) -> Message:
    """Return a chat message without what a provider signed; plain reasoning stays (B5)."""
    if not any(message.get(key) for key in _SIGNED):
        return message
    return {key: value for key, value in message.items() if key not in _SIGNED}


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a format spells what turnfold writes.

    Args:
        summary: A summary's turn as an item.
        masked: An item with another text in place of its own.
        closing: The result that closes a call: the item that makes it, its number in the item.
        kept: A kept item of a turn; by default as it is.
        bare: An item of the model without the reasoning that is bound to what it was.
    """

    summary: Callable[[TranscriptTurn], Item]
    masked: Callable[[Item, str], Item]
    closing: Callable[[Item, int], Item]
    kept: Callable[[Item, TranscriptTurn], Item] = _as_it_is
    bare: Callable[[Item], Item] = without_signed_reasoning


def written_batches(
    view: CompactedView | Transcript, source: Source, spelling: Spelling
) -> list[list[Item]]:
    """Return the items of a view, batch by batch; kept ones are the original objects.

    Results stand directly behind their calls, and calls that were given up are closed (A12).

    Raises:
        UnrenderableView: Nothing but SYSTEM turns would be left, or a turn has no original.
    """
    turns = renderable_turns(view).turns
    require_known(turns, source)
    source = shortened(view, source, bare=spelling.bare, numbers=items_at).source
    return [_items_of(batch, source, spelling) for batch in batches_of(turns, source)]


def _items_of(batch: Batch, source: Source, spelling: Spelling) -> list[Item]:
    items = _originals(batch.turn, source)
    closings = [spelling.closing(*_call_of(items, number)) for number in batch.to_close]
    written = [
        item for turn in (batch.turn, *batch.results) for item in _written(turn, source, spelling)
    ]
    return written + closings


def _call_of(items: list[Item], number: int) -> tuple[Item, int]:
    """Return the item that makes a call, and the number of the call in it."""
    return (items[min(number, len(items) - 1)], 0) if len(items) > 1 else (items[0], number)


def _written(turn: TranscriptTurn, source: Source, spelling: Spelling) -> list[Item]:
    items = _originals(turn, source)
    if not items:
        return [spelling.summary(turn)]
    if not source.is_changed(turn):
        return [spelling.kept(item, turn) for item in items]
    first, *others = items
    return [spelling.masked(first, turn.content), *(spelling.masked(each, "") for each in others)]


def _originals(turn: TranscriptTurn, source: Source) -> list[Item]:
    place = source.places.get(turn.turn_id)
    if place is None:
        return []
    return [source.messages[each] for each in place.blocks or (place.message,)]


def flat(batches: list[list[Item]]) -> list[Item]:
    """Return the items of batches, in order."""
    return [item for batch in batches for item in batch]


def call_id_of(message: Message, number: int) -> str | None:
    """Return the id of a call of a chat message, empty where it has none; None for no such call."""
    listed = message.get("tool_calls")
    calls = [call for call in (listed if isinstance(listed, list) else ()) if type(call) is dict]
    if number >= len(calls):
        return None
    call_id = calls[number].get("id")
    return call_id if isinstance(call_id, str) else ""
