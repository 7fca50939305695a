"""The recording of newer clients: JSON Lines that add to a session, change it, and take back.

The first line is the head. A message is written anew, whole and under its id, whenever something
of it changes. `$set` changes the head, and with `messages` it replaces all messages so far: after
a compression, or where results were masked. `$rewindTo` takes a message back, and all after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from turnfold.formats._document import Document, Source
from turnfold.formats._either import Opened, json_line
from turnfold.formats._gemini_read import Object
from turnfold.formats._session import Damage

UNKNOWN_RECORD: Final = "unknown_record"

_REWIND: Final = "$rewindTo"
_CHANGE: Final = "$set"


@dataclass(frozen=True, slots=True)
class Recording:
    """What rendering needs: the session that the lines amount to, and the lines.

    Args:
        source: The session.
        held: The lines.
    """

    source: Source
    held: Opened

    def spelled(self, document: Document) -> bytes:
        """Return a changed session as lines: its head, and a line for each message.

        What was taken back or written anew is gone; a message that stays whole keeps its line.
        """
        head = {**dict(document)}
        messages = head.pop("messages")
        lines = self.held.lines
        return b"".join(
            [json_line(head), *(lines.get(id(each)) or json_line(each) for each in messages)]
        )

    def given(self) -> bytes:
        """Return the lines as they were."""
        data = self.held.given
        assert isinstance(data, bytes)  # noqa: S101  Only bytes are opened as lines.
        return data


def is_head(record: object) -> bool:
    """Whether a record is the head of a recording."""
    return (
        isinstance(record, Mapping)
        and isinstance(record.get("sessionId"), str)
        and isinstance(record.get("projectHash"), str)
    )


def is_recording(held: Opened) -> bool:
    """Whether a source is the lines of a recording."""
    return held.is_lines and isinstance(held.document, list) and is_head(held.document[0])


def session_in(held: Opened, scope: str, damage: list[Damage]) -> Document:
    """Return the session of a source: itself, or what its lines amount to.

    Args:
        held: The source.
        scope: Of a recording, `live` or `full`.
        damage: Takes up what is no record.
    """
    return replayed(list(held.document), scope, damage) if is_recording(held) else held.document


def replayed(records: Sequence[Any], scope: str, damage: list[Damage]) -> Object:
    """Return the session that the records of a recording amount to.

    Args:
        records: The records in order.
        scope: `live` is what the client would send; `full` is every message in the order in which
            it first came, also those that were taken back or replaced.
        damage: Takes up what is no record.
    """
    head: Object = {}
    messages: dict[str, Object] = {}
    for number, record in enumerate(records):
        if isinstance(record.get(_REWIND), str):
            if scope == "live":
                _rewind(messages, record[_REWIND])
        elif isinstance(record.get("id"), str):
            messages[record["id"]] = record
        elif isinstance(changes := record.get(_CHANGE, record), dict) and (
            _CHANGE in record or is_head(record)
        ):
            head |= changes
            if isinstance(changes.get("messages"), list):
                _replace(messages, changes["messages"], scope)
        else:
            message = "no message with an id, no head, no `$set` and no `$rewindTo`"
            damage.append(Damage(f"records[{number}]", UNKNOWN_RECORD, message))
    return {**head, "messages": list(messages.values())}


def _rewind(messages: dict[str, Object], target: str) -> None:
    """Take a message back and all after it; where it is not there, everything, as the client."""
    ids = list(messages)
    for message_id in ids[ids.index(target) if target in messages else 0 :]:
        del messages[message_id]


def _replace(messages: dict[str, Object], listed: Sequence[Any], scope: str) -> None:
    named = {
        each["id"]: each
        for each in listed
        if isinstance(each, dict) and isinstance(each.get("id"), str)
    }
    if scope == "live":
        messages.clear()
        messages.update(named)
    else:
        messages.update({key: each for key, each in named.items() if key not in messages})
