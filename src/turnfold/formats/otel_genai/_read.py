"""From one message of the GenAI conventions to its turns."""

from collections.abc import Mapping
from typing import Any, Final

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import TOP_LEVEL, Found, Place
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER
from turnfold.transcript import Role

Turns = list[tuple[LoadedTurn, tuple[int, ...] | None]]

_ROLES: Final = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
}
_REASONING: Final = ("reasoning", "thinking")
_MEDIA: Final = frozenset(
    {
        *("blob", "file", "file_data", "uri"),
        *("binary", "image-url", "audio-url", "video-url", "document-url"),
    }
)
_SERVER: Final = ("server_tool_call", "server_tool_call_response")
_MODALITIES: Final = frozenset({"image", "audio", "video"})
PART_KINDS: Final = frozenset({"text", "reasoning", "tool_call", "tool_call_response"})
"""The kinds of parts by which the format is known."""


def role_of(message: object) -> Role | None:
    """Return the role of a message; one that the conventions do not list is somebody's."""
    role = message.get("role") if isinstance(message, dict) else None
    return _ROLES.get(role, USER) if isinstance(role, str) else None


def parts_of(message: object) -> list[dict[str, Any]]:
    """Return the parts of a message; what is no object counts as an empty one."""
    parts = message.get("parts") if isinstance(message, dict) else None
    listed = parts if isinstance(parts, list) else []
    return [part if isinstance(part, dict) else {} for part in listed]


def is_result(part: Mapping[str, Any]) -> bool:
    """Whether a part answers a call."""
    return part.get("type") == "tool_call_response"


def is_reasoning(part: Mapping[str, Any]) -> bool:
    """Whether a part is what the model thought."""
    return part.get("type") in _REASONING


def is_blank(part: Mapping[str, Any]) -> bool:
    """Whether a part holds nothing that a provider takes as content."""
    kind, content = part.get("type"), part.get("content")
    blank = not isinstance(content, str) or not content.strip()
    return is_reasoning(part) or (kind == "text" and blank)


def hosted_ids(message: object) -> frozenset[str]:
    """Return the ids of the calls that are answered in the message itself, by a hosted tool."""
    ids = (part.get("id") for part in parts_of(message) if is_result(part))
    return frozenset(each for each in ids if isinstance(each, str))


def read_instructions(instructions: object, found: Found) -> None:
    """Add the system instructions that stand beside the messages, where there are any."""
    listed = instructions if isinstance(instructions, list) else [instructions]
    turn = LoadedTurn("system", SYSTEM, "", origin="gen_ai.system_instructions")
    gathered = Gathered()
    for part in listed:
        if isinstance(part, str):
            gathered.add(part)
        elif part is not None:
            _gather_part(part, gathered, turn.origin, found)
    if gathered.lines:
        _fill(turn, gathered)
        found.add(turn, Place(TOP_LEVEL))


def read_message(index: int, message: object, found: Found) -> Turns:
    """Return the turns of a message; what turnfold wrote is none."""
    place = f"messages[{index}]"
    role = role_of(message)
    parts = message.get("parts") if isinstance(message, dict) else None
    if role is None or not isinstance(message, dict) or not isinstance(parts, list):
        found.report(place, "a message is an object with a role and a list of parts")
        return []
    if role in (SYSTEM, ASSISTANT):
        return [
            (_read_whole(LoadedTurn(f"m{index}", role, "", origin=place), message, found), None)
        ]
    answering = [is_result(part) for part in parts_of(message)]
    results = [number for number, answers in enumerate(answering) if answers]
    rest = tuple(number for number, answers in enumerate(answering) if not answers)
    turns: Turns = []
    for number in results:
        turn_id = f"m{index}" if len(parts) == 1 else f"m{index}.p{number}"
        turn = LoadedTurn(turn_id, TOOL, "", origin=f"{place}.parts[{number}]")
        _read_result(turn, parts[number], found)
        if turn.content != CLOSED_CALL:
            turns.append((turn, (number,)))
    if rest or not parts:
        turn = LoadedTurn(f"m{index}.text" if results else f"m{index}", role, "", origin=place)
        _read_rest(turn, message, rest, found)
        if turn.content != BRIDGE:
            turns.append((turn, rest if results else None))
    return turns


def _fill(turn: LoadedTurn, gathered: Gathered) -> None:
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media


def _read_whole(turn: LoadedTurn, message: dict[str, Any], found: Found) -> LoadedTurn:
    gathered = Gathered()
    for number, part in enumerate(message["parts"]):
        _gather_part(part, gathered, f"{turn.origin}.parts[{number}]", found)
    _fill(turn, gathered)
    if turn.role is ASSISTANT:
        hosted = hosted_ids(message)
        made = [
            Call(_id_of(part, f"{turn.origin}.parts[{number}]", found), text_of(part.get("name")))
            for number, part in enumerate(parts_of(message))
            if part.get("type") == "tool_call"
        ]
        turn.makes = tuple(call for call in made if call.call_id not in hosted)
    return turn


def _read_rest(
    turn: LoadedTurn, message: dict[str, Any], rest: tuple[int, ...], found: Found
) -> None:
    """What stands beside results is a user's; in a `tool` message it is the tool's."""
    gathered = Gathered()
    for number in rest:
        _gather_part(message["parts"][number], gathered, f"{turn.origin}.parts[{number}]", found)
    _fill(turn, gathered)
    if turn.role is TOOL or message.get("role") not in _ROLES:
        turn.kind = KIND_INJECTED
    turn.role = USER
    if is_marked_summary(turn.content):
        turn.kind = KIND_SUMMARY


def _read_result(turn: LoadedTurn, part: dict[str, Any], found: Found) -> None:
    turn.answers = (_id_of(part, turn.origin, found),)
    name = part.get("name")
    turn.tool_name = name if isinstance(name, str) and name else None
    gathered = Gathered()
    value = part.get(result_key(part))
    if isinstance(value, str):
        gathered.add(value)
    elif isinstance(value, list) and value and all(map(_is_part, value)):
        for number, each in enumerate(value):
            _gather_part(each, gathered, f"{turn.origin}[{number}]", found)
    elif value is not None:
        gathered.add_unknown(value)
    _fill(turn, gathered)


def result_key(part: Mapping[str, Any]) -> str:
    """Return the key under which a result stands: `result` in older versions."""
    return "result" if "result" in part and "response" not in part else "response"


def _is_part(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _id_of(part: Mapping[str, Any], place: str, found: Found) -> str:
    value = part.get("id")
    if value is not None and not isinstance(value, str):
        found.report(f"{place}.id", "an id is a string; without one places pair calls and results")
    return value if isinstance(value, str) else ""


def _gather_part(part: object, gathered: Gathered, place: str, found: Found) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(kind, str):
        found.report(place, "a part is an object with a type")
        gathered.add_unknown(part)
    elif kind == "text" and isinstance(part.get("content"), str):
        gathered.add("" if part["content"] == STRIPPED else part["content"])
    elif is_reasoning(part):
        gathered.hidden.append(max((text_of(part[key]) for key in part), key=len))
    elif kind == "tool_call":
        gathered.add_call(part.get("name"), part.get("arguments"))
    elif kind in _SERVER:
        gathered.add_call(part.get("name") or kind, part.get(kind))
    elif kind in _MEDIA:
        modality = text_of(part.get("modality")) or kind.removesuffix("-url")
        gathered.add_media(modality if modality in _MODALITIES else "file")
    elif is_result(part):
        gathered.lines.append(f"[{kind}]")
        gathered.add_unknown(part.get(result_key(part)))
    else:
        gathered.add_unknown(part)
