"""Finding the original that a fact was most likely taken from, without comparing with them all.

A slip is a character more, less or other, two that changed places, digits in one place, or words
in another order. All of these keep one half of a name, its characters, or its words, and hardly
its length, so names are filed by half their length and looked up by what was kept.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from turnfold.audit._spelling import canonical
from turnfold.facts import Fact, Kind

_HUMP: Final = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")
_ZEROS: Final = str.maketrans("123456789", "000000000")
_SHORTEST: Final = 2
_CHARACTERS_A_SLIP: Final = 12
_CHARACTERS_A_DIGIT: Final = 4
_MOST_SLIPS: Final = 3
_CANDIDATES: Final = 64


class NearNames:
    """Names by half their length; what they share is indexed for a length when it is asked for."""

    def __init__(self, names: Iterable[tuple[str, Kind]]) -> None:
        self._by_half: dict[int, list[tuple[str, str]]] = {}
        self._indices: dict[int, Mapping[str, Sequence[str]]] = {}
        for name, kind in names:
            if kind is not Kind.QUOTED:
                spelled = canonical(Fact(kind, name)) if _is_respelled(kind, name) else name
                base = spelled.rpartition("/")[2] or spelled
                self._by_half.setdefault(len(base) // 2, []).append((base, name))

    def of(self, fact: Fact) -> dict[str, int]:
        """Return the names that are near a fact, with the number of slips between them."""
        name = fact.text if fact.kind is Kind.VERSION else canonical(fact)
        base = name.rpartition("/")[2] or name
        if fact.kind is Kind.QUOTED or len(base) < _SHORTEST:
            return {}
        found: dict[str, int] = {}
        for half in sorted({(len(base) + more) // 2 for more in (-1, 0, 1)}):
            index = self._index(half)
            for key in _keys(base, half):
                for other in index.get(key, ()):
                    if other in found:
                        continue
                    spelled = other
                    if _is_respelled(fact.kind, other):
                        spelled = canonical(Fact(fact.kind, other))
                    if slips := distance(name, spelled):
                        found[other] = slips
        return found

    def _index(self, half: int) -> Mapping[str, Sequence[str]]:
        if half not in self._indices:
            index: dict[str, list[str]] = {}
            for base, name in self._by_half.get(half, ()):
                for key in _keys(base, half):
                    bucket = index.setdefault(key, [])
                    if len(bucket) < _CANDIDATES:
                        bucket.append(name)
            self._indices[half] = index
        return self._indices[half]


def _is_respelled(kind: Kind, name: str) -> bool:
    """Whether a name is compared in its one spelling, which none of its spellings may look like."""
    if kind is Kind.ADDRESS:
        return "::" in name
    return kind is Kind.NUMBER or (kind is Kind.PATH and "\\" in name)


def _keys(name: str, half: int) -> Iterator[str]:
    yield "0" + name.translate(_ZEROS)
    yield "~" + "".join(sorted(name.lower()))
    yield "<" + name[:half]
    yield ">" + name[len(name) - half :]
    is_one_word = name.isalnum() and name == name.lower()
    if not is_one_word and len(parts := parts_of(name)) > 1:
        yield "=" + " ".join(parts)


def parts_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order, so that swapped words are the same."""
    return tuple(sorted(each.lower() for each in _HUMP.split(name) if each))


def distance(name: str, other: str) -> int | None:
    """Return how many slips tell two names apart; None where they are not near, or the same.

    A path is compared with as many last segments as it has.
    """
    segments = name.count("/")
    if segments < other.count("/"):
        other = "/".join(other.split("/")[-segments - 1 :])
    if name == other:
        return None
    parts = parts_of(name)
    if len(parts) > 1 and parts == parts_of(other):
        return 1
    longest = max(len(name), len(other))
    if name.translate(_ZEROS) == other.translate(_ZEROS):
        changed = sum(map(str.__ne__, name, other))
        return changed if changed <= max(1, longest // _CHARACTERS_A_DIGIT) else None
    return _slips(name, other, min(_MOST_SLIPS, 1 + longest // _CHARACTERS_A_SLIP))


def _slips(name: str, other: str, most: int) -> int | None:
    """Return the optimal string alignment distance, None where it is over `most`."""
    if abs(len(name) - len(other)) > most:
        return None
    before: list[int] = []
    row = list(range(len(other) + 1))
    for number, character in enumerate(name):
        after = [number + 1]
        for place, against in enumerate(other):
            best = min(row[place + 1], after[place]) + 1
            best = min(best, row[place] + (character != against))
            if number and place and name[number - 1 : number + 1] == against + other[place - 1]:
                best = min(best, before[place - 1] + 1)
            after.append(best)
        if min(after) > most:
            return None
        before, row = row, after
    return row[-1]
