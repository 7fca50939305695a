"""From Gemini contents to turns: what every format that holds contents has in common.

Keys are spelled in camel case (the wire) or in snake case (the SDKs); both are read, and what is
written keeps the spelling of its neighbour.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found, Place
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered
from turnfold.formats._roles import ASSISTANT, TOOL, USER

Object = dict[str, Any]

USER_ROLES: Final = frozenset(("user", "function", "tool"))
MODEL: Final = "model"

_CALL: Final = ("functionCall", "function_call")
_RESPONSE: Final = ("functionResponse", "function_response")
_SIGNATURE: Final = ("thoughtSignature", "thought_signature")
_INLINE: Final = ("inlineData", "inline_data")
_FILE: Final = ("fileData", "file_data")
_NAMES: Final = ("displayName", "display_name", "fileUri", "file_uri")
_CODE: Final = ("executableCode", "executable_code")
_PART_KEYS: Final = frozenset(
    (
        "text",
        *_CALL,
        *_RESPONSE,
        *_INLINE,
        *_FILE,
        *_CODE,
        *("codeExecutionResult", "code_execution_result", "toolCall", "toolResponse"),
    )
)
_FOREIGN_KEYS: Final = frozenset(("type", "kind", "part_kind"))
_TEXT_KEYS: Final = ("output", "result", "error")
"""The one key of a response whose value is all that a tool said."""

_TOO_DEEP: Final = "[a part that nests too deeply to be read]"


def value_at(part: Mapping[str, Any], keys: tuple[str, ...]) -> Any:  # noqa: ANN401
    """Return the value at the first of several keys that has one."""
    for key in keys:
        value = part.get(key)
        if value is not None:
            return value
    return None


def string_of(value: object) -> str:
    """Return a string as it is, and nothing for anything else: an id, a name, a signature."""
    return value if isinstance(value, str) else ""


def call_of(part: object) -> Object | None:
    """Return the call that a part makes."""
    call = value_at(part, _CALL) if isinstance(part, dict) else None
    return call if isinstance(call, dict) else None


def response_of(part: object) -> Object | None:
    """Return the response that a part holds."""
    response = value_at(part, _RESPONSE) if isinstance(part, dict) else None
    return response if isinstance(response, dict) else None


def response_key(part: Mapping[str, Any]) -> str:
    """Return how the response to a call, or a response itself, is spelled."""
    return _RESPONSE[int("function_call" in part or "function_response" in part)]


def is_thought(part: object) -> bool:
    """Whether a part is a summary of thoughts."""
    return isinstance(part, dict) and part.get("thought") is True


def is_signed(part: object) -> bool:
    """Whether a part has a signature of the thoughts behind it."""
    return isinstance(part, dict) and bool(value_at(part, _SIGNATURE))


def without_signature(part: Object) -> Object:
    """Return a part without the signature of the thoughts behind it."""
    return {key: value for key, value in part.items() if key not in _SIGNATURE}


def is_content(value: object) -> bool:
    """Whether a value is a Gemini content: parts in the words of Gemini, and a role of it."""
    if not isinstance(value, dict) or not isinstance(parts := value.get("parts"), list):
        return False
    if not _FOREIGN_KEYS.isdisjoint(value):
        return False
    role = value.get("role")
    if not (role is None or (isinstance(role, str) and (role == MODEL or role in USER_ROLES))):
        return False
    return any(
        isinstance(part, dict) and _PART_KEYS & part.keys() and not _FOREIGN_KEYS & part.keys()
        for part in parts
    )


def gather_part(part: object, gathered: Gathered, place: str, found: Found) -> None:
    """Read a part that is no response; every kind costs something (known failure F3)."""
    try:
        _gather(part, gathered, place, found)
    except RecursionError:
        gathered.add(_TOO_DEEP)


def _gather(part: object, gathered: Gathered, place: str, found: Found) -> None:
    if isinstance(part, str):
        gathered.add(part)
        return
    if not isinstance(part, dict):
        found.report(place, f"a part is an object; this is a {type(part).__name__}")
        gathered.add_unknown(part)
        return
    text = part.get("text")
    if len(part) == 1 and isinstance(text, str):
        gathered.add(text)
        return
    thought = text if is_thought(part) else None
    hidden = (string_of(value_at(part, _SIGNATURE)), string_of(thought))
    gathered.hidden += [each for each in hidden if each]
    if isinstance(text, str):
        gathered.add("" if is_thought(part) else text)
    elif (call := call_of(part)) is not None:
        gathered.add_call(call.get("name"), call.get("args"))
    elif isinstance(media := value_at(part, (*_INLINE, *_FILE)), dict):
        kind = string_of(value_at(media, ("mimeType", "mime_type"))).partition("/")[0]
        gathered.add_media(kind or "file", value_at(media, _NAMES))
    else:
        rest = without_signature(part)
        if not _PART_KEYS & rest.keys():
            found.report(
                place, "a part says what it is by its key; this one has none that is known"
            )
        if rest or not is_signed(part):
            gathered.add_unknown(rest)


def gather_response(response: Object) -> tuple[Gathered, bool]:
    """Return what a response says, and whether it says that the call failed."""
    gathered = Gathered()
    body = response.get("response")
    failed = isinstance(body, dict) and bool(body.get("error"))
    try:
        if isinstance(body, dict) and len(body) == 1 and next(iter(body)) in _TEXT_KEYS:
            value = next(iter(body.values()))
            gathered.add(value) if isinstance(value, str) else gathered.add_unknown(value)
        elif body is not None:
            gathered.add_unknown(body)
    except RecursionError:
        gathered.add(_TOO_DEEP)
    parts = response.get("parts")
    gathered_parts = parts if isinstance(parts, list) else []
    for _ in gathered_parts:
        gathered.add_media("file")
    return gathered, failed


def masked_response(response: Object, text: str, *, failed: bool) -> Object:
    """Return a response that says `text`: its id, its name and whether it failed stay."""
    kept = {key: value for key, value in response.items() if key != "parts"}
    return {**kept, "response": {"error" if failed else "output": text}}


def closing_part(part: Object) -> Object:
    """Return the response that closes a call, as a failure (known failure A12)."""
    call = call_of(part) or {}
    named = {key: call[key] for key in ("id", "name") if call.get(key) is not None}
    return {response_key(part): {**named, "response": {"error": CLOSED_CALL}}}


@dataclass(slots=True)
class _Open:
    """A call of the newest model content, and whether it still waits."""

    call: Call
    native: str
    waits: bool = True


class Reader:
    """Reads contents in order and adds their turns; calls without ids are paired by place.

    A model content is one turn. Each response of a user content is one turn, and what else stands
    in it is one turn after them.

    Args:
        found: Where turns and damage go.
    """

    def __init__(self, found: Found) -> None:
        self.found = found
        self._open: list[_Open] = []

    def add(
        self,
        content: Object,
        turn_id: str,
        at: tuple[int, str],
        *,
        is_model: bool,
        skipped: Collection[int] = (),
    ) -> None:
        """Add the turns of a content.

        Args:
            content: The content; its `parts` are a list.
            turn_id: What the ids of its turns begin with.
            at: The number of its message, and its place for a person.
            is_model: Whether the model said it.
            skipped: The numbers of responses that a later one replaces; they are no turns.
        """
        number, place = at
        if is_model:
            self._add_model(content, turn_id, number, place)
        else:
            self._add_user(content, turn_id, at, skipped)

    def _add_model(self, content: Object, turn_id: str, number: int, place: str) -> None:
        gathered = Gathered()
        calls: list[_Open] = []
        for index, part in enumerate(content["parts"]):
            gather_part(part, gathered, f"{place}.parts[{index}]", self.found)
            if (call := call_of(part)) is not None:
                native = string_of(call.get("id"))
                named = Call(native or f"#{number}.{index}", string_of(call.get("name")))
                calls.append(_Open(named, native))
        turn = LoadedTurn(turn_id, ASSISTANT, gathered.content, origin=place)
        turn.hidden, turn.media = gathered.hidden_text, gathered.media
        turn.makes = tuple(each.call for each in calls)
        if calls:
            self._open = calls
        self.found.add(turn, Place(number))

    def _add_user(
        self, content: Object, turn_id: str, at: tuple[int, str], skipped: Collection[int]
    ) -> None:
        (number, place), parts = at, content["parts"]
        results = [index for index, part in enumerate(parts) if response_of(part) is not None]
        for index in (each for each in results if each not in skipped):
            own = f"{turn_id}.p{index}" if len(parts) > 1 else turn_id
            self._add_response(parts[index], own, (number, index), f"{place}.parts[{index}]")
        answering = set(results)
        rest = tuple(index for index in range(len(parts)) if index not in answering)
        if results and not rest:
            return
        gathered = Gathered()
        for index in rest:
            gather_part(parts[index], gathered, f"{place}.parts[{index}]", self.found)
        own = f"{turn_id}.text" if results else turn_id
        turn = LoadedTurn(own, USER, gathered.content, origin=place)
        turn.hidden, turn.media = gathered.hidden_text, gathered.media
        if turn.content == BRIDGE:
            return
        if is_marked_summary(turn.content):
            turn.kind = KIND_SUMMARY
        self.found.add(turn, Place(number, rest if results else None))

    def _add_response(self, part: Object, turn_id: str, at: tuple[int, int], place: str) -> None:
        response = response_of(part) or {}
        gathered, failed = gather_response(response)
        name = string_of(response.get("name"))
        answered = self._answered(string_of(response.get("id")), name)
        if failed and gathered.content == CLOSED_CALL:
            return
        turn = LoadedTurn(turn_id, TOOL, gathered.content, origin=place)
        turn.media, turn.failed = gathered.media, failed
        turn.answers, turn.tool_name = (answered,), name or None
        self.found.add(turn, Place(at[0], (at[1],)))

    def _answered(self, native: str, name: str) -> str:
        """Return the call that a response answers: by its id, else by order among its name (A8)."""
        waiting = [each for each in self._open if each.waits]
        exact = [each for each in waiting if native and each.native == native]
        alike = [
            each for each in waiting if each.call.name == name and not (native and each.native)
        ]
        chosen = next(iter((*exact, *alike)), None)
        if chosen is None:
            return native
        chosen.waits = False
        return chosen.call.call_id
