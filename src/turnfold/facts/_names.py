"""Finding the names of a text, token first."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from turnfold.facts._atoms import LONGEST_ATOM, Fact, Kind, fact_of, facts_of_atom

__all__ = [
    "LONGEST_ATOM",
    "Fact",
    "Facts",
    "Kind",
    "NameReader",
    "find",
    "names",
    "outermost",
    "spaced_facts",
]

# Scripts that are written without spaces, and punctuation, arrows and boxes beyond ASCII: where
# they meet other text, a name ends.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uffef\U00020000-\U0003ffff"
)
_TOKEN: Final = re.compile(r"\S+")
_SPACE: Final = re.compile(r"\s")
_BEFORE: Final = "\"'`<>()[]{},;|=!*^&?\u00ab\u00bb"
"""What may stand around an atom, and behind it the marks that end a sentence."""
_BEHIND: Final = f"{_BEFORE}.:-+~"
_ATOM: Final = re.compile(rf"[^\s$\\{re.escape(_BEFORE)}\u2000-\u2bff{UNSPACED}]+")
_ESCAPED: Final = re.compile(r"(?:\\[nrt\"'\\])++")
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
# What stands before is looked at last, so that a search goes from digit to digit.
_MEASURED: Final = re.compile(rf"\d(?<![\w.]\d)[\d,.]{{0,20}} (?:{_UNITS})(?!\w)")
# The same for ASCII alone, where a set of digits is found faster than a category.
_MEASURED_ASCII: Final = re.compile(
    rf"[0-9](?<![\w.].)[0-9,.]{{0,20}} (?:{_UNITS})(?!\w)", re.ASCII
)
_NUMBER_KIND: Final = Kind.NUMBER
_QUOTED_KIND: Final = Kind.QUOTED
_BATCH: Final = 1 << 18
_MOST_REMEMBERED: Final = 1 << 16


class Facts(NamedTuple):
    """The facts of a text by first occurrence, and how many atoms were too long to examine."""

    facts: tuple[Fact, ...]
    not_examined: int


class _Tokens(dict[str, tuple[Fact, ...]]):
    """The facts of tokens; looking up a token that is not there examines it.

    Whatever has a fact stays. What has none is forgotten now and then, and at once if it is long.
    """

    __slots__ = ("_atoms", "_pieces", "_plain", "_too_long", "not_examined")

    def __init__(self) -> None:
        self._atoms: dict[str, tuple[Fact, ...]] = {}
        self._pieces: dict[str, tuple[Fact, ...]] = {}
        self._plain = 0
        self._too_long: set[int] = set()
        self.not_examined = 0

    def __missing__(self, token: str) -> tuple[Fact, ...]:
        core = token.lstrip(_BEFORE).rstrip(_BEHIND)
        facts: tuple[Fact, ...] | None
        if core.isalpha() and core[1:].islower() and len(core) <= LONGEST_ATOM:
            facts = ()
        else:
            facts = None if "://" in core else self._atoms.get(core)
            if facts is None:
                facts = self._examined(token, core)
        if facts:
            self[token] = facts
        elif len(token) <= LONGEST_ATOM:
            self[token] = facts
            self._plain += 1
        return facts

    def _examined(self, token: str, core: str) -> tuple[Fact, ...]:
        if len(token) > LONGEST_ATOM:
            return self._of_long(token)
        if "://" not in core and _ATOM.fullmatch(core):
            return self._of_atom(core)
        found, rest = _facts_across(token)
        for atom in _ATOM.findall(rest):
            found += self._of_atom(atom)
        return tuple(dict.fromkeys(found)) if found else ()

    def _of_long(self, token: str) -> tuple[Fact, ...]:
        """Return the facts of a long token; atoms that are too long are counted once for each."""
        across, rest = _facts_across(token)
        found = dict.fromkeys(across)
        too_long = 0
        for atom in _ATOM.finditer(rest):
            if atom.end() - atom.start() > LONGEST_ATOM:
                too_long += 1
            else:
                found.update(dict.fromkeys(self._of_atom(atom[0])))
        if too_long and hash(token) not in self._too_long:
            self._too_long.add(hash(token))
            self.not_examined += too_long
        return tuple(found)

    def _of_atom(self, atom: str) -> tuple[Fact, ...]:
        facts = self._atoms.get(atom)
        if facts is None:
            if len(self._atoms) + len(self._pieces) > _MOST_REMEMBERED:
                self._atoms.clear()
                self._pieces.clear()
            facts = self._atoms[atom] = facts_of_atom(atom, self._pieces)
        return facts

    def forget(self) -> None:
        """Forget tokens without a fact, where there are many."""
        if self._plain > _MOST_REMEMBERED:
            for token in [token for token, facts in self.items() if not facts]:
                del self[token]
            self._plain = 0


class NameReader:
    """Reads the names of many texts; a token that it remembers is not examined again.

    It remembers every token that has a fact, so one reader serves one job; of the others it
    remembers some 60,000, and a text is read in pieces of 256,000 characters.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known = _Tokens()

    @property
    def not_examined(self) -> int:
        """How many atoms of distinct tokens were too long to examine."""
        return self._known.not_examined

    def facts(self, text: str) -> dict[str, Kind]:
        """Return the kinds of the distinct names of a text, by name, by first occurrence."""
        found: dict[str, Kind] = {}
        for piece in _pieces(text):
            for facts in filter(None, map(self._known.__getitem__, dict.fromkeys(piece.split()))):
                for kind, name in facts:
                    if name not in found:
                        found[name] = kind
            self._known.forget()
        for (kind, name), _ in spaced_facts(text):
            found.setdefault(name, kind)
        return found

    def counted(self, text: str) -> Iterator[tuple[tuple[Fact, ...], int]]:
        """Yield the facts of each distinct token that has some, and how often it stands there.

        By first occurrence; in a text over 256,000 characters a token can come again.
        """
        for piece in _pieces(text):
            counts = Counter(piece.split())
            facts = map(self._known.__getitem__, counts)
            yield from (each for each in zip(facts, counts.values(), strict=True) if each[0])
            self._known.forget()

    def of_token(self, token: str) -> tuple[Fact, ...]:
        """Return the facts of one token: a piece of a text without white space."""
        return self._known[token]

    def telling_tokens(self) -> Iterator[str]:
        """Yield the distinct tokens examined so far that have a fact."""
        return (token for token, facts in self._known.items() if facts)

    def located(self, text: str) -> Iterator[tuple[Fact, int]]:
        """Yield every fact of a text with the character that it starts at; repeats included."""
        for token in _TOKEN.finditer(text):
            start = token.start()
            for fact in self.of_token(token[0]):
                yield fact, start + max(0, token[0].find(fact.text))
        self._known.forget()
        yield from spaced_facts(text)


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces that end at white space, so that memory does not grow with it."""
    start = 0
    while len(text) - start > _BATCH:
        space = _SPACE.search(text, start + _BATCH)
        if space is None:
            break
        yield text[start : space.start()]
        start = space.end()
    yield text[start:]


def _facts_across(token: str) -> tuple[list[Fact], str]:
    """Return what may hold a separator of atoms, and the token without it."""
    found: list[Fact] = []
    if "://" in token:
        found += [Fact(Kind.URL, _trimmed(each[0])) for each in _URL.finditer(token)]
        token = _URL.sub(" ", token)
    if ":\\" in token:
        found += [Fact(Kind.PATH, _trimmed(each[0])) for each in _WINDOWS.finditer(token)]
        token = _WINDOWS.sub(" ", token)
    if "$" in token:
        found += [Fact(Kind.ENVIRONMENT, each[1]) for each in _VARIABLE.finditer(token)]
    if token.find(",", 1, -1) > 0:
        found += [Fact(Kind.NUMBER, each[0]) for each in _GROUPED.finditer(token)]
        token = _GROUPED.sub(" ", token)
    if "\\" in token:
        token = _ESCAPED.sub(" ", token)
    return found, token


def _trimmed(url: str) -> str:
    url = url.rstrip(".,;:!?*\u00bb\u203a\u2019\u201d")
    return url if "(" in url else url.rstrip(")")


def spaced_facts(text: str) -> Iterator[tuple[Fact, int]]:
    """Yield what no token holds whole, and where: quoted phrases, numbers apart from their unit."""
    if '"' in text or "`" in text:
        for found in _QUOTED.finditer(text):
            phrase = (found[1] or found[2]).rstrip("\\ ")
            if len(phrase.split(None, 1)) > 1 and not _MEASURED.fullmatch(phrase):
                yield fact_of((_QUOTED_KIND, phrase)), found.start() + 1
    measured = _MEASURED_ASCII if text.isascii() else _MEASURED
    for found in measured.finditer(text):
        yield fact_of((_NUMBER_KIND, found[0])), found.start()


def outermost(located: Iterable[tuple[Fact, int]]) -> Iterator[tuple[Fact, int, bool]]:
    """Yield facts and places with whether each is part of a larger fact.

    A file's name is part of its path, and a figure of the quantity that its unit makes.
    """
    found = list(located)
    measured = {start for (kind, name), start in found if kind is Kind.NUMBER and " " in name}
    covered = 0
    for fact, start in found:
        end = start + len(fact.text)
        is_part = " " not in fact.text and (end <= covered or start in measured)
        covered = max(covered, end)
        yield fact, start, is_part


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
