"""Sentences and their words: what binds a fact to what is said of it."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

SENTENCE_END: Final = (
    r"(?:(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)"
    r"(?:(?=\s|\Z)|[\"'\u201d\u2019)*_`]{1,3}(?=\s{1,9}[^\sa-z]|\s{0,9}\Z))"
    r"|(?<=[\u3002\uff01\uff1f\uff1b])[\"'\u201d\u2019\uff09]{0,3}|(?<=;)(?=\s|\Z))"
)
"""What follows a mark that ends a sentence: no abbreviation, and what closes belongs to it."""

_LINE_END: Final = (
    # A line goes on where the next one is indented or starts small, and is no item of a list.
    r"(?<=\n)(?=[ \t]{0,20}(?:\n|[-*+\u2022#>|]|\d{1,3}[.)]|```)|[^\s\da-z(`])"
)
# A pattern that begins with one set is searched for faster than one with alternatives, and a set
# of ASCII faster than another.
_END: Final = re.compile(rf"[.!?;\n\u3002\uff01\uff1f\uff1b](?:{SENTENCE_END}|{_LINE_END})")
_ASCII_END: Final = re.compile(rf"[.!?;\n](?:{SENTENCE_END}|{_LINE_END})")
_WORD: Final = re.compile(r"[^\W\d_\u3400-\u9fff]{2,}|[\u3400-\u9fff]")
_COMMON: Final = (
    "about after all also an and any are as at be been before being between both but by can "
    "could did do does done down during each file files for from had has have he her here him "
    "his how if in into is it its me more most my no not now of off on once only or other our "
    "out over own same she should so some such than that the their them then there they this "
    "to under until up use used using very was we were what when which who whom why will with "
    "would you your"
)
_COMMON_HAN: Final = "我们你您他她它的了是在和与把被这那个就也都会要吧呢吗啊做用请很再还"
_ALONE: Final = re.compile(
    r"(?<![\w./\\:@#$`'<-])[^\W\d_\u3400-\u9fff]{2,40}(?![\w/\\@`'>(-]|[.:]\w)|[\u3400-\u9fff]"
)
STOP_WORDS: Final = frozenset((*_COMMON.split(), *_COMMON_HAN))
_LONGEST: Final = 600
"""A sentence is cut after so many characters, so that what has no stops still has sentences."""


class Sentences:
    """The sentences of a text by position: from one end mark to the next, or one line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = list(_starts(text))

    def at(self, position: int) -> int:
        """Return the number of the sentence that holds a character."""
        return bisect_right(self.starts, position) - 1

    def span(self, number: int) -> tuple[int, int]:
        """Return where a sentence starts and ends."""
        after = number + 1
        end = self.starts[after] if after < len(self.starts) else len(self.text)
        return self.starts[number], end

    def text_of(self, number: int) -> str:
        """Return a sentence."""
        start, end = self.span(number)
        return self.text[start:end]

    def __iter__(self) -> Iterator[str]:
        return map(self.text_of, range(len(self.starts)))

    def __len__(self) -> int:
        return len(self.starts)


def _starts(text: str) -> Iterator[int]:
    start = 0
    yield 0
    for found in (_ASCII_END if text.isascii() else _END).finditer(text):
        end = found.end()
        while end - start > _LONGEST:
            start += _LONGEST
            yield start
        if end < len(text):
            start = end
            yield start
    while len(text) - start > _LONGEST:
        start += _LONGEST
        yield start


def words_of(text: str) -> frozenset[str]:
    """Return the content words of a text, in lower case."""
    return _stems(_WORD.findall(text.lower()))


def plain_words(text: str) -> frozenset[str]:
    """Return the content words that stand alone: no piece of a path, a name or a number."""
    return _stems(_ALONE.findall(text.lower()))


def words_beside(name: str, sentence: str) -> frozenset[str]:
    """Return the plain words of a sentence that stand beside a name."""
    return plain_words(sentence.replace(name, " # "))


def _stems(words: Iterable[str]) -> frozenset[str]:
    found = set(map(stem, words))
    found.discard("")
    return frozenset(found)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a word without the ending of a tense or a plural; nothing for a common word."""
    if word in STOP_WORDS:
        return ""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) > 2:  # noqa: PLR2004  A stem.
            return word[: -len(ending)]
    return word


_EDGE: Final = re.compile(
    r"(?<=[\u3400-\u9fff])(?=[\w`/~-])(?![\u3400-\u9fff])|(?<=[\w`/)])(?<![\u3400-\u9fff])(?=[\u3400-\u9fff])"
)


def apart(text: str) -> str:
    """Return a text with a blank wherever it changes to or from Chinese characters."""
    return _EDGE.sub(" ", text)
