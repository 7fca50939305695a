"""From one chat completion message to a turn."""

from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, json_of, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER

_ROLES: Final = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
}
_MEDIA: Final = {
    "image_url": "image",
    "image": "image",
    "input_image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "audio_url": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "video": "video",
    "video_url": "video",
    "input_video": "video",
}
REASONING_KEYS: Final = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where compatible servers put the reasoning of an assistant message."""
_REASONING: Final = frozenset(REASONING_KEYS)


def read_message(index: int, message: object, found: Found) -> LoadedTurn | None:
    """Return the turn of a message, or None where it is malformed or turnfold wrote it."""
    place = f"messages[{index}]"
    if not isinstance(message, dict):
        found.report(place, f"a message is an object; this is a {type(message).__name__}")
        return None
    name = message.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        found.report(f"{place}.role", f"a role is one of {', '.join(_ROLES)}; got {name!r:.40}")
        return None
    content = message.get("content")
    if not (content is None or isinstance(content, str | list)):
        kind = type(content).__name__
        found.report(f"{place}.content", f"content is a string or a list of parts; got a {kind}")
        return None
    turn = LoadedTurn(f"m{index}", role, "", origin=place)
    if isinstance(content, str) and role is not ASSISTANT:
        turn.content = content
    else:
        gathered = Gathered()
        _gather_content(content, gathered, place, found)
        if role is ASSISTANT:
            _read_assistant(turn, message, gathered, found)
        turn.content, turn.hidden = gathered.content, gathered.hidden_text
        turn.media = gathered.media
    if role is TOOL:
        _read_result(turn, message, found)
        return None if turn.content == CLOSED_CALL else turn
    if role is USER:
        if turn.content == BRIDGE:
            return None
        if is_marked_summary(turn.content):
            turn.kind = KIND_SUMMARY
    return turn


def _gather_content(
    content: str | list[Any] | None, gathered: Gathered, place: str, found: Found
) -> None:
    if isinstance(content, str):
        gathered.add(content)
        return
    for number, part in enumerate(content or ()):
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(part, str):
            gathered.add(part)
        elif not isinstance(part, dict) or not isinstance(kind, str):
            found.report(f"{place}.content[{number}]", "a part is an object with a type")
            gathered.add_unknown(part)
        elif kind in _MEDIA:
            gathered.add_media(_MEDIA[kind], _file_name(part.get(kind)))
        elif isinstance(part.get(_text_key(kind)), str):
            gathered.add(part[_text_key(kind)])
        else:
            gathered.add_unknown(part)


def _text_key(kind: str) -> str:
    return "refusal" if kind == "refusal" else "text"


def _file_name(value: object) -> object:
    return value.get("filename") if isinstance(value, dict) else None


def _read_assistant(
    turn: LoadedTurn, message: dict[str, Any], gathered: Gathered, found: Found
) -> None:
    if "refusal" in message:
        gathered.add(text_of(message["refusal"]))
    if message.get("audio") is not None:
        gathered.add_media("audio")
    if not _REASONING.isdisjoint(message):
        # Servers repeat one reasoning under several keys, so only the longest counts.
        thoughts = [text_of(message.get(key)) for key in REASONING_KEYS]
        gathered.hidden.append(max(thoughts, key=len))
    calls = message.get("tool_calls")
    if calls is not None:
        turn.makes = _read_calls(calls, gathered, f"{turn.origin}.tool_calls", found)
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        gathered.add_call(legacy.get("name"), legacy.get("arguments"))
        turn.makes += (Call("", text_of(legacy.get("name"))),)


def _read_calls(calls: object, gathered: Gathered, place: str, found: Found) -> tuple[Call, ...]:
    if not isinstance(calls, list):
        found.report(place, "tool_calls is a list")
        gathered.add(json_of(calls))
        return ()
    made = [
        _read_call(call, gathered, f"{place}[{number}]", found) for number, call in enumerate(calls)
    ]
    return tuple([call for call in made if call is not None])


def _read_call(call: object, gathered: Gathered, place: str, found: Found) -> Call | None:
    if not isinstance(call, dict):
        found.report(place, f"a call is an object; this is a {type(call).__name__}")
        gathered.add_unknown(call)
        return None
    body = call.get("custom") if call.get("type") == "custom" else call.get("function")
    if isinstance(body, dict):
        argument_key = "input" if call.get("type") == "custom" else "arguments"
        name = text_of(body.get("name"))
        gathered.add_call(name, body.get(argument_key))
    else:
        found.report(f"{place}.function", "a call names a function with its arguments")
        name = ""
        gathered.add_unknown(call)
    call_id = call.get("id")
    if not isinstance(call_id, str):
        found.report(f"{place}.id", "a call has an id; without one it is paired by its place")
    return Call(call_id if isinstance(call_id, str) else "", name)


def _read_result(turn: LoadedTurn, message: dict[str, Any], found: Found) -> None:
    name = message.get("name")
    turn.tool_name = name if isinstance(name, str) and name else None
    call_id = message.get("tool_call_id")
    if message["role"] == "function":
        call_id = ""
    elif not isinstance(call_id, str):
        found.report(
            f"{turn.origin}.tool_call_id", "a result names its call; without one its place does"
        )
    turn.answers = (call_id if isinstance(call_id, str) else "",)
