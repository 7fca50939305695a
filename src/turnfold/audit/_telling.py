"""Which of the things that were said a sentence of a summary tells, by its plain words alone.

A word counts by its first letters, however it goes on: `validate`, `validation`.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

from turnfold.audit._binding import Content, Said, Spoken, content_of
from turnfold.audit._evidence import Evidence
from turnfold.audit._sentences import Sentences
from turnfold.facts import Fact, outermost

_LOOSE: Final = 0.2
FEWEST: Final = 2
"""With fewer words in common nothing is told."""

_ROOT: Final = 6
_MARK: Final = re.compile(r"(?:[-*+\u2022]|\d{1,3}[.)])\s+")


class Told(NamedTuple):
    """What was said in the words that are wanted.

    Args:
        said: The sentence.
        shared: The roots of the words in common.
        is_whole: Whether each says all that the other says.
    """

    said: Said
    shared: frozenset[str]
    is_whole: bool


class Talk:
    """What was said in any of the words of the summaries.

    Args:
        evidence: Of these summaries and turns.

    Attributes:
        spoken: The sentences that were said.
    """

    def __init__(self, evidence: Evidence) -> None:
        sentences = chain.from_iterable(Sentences(each.text) for each in evidence.summaries)
        wanted = [content_of(unmarked(each)) for each in sentences]
        self.spoken = Spoken(evidence.speech, wanted)
        said = (each.content.plain for each in self.spoken.sentences)
        self._said = roots(frozenset().union(*said))
        self._summed = roots(frozenset().union(*(each.plain for each in wanted)))

    def rare(self, content: Content) -> frozenset[str]:
        """Return the roots of the words that few sentences have, so that they name a thing."""
        return roots(content.plain & self.spoken.rare)

    def nearly(self, wanted: Content, of_wanted: float, of_said: float) -> list[Told]:
        """Return what was said in so many of the words, the nearest first."""
        return self._told(wanted, (of_wanted, of_said), is_strict=True)

    def loosely(self, wanted: Content, of_wanted: float, of_said: float) -> list[Told]:
        """Return the same by what tells things apart: words that are said *and* in the summary."""
        return self._told(wanted, (of_wanted, of_said), is_strict=False)

    def _told(self, wanted: Content, least: tuple[float, float], *, is_strict: bool) -> list[Told]:
        found = []
        here = roots(wanted.plain)
        if not is_strict:
            here &= self._said
        for said, _ in self.spoken.like(wanted, _LOOSE):
            there = roots(said.content.plain)
            if not is_strict:
                there &= self._summed
            whole = there
            if said.text.endswith(";"):
                whole |= roots(content_of(said.after).plain)
            shared, told = here & there, here & whole
            is_enough = len(shared) >= max(FEWEST, least[1] * len(there))
            if is_enough and len(told) >= least[0] * len(here) and not said.is_asked:
                is_whole = told == here and shared == there
                score = -len(told) / len(here | whole), -said.position
                found.append((score, Told(said, told, is_whole)))
        return [told for _, told in sorted(found, key=itemgetter(0))]


def talk_of(evidence: Evidence) -> Talk:
    """Return what was said in the words of the summaries; worked out once for all checks."""
    return evidence.once(Talk)


def unmarked(sentence: str) -> str:
    """Return a sentence without the mark of a list, on one line."""
    stripped = sentence.strip()
    mark = _MARK.match(stripped)
    return " ".join((stripped[mark.end() :] if mark else stripped).split())


def roots(words: Iterable[str]) -> frozenset[str]:
    """Return the first letters of words."""
    return frozenset(each[:_ROOT] for each in words)


def plain_content(text: str) -> Content:
    """Return what a text is about by its words alone."""
    plain = frozenset(filter(str.isalpha, content_of(" ".join(text.split())).plain))
    return Content(plain, frozenset(), float(len(plain)))


class Lost:
    """What of the values that were said stands in the summaries."""

    def __init__(self, evidence: Evidence) -> None:
        self._reader = evidence.originals.reader
        self._text = "\n".join(each.text for each in evidence.summaries).casefold()

    def values(self, said: Said) -> Iterator[Fact]:
        """Yield the values of a spoken sentence."""
        for fact, _, is_part in outermost(self._reader.located(said.text)):
            if not is_part:
                yield fact

    def stands(self, name: str) -> bool:
        """Whether a summary has a value, or the last part of it."""
        low = name.casefold()
        return low in self._text or low.rstrip("/").rpartition("/")[2] in self._text
