"""The file of a compacted pi session: header, settings, records in one chain."""

from dataclasses import dataclass
from typing import Any, Final

from turnfold._canonical import sha256_of_text
from turnfold.formats._document import Place, Source
from turnfold.formats._new_records import line_of
from turnfold.formats.pi._records import Object, Records
from turnfold.formats.pi._turns import message_of

_VERSION: Final = 3
_ID_LENGTH: Final = 8


@dataclass(frozen=True, slots=True)
class Lines:
    """What rendering needs of a session: its turns' places, and its records as they were."""

    turns: Source
    records: Records
    header: int | None
    has_ids: bool
    settings: tuple[int, ...]
    """The last record of each kind of setting: they hold for what is said next."""


class File:
    """Takes records in order; ids and links are made when it is written.

    Args:
        source: The session that the view is of.
        seed: What new ids are derived from (contract R3).
    """

    def __init__(self, source: Lines, seed: str) -> None:
        self._source = source
        self._seed = seed
        self._rows: list[tuple[Object, str]] = []
        self._opening: int | None = None
        self._stamps: Object = {}
        """The times of the record that was looked at last, for a record that is new."""
        for index in source.settings:
            self.add(source.records[index], f"setting/{index}")

    def look_ahead(self, place: Place | None) -> None:
        """Take the times of a record of the source for those that are written next."""
        if place is None:
            return
        record = self._source.records[place.message]
        message = message_of(record, place.blocks[0] if place.blocks else None)
        self._stamps = {"timestamp": record.get("timestamp")}
        if isinstance(message, dict) and isinstance(message.get("timestamp"), int | float):
            self._stamps["message"] = message["timestamp"]

    def add(self, record: Object, name: str) -> None:
        """Add a record; an id that it has stays, as long as it is the first with it."""
        self._rows.append((record, name))

    def add_message(self, message: Object, name: str) -> None:
        """Add a message that has no record of its own, with the times of its neighbour."""
        if "timestamp" not in message:
            message = {**message, "timestamp": self._stamps.get("message", 0)}
        record = {"type": "message", "timestamp": self._stamps.get("timestamp"), "message": message}
        self.add(record, name)

    def add_compaction(self, record: Object, name: str) -> None:
        """Add the compaction that the file opens with: all that follows it is live."""
        self._opening = len(self._rows)
        if "timestamp" not in record:
            kind, *others = record.items()
            record = dict([kind, ("timestamp", self._stamps.get("timestamp")), *others])
        self.add(record, name)

    def to_bytes(self) -> bytes:
        """Return the file.

        Raises:
            UnrenderableView: A record nests too deeply to be written.
        """
        ids = self._ids()
        lines = [_written(self._header())]
        parent: str | None = None
        for number, (record, _) in enumerate(self._rows):
            linked = dict(record)
            if self._source.has_ids:
                linked = _linked(record, ids[number], parent)
            if number == self._opening:
                self._open(linked, ids, number)
            lines.append(_written(linked))
            parent = ids[number]
        return b"".join(lines)

    def _open(self, record: Object, ids: list[str], number: int) -> None:
        """Say that nothing before the compaction was kept, and all after it follows."""
        following = min(number + 1, len(ids) - 1)
        record.pop("firstKeptEntryId", None)
        record.pop("firstKeptEntryIndex", None)
        if self._source.has_ids:
            record["firstKeptEntryId"] = ids[following]
        else:
            record["firstKeptEntryIndex"] = following + 1

    def _header(self) -> Object:
        number = self._source.header
        header: Object = {"type": "session"}
        if number is not None:
            header = self._source.records[number]
        elif self._source.has_ids:
            header["version"] = _VERSION
        digest = self._derived("session")
        header = {
            **header,
            "id": f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}",
        }
        header.setdefault("timestamp", self._rows[0][0].get("timestamp"))
        header.setdefault("cwd", "")
        return header

    def _derived(self, name: str) -> str:
        return sha256_of_text(f"{self._seed}/{name}")

    def _ids(self) -> list[str]:
        """Return an id for each record; those of the source stay, so that turns keep theirs."""
        used: set[str] = set()
        ids: list[str] = []
        for record, name in self._rows:
            own = record.get("id")
            if not isinstance(own, str) or not own or own in used:
                digest = self._derived(name)
                lengths = range(_ID_LENGTH, len(digest) + 1)
                own = next(digest[:each] for each in lengths if digest[:each] not in used)
            used.add(own)
            ids.append(own)
        return ids


def _linked(record: Object, own: str, parent: str | None) -> Object:
    """Return a record in the tree, with its keys in the client's order."""
    if "id" in record and "parentId" in record:
        return {**record, "id": own, "parentId": parent}
    rest = {key: value for key, value in record.items() if key not in ("type", "id", "parentId")}
    return {"type": record.get("type"), "id": own, "parentId": parent, **rest}


def _written(record: dict[str, Any]) -> bytes:
    return line_of(record, details={"type": str(record.get("type"))})
