"""Which messages of a Claude Code session are in the model's context, and in which order.

The order is that of the file. `parentUuid` makes a tree even where nothing was taken back (each
parallel result hangs on its own call's record, hooks and attachments stand in the chain), so it
is never walked to collect messages. It is used for one thing: two genuine user records that
answer the same message are a prompt and its replacement after a rewind. The one that the newest
message descends from is live, else the later one; the others and all that descends from them are
out of the model's context.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from turnfold.formats._session import Damage
from turnfold.formats.claude_code._records import Entry, Scan, text_at

BROKEN_PARENT: Final = "broken_parent"
UNFINISHED_COMPACTION: Final = "unfinished_compaction"
MISSING_SEGMENT: Final = "missing_preserved_segment"


def select(found: Scan, scope: Literal["live", "full"]) -> list[Entry]:
    """Return the messages of a scope in order; the damage on the way is added to `found`."""
    found.damage.extend(_broken_parents(found))
    if scope == "full":
        return _messages(found.entries)
    entries = _without_abandoned(found)
    followed = max((at for at, entry in enumerate(entries) if entry.part != "boundary"), default=-1)
    for at in range(len(entries) - 1, -1, -1):
        boundary = entries[at]
        if boundary.part != "boundary":
            continue
        after = _messages(entries[at + 1 :]) if at < followed else []
        preserved = _preserved(boundary, entries[:at], after, found.damage)
        if after or preserved:
            anchor = _anchor(boundary, after)
            return [*after[:anchor], *preserved, *after[anchor:]]
        message = "nothing follows this compaction, so the context before it counts"
        found.damage.append(Damage(boundary.origin, UNFINISHED_COMPACTION, message))
    return _messages(entries)


def _messages(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.part != "boundary"]


def _metadata(boundary: Entry, key: str) -> Mapping[str, Any]:
    metadata = boundary.record.get("compactMetadata")
    value = metadata.get(key) if isinstance(metadata, dict) else None
    return value if isinstance(value, dict) else {}


def _preserved(
    boundary: Entry, before: Sequence[Entry], after: Sequence[Entry], damage: list[Damage]
) -> list[Entry]:
    """Return what a compaction kept verbatim of what stood before it (known failure K7)."""
    listed = _metadata(boundary, "preservedMessages").get("uuids")
    if isinstance(listed, list):
        wanted = {each for each in listed if isinstance(each, str)}
        return [entry for entry in _messages(before) if entry.uuid in wanted]
    segment = _metadata(boundary, "preservedSegment")
    if not segment:
        return []
    head, tail = text_at(segment, "headUuid"), text_at(segment, "tailUuid")
    if any(entry.uuid == head for entry in after):
        return []
    places = {entry.uuid: at for at, entry in enumerate(before)}
    if head in places and tail in places:
        return _messages(before[places[head] : places[tail] + 1])
    message = "the messages that this compaction kept are not all in the file; none is restored"
    damage.append(Damage(boundary.origin, MISSING_SEGMENT, message))
    return []


def _anchor(boundary: Entry, after: Sequence[Entry]) -> int:
    """Where the preserved messages go: behind their anchor, else behind the summary."""
    anchor = text_at(_metadata(boundary, "preservedSegment"), "anchorUuid") or text_at(
        _metadata(boundary, "preservedMessages"), "anchorUuid"
    )
    places = {entry.uuid: at + 1 for at, entry in enumerate(after)}
    if anchor in places:
        return places[anchor]
    return next((at + 1 for at, each in enumerate(after) if each.record.get("isCompactSummary")), 0)


def _broken_parents(found: Scan) -> Iterator[Damage]:
    """Report links that lead nowhere or in a circle, once each kind with its first place."""
    missing: list[Entry] = []
    circular: list[Entry] = []
    sound: set[str] = set()
    for entry in _messages(found.entries):
        parent = text_at(entry.record, "parentUuid")
        if parent and parent not in found.parents:
            missing.append(entry)
        path = _path(entry.uuid, found.parents, sound)
        if path and found.parents[next(reversed(path))] in path:
            circular.append(entry)
        sound.update(path)
    for entries, what in (
        (missing, "names a parent that is not in the file"),
        (circular, "is its own ancestor"),
    ):
        if entries:
            more = f" (and {len(entries) - 1:,} more records)" if len(entries) > 1 else ""
            message = f"the record {what}{more}; the order is that of the file"
            yield Damage(entries[0].origin, BROKEN_PARENT, message)


def _path(uuid: str, parents: Mapping[str, str], stop: Container[str] = ()) -> dict[str, None]:
    """Return a record and its ancestors, as far as they are known, new, and no circle."""
    seen: dict[str, None] = {}
    while uuid in parents and uuid not in seen and uuid not in stop:
        seen[uuid] = None
        uuid = parents[uuid]
    return seen


def _without_abandoned(found: Scan) -> list[Entry]:
    """Leave out the branches that a rewind took back."""
    roots = _abandoned_roots(found)
    if not roots:
        return found.entries
    verdicts: dict[str, bool] = dict.fromkeys(roots, True)
    for entry in found.entries:
        path = _path(entry.uuid, found.parents, verdicts)
        if path:
            above = found.parents[next(reversed(path))]
            verdicts.update(dict.fromkeys(path, verdicts.get(above, False)))
    return [entry for entry in found.entries if not verdicts.get(entry.uuid, False)]


def _abandoned_roots(found: Scan) -> set[str]:
    answered = {entry.uuid for entry in found.entries}
    nearest: dict[str, str] = {}
    siblings: dict[str, list[str]] = {}
    for entry in found.entries:
        if entry.is_queued or not (entry.uuid and entry.is_genuine):
            continue
        parent = _nearest(text_at(entry.record, "parentUuid"), found.parents, answered, nearest)
        if parent:
            siblings.setdefault(parent, []).append(entry.uuid)
    groups = [each for each in siblings.values() if len(each) > 1]
    if not groups:
        return set()
    live = _path(found.entries[-1].uuid, found.parents)
    return {
        uuid
        for group in groups
        for uuid in group
        if uuid != next((each for each in group if each in live), group[-1])
    }


def _nearest(
    uuid: str, parents: Mapping[str, str], messages: set[str], known: dict[str, str]
) -> str:
    """Return the nearest message at or above a record; empty where there is none."""
    path: list[str] = []
    seen: set[str] = set()
    while uuid and uuid not in messages and uuid not in known and uuid not in seen:
        path.append(uuid)
        seen.add(uuid)
        uuid = parents.get(uuid, "")
    found = uuid if uuid in messages else known.get(uuid, "")
    known.update(dict.fromkeys(path, found))
    return found
