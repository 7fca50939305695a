"""From the events of the SDK to turns."""

from collections.abc import Mapping, Sequence
from typing import Any

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found
from turnfold.formats._marks import is_marked_summary
from turnfold.formats._parts import Gathered, json_of, text_of
from turnfold.formats.openhands._names import (
    ACTION,
    CONDENSATION,
    ERROR,
    MESSAGE,
    OBSERVATION,
    REJECTION,
    SUMMARY,
    SYSTEM,
    Event,
    is_ours,
    kind_of,
)
from turnfold.transcript import Role

_ROLES = {role.value: role for role in Role}
_REASONING_KEYS = (
    "reasoning_content",
    "thinking_blocks",
    "responses_reasoning_item",
    "reasoning_details",
)


def read_events(events: Sequence[Event], place: str, found: Found) -> LoadedTurn | None:
    """Return the turn of one event, or of the actions that came in one response of the model."""
    event = events[0]
    turn_id = event.get("id")
    turn = LoadedTurn(turn_id if isinstance(turn_id, str) else "", Role.USER, "", origin=place)
    gathered = Gathered()
    kind = kind_of(event)
    if kind == ACTION:
        _read_actions(turn, events, gathered, found)
    elif kind == MESSAGE:
        _read_message(turn, event, gathered, found)
    elif kind in (OBSERVATION, REJECTION, ERROR):
        _read_answer(turn, event, gathered, found)
    elif kind == SYSTEM:
        turn.role = Role.SYSTEM
        gather([event.get("system_prompt"), event.get("dynamic_context")], gathered)
    elif kind in (SUMMARY, CONDENSATION):
        turn.kind = KIND_SUMMARY
        turn.turn_id = f"{turn.turn_id}-summary" if kind == CONDENSATION else turn.turn_id
        gathered.add(text_of(event.get("summary")))
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media
    return None if is_ours(turn) else turn


def gather(parts: object, gathered: Gathered) -> None:
    """Gather the text and the pictures of a content."""
    if isinstance(parts, str):
        gathered.add(parts)
        return
    for part in parts if isinstance(parts, list) else (parts,):
        if part is None:
            continue
        if isinstance(part, str):
            gathered.add(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            gathered.add(part["text"])
        elif isinstance(part, dict) and isinstance(part.get("image_urls"), list):
            for _ in part["image_urls"]:
                gathered.add_media("image")
        else:
            gathered.add_unknown(part)


def _gather_reasoning(holder: Mapping[str, Any], gathered: Gathered) -> None:
    # The same thoughts stand under several keys, so only the longest counts.
    thoughts = [text_of(value) for key in _REASONING_KEYS if (value := holder.get(key))]
    gathered.hidden.append(max(thoughts, key=len, default=""))


def _read_actions(
    turn: LoadedTurn, events: Sequence[Event], gathered: Gathered, found: Found
) -> None:
    turn.role = Role.ASSISTANT
    calls = []
    for event in events:
        gather(event.get("thought"), gathered)
        _gather_reasoning(event, gathered)
        call, arguments = _read_call(event.get("tool_call"), event, turn.origin, found)
        gathered.add_call(call.name, arguments)
        calls.append(call)
    turn.makes = tuple(calls)


def _read_call(call: object, event: Event, place: str, found: Found) -> tuple[Call, object]:
    """Return a call and its arguments; without the model's own, what the event says of it."""
    if not isinstance(call, dict):
        found.report(f"{place}.tool_call", f"a call is an object; this is a {type(call).__name__}")
        call = {"arguments": event.get("action")}
    name = text_of(call.get("name") or event.get("tool_name"))
    call_id = event.get("tool_call_id") or call.get("id")
    if not isinstance(call_id, str):
        found.report(f"{place}.tool_call_id", "a call has an id; this one is paired by its place")
        call_id = ""
    return Call(call_id, name), call.get("arguments")


def _read_message(turn: LoadedTurn, event: Event, gathered: Gathered, found: Found) -> None:
    message = event.get("llm_message")
    if not isinstance(message, dict):
        found.report(f"{turn.origin}.llm_message", "a message event holds a message")
        gathered.add_unknown(message)
        turn.role = Role.ASSISTANT if event.get("source") == "agent" else Role.USER
        return
    role = message.get("role")
    turn.role = _ROLES.get(role, Role.USER) if isinstance(role, str) else Role.USER
    gather(message.get("content"), gathered)
    gather(event.get("extended_content"), gathered)
    _gather_reasoning(message, gathered)
    calls = message.get("tool_calls")
    if turn.role is Role.ASSISTANT and isinstance(calls, list):
        for number, call in enumerate(calls):
            place = f"{turn.origin}.llm_message.tool_calls[{number}]"
            made, arguments = _read_call(call, {}, place, found)
            gathered.add_call(made.name, arguments)
            turn.makes += (made,)
    elif turn.role is Role.TOOL:
        turn.answers = (text_of(message.get("tool_call_id")),)
    if turn.role is Role.USER:
        if is_marked_summary(gathered.content):
            turn.kind = KIND_SUMMARY
        elif event.get("source", "user") != "user":
            turn.kind = KIND_INJECTED


def _read_answer(turn: LoadedTurn, event: Event, gathered: Gathered, found: Found) -> None:
    kind = kind_of(event)
    turn.role = Role.TOOL
    name = event.get("tool_name")
    turn.tool_name = name if isinstance(name, str) and name else None
    call_id = event.get("tool_call_id")
    if not isinstance(call_id, str):
        found.report(f"{turn.origin}.tool_call_id", "a result names its call by its id")
    turn.answers = (call_id if isinstance(call_id, str) else "",)
    turn.failed = kind != OBSERVATION
    if kind == OBSERVATION:
        observation = event.get("observation")
        gather(_content_of(observation), gathered)
        gather(event.get("extended_content"), gathered)
        if isinstance(observation, dict):
            code = observation.get("exit_code")
            broke = isinstance(code, int) and code > 0
            turn.failed = observation.get("is_error") is True or broke
    else:
        gathered.add(text_of(event.get("error" if kind == ERROR else "rejection_reason")))


def _content_of(observation: object) -> object:
    """Return what the model reads of an observation; of a kind without content, all of it."""
    if not isinstance(observation, dict):
        return text_of(observation)
    for key in ("content", "output"):
        if isinstance(observation.get(key), str | list):
            return observation[key]
    return json_of({key: value for key, value in observation.items() if key != "kind"})
