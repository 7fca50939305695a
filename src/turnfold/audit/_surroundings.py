"""What stands around a name in the turns that have it."""

from collections.abc import Iterator, Sequence
from typing import Final

from turnfold.audit._sentences import Sentences
from turnfold.audit._spelling import readable
from turnfold.transcript import TranscriptTurn

_NEAR: Final = 200
_MOST_SENTENCES: Final = 4


class Surroundings:
    """The sentences of turns by the names in them; a turn is made readable when it is asked for.

    Args:
        leaves: The original turns, oldest first.
    """

    def __init__(self, leaves: Sequence[TranscriptTurn]) -> None:
        self._leaves = leaves
        self._texts: dict[int, str] = {}
        self._low: dict[int, str] = {}
        self._near: dict[tuple[int, str], str] = {}

    def sentences(self, position: int, name: str) -> Iterator[str]:
        """Yield the sentences of a turn that have a name, a few at most."""
        for around, at in self._around(position, name):
            sentences = Sentences(around)
            yield sentences.text_of(sentences.at(at))

    def sentences_with(self, position: int, name: str, words: frozenset[str]) -> Iterator[str]:
        """Yield those of the sentences in which all of some words stand, or have a word in them."""
        key = position, name
        near = self._near.get(key)
        if near is None:
            pieces = (around for around, _ in self._around(position, name))
            near = self._near[key] = "\n".join(pieces).lower()
        if _has_all(near, words):
            for sentence in self.sentences(position, name):
                if _has_all(sentence.lower(), words):
                    yield sentence

    def has_all(self, position: int, words: frozenset[str]) -> bool:
        """Whether all of some words stand somewhere in a turn: cheap, and true too often."""
        if position not in self._low:
            self._low[position] = self._readable(position).lower()
        return _has_all(self._low[position], words)

    def _around(self, position: int, name: str) -> Iterator[tuple[str, int]]:
        """Yield what stands around a name in a turn, with where the name is in it."""
        text = self._readable(position)
        at = text.find(name)
        for _ in range(_MOST_SENTENCES):
            if at < 0:
                return
            start = max(0, at - _NEAR)
            yield text[start : at + len(name) + _NEAR], at - start
            at = text.find(name, at + len(name))

    def _readable(self, position: int) -> str:
        if position not in self._texts:
            self._texts[position] = readable(self._leaves[position].content)
        return self._texts[position]


def _has_all(lowered: str, words: frozenset[str]) -> bool:
    return all(map(lowered.__contains__, words))
