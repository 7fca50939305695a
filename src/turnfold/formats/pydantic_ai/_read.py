"""From one request or response of Pydantic AI to its turns."""

from collections.abc import Mapping
from typing import Any, Final

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import TOP_LEVEL, Found, Place
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER

Turns = list[tuple[LoadedTurn, tuple[int, ...] | None]]

INSTRUCTIONS: Final = "instructions"
"""The id of the turn of the instructions, which stand beside the parts of a request."""

_MEDIA: Final = {
    "image-url": "image",
    "audio-url": "audio",
    "video-url": "video",
    "document-url": "file",
    "uploaded-file": "file",
    "binary": "data",
    "speech": "audio",
    "file": "file",
}
_CALL_KINDS: Final = ("builtin-tool-call", "tool-call")
_FAILED: Final = ("failed", "denied", "interrupted", "retried")


def parts_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message; what is no object counts as an empty one."""
    parts = message.get("parts")
    listed = parts if isinstance(parts, list) else []
    return [part if isinstance(part, dict) else {} for part in listed]


def is_result(part: Mapping[str, Any]) -> bool:
    """Whether a part of a request answers a call."""
    kind = part.get("part_kind")
    return kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name") is not None)


def call_parts(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a response that wait for a result; those of hosted tools do not."""
    return [part for part in parts_of(message) if part.get("part_kind") == "tool-call"]


def is_blank(part: Mapping[str, Any]) -> bool:
    """Whether a part holds nothing that a provider takes as content."""
    if part.get("part_kind") == "thinking":
        return True
    if part.get("part_kind") not in ("text", "user-prompt", "system-prompt"):
        return False
    content = part.get("content")
    listed = content if isinstance(content, list) else [content]
    return all(each is None or (isinstance(each, str) and not each.strip()) for each in listed)


def read_instructions(messages: list[Any], found: Found) -> None:
    """Add the instructions of the newest request that has any, as a system turn."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        text = message.get("instructions") if isinstance(message, dict) else None
        if isinstance(text, str) and text and message.get("kind") == "request":
            turn = LoadedTurn(INSTRUCTIONS, SYSTEM, text)
            turn.origin = f"messages[{index}].instructions"
            found.add(turn, Place(TOP_LEVEL))
            return


def read_message(index: int, message: Mapping[str, Any], found: Found, *, live: bool) -> Turns:
    """Return the turns of a message; one that is not live has only its system prompts."""
    if message["kind"] == "response":
        return [(_read_response(index, message, found), None)] if live else []
    parts = message["parts"]
    turns: Turns = []
    for number, part in enumerate(parts):
        place = f"messages[{index}].parts[{number}]"
        kind = part.get("part_kind") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            found.report(place, "a part is an object with a part_kind")
        elif live or kind == "system-prompt":
            turn_id = f"m{index}" if len(parts) == 1 else f"m{index}.p{number}"
            turn = _read_request_part(LoadedTurn(turn_id, USER, "", origin=place), part, found)
            if turn.content != {TOOL: CLOSED_CALL, USER: BRIDGE}.get(turn.role):
                turns.append((turn, (number,)))
    return turns


def _read_request_part(turn: LoadedTurn, part: dict[str, Any], found: Found) -> LoadedTurn:
    kind = part["part_kind"]
    gathered = Gathered()
    if kind == "system-prompt":
        turn.role = SYSTEM
    elif is_result(part):
        _read_result(turn, part, found)
    elif kind == "compaction":
        turn.kind = KIND_SUMMARY
        gathered.hidden.append(text_of(part.get("provider_details")))
    elif kind != "user-prompt":
        turn.kind = KIND_INJECTED
    if kind in _MEDIA:
        gathered.add_media(_MEDIA[kind])
    if "content" in part:
        _gather_content(part["content"], gathered)
    elif kind not in _MEDIA:
        gathered.add_unknown(part)
    if kind == "user-prompt" and is_marked_summary(gathered.content):
        turn.kind = KIND_SUMMARY
    return _filled(turn, gathered)


def _filled(turn: LoadedTurn, gathered: Gathered) -> LoadedTurn:
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media
    return turn


def _read_result(turn: LoadedTurn, part: dict[str, Any], found: Found) -> None:
    turn.role = TOOL
    turn.tool_name = text_of(part.get("tool_name")) or None
    turn.failed = part["part_kind"] == "retry-prompt" or part.get("outcome") in _FAILED
    turn.answers = (_id_of(part, f"{turn.origin}.tool_call_id", found),)


def _id_of(part: dict[str, Any], place: str, found: Found) -> str:
    value = part.get("tool_call_id")
    if isinstance(value, str):
        return value
    found.report(place, "a call and its result share an id; without one their places pair them")
    return ""


def _gather_content(content: Any, gathered: Gathered) -> None:  # noqa: ANN401
    """Text, or a list of texts and media; anything else is what a tool returned, as JSON."""
    for item in content if isinstance(content, list) else [content]:
        kind = item.get("kind") if isinstance(item, dict) else None
        if isinstance(item, str):
            gathered.add(item)
        elif isinstance(kind, str) and kind in _MEDIA:
            gathered.add_media(_MEDIA[kind], item.get("media_type"))
        elif kind == "text" and isinstance(item.get("content"), str):
            gathered.add(item["content"])
        elif item is not None and kind != "cache-point":
            gathered.add_unknown(item)


def _read_response(index: int, message: Mapping[str, Any], found: Found) -> LoadedTurn:
    turn = LoadedTurn(f"m{index}", ASSISTANT, "", origin=f"messages[{index}]")
    gathered = Gathered()
    calls: list[Call] = []
    for number, part in enumerate(message["parts"]):
        place = f"{turn.origin}.parts[{number}]"
        kind = part.get("part_kind") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            found.report(place, "a part is an object with a part_kind")
            gathered.add_unknown(part)
            continue
        if kind == "tool-call":
            call_id = _id_of(part, f"{place}.tool_call_id", found)
            calls.append(Call(call_id, text_of(part.get("tool_name"))))
        _gather_response_part(kind, part, gathered)
    turn.makes = tuple(calls)
    kinds = [part.get("part_kind") for part in parts_of(message)]
    if kinds and all(kind == "compaction" for kind in kinds):
        turn.kind = KIND_SUMMARY
    return _filled(turn, gathered)


def _gather_response_part(kind: str, part: dict[str, Any], gathered: Gathered) -> None:
    details = text_of(part.get("provider_details"))
    if kind in _CALL_KINDS:
        gathered.add_call(part.get("tool_name"), part.get("args"))
        gathered.hidden.append(details)
    elif kind == "thinking":
        # A signature can stand for a thinking text that was left out.
        texts = (text_of(part.get("content")), text_of(part.get("signature")), details)
        gathered.hidden.append(max(texts, key=len))
    elif kind == "text" and isinstance(part.get("content"), str):
        gathered.add("" if part["content"] == STRIPPED else part["content"])
    elif kind in _MEDIA:
        gathered.add_media(_MEDIA[kind])
    elif kind == "compaction":
        gathered.add(text_of(part.get("content")))
        gathered.hidden.append(details)
    elif kind == "builtin-tool-return":
        gathered.lines.append(f"[{kind}]")
        _gather_content(part.get("content"), gathered)
    else:
        gathered.add_unknown(part)
