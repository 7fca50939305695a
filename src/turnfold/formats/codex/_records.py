"""The records of a Codex rollout: which are items of the model's history, and which are not.

A line is an envelope with `timestamp`, `type` and `payload`. The `response_item` lines are the
history, with what other agents wrote to this one (`inter_agent_communication`), and a `compacted`
line replaces all of it that came before. Events repeat for the screen
what the items say. The first versions wrote the items themselves, without an envelope.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from turnfold.formats._lines import read_records
from turnfold.formats._responses_items import AGENT_MESSAGE, KNOWN_TYPES
from turnfold.formats._session import Damage, counted

Object = dict[str, Any]
Part = Literal["item", "compacted", "meta", "context", "said", "turn", "rollback", "counted"]

ENVELOPES: Final = frozenset(
    {
        "session_meta",
        "response_item",
        "turn_context",
        "event_msg",
        "compacted",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "world_state",
        "token_usage_record",
    }
)
_SAID: Final[Mapping[str, str]] = {
    "user_message": "user",
    "agent_message": "assistant",
    "UserMessage": "user",
    "AgentMessage": "assistant",
}
"""By the type of an event, or of the item of an `item_completed`, who said it."""

BEGINS: Final = "task_started"
_BOUNDS: Final = frozenset({BEGINS, "task_complete", "turn_aborted"})
_PARTS: Final[Mapping[str, Part]] = {
    "response_item": "item",
    "compacted": "compacted",
    "session_meta": "meta",
    "turn_context": "context",
}


class Held(NamedTuple):
    """A record that counts, and where it stands.

    Args:
        part: An item, a compaction, the head of the session, the settings of a turn, an event
            that repeats a message, one where a turn begins or ends, the taking back of turns, or
            the provider's count.
        number: The line, counted from 1.
        position: Its place on the line.
        value: The item, or the payload; of an event that repeats a message its role and text.
        timestamp: The time of the envelope; None where there is none.
        is_bare: Whether it stands without an envelope.
        is_alone: Whether the line holds this record only, and nothing was wrong with it.
    """

    part: Part
    number: int
    position: int
    value: Any
    timestamp: Any
    is_bare: bool
    is_alone: bool

    @property
    def origin(self) -> str:
        """Where it stands, for a person."""
        return f"line {self.number}"

    @property
    def name(self) -> str:
        """The id of a turn that has none of its own."""
        return f"line{self.number}" + (f".{self.position}" if self.position else "")


@dataclass(slots=True)
class Scan:
    """What is read of a file: all lines, the records that count, and what was damaged."""

    lines: list[bytes] = field(default_factory=list)
    records: list[Held] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    objects: int = 0


def scan(source: bytes | Iterable[bytes]) -> Scan:
    """Read every line once."""
    found = Scan()
    for number, raw, values, damage in read_records(source):
        found.lines.append(raw)
        found.damage.extend(damage)
        found.objects += len(values)
        is_alone = len(values) == 1 and not damage
        for position, value in enumerate(values):
            part, held, is_bare = _read(value)
            if part is None:
                continue
            record = Held(part, number, position, held, value.get("timestamp"), is_bare, is_alone)
            found.records.append(record)
    return found


def _read(value: Object) -> tuple[Part | None, Any, bool]:
    """Return what a record is, its value, and whether it stands without an envelope."""
    kind = value.get("type")
    if "payload" not in value:
        return _read_bare(value)
    payload = value["payload"]
    if kind == "event_msg":
        return (*_read_event(payload), False)
    if kind == "inter_agent_communication":
        return (*_read_communication(payload), False)
    part = _PARTS.get(kind) if isinstance(kind, str) else None
    if part == "item" or isinstance(payload, dict):
        return part, payload, False
    return None, None, False


def _read_communication(payload: object) -> tuple[Part | None, Any]:
    """Return what another agent wrote as the item that Codex makes of it for the model."""
    if not isinstance(payload, dict):
        return None, None
    text, sealed = payload.get("content"), payload.get("encrypted_content")
    if isinstance(sealed, str) and sealed:
        part = {"type": "encrypted_content", "encrypted_content": sealed}
    elif isinstance(text, str):
        part = {"type": "input_text", "text": text}
    else:
        return None, None
    named = {key: payload[key] for key in ("id", "author", "recipient") if key in payload}
    return "item", {"type": AGENT_MESSAGE, **named, "content": [part]}


def _read_event(payload: object) -> tuple[Part | None, Any]:
    kind = payload.get("type") if isinstance(payload, dict) else None
    if not isinstance(payload, dict) or not isinstance(kind, str):
        return None, None
    if kind == "thread_rolled_back":
        turns = payload.get("num_turns")
        return ("rollback", turns) if isinstance(turns, int) and turns > 0 else (None, None)
    if kind == "token_count":
        info = payload.get("info")
        last = info.get("last_token_usage") if isinstance(info, dict) else None
        tokens = counted(last, "total_tokens")
        return ("counted", tokens) if tokens else (None, None)
    if kind in _BOUNDS:
        return "turn", payload
    text = payload.get("message")
    if kind == "item_completed":
        kind, text = _completed(payload.get("item"))
    if kind in _SAID and isinstance(text, str):
        return "said", (_SAID[kind], text.strip())
    return None, None


def _completed(item: object) -> tuple[str, str | None]:
    """Return the type and the text of the item that an event shows as a whole."""
    if not isinstance(item, dict) or not isinstance(item.get("content"), list):
        return "", None
    parts = [part.get("text") for part in item["content"] if isinstance(part, dict)]
    texts = [text for text in parts if isinstance(text, str)]
    return str(item.get("type")), "\n".join(texts)


def _read_bare(value: Object) -> tuple[Part | None, Any, bool]:
    if is_bare_head(value):
        return "meta", value, True
    return ("item", value, True) if is_bare_item(value) else (None, None, True)


def is_bare_head(record: Mapping[str, Any]) -> bool:
    """Whether a record without an envelope is the head of an early rollout."""
    return (
        "type" not in record
        and isinstance(record.get("id"), str)
        and isinstance(record.get("timestamp"), str)
        and ("instructions" in record or "git" in record)
    )


def is_bare_item(record: Mapping[str, Any]) -> bool:
    """Whether a record without an envelope is an item of the model's history."""
    kind = record.get("type")
    if not isinstance(kind, str) or "payload" in record:
        return False
    if kind == "message":
        return isinstance(record.get("role"), str) and isinstance(record.get("content"), list)
    if kind == "reasoning":
        return isinstance(record.get("summary"), list)
    if kind == "web_search_call":
        return isinstance(record.get("status"), str)
    return kind in KNOWN_TYPES and isinstance(record.get("call_id"), str)
