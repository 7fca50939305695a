"""How a sentence rules: its polarity, strength, comparator and scope."""

from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import NamedTuple

from turnfold.audit.rules._terms import terms
from turnfold.audit.rules._vocabulary import (
    COMPARATORS,
    DENIED,
    EXCLUSIVE,
    FORBIDS,
    FREES,
    HAN_SCOPE,
    HEDGES,
    LOWER,
    MAY,
    MUST,
    POSITIVE,
    POSSIBLE,
    REQUIRES,
    SCOPE,
    SCOPE_END,
    SHOULD,
    SOFTENED,
    UPPER,
    Comparator,
)


class Polarity(StrEnum):
    """Whether something is asked for, ruled out, or left free."""

    REQUIRES = "requires"
    FORBIDS = "forbids"
    FREES = "frees"


class Strength(IntEnum):
    """How binding a sentence is."""

    MAY = 1
    SHOULD = 2
    MUST = 3


class Scope(NamedTuple):
    """A phrase that says where or when a rule holds: its words, and whether it must be kept."""

    text: str
    terms: frozenset[str]
    is_strict: bool


class Mode(NamedTuple):
    """How a sentence rules; without any modal word its strength is None."""

    polarities: frozenset[Polarity]
    strength: Strength | None
    comparators: frozenset[Comparator]
    is_exclusive: bool


@lru_cache(maxsize=4_000)
def mode_of(text: str) -> Mode:
    """Return how a sentence rules; at most 600 characters of it are read."""
    low = text.lower()
    found = set()
    for name, pattern in COMPARATORS:
        if pattern.search(low):
            found.add(name)
            low = pattern.sub(" # ", low)
    polarities = set()
    freed = FREES.sub(" ", low)
    if freed != low:
        polarities.add(Polarity.FREES)
    if FORBIDS.search(freed):
        polarities.add(Polarity.FORBIDS)
        if POSITIVE.search(freed):
            polarities.add(Polarity.REQUIRES)
    elif REQUIRES.search(freed) or found:
        polarities.add(Polarity.REQUIRES)
    return Mode(
        frozenset(polarities),
        _strength(freed, is_modal=bool(found or polarities)),
        frozenset(found),
        bool(EXCLUSIVE.search(low)),
    )


def _strength(low: str, *, is_modal: bool) -> Strength | None:
    if SHOULD.search(low):
        return Strength.SHOULD
    allowed = DENIED.sub(" ", low)
    if MUST.search(low):
        return Strength.MUST
    if MAY.search(allowed):
        return Strength.MAY
    return Strength.MUST if is_modal else None


def is_hedged(text: str) -> bool:
    """Whether a sentence says that it is not sure."""
    return HEDGES.search(text.lower()) is not None


def is_softened(text: str) -> bool:
    """Whether a sentence takes back how binding it is, wherever it says so."""
    return SOFTENED.search(text.lower()) is not None


def scopes_of(text: str) -> tuple[Scope, ...]:
    """Return the phrases that say where, when or for what a sentence holds."""
    low = POSSIBLE.sub(lambda found: " " * len(found[0]), text.lower())
    found = []
    starts = list(SCOPE.finditer(low))
    for at, opening in enumerate(starts):
        limit = starts[at + 1].start() if at + 1 < len(starts) else len(low)
        end = SCOPE_END.search(low, opening.end(), limit)
        phrase = low[opening.end() : end.start() if end else limit]
        if words := terms(phrase):
            found.append(Scope(opening[0] + phrase.strip(), words, bool(opening["strict"])))
    for opening in HAN_SCOPE.finditer(low):
        words = terms(opening["rest"] or opening["plain"] or "")
        found += [Scope(opening[0], words, bool(opening["strict"]))] if words else []
    return tuple(found)


def opposite(first: frozenset[Comparator], second: frozenset[Comparator]) -> bool:
    """Whether two limits point in opposite directions."""
    upper = bool(first & UPPER) and not first & LOWER
    lower = bool(first & LOWER) and not first & UPPER
    return (upper and bool(second & LOWER) and not second & UPPER) or (
        lower and bool(second & UPPER) and not second & LOWER
    )
