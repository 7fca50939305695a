"""From the records of a pi session to turns."""

from typing import Any, Final

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found, Place
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER
from turnfold.formats.pi._records import SYSTEM_OF, Object, Records, system_of, tail_of
from turnfold.formats.pi._scope import COMPACTION, Chosen

_ROLES: Final = {
    "system": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "toolResult": TOOL,
    "bashExecution": USER,
    "custom": USER,
    "hookMessage": USER,
    "branchSummary": USER,
    "compactionSummary": USER,
}
_SUMMARIES: Final = frozenset(("branchSummary", "compactionSummary"))
_INJECTED: Final = frozenset(("bashExecution", "custom", "hookMessage"))
_RECORDS: Final = {
    COMPACTION: "compactionSummary",
    "branch_summary": "branchSummary",
    "custom_message": "custom",
}
"""The role that the client gives to a record that is no message."""

_BROKEN_OFF: Final = frozenset(("aborted", "error"))

_AROUND_SUMMARY: Final = {
    "compactionSummary": (
        "The conversation history before this point was compacted into the following summary:"
        "\n\n<summary>\n\n</summary>"
    ),
    "branchSummary": (
        "The following is a summary of a branch that this conversation came back from:"
        "\n\n<summary>\n</summary>"
    ),
}
"""What the client writes around a summary when it sends it: it costs, and is no content."""


def message_of(record: Object, tail: int | None = None) -> object:
    """Return the message that a record stands for; None where it is a side record."""
    if tail is not None:
        return system_of(record) if tail == SYSTEM_OF else tail_of(record)[tail]
    kind = record.get("type")
    if kind == "message":
        return record.get("message", 0)
    role = _RECORDS.get(kind) if isinstance(kind, str) else None
    if role is None or (role == "branchSummary" and not record.get("summary")):
        return None
    return {**record, "role": role}


def _is_unsent(message: Object) -> bool:
    """Whether the client never sends a message: broken off, or kept out by the person."""
    if message.get("role") == "bashExecution":
        return bool(message.get("excludeFromContext"))
    reason = message.get("stopReason")
    return message.get("role") == "assistant" and isinstance(reason, str) and reason in _BROKEN_OFF


def add_turn(chosen: Chosen, records: Records, found: Found) -> None:
    """Add the turn of a record, where it is one, and report what is malformed."""
    entry, tail = chosen
    message = message_of(records[entry.index], tail)
    if message is None:
        return
    place, turn_id = entry.origin, entry.id
    if tail == SYSTEM_OF:
        place, turn_id = f"{place}.systemMessage", f"{turn_id}.system"
    elif tail is not None:
        place, turn_id = f"{place}.retainedTail[{tail}]", f"{turn_id}.t{tail}"
    if not isinstance(message, dict):
        kind = type(message).__name__
        found.report(f"{place}.message", f"a message is an object; this is a {kind}")
        return
    turn = _read(turn_id, message, place, found)
    if turn is not None:
        found.add(turn, Place(entry.index, None if tail is None else (tail,)))


def _read(turn_id: str, message: Object, place: str, found: Found) -> LoadedTurn | None:
    name = message.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or role is None:
        found.report(f"{place}.message.role", f"a role is one of {', '.join(_ROLES)}")
        return None
    if _is_unsent(message):
        return None
    try:
        gathered = _gathered(name, message, f"{place}.message", found)
    except RecursionError:
        found.report(f"{place}.message", "a message that nests too deeply to be read")
        return None
    turn = LoadedTurn(turn_id, role, gathered.content, origin=place)
    turn.hidden, turn.media = gathered.hidden_text, gathered.media
    if role is ASSISTANT:
        turn.makes = _calls(message, f"{place}.message", found)
    elif role is TOOL:
        if message.get("isError") is True and turn.content == CLOSED_CALL:
            return None
        _read_result(turn, message, f"{place}.message", found)
    elif turn.content == BRIDGE:
        return None
    elif name in _SUMMARIES or is_marked_summary(turn.content):
        turn.kind = KIND_SUMMARY
    elif name in _INJECTED:
        turn.kind = KIND_INJECTED
    return turn


