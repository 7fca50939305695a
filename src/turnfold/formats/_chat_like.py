"""Writing a view for the formats in which agent frameworks keep a chat.

Such a message goes to one provider today and to another one tomorrow, so a rendering keeps to
what all of them accept: results directly behind their calls, closed calls, a user who speaks
first, and no reasoning that is bound to a text which is not there any more.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from turnfold.errors import UnrenderableView
from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._document import TOP_LEVEL, Message, Source, require_known
from turnfold.formats._marks import BRIDGE
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._session import Session, renderable_turns
from turnfold.formats._short_inputs import shortened
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

STRIPPED: Final = "[reasoning removed]"
"""Stands in a message that was nothing but reasoning which had to go; read back it is no text."""


class Dialect(Protocol):
    """How a format spells what a rendering writes. Nothing that is given is changed."""

    def parts(self, message: Message) -> list[Any]:
        """Return the parts of a message, which a `Place` counts."""

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        """Return the message with other parts."""

    def masked(self, message: Message, text: str) -> Message:
        """Return the message with another text: ids, names and calls stay, reasoning goes (B1)."""

    def masked_part(self, part: Any, text: str) -> Any:  # noqa: ANN401  Parts are JSON.
        """Return a part with another text; a result keeps its ids and flags."""

    def closing(self, message: Message, number: int) -> Message:
        """Return the message that closes a call of a message, never as a success (A12)."""

    def said(self, text: str) -> Message:
        """Return a user message."""

    def without_reasoning(self, message: Message, *, bound_only: bool) -> Message:
        """Return the message without its reasoning, or without what is bound to a prefix."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one turn adds to a rendering: a whole message, or parts of the one at `origin`."""

    message: Message
    origin: int | None = None
    parts: list[Any] | None = None


def written_messages(
    view: CompactedView | Transcript, session: Session, dialect: Dialect, reasoning: Reasoning
) -> list[Message]:
    """Return the messages of a view; what is kept whole is the original object.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    source: Source = session.source
    turns = renderable_turns(view).turns
    require_known(turns, source)
    batches = batches_of(turns, source)
    if all(batch.turn.role is Role.SYSTEM for batch in batches):
        msg = "only system messages would be left of the view, which no provider accepts"
        raise UnrenderableView(msg, {"turns": len(turns)})
    short = shortened(
        view, source, bare=lambda message: dialect.without_reasoning(message, bound_only=True)
    )
    bridged = _opening(turns) != _opening(session.transcript)
    pieces = _Pieces(short.source, dialect).of(batches, bridged=bridged)
    return _reasoned(list(_joined(pieces, dialect)), source, dialect, reasoning)


def _opening(turns: Iterable[TranscriptTurn]) -> TranscriptTurn | None:
    """Return the turn of the model that opens the turns, None where somebody else does."""
    first = next((turn for turn in turns if turn.role is not Role.SYSTEM), None)
    return first if first is not None and first.role is Role.ASSISTANT else None


class _Pieces:
    """The pieces of a rendering, in its order."""

    def __init__(self, source: Source, dialect: Dialect) -> None:
        self._source = source
        self._dialect = dialect

    def of(self, batches: Sequence[Batch], *, bridged: bool) -> Iterator[_Piece]:
        """Yield the pieces; with a bridge where the model would open, and did not before."""
        for batch in batches:
            if bridged and batch.turn.role is not Role.SYSTEM:
                bridged = False
                if batch.turn.role is Role.ASSISTANT:
                    yield _Piece(self._dialect.said(BRIDGE))
            for turn in (batch.turn, *batch.results):
                if not self._is_top_level(turn):
                    yield self._piece(turn)
            for number in batch.to_close:
                message = self._message(batch.turn)
                yield _Piece(self._dialect.closing(message, number))

    def _is_top_level(self, turn: TranscriptTurn) -> bool:
        place = self._source.places.get(turn.turn_id)
        return place is not None and place.message == TOP_LEVEL

    def _message(self, turn: TranscriptTurn) -> Message:
        message: Message = self._source.messages[self._source.places[turn.turn_id].message]
        return message

    def _piece(self, turn: TranscriptTurn) -> _Piece:
        place = self._source.places.get(turn.turn_id)
        if place is None:
            return _Piece(self._dialect.said(turn.content))
        message = self._message(turn)
        changed = self._source.is_changed(turn)
        if place.blocks is None:
            written = self._dialect.masked(message, turn.content) if changed else message
            return _Piece(written, place.message)
        parts = [self._dialect.parts(message)[number] for number in place.blocks]
        if changed:
            parts = [self._dialect.masked_part(parts[0], turn.content)]
        return _Piece(message, place.message, parts)


def _joined(pieces: Iterable[_Piece], dialect: Dialect) -> Iterator[Message]:
    """Yield messages; parts that stand side by side and came from one message are one again."""
    held: _Piece | None = None
    for piece in pieces:
        if held is not None and held.parts is not None and held.origin == piece.origin:
            held = _Piece(held.message, held.origin, [*held.parts, *(piece.parts or ())])
            continue
        if held is not None:
            yield _whole(held, dialect)
        held = piece
    if held is not None:
        yield _whole(held, dialect)


def _whole(piece: _Piece, dialect: Dialect) -> Message:
    if piece.parts is None:
        return piece.message
    originals = dialect.parts(piece.message)
    same = len(originals) == len(piece.parts) and all(
        one is other for one, other in zip(originals, piece.parts, strict=True)
    )
    return piece.message if same else dialect.with_parts(piece.message, piece.parts)


def _reasoned(
    messages: list[Message], source: Source, dialect: Dialect, reasoning: Reasoning
) -> list[Message]:
    """Leave out reasoning from the first message on that is not where and what it was (B1)."""
    if reasoning == "keep":
        return messages
    everything = reasoning == "strip_all"
    edited = 0 if everything else _unedited(messages, source)
    stripped = [
        dialect.without_reasoning(each, bound_only=not everything) for each in messages[edited:]
    ]
    return messages[:edited] + stripped


def _unedited(messages: Sequence[Message], source: Source) -> int:
    """Return how many messages at the start of a rendering stand as the model saw them."""
    numbers = sorted({place.message for place in source.places.values()} - {TOP_LEVEL})
    same = 0
    for message, number in zip(messages, numbers, strict=False):
        if message is not source.messages[number]:
            break
        same += 1
    return same
