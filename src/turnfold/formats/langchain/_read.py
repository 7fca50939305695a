"""From one LangChain message to its turns."""

from collections.abc import Mapping
from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import Found
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER
from turnfold.formats.langchain._forms import HUMAN, REMOVE, Fields

Turns = list[tuple[LoadedTurn, tuple[int, ...] | None]]

_ROLES: Final = {
    "human": USER,
    "ai": ASSISTANT,
    "system": SYSTEM,
    "tool": TOOL,
    "function": TOOL,
}
_CALL_BLOCKS: Final = frozenset(
    {"tool_use", "tool_call", "tool_call_chunk", "function_call", "custom_tool_call"}
)
_REASONING: Final = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "reasoning_content", "input_json_delta"}
)
_REASONING_KEYS: Final = ("reasoning_content", "reasoning", "thinking")
_TEXT_KEYS: Final = frozenset(
    {"type", "text", "id", "annotations", "citations", "cache_control", "index", "extras", "phase"}
)
_MEDIA: Final = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "file": "file",
    "document": "file",
    "media": "file",
}


def read_message(index: int, fields: Fields, found: Found) -> Turns:
    """Return the turns of a message, each with its blocks; what turnfold wrote is none."""
    place = f"messages[{index}]"
    content = fields.values.get("content")
    if fields.kind == REMOVE:
        return []
    if not (content is None or isinstance(content, str | list)):
        kind = type(content).__name__
        found.report(f"{place}.content", f"content is a string or a list of blocks; got a {kind}")
        return []
    native = fields.values.get("id")
    turn_id = native if isinstance(native, str) and native else f"m{index}"
    turn = LoadedTurn(turn_id, _ROLES[fields.kind], "", origin=place)
    if fields.kind == HUMAN and isinstance(content, list) and any(map(is_result_block, content)):
        return _read_blocks(turn, content, found)
    gathered = _gathered(content, f"{place}.content", found)
    if fields.kind == "ai":
        _read_calls(turn, fields.values, gathered, found)
    elif turn.role is TOOL:
        _read_result(turn, fields, found)
    return [(turn, None)] if _filled(turn, gathered) else []


def is_result_block(block: object) -> bool:
    """Whether a block of a human message answers a call, as Anthropic spells it."""
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _filled(turn: LoadedTurn, gathered: Gathered) -> bool:
    """Fill a turn with what was gathered; False where turnfold wrote it."""
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media
    if turn.role is USER and is_marked_summary(turn.content):
        turn.kind = KIND_SUMMARY
    return turn.content != {TOOL: CLOSED_CALL, USER: BRIDGE}.get(turn.role)


def _read_blocks(whole: LoadedTurn, content: list[Any], found: Found) -> Turns:
    """A human message with results: each is a turn, and what else stands there is one more."""
    turns: Turns = []
    rest = tuple(number for number, each in enumerate(content) if not is_result_block(each))
    for number in sorted(set(range(len(content))) - set(rest)):
        block, at = content[number], f"{whole.origin}.content[{number}]"
        turn = LoadedTurn(f"{whole.turn_id}.b{number}", TOOL, "", origin=at)
        turn.answers = (_id_of(block.get("tool_use_id"), f"{at}.tool_use_id", found),)
        turn.failed = block.get("is_error") is True
        if _filled(turn, _gathered(block.get("content"), f"{at}.content", found)):
            turns.append((turn, (number,)))
    if rest:
        whole.turn_id = f"{whole.turn_id}.text"
        gathered = Gathered()
        for number in rest:
            _gather_block(content[number], gathered, f"{whole.origin}.content[{number}]", found)
        if _filled(whole, gathered):
            turns.append((whole, rest))
    return turns


def _gathered(content: object, place: str, found: Found) -> Gathered:
    gathered = Gathered()
    if isinstance(content, list):
        for number, block in enumerate(content):
            _gather_block(block, gathered, f"{place}[{number}]", found)
    elif content != STRIPPED:
        gathered.add(text_of(content))
    return gathered


