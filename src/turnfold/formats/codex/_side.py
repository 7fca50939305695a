"""What stands beside the items of a rollout: its head, its settings, its events.

A compacted rollout keeps of it what repeats nothing that was removed: the head under a new id,
the settings of a turn without the user's instructions in them, and the events that repeat a
message which is still there, with those of the turns in which they stand, as Codex shows a resumed
session by these.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from turnfold.formats._lines import parse_line
from turnfold.formats._new_records import line_of
from turnfold.formats._parts import Gathered
from turnfold.formats._responses_items import kind_of, part_of
from turnfold.formats._responses_text import gather_content
from turnfold.formats.codex._records import BEGINS, Held, Object

_LINEAGE: Final = (
    *("forked_from_id", "forked_from_ordinal", "forked_from_ordinal_exclusive"),
    *("parent_thread_id", "attached_thread", "history_base", "subagent_history_start_ordinal"),
)
_REPEATS: Final = ("user_instructions", "developer_instructions")
_COUNTED: Final = "paginated"
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


def shown_turns(records: Sequence[Held], shown: Iterable[int]) -> list[tuple[int, bytes]]:
    """Return where the turns begin and end that events stand in: the lines and their bytes.

    Args:
        records: The records that count.
        shown: The lines of the events, in order.
    """
    bounds = [record for record in records if record.part == "turn"]
    numbers = [record.number for record in bounds]
    begins = [at for at, each in enumerate(bounds) if each.value["type"] == BEGINS]
    held = {bisect_left(numbers, number) for number in shown}
    kept: list[Held] = []
    for at, after in pairwise([*begins, len(bounds)]):
        if not held.isdisjoint(range(at + 1, after + 1)):
            kept += bounds[at:after]
    return [(each.number, _bound_line(each)) for each in kept]


def _bound_line(record: Held) -> bytes:
    value = {key: each for key, each in record.value.items() if key != "last_agent_message"}
    return line_of(envelope("event_msg", value, record.timestamp))


def raw_line(record: Held, lines: Sequence[bytes]) -> bytes:
    """Return the line of a record as it was, or its object as a line of its own."""
    raw = lines[record.number - 1]
    if record.is_alone and raw.endswith(b"\n"):
        return raw
    value: Any = parse_line(record.number, raw)[record.position]
    return line_of(value)


def numbered(lines: Sequence[bytes]) -> Sequence[bytes]:
    """Return the lines of a new rollout, counted from 0 where its head says that they are counted.

    Codex shows of such a session (`"history_mode": "paginated"`) what stands in order and without
    a gap.
    """
    if not lines or not _is_counted(lines[0]):
        return lines
    return [_counted(number, line) for number, line in enumerate(lines)]


def _is_counted(head: bytes) -> bool:
    (value,) = parse_line(1, head)
    payload = value.get("payload")
    return isinstance(payload, dict) and payload.get("history_mode") == _COUNTED


def _counted(number: int, line: bytes) -> bytes:
    (value,) = parse_line(number, line)
    value.pop("ordinal", None)
    time: Object = {"timestamp": value.pop("timestamp")} if "timestamp" in value else {}
    return line_of({**time, "ordinal": number, **value})
