"""Parsing a Gemini CLI session, and telling one by its content."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.errors import UnreadableTranscript
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import DEFAULT_PINS, Found, Place, finish
from turnfold.formats._either import Given, opened
from turnfold.formats._gemini_read import (
    Object,
    call_of,
    gather_part,
    gather_response,
    response_of,
    string_of,
)
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered
from turnfold.formats._roles import ASSISTANT, TOOL, USER
from turnfold.formats._session import Pins, Session, counted_in_all
from turnfold.formats.gemini_cli._recording import Recording, is_head, is_recording, session_in
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator

NAME: Final = "gemini-cli"
LINES: Final = False

_SPOKEN: Final = frozenset(("user", "gemini"))
_SIDE: Final = frozenset(("info", "error", "warning"))
_FAILED: Final = frozenset(("error", "cancelled"))
_UNSENT: Final = ("/", "?", "<session_context>", "<hook_context>")
"""What a user's message begins with that the client does not send again."""

_SNAPSHOT: Final = "<state_snapshot>"
"""What the client's own summary begins with."""

_COUNTED: Final = ("input", "output", "thoughts", "tool")
"""What makes up the total; the cached tokens are a part of the input."""


def matches(document: object) -> bool:
    """Whether a parsed JSON document is a Gemini CLI session."""
    if not isinstance(document, dict) or not isinstance(document.get("sessionId"), str):
        return False
    messages = document.get("messages")
    known = isinstance(document.get("projectHash"), str) or "startTime" in document
    return known and isinstance(messages, list) and any(map(_is_typical, messages))


def _is_typical(message: object) -> bool:
    if not isinstance(message, dict) or "role" in message:
        return False
    kind = message.get("type")
    return isinstance(kind, str) and kind in _SPOKEN


