"""Which records of a Claude Code session are messages.

A session is an append-only log. The `user` and `assistant` records are messages, and so is an
attachment that holds what a person typed while the agent worked. A `compact_boundary` record says
that all before it was replaced by the summary that follows. All other records belong to the
client and are side records.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from turnfold.formats._lines import read_records
from turnfold.formats._marks import BRIDGE
from turnfold.formats._session import Damage, counted
from turnfold.formats.claude_code._blocks import Block, blocks_of, is_injected, read_blocks

Part = Literal["user", "assistant", "boundary"]
Object = dict[str, Any]


@dataclass(slots=True, eq=False)
class Entry:
    """A message or a boundary, and where it stands: its line and its place on the line."""

    number: int
    position: int
    part: Part
    record: Object
    """The envelope, without the message and without the client's own copies."""
    blocks: list[Block] = field(default_factory=list)
    message_id: str = ""
    is_queued: bool = False
    """Whether it was typed while the agent worked, and stands in an attachment."""
    context_tokens: int = 0
    """What the provider counted for the whole request and the response."""
    is_bridge: bool = False
    """Whether turnfold wrote it, because a provider wants a user first."""
    uuid: str = field(init=False)
    """The record's own id; empty where it has none."""
    is_genuine: bool = field(init=False)
    """Whether it is a person's prompt: no result, no summary, nothing injected."""

    def __post_init__(self) -> None:
        self.uuid = text_at(self.record, "uuid")
        self.is_genuine = self.part == "user" and _is_genuine(self)

    @property
    def origin(self) -> str:
        """Where it stands, for a person."""
        return f"line {self.number}"


@dataclass(slots=True)
class Scan:
    """What is read of a file: all lines, the messages and boundaries, every parent link."""

    lines: list[bytes] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    attachments: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """By the id of a record, the line and the place of each of the client's that hangs on it."""
    parents: dict[str, str] = field(default_factory=dict)
    damage: list[Damage] = field(default_factory=list)
    objects: int = 0


def text_at(record: Mapping[str, Any], key: str) -> str:
    """Return the string at a key; empty where there is none."""
    value = record.get(key)
    return value if isinstance(value, str) else ""


def scan(source: bytes | Iterable[bytes], *, as_sent: bool = False) -> Scan:
    """Read every line once; of records with one uuid the last occurrence counts (K8).

    Args:
        source: The file's bytes, or its lines or chunks in order.
        as_sent: Whether what turnfold wrote for the provider's sake counts as a message.
    """
    found = Scan()
    places: dict[str, int] = {}
    entries: list[Entry | None] = []
    for number, raw, values, damage in read_records(source):
        found.lines.append(raw)
        found.damage.extend(damage)
        found.objects += len(values)
        for position, value in enumerate(values):
            uuid = text_at(value, "uuid")
            if uuid:
                found.parents[uuid] = text_at(value, "parentUuid")
            entry = _entry(number, position, value)
            if entry is None and value.get("type") == "attachment":
                parent = text_at(value, "parentUuid")
                found.attachments.setdefault(parent, []).append((number, position))
            if entry is None or (entry.is_bridge and not as_sent):
                continue
            if uuid in places:
                entries[places[uuid]] = None
            if uuid:
                places[uuid] = len(entries)
            entries.append(entry)
    found.entries = _main(
        each
        for each in entries
        if each is not None and text_at(each.record, "source_uuid") not in places
    )
    return found


def _entry(number: int, position: int, value: Object) -> Entry | None:
    kind = value.get("type")
    if kind == "system":
        is_boundary = value.get("subtype") == "compact_boundary"
        return Entry(number, position, "boundary", value) if is_boundary else None
    if kind == "attachment":
        return _queued(number, position, value)
    message = value.get("message")
    if kind not in ("user", "assistant") or not isinstance(message, dict):
        return None
    if kind == "assistant" and (
        message.get("model") == "<synthetic>" or value.get("isApiErrorMessage")
    ):
        return None
    envelope: Object = {key: value[key] for key in _USED_KEYS if key in value}
    entry = Entry(number, position, kind, envelope, blocks_of(message.get("content")))
    if kind == "assistant":
        entry.message_id = text_at(message, "id")
        entry.context_tokens = counted(message.get("usage"), *_COUNTED)
    entry.is_bridge = bool(value.get("isMeta")) and message.get("content") == BRIDGE
    return entry


def _queued(number: int, position: int, value: Object) -> Entry | None:
    """Read what a person typed while the agent worked: it has no `user` record of its own."""
    attachment = value.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return None
    origin = attachment.get("origin")
    is_human = not isinstance(origin, dict) or origin.get("kind") == "human"
    is_prompt = attachment.get("commandMode", "prompt") == "prompt"
    envelope: Object = {key: value[key] for key in _USED_KEYS if key in value}
    envelope["source_uuid"] = attachment.get("source_uuid")
    if attachment.get("isMeta") or not (is_human and is_prompt):
        envelope["isMeta"] = True
    blocks = blocks_of(attachment.get("prompt"))
    return Entry(number, position, "user", envelope, blocks, is_queued=True)


def holder_of(record: Object) -> tuple[str, str]:
    """Return where a record holds its content: the key, and the key below it."""
    return (
        ("attachment", "prompt") if record.get("type") == "attachment" else ("message", "content")
    )


_COUNTED: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_USED_KEYS: Final = (
    "uuid",
    "parentUuid",
    "isSidechain",
    "parent_tool_use_id",
    "isMeta",
    "isCompactSummary",
    "sourceToolAssistantUUID",
)


def _main(entries: Iterable[Entry]) -> list[Entry]:
    """Leave out subagents' messages, unless the file is a subagent's own."""
    listed = list(entries)
    main = [entry for entry in listed if not _is_sidechain(entry)]
    return main if any(entry.part != "boundary" for entry in main) else listed


def _is_sidechain(entry: Entry) -> bool:
    return bool(entry.record.get("isSidechain") or entry.record.get("parent_tool_use_id"))


def _is_genuine(entry: Entry) -> bool:
    if entry.record.get("isMeta") or entry.record.get("isCompactSummary"):
        return False
    if any(block.get("type") == "tool_result" for block in entry.blocks):
        return False
    content = read_blocks(entry.blocks).content
    return bool(content.strip()) and not is_injected(content)
