"""Facts that no token holds whole: quoted phrases, paths, and numbers apart from their unit."""

import re
from collections.abc import Iterator
from typing import Final

from turnfold.facts._amounts import amounts, ported
from turnfold.facts._atoms import Fact, Kind, fact_of, facts_of_spaced_path
from turnfold.facts._paths import spaced_paths

_DOUBLE: Final = re.compile(r"\"[^\"\s][^\"\n]{2,78}\"")
_TICKED: Final = re.compile(r"`[^`\s][^`\n]{2,78}`")
_QUOTED: Final = re.compile(f"{_DOUBLE.pattern}|{_TICKED.pattern}")
_UNITS: Final = (
    "%|ns|us|\u00b5s|ms|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?|"
    "[kKMGT]i?[bB]|bytes?|chars?|tokens?|lines?|px|Hz|[kMG]Hz|percent|USD|EUR|GBP|CHF|CNY|RMB"
)
_MEASURED: Final = re.compile(rf"\d(?<![\w.]\d)[\d,.]{{0,20}} (?:{_UNITS})(?!\w)")
# A pattern that begins with a fixed character is searched for several times faster than one that
# begins with a set: first the space and the unit, then the number to the left of them.
_UNIT: Final = re.compile(rf" (?<=[\d,.] )(?:{_UNITS})(?!\w)")
_FIGURES: Final = re.compile(r"\d(?<![\w.]\d)[\d,.]{0,20}\Z")
_MOST_FIGURES: Final = 21
_HAN_MEASURED: Final = re.compile(r"(?<![A-Za-z0-9_.分第])(?<!分 )\d[\d,.]{0,20} ?(?:毫秒|微秒|秒)")
"""Seconds and their parts in Chinese; behind a minute they are a part of that time."""

_NUMBER: Final = Kind.NUMBER
_ADDRESS: Final = Kind.ADDRESS
_PHRASE: Final = Kind.QUOTED


def spaced_facts(text: str) -> Iterator[tuple[Fact, int]]:
    """Yield what no token holds whole, and where.

    Paths with blanks, each with the names in it; amounts of money; addresses in brackets with a
    port; quoted phrases; numbers apart from their unit.
    """
    paths = spaced_paths(text)
    for start, end in paths:
        for fact in facts_of_spaced_path(text[start:end]):
            yield fact, start + text[start:end].rfind(fact.text)
    for start, end in amounts(text):
        yield fact_of((_NUMBER, text[start:end])), start
    for start, end in ported(text):
        yield fact_of((_ADDRESS, text[start:end])), start
    yield from _phrases(text, {start for start, _ in paths})
    for unit in _UNIT.finditer(text):
        space = unit.start()
        if figures := _FIGURES.search(text, max(0, space - _MOST_FIGURES), space):
            yield fact_of((_NUMBER, text[figures.start() : unit.end()])), figures.start()
    if "秒" in text:
        for measured in _HAN_MEASURED.finditer(text):
            yield fact_of((_NUMBER, measured[0])), measured.start()


def _phrases(text: str, paths: set[int]) -> Iterator[tuple[Fact, int]]:
    """Yield the quoted phrases of a text that are no path and no quantity."""
    for quotation in _quotations(text):
        quoted, start = quotation[0], quotation.start() + 1
        if start in paths or (" " not in quoted and quoted.isprintable()):
            continue
        phrase = quoted[1:-1].rstrip("\\ ")
        if len(phrase.split(None, 1)) > 1 and not _MEASURED.fullmatch(phrase):
            yield fact_of((_PHRASE, phrase)), start


def _quotations(text: str) -> Iterator[re.Match[str]]:
    """Yield what stands in quotation marks of either kind, the leftmost first.

    None goes over the end of a line, so that only lines with both marks are searched for both.
    """
    common, rare = (_DOUBLE, "`") if text.count('"') > text.count("`") else (_TICKED, '"')
    start = 0
    at = text.find(rare)
    while at >= 0:
        line = max(start, text.rfind("\n", start, at))
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield from common.finditer(text, start, line)
        yield from _QUOTED.finditer(text, line, end)
        start = end
        at = text.find(rare, end)
    yield from common.finditer(text, start)
