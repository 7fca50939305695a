"""Corrections by their values, however they are worded.

A user's sentence that names a value for the first time, beside one of the same class that stood
before, and has a word of correction, puts the new one in the place of the old one. Where the old
value is not named, it is the one that an earlier sentence of the user gives to the same thing.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.audit._originals import Originals
from turnfold.audit._sentences import plain_words
from turnfold.audit.rules._corrections import Correction
from turnfold.audit.rules._prose import Sentence
from turnfold.audit.rules._standing import is_asked_or_told
from turnfold.audit.rules._terms import terms
from turnfold.facts import Kind, NameReader, outermost

_WORD_OF_CORRECTION: Final = re.compile(
    r"(?<!\w)(?:not|no|nope|instead|rather|wrong\w{0,2}|meant|mean|actually|sorry|oops|mistake\w{0,2}"
    r"|mistyped|misspoke|typo|correct\w{0,6}|scratch|amend\w{0,4}|revis\w{1,4}|ignore|forget|strike"
    r"|apolog\w{1,5}|my bad|turns out|outdated|stale|old|obsolete|disregard|update\w{0,1}|should)"
    r"(?!\w)|n['\u2019]t(?!\w)|不是|不对|错|改|更正|而是|应",
    re.IGNORECASE,
)
_HAS_DIGIT: Final = re.compile(r"\d")
_NO_VALUES: Final = frozenset((Kind.QUOTED, Kind.HYPHENATED, Kind.ERROR))
_SHARED_WORDS: Final = 2
_SHARE: Final = 0.5
_MOST_BEFORE: Final = 50


class _Value(NamedTuple):
    kind: Kind
    name: str
    words: frozenset[str]


class ValueReader:
    """Follows the values that users name, turn by turn, from the oldest on."""

    def __init__(self, originals: Originals) -> None:
        self._originals = originals
        self._reader = NameReader()
        self._before: dict[Kind, list[_Value]] = {}

    def corrections(self, position: int, said: Sequence[Sentence]) -> Iterator[Correction]:
        """Yield what the sentences of a user turn put in the place of earlier values."""
        stated: list[_Value] = []
        led = False
        for sentence in said:
            values = list(self._values(sentence.text))
            marked = bool(_WORD_OF_CORRECTION.search(sentence.text))
            if values and (marked or led) and not is_asked_or_told(sentence.text):
                yield from self._replaced(position, sentence.text, values)
            led = marked and not values
            stated += values
        for value in stated:
            before = self._before.setdefault(value.kind, [])
            before.append(value)
            del before[:-_MOST_BEFORE]

    def _values(self, text: str) -> Iterator[_Value]:
        words = plain_words(text)
        for (kind, name), _, is_part in outermost(self._reader.located(text)):
            if kind not in _NO_VALUES and not is_part:
                yield _Value(kind, name, words)

    def _replaced(self, position: int, text: str, values: Sequence[_Value]) -> Iterator[Correction]:
        fresh = [each for each in values if self._is_new(each.name, position)]
        known = [each for each in values if each not in fresh]
        for new in fresh:
            old = [each for each in known if each.kind is new.kind]
            if len(old) == 1 and len(fresh) == 1:
                yield _made(text, new, old[0])
            elif not known and len(values) == 1 and _HAS_DIGIT.search(new.name):
                yield from (_made(text, new, each) for each in self._of_the_same(new))

    def _is_new(self, name: str, position: int) -> bool:
        seen = self._originals.seen(name)
        return seen is not None and min(seen.positions()) >= position

    def _of_the_same(self, new: _Value) -> Iterator[_Value]:
        """Yield the latest earlier value of what a new one is given to."""
        for each in reversed(self._before.get(new.kind, ())):
            shared = each.words & new.words
            if len(shared) >= _SHARED_WORDS and len(shared) >= _SHARE * len(new.words):
                yield each
                return


def _made(text: str, new: _Value, old: _Value) -> Correction:
    topic = terms(text) - terms(new.name) - terms(old.name)
    return Correction(new.name, old.name, text, topic, is_edit=False)
