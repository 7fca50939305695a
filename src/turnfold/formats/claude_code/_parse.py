"""Parsing a Claude Code session, and telling one by its first records."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from turnfold.errors import UnreadableTranscript
from turnfold.formats._assemble import assemble
from turnfold.formats._session import Pins, Session, Usage, still_live
from turnfold.formats.claude_code._file import Source
from turnfold.formats.claude_code._records import Entry, Scan, scan
from turnfold.formats.claude_code._render import NAME
from turnfold.formats.claude_code._scope import UNFINISHED_COMPACTION, select
from turnfold.formats.claude_code._turns import PlacedTurn, in_ledger_order, turns_of
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator

_ENVELOPE: Final = frozenset(("uuid", "parentUuid", "sessionId", "session_id"))
_SIDE_RECORDS: Final[Mapping[str, str]] = {
    "summary": "leafUuid",
    "file-history-snapshot": "snapshot",
    "queue-operation": "operation",
    "permission-mode": "permissionMode",
    "system": "subtype",
    "progress": "parentUuid",
    "attachment": "parentUuid",
}


def matches(first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are the first records of a Claude Code session."""
    return any(map(_is_typical, first_records))


def _is_typical(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict) and len(_ENVELOPE & record.keys()) > 1
    key = _SIDE_RECORDS.get(kind) if isinstance(kind, str) else None
    return key is not None and key in record and "payload" not in record


def parse(
    source: bytes | Iterable[bytes],
    *,
    scope: Literal["live", "full"] = "live",
    pins: Pins = Pins(),  # noqa: B008  Immutable.
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a session; what is damaged is reported and what is readable is kept (contract R4).

    Args:
        source: The file's bytes, or its lines or chunks in order.
        scope: `live` is what the model has in its context: what follows the last compaction.
            `full` is every message of the file in order, earlier summaries included.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the file: its turns get their ids back.

    Raises:
        UnreadableTranscript: There is no user or assistant message in it.
    """
    found = scan(source)
    if all(entry.part == "boundary" for entry in found.entries):
        raise _no_session(len(found.lines), found.objects, [each.place for each in found.damage])
    chosen = select(found, scope)
    turns = turns_of(chosen)
    if ledger is not None:
        turns = in_ledger_order(turns, ledger)
    assembled = assemble(
        [turn.loaded for turn in turns], pins=pins, estimator=estimator, ledger=ledger
    )
    damage = [*found.damage, *assembled.damage]
    if ledger is not None and assembled.ledger is None:
        turns = turns_of(chosen)
        assembled = assemble([turn.loaded for turn in turns], pins=pins, estimator=estimator)
    places = {turn.loaded.turn_id: turn.places for turn in turns}
    kept = Source(tuple(found.lines), places, found.attachments)
    usage = still_live(_usage(found, chosen, turns), assembled.ledger)
    return Session(NAME, assembled.transcript, kept, tuple(damage), assembled.ledger, usage)


def _usage(found: Scan, chosen: Sequence[Entry], turns: Sequence[PlacedTurn]) -> Usage | None:
    """Return the last count since the last compaction.

    Of the records of one message the last is right (known failure K6). What a compaction kept was
    counted before it.
    """
    last = _last_counted(found, chosen)
    for turn in reversed(turns if last else ()):
        if last and any(place.number == last.number for place in turn.places):
            return Usage(last.context_tokens, turn.loaded.turn_id)
    return None


def _last_counted(found: Scan, chosen: Sequence[Entry]) -> Entry | None:
    unfinished = {each.place for each in found.damage if each.code == UNFINISHED_COMPACTION}
    in_scope = set(chosen)
    for entry in reversed(found.entries):
        if entry.part == "boundary" and entry.origin not in unfinished:
            return None
        if entry.context_tokens and entry in in_scope:
            return entry
    return None


def _no_session(lines: int, objects: int, places: Sequence[str]) -> UnreadableTranscript:
    what = (
        "it is empty"
        if lines == 0
        else f"none of its {objects:,} JSON objects is a user or assistant message"
    )
    place = places[0] if places else "line 1"
    msg = f"this is no Claude Code session: {what} (first looked at: {place})"
    return UnreadableTranscript(
        msg, {"what": what, "place": place, "lines": lines, "objects": objects}
    )
