"""OpenTelemetry GenAI: `gen_ai.input.messages`, alone or as an attribute of a span or an event.

The attribute is a list of messages, or the JSON of one, and is written back as what it was.
`gen_ai.system_instructions` beside it is the first turn. `gen_ai.output.messages`, what the model
answered to this request, is no part of what it saw: it stays as it is, unless everything is read.

- Results stand directly behind the calls that they answer. A call that was never answered is
  closed by a text that says so; one that is still pending at the end stays open.
- A result keeps the key of its schema, `response` or the older `result`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._chat_like import written_messages
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Place, Source, finish
from turnfold.formats._faults import Fault
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rules.chat_like import Event, check_events
from turnfold.formats._session import Pins, Session, counted, is_unchanged, transcript_of
from turnfold.formats.otel_genai._read import (
    PART_KINDS,
    hosted_ids,
    is_blank,
    is_result,
    parts_of,
    read_instructions,
    read_message,
    role_of,
)
from turnfold.formats.otel_genai._write import OTelDialect
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role, Transcript
from turnfold.view import CompactedView

NAME: Final = "otel-genai"
LINES: Final = False

_INPUT: Final = "gen_ai.input.messages"
_OUTPUT: Final = "gen_ai.output.messages"
_COUNTED: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
_SYSTEM: Final = "gen_ai.system_instructions"
_RUN: Final = "pydantic_ai.all_messages"
"""Pydantic AI's span of a run has all messages of it, in the same shape and with the answer."""
_PATHS: Final[tuple[tuple[str, ...], ...]] = (
    (),
    (_INPUT,),
    ("attributes", _INPUT),
    (_RUN,),
    ("attributes", _RUN),
)
_KINDS: Final[dict[Role, Any]] = {
    Role.SYSTEM: "system",
    Role.USER: "user",
    Role.ASSISTANT: "assistant",
    Role.TOOL: "user",
}


@dataclass(frozen=True, slots=True)
class _Given:
    """Where the messages of a document are.

    Args:
        path: The keys that lead to them.
        messages: The messages.
        is_text: Whether they are written as JSON in a string.
        instructions: The system instructions beside them, read from their JSON where it is one.
    """

    path: tuple[str, ...]
    messages: list[Any]
    is_text: bool
    instructions: Any


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds messages of typed parts, as the conventions have it."""
    given = _given(document)
    return given is not None and any(map(_is_message, given.messages))


def parse(
    document: Document,
    *,
    scope: str = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read the input messages of a request, and what was answered; nothing is changed.

    A message is the turn `m{index}`; each of its results is the turn `m{index}.p{part}`. What is
    malformed is reported with its path.

    Args:
        document: The parsed JSON: the list, an object of attributes, or one with `attributes`.
        scope: `live` is what the model saw. `full` has the answer to it as the last message; of
            several answers none is a part of the conversation.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    given = _given(document)
    if given is None:
        kind = type(document).__name__
        msg = f"expected a list of messages with parts, or an object with {_INPUT!r}; got a {kind}"
        raise UnreadableTranscript(msg, {"path": _INPUT, "type": kind})
    found = Found()
    read_instructions(given.instructions, found)
    answers = _answers_of(document, given.path) if scope == "full" else []
    messages = [*given.messages, *answers]
    for index, message in enumerate(messages):
        for turn, blocks in read_message(index, message, found):
            found.add(turn, Place(index, blocks))
    if answers:
        found.count(len(given.messages), counted(_holder_of(document, given.path), *_COUNTED))
    return finish(
        NAME,
        document,
        messages,
        found,
        path=given.path,
        pins=pins,
        estimator=estimator,
        ledger=ledger,
    )


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> Document:
    """Return the document with the messages of a view in place of the input's (contract R2).

    Kept messages are the original objects, and an unchanged view is the original document.

    Args:
        view: What to render.
        session: The session that it came from.
        reasoning: By default `strip_after_edit`: reasoning that carries a signature goes behind
            the first edit. Plain reasoning, as the conventions have it, goes with `strip_all`
            only.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return source.document
    dialect = OTelDialect(source.messages)
    messages = written_messages(view, session, dialect, reasoning or "strip_after_edit")
    given = _given(source.document)
    if given is None:
        return source.with_messages(messages)
    number = len(given.messages)
    answered = {turn_id for turn_id, place in source.places.items() if place.message == number}
    if not answered:
        return _with_input(source, given, messages)
    is_kept = transcript_of(view).turns[-1].turn_id in answered
    asked, answers = (messages[:-1], messages[-1:]) if is_kept else (messages, [])
    document = _with_input(source, given, asked)
    if answers and answers[0] is source.messages[number]:
        return document
    answered_anew: Document = _with_answers(document, given.path[:-1], answers)
    return answered_anew


