"""Transcripts: turns in order, what a compaction reads (contracts T3, T4)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import compress
from operator import attrgetter
from typing import Any, Final, Self

from turnfold import _metadata
from turnfold._canonical import canonical_json
from turnfold._columns import Columns
from turnfold._pairing import Part, mint_exchanges
from turnfold._record import sealed
from turnfold.errors import InvalidTranscript, name_some, some
from turnfold.turn import Role, TranscriptTurn

__all__ = ["SCHEMA", "Role", "Transcript", "TranscriptTurn"]

SCHEMA: Final = "turnfold.transcript/1"


class _TranscriptCache:
    """Slots outside the fields: derived from the turns when first asked for."""

    __slots__ = ("_columns", "_ids", "_positions", "_total")
    _columns: Columns
    _ids: tuple[str, ...]
    _total: int
    _positions: dict[str, int]


@sealed
@dataclass(frozen=True, slots=True, init=False)
class Transcript(_TranscriptCache):
    """Turns in order, oldest first; may be empty.

    Args:
        turns: The turns, kept as a tuple.

    Raises:
        InvalidTranscript: Something is no turn, or ids repeat (contract T3).
    """

    turns: tuple[TranscriptTurn, ...]

    def __init__(self, turns: Iterable[TranscriptTurn] = ()) -> None:
        turns = tuple(turns)
        object.__setattr__(self, "turns", turns)
        strangers = set(map(type, turns)) - {TranscriptTurn}
        if strangers:
            names = sorted(each.__name__ for each in strangers)
            msg = f"a transcript holds TranscriptTurn objects only; found {', '.join(names)}"
            raise InvalidTranscript(msg, {"types": names})
        ids = tuple(map(attrgetter("turn_id"), turns))
        if len(set(ids)) != len(ids):
            _raise_duplicates(ids)
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def from_calls(
        cls, turns: Iterable[TranscriptTurn], calls: Mapping[str, Sequence[str]]
    ) -> Self:
        """Build a transcript whose exchanges are minted from per-call ids (contract T4).

        Every turn gets a new `tool_call_id`: that of its call batch's occurrence, which is the id
        of the turn that makes the calls. Ids may be reused from batch to batch and may be empty.
        It is decided from the prefix alone, so appending turns renames nothing. The per-call ids
        stand in the metadata as a JSON list (`turnfold.call_ids`), and a result that no waiting
        call expects is an exchange of its own, marked `turnfold.damage`.

        Args:
            turns: The turns, oldest first.
            calls: By turn id, the call ids that an ASSISTANT turn makes or a TOOL turn answers.

        Raises:
            InvalidTranscript: `calls` names a turn that is not there, or one of another role.
        """
        listed = tuple(turns)
        _require_lists(calls)
        unknown = calls.keys() - set(map(attrgetter("turn_id"), listed))
        if unknown:
            msg = (
                f"calls name turns that the transcript does not have: {name_some(sorted(unknown))}"
            )
            raise InvalidTranscript(msg, {"turn_ids": some(sorted(unknown))})
        minted = mint_exchanges(
            (turn.turn_id, _part_of(turn, calls), calls.get(turn.turn_id, ())) for turn in listed
        )
        return cls(
            tuple(
                _with_exchange(turn, exchange, calls.get(turn.turn_id, ()), orphaned)
                for turn, (exchange, orphaned) in zip(listed, minted, strict=True)
            )
        )

    def revised(self, replaced: Iterable[tuple[int, TranscriptTurn]], kept: bytes) -> "Transcript":
        """Return the transcript with other turns at some positions, and only those that are kept.

        Only ids that are new here have to be checked.

        Args:
            replaced: Positions, and what stands there instead.
            kept: A byte a turn: 1 if the position stays.

        Raises:
            InvalidTranscript: An id would repeat.
        """
        turns, ids = list(self.turns), self.turn_ids()
        fresh = []
        for position, turn in replaced:
            if turn.turn_id != ids[position]:
                fresh.append(turn.turn_id)
            turns[position] = turn
        if len(set(fresh)) != len(fresh) or (fresh and not set(fresh).isdisjoint(ids)):
            return Transcript(compress(turns, kept))
        revised = object.__new__(Transcript)
        object.__setattr__(revised, "turns", tuple(compress(turns, kept)))
        return revised

    def __len__(self) -> int:
        return len(self.turns)

    def __iter__(self) -> Iterator[TranscriptTurn]:
        return iter(self.turns)

    def columns(self) -> Columns:
        """Return the turns by column; derived once."""
        try:
            return self._columns
        except AttributeError:
            columns = Columns(self.turns, self.turn_ids())
            object.__setattr__(self, "_columns", columns)
            return columns

    def turn_ids(self) -> tuple[str, ...]:
        """Return the ids, in order."""
        try:
            return self._ids
        except AttributeError:
            object.__setattr__(self, "_ids", tuple(map(attrgetter("turn_id"), self.turns)))
            return self._ids

    def token_estimate(self) -> int:
        """Return the sum of the callers' estimates, in tokens."""
        try:
            return self._total
        except AttributeError:
            total: int = sum(map(attrgetter("token_estimate"), self.turns))
            object.__setattr__(self, "_total", total)
            return total

    def position(self, turn_id: str) -> int:
        """Return where the turn with this id stands.

        Raises:
            KeyError: There is none.
        """
        try:
            positions = self._positions
        except AttributeError:
            positions = {each: position for position, each in enumerate(self.turn_ids())}
            object.__setattr__(self, "_positions", positions)
        return positions[turn_id]

    def turn(self, turn_id: str) -> TranscriptTurn:
        """Return the turn with this id.

        Raises:
            KeyError: There is none.
        """
        return self.turns[self.position(turn_id)]

    def digest(self) -> str:
        """Return the hex SHA-256 over the digests of the turns, in order (contract T3)."""
        return sha256(b"".join([each[32:] for each in self.columns().digests])).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the transcript as plain JSON values."""
        return {"schema": SCHEMA, "turns": [turn.to_dict() for turn in self.turns]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Raises:
            InvalidTranscript: The object holds no list of turns, or a turn is malformed.
        """
        given: object = record
        turns = record.get("turns") if isinstance(given, Mapping) else None
        if not isinstance(turns, Sequence) or isinstance(turns, str):
            msg = "a transcript is an object with a list of turns"
            raise InvalidTranscript(msg)
        if record.get("schema") != SCHEMA:
            msg = f"a transcript of schema {record.get('schema')!r}; this version reads {SCHEMA!r}"
            raise InvalidTranscript(msg, {"schema": repr(record.get("schema"))})
        return cls(tuple(TranscriptTurn.from_dict(turn) for turn in turns))


