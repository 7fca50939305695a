"""Which spoken sentences of the leaves speak of the same thing as a sentence of a summary.

By shared words, of which a name weighs most, whatever is said of the thing and by whom.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, NamedTuple
from unicodedata import is_normalized

from turnfold._metadata import KIND, KIND_INJECTED
from turnfold.audit._hedges import VOCABULARY as HEDGES
from turnfold.audit._memory import AuditMemory
from turnfold.audit._sentences import Sentences, apart
from turnfold.audit._speakers import HAN as HAN_SPEAKERS
from turnfold.audit._speakers import VOCABULARY as SPEAKERS
from turnfold.audit._spelling import readable
from turnfold.audit._states import VOCABULARY as STATES
from turnfold.audit._states_han import HAN as HAN_STATES
from turnfold.audit._terms import (
    MARKS,
    has_idiom_mark,
    plain_word,
    term_of,
    terms,
    terms_of_pieces,
)
from turnfold.transcript import Role, TranscriptTurn

_SPEAKERS: Final = (Role.USER, Role.ASSISTANT)
_LONGEST: Final = 400
_CAMEL: Final = re.compile(
    r"(?<![\w])(?:[a-z]\w{0,60}[a-z0-9][A-Z]\w{0,60}|[A-Z]\w{0,60}[a-z][A-Z]\w{0,60})"
)
_NAME_WEIGHT: Final = 3
_ROUNDING: Final = 1e-6
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
    """Return what a sentence is about, without what it says of it, and who says so.

    Only set phrases and quantities go over white space; what has none is read piece by piece.
    """
    if not sentence.isascii() and _HAN_SAID.search(sentence):
        sentence = _HAN_SAID.sub(" ", apart(sentence))
    if _goes_over_space(sentence):
        plain, named, short = _read(sentence, terms)
    else:
        read = [each for each in map(_of_piece, sentence.split()) if each is not _NO_PIECE]
        plain = _NOTHING.union(*[each.plain for each in read])
        naming = [each for each in read if each.named]
        named = _NOTHING.union(*[each.named for each in naming])
        short = _NOTHING.union(*[each.short for each in naming])
    if not named:
        return Content(plain, named, float(len(plain)))
    words, names = plain | named, named - short
    return Content(words, names, _weight(words, names))


def _goes_over_space(sentence: str) -> bool:
    """Whether a sentence has to be read as a whole."""
    is_readable = sentence.isascii() or is_normalized("NFC", sentence)
    return (
        not is_readable
        or "\x1b" in sentence
        or has_idiom_mark(sentence)
        or _SPACED_UNIT.search(sentence) is not None
    )


class _Piece(NamedTuple):
    """The terms of a piece of a text: its words, what it names, and numbers that are no names."""

    plain: frozenset[str]
    named: frozenset[str]
    short: frozenset[str]


def _read(text: str, terms_of: Callable[[str], frozenset[str]]) -> _Piece:
    tokens = _TOKEN.findall(text) if _IN_TOKENS.search(text) else ()
    if not tokens:
        return _Piece(_plain(terms_of(text)), _NOTHING, _NOTHING)
    named = terms_of(" ".join(map(_without_unit, tokens)))
    short = frozenset(each for each in tokens if each.isdigit() and len(each) < _SHORTEST)
    is_all = len(tokens) == 1 and tokens[0] == text.strip(MARKS)
    plain = _NOTHING if is_all else _plain(terms_of(_TOKEN.sub(" ", text)))
    return _Piece(plain, named, short)


def _without_unit(token: str) -> str:
    is_measured = token[0].isdigit() and not token[-1].isdigit()
    return _UNIT.sub("", token) if is_measured else token


def _plain(found: frozenset[str]) -> frozenset[str]:
    return frozenset(filter(str.isalpha, found)) - _SAID_OF_IT


@lru_cache(maxsize=20_000)
def _of_piece(piece: str) -> _Piece:
    if word := plain_word(piece):
        term = term_of(word)
        is_about = term.isalpha() and term not in _SAID_OF_IT
        return _Piece(frozenset((term,)), _NOTHING, _NOTHING) if is_about else _NO_PIECE
    return _read(piece, _terms_of_split)


def _terms_of_split(text: str) -> frozenset[str]:
    return terms_of_pieces(text.split())


_NOTHING: Final[frozenset[str]] = frozenset()
_NO_PIECE: Final = _Piece(_NOTHING, _NOTHING, _NOTHING)


def _single_words(patterns: Iterable[str]) -> Iterator[str]:
    """Yield the alternatives of patterns that are one word, without what may follow it."""
    for pattern in patterns:
        flat = _GROUP.sub("", pattern)
        yield from (found[1] for each in flat.split("|") if (found := _ALONE.fullmatch(each)))


_GROUP: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_ALONE: Final = re.compile(r"([a-z]{2,})(?:[?\\\[].*)?")
_SAID_OF_IT: Final = terms(" ".join(_single_words((*STATES, *SPEAKERS, *HEDGES))))


_HAN_SAID: Final = re.compile(rf"{HAN_STATES}|{HAN_SPEAKERS}|(?<=[\u3400-\u9fff])(?=[!-~])")

_TOKEN: Final = re.compile(
    r"(?<![\w/])(?:[~/]?\w[\w-]{0,80}(?:[./:@\\=]{1,3}[\w-]{1,120}){1,20}"
    r"|[a-zA-Z]\w{0,60}_\w{1,60}"
    r"|--\w[\w-]{0,60}|\d[\d.,_]{0,30}(?: ?(?i:[kmgt]i?b|ms|s|seconds?|minutes?|hours?|%)(?!\w))?"
    r"|[a-z]\w{0,60}[a-z0-9][A-Z]\w{0,60}|[A-Z]\w{0,60}[a-z][A-Z]\w{0,60}|[A-Z][A-Z0-9]+\d\w*)"
)


_IN_TOKENS: Final = re.compile(r"[\d_]|--|[./:@\\=][\w-]|[a-z\d][A-Z]")
"""Every token has one of these, and looking for them is faster than for the pattern."""

_SPACED_UNIT: Final = re.compile(
    r" (?<=[\d.,_] )(?i:[kmgt]i?b|ms|s|seconds?|minutes?|hours?|%)(?!\w)"
)
_UNIT: Final = re.compile(r"(?<=\d) ?[A-Za-z%]{1,8}\Z")


def _weight(words: frozenset[str], names: frozenset[str]) -> float:
    return len(words) + (_NAME_WEIGHT - 1) * len(words & names)


class Speech:
    """What users and assistants say, sentence by sentence; read once for all who look there.

    Args:
        leaves: All original turns, oldest first.
        memory: What was read of turns before.
    """

    def __init__(self, leaves: Iterable[TranscriptTurn], memory: AuditMemory) -> None:
        self._memory = memory
        self._turns = [
            (position, turn)
            for position, turn in enumerate(leaves)
            if turn.role in _SPEAKERS and turn.metadata.get(KIND) != KIND_INJECTED
        ]
        self._of_role: dict[Role, str] = {}

    @cached_property
    def sentences(self) -> list[tuple[str, int, Role, str, str]]:
        """The sentences that are not too long: in lower case, then as in `Said`."""
        return [
            (low, position, turn.role, text, after)
            for position, turn in self._turns
            for low, text, after in self._memory.of(_sentences, turn.content)
        ]

    def has(self, role: Role, word: str) -> bool:
        """Whether the turns of a role have a word, or have it in a word."""
        if role not in self._of_role:
            said = (turn.content for _, turn in self._turns if turn.role == role)
            texts = (self._memory.of(str.lower, each) for each in said)
            self._of_role[role] = "\n".join(texts)
        return word in self._of_role[role]


def _sentences(content: str) -> list[tuple[str, str, str]]:
    """Return the sentences of a text that are not too long: in lower case, as is, and the next."""
    texts = [each.strip() for each in Sentences(readable(content))]
    return [
        (text.lower(), text, after)
        for text, after in zip(texts, [*texts[1:], ""], strict=True)
        if text and len(text) <= _LONGEST and not text.startswith("[call ")
    ]


class Spoken:
    """The sentences of spoken turns by their words; only those that have some of the wanted.

    Args:
        speech: What is said.
        wanted: What sentences of the summaries are about.

    Attributes:
        known: The wanted words that are said.
        rare: Those that few sentences have.
    """

    def __init__(self, speech: Speech, wanted: Sequence[Content]) -> None:
        self._speech = speech
        self._by_word: dict[str, list[int]] = {}
        vocabulary = _NOTHING.union(*(each.words for each in wanted))
        # The shorter a word, the sooner a sentence has it.
        tried = sorted(vocabulary, key=len)
        self.sentences = [
            Said(position, role, text, after, content_of(text))
            for low, position, role, text, after in speech.sentences
            if any(map(low.__contains__, tried))
        ]
        for number, said in enumerate(self.sentences):
            for word in said.content.words & vocabulary:
                self._by_word.setdefault(word, []).append(number)
        self.known = frozenset(self._by_word)
        self.rare = frozenset(each for each, at in self._by_word.items() if len(at) <= _RARE)
        self._seeds = {
            word: places for word, places in self._by_word.items() if len(places) <= _COMMON_WORD
        }

    def like(self, content: Content, least: float) -> list[Bound]:
        """Return the sentences that share so much with what is wanted, oldest first.

        A name of the one that the other lacks tells them apart, where both have names.
        """
        found = []
        # What shares less than this could not be like it if it said nothing else.
        fewest = least * content.weight / 2 - _ROUNDING
        tally = self._tally(content)
        for number in sorted(each for each, shared in tally.items() if shared >= fewest):
            said, shared = self.sentences[number], tally[number]
            share = 2 * shared / (content.weight + said.content.weight)
            if share < least or (shared < _FEWEST and not self._is_rare(content)):
                continue
            if not content.names or not said.content.names or content.names & said.content.names:
                found.append(Bound(said, share))
        return found

    def _tally(self, content: Content) -> Counter[int]:
        """Return what each sentence that shares something shares, by its number."""
        places = {word: self._seeds[word] for word in content.words & self._seeds.keys()}
        tally = Counter(chain.from_iterable(places.values()))
        for name in content.names & places.keys():
            for number in places[name]:
                tally[number] += _NAME_WEIGHT - 1
        return tally

    def _is_rare(self, content: Content) -> bool:
        return all(word in self.rare or word not in self.known for word in content.words)

    def heard(self, role: Role, content: Content) -> float:
        """Return what part of what is wanted the turns of a role have together."""
        heard = frozenset(word for word in content.words if self._speech.has(role, word))
        return _weight(heard, content.names) / (content.weight or 1.0)
