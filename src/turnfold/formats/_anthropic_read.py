"""From one Anthropic message to its turns."""

from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import TOP_LEVEL, Found, Place
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, NO_WORDS, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER

_ROLES: Final = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT}
_SERVER_CALLS: Final = ("server_tool_use", "mcp_tool_use")
_THINKING: Final = ("thinking", "redacted_thinking")
_ENCRYPTED: Final = "encrypted_"


def read_system(document: object, found: Found) -> None:
    """Add the system prompt that stands beside the messages, where there is one."""
    system = document.get("system") if isinstance(document, dict) else None
    if system is None:
        return
    if not isinstance(system, str | list):
        found.report("system", f"system is a string or blocks; got a {type(system).__name__}")
        return
    turn = LoadedTurn("system", SYSTEM, "", origin="system")
    _fill(turn, _gather(system, "system", found))
    found.add(turn, Place(TOP_LEVEL))


def read_message(index: int, message: object, found: Found) -> None:
    """Add the turns of a message: an assistant message is one, a user message one a result."""
    place = f"messages[{index}]"
    if not isinstance(message, dict):
        found.report(place, f"a message is an object; this is a {type(message).__name__}")
        return
    name = message.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        found.report(f"{place}.role", f"a role is one of {', '.join(_ROLES)}; got {name!r:.40}")
        return
    content = message.get("content")
    if not isinstance(content, str | list):
        kind = type(content).__name__
        found.report(f"{place}.content", f"content is a string or a list of blocks; got a {kind}")
        return
    if role is USER and isinstance(content, list):
        _read_user_blocks(index, content, found)
        return
    turn = LoadedTurn(f"m{index}", role, "", origin=place)
    _fill(turn, _gather(content, f"{place}.content", found))
    if role is ASSISTANT:
        turn.content = "" if turn.content == NO_WORDS else turn.content
        turn.makes = _calls_of(content, f"{place}.content", found)
        turn.opens, turn.closes = _hosted_of(content)
    if role is USER:
        if turn.content == BRIDGE:
            return
        _mark_summary(turn)
    found.add(turn, Place(index))


def is_thinking(block: object) -> bool:
    """Whether a block is reasoning, readable or not."""
    return isinstance(block, dict) and block.get("type") in _THINKING


def is_result(block: object) -> bool:
    """Whether a block of a user message answers a call."""
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _read_user_blocks(index: int, content: list[Any], found: Found) -> None:
    place = f"messages[{index}]"
    results = [number for number, block in enumerate(content) if is_result(block)]
    for number in results:
        turn_id = f"m{index}.b{number}" if len(content) > 1 else f"m{index}"
        origin = f"{place}.content[{number}]"
        turn = LoadedTurn(turn_id, TOOL, "", origin=origin)
        block = content[number]
        _fill(turn, _gather(block.get("content") or "", f"{origin}.content", found))
        if turn.content == CLOSED_CALL:
            continue
        turn.failed = block.get("is_error") is True
        turn.answers = (_id_of(block.get("tool_use_id"), f"{origin}.tool_use_id", found),)
        found.add(turn, Place(index, (number,)))
    answering = set(results)
    rest = tuple(number for number in range(len(content)) if number not in answering)
    if results and not rest:
        return
    turn = LoadedTurn(f"m{index}.text" if results else f"m{index}", USER, "", origin=place)
    gathered = Gathered()
    for number in rest:
        _gather_block(content[number], gathered, f"{place}.content[{number}]", found)
    _fill(turn, gathered)
    if turn.content == BRIDGE:
        return
    _mark_summary(turn)
    found.add(turn, Place(index, rest if results else None))


def _mark_summary(turn: LoadedTurn) -> None:
    if is_marked_summary(turn.content):
        turn.kind = KIND_SUMMARY


def _fill(turn: LoadedTurn, gathered: Gathered) -> None:
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media


def _gather(content: object, place: str, found: Found) -> Gathered:
    gathered = Gathered()
    if isinstance(content, list):
        for number, block in enumerate(content):
            _gather_block(block, gathered, f"{place}[{number}]", found)
    elif isinstance(content, str):
        gathered.add(content)
    else:
        found.report(place, f"content is a string or blocks; got a {type(content).__name__}")
        gathered.add_unknown(content)
    return gathered


