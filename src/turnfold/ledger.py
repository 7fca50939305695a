"""The ledger: which original turns each turn of a view stands for (contract section 6).

A *leaf* is an original turn. A ledger holds every leaf with its digests and its fate, and for
each summary the leaves that it stands for, so that a summary of a summary resolves to leaves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass
from enum import StrEnum
from itertools import chain, compress
from operator import lt
from typing import Any, Final, Self

from turnfold._canonical import sha256_of_record
from turnfold._columns import Columns, as_range
from turnfold._record import sealed
from turnfold.errors import LedgerMismatch, name_some
from turnfold.transcript import Transcript

SCHEMA: Final = "turnfold.ledger/1"

_BOTH_DIGESTS: Final = 64


class Fate(StrEnum):
    """What became of a leaf."""

    KEPT = "kept"
    MASKED = "masked"
    SUMMARIZED = "summarized"
    DROPPED = "dropped"
    REPAIRED = "repaired"


FATE_CODES: Final[Mapping[int, Fate]] = {
    ord("K"): Fate.KEPT,
    ord("M"): Fate.MASKED,
    ord("S"): Fate.SUMMARIZED,
    ord("D"): Fate.DROPPED,
    ord("R"): Fate.REPAIRED,
}
KEPT: Final = ord("K")
MASKED: Final = ord("M")
_CODES: Final = bytes(FATE_CODES)
_GONE: Final = frozenset(b"DR")
_STANDING: Final = frozenset(b"KM")
_IS_STANDING: Final = bytes(code in _STANDING for code in range(256))
_IS_SUMMED: Final = bytes(code == ord("S") for code in range(256))


@sealed
@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One leaf: the original turn, its digests, its fate, and what stands for it in the view.

    Args:
        turn_id: The original turn.
        content_digest: The hex SHA-256 of its complete content.
        turn_digest: The hex SHA-256 over id, role, content and `tool_call_id`.
        fate: What became of it.
        view_turn_id: The turn of the view that it stands in; None where nothing does.
    """

    turn_id: str
    content_digest: str
    turn_digest: str
    fate: Fate
    view_turn_id: str | None


