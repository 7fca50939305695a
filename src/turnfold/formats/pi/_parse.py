"""Parsing a pi session, and telling one by its first records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from turnfold.errors import UnreadableTranscript
from turnfold.formats._document import DEFAULT_PINS, Found, finish
from turnfold.formats._session import Pins, Session, Usage, counted, still_live
from turnfold.formats.pi._records import HEADER, Scan, scan
from turnfold.formats.pi._scope import COMPACTION, Chosen, select
from turnfold.formats.pi._turns import add_turn
from turnfold.formats.pi._write import Lines
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role

NAME: Final = "pi"
LINES: Final = True

_ROLES: Final = frozenset(("user", "assistant", "toolResult", "bashExecution", "custom"))
_COUNTED: Final = ("input", "output", "cacheRead", "cacheWrite")
_SETTINGS: Final = frozenset(("model_change", "thinking_level_change", "session_info"))
_KEPT: Final = frozenset(("firstKeptEntryId", "firstKeptEntryIndex", "retainedTail"))


def matches(first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are the first records of a pi session."""
    return any(map(_is_typical, first_records))


def _is_typical(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if kind == HEADER:
        return all(isinstance(record.get(key), str) for key in ("id", "cwd", "timestamp"))
    if not isinstance(record.get("timestamp"), str):
        return False
    if kind == COMPACTION:
        return isinstance(record.get("summary"), str) and bool(_KEPT & record.keys())
    message = record.get("message")
    if kind != "message" or not isinstance(message, dict):
        return False
    role = message.get("role")
    return isinstance(role, str) and role in _ROLES and "timestamp" in message


def parse(
    source: bytes | Iterable[bytes],
    *,
    scope: Literal["live", "full"] = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a session; what is damaged is reported and what is readable is kept (contract R4).

    A message is one turn: a record with an id has that id, one without is `line{number}`.

    Args:
        source: The file's bytes, or its lines or chunks in order.
        scope: `live` is what the model would see: the branch of the newest record, after its last
            compaction. `full` is every message of the file in order, all branches and summaries
            included. What the client never sends (assistant messages that were broken off,
            commands that the person kept out) is in neither.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the file: its turns get their ids back.

    Raises:
        UnreadableTranscript: There is no message in it.
    """
    read = scan(source)
    if not read.entries:
        raise _no_session(read)
    chosen = select(read, scope)
    found = Found(damage=read.damage)
    for each in chosen:
        add_turn(each, read.records, found)
    if not found.turns and not found.damage:
        raise _no_session(read)
    session = finish(
        NAME, [], read.records, found, path=(), pins=pins, estimator=estimator, ledger=ledger
    )
    kept = Lines(session.source, read.records, read.header, read.has_ids, _settings(read))
    usage = still_live(_usage(found, read, chosen), session.ledger)
    return replace(session, source=kept, usage=usage)


def _usage(found: Found, read: Scan, chosen: Sequence[Chosen]) -> Usage | None:
    """Return the last count since the last compaction; what it kept was counted before it."""
    compactions = (each.entry.index for each in chosen if each.entry.kind == COMPACTION)
    compacted = max(compactions, default=-1)
    for turn, place in reversed(found.turns):
        if place.message <= compacted:
            continue
        message = read.records[place.message].get("message") if place.blocks is None else None
        if turn.role is Role.ASSISTANT and isinstance(message, dict):
            counts = message.get("usage")
            tokens = counted(counts, "totalTokens") or counted(counts, *_COUNTED)
            if tokens:
                return Usage(tokens, turn.turn_id)
    return None


def _settings(read: Scan) -> tuple[int, ...]:
    last = {entry.kind: entry.index for entry in read.entries if entry.kind in _SETTINGS}
    return tuple(sorted(last.values()))


def _no_session(read: Scan) -> UnreadableTranscript:
    lines = len(read.records.lines)
    what = (
        f"none of its {len(read.records):,} JSON objects is a message that the model would see"
        if lines
        else "it is empty"
    )
    place = read.damage[0].place if read.damage else "line 1"
    msg = f"this is no pi session that can be read: {what} (first looked at: {place})"
    return UnreadableTranscript(msg, {"what": what, "place": place, "lines": lines})