def _gathered(name: str, message: Object, place: str, found: Found) -> Gathered:
    gathered = Gathered()
    if name in _SUMMARIES:
        gathered.hidden.append(_AROUND_SUMMARY[name])
        if not isinstance(message.get("summary"), str):
            found.report(f"{place}.summary", "a summary is a string")
        gathered.add(text_of(message.get("summary")))
    elif name == "bashExecution":
        gathered.add(bash_text(message))
    elif name == "system":
        if message.get("content") is not None:
            _gather(message["content"], gathered, f"{place}.content", found)
        sections = message.get("sections")
        for text in sections.values() if isinstance(sections, dict) else ():
            gathered.add(text_of(text) if text is not None else "")
    else:
        _gather(message.get("content"), gathered, f"{place}.content", found)
    return gathered


def bash_text(message: Object) -> str:
    """Return what the client tells the model of a command that the person ran."""
    lines = [f"Ran `{text_of(message.get('command'))}`"]
    output = text_of(message.get("output"))
    lines.append(f"```\n{output}\n```" if output else "(no output)")
    code = message.get("exitCode")
    if message.get("cancelled"):
        lines.append("\n(command cancelled)")
    elif code not in (None, 0):
        lines.append(f"\nCommand exited with code {text_of(code)}")
    if message.get("truncated") and message.get("fullOutputPath"):
        full = text_of(message["fullOutputPath"])
        lines.append(f"\n[Output truncated. Full output: {full}]")
    return "\n".join(lines)


def _gather(content: object, gathered: Gathered, place: str, found: Found) -> None:
    if isinstance(content, str):
        gathered.add(content)
    elif isinstance(content, list):
        for number, block in enumerate(content):
            try:
                _gather_block(block, gathered, f"{place}[{number}]", found)
            except RecursionError:
                gathered.add("[a block that nests too deeply to be read]")
    else:
        kind = type(content).__name__
        found.report(place, f"content is a string or a list of blocks; got a {kind}")
        if content is not None:
            gathered.add_unknown(content)


def _gather_block(block: object, gathered: Gathered, place: str, found: Found) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str):
        found.report(place, "a block is an object with a type")
        gathered.add_unknown(block)
    elif kind == "text" and isinstance(block.get("text"), str):
        gathered.add(block["text"])
    elif kind == "thinking":
        # A signature can stand for a thinking text that was left out.
        texts = (text_of(block.get(key)) for key in ("thinking", "thinkingSignature"))
        gathered.hidden += filter(None, [max(texts, key=len)])
    elif kind == "toolCall":
        gathered.add_call(block.get("name"), block.get("arguments"))
    elif kind == "image":
        gathered.add_media("image")
    else:
        gathered.add_unknown(block)


def calls_of(message: Object) -> list[tuple[int, Object]]:
    """Return the call blocks of an assistant message with their numbers."""
    content = message.get("content")
    return [
        (number, block)
        for number, block in enumerate(content if isinstance(content, list) else ())
        if isinstance(block, dict) and block.get("type") == "toolCall"
    ]


def _calls(message: Object, place: str, found: Found) -> tuple[Call, ...]:
    calls: list[Call] = []
    for number, block in calls_of(message):
        call_id: Any = block.get("id")
        if not isinstance(call_id, str):
            at = f"{place}.content[{number}].id"
            found.report(at, "a call has an id; without one it is paired by its place")
        name = block.get("name")
        calls.append(
            Call(call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "")
        )
    return tuple(calls)


def _read_result(turn: LoadedTurn, message: Object, place: str, found: Found) -> None:
    call_id, name = message.get("toolCallId"), message.get("toolName")
    if not isinstance(call_id, str):
        found.report(f"{place}.toolCallId", "a result names its call; without one its place does")
    turn.answers = (call_id if isinstance(call_id, str) else "",)
    turn.tool_name = name if isinstance(name, str) and name else None
    turn.failed = message.get("isError") is True
