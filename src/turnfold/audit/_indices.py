"""The names of the original turns by their other spellings."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from turnfold.audit._near import NearNames
from turnfold.audit._seen import SPOKEN, Seen
from turnfold.audit._spelling import canonical
from turnfold.facts import SIGNS_BEFORE, Fact, Kind

MEASURED: Final = re.compile(r"([+-]?[\d.]+)([^\d.].{0,20})")
"""A number with its unit, in the one spelling that all of its spellings share."""

_BRACKETED: Final = re.compile(r"(?:\w+://)?\[([0-9a-fA-F:.]+)\](?::(\d{2,5})(?!\d))?")
_ADDRESS: Final = re.compile(r"(?:\w+://)?([\w.-]+)(?::(\d{2,5})(?!\d))?")
_MENTIONED: Final = re.compile(r"@[\w./-]{1,250}\.\w{1,8}\Z")
"""A file as people hand it to an agent; a package of a scope has no suffix."""


class Indices:
    """Finds names without a scan of them; each index is made when it is first asked for.

    Args:
        names: All names, and where they stand.
    """

    def __init__(self, names: Mapping[str, Seen]) -> None:
        self._names = names

    @cached_property
    def by_canonical(self) -> Mapping[str, str]:
        """Names by the spelling that all their spellings share, and by what may stand for them."""
        index: dict[str, str] = {}
        for name, seen in self._names.items():
            spelled = canonical(Fact(seen.kind, name))
            if spelled != name:
                index.setdefault(spelled, name)
            for part in _parts(seen.kind, name):
                index.setdefault(part, name)
        return index

    @cached_property
    def by_lower(self) -> Mapping[str, str]:
        """Names by what they are in lower case."""
        return {name.lower(): name for name in self._names}

    @cached_property
    def with_units(self) -> frozenset[str]:
        """The numbers that have a unit somewhere, without it."""
        numbers = (
            MEASURED.fullmatch(canonical(Fact(seen.kind, name)))
            for name, seen in self._names.items()
            if seen.kind is Kind.NUMBER
        )
        return frozenset(found[1] for found in numbers if found)

    @cached_property
    def near(self) -> NearNames:
        """All names, the said ones first: of very many that are alike the last are left out."""
        names = sorted(self._names.items(), key=lambda each: not each[1].voice & SPOKEN)
        return NearNames((name, seen.kind) for name, seen in names)

    def hash_beginning(self, prefix: str) -> str | None:
        """Return a hash or an id, in lower case, that begins so."""
        return _beginning(self._hashes, prefix)

    def path_ending(self, tail: str) -> str | None:
        """Return a path or a URL, in its one spelling, whose last segments are these."""
        found = _beginning(self._reversed_paths, f"{tail[::-1]}/")
        return found[::-1] if found else None

    @cached_property
    def _hashes(self) -> Sequence[str]:
        kinds = (Kind.HASH, Kind.UUID)
        return sorted(name.lower() for name, seen in self._names.items() if seen.kind in kinds)

    @cached_property
    def _reversed_paths(self) -> Sequence[str]:
        kinds = (Kind.PATH, Kind.URL)
        return sorted(
            canonical(Fact(seen.kind, name))[::-1]
            for name, seen in self._names.items()
            if seen.kind in kinds and "/" in name
        )


def _parts(kind: Kind, name: str) -> tuple[str, ...]:
    """Return what may stand for a name alone.

    The host and the port of an address, the figures of an amount, a file that is mentioned.
    """
    if kind is Kind.PATH:
        return (name[1:],) if _MENTIONED.match(name) else ()
    if kind in (Kind.ADDRESS, Kind.URL):
        found = _BRACKETED.match(name) or _ADDRESS.match(name)
        return tuple(part for part in found.groups() if part) if found else ()
    if kind is Kind.NUMBER and (name[0] in SIGNS_BEFORE or name[-1] in SIGNS_BEFORE):
        return (canonical(Fact(kind, name)).rstrip(SIGNS_BEFORE),)
    return ()


def _beginning(ordered: Sequence[str], prefix: str) -> str | None:
    at = bisect_left(ordered, prefix)
    return ordered[at] if at < len(ordered) and ordered[at].startswith(prefix) else None