def _gather_block(block: object, gathered: Gathered, place: str, found: Found) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str):
        found.report(place, "a block is an object with a type")
        gathered.add_unknown(block)
    elif kind == "text" and isinstance(block.get("text"), str):
        gathered.add(block["text"])
    elif kind in _THINKING:
        # A signature can stand for a thinking text that was left out.
        gathered.hidden.append(
            max((text_of(block.get(key)) for key in ("thinking", "signature", "data")), key=len)
        )
    elif kind == "tool_use" or kind in _SERVER_CALLS:
        gathered.add_call(block.get("name"), block.get("input"))
    elif kind.endswith("tool_result"):
        _gather_result(block, gathered, place, found)
    elif kind in ("image", "document"):
        _gather_source(block, gathered, place, found)
    elif kind == "search_result" and isinstance(block.get("content"), list):
        gathered.add(text_of(block.get("title")))
        gathered.add(text_of(block.get("source")))
        _gather_into(gathered, block["content"], f"{place}.content", found)
    else:
        gathered.add_unknown(block)


def _gather_into(gathered: Gathered, content: object, place: str, found: Found) -> None:
    inner = _gather(content, place, found)
    gathered.lines += inner.lines
    gathered.hidden += inner.hidden
    gathered.media += inner.media


def _gather_source(block: dict[str, Any], gathered: Gathered, place: str, found: Found) -> None:
    """A document of text is text; every other source is a payload."""
    kind = block["type"]
    source = block.get("source")
    written = isinstance(source, dict) and source.get("type") in ("text", "content")
    if isinstance(source, dict) and written:
        gathered.add(f"[{kind} {title}]" if (title := text_of(block.get("title"))) else "")
        key = "data" if source["type"] == "text" else "content"
        _gather_into(gathered, source.get(key) or "", f"{place}.source.{key}", found)
    else:
        gathered.add_media(kind, block.get("title"))
    gathered.add(text_of(block.get("context")))


def _gather_result(block: dict[str, Any], gathered: Gathered, place: str, found: Found) -> None:
    """A result of a server tool: what can be read is content, what is encrypted only counts."""
    gathered.lines.append(f"[{block['type']}]")
    content = block.get("content")
    if isinstance(content, list) and all(_is_plain(each) for each in content):
        _gather_into(gathered, content, f"{place}.content", found)
    elif content is not None:
        hidden: list[str] = []
        gathered.add_unknown(_readable(content, hidden))
        gathered.hidden += hidden


def _is_plain(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in ("text", "image", "document")


def _readable(value: object, hidden: list[str]) -> object:
    """Return a value without its encrypted strings, which are added to `hidden`."""
    if isinstance(value, dict):
        hidden += [
            each
            for key, each in value.items()
            if isinstance(each, str) and str(key).startswith(_ENCRYPTED)
        ]
        return {
            key: _readable(each, hidden)
            for key, each in value.items()
            if not (isinstance(each, str) and str(key).startswith(_ENCRYPTED))
        }
    if isinstance(value, list):
        return [_readable(each, hidden) for each in value]
    return value


def _calls_of(content: str | list[Any], place: str, found: Found) -> tuple[Call, ...]:
    if isinstance(content, str):
        return ()
    return tuple(
        Call(_id_of(block.get("id"), f"{place}[{number}].id", found), text_of(block.get("name")))
        for number, block in enumerate(content)
        if isinstance(block, dict) and block.get("type") == "tool_use"
    )


def _hosted_of(content: str | list[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the hosted calls that have no result in a message, and results without their call."""
    opened: dict[str, None] = {}
    closed: list[str] = []
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in _SERVER_CALLS:
            opened[text_of(block.get("id"))] = None
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            call_id = text_of(block.get("tool_use_id"))
            if call_id in opened:
                del opened[call_id]
            else:
                closed.append(call_id)
    return tuple(opened), tuple(closed)


def _id_of(value: object, place: str, found: Found) -> str:
    if isinstance(value, str):
        return value
    found.report(place, f"an id is a string; got a {type(value).__name__}")
    return ""