def _with_answers(document: Any, path: tuple[str, ...], answers: list[Any]) -> Any:  # noqa: ANN401
    """Return the document with another answer, as a list or as JSON as it was."""
    if path:
        return {**document, path[0]: _with_answers(document[path[0]], path[1:], answers)}
    is_text = isinstance(document[_OUTPUT], str)
    return {**document, _OUTPUT: json.dumps(answers, ensure_ascii=False) if is_text else answers}


def _with_input(source: Source, given: _Given, messages: list[Any]) -> Document:
    """Return the document with other input messages, as a list or as JSON as they were."""
    if not given.is_text:
        return source.with_messages(messages)
    text = json.dumps(messages, ensure_ascii=False)
    document: Any = source.document
    *above, key = given.path
    if not above:
        return {**document, key: text}
    return {**document, "attributes": {**document["attributes"], key: text}}


def check(document: Any, *, pending_ok: bool = False) -> list[Fault]:  # noqa: ANN401
    """Return every fault that a provider would find in the messages.

    Args:
        document: The parsed JSON.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    given = _given(document)
    if given is None:
        return [Fault(_INPUT, "shape", "there is no list of messages")]
    faults: list[Fault] = []
    events: list[Event] = []
    for index, message in enumerate(given.messages):
        place = f"messages[{index}]"
        role = role_of(message)
        if role is None or not isinstance(message.get("parts"), list):
            faults.append(Fault(place, "shape", "a message is an object with a role and parts"))
        else:
            events += _events_of(place, role, message)
    return faults + check_events(events, pending_ok=pending_ok, user_first=True)


def _given(document: object) -> _Given | None:
    for path in _PATHS:
        holder: object = document
        for key in path[:-1]:
            holder = holder.get(key) if isinstance(holder, dict) else None
        value = holder.get(path[-1]) if path and isinstance(holder, dict) else holder
        messages = _loaded(value) if path else value
        if isinstance(messages, list) and messages:
            beside = holder.get(_SYSTEM) if isinstance(holder, dict) else None
            return _Given(path, messages, isinstance(value, str), _loaded(beside))
    return None


def _holder_of(document: object, path: tuple[str, ...]) -> object:
    """Return the object that has the messages as an attribute; None for a list alone."""
    if not path:
        return None
    return document.get(path[0]) if len(path) > 1 and isinstance(document, dict) else document


def _answers_of(document: object, path: tuple[str, ...]) -> list[Any]:
    """Return the answer to the messages; several are choices, of which none is known to count."""
    if path[-1:] == (_RUN,):
        return []
    holder = _holder_of(document, path)
    answers = _loaded(holder.get(_OUTPUT)) if isinstance(holder, dict) else None
    if not isinstance(answers, list) or len(answers) != 1:
        return []
    return answers if role_of(answers[0]) is Role.ASSISTANT else []


def _loaded(value: object) -> object:
    """Return what a JSON text holds, and everything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _is_message(message: object) -> bool:
    if not (isinstance(message, dict) and message.get("parts")):
        return False
    return role_of(message) is not None and any(
        part.get("type") in PART_KINDS
        and (part.get("type") != "text" or isinstance(part.get("content"), str))
        for part in parts_of(message)
        if isinstance(part.get("type"), str)
    )


def _events_of(place: str, role: Role, message: dict[str, Any]) -> Iterator[Event]:
    parts = parts_of(message)
    blank = all(map(is_blank, parts))
    if role in (Role.SYSTEM, Role.ASSISTANT):
        hosted = hosted_ids(message)
        ids = [part.get("id") for part in parts if part.get("type") == "tool_call"]
        named = (each if isinstance(each, str) else "" for each in ids)
        calls = tuple(each for each in named if each not in hosted)
        yield Event(place, _KINDS[role], calls if role is Role.ASSISTANT else (), blank=blank)
        return
    results = [number for number, part in enumerate(parts) if is_result(part)]
    for number in results:
        call_id = parts[number].get("id")
        answer = call_id if isinstance(call_id, str) else ""
        yield Event(f"{place}.parts[{number}]", "result", answer=answer)
    if len(results) < len(parts) or not parts:
        yield Event(place, "user", blank=blank)