@sealed
@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Every original turn, accounted for exactly once (contract L1).

    Args:
        leaf_ids: The original turns, oldest first.
        leaf_digests: For each 64 bytes: the SHA-256 of its content, then its turn digest.
        fates: A byte a leaf: `K` kept, `M` masked, `S` summarised, `D` dropped, `R` repaired.
        groups: The id of each summary turn of the view, and the positions of its leaves.
        view: The view, or its digest. The view is immutable, so it is hashed when asked for.
        columns: Those of the original transcript, not kept. Ids that the ledger shares with it were
            checked when the transcript was made, and are not checked again.

    Raises:
        LedgerMismatch: The columns do not fit together.
    """

    leaf_ids: tuple[str, ...]
    leaf_digests: tuple[bytes, ...]
    fates: bytes
    groups: tuple[tuple[str, Sequence[int]], ...]
    view: Transcript | str
    columns: InitVar[Columns | None] = None

    def __post_init__(self, columns: Columns | None) -> None:
        groups = tuple((name, as_range(positions)) for name, positions in self.groups)
        object.__setattr__(self, "groups", groups)
        shared = columns is not None and self.leaf_ids is columns.ids
        problems = list(_problems(self, shared=shared))
        if problems:
            msg = f"the ledger is malformed: {'; '.join(problems)}"
            raise LedgerMismatch(msg, {"problems": problems})

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild through the constructor, with the digest in the place of the view."""
        return type(self), self._spelled()

    def _spelled(self) -> tuple[Any, ...]:
        return self.leaf_ids, self.leaf_digests, self.fates, self.groups, self.view_digest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self._spelled() == other._spelled()

    def __hash__(self) -> int:
        return hash((self.leaf_ids, self.fates, self.groups))

    @property
    def view_digest(self) -> str:
        """The digest of the view as it was made."""
        return self.view if isinstance(self.view, str) else self.view.digest()

    def entries(self) -> Iterator[LedgerEntry]:
        """Yield one entry a leaf, oldest first."""
        homes = {position: name for name, positions in self.groups for position in positions}
        rows = zip(self.leaf_ids, self.leaf_digests, self.fates, strict=True)
        for position, (turn_id, digests, code) in enumerate(rows):
            home = None if code in _GONE else homes.get(position, turn_id)
            yield LedgerEntry(
                turn_id, digests[:32].hex(), digests[32:].hex(), FATE_CODES[code], home
            )

    def view_turn_ids(self) -> tuple[str, ...]:
        """Return the ids of the view's turns, in order."""
        heads = {positions[0]: name for name, positions in self.groups}
        return tuple(
            heads.get(position, turn_id)
            for position, (turn_id, code) in enumerate(zip(self.leaf_ids, self.fates, strict=True))
            if position in heads or code in b"KM"
        )

    def leaves_of(self, view_turn_id: str) -> tuple[str, ...]:
        """Return the original turns that a turn of the view stands for.

        Raises:
            KeyError: The view has no such turn.
        """
        for name, positions in self.groups:
            if name == view_turn_id:
                return tuple(map(self.leaf_ids.__getitem__, positions))
        if view_turn_id in self.leaf_ids and (
            self.fates[self.leaf_ids.index(view_turn_id)] in _STANDING
        ):
            return (view_turn_id,)
        raise KeyError(view_turn_id)

    def with_repairs(self, turn_ids: Sequence[str], view: Transcript) -> "Ledger":
        """Return the ledger of a view from which a renderer left out these turns as repairs."""
        left_out = set(turn_ids)
        fates = bytes(
            ord("R") if turn_id in left_out and code not in _GONE else code
            for turn_id, code in zip(self.leaf_ids, self.fates, strict=True)
        )
        return Ledger(self.leaf_ids, self.leaf_digests, fates, self.groups, view)

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger as plain JSON values."""
        return {
            "schema": SCHEMA,
            "leaf_ids": list(self.leaf_ids),
            "leaf_digests": [digests.hex() for digests in self.leaf_digests],
            "fates": self.fates.decode("ascii"),
            "groups": [[name, list(positions)] for name, positions in self.groups],
            "view_digest": self.view_digest,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Raises:
            LedgerMismatch: The record is no ledger, or its columns do not fit together.
        """
        if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
            found = record.get("schema") if isinstance(record, Mapping) else type(record).__name__
            msg = f"not a ledger that this version reads: its schema is {found!r}, not {SCHEMA!r}"
            raise LedgerMismatch(msg, {"schema": repr(found)})
        try:
            return cls(
                tuple(record["leaf_ids"]),
                tuple(bytes.fromhex(each) for each in record["leaf_digests"]),
                record["fates"].encode("latin-1"),
                tuple((name, tuple(positions)) for name, positions in record["groups"]),
                record["view_digest"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            if isinstance(fault, LedgerMismatch):
                raise
            msg = f"a column of the ledger is missing or of another kind: {fault!r:.200}"
            raise LedgerMismatch(msg) from fault

    def digest(self) -> str:
        """Return the hex SHA-256 of the ledger's canonical JSON."""
        return sha256_of_record(self.to_dict())


def _problems(ledger: Ledger, *, shared: bool) -> Iterator[str]:
    """Yield what keeps the columns from accounting for every leaf exactly once."""
    ids, fates = ledger.leaf_ids, ledger.fates
    if not len(ledger.leaf_digests) == len(fates) == len(ids):
        yield "the columns differ in length"
        return
    ids_are_strings = shared or (set(map(type, ids)) <= {str} and "" not in ids)
    if not ids_are_strings or type(ledger.view) not in (str, Transcript):
        yield "turn ids must be strings, not empty, and the view a transcript or its digest"
        return
    if not all(type(name) is str and name for name, _ in ledger.groups):
        yield "the id of a summary must be a string, not empty"
    if not shared and len(set(ids)) != len(ids):
        yield "an original turn is accounted for twice"
    if fates.translate(None, _CODES):
        yield "a fate is none of K, M, S, D, R"
    if set(map(len, ledger.leaf_digests)) - {_BOTH_DIGESTS}:
        yield "digests must have 64 bytes"
    if not _summaries_cover(ledger):
        yield "the summaries must stand for the summarised leaves, once each"
    if not all(map(_are_in_order, (positions for _, positions in ledger.groups))):
        yield "the leaves of a summary must be in order, and at least one"
    names = {name for name, _ in ledger.groups}
    standing = compress(ids, fates.translate(_IS_STANDING))
    if len(names) != len(ledger.groups) or (names and not names.isdisjoint(standing)):
        yield "two turns of the view have one id"


def _summaries_cover(ledger: Ledger) -> bool:
    """Whether the groups hold the positions of the summarised leaves, each of them once."""
    covered = bytearray(len(ledger.fates))
    for position in chain.from_iterable(positions for _, positions in ledger.groups):
        if type(position) is not int or not 0 <= position < len(covered) or covered[position]:
            return False
        covered[position] = 1
    return covered == ledger.fates.translate(_IS_SUMMED)


def _are_in_order(positions: Sequence[int]) -> bool:
    in_order = type(positions) is range or all(map(lt, positions, positions[1:]))
    return in_order and len(positions) > 0


def differences(original: Transcript, view: Transcript, ledger: Ledger) -> tuple[str, ...]:
    """Return every later change of either side as a sentence; empty where there is none."""
    found = []
    if original.turn_ids() != ledger.leaf_ids:
        found.append(f"the original has {_other_turns(ledger.leaf_ids, original.turn_ids())}")
    else:
        pairs = zip(ledger.leaf_ids, original.columns().digests, ledger.leaf_digests, strict=True)
        changed = [turn_id for turn_id, now, then in pairs if now != then]
        if changed:
            found.append(f"turns of the original changed: {name_some(changed)}")
    if view.digest() != ledger.view_digest:
        found.append(describe_view_change(view, ledger))
    return tuple(found)


def _other_turns(expected: Sequence[str], given: Sequence[str]) -> str:
    here, there = set(given), set(expected)
    missing = name_some(each for each in expected if each not in here)
    added = name_some(each for each in given if each not in there)
    return f"other turns: missing {missing or 'none'}, added {added or 'none'}"


def describe_view_change(view: Transcript, ledger: Ledger) -> str:
    """Say in what a view differs from the one that the ledger was made with."""
    expected = ledger.view_turn_ids()
    if view.turn_ids() != expected:
        return f"the view has {_other_turns(expected, view.turn_ids())}"
    kept = {
        entry.turn_id: entry.turn_digest for entry in ledger.entries() if entry.fate is Fate.KEPT
    }
    changed = [
        turn.turn_id for turn in view if kept.get(turn.turn_id, turn.digest()) != turn.digest()
    ]
    named = f": {name_some(changed)}" if changed else " (a masked turn or a summary)"
    return f"turns of the view changed{named}"


def verify(original: Transcript, view: Transcript, ledger: Ledger) -> None:
    """Hold both sides against their ledger (contract L3).

    Args:
        original: The leaves, oldest first, through all rounds.
        view: The compacted transcript as it was made.
        ledger: The ledger of that view.

    Raises:
        LedgerMismatch: Either side has changed since; names what.
    """
    found = differences(original, view, ledger)
    if found:
        msg = f"the ledger does not fit: {'; '.join(found)}"
        raise LedgerMismatch(msg, {"differences": list(found)})
