"""Amounts with a sign that no token holds, and addresses with a port behind their brackets.

A dollar sign is written before variables and placeholders too, so a single digit behind one is an
amount only where a word for so many or for a while follows.
"""

import re
from collections.abc import Iterator
from typing import Final

_FIGURES: Final = r"\d(?:[\d,.]{0,20}\d)?"
_MANY: Final = (
    r"(?:(?:k|K|M|B|bn)(?!\w)|(?: million| billion| Mio\.?| Mrd\.?)(?!\w)|[\u4e07\u4ebf])"
)
_DOLLARS: Final = re.compile(r"\$(?<![\w$]\$)(?=\d)")
_OF_DOLLARS: Final = re.compile(
    rf"{_FIGURES}{_MANY}?(?!\w)"
    r"(?:(?<=\d\d)|(?<=[\w.])(?<!\d)|(?=/[a-z]| per | a (?:day|month|year)))"
)
_SIGNS: Final = "\u20ac\u00a3\u00a5\uffe5\u20b9\u5143\uff05"
_SPACED: Final = r"\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,5}(?:,\d{1,2})?"
_BEFORE_SIGN: Final = re.compile(
    rf"(?<![A-Za-z0-9_.,])(?:{_SPACED}|{_FIGURES}){_MANY}?[ \u00a0\u202f]?\Z"
)
_AFTER_SIGN: Final = re.compile(rf"[ \u00a0]?{_FIGURES}{_MANY}?(?!\w)")
SIGNS_BEFORE: Final = "$\u20ac\u00a3\u00a5\uffe5\u20b9"
"""Signs that can stand before the figures of an amount; each can stand behind them as well."""

_BEHIND_ALONE: Final = "\u5143\uff05"
"""These stand behind their figures only."""

_BRACKET: Final = re.compile(r"\]:(?<=[0-9a-fA-F:]\]:)(?=\d{1,5}(?!\w))")
_OPENED: Final = re.compile(r"(?<![/@\w])\[[0-9a-fA-F:]{2,40}(?:%\w{1,15})?\]:\Z")
_PORT: Final = re.compile(r"\d{1,5}")
_LONGEST: Final = 40


def amounts(text: str) -> Iterator[tuple[int, int]]:
    """Yield where amounts with a sign of money or a wide `\uff05` start and end; linear."""
    if "$" in text:
        for sign in _DOLLARS.finditer(text):
            if figures := _OF_DOLLARS.match(text, sign.end()):
                yield sign.start(), figures.end()
    for mark in () if text.isascii() else filter(text.__contains__, _SIGNS):
        yield from _signed(text, mark)


def _signed(text: str, mark: str) -> Iterator[tuple[int, int]]:
    at = text.find(mark)
    while at >= 0:
        if figures := _BEFORE_SIGN.search(text, max(0, at - _LONGEST), at):
            yield figures.start(), at + 1
        elif mark not in _BEHIND_ALONE and (figures := _AFTER_SIGN.match(text, at + 1)):
            yield at, figures.end()
        at = text.find(mark, at + 1)


def ported(text: str) -> Iterator[tuple[int, int]]:
    """Yield where addresses in brackets with a port start and end: `[::1]:8080`."""
    if "::" not in text:
        return
    for bracket in _BRACKET.finditer(text):
        opened = _OPENED.search(text, max(0, bracket.start() - 60), bracket.end())
        if opened and (port := _PORT.match(text, bracket.end())):
            yield opened.start(), port.end()
