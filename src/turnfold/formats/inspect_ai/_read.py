"""From one message of Inspect AI to a turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import Found
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER

_ROLES: Final = {
    "system": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
}
_MEDIA: Final = frozenset({"image", "audio", "video", "document"})
_ATTACHMENT: Final = "attachment://"
_WRITTEN_BY_TURNFOLD: Final = {TOOL: CLOSED_CALL, USER: BRIDGE}


@dataclass(frozen=True, slots=True)
class Reading:
    """What is needed to read the messages of a sample.

    Args:
        attachments: The long texts that the sample keeps apart, by their hash.
        found: Takes what is damaged.
    """

    attachments: Mapping[str, Any]
    found: Found

    def text(self, text: str) -> str:
        """Return a text, from the attachments where it is a reference to one."""
        if text == STRIPPED:
            return ""
        if not text.startswith(_ATTACHMENT):
            return text
        attached = self.attachments.get(text.removeprefix(_ATTACHMENT))
        return attached if isinstance(attached, str) else text

    def value(self, value: object) -> object:
        """Return arguments with their long texts."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.value(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        return value


def read_message(index: int, message: object, reading: Reading) -> LoadedTurn | None:
    """Return the turn of a message, or None where it is malformed or turnfold wrote it."""
    place = f"messages[{index}]"
    if not isinstance(message, dict):
        reading.found.report(place, f"a message is an object; this is a {type(message).__name__}")
        return None
    name = message.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        reading.found.report(
            f"{place}.role", f"a role is one of {', '.join(_ROLES)}; got {name!r:.40}"
        )
        return None
    content = message.get("content")
    if not (content is None or isinstance(content, str | list)):
        kind = type(content).__name__
        reading.found.report(
            f"{place}.content", f"content is a string or a list of parts; got a {kind}"
        )
        return None
    native = message.get("id")
    turn = LoadedTurn(
        native if isinstance(native, str) and native else f"m{index}", role, "", origin=place
    )
    gathered = Gathered()
    _gather_content(content, gathered, f"{place}.content", reading)
    if role is ASSISTANT:
        _read_calls(turn, message, gathered, reading)
    elif role is TOOL:
        _read_result(turn, message, gathered, reading)
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media
    if turn.content == _WRITTEN_BY_TURNFOLD.get(role):
        return None
    if role is USER and _is_summary(message, turn.content):
        turn.kind = KIND_SUMMARY
    return turn


def _is_summary(message: Mapping[str, Any], text: str) -> bool:
    """Whether a user message is a summary: turnfold's, or one of Inspect's own compaction."""
    metadata = message.get("metadata")
    return is_marked_summary(text) or (
        isinstance(metadata, dict) and metadata.get("summary") is True
    )


def _gather_content(
    content: str | list[Any] | None, gathered: Gathered, place: str, reading: Reading
) -> None:
    if isinstance(content, str):
        gathered.add(reading.text(content))
        return
    for number, part in enumerate(content or ()):
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(part, dict) or not isinstance(kind, str):
            reading.found.report(f"{place}[{number}]", "a part is an object with a type")
            gathered.add_unknown(part)
        elif kind == "text" and isinstance(part.get("text"), str):
            gathered.add(reading.text(part["text"]))
        elif kind == "reasoning":
            # A signature can stand for a reasoning that was left out.
            texts = [text_of(part.get(key)) for key in ("reasoning", "signature", "summary")]
            gathered.hidden.append(max(map(reading.text, texts), key=len))
        elif kind in _MEDIA:
            gathered.add_media(kind, part.get("filename"))
        elif kind == "tool_use":
            _gather_hosted(part, gathered, reading)
        else:
            gathered.add_unknown(part)


def _gather_hosted(part: dict[str, Any], gathered: Gathered, reading: Reading) -> None:
    """A call of a hosted tool, with its result: both are the model's message."""
    gathered.add_call(part.get("name"), reading.value(part.get("arguments")))
    gathered.lines.append("[tool_result]")
    for key in ("result", "error"):
        gathered.add(reading.text(text_of(part.get(key))))


def calls_of(message: Mapping[str, Any]) -> list[Call]:
    """Return the calls of an assistant message."""
    calls = message.get("tool_calls")
    return [
        Call(_string(call.get("id")), text_of(call.get("function")))
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict)
    ]


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _read_calls(
    turn: LoadedTurn,
    message: Mapping[str, Any],
    gathered: Gathered,
    reading: Reading,
) -> None:
    calls = message.get("tool_calls")
    place = f"{turn.origin}.tool_calls"
    if not (calls is None or isinstance(calls, list)):
        reading.found.report(place, "tool_calls is a list")
        gathered.add_unknown(calls)
        return
    for number, call in enumerate(calls or ()):
        if not isinstance(call, dict):
            reading.found.report(f"{place}[{number}]", "a call is an object")
            gathered.add_unknown(call)
            continue
        if not isinstance(call.get("id"), str):
            message_ = "a call has an id; without one it is paired by its place"
            reading.found.report(f"{place}[{number}].id", message_)
        gathered.add_call(call.get("function"), reading.value(call.get("arguments")))
        gathered.add(text_of(call.get("parse_error")))
    turn.makes = tuple(calls_of(message))


def _read_result(
    turn: LoadedTurn, message: Mapping[str, Any], gathered: Gathered, reading: Reading
) -> None:
    name = message.get("function")
    turn.tool_name = name if isinstance(name, str) and name else None
    error = message.get("error")
    turn.failed = error is not None
    if isinstance(error, dict):
        # Inspect sends the message of an error in place of the output; they can be the same.
        said = reading.text(text_of(error.get("message")))
        gathered.add("" if said == gathered.content else said)
    elif error is not None:
        gathered.add_unknown(error)
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        place = f"{turn.origin}.tool_call_id"
        reading.found.report(place, "a result names its call; without one its place does")
    turn.answers = (_string(call_id),)


def is_blank(content: object) -> bool:
    """Whether a content holds nothing that a provider takes: blank text, or reasoning alone."""
    if isinstance(content, list):
        return all(map(_is_blank_part, content))
    return not isinstance(content, str) or not content.strip()


def _is_blank_part(part: object) -> bool:
    if not isinstance(part, dict):
        return is_blank(part)
    kind = part.get("type")
    return kind == "reasoning" or (kind == "text" and is_blank(part.get("text")))
