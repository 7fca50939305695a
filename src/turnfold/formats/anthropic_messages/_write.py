"""Writing the messages of a view, in the order that Anthropic accepts."""

from typing import Any

from turnfold.formats._anthropic_read import is_thinking
from turnfold.formats._batches import Batch
from turnfold.formats._document import TOP_LEVEL, Message, Source
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, NO_WORDS
from turnfold.transcript import Role, TranscriptTurn


class Writer:
    """Writes messages one after the other; what is kept whole is the original object."""

    def __init__(self, source: Source, stripped: frozenset[str]) -> None:
        self.messages: list[Any] = []
        self._source = source
        self._stripped = stripped

    def write(self, batches: list[Batch]) -> None:
        """Write the messages of all turns."""
        joined: set[str] = set()
        for number, batch in enumerate(batches):
            if batch.turn.turn_id in joined or self._is_top_level(batch.turn):
                continue
            if batch.turn.role is Role.SYSTEM:
                self._write_system(batch.turn)
            elif batch.turn.role is Role.ASSISTANT:
                self._write_assistant(batch.turn)
                joined |= self._write_results(batches, number)
            else:
                self._write_user(batch.turn)

    def _is_top_level(self, turn: TranscriptTurn) -> bool:
        place = self._source.places.get(turn.turn_id)
        return place is not None and place.message == TOP_LEVEL

    def _original(self, turn: TranscriptTurn) -> Message:
        original: Message = self._source.messages[self._source.places[turn.turn_id].message]
        return original

    def _write_bridge(self) -> None:
        self.messages.append({"role": "user", "content": BRIDGE})

    def _write_system(self, turn: TranscriptTurn) -> None:
        last = self.messages[-1] if self.messages else None
        if last is None or (last["role"] == "assistant" and not _ends_in_server_result(last)):
            self._write_bridge()
        self.messages.append(self._with_content(turn))

    def _write_assistant(self, turn: TranscriptTurn) -> None:
        if not self.messages:
            self._write_bridge()
        message = self._original(turn)
        if self._source.is_changed(turn):
            # Signed thinking holds for the unchanged message only, so none of it stays.
            content = message["content"]
            calls = content if isinstance(content, list) else ()
            kept = [block for block in calls if _is_call(block)]
            message = {**message, "content": [{"type": "text", "text": turn.content}, *kept]}
        elif turn.turn_id in self._stripped:
            message = without_thinking(message)
        self.messages.append(message)

    def _write_user(self, turn: TranscriptTurn) -> None:
        if turn.turn_id not in self._source.places:
            self.messages.append({"role": "user", "content": turn.content})
        else:
            self.messages.append(self._with_content(turn))

    def _with_content(self, turn: TranscriptTurn) -> Message:
        message = self._original(turn)
        if self._source.is_changed(turn):
            return {**message, "content": turn.content}
        if self._source.places[turn.turn_id].blocks is None:
            return message
        return {**message, "content": self._blocks_of(turn)}

    def _write_results(self, batches: list[Batch], number: int) -> set[str]:
        """Write the one user message of a batch's results; return the texts that stand in it."""
        batch = batches[number]
        origins = [self._source.places[turn.turn_id].message for turn in batch.results]
        texts = []
        for following in range(number + 1, len(batches)):
            turn = batches[following].turn
            place = self._source.places.get(turn.turn_id)
            if place is None or place.message not in origins:
                break
            texts.append(turn)
        blocks = [block for turn in batch.results for block in self._blocks_of(turn)]
        blocks += self._closings(batch)
        blocks += [block for turn in texts for block in self._blocks_of(turn)]
        if blocks:
            original = self._source.messages[origins[0]] if origins else {"role": "user"}
            kept = original.get("content") == blocks
            self.messages.append(original if kept else {**original, "content": blocks})
        return {turn.turn_id for turn in texts}

    def _blocks_of(self, turn: TranscriptTurn) -> list[Any]:
        place = self._source.places[turn.turn_id]
        content = self._original(turn)["content"]
        blocks = [content[number] for number in place.blocks or ()]
        if not self._source.is_changed(turn):
            return blocks
        if turn.role is Role.TOOL:
            return [{**block, "content": turn.content} for block in blocks]
        return [{"type": "text", "text": turn.content}]

    def _closings(self, batch: Batch) -> list[Any]:
        calls = self._source.calls.get(batch.turn.turn_id, ())
        return [
            {
                "type": "tool_result",
                "tool_use_id": calls[number],
                "content": CLOSED_CALL,
                "is_error": True,
            }
            for number in batch.to_close
        ]


def with_systems_in_place(batches: list[Batch]) -> list[Batch]:
    """Move each system message down to before the next assistant message, or to the end."""
    placed: list[Batch] = []
    waiting: list[Batch] = []
    for batch in batches:
        if batch.turn.role is Role.SYSTEM:
            waiting.append(batch)
            continue
        if batch.turn.role is Role.ASSISTANT:
            placed += waiting
            waiting = []
        placed.append(batch)
    return placed + waiting


def without_thinking(message: Message) -> Message:
    content = message.get("content")
    if not isinstance(content, list) or not any(map(is_thinking, content)):
        return message
    kept = [block for block in content if not is_thinking(block)]
    return {**message, "content": kept or [{"type": "text", "text": NO_WORDS}]}


def _is_call(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_use"


def _ends_in_server_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    last = content[-1] if isinstance(content, list) and content else None
    return isinstance(last, dict) and str(last.get("type")).endswith("_tool_result")
