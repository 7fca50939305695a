"""The new file of a compacted Claude Code session: records in one chain, under a new session id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from turnfold.formats._lines import parse_line
from turnfold.formats._new_records import derived_uuid, line_of
from turnfold.formats.claude_code._envelope import (
    KEPT_WHERE_CHANGED,
    Object,
    adds_nothing,
    template_of,
)
from turnfold.formats.claude_code._records import holder_of, text_at
from turnfold.formats.claude_code._turns import Place
from turnfold.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a session as they were, and where what is written stands in them.

    Args:
        lines: The lines.
        places: By the id of a turn, its blocks.
        attachments: By the id of a record, the line and the place on it of what hangs on it.
    """

    lines: tuple[bytes, ...]
    places: Mapping[str, tuple[Place, ...]]
    attachments: Mapping[str, Sequence[tuple[int, int]]]


@dataclass(slots=True)
class NewFile:
    """Takes records one after the other; ids of records of the source stay.

    Args:
        source: What the records come from.
        seed: What new ids are derived from.
        edited: The first line of the source that the view has not as it was. Attachments before it
            stay: the client sends them with the messages, and a provider's cache, and reasoning
            that is bound, hold only behind the same messages.
    """

    source: Source
    seed: str
    edited: int = 0
    lines: list[bytes] = field(default_factory=list)
    template: Object = field(default_factory=dict)
    """What a new record has in common with the one of the source that stands nearest."""
    _parent: str | None = None
    _uuids: set[str] = field(default_factory=set)

    def add_new(self, name: str, kind: str, body: Object) -> None:
        """Write a record that the source does not hold, in the client's order of keys."""
        common = {key: value for key, value in self.template.items() if key != "timestamp"}
        record = {"parentUuid": None, **common, "type": kind, **body, "uuid": self.derived(name)}
        if "timestamp" in self.template:
            record["timestamp"] = self.template["timestamp"]
        self._add(record)

    def add_changed(self, record: Object, message: Object, name: str, *, whole: bool) -> None:
        """Write a record of the source with new links, and without what repeats removed text."""
        self.template = template_of(record)
        uuid = record.get("uuid")
        if not isinstance(uuid, str) or not uuid or uuid in self._uuids:
            uuid = self.derived(name)
        linked: Object = {"parentUuid": None}
        for key, value in record.items():
            if whole or key in KEPT_WHERE_CHANGED:
                linked[key] = value
        linked[holder_of(record)[0]] = message
        linked["uuid"] = uuid
        linked.pop("logicalParentUuid", None)
        if text_at(linked, "sourceToolAssistantUUID") not in self._uuids:
            linked.pop("sourceToolAssistantUUID", None)
        if not adds_nothing(linked.get("toolUseResult"), message):
            del linked["toolUseResult"]
        self._add(linked)
        self._add_attachments(linked["uuid"])

    def _add_attachments(self, uuid: str) -> None:
        """Write what hangs on a record, and what hangs on that, as it was."""
        waiting = [uuid]
        while waiting:
            for number, position in self.source.attachments.get(waiting.pop(), ()):
                record = self.record(number, position)
                own = text_at(record, "uuid")
                if number < self.edited and own and own not in self._uuids:
                    self._add(record)
                    waiting.append(own)

    def stand_by(self, turns: Transcript, position: int) -> None:
        """Take the template from the record of the source that is nearest to a turn of a view."""
        after = (turn.turn_id for turn in turns.turns[position:])
        before = (turn.turn_id for turn in reversed(turns.turns[:position]))
        for turn_id in chain(after, before, self.source.places):
            if places := self.source.places.get(turn_id):
                self.template = template_of(self.record(places[0].number, places[0].position))
                return
        self.template = {}

    def record(self, number: int, position: int) -> Object:
        """Return a record of the source."""
        return parse_line(number, self.source.lines[number - 1])[position]

    def derived(self, name: str) -> str:
        """Return an id in the shape of a UUID, made of the plan's hash and a name (R3)."""
        return derived_uuid(f"{self.seed}/{name}")

    def _add(self, record: Object) -> None:
        record["parentUuid"] = self._parent
        if "sessionId" in record or "session_id" not in record:
            record["sessionId"] = self.derived("session")
        else:
            record["session_id"] = self.derived("session")
        self._parent = record["uuid"]
        self._uuids.add(record["uuid"])
        uuid = record["uuid"]
        self.lines.append(line_of(record, f"the record {uuid!r}", {"uuid": uuid}))