def matches_lines(first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are the first records of a newer client's recording."""
    return bool(first_records) and is_head(first_records[0])


def parse(
    source: Given,
    *,
    scope: str = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a session with `messages`, or a recording in lines; it is never changed.

    A message is a turn with its id, and each result of its calls a turn `{id}.r{call}`. The
    client's notes to the user, slash commands and blank messages are side records: the model never
    sees them. What is malformed is reported with its path (contract R4).

    Args:
        source: The parsed JSON, or the bytes of a session or of a recording.
        scope: Of a recording, `live` is what the client would send, and `full` has the messages
            too that were taken back or replaced. A session has one scope.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    held = opened(source)
    damage = list(held.damage)
    document = session_in(held, scope, damage)
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list):
        kind = type(document).__name__
        msg = f"expected a session with `messages`; found a {kind} without a list of them"
        raise UnreadableTranscript(msg, {"path": "messages", "type": kind})
    found = Found()
    known = recorded_results(messages)
    for index, message in enumerate(messages):
        if not repeats_results(message, known):
            _read_message(index, message, found)
    path = () if isinstance(document, list) else ("messages",)
    session = finish(
        NAME, document, messages, found, path=path, pins=pins, estimator=estimator, ledger=ledger
    )
    if not is_recording(held):
        return session
    kept = Recording(session.source, held)
    return replace(session, source=kept, damage=(*damage, *session.damage))


def parts_of(content: object) -> list[Any]:
    """Return a message's content as parts; a text is one part, an empty one is none."""
    if isinstance(content, list):
        return content
    return [content] if content else []


def calls_of(message: Object) -> list[Object]:
    """Return the calls of a model's message that stand with their results."""
    calls = message.get("toolCalls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def recorded_results(messages: Sequence[object]) -> frozenset[str]:
    """Return the ids of the calls that stand with their results."""
    models = [each for each in messages if isinstance(each, dict) and each.get("type") == "gemini"]
    calls = [call for message in models for call in calls_of(message)]
    return frozenset(string_of(call.get("id")) for call in calls if call.get("result")) - {""}


def own_result(call: Object) -> list[Any]:
    """Return the parts of a call's result without those that name another call.

    A client that resumed a session records with each call the responses to all calls beside it.
    """
    parts = parts_of(call.get("result"))
    named = [string_of((response_of(part) or {}).get("id")) for part in parts]
    own = call.get("id")
    if own not in named:
        return parts
    return [part for part, each in zip(parts, named, strict=True) if each in ("", own)]


def repeats_results(message: object, known: frozenset[str]) -> bool:
    """Whether a user's message holds nothing but results that stand with their calls already.

    Newer clients write each result a second time, as a message of its own.
    """
    if not known or not isinstance(message, dict) or message.get("type") != "user":
        return False
    parts = parts_of(message.get("content"))
    named = [string_of((response_of(part) or {}).get("id")) for part in parts]
    return bool(named) and known.issuperset(named)


def loose_calls(message: Object) -> list[tuple[int, Object]]:
    """Return the calls in the content of a message that are not recorded with a result.

    Newer clients write a call into the content too; one with the id or the name of a recorded call
    is that call.
    """
    known = [(call.get("id"), call.get("name")) for call in calls_of(message)]
    loose: list[tuple[int, Object]] = []
    for number, part in enumerate(parts_of(message.get("content"))):
        call = call_of(part)
        if call is None:
            continue
        named = (call.get("id"), call.get("name"))
        same = [each for each in known if each == named or (not named[0] and each[1] == named[1])]
        if same:
            known.remove(same[0])
        else:
            loose.append((number, part))
    return loose


def _read_message(index: int, message: object, found: Found) -> None:
    place = f"messages[{index}]"
    if not isinstance(message, dict):
        found.report(place, f"a message is an object; this is a {type(message).__name__}")
        return
    kind = message.get("type")
    if not isinstance(kind, str) or not (kind in _SPOKEN or kind in _SIDE):
        found.report(f"{place}.type", f"a type is user or gemini, or a note's; got {kind!r:.40}")
        return
    content = message.get("content")
    if not (content is None or isinstance(content, str | list | dict)):
        what = type(content).__name__
        found.report(f"{place}.content", f"content is a text or a list of parts; got a {what}")
        return
    named = message.get("id")
    turn_id = named if isinstance(named, str) and named else f"m{index}"
    if kind == "gemini":
        _read_model(message, turn_id, index, found)
    elif kind == "user":
        _read_user(message, turn_id, index, found)


def _read_user(message: Object, turn_id: str, index: int, found: Found) -> None:
    place = f"messages[{index}]"
    gathered = Gathered()
    parts = parts_of(message.get("content"))
    for number, part in enumerate(parts):
        gather_part(part, gathered, f"{place}.content[{number}]", found)
    text = gathered.content.strip()
    if not text or text.startswith(_UNSENT) or gathered.content == BRIDGE:
        return
    turn = LoadedTurn(turn_id, USER, gathered.content, origin=place)
    turn.hidden, turn.media = gathered.hidden_text, gathered.media
    if is_marked_summary(turn.content) or text.startswith(_SNAPSHOT):
        turn.kind = KIND_SUMMARY
    elif all(response_of(part) is not None for part in parts):
        turn.kind = KIND_INJECTED
    found.add(turn, Place(index))


def _read_model(message: Object, turn_id: str, index: int, found: Found) -> None:
    place = f"messages[{index}]"
    gathered = Gathered()
    for number, part in enumerate(parts_of(message.get("content"))):
        if call_of(part) is None:
            gather_part(part, gathered, f"{place}.content[{number}]", found)
    _gather_thoughts(message.get("thoughts"), gathered)
    listed = message.get("toolCalls")
    if not (listed is None or isinstance(listed, list)):
        found.report(f"{place}.toolCalls", "toolCalls is a list")
        gathered.add_unknown(listed)
    recorded = calls_of(message)
    made = [(call.get("name"), call.get("args")) for call in recorded]
    loose = [call_of(part) or {} for _, part in loose_calls(message)]
    made += [(call.get("name"), call.get("args")) for call in loose]
    for name, arguments in made:
        _gather_call(name, arguments, gathered)
    turn = LoadedTurn(turn_id, ASSISTANT, gathered.content, origin=place)
    turn.hidden, turn.media = gathered.hidden_text, gathered.media
    turn.makes = tuple(
        Call(f"{index}.{number}", string_of(name)) for number, (name, _) in enumerate(made)
    )
    found.add(turn, Place(index))
    found.count(index, counted_in_all(message.get("tokens"), "total", *_COUNTED))
    for number, call in enumerate(recorded):
        _read_result(call, f"{turn_id}.r{number}", (index, number), found)


def _gather_call(name: object, arguments: object, gathered: Gathered) -> None:
    try:
        gathered.add_call(name, arguments)
    except RecursionError:
        gathered.add(f"[call {string_of(name)}]")


def _gather_thoughts(thoughts: object, gathered: Gathered) -> None:
    for thought in thoughts if isinstance(thoughts, list) else ():
        if isinstance(thought, dict):
            texts = (thought.get(key) for key in ("subject", "description"))
            gathered.hidden += [text for text in texts if isinstance(text, str)]


def _read_result(call: Object, turn_id: str, at: tuple[int, int], found: Found) -> None:
    """Add the result of a call, unless there is none: then it is a call without a result."""
    index, number = at
    place = f"messages[{index}].toolCalls[{number}]"
    if not call.get("result"):
        return
    status = call.get("status")
    gathered, failed = Gathered(), isinstance(status, str) and status in _FAILED
    for position, part in enumerate(own_result(call)):
        response = response_of(part)
        if response is None:
            gather_part(part, gathered, f"{place}.result[{position}]", found)
            continue
        said, is_error = gather_response(response)
        gathered.lines += said.lines
        gathered.media += said.media
        failed = failed or is_error
    if failed and gathered.content == CLOSED_CALL:
        return
    turn = LoadedTurn(turn_id, TOOL, gathered.content, origin=place)
    turn.hidden, turn.media, turn.failed = gathered.hidden_text, gathered.media, failed
    turn.answers, turn.tool_name = (f"{index}.{number}",), string_of(call.get("name")) or None
    found.add(turn, Place(index, (number,)))
