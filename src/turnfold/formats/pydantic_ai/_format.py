"""Pydantic AI: the message history of `ModelMessagesTypeAdapter`.

A history is a list of requests and responses. A request holds system prompts, results and what
the user says as parts, so several turns stand in one request; a rendering builds its parts again
in order. The framework is not imported.

- The tool returns of a response stand at the head of the request behind it. A call that was never
  answered is closed as `interrupted`; one that is still pending at the end stays open.
- A request comes first where one did before.
- The instructions of the newest request are a turn, and stay on the newest request.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._chat_like import written_messages
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Place, Source, finish
from turnfold.formats._faults import Fault
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rules.chat_like import Event, check_events
from turnfold.formats._session import Pins, Session, counted, counted_in_all, is_unchanged
from turnfold.formats.pydantic_ai._read import (
    INSTRUCTIONS,
    call_parts,
    is_blank,
    is_result,
    parts_of,
    read_instructions,
    read_message,
)
from turnfold.formats.pydantic_ai._write import PydanticAIDialect, with_instructions
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

NAME: Final = "pydantic-ai"
LINES: Final = False

_KINDS: Final = ("request", "response")
_PATHS: Final[tuple[tuple[str, ...], ...]] = ((), ("messages",), ("all_messages",))


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds requests and responses of Pydantic AI."""
    try:
        _, messages = _messages_of(document)
    except UnreadableTranscript:
        return False
    return any(
        _is_message(each) and any("part_kind" in part for part in parts_of(each))
        for each in messages
    )


def parse(
    document: Document,
    *,
    scope: str = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a message history; it is never changed.

    A response is the turn `m{index}`. Each part of a request is the turn `m{index}.p{part}`, or
    `m{index}` where it is alone. What is malformed is reported with its path.

    Args:
        document: The parsed JSON: the list, or an object with `messages` or `all_messages`.
        scope: `live` begins at the newest compaction that is in the history, after the system
            prompts; `full` reads all.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    path, messages = _messages_of(document)
    start = _live_start(messages) if scope == "live" else 0
    found = Found()
    read_instructions(messages, found)
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if not _is_message(message):
            found.report(place, "a message is an object of the kind `request` or `response`")
        elif not isinstance(message.get("parts"), list):
            found.report(f"{place}.parts", "a message holds a list of parts")
        else:
            for turn, blocks in read_message(index, message, found, live=index >= start):
                found.add(turn, Place(index, blocks))
            found.count(index, _tokens(message.get("usage")))
    return finish(
        NAME, document, messages, found, path=path, pins=pins, estimator=estimator, ledger=ledger
    )


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> Document:
    """Return the messages of a view in the wrapper of the input (contract R2).

    Kept responses, and requests that are kept whole, are the original objects; an unchanged view
    is the original document.

    Args:
        view: What to render.
        session: The session that it came from.
        reasoning: By default `strip_after_edit`: signed thinking behind the first edit goes.
            Plain thinking, which is bound to nothing, goes with `strip_all` only.

    Raises:
        UnrenderableView: Nothing but system prompts would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return source.document
    dialect = PydanticAIDialect()
    messages = written_messages(view, session, dialect, reasoning or "strip_after_edit")
    return source.with_messages(with_instructions(messages, source.contents.get(INSTRUCTIONS)))


def check(document: Any, *, pending_ok: bool = False) -> list[Fault]:  # noqa: ANN401
    """Return every fault that a provider would find once the messages are converted.

    Args:
        document: The parsed JSON.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    try:
        _, messages = _messages_of(document)
    except UnreadableTranscript as fault:
        return [Fault("messages", "shape", str(fault))]
    faults: list[Fault] = []
    events: list[Event] = []
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if not _is_message(message) or not isinstance(message.get("parts"), list):
            faults.append(Fault(place, "shape", "a message is a request or response with parts"))
        elif message["kind"] == "response":
            events.append(_event_of_response(place, message))
        else:
            events += _events_of_request(place, message)
    return faults + check_events(events, pending_ok=pending_ok, user_first=True)


def _messages_of(document: object) -> tuple[tuple[str, ...], list[Any]]:
    for path in _PATHS:
        value = document
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, list) and value:
            return path, value
    kind = type(document).__name__
    msg = (
        "expected a list of requests and responses, or an object with `messages` or "
        f"`all_messages` in which there is one; found a {kind} without"
    )
    raise UnreadableTranscript(msg, {"path": "messages", "type": kind})


def _is_message(message: object) -> bool:
    return isinstance(message, dict) and message.get("kind") in _KINDS


def _tokens(usage: object) -> int:
    """Return the size of a request and its response; cached tokens are a part of the input."""
    return counted(usage, "input_tokens", "output_tokens") or counted_in_all(
        usage, "total_tokens", "request_tokens", "response_tokens"
    )


def _live_start(messages: list[Any]) -> int:
    """Return the place of the newest message with a compaction: what stands before is replaced."""
    starts = [
        index
        for index, message in enumerate(messages)
        if _is_message(message)
        and any(part.get("part_kind") == "compaction" for part in parts_of(message))
    ]
    return starts[-1] if starts else 0


def _event_of_response(place: str, message: Mapping[str, Any]) -> Event:
    ids = [part.get("tool_call_id") for part in call_parts(message)]
    calls = tuple(each if isinstance(each, str) else "" for each in ids)
    blank = not calls and all(map(is_blank, parts_of(message)))
    return Event(place, "assistant", calls, blank=blank)


def _events_of_request(place: str, message: Mapping[str, Any]) -> Iterator[Event]:
    for number, part in enumerate(parts_of(message)):
        at, kind = f"{place}.parts[{number}]", part.get("part_kind")
        if is_result(part):
            call_id = part.get("tool_call_id")
            yield Event(at, "result", answer=call_id if isinstance(call_id, str) else "")
        elif kind == "system-prompt":
            yield Event(at, "system", blank=is_blank(part))
        else:
            yield Event(at, "user", blank=is_blank(part))
