"""Writing Gemini contents, for every format that holds them.

What the provider accepts, and what a rendering therefore does:

- All responses to the calls of a model content stand in the one next content.
- A call stands directly after a user's content or after responses, and never opens a history:
  where it would, a bridge stands before it.
- A call that was never answered is closed with an error; one still pending at the end stays open.
- The calls of the current turn keep their signatures on their own parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from turnfold.formats._batches import Batch
from turnfold.formats._document import TOP_LEVEL, Source
from turnfold.formats._gemini_read import (
    Object,
    call_of,
    closing_part,
    is_signed,
    is_thought,
    masked_response,
    response_key,
    response_of,
    without_signature,
)
from turnfold.formats._marks import BRIDGE
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._session import Session, transcript_of
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView


class Holder(Protocol):
    """How a format holds a content in a message."""

    one_content: bool
    """Whether all responses have to stand in one message; else the messages stay apart."""

    def content_of(self, message: Any) -> Object:  # noqa: ANN401  A message has any shape.
        """Return the content of a message."""

    def with_content(self, message: Any, content: Object) -> object:  # noqa: ANN401
        """Return a message with another content."""

    def is_model(self, message: Any) -> bool:  # noqa: ANN401
        """Whether the model said a message."""

    def new(self, content: Object, near: Any, name: str) -> object:  # noqa: ANN401
        """Return a message that the source does not hold, beside one that it holds."""

    def continues(self, before: object, message: object) -> bool:
        """Whether two messages of the model stand as one speaker's."""


@dataclass(slots=True)
class _Results:
    """The responses, and what stands in one message with them."""

    origin: int | None
    parts: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stripping:
    """Which turns lose their thoughts, and from which on signatures have to stay.

    Args:
        turn_ids: The turns that lose summaries of thoughts.
        signed_ids: The turns of the current turn, whose calls keep their signatures.
    """

    turn_ids: frozenset[str]
    signed_ids: frozenset[str]


def stripping(
    view: CompactedView | Transcript,
    session: Session,
    reasoning: Reasoning | None,
    changed: frozenset[str],
) -> Stripping:
    """Return what is left out; by default nothing: signatures hold whatever stands before (B4).

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What was asked for.
        changed: Turns with short inputs, which their signatures do not hold for (B1).
    """
    turns = transcript_of(view).turns
    stripped = stripped_turns(view, session, reasoning or "keep", keeps_loop=False)
    last = max((at for at, turn in enumerate(turns) if turn.role is Role.USER), default=-1)
    return Stripping(stripped | changed, frozenset(turn.turn_id for turn in turns[last + 1 :]))


