"""Finding the names of a text, token first."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from turnfold.facts._atoms import LONGEST_ATOM, Fact, Kind, facts_of_atom

__all__ = ["LONGEST_ATOM", "Fact", "Facts", "Kind", "NameReader", "find", "names"]

# Scripts that are written without spaces, and punctuation, arrows and boxes beyond ASCII: where
# they meet other text, a name ends.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uffef\U00020000-\U0003ffff"
)
_ATOM: Final = re.compile(rf"[^\s\"'`<>()\[\]{{}},;|=!*^&?$\\\u00ab\u00bb\u2000-\u2bff{UNSPACED}]+")
_ESCAPED: Final = re.compile(r"\\[nrt\"'\\]")
_URL: Final = re.compile(
    rf"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{{1,14}}://[^\s\"'`<>\[\]{{}}|\\^{UNSPACED}]{{2,1000}}"
)
_WINDOWS: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[\w.-][^\s\"'<>|*?]{0,250}")
_GROUPED: Final = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3}){1,6}(?:\.\d+)?(?!\d)")
_VARIABLE: Final = re.compile(r"\$\{?([A-Z_][A-Z0-9_]{1,60})")
_QUOTED: Final = re.compile(r"\"([^\"\s][^\"\n]{2,78})\"|`([^`\s][^`\n]{2,78})`")
_UNITS: Final = (
    "%|ns|us|\u00b5s|ms|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?|"
    "[kKMGT]i?[bB]|bytes?|chars?|tokens?|lines?|px|Hz|[kMG]Hz|\u20ac|USD|EUR"
)
_MEASURED: Final = re.compile(rf"(?<![\w.])\d[\d,.]{{0,20}} (?:{_UNITS})(?!\w)")


class Facts(NamedTuple):
    """The facts of a text by first occurrence, and how many atoms were too long to examine."""

    facts: tuple[Fact, ...]
    not_examined: int


class NameReader:
    """Reads the names of many texts; each distinct token is examined once.

    Its memory grows with the distinct tokens, so one reader serves one job.
    """

    __slots__ = ("_known", "not_examined")

    def __init__(self) -> None:
        self._known: dict[str, tuple[Fact, ...]] = {}
        self.not_examined = 0

    def facts(self, text: str) -> dict[str, Kind]:
        """Return the kinds of the distinct names of a text, by name, by first occurrence."""
        found: dict[str, Kind] = {}
        known = self._known
        for token in text.split():
            facts = known.get(token)
            if facts is None:
                facts = known[token] = self._examine(token)
            for kind, name in facts:
                found.setdefault(name, kind)
        for kind, name in _facts_with_spaces(text):
            found.setdefault(name, kind)
        return found

    def _examine(self, token: str) -> tuple[Fact, ...]:
        found: list[Fact] = []
        rest = token
        for kind, pattern in ((Kind.URL, _URL), (Kind.PATH, _WINDOWS)):
            if "://" in rest or ":\\" in rest:
                found.extend(Fact(kind, _trimmed(each[0])) for each in pattern.finditer(rest))
                rest = pattern.sub(" ", rest)
        if "$" in rest:
            found.extend(Fact(Kind.ENVIRONMENT, each[1]) for each in _VARIABLE.finditer(rest))
        if "," in rest:
            found.extend(Fact(Kind.NUMBER, each[0]) for each in _GROUPED.finditer(rest))
            rest = _GROUPED.sub(" ", rest)
        if "\\" in rest:
            rest = _ESCAPED.sub(" ", rest)
        for atom in _ATOM.findall(rest):
            self.not_examined += len(atom) > LONGEST_ATOM
            found.extend(facts_of_atom(atom))
        return tuple(dict.fromkeys(found))


def _trimmed(url: str) -> str:
    url = url.rstrip(".,;:!?*")
    return url if "(" in url else url.rstrip(")")


def _facts_with_spaces(text: str) -> Iterator[Fact]:
    """Yield what no token holds whole: quoted phrases, and numbers apart from their unit."""
    if '"' in text or "`" in text:
        for found in _QUOTED.finditer(text):
            phrase = found[1] or found[2]
            if any(map(str.isspace, phrase)):
                yield Fact(Kind.QUOTED, phrase)
    for found in _MEASURED.finditer(text):
        yield Fact(Kind.NUMBER, found[0])


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
