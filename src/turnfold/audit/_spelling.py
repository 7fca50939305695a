"""How one fact can be spelled, and how texts are made comparable."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from turnfold.facts import Fact, Kind

_ANSI: Final = re.compile("\x1b\\[[0-9;?]{0,30}[A-Za-z]")
_QUOTES: Final = "\"'`\u2018\u2019\u201c\u201d"
_WINDOWS: Final = re.compile(
    r"(?<![\w\\%])[\w.~-]{0,80}(?:\\{1,2}[\w.~-]{1,80}){1,30}\.\w{1,8}(?![\w\\])"
)
_PERCENT: Final = re.compile(r"(?:%[0-9A-Fa-f]{2}){1,64}")
_SLASHES: Final = re.compile("/{2,8}")
_ESCAPED_BLANK: Final = re.compile(r"\\{1,2} ")

_GROUP_MARKS: Final = str.maketrans("", "", ". \u00a0\u202f")
_SEPARATORS: Final = str.maketrans("", "", ",_ \u00a0\u202f")


def readable(text: str) -> str:
    """Return a text without terminal colours, its characters composed (NFC)."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def evened(text: str) -> str:
    """Return a summary without colours and with `/` for the backslashes of paths.

    Every character stays where it was, so that places hold for the text as it was given.
    """
    if "\x1b" in text:
        text = _ANSI.sub(lambda found: " " * len(found[0]), text)
    if "\\" in text:
        text = _WINDOWS.sub(lambda found: found[0].replace("\\", "/"), text.replace("\\/", "//"))
    return text


def flattened(text: str) -> str:
    """Return a text as a quotation is compared: no escapes, quotes or line breaks, any case."""
    text = readable(text)
    if "\\" in text:
        text = text.replace('\\"', "").replace("\\'", "").replace("\\\\", "/")
        text = text.replace("\\n", " ").replace("\\r", " ").replace("\\t", " ").replace("\\", "/")
    for quote in "\"'`" if text.isascii() else _QUOTES:
        text = text.replace(quote, "")
    return " ".join(text.casefold().split())


def canonical(fact: Fact) -> str:
    """Return the one spelling of a fact that all its legal spellings share."""
    kind, name = fact
    if kind not in _VARYING:
        return _PERCENT.sub(_decoded, name) if "%" in name else name
    if kind is _NUMBER:
        return name if name.isdigit() else _canonical_number(name)
    if kind is _ADDRESS:
        return _canonical_ipv6(name) if name.count(":") > 1 else name
    if "%" in name:
        name = _PERCENT.sub(_decoded, name)
    if kind in _PATHS:
        return _canonical_path(name) or fact.text
    if kind is Kind.VERSION:
        return name.removeprefix("v").removeprefix("V")
    return name.lower()


def _whole(number: str) -> str:
    """Return a number without a fraction that is naught: `12.0` is 12."""
    return _NAUGHT.sub(r"\1", number) if ".0" in number else number


_NAUGHT: Final = re.compile(r"\A(\d+)\.0{1,9}(?![\d.])")

# A member of an enumeration is looked up slowly.
_NUMBER: Final = Kind.NUMBER
_PATHS: Final = frozenset((Kind.PATH, Kind.URL))
_ADDRESS: Final = Kind.ADDRESS
_VARYING: Final = _PATHS | {Kind.NUMBER, Kind.HASH, Kind.UUID, Kind.VERSION, Kind.ADDRESS}


def _canonical_number(name: str) -> str:
    """Return a number without the marks of its groups, a point before its fraction.

    A comma stands before a fraction where no group of three follows, or a point comes first.
    """
    if "," in name and (decimal := _DECIMAL_COMMA.search(name)):
        whole = decimal[1].translate(_GROUP_MARKS)
        name = f"{name[: decimal.start()]}{whole}.{decimal[2]}{name[decimal.end() :]}"
    name = _whole(name.translate(_SEPARATORS).removeprefix("+"))
    if name[-1].isdigit() and name[0].isdigit():
        return name
    figures = name.rstrip(_LETTERS)
    return figures + _UNITS[unit] if (unit := name[len(figures) :]) in _UNITS else _of_money(name)


def _of_money(name: str) -> str:
    """Return an amount with its sign at its end, in one spelling; other quantities as they are."""
    if name[-1] == _WIDE_PERCENT or name.endswith("percent"):
        return f"{name.removesuffix('percent').removesuffix(_WIDE_PERCENT)}%"
    found = _MONEY.fullmatch(name)
    if found is None or not (sign := found[1] or found[4]):
        return name
    figures = found[2].removesuffix(".00")
    return f"{figures}{_MANY.get(found[3], found[3] or '')}{_SIGNS.get(sign, sign)}"


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_UNITS: Final = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours"), "h"),
    "byte": "bytes",
    "day": "days",
    "line": "lines",
    "token": "tokens",
}
"""Units by their other spellings."""

_DECIMAL_COMMA: Final = re.compile(
    r"(?<![\d.,])(\d{1,3}(?:[. \u00a0\u202f]\d{3}){1,6}(?=,)|0(?=,)"
    r"|\d{1,18}(?=,(?:\d\d?|\d{4,18})(?!\d))),(\d{1,18})(?![\d,]|\.\d)"
)
_MONEY: Final = re.compile(
    r"([$\u20ac\u00a3\u00a5\uffe5\u20b9]?)(\d[\d.]*)(k|K|M|B|bn|million|billion|Mio\.?|Mrd\.?)?"
    r"([\u20ac\u00a3\u00a5\uffe5\u20b9\u5143]|USD|EUR|GBP|CHF|CNY|RMB)?"
)
_WIDE_PERCENT: Final = "\uff05"
_MANY: Final = {
    **dict.fromkeys(("million", "Mio", "Mio."), "M"),
    **dict.fromkeys(("billion", "bn", "Mrd", "Mrd."), "B"),
    "K": "k",
}
_SIGNS: Final = {
    **dict.fromkeys(("\uffe5", "\u5143", "CNY", "RMB"), "\u00a5"),
    "USD": "$",
    "EUR": "\u20ac",
    "GBP": "\u00a3",
}


def _canonical_ipv6(name: str) -> str:
    """Return an address of version 6 in lower case, with all its groups and no leading zeros."""
    found = _IPV6.fullmatch(name.lower())
    if found is None:
        return name
    head, gap, tail = found[1].partition("::")
    before, after = head.split(":") if head else [], tail.split(":") if tail else []
    missing = _GROUPS - len(before) - len(after) if gap else 0
    groups = [each.lstrip("0") or "0" for each in (*before, *["0"] * missing, *after)]
    return f"{':'.join(groups)}{found[2]}"


_GROUPS: Final = 8
_IPV6: Final = re.compile(r"\[?([0-9a-f:.]+)\]?((?:%[\w.-]+)?(?::\d+|/\d+)?)")


def _canonical_path(name: str) -> str:
    if "\\" in name:
        name = _ESCAPED_BLANK.sub(" ", name).replace("\\\\", "/").replace("\\", "/")
    name = name.removeprefix("./").rstrip("/")
    if "//" in name:
        name = _SLASHES.sub("/", name)
    return name.replace(":/", "://")


def _decoded(found: re.Match[str]) -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return found[0]


def ends_of(path: str) -> Iterator[str]:
    """Yield a path and its ends, down to the file's name."""
    yield path
    at = path.find("/")
    while at >= 0:
        yield path[at + 1 :]
        at = path.find("/", at + 1)
