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
        return name if name.isdigit() else name.translate(_SEPARATORS).removeprefix("+")
    if "%" in name:
        name = _PERCENT.sub(_decoded, name)
    if kind in _PATHS:
        return _canonical_path(name) or fact.text
    if kind is Kind.VERSION:
        return name.removeprefix("v").removeprefix("V")
    return name.lower()


# A member of an enumeration is looked up slowly.
_NUMBER: Final = Kind.NUMBER
_PATHS: Final = frozenset((Kind.PATH, Kind.URL))
_VARYING: Final = _PATHS | {Kind.NUMBER, Kind.HASH, Kind.UUID, Kind.VERSION}


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
