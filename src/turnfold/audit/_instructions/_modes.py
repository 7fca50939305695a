"""How a sentence rules: its polarity, strength and comparator."""

from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import NamedTuple

from turnfold.audit._instructions._limits import Comparator, opposite, without_comparators
from turnfold.audit._instructions._scopes import Scope, scopes_of
from turnfold.audit._instructions._strengths import FIRM_SHOULD, MAY, MUST, SHOULD, SOFTENED
from turnfold.audit._instructions._vocabulary import (
    ASIDE,
    CASE,
    CONTRAST,
    DENIED,
    EXCLUSIVE,
    FORBIDS,
    FREES,
    HEDGES,
    KEEPS_OFF,
    POSITIVE,
    REASON,
    REQUIRES,
    plainly,
)

__all__ = [
    "Mode",
    "Polarity",
    "Scope",
    "Strength",
    "is_hedged",
    "is_softened",
    "mode_of",
    "opposite",
    "scopes_of",
    "without_contrast",
    "without_reasons",
]


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


class Mode(NamedTuple):
    """How a sentence rules; without any modal word its strength is None."""

    polarities: frozenset[Polarity]
    strength: Strength | None
    comparators: frozenset[Comparator]
    is_exclusive: bool


@lru_cache(maxsize=4_000)
def mode_of(text: str) -> Mode:
    """Return how a sentence rules; at most 600 characters of it are read."""
    plain = ASIDE.sub(" ", plainly(without_contrast(text.lower())))
    plain = without_reasons(plain)
    polarities = set()
    freed = plain
    if FREES.search(CASE.sub(" ", plain)):
        freed = FREES.sub(" ", plain)
        polarities.add(Polarity.FREES)
    found, freed = without_comparators(freed)
    is_denied, is_kept_off = bool(FORBIDS.search(freed)), bool(KEEPS_OFF.search(freed))
    if is_denied or is_kept_off:
        polarities.add(Polarity.FORBIDS)
        if is_denied and (is_kept_off or POSITIVE.search(freed)):
            polarities.add(Polarity.REQUIRES)
    elif REQUIRES.search(freed) or found:
        polarities.add(Polarity.REQUIRES)
    return Mode(
        frozenset(polarities),
        _strength(plain, freed, is_modal=bool(found or polarities)),
        found,
        bool(EXCLUSIVE.search(freed)),
    )


def _strength(plain: str, low: str, *, is_modal: bool) -> Strength | None:
    if SHOULD.search(FIRM_SHOULD.sub(" must ", plain)):
        return Strength.SHOULD
    if MUST.search(low):
        return Strength.MUST
    if all(MAY.search(DENIED.sub(" ", each)) for each in (low, plain)):
        return Strength.MAY
    return Strength.MUST if is_modal else None


def without_contrast(text: str) -> str:
    """Return a sentence without what it is set off against at its end."""
    return CONTRAST.sub("", text.rstrip(" .!"))


def without_reasons(text: str) -> str:
    """Return a sentence in lower case without what it says of why; all of it if that is all."""
    cut = REASON.sub(" ", text)
    return cut if len(cut.split()) > 1 else text


def is_hedged(text: str) -> bool:
    """Whether a sentence says that it is not sure."""
    return HEDGES.search(text.lower()) is not None


def is_softened(text: str) -> bool:
    """Whether a sentence takes back how binding it is, wherever it says so."""
    return SOFTENED.search(text.lower()) is not None
