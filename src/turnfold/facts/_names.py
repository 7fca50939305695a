"""Finding the names of a text, token first."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from turnfold.facts._atoms import LONGEST_ATOM, Fact, Kind
from turnfold.facts._spaced import spaced_facts
from turnfold.facts._tokens import Tokens

__all__ = [
    "LONGEST_ATOM",
    "Fact",
    "Facts",
    "Kind",
    "NameReader",
    "Telling",
    "find",
    "names",
    "outermost",
]

_SPACE: Final = re.compile(r"\s")
_NOT_BLANK: Final = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""All white space but the blank."""
_BATCH: Final = 1 << 18
_PATH: Final = Kind.PATH
_NUMBER: Final = Kind.NUMBER
_ADDRESS: Final = Kind.ADDRESS


class Facts(NamedTuple):
    """The facts of a text by first occurrence, and how many atoms were too long to examine."""

    facts: tuple[Fact, ...]
    not_examined: int


class Telling(NamedTuple):
    """The tokens of a text that have a fact, and what no token holds whole.

    Args:
        tokens: The tokens.
        facts: The facts of each.
        counts: How often each stands in the text.
        spaced: The facts that have white space, each time that they stand there.
    """

    tokens: list[str]
    facts: list[tuple[Fact, ...]]
    counts: list[int]
    spaced: list[Fact]


class NameReader:
    """Reads the names of many texts; a token that it remembers is not examined again.

    It remembers every token that has a fact, so one reader serves one job; of the others it
    remembers some 60,000, and a text is read in pieces of 256,000 characters.
    """

    __slots__ = ("_known", "_same")

    def __init__(self) -> None:
        self._known = Tokens()
        self._same: dict[str, str] = {}

    @property
    def not_examined(self) -> int:
        """How many atoms of distinct tokens were too long to examine."""
        return self._known.not_examined

    def facts(self, text: str) -> dict[str, Kind]:
        """Return the kinds of the distinct names of a text, by name, by first occurrence."""
        found: dict[str, Kind] = {}
        known = self._known
        spaced = list(spaced_facts(text))
        for _, piece in _pieces(_without_paths(text, spaced)):
            tokens = dict.fromkeys(piece.split())
            for kind, name in chain.from_iterable(known.facts_of(tokens)):
                if name not in found:
                    found[name] = kind
            known.forget()
        for (kind, name), _ in spaced:
            found.setdefault(name, kind)
        return found

    def telling(self, text: str) -> Telling:
        """Return the distinct tokens of a text that have a fact, by first occurrence.

        In a text over 256,000 characters a token can come again.
        """
        spaced = list(spaced_facts(text))
        found = Telling([], [], [], [fact for fact, _ in spaced])
        for _, piece in _pieces(_without_paths(text, spaced)):
            counts = Counter(piece.split())
            same = self._same
            for facts, token, count in zip(
                self._known.facts_of(counts), counts, counts.values(), strict=True
            ):
                if facts:
                    found.tokens.append(same.setdefault(token, token))
                    found.facts.append(facts)
                    found.counts.append(count)
            self._known.forget()
        return found

    def of_token(self, token: str) -> tuple[Fact, ...]:
        """Return the facts of one token: a piece of a text without white space."""
        return self._known.facts_of({token: None})[0]

    def located(self, text: str) -> Iterator[tuple[Fact, int]]:
        """Yield every fact of a text with the character that it starts at; repeats included."""
        spaced = list(spaced_facts(text))
        for start, piece in _pieces(_without_paths(text, spaced)):
            at = start
            tokens = _evenly_spaced(piece).split(" ")
            known = dict.fromkeys(tokens)
            facts_of = dict(zip(known, self._known.facts_of(known), strict=True))
            for token in tokens:
                for fact in facts_of[token]:
                    yield fact, at + max(0, token.find(fact[1]))
                at += len(token) + 1
            self._known.forget()
        yield from spaced


def _without_paths(text: str, spaced: Iterable[tuple[Fact, int]]) -> str:
    """Return a text with blanks for its paths that have some, of which no token is a part."""
    pieces = []
    at = 0
    for (kind, name), start in spaced:
        if kind is _PATH and " " in name:
            pieces += [text[at:start], " " * len(name)]
            at = start + len(name)
    return "".join([*pieces, text[at:]]) if at else text


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield a text in pieces that end at white space, so that memory does not grow with it.

    Each comes with where it starts.
    """
    start = 0
    while len(text) - start > _BATCH:
        space = _SPACE.search(text, start + _BATCH)
        if space is None:
            break
        yield start, text[start : space.start()]
        start = space.end()
    yield start, text[start:]


def _evenly_spaced(text: str) -> str:
    """Return the text with a blank for each other white space."""
    if not text.isprintable():
        for space in _NOT_BLANK:
            if space in text:
                text = text.replace(space, " ")
    return text


def outermost(located: Iterable[tuple[Fact, int]]) -> Iterator[tuple[Fact, int, bool]]:
    """Yield facts and places with whether each is part of a larger fact.

    A file's name is part of its path, and a figure of the quantity that its unit makes.
    """
    found = list(located)
    wide = {start: start + len(name) for (kind, name), start in found if _is_wide(kind, name)}
    starts = sorted(wide)
    covered = 0
    for fact, start in found:
        end = start + len(fact.text)
        is_part = end <= covered and " " not in fact.text and wide.get(start) != end
        if starts and not is_part and (before := bisect_right(starts, start)):
            begin = starts[before - 1]
            is_part = end <= wide[begin] and (start, end) != (begin, wide[begin])
        covered = max(covered, end)
        yield fact, start, is_part


def _is_wide(kind: Kind, name: str) -> bool:
    """Whether a quantity or an address is wider than the token, or the atom, of its figures."""
    if kind is _NUMBER:
        return " " in name or not name[0].isalnum() or not name[-1].isascii()
    return kind is _ADDRESS and name[0] == "["


def find(text: str) -> Facts:
    """Return the distinct verifiable facts of a text, by first occurrence; linear in the text."""
    reader = NameReader()
    found = reader.facts(text)
    return Facts(tuple(Fact(kind, name) for name, kind in found.items()), reader.not_examined)


def names(text: str) -> tuple[str, ...]:
    """Return the distinct verifiable names of a text, by first occurrence; linear in the text.

    Example:
        >>> names("请修改src/app.py的 max_retries, see https://x.org/a")
        ('src/app.py', 'app.py', 'max_retries', 'https://x.org/a')
    """
    return tuple(NameReader().facts(text))
