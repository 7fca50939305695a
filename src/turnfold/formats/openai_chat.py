"""OpenAI chat completions: messages with `tool_calls` and role `tool`.

What the provider accepts, and what a rendering therefore does:

- Every call of an assistant message is answered by a `tool` message before any other role
  follows. Results stand directly after their assistant message, whatever stood between.
- A call that was never answered is closed by a text that says so, never as a success; one that
  is still pending at the end stays open.
- A `tool` message answers a call before it. An orphan is left out.
"""

from collections.abc import Mapping
from typing import Any, Final

from turnfold.formats._alternation import (
    Alternation,
    alternating,
    alternation_faults,
    joined,
)
from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._document import (
    DEFAULT_PINS,
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
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats._openai_read import REASONING_KEYS, read_message
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._rewrite import without_signed_reasoning
from turnfold.formats._rules.openai import check_openai_chat
from turnfold.formats._session import Pins, Session, is_unchanged, renderable_turns
from turnfold.formats._short_inputs import shortened
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "openai-chat"
LINES: Final = False
ALTERNATES: Final = True

_MUST_ALTERNATE: Final = "Conversation roles must alternate user/assistant/user/assistant/..."


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds chat completion messages."""
    return shape_of(document) == "openai"


def parse(
    document: Document,
    *,
    scope: str = "live",  # noqa: ARG001  A document has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a list of messages, or an object with `messages`; it is never changed.

    A message is a turn `m{index}`. One that is malformed is reported with its path, is no turn,
    and stays in a rendering of the unchanged session (contract R4).

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
    for index, message in enumerate(messages):
        turn = read_message(index, message, found)
        if turn is not None:
            found.add(turn, Place(index))
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
    faults = check_openai_chat(messages, pending_ok=pending_ok)
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
        reasoning: What becomes of what servers put beside the content, as `reasoning_content`; by
            default it is kept, because some want it back. Left out, the key stays and is empty.
        alternation: `strict` makes one message of those of one role that stand in a row.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session) and alternation is None:
        return source.document
    turns = renderable_turns(view).turns
    require_known(turns, source)
    source = shortened(view, source, bare=without_signed_reasoning).source
    stripped = stripped_turns(view, session, reasoning or "keep")
    messages = [
        _without_reasoning(message) if batch.turn.turn_id in stripped else message
        for batch in batches_of(turns, source)
        for message in _messages_of(batch, source)
    ]
    if alternation is not None:
        messages = alternating(_begun_by_a_user(messages), _side_of, _joined)
        if messages == list(source.messages):
            return source.document
    return source.with_messages(messages)


def _side_of(message: Mapping[str, Any]) -> object:
    """Return the role of a message; the results of a batch are messages in a row."""
    role = message.get("role")
    return None if role in ("tool", "function") else role


def _begun_by_a_user(messages: list[Message]) -> list[Message]:
    """Put a bridge where the model would speak first, which such templates refuse too."""
    for number, message in enumerate(messages):
        if message["role"] not in ("system", "developer"):
            bridge = [{"role": "user", "content": BRIDGE}] * (message["role"] == "assistant")
            return [*messages[:number], *bridge, *messages[number:]]
    return messages


def _joined(first: Message, second: Message) -> Message:
    return joined(first, second, "tool_calls", *REASONING_KEYS)


def _without_reasoning(message: Message) -> Message:
    """Empty what a message holds of reasoning; a server may want the keys (known failure B5)."""
    emptied = {
        key: "" if isinstance(message[key], str) else []
        for key in REASONING_KEYS
        if message.get(key)
    }
    return {**message, **emptied} if emptied else message


def _messages_of(batch: Batch, source: Source) -> list[Message]:
    message = _message_of(batch.turn, source)
    results = [_message_of(turn, source) for turn in batch.results]
    if not batch.to_close:
        return [message, *results]
    closings = _closings(message)
    return [message, *results, *(closings[number] for number in batch.to_close)]


def _message_of(turn: TranscriptTurn, source: Source) -> Message:
    place = source.places.get(turn.turn_id)
    if place is None:
        return {"role": "user", "content": turn.content}
    message: Message = source.messages[place.message]
    return {**message, "content": turn.content} if source.is_changed(turn) else message


def _closings(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return for each call of a message, in order, the message that would close it."""
    calls = message.get("tool_calls")
    closings: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": call.get("id") or "", "content": CLOSED_CALL}
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict)
    ]
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        name = legacy.get("name")
        closings.append({"role": "function", "name": name or "", "content": CLOSED_CALL})
    return closings
