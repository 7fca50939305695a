"""Anthropic messages: `tool_use` and `tool_result` blocks, and a system prompt beside them.

What the provider accepts, and what a rendering therefore does:

- All results of an assistant message stand in the one next user message, before any text in it.
- The first message is a user message; where the view begins otherwise, a bridge stands before it.
- A system message within the list follows a user message, or an assistant message that ends in a
  result of a server tool, and stands before an assistant message or at the end.
- A call that was never answered is closed as an error; one still pending at the end stays open.
"""

from collections.abc import Mapping
from typing import Any, Final

from turnfold.formats._alternation import (
    Alternation,
    alternating,
    alternation_faults,
    joined,
)
from turnfold.formats._anthropic_read import is_result, is_thinking, read_message, read_system
from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._document import (
    DEFAULT_PINS,
    TOP_LEVEL,
    Document,
    Found,
    Message,
    Place,
    Source,
    finish,
    messages_of,
    require_known,
    shape_of,
)
from turnfold.formats._faults import Fault
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, NO_WORDS
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._rules.anthropic import check_anthropic
from turnfold.formats._session import Pins, Session, is_unchanged, renderable_turns
from turnfold.formats._short_inputs import shortened
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "anthropic-messages"
LINES: Final = False
ALTERNATES: Final = True

_MUST_ALTERNATE: Final = (
    'messages: roles must alternate between "user" and "assistant", but found multiple "{side}" '
    "roles in a row"
)


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds Anthropic messages."""
    return shape_of(document) == "anthropic"


def parse(
    document: Document,
    *,
    scope: str = "live",  # noqa: ARG001  A document has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a list of messages, or a request with `messages` and `system`; it is never changed.

    The system prompt is the turn `system`, an assistant message one turn `m{index}`. Each result
    of a user message is a turn `m{index}.b{block}`, and what else stands in the message one turn
    after them. What is malformed is reported with its path (contract R4).

    Args:
        document: The parsed JSON.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    messages = messages_of(document)
    found = Found()
    read_system(document, found)
    for index, message in enumerate(messages):
        read_message(index, message, found)
    return finish(NAME, document, messages, found, pins=pins, estimator=estimator, ledger=ledger)


def check(
    document: object, *, pending_ok: bool = False, alternation: Alternation | None = None
) -> list[Fault]:
    """Return every fault for which the provider would refuse a history; empty where there is none.

    Args:
        document: A list of messages, or an object with `messages`.
        pending_ok: Whether calls at the very end may wait for their results.
        alternation: With `strict`, messages of one role in a row are faults too.

    Raises:
        UnreadableTranscript: It is neither.
    """
    messages = messages_of(document)
    faults = check_anthropic(messages, pending_ok=pending_ok)
    if alternation is not None:
        faults += alternation_faults(messages, "messages", _side_of, _MUST_ALTERNATE)
    return faults


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,
    alternation: Alternation | None = None,
) -> Document:
    """Return the messages of a view in the wrapper of the input (contract R2).

    Kept messages are the original objects, and an unchanged view is the original document.

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What becomes of thinking blocks; by default those after the first edit are left
            out, because a model that binds them to their prefix refuses them. The current tool
            loop keeps its own.
        alternation: `strict` makes one message of those of one role that stand in a row.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session) and alternation is None:
        return source.document
    turns = renderable_turns(view).turns
    require_known(turns, source)
    source = shortened(view, source, bare=_without_thinking).source
    writer = _Writer(source, stripped_turns(view, session, reasoning or "strip_after_edit"))
    writer.write(_with_systems_in_place(batches_of(turns, source)))
    messages = writer.messages
    if alternation is not None:
        messages = alternating(messages, _side_of, _joined)
        if messages == list(source.messages) and _keeps_system(turns, source):
            return source.document
    document = source.with_messages(messages)
    if isinstance(document, dict) and not _keeps_system(turns, source):
        return {key: value for key, value in document.items() if key != "system"}
    return document


def _side_of(message: Mapping[str, Any]) -> object:
    return message.get("role")


def _joined(first: Message, second: Message) -> Message:
    """Return two messages as one; results stay before any other block."""
    message = joined(first, second)
    if isinstance(message["content"], list):
        message["content"] = sorted(message["content"], key=lambda block: not is_result(block))
    return message


def _keeps_system(turns: tuple[TranscriptTurn, ...], source: Source) -> bool:
    top = Place(TOP_LEVEL)
    return top not in source.places.values() or any(
        source.places.get(turn.turn_id) == top for turn in turns
    )


def _with_systems_in_place(batches: list[Batch]) -> list[Batch]:
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


class _Writer:
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
            message = _without_thinking(message)
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


def _without_thinking(message: Message) -> Message:
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
