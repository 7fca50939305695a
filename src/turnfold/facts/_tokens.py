"""What tokens are: cut into atoms, many at once, and remembered."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import filterfalse, repeat
from typing import Final, cast

from turnfold.facts._atoms import LONGEST_ATOM, Fact, Kind, distinct, facts_of_atom

# Scripts that are written without spaces, and punctuation, arrows and boxes beyond ASCII: where
# they meet other text, a name ends.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uffef\U00020000-\U0003ffff"
)
_FOREIGN: Final = f"\u00ab\u00bb\u2000-\u2bff{_UNSPACED}"
_AROUND: Final = "\"'`<>()[]{},;|=!*^&?$\\"
"""What stands between atoms, of ASCII."""
_BEHIND: Final = " .:-+~"
_ATOM: Final = re.compile(rf"[^\s{re.escape(_AROUND)}{_FOREIGN}]+")
_BEYOND_ASCII: Final = re.compile(f"[{_FOREIGN}]+")
_BLANKED: Final = bytes.maketrans(_AROUND.encode(), b" " * len(_AROUND))
_ESCAPED: Final = re.compile(r"(?:\\[nrt\"'\\])++")
_IN_URL: Final = rf"[^\s\"'`<>\[\]{{}}|\\^{_UNSPACED}]"
_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,14}://"
    rf"(?:(?:[\w.-]{{1,60}}@)?\[[0-9a-fA-F:.]{{2,45}}\]{_IN_URL}{{0,1000}}|{_IN_URL}{{2,1000}})"
)
_WINDOWS: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[\w.-][^\s\"'<>|*?]{0,250}")
_GROUPED: Final = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3}){1,6}(?:\.\d+)?(?!\d)")
_DECIMAL_COMMA: Final = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?:\.\d{3}){1,3}|\d{1,9}),\d{1,2}"
    r"(?:%|[num]?s|min|h|[kKMGT]i?[bB]|px|[kMG]?Hz)(?![\w/])"
)
_VARIABLE: Final = re.compile(r"\$\{?([A-Z_][A-Z0-9_]{1,60})")
_DIGIT_GROUPS: Final = re.compile(r",(?<=\d,)\d")
_ACROSS: Final = re.compile(r"://|:\\|\$|,(?<=\d,)\d")
_MOST_REMEMBERED: Final = 1 << 16


class Tokens(dict[str, tuple[Fact, ...]]):
    """The facts of tokens that were examined.

    Whatever has a fact stays. What has none is forgotten now and then, and at once if it is long.
    """

    __slots__ = ("_atoms", "_pieces", "_plain", "_too_long", "not_examined")

    def __init__(self) -> None:
        self._atoms: dict[str, tuple[Fact, ...]] = {}
        self._pieces: dict[str, tuple[Fact, ...]] = {}
        self._plain = 0
        self._too_long: set[int] = set()
        self.not_examined = 0

    def facts_of(self, tokens: Mapping[str, object]) -> list[tuple[Fact, ...]]:
        """Return the facts of distinct tokens, in order; what is new is examined all at once."""
        found = list(map(self.get, tokens))
        if None not in found:
            return cast("list[tuple[Fact, ...]]", found)
        new = [token for token, facts in zip(tokens, found, strict=True) if facts is None]
        learned = iter(self._learned(new))
        return [next(learned) if facts is None else facts for facts in found]

    def forget(self) -> None:
        """Forget tokens without a fact, where there are many."""
        if self._plain > _MOST_REMEMBERED:
            for token in [token for token, facts in self.items() if not facts]:
                del self[token]
            self._plain = 0

    def _learned(self, new: Sequence[str]) -> Collection[tuple[Fact, ...]]:
        """Examine tokens and remember them, in their order; return their facts."""
        if len(self._atoms) + len(self._pieces) > _MOST_REMEMBERED:
            self._atoms.clear()
            self._pieces.clear()
        unusual = _unusual(new)
        if not unusual:
            facts = self._of_ordinary(new)
            self.update(zip(new, facts, strict=True))
            self._plain += facts.count(())
            return facts
        # In their order, whatever they turn out to be.
        self.update(dict.fromkeys(new, ()))
        ordinary = list(filterfalse(unusual.__contains__, new))
        facts = self._of_ordinary(ordinary)
        self.update(zip(ordinary, facts, strict=True))
        self._plain += facts.count(())
        of_unusual = {token: self._of_unusual(token) for token in new if token in unusual}
        self.update(of_unusual)
        found = list(map(self.__getitem__, new))
        for token, facts_of_token in of_unusual.items():
            if not facts_of_token:
                if len(token) > LONGEST_ATOM:
                    del self[token]
                else:
                    self._plain += 1
        return found

    def _of_ordinary(self, tokens: Sequence[str]) -> list[tuple[Fact, ...]]:
        known = self._atoms
        cores = _cores(tokens)
        for core in cores:
            if core in known or (core.isalpha() and (core.islower() or core.istitle())):
                continue
            if " " in core:
                known[core] = self._of_atoms(core.split())
            else:
                known[core] = facts_of_atom(core, self._pieces)
        return list(map(known.get, cores, repeat(())))

    def _of_atoms(self, atoms: Iterable[str]) -> tuple[Fact, ...]:
        found: tuple[Fact, ...] = ()
        for atom in atoms:
            if atom.isalpha() and atom.islower():
                continue
            facts = self._atoms.get(atom)
            if facts is None:
                facts = self._atoms[atom] = facts_of_atom(atom, self._pieces)
            found += facts
        return distinct(found)

    def _of_unusual(self, token: str) -> tuple[Fact, ...]:
        """Return the facts of any token; atoms that are too long are counted once for each."""
        across, rest = _facts_across(token)
        found = dict.fromkeys(across)
        too_long = 0
        for atom in _ATOM.finditer(rest):
            if atom.end() - atom.start() > LONGEST_ATOM:
                too_long += 1
            else:
                found.update(dict.fromkeys(self._of_atoms((atom[0],))))
        if too_long and hash(token) not in self._too_long:
            self._too_long.add(hash(token))
            self.not_examined += too_long
        return tuple(found)


def _unusual(tokens: Sequence[str]) -> frozenset[str]:
    """Return the tokens that are too long for an atom, or hold what no atom does."""
    found = {token for token in tokens if len(token) > LONGEST_ATOM}
    joined = "\n".join([token for token in tokens if token not in found] if found else tokens)
    if "://" in joined or ":\\" in joined or "$" in joined or _DIGIT_GROUPS.search(joined):
        found.update(filter(_ACROSS.search, tokens))
    return frozenset(found)


def _cores(tokens: Sequence[str]) -> list[str]:
    """Return the atoms of each token, a space between them; of the last one without its marks."""
    joined = "\n".join(tokens)
    if "\\" in joined:
        joined = _ESCAPED.sub(" ", joined)
    if not joined.isascii():
        joined = _BEYOND_ASCII.sub(" ", joined)
    blanked = joined.encode("utf-8", "surrogatepass").translate(_BLANKED)
    lines = blanked.decode("utf-8", "surrogatepass").split("\n") if tokens else []
    return list(map(str.lstrip, map(str.rstrip, lines, repeat(_BEHIND))))


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
        for pattern in (_DECIMAL_COMMA, _GROUPED):
            found += [Fact(Kind.NUMBER, each[0]) for each in pattern.finditer(token)]
            token = pattern.sub(" ", token)
    if "\\" in token:
        token = _ESCAPED.sub(" ", token)
    return found, token


def _trimmed(url: str) -> str:
    url = url.rstrip(".,;:!?*\u00bb\u203a\u2019\u201d")
    return url if "(" in url else url.rstrip(")")
