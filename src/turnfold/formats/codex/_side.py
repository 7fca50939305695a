"""What stands beside the items of a rollout: its head, its settings, its events.

A compacted rollout keeps of it what repeats nothing that was removed: the head under a new id,
the settings of a turn without the user's instructions in them, and the events that repeat a
message which is still there, as Codex shows a resumed session by these.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from turnfold.formats._lines import parse_line
from turnfold.formats._new_records import line_of
from turnfold.formats._parts import Gathered
from turnfold.formats._responses_items import kind_of, part_of
from turnfold.formats._responses_text import gather_content
from turnfold.formats.codex._records import Held, Object

_LINEAGE: Final = ("forked_from_id", "forked_from_ordinal", "parent_thread_id", "history_base")
_REPEATS: Final = ("user_instructions", "developer_instructions")
_ROLES: Final = {"words": "user", "model": "assistant"}


def envelope(kind: str, payload: object, timestamp: object) -> Object:
    """Return a record with its envelope; the time is copied, never made."""
    head: Object = {} if timestamp is None else {"timestamp": timestamp}
    return {**head, "type": kind, "payload": payload}


def head_line(records: Iterable[Held], session_id: str) -> bytes | None:
    """Return the head of the session under a new id, without the sessions that it came from."""
    head = next((each for each in records if each.part == "meta"), None)
    if head is None:
        return None
    value = {key: each for key, each in head.value.items() if key not in _LINEAGE}
    value["id"] = session_id
    if "session_id" in value:
        value["session_id"] = session_id
    if "instructions" in value:
        # Those of the user, which an injected message repeats.
        value["instructions"] = None
    return line_of(value if head.is_bare else envelope("session_meta", value, head.timestamp))


def context_line(record: Held) -> bytes:
    """Return the settings of a turn without what they repeat of the user's instructions."""
    value = {key: each for key, each in record.value.items() if key not in _REPEATS}
    return line_of(envelope("turn_context", value, record.timestamp))


def spoken_by(item: object) -> tuple[str, str] | None:
    """Return the role and the text of a message that an event may repeat."""
    if not isinstance(item, dict) or kind_of(item) != "message":
        return None
    role = _ROLES.get(part_of(item) or "")
    gathered = Gathered()
    gather_content(item.get("content"), gathered)
    text = gathered.content.strip()
    return (role, text) if role and text else None


def beside(records: Sequence[Held], lines: Sequence[bytes]) -> dict[int, list[tuple[int, bytes]]]:
    """Return by the line of each message the events that repeat it: their lines and bytes.

    An event goes to the nearest message that says the same.
    """
    spoken: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for record in records:
        if record.part == "item" and (said := spoken_by(record.value)):
            spoken[said].append(record.number)
    events: defaultdict[int, list[tuple[int, bytes]]] = defaultdict(list)
    for record in records:
        if record.part == "said" and (numbers := spoken.get(record.value)):
            at = bisect_left(numbers, record.number)
            near = min(numbers[max(at - 1, 0) : at + 1], key=lambda n: abs(n - record.number))
            events[near].append((record.number, raw_line(record, lines)))
    return events


def raw_line(record: Held, lines: Sequence[bytes]) -> bytes:
    """Return the line of a record as it was, or its object as a line of its own."""
    raw = lines[record.number - 1]
    if record.is_alone and raw.endswith(b"\n"):
        return raw
    value: Any = parse_line(record.number, raw)[record.position]
    return line_of(value)