class Writer:
    """Writes messages one after the other; what is kept whole is the original object."""

    def __init__(self, source: Source, holder: Holder, strips: Stripping) -> None:
        self.messages: list[Any] = []
        self._source = source
        self._holder = holder
        self._strips = strips

    def write(self, batches: Sequence[Batch]) -> None:
        """Write the messages of all turns."""
        joined: set[str] = set()
        for number, batch in enumerate(batches):
            turn = batch.turn
            if turn.turn_id in joined or self._number_of(turn) == TOP_LEVEL:
                continue
            if turn.role is Role.ASSISTANT:
                self._write_model(turn)
                joined |= self._write_results(batches, number)
            else:
                self._write_user(turn, batches[number + 1 :])

    def _number_of(self, turn: TranscriptTurn) -> int | None:
        place = self._source.places.get(turn.turn_id)
        return None if place is None else place.message

    def _message(self, turn: TranscriptTurn) -> Any:  # noqa: ANN401
        return self._source.messages[self._source.places[turn.turn_id].message]

    def _write_model(self, turn: TranscriptTurn) -> None:
        original = self._message(turn)
        message = self._stripped(turn, original)
        if self._needs_bridge(original):
            bridge = {"role": "user", "parts": [{"text": BRIDGE}]}
            self.messages.append(self._holder.new(bridge, original, f"bridge/{turn.turn_id}"))
        if self._source.is_changed(turn):
            content = self._holder.content_of(message)
            calls = [part for part in content["parts"] if call_of(part) is not None]
            changed = {**content, "parts": [{"text": turn.content}, *calls]}
            message = self._holder.with_content(message, changed)
        self.messages.append(message)

    def _needs_bridge(self, message: object) -> bool:
        if not self.messages:
            return True
        last = self.messages[-1]
        if not self._holder.is_model(last):
            return False
        parts = self._holder.content_of(message)["parts"]
        has_call = any(call_of(part) is not None for part in parts)
        return has_call and self._holder.continues(last, message)

    def _stripped(self, turn: TranscriptTurn, message: Any) -> Any:  # noqa: ANN401
        """Return a message without its thoughts, where they go and something else is left."""
        if turn.turn_id not in self._strips.turn_ids:
            return message
        content = self._holder.content_of(message)
        parts = content["parts"]
        kept = [part for part in parts if not is_thought(part)]
        if turn.turn_id not in self._strips.signed_ids:
            kept = [without_signature(part) if is_signed(part) else part for part in kept]
            kept = [part for part in kept if part and part != {"text": ""}]
        if kept == parts or not kept:
            return message
        return self._holder.with_content(message, {**content, "parts": kept})

    def _write_user(self, turn: TranscriptTurn, following: Sequence[Batch]) -> None:
        place = self._source.places.get(turn.turn_id)
        if place is None:
            content = {"role": "user", "parts": [{"text": turn.content}]}
            near = self._near(following)
            self.messages.append(self._holder.new(content, near, turn.turn_id))
            return
        message = self._message(turn)
        if place.blocks is not None or self._source.is_changed(turn):
            content = self._holder.content_of(message)
            message = self._holder.with_content(message, {**content, "parts": self._parts(turn)})
        self.messages.append(message)

    def _near(self, following: Sequence[Batch]) -> object:
        """Return the message after a new one, or else the one before it."""
        for batch in following[:1]:
            number = self._number_of(batch.turn)
            if number is not None and number != TOP_LEVEL:
                return self._source.messages[number]
        return self.messages[-1] if self.messages else None

    def _parts(self, turn: TranscriptTurn) -> list[Any]:
        """Return the parts of a user's turn or of a response."""
        place = self._source.places[turn.turn_id]
        parts = self._holder.content_of(self._message(turn))["parts"]
        chosen = parts if place.blocks is None else [parts[number] for number in place.blocks]
        if not self._source.is_changed(turn):
            return list(chosen)
        if turn.role is not Role.TOOL:
            return [{"text": turn.content}]
        part = chosen[0]
        failed = turn.metadata.get("turnfold.status") == "error"
        response = masked_response(response_of(part) or {}, turn.content, failed=failed)
        return [{**part, response_key(part): response}]

    def _write_results(self, batches: Sequence[Batch], number: int) -> set[str]:
        """Write the responses to a batch's calls; return the texts that stand with them."""
        batch = batches[number]
        groups: list[_Results] = []
        for turn in batch.results:
            origin = self._number_of(turn)
            if not groups or not (self._holder.one_content or groups[-1].origin == origin):
                groups.append(_Results(origin))
            groups[-1].parts += self._parts(turn)
        if batch.to_close and not groups:
            groups.append(_Results(None))
        calls = self._calls(batch.turn)
        for index in batch.to_close:
            groups[-1].parts.append(closing_part(calls[index]))
        origins = {self._number_of(turn) for turn in batch.results}
        texts = self._texts_of(batches[number + 1 :], origins)
        for turn in texts:
            fitting = [each for each in groups if each.origin == self._number_of(turn)]
            (fitting or groups)[-1].parts += self._parts(turn)
        for group in groups:
            self.messages.append(self._results_message(group, batch.turn))
        return {turn.turn_id for turn in texts}

    def _texts_of(
        self, following: Sequence[Batch], origins: set[int | None]
    ) -> list[TranscriptTurn]:
        """Return the turns directly behind a batch that stood in one message with a response."""
        texts = []
        for batch in following:
            number = self._number_of(batch.turn)
            if number is None or number not in origins:
                break
            texts.append(batch.turn)
        return texts

    def _calls(self, turn: TranscriptTurn) -> list[Any]:
        parts = self._holder.content_of(self._message(turn))["parts"]
        return [part for part in parts if call_of(part) is not None]

    def _results_message(self, group: _Results, caller: TranscriptTurn) -> object:
        if group.origin is None:
            content = {"role": "user", "parts": group.parts}
            return self._holder.new(content, self._message(caller), f"{caller.turn_id}/closed")
        original = self._source.messages[group.origin]
        content = self._holder.content_of(original)
        if set(map(id, content["parts"])) == set(map(id, group.parts)):
            return original
        return self._holder.with_content(original, {**content, "parts": group.parts})
