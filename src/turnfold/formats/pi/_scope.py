"""Which records of a pi session are in the model's context, and in which order.

The newest record is the leaf; what it descends from is the conversation, and other branches are
not. The last compaction on that path stands for all before the record that it names as first
kept: the context is its summary, the kept records, and what follows it. A newer compaction
carries the kept messages itself, or the system message that all before it came to. A
`context_edit` says what is sent in place of an earlier record, or that it is not sent.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from turnfold.formats._session import Damage
from turnfold.formats.pi._records import SYSTEM_OF, Entry, Scan, system_of, tail_of

BROKEN_PARENT: Final = "broken_parent"
MISSING_KEPT: Final = "missing_kept_record"

COMPACTION: Final = "compaction"
_EDIT: Final = "context_edit"


class Chosen(NamedTuple):
    """A record of a scope, or one message of those that a compaction carries."""

    entry: Entry
    tail: int | None = None


def select(found: Scan, scope: Literal["live", "full"]) -> list[Chosen]:
    """Return the records of a scope in order; the damage on the way is added to `found`."""
    if scope == "full":
        return [Chosen(entry) for entry in found.entries]
    path = _path(found)
    last = max((at for at, each in enumerate(path) if each.kind == COMPACTION), default=-1)
    if last < 0:
        return _edited(found, [Chosen(entry) for entry in path])
    compaction, after = path[last], path[last + 1 :]
    chosen = [Chosen(compaction), *_kept(found, path, last), *map(Chosen, after)]
    if system_of(found.records[compaction.index]) is not None:
        chosen.insert(0, Chosen(compaction, SYSTEM_OF))
    return _edited(found, chosen)


def _edited(found: Scan, chosen: list[Chosen]) -> list[Chosen]:
    """Return the records without those that an edit left out; the content of others is noted."""
    edits: dict[str, Any] = {}
    for entry, _ in chosen:
        if entry.kind == _EDIT:
            record = found.records[entry.index]
            if isinstance(record.get("targetId"), str):
                edits[record["targetId"]] = record.get("replacement")
    for entry, _ in chosen:
        replacement = edits.get(entry.id)
        if isinstance(replacement, dict):
            found.records.edits[entry.index] = replacement.get("content")
    return [each for each in chosen if edits.get(each.entry.id, _EDIT) is not None]


def _kept(found: Scan, path: list[Entry], last: int) -> Iterator[Chosen]:
    compaction = path[last]
    tail = tail_of(found.records[compaction.index])
    if tail:
        yield from (Chosen(compaction, number) for number in range(len(tail)))
        return
    named = compaction.kept
    if named is None:
        return
    starts = {
        entry.index if isinstance(named, int) else entry.id: at for at, entry in enumerate(path)
    }
    if named in starts:
        kept = path[starts[named] : last]
        yield from (Chosen(entry) for entry in kept if not _is_replaced(found, entry))
        return
    message = "the record that this compaction names as first kept is not there; none is kept"
    found.damage.append(Damage(compaction.origin, MISSING_KEPT, message))


def _is_replaced(found: Scan, entry: Entry) -> bool:
    """Whether a compaction stands for a record even where it keeps what is around it."""
    message = found.records[entry.index].get("message") if entry.kind == "message" else None
    return entry.kind == COMPACTION or (
        isinstance(message, dict) and message.get("role") == "system"
    )


def _path(found: Scan) -> list[Entry]:
    """Return the leaf and what it descends from, oldest first (known failure K7).

    A parent that is not in the file is taken for the record before; where records are their own
    ancestors, the order is that of the file.
    """
    places = {entry.id: at for at, entry in enumerate(found.entries)}
    path: list[Entry] = []
    seen: set[str] = set()
    at = len(found.entries) - 1
    while at >= 0:
        entry = found.entries[at]
        if entry.id in seen:
            message = "the record is its own ancestor; the order is that of the file"
            found.damage.append(Damage(entry.origin, BROKEN_PARENT, message))
            return found.entries
        seen.add(entry.id)
        path.append(entry)
        if entry.parent is None:
            break
        if entry.parent not in places:
            message = "the record names a parent that is not in the file; the one before counts"
            found.damage.append(Damage(entry.origin, BROKEN_PARENT, message))
        at = places.get(entry.parent, at - 1)
    return path[::-1]
