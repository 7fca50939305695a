"""The turns of a transcript by column, so that rules run at the speed of bytes and tuples.

Columns are derived once for each transcript and shared by every plan that is made over it.
`exchanges[i]` is the position of the earliest turn of the exchange of turn `i`, its *leader*.
"""

from collections.abc import Iterable, Sequence
from itertools import compress
from operator import attrgetter, eq, ne
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:

    class _Turn(Protocol):
        """What columns need of a turn, besides its fields."""

        def digest_bytes(self) -> bytes: ...


ROLE_CODES: Final = {"system": ord("S"), "user": ord("U"), "assistant": ord("A"), "tool": ord("T")}

FREE: Final = ord("-")
SYSTEM: Final = ord("S")
PINNED: Final = ord("P")
TAIL: Final = ord("T")

_IS_SYSTEM: Final = bytes(code == ROLE_CODES["system"] for code in range(256))
_SYSTEM_OR_FREE: Final = bytes(SYSTEM if is_system else FREE for is_system in _IS_SYSTEM)
IS_PROTECTED: Final = bytes(code != FREE for code in range(256))

_DIGEST_BYTES: Final = 32
_BOTH_DIGESTS: Final = 64
_SLICE: Final = 4_096
"""So many turns at a time, so that what is joined on the way stays small."""

PREFIX_BYTES: Final = 8


def exchange_leaders(call_ids: Iterable[str | None]) -> tuple[int, ...]:
    """Return for each turn the position of the earliest turn that shares its `tool_call_id`."""
    first: dict[str, int] = {}
    leader = first.setdefault
    return tuple(
        [
            position if call_id is None else leader(call_id, position)
            for position, call_id in enumerate(call_ids)
        ]
    )


class Columns:
    """What policies and rules read of a transcript; `digests` is filled when first asked for."""

    __slots__ = (
        "_digests",
        "_follows",
        "_prefixes",
        "_turns",
        "exchanges",
        "ids",
        "pinned",
        "roles",
        "tokens",
        "total",
    )

    def __init__(self, turns: Sequence["_Turn"], ids: tuple[str, ...]) -> None:
        self._turns = turns
        self.ids = ids
        self.tokens: tuple[int, ...] = tuple(map(attrgetter("token_estimate"), turns))
        self.total = sum(self.tokens)
        self.roles = bytes(map(ROLE_CODES.__getitem__, map(attrgetter("role"), turns)))
        self.pinned = bytes(map(attrgetter("pinned"), turns))
        self.exchanges = exchange_leaders(map(attrgetter("tool_call_id"), turns))
        positions = range(len(ids))
        self._follows = bytes(map(ne, self.exchanges, positions))
        self._digests: tuple[bytes, ...] | None = None
        self._prefixes: bytes | None = None

    def followers(self) -> Iterable[int]:
        """Return the positions of all turns that are not the earliest of their exchange."""
        return compress(range(len(self._follows)), self._follows)

    @property
    def digests(self) -> tuple[bytes, ...]:
        """For each turn 64 bytes: the SHA-256 of its content, then the turn's digest."""
        if self._digests is None:
            known = tuple(map(attrgetter("_digests"), self._turns))
            if None in known:
                known = tuple([turn.digest_bytes() for turn in self._turns])
            self._digests = known
        return self._digests

    @property
    def prefixes(self) -> bytes:
        """The first 8 bytes of each turn's digest, joined."""
        if self._prefixes is None:
            digests, prefixes = self.digests, bytearray()
            for start in range(0, len(digests), _SLICE):
                joined = b"".join(digests[start : start + _SLICE])
                part = bytearray(len(joined) // _BOTH_DIGESTS * PREFIX_BYTES)
                for place in range(PREFIX_BYTES):
                    part[place::PREFIX_BYTES] = joined[_DIGEST_BYTES + place :: _BOTH_DIGESTS]
                prefixes += part
            self._prefixes = bytes(prefixes)
        return self._prefixes

    def protections(self, recent: int) -> bytes:
        """Return for each turn why it is untouchable: system, pinned, tail, or not at all.

        The first cause in that order names it (contract B2).
        """
        causes = bytearray(self.roles.translate(_SYSTEM_OR_FREE))
        position = self.pinned.find(1)
        while position >= 0:
            if causes[position] == FREE:
                causes[position] = PINNED
            position = self.pinned.find(1, position + 1)
        for position in range(max(0, len(causes) - recent), len(causes)):
            if causes[position] == FREE:
                causes[position] = TAIL
        return bytes(causes)

    def system_flags(self) -> bytes:
        """Return 1 for each SYSTEM turn and 0 for the others."""
        return self.roles.translate(_IS_SYSTEM)


def locked_leaders(exchanges: Sequence[int], protections: bytes) -> set[int]:
    """Return the leaders of exchanges with an untouchable member: not removable (contract B3)."""
    return set(compress(exchanges, protections.translate(IS_PROTECTED)))


def untouchable_tokens(tokens: Sequence[int], protections: bytes) -> int:
    """Return what the untouchable turns need: the floor under every budget (contract B4)."""
    return sum(compress(tokens, protections.translate(IS_PROTECTED)))


def as_range(positions: Sequence[int]) -> Sequence[int]:
    """Spell positions without a gap as a range, which costs no memory; others as a tuple."""
    if type(positions) is range or not positions:
        return positions or ()
    gapless = range(positions[0], positions[0] + len(positions))
    is_gapless = positions[-1] == gapless[-1] and all(map(eq, positions, gapless))
    return gapless if is_gapless else tuple(positions)


def flagged(flags: bytes | bytearray) -> Sequence[int]:
    """Return the positions whose byte is 1; as a range where they are neighbours."""
    first, count = flags.find(1), flags.count(1)
    if count and flags.rfind(1) - first + 1 == count:
        return range(first, first + count)
    return tuple(compress(range(len(flags)), flags))