def _gather_block(block: object, gathered: Gathered, place: str, found: Found) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if isinstance(block, str):
        gathered.add(block)
    elif not isinstance(block, dict) or not isinstance(kind, str):
        found.report(place, "a block is a string or an object with a type")
        gathered.add_unknown(block)
    elif kind in _CALL_BLOCKS:
        return
    elif kind in _REASONING:
        # A signature can stand for a thinking text that was left out.
        gathered.hidden.append(max((text_of(block[key]) for key in block), key=len))
    elif kind in _MEDIA and isinstance(block.get("text"), str):
        gathered.add(block["text"])
    elif kind in _MEDIA:
        gathered.add_media(_MEDIA[kind], block.get("filename") or block.get("title"))
    elif isinstance(block.get("text"), str) and block.keys() <= _TEXT_KEYS:
        gathered.add("" if block["text"] == STRIPPED else block["text"])
    elif kind == "refusal":
        gathered.add(text_of(block.get("refusal")))
    else:
        gathered.add_unknown(block)


def calls_of(values: Mapping[str, Any]) -> list[Call]:
    """Return the calls of an AI message, each once, in the order in which the fields list them."""
    return [Call(call_id, name) for call_id, name, _ in _listed_calls(values)]


def _listed_calls(values: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Return id, name and arguments of each call.

    A message can hold its calls up to three times: parsed, as content blocks, and as the
    provider sent them. The parsed ones lead; the others add what is not among them.
    """
    parsed = [*_dicts(values.get("tool_calls")), *_dicts(values.get("invalid_tool_calls"))]
    calls = [_call(each, each) for each in parsed]
    seen = {call_id for call_id, _, _ in calls}
    blocks = [b for b in _dicts(values.get("content")) if _is_call_block(b)]
    extra = values.get("additional_kwargs")
    raw = _dicts(extra.get("tool_calls")) if isinstance(extra, dict) else []
    for listed in ([_call(each, each) for each in blocks], [_raw_call(each) for each in raw]):
        # Without ids nobody can tell whether a call is listed twice.
        calls += [call for call in listed if call[0] not in seen and (call[0] or not calls)]
        seen.update(call[0] for call in listed)
    legacy = extra.get("function_call") if isinstance(extra, dict) else None
    if isinstance(legacy, dict) and not calls:
        calls.append(("", text_of(legacy.get("name")), legacy.get("arguments")))
    return calls


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _is_call_block(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind in _CALL_BLOCKS


def _call(call: dict[str, Any], body: dict[str, Any]) -> tuple[str, str, Any]:
    call_id = call.get("call_id") or call.get("id")
    keys = ("args", "arguments", "input")
    arguments = next((body[key] for key in keys if body.get(key) is not None), None)
    return call_id if isinstance(call_id, str) else "", text_of(body.get("name")), arguments


def _raw_call(call: dict[str, Any]) -> tuple[str, str, Any]:
    body = call.get("function")
    return _call(call, body if isinstance(body, dict) else call)


def _read_calls(
    turn: LoadedTurn, values: Mapping[str, Any], gathered: Gathered, found: Found
) -> None:
    for key in ("tool_calls", "invalid_tool_calls"):
        listed = values.get(key)
        if not (listed is None or isinstance(listed, list)) or (
            isinstance(listed, list) and len(_dicts(listed)) < len(listed)
        ):
            found.report(f"{turn.origin}.{key}", f"{key} is a list of objects")
            gathered.add_unknown(listed)
    extra = values.get("additional_kwargs")
    if isinstance(extra, dict):
        # Servers repeat one reasoning under several keys, so only the longest counts.
        gathered.hidden.append(max((text_of(extra.get(key)) for key in _REASONING_KEYS), key=len))
        gathered.add(text_of(extra.get("refusal")))
        if extra.get("audio") is not None:
            gathered.add_media("audio")
    calls = _listed_calls(values)
    for _, name, arguments in calls:
        gathered.add_call(name, arguments)
    turn.makes = tuple(calls_of(values))


def _read_result(turn: LoadedTurn, fields: Fields, found: Found) -> None:
    name = fields.values.get("name")
    turn.tool_name = name if isinstance(name, str) and name else None
    turn.failed = fields.values.get("status") == "error"
    if fields.kind == "function":
        turn.answers = ("",)
        return
    place = f"{turn.origin}.tool_call_id"
    turn.answers = (_id_of(fields.values.get("tool_call_id"), place, found),)


def _id_of(value: object, place: str, found: Found) -> str:
    if isinstance(value, str):
        return value
    found.report(place, "a result names its call; without one its place does")
    return ""
