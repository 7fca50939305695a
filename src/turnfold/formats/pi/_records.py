"""The records of a pi session.

Each line is an object with a `type`. Old sessions are a plain sequence; newer ones are a tree, in
which each record has an `id` and names its `parentId`. A record without an id gets one made of its
line here and hangs on the record before it, as the client itself reads old sessions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, overload

from turnfold.formats._lines import parse_line, read_records
from turnfold.formats._session import Damage

Object = dict[str, Any]

HEADER: Final = "session"

SYSTEM_OF: Final = -1
"""The place of the system message among those that a compaction carries."""

_EDITABLE: Final = frozenset(("user", "assistant", "toolResult", "custom"))
_BLOCKS_ONLY: Final = frozenset(("assistant", "toolResult"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A record: where it stands, its kind, and its place in the tree.

    Args:
        index: Its number among all objects of the file, the header included, from 0.
        number: Its line, counted from 1.
        position: Its place on the line.
        kind: Its `type`; empty where that is no string.
        id: Its own id, or one made of its line.
        parent: The id of the record before it in the conversation; None for a first record.
        kept: For a compaction, the id or the index of the first record that it kept.
    """

    index: int
    number: int
    position: int
    kind: str
    id: str
    parent: str | None
    kept: str | int | None = None

    @property
    def origin(self) -> str:
        """Where it stands, for a person."""
        return f"line {self.number}"


class Records(Sequence[Any]):
    """The objects of a file by their number; each is parsed when it is asked for.

    Where the client sends another content than a record's own, `edits` has it by the number.
    """

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.edits: dict[int, Any] = {}
        self._places: list[tuple[int, int]] = []
        self._last: tuple[int, Object] = (-1, {})

    def add(self, number: int, position: int) -> int:
        """Add an object by its line and its place on it; return its number."""
        self._places.append((number, position))
        return len(self._places) - 1

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Any: ...  # noqa: ANN401  A record has any shape.
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if self._last[0] != index:
            number, position = self._places[index]
            record = parse_line(number, self.lines[number - 1])[position]
            if index in self.edits:
                record = _edited(record, self.edits[index])
            self._last = (index, record)
        return self._last[1]


@dataclass(slots=True)
class Scan:
    """What is read of a file.

    Args:
        records: Every object.
        entries: The records in the order of the file, the header left out; of records with one id
            the last one.
        header: The number of the header, or None where there is none.
        has_ids: Whether records have ids of their own.
        damage: What was wrong.
    """

    records: Records = field(default_factory=Records)
    entries: list[Entry] = field(default_factory=list)
    header: int | None = None
    has_ids: bool = False
    damage: list[Damage] = field(default_factory=list)


def scan(source: bytes | Iterable[bytes]) -> Scan:
    """Read every line once; of records with one id the last occurrence counts (K8)."""
    found = Scan()
    entries: dict[str, Entry] = {}
    before: str | None = None
    for number, raw, values, damage in read_records(source):
        found.records.lines.append(raw)
        found.damage.extend(damage)
        for position, value in enumerate(values):
            index = found.records.add(number, position)
            if value.get("type") == HEADER:
                found.header = index if found.header is None else found.header
                continue
            found.has_ids = found.has_ids or isinstance(value.get("id"), str)
            entry = _entry(index, (number, position), value, before)
            entries.pop(entry.id, None)
            entries[entry.id] = entry
            before = entry.id
    found.entries = list(entries.values())
    return found


def _entry(index: int, at: tuple[int, int], value: Object, before: str | None) -> Entry:
    number, position = at
    own = value.get("id")
    place = f"line{number}.{position}" if position else f"line{number}"
    parent = value.get("parentId", before)
    if not (parent is None or isinstance(parent, str)):
        parent = before
    kind = value.get("type")
    return Entry(
        index,
        number,
        position,
        kind if isinstance(kind, str) else "",
        own if isinstance(own, str) and own else place,
        parent or None,
        _kept(value),
    )


def _kept(value: Object) -> str | int | None:
    named = value.get("firstKeptEntryId")
    if isinstance(named, str):
        return named
    index = value.get("firstKeptEntryIndex")
    return index if isinstance(index, int) else None


def _edited(record: Object, content: object) -> Object:
    """Return a record with the content that the client sends in place of its own."""
    if record.get("type") == "custom_message":
        return {**record, "content": content}
    message = record.get("message")
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(message, dict) or role not in _EDITABLE:
        return record
    if role in _BLOCKS_ONLY and isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return {**record, "message": {**message, "content": content}}


def system_of(value: Object) -> Object | None:
    """Return the system message that a compaction carries; newer clients write it."""
    message = value.get("systemMessage")
    return message if isinstance(message, dict) else None


def tail_of(value: Object) -> list[Any]:
    """Return the messages that a compaction carries itself; newer clients write them (K7)."""
    tail = value.get("retainedTail")
    return tail if isinstance(tail, list) else []
