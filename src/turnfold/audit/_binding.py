"""Which spoken sentences of the leaves speak of the same thing as a sentence of a summary.

By shared words, of which a name weighs most, whatever is said of the thing and by whom.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold._metadata import KIND, KIND_INJECTED
from turnfold.audit._hedges import VOCABULARY as HEDGES
from turnfold.audit._sentences import Sentences
from turnfold.audit._speakers import VOCABULARY as SPEAKERS
from turnfold.audit._spelling import readable
from turnfold.audit._states import VOCABULARY as STATES
from turnfold.audit._terms import terms
from turnfold.transcript import Role, TranscriptTurn

_SPEAKERS: Final = (Role.USER, Role.ASSISTANT)
_LONGEST: Final = 400
_CAMEL: Final = re.compile(
    r"(?<![\w])(?:[a-z]\w{0,60}[a-z0-9][A-Z]\w{0,60}|[A-Z]\w{0,60}[a-z][A-Z]\w{0,60})"
)
_NAME_WEIGHT: Final = 3.0
_SHORTEST: Final = 4
"""A number of fewer digits is no name."""

_FEWEST: Final = 2
_RARE: Final = 3
_COMMON_WORD: Final = 400
"""A word in more sentences than this seeds no search, which keeps it linear."""


class Content(NamedTuple):
    """What a sentence is about: its words, which of them are names, and how much all of it says."""

    words: frozenset[str]
    names: frozenset[str]
    weight: float

    @property
    def plain(self) -> frozenset[str]:
        """Its words that are no names."""
        return self.words - self.names


class Said(NamedTuple):
    """A sentence of a spoken turn, with the one after it in its turn."""

    position: int
    role: Role
    text: str
    after: str
    content: Content

    @property
    def is_asked(self) -> bool:
        """Whether it is a question, which states nothing."""
        return self.text.rstrip("*_\"') ").endswith(("?", "\uff1f"))


class Bound(NamedTuple):
    """A spoken sentence that speaks of the same thing, and how nearly, from 0 to 1."""

    said: Said
    share: float


@lru_cache(maxsize=20_000)
def content_of(sentence: str) -> Content:
    """Return what a sentence is about, without what it says of it, and who says so."""
    tokens = _TOKEN.findall(sentence)
    named = terms(" ".join(_UNIT.sub("", each) for each in tokens))
    short = {each for each in tokens if each.isdigit() and len(each) < _SHORTEST}
    plain = frozenset(filter(str.isalpha, terms(_TOKEN.sub(" ", sentence)))) - _SAID_OF_IT
    words, names = plain | named, named - short
    return Content(words, names, _weight(words, names))


def _single_words(patterns: Iterable[str]) -> Iterator[str]:
    """Yield the alternatives of patterns that are one word, without what may follow it."""
    for pattern in patterns:
        flat = _GROUP.sub("", pattern)
        yield from (found[1] for each in flat.split("|") if (found := _ALONE.fullmatch(each)))


_GROUP: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_ALONE: Final = re.compile(r"([a-z]{2,})(?:[?\\\[].*)?")
_SAID_OF_IT: Final = terms(" ".join(_single_words((*STATES, *SPEAKERS, *HEDGES))))


_TOKEN: Final = re.compile(
    r"(?<![\w/])(?:[~/]?\w[\w-]{0,80}(?:[./:@\\=]{1,3}[\w-]{1,120}){1,20}"
    r"|[a-zA-Z]\w{0,60}_\w{1,60}"
    r"|--\w[\w-]{0,60}|\d[\d.,_]{0,30}(?: ?(?i:[kmgt]i?b|ms|s|seconds?|minutes?|hours?|%)(?!\w))?"
    r"|[a-z]\w{0,60}[a-z0-9][A-Z]\w{0,60}|[A-Z]\w{0,60}[a-z][A-Z]\w{0,60}|[A-Z][A-Z0-9]+\d\w*)"
)


_UNIT: Final = re.compile(r"(?<=\d) ?[A-Za-z%]{1,8}\Z")


def _weight(words: Iterable[str], names: frozenset[str]) -> float:
    return sum(_NAME_WEIGHT if each in names else 1.0 for each in words)


class Spoken:
    """The sentences of spoken turns by their words; only of turns that have some of the wanted.

    Args:
        leaves: All original turns, oldest first.
        wanted: What sentences of the summaries are about.
    """

    def __init__(self, leaves: Iterable[TranscriptTurn], wanted: Sequence[Content]) -> None:
        self.sentences: list[Said] = []
        self._by_word: dict[str, list[int]] = {}
        vocabulary = frozenset().union(*(each.words for each in wanted))
        self._heard: dict[Role, frozenset[str]] = {}
        for position, turn in enumerate(leaves):
            if turn.role in _SPEAKERS and turn.metadata.get(KIND) != KIND_INJECTED:
                low = turn.content.lower()
                hits = frozenset(word for word in vocabulary if word in low)
                if hits:
                    self._heard[turn.role] = self._heard.get(turn.role, frozenset()) | hits
                    self._add(position, turn, hits)

    def _add(self, position: int, turn: TranscriptTurn, hits: frozenset[str]) -> None:
        texts = [each.strip() for each in Sentences(readable(turn.content))]
        for text, after in zip(texts, [*texts[1:], ""], strict=True):
            if not text or len(text) > _LONGEST or text.startswith("[call "):
                continue
            low = text.lower()
            if not any(word in low for word in hits):
                continue
            content = content_of(text)
            for word in content.words:
                self._by_word.setdefault(word, []).append(len(self.sentences))
            self.sentences.append(Said(position, turn.role, text, after, content))

    def like(self, content: Content, least: float) -> list[Bound]:
        """Return the sentences that share so much with what is wanted, oldest first.

        A name of the one that the other lacks tells them apart, where both have names.
        """
        tally: dict[int, float] = {}
        for word in content.words:
            places = self._by_word.get(word, ())
            weight = _NAME_WEIGHT if word in content.names else 1.0
            for number in places if len(places) <= _COMMON_WORD else ():
                tally[number] = tally.get(number, 0.0) + weight
        found = []
        for number, shared in sorted(tally.items()):
            said = self.sentences[number]
            if content.names and said.content.names and not content.names & said.content.names:
                continue
            share = 2 * shared / (content.weight + said.content.weight)
            if share >= least and (shared >= _FEWEST or self._is_rare(content)):
                found.append(Bound(said, share))
        return found

    def _is_rare(self, content: Content) -> bool:
        return all(len(self._by_word.get(word, ())) <= _RARE for word in content.words)

    def heard(self, role: Role, content: Content) -> float:
        """Return what part of what is wanted the turns of a role have together."""
        hits = self._heard.get(role, frozenset())
        return _weight(content.words & hits, content.names) / (content.weight or 1.0)
