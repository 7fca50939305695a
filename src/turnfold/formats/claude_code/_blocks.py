"""The content blocks of a Claude Code message: their text, their cost, whose words they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from turnfold.formats._assemble import Call
from turnfold.formats._parts import Gathered, text_of

Block = dict[str, Any]

_WRAPPERS: Final = (
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "system-reminder",
    "task-notification",
)
_INTERRUPTED: Final = "[Request interrupted by user"
_MEDIA: Final = frozenset(("image", "document"))
_CALLS: Final = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
_HIDDEN: Final = ("thinking", "signature", "data")
"""What a thinking block costs: its text, or the signature that stands for a text left out."""


def blocks_of(content: object) -> list[Block]:
    """Return a message's content as blocks; a string is one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if content is None:
        return []
    listed = content if isinstance(content, list) else [content]
    return [
        each if isinstance(each, dict) else {"type": "text", "text": text_of(each)}
        for each in listed
    ]


def read_blocks(blocks: Sequence[Block]) -> Gathered:
    """Read the blocks of a turn; every kind, known or not, costs something (known failure F3)."""
    gathered = Gathered()
    for block in blocks:
        try:
            _read_block(block, gathered)
        except RecursionError:
            gathered.add("[a block that nests too deeply to be read]")
    return gathered


def _read_block(block: Block, gathered: Gathered) -> None:
    named = block.get("type")
    kind = named if isinstance(named, str) else ""
    if is_blank(block):
        return
    if kind == "text" and isinstance(block.get("text"), str):
        gathered.add(block["text"])
    elif kind in _CALLS and isinstance(block.get("name"), str):
        gathered.add_call(block["name"], block.get("input"))
    elif kind in ("thinking", "redacted_thinking"):
        gathered.hidden.append(next(filter(None, map(text_of, map(block.get, _HIDDEN))), ""))
    elif kind in _MEDIA:
        _read_media(block, gathered)
    else:
        gathered.add_unknown(block)


def _read_media(block: Block, gathered: Gathered) -> None:
    source = block.get("source")
    kind = source.get("type") if isinstance(source, dict) else None
    if isinstance(source, dict) and kind == "text":
        gathered.add(text_of(source.get("data")))
    elif isinstance(source, dict) and kind == "content":
        for each in blocks_of(source.get("content")):
            _read_block(each, gathered)
    else:
        gathered.add_media(block["type"], block.get("title"))


def is_blank(block: Block) -> bool:
    """Whether a block is a text of nothing but white space, which a provider refuses."""
    text = block.get("text")
    return block.get("type") == "text" and isinstance(text, str) and not text.strip()


def read_result(block: Block) -> Gathered:
    """Read a `tool_result`; an empty one stays empty."""
    return read_blocks(blocks_of(block.get("content")))


def calls_of(blocks: Sequence[Block]) -> tuple[Call, ...]:
    """Return the calls that an assistant message makes; an id that is no string is empty."""
    return tuple(
        Call(_call_id(block), block["name"])
        for block in blocks
        if block.get("type") == "tool_use" and isinstance(block.get("name"), str)
    )


def result_id(block: Block) -> str:
    """Return the id of the call that a result answers; empty where it says none."""
    call_id = block.get("tool_use_id")
    return call_id if isinstance(call_id, str) else ""


def is_injected(text: str) -> bool:
    """Whether a user's text holds nothing that a person wrote (known failure K9)."""
    rest = text.strip()
    if not rest:
        return False
    if rest.startswith(_INTERRUPTED):
        return True
    if rest[0] != "<":
        return False
    position = 0
    while position < len(rest):
        name = next((each for each in _WRAPPERS if rest.startswith(f"<{each}>", position)), None)
        if name is None:
            return False
        closing = f"</{name}>"
        position = rest.find(closing, position)
        if position < 0:
            return True
        position += len(closing)
        while position < len(rest) and rest[position].isspace():
            position += 1
    return True


@dataclass(slots=True)
class Union:
    """The blocks of one assistant message over all of its records (known failure K6).

    Args:
        blocks: The blocks in order, each with the record and the index that it stands at.
    """

    blocks: list[tuple[Block, int, int]] = field(default_factory=list)
    _calls: dict[str, int] = field(default_factory=dict)

    def add(self, record: int, blocks: Sequence[Block]) -> None:
        """Add a record's blocks; what a snapshot repeats replaces what stood before."""
        earlier = len(self.blocks)
        start = self._start_of(blocks)
        for index, block in enumerate(blocks):
            position = start + index
            if position >= earlier or not _continues(self.blocks[position][0], block):
                position = self._calls.get(_call_id(block), len(self.blocks))
            if position < len(self.blocks):
                self.blocks[position] = (block, record, index)
            else:
                self.blocks.append((block, record, index))
        for position in range(earlier, len(self.blocks)):
            if call_id := _call_id(self.blocks[position][0]):
                self._calls[call_id] = position

    def _start_of(self, blocks: Sequence[Block]) -> int:
        """Where a record's blocks begin: a snapshot repeats all so far, or the last block."""
        earlier = len(self.blocks)
        if earlier and len(blocks) > 1:
            pairs = zip(self.blocks, blocks, strict=False)
            if all(_continues(old, new) for (old, _, _), new in pairs):
                return 0
        if earlier and blocks and _continues(self.blocks[-1][0], blocks[0]):
            return earlier - 1
        return earlier


def _call_id(block: Block) -> str:
    call_id = block.get("id") if block.get("type") == "tool_use" else None
    return call_id if isinstance(call_id, str) else ""


def _continues(old: Block, new: Block) -> bool:
    kind = old.get("type")
    if kind != new.get("type"):
        return False
    if kind == "tool_use":
        return _call_id(old) != "" and _call_id(old) == _call_id(new)
    if kind in ("text", "thinking"):
        before, after = old.get(kind), new.get(kind)
        signed = old.get("signature") or None
        return (
            isinstance(before, str)
            and isinstance(after, str)
            and after.startswith(before)
            and signed in (None, new.get("signature"))
        )
    return old == new