def _raise_duplicates(ids: Sequence[str]) -> None:
    seen: set[str] = set()
    repeated = dict.fromkeys(each for each in ids if each in seen or seen.add(each))  # type: ignore[func-returns-value]
    msg = f"turn ids must be unique; these repeat: {name_some(repeated)}; rename or drop the copies"
    raise InvalidTranscript(msg, {"turn_ids": some(repeated)})


def _require_lists(calls: Mapping[str, object]) -> None:
    strings = [turn_id for turn_id, call_ids in calls.items() if isinstance(call_ids, str)]
    if strings:
        msg = f"calls map a turn id to a list of call ids, not to one string: {name_some(strings)}"
        raise InvalidTranscript(msg, {"turn_ids": some(strings)})


def _part_of(turn: TranscriptTurn, calls: Mapping[str, Sequence[str]]) -> Part:
    if turn.turn_id not in calls:
        return Part.NEITHER
    if turn.role is Role.ASSISTANT:
        return Part.CALLS
    if turn.role is Role.TOOL:
        return Part.ANSWERS
    msg = f"turn {turn.turn_id!r} is a {turn.role} turn: it neither makes nor answers a call"
    raise InvalidTranscript(msg, {"turn_id": turn.turn_id})


def _with_exchange(
    turn: TranscriptTurn, exchange: str | None, call_ids: Sequence[str], orphaned: Sequence[str]
) -> TranscriptTurn:
    metadata = dict(turn.metadata)
    if call_ids:
        metadata[_metadata.CALL_IDS] = canonical_json(list(call_ids))
    if orphaned:
        metadata[_metadata.DAMAGE] = "orphan_result"
    return replace(turn, tool_call_id=exchange, metadata=metadata)
