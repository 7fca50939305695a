"""Lines that were broken to fit a width, which are one sentence all the same.

A break was forced where the next word had not fitted any more. Where nearly all breaks within the
paragraphs and list items of a text are forced, the text was wrapped, and they are white space.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

_FEWEST: Final = 3
_MOST_WIDE: Final = 120
_NEARLY_ALL: Final = 0.85
_FENCES: Final = ("```", "~~~")
_OWN: Final = re.compile(r"[ \t]{0,40}(?:#{1,6} |\||[-*_=]{3,}[ \t]{0,9}\Z)")
"""A heading, a row of a table or a rule: it is no part of a wrapped text."""

_ITEM: Final = re.compile(r"[ \t]{0,40}(?:[-*+\u2022\u2013]|\d{1,3}[.)]|\[[ xX]\])[ \t]")
_QUOTE: Final = re.compile(r"[ \t]{0,8}>[ \t]?")


class _Line(NamedTuple):
    start: int
    text: str


class _Break(NamedTuple):
    """Where a line ends in whose paragraph or item the next one stands, and the width it needs."""

    start: int
    end: int
    needed: int


def unwrapped(text: str) -> str:
    """Return a text of the same length with spaces for the breaks that wrapped it.

    Every other character stays where it is; a text that was not wrapped is returned as it is.
    """
    lines = list(_lines(text))
    breaks = list(_breaks(lines))
    width = max((len(each.text) for each in lines if _is_breakable(each.text)), default=0)
    forced = [each for each in breaks if each.needed > width]
    if width > _MOST_WIDE or len(forced) < max(_FEWEST, _NEARLY_ALL * len(breaks)):
        return text
    pieces, at = [], 0
    for each in forced:
        pieces += [text[at : each.start], " " * (each.end - each.start)]
        at = each.end
    return "".join([*pieces, text[at:]])


def _lines(text: str) -> Iterator[_Line]:
    """Yield the lines of prose with where they start; an empty one ends a paragraph."""
    at, is_fenced = 0, False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(_FENCES)
        is_fenced ^= is_fence
        is_prose = not (is_fence or is_fenced or _OWN.match(line))
        yield _Line(at, line.rstrip() if is_prose else "")
        at += len(line) + 1


def _breaks(lines: list[_Line]) -> Iterator[_Break]:
    for before, after in pairwise(lines):
        if not before.text or not after.text or _ITEM.match(after.text):
            continue
        quote, goes_on = _QUOTE.match(before.text), _QUOTE.match(after.text)
        if bool(quote) != bool(goes_on):
            continue
        start = before.start + len(before.text)
        begin = goes_on.end() if goes_on else len(after.text) - len(after.text.lstrip())
        word = after.text[begin:].split(" ", 1)[0]
        yield _Break(start, after.start + begin, len(before.text) + 1 + len(word))


def _is_breakable(line: str) -> bool:
    """Whether a line has a space to break it at, so that it is no longer than the width."""
    for mark in (_QUOTE, _ITEM):
        line = line[found.end() :] if (found := mark.match(line)) else line
    return " " in line.strip()
