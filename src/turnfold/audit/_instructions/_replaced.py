"""Corrections by their values, however they are worded.

An earlier turn gave a value to a thing, and a later sentence of a user names another of the same
class for it: beside the old one, said to be over; with a word of correction; or in the very words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from math import inf
from typing import Final, NamedTuple

from turnfold.audit._instructions._corrections import Correction
from turnfold.audit._instructions._direction import is_past
from turnfold.audit._instructions._modes import scopes_of
from turnfold.audit._instructions._prose import Sentence
from turnfold.audit._instructions._standing import is_asked_or_told
from turnfold.audit._instructions._swaps import VERBS
from turnfold.audit._instructions._taking_back import (
    BESIDE,
    LEANS,
    MARKED,
    OF_VALUES,
    PLACING,
    SURELY,
    TAKEN_BACK,
    UNCHANGED,
)
from turnfold.audit._originals import Originals
from turnfold.audit._terms import terms
from turnfold.facts import Kind, outermost

_NO_VALUES: Final = frozenset((Kind.QUOTED, Kind.HYPHENATED, Kind.ERROR, Kind.TICKET, Kind.HASH))
_FEW_WORDS: Final = 2
_SHARE: Final = 0.5
_UNMARKED: Final = 0.6
_PARALLEL: Final = 0.75
_OF_MANY: Final = frozenset((Kind.PATH, Kind.IDENTIFIER, Kind.FLAG, Kind.ENVIRONMENT, Kind.URL))
"""Of these one thing has several, so that only the very words name the same one."""

_DENIED: Final = re.compile(r"(?<!\w)\w{2,8}n['\u2019]t(?!\w)")
_NO_WORDS: Final[frozenset[str]] = frozenset()
_MOST_BEFORE: Final = 50
_MOST_VALUES: Final = 6


class _Value(NamedTuple):
    kind: Kind
    name: str
    words: frozenset[str]
    text: str


class _Unit(NamedTuple):
    """A sentence with what it leans on: the one before, that announces it or that it goes on."""

    text: str
    is_marked: bool
    values: tuple[_Value, ...]
    spoken: str = ""


class ValueReader:
    """Follows the values that are named, turn by turn, from the oldest on."""

    def __init__(self, originals: Originals) -> None:
        self._originals = originals
        self._reader = originals.reader
        self._told: list[Iterable[_Value]] = []
        self._latest: dict[Kind, tuple[int, list[_Value]]] = {}

    def corrections(self, position: int, said: Sequence[Sentence]) -> Iterator[Correction]:
        """Yield what the sentences of a user turn put in the place of earlier values."""
        units = _marked_after(list(self._units(said, self._values_of(said))))
        for at, unit in enumerate(units):
            if unit.values and not is_asked_or_told(SURELY.sub(" ", said[at].text)):
                yield from self._replaced(position, unit, units[at + 1 : at + 2])
        self._told.append([value for unit in units for value in unit.values])

    def told(self, said: Iterable[Sentence]) -> None:
        """Note what an assistant turn names; nothing in it corrects anything.

        It is read when somebody asks for the values before.
        """
        self._told.append(self._named(said))

    def _named(self, told: Iterable[Sentence]) -> Iterator[_Value]:
        said = tuple(told)
        values = self._values_of(said)
        while values and not values[-1]:
            values.pop()
        for unit in self._units(said, values):
            yield from unit.values

    def _before(self, kind: Kind) -> Sequence[_Value]:
        """Return the latest values of a kind that were named in turns before, in order."""
        first, known = self._latest.get(kind, (0, []))
        found: list[_Value] = []
        for at in range(len(self._told) - 1, first - 1, -1):
            values = self._told[at]
            if not isinstance(values, list):
                values = self._told[at] = list(values)
            found += (each for each in reversed(values) if each.kind is kind)
            if len(found) >= _MOST_BEFORE:
                break
        known = [*known, *reversed(found)][-_MOST_BEFORE:]
        self._latest[kind] = len(self._told), known
        return known

    def _values_of(self, said: Iterable[Sentence]) -> list[tuple[_Value, ...]]:
        return [tuple(self._values(each.text)) for each in said]

    def _units(
        self, said: Sequence[Sentence], values_of: Sequence[tuple[_Value, ...]]
    ) -> Iterator[_Unit]:
        """Yield the first sentences, those whose values are given, each with these."""
        before = _Unit("", is_marked=False, values=())
        words = _NO_WORDS
        unread: list[tuple[str, tuple[_Value, ...]]] = []
        for sentence, found in zip(said, values_of, strict=False):
            text, values = sentence.text, found
            marked = MARKED.search(UNCHANGED.sub(" ", text.lower())) is not None
            spoken = text
            leans = LEANS.match(text) is not None
            if before.text and (leans or (before.is_marked and not before.values)):
                marked |= before.is_marked
                spoken = f"{before.text} {text}"
            else:
                words, unread = _NO_WORDS, []
            unread.append((text, values))
            if values:
                words = words.union(*(_words(*each) for each in unread))
                unread = []
                about = (words - PLACING) or words
                values = tuple(each._replace(words=about) for each in values)
            yield (before := _Unit(text, marked, values, spoken))

    def _values(self, text: str) -> Iterator[_Value]:
        for (kind, name), _, is_part in outermost(self._reader.located(text)):
            if kind not in _NO_VALUES and not is_part:
                yield _Value(kind, name, _NO_WORDS, text)

    def _replaced(self, position: int, unit: _Unit, after: Sequence[_Unit]) -> Iterator[Correction]:
        kinds = dict.fromkeys(each.kind for each in unit.values)
        for kind in kinds if len(unit.values) <= _MOST_VALUES else ():
            named = [each for each in unit.values if each.kind is kind]
            past = [each for each in named if is_past(unit.text, each.name)]
            past += [each for follows in after for each in self._given_up(follows, kind, position)]
            current = [each for each in named if each not in past]
            current = [each for each in current if not self._is_known(each, position)] or current
            if len(current) == 1 and (old := self._old(position, unit, current[0], past)):
                yield self._made(unit, current[0], old)

    def _given_up(self, unit: _Unit, kind: Kind, position: int) -> list[_Value]:
        """Return the known values that a sentence says to be over, where it names no other."""
        named = [each for each in unit.values if each.kind is kind]
        if not all(is_past(unit.text, each.name) for each in named):
            return []
        return [each for each in named if self._is_known(each, position)]

    def _made(self, unit: _Unit, new: _Value, old: _Value) -> Correction:
        """Make a correction of what the old value was given to before, too."""
        given = [each.words for each in self._before(old.kind) if each.name == old.name]
        before = (_NO_WORDS.union(*given) or old.words) - OF_VALUES
        said = new.words - OF_VALUES
        topic = (said & before) or (said | before)
        return Correction(new.name, old.name, unit.text, topic, is_edit=False, is_of_thing=True)

    def _old(
        self, position: int, unit: _Unit, new: _Value, past: Sequence[_Value]
    ) -> _Value | None:
        """Return the value in whose place a new one is put, if there is one."""
        known = [each for each in past if each.name != new.name and self._is_known(each, position)]
        if len(known) == 1:
            return known[0]
        if past or (self._is_known(new, position) and not unit.is_marked):
            return None
        beside = [each for each in unit.values if each.kind is new.kind and each != new]
        if beside:
            is_fit = len(beside) == 1 and self._is_known(beside[0], position)
            return beside[0] if is_fit and self._is_given_up(beside[0], unit) else None
        return self._of_the_same(new, unit)

    def _is_given_up(self, old: _Value, unit: _Unit) -> bool:
        """Whether a value beside a new one is the earlier one of the same thing."""
        if BESIDE.search(unit.text):
            return False
        given = [each for each in self._before(old.kind) if each.name == old.name]
        return unit.is_marked or any(each.words & old.words for each in given)

    def _is_known(self, value: _Value, position: int) -> bool:
        seen = self._originals.seen(value.name)
        return seen is not None and min(seen.positions()) < position

    def _of_the_same(self, new: _Value, unit: _Unit) -> _Value | None:
        """Return the latest earlier value of what a new one is given to."""
        before = self._before(new.kind)
        if new.kind in _OF_MANY and unit.is_marked and not TAKEN_BACK.search(unit.spoken):
            unit = unit._replace(is_marked=False)
        if unit.is_marked and not new.words - OF_VALUES and before:
            return before[-1] if before[-1].name != new.name else None
        fewest = _FEW_WORDS if new.name.isdigit() or not unit.is_marked else 1
        is_sure = unit.is_marked and new.kind not in _OF_MANY and TAKEN_BACK.search(unit.spoken)
        share = _SHARE if is_sure else _UNMARKED
        for each in reversed(before):
            shared = len(each.words & new.words)
            smaller = min(len(each.words), len(new.words))
            if unit.is_marked and shared >= max(fewest, share * smaller):
                return each if each.name != new.name else None
            is_same = bool(shared) and _frame(new) == _frame(each)
            if is_same or (shared >= fewest and shared >= self._alike(new, each)):
                return each if each.name != new.name else None
        return None

    def _alike(self, new: _Value, old: _Value) -> float:
        """Return how many words two sentences must share to give values to one thing, unmarked.

        Where each has a word of its own, as `the import` and `the export`, there are two things.
        """
        if new.words - old.words and old.words - new.words:
            return inf
        texts = (new.text, old.text)
        if any(map(BESIDE.search, texts)) or _places(new.text) != _places(old.text):
            return inf
        if new.kind in _OF_MANY:
            return _PARALLEL * len(new.words | old.words)
        return _UNMARKED * len(new.words | old.words)


def _marked_after(units: Sequence[_Unit]) -> list[_Unit]:
    """Let a sentence with no value mark the one before it: `It is 45 s; I misread it`."""
    last = units[-1:]
    marked = [
        each._replace(is_marked=True, spoken=f"{each.spoken} {after.text}")
        if after.is_marked and not after.values
        else each
        for each, after in pairwise(units)
    ]
    return [*marked, *last]


def _frame(value: _Value) -> str:
    return value.text.casefold().replace(value.name.casefold(), "#").strip(" .!")


def _places(text: str) -> frozenset[str]:
    """Return the places, times and cases that a sentence is confined to."""
    return frozenset(chain.from_iterable(each.terms for each in scopes_of(text) if each.is_strict))


def _words(text: str, values: Sequence[_Value]) -> frozenset[str]:
    """Return what a sentence is about: its words without values and words of correction."""
    named = frozenset(chain.from_iterable(terms(each.name) for each in values))
    plain = MARKED.sub(" ", _DENIED.sub(" ", text.lower()))
    return frozenset(filter(str.isalpha, terms(plain) - named - VERBS))
