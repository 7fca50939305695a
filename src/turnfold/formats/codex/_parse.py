"""Parsing a Codex rollout, and telling one by its first records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from turnfold.errors import UnreadableTranscript
from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._document import DEFAULT_PINS, TOP_LEVEL, Found, Place, finish
from turnfold.formats._document import Source as Items
from turnfold.formats._responses_items import part_of
from turnfold.formats._responses_read import Reader, pinned_at
from turnfold.formats._session import Pins, Session, Usage, still_live
from turnfold.formats.codex._records import ENVELOPES, Held, Scan, is_bare_head, is_bare_item, scan
from turnfold.formats.codex._scope import Live, is_injected, is_summary, select
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role, Transcript

NAME: Final = "codex"
LINES: Final = True
_STATE: Final = "record_type"


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of a rollout as they were, its records, and the items in scope.

    Args:
        lines: All lines.
        records: The records that count, in order.
        live: The items in scope, each with its record.
        items: The places of the turns in these items.
    """

    lines: tuple[bytes, ...]
    records: tuple[Held, ...]
    live: tuple[Live, ...]
    items: Items


def matches(first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are the first records of a Codex rollout, with envelopes or without."""
    return any(map(_is_typical, first_records))


def _is_typical(record: object) -> bool:
    if not isinstance(record, Mapping):
        return False
    kind = record.get("type")
    if isinstance(kind, str) and kind in ENVELOPES:
        return isinstance(record.get("payload"), dict)
    if record.get(_STATE) == "state":
        return True
    return is_bare_head(record) or is_bare_item(record)


def parse(
    source: bytes | Iterable[bytes],
    *,
    scope: Literal["live", "full"] = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a rollout; what is damaged is reported and what is readable is kept (contract R4).

    The base instructions at the head are the turn `instructions`. A run of model items is one
    turn, named by the first id in it or by its line, and each result is a turn.

    Args:
        source: The file's bytes, or its lines or chunks in order.
        scope: `live` is the history that Codex replays; `full` is every item of the file in
            order, earlier summaries and turns that were taken back included.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the file: its turns get their ids back.

    Raises:
        UnreadableTranscript: There is no item of a history in it.
    """
    scanned = scan(source)
    found = Found(damage=list(scanned.damage))
    live, summaries = select(scanned.records, scope, found)
    _read_instructions(scanned.records, found)
    reader = Reader(
        [each.entry for each in live],
        found,
        is_injected=is_injected,
        is_summary=lambda text: is_summary(text) or text in summaries,
    )
    reader.read()
    if all(place.message == TOP_LEVEL for _, place in found.turns):
        raise _no_session(scanned)
    messages = [each.item for each in live]
    options: dict[str, Any] = {"pins": pins, "estimator": estimator, "ledger": ledger}
    session = finish(NAME, [], messages, found, path=(), **options)
    items: Items = session.source
    transcript = pinned_at(session.transcript, items, reader.pinned)
    kept = Source(tuple(scanned.lines), tuple(scanned.records), tuple(live), items)
    usage = still_live(_usage(scanned.records, transcript), session.ledger)
    return replace(session, transcript=transcript, source=kept, usage=usage)


def _usage(records: Sequence[Held], transcript: Transcript) -> Usage | None:
    """Return the count of the last response since a compaction, or since turns were taken back.

    A count before the first response after it is of what was there before, or an estimate.
    """
    tokens, has_answered = 0, False
    for record in records:
        if record.part in ("compacted", "rollback"):
            tokens, has_answered = 0, False
        elif record.part == "item":
            has_answered = has_answered or part_of(record.value) == "model"
        elif record.part == "counted" and has_answered:
            tokens = record.value
    turns = (turn.turn_id for turn in reversed(transcript.turns) if turn.role is Role.ASSISTANT)
    last = next(turns, None)
    return Usage(tokens, last) if tokens and last else None


def _read_instructions(records: Sequence[Held], found: Found) -> None:
    """Add the system prompt that stands at the head of the session (known failure F4)."""
    head = next((each for each in records if each.part == "meta"), None)
    if head is None or not isinstance(head.value, dict):
        return
    base = head.value.get("base_instructions")
    text = base.get("text") if isinstance(base, dict) else base
    if isinstance(text, str) and text:
        turn = LoadedTurn("instructions", Role.SYSTEM, text, origin=head.origin)
        found.add(turn, Place(TOP_LEVEL))


def _no_session(scanned: Scan) -> UnreadableTranscript:
    what = (
        "it is empty"
        if not scanned.lines
        else f"none of its {scanned.objects:,} JSON objects is an item of a history"
    )
    place = scanned.damage[0].place if scanned.damage else "line 1"
    msg = f"this is no Codex rollout: {what} (first looked at: {place})"
    details = {"what": what, "place": place, "lines": len(scanned.lines)}
    return UnreadableTranscript(msg, {**details, "objects": scanned.objects, "format": NAME})
