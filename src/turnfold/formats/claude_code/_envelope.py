"""What the records of a compacted Claude Code session are made of."""

from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats.claude_code._blocks import Block

Object = dict[str, Any]


_TEMPLATE_KEYS: Final = (
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "slug",
    "agentId",
)
KEPT_WHERE_CHANGED: Final = frozenset(
    (
        *_TEMPLATE_KEYS,
        "parentUuid",
        "promptId",
        "requestId",
        "permissionMode",
        "type",
        "message",
        "attachment",
        "uuid",
        "timestamp",
        "isMeta",
        "isCompactSummary",
        "isVisibleInTranscriptOnly",
        "sourceToolAssistantUUID",
        "sourceToolUseID",
    )
)
"""What a record keeps of its envelope where its message changed: nothing that repeats it."""


_LONG_TEXT: Final = 24


def template_of(record: Object) -> Object:
    """Return what a new record has in common with a record of the source, its time included."""
    template: Object = {key: record[key] for key in _TEMPLATE_KEYS if key in record}
    if "timestamp" in record:
        template["timestamp"] = record["timestamp"]
    return template


def adds_nothing(copy: object, message: Object) -> bool:
    """Whether a client's copy of a result holds no longer text than stands in the message.

    What it holds beyond the message, a whole file around an edit say, may have been removed.
    """
    said = "\n".join(_texts(message))
    return all(len(text) < _LONG_TEXT or text in said for text in _texts(copy))


def _texts(value: object) -> Iterator[str]:
    """Yield the strings in a value, keys of objects included."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list):
            waiting += each


def replaced(block: Block, text: str) -> Block:
    """Return a block that says `text`; a result keeps its other keys."""
    if block.get("type") == "tool_result":
        return {**block, "content": text}
    return {"type": "text", "text": text}


def without_words(blocks: list[Block], text: str | None) -> list[Block]:
    """Return the calls of a masked message, their inputs gone, behind the text given for it."""
    calls: list[Block] = [
        {**block, "input": {}} for block in blocks if block.get("type") == "tool_use"
    ]
    return calls if text is None else [{"type": "text", "text": text}, *calls]
