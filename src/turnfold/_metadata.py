"""The read-only mapping of strings to strings that a turn carries (contracts T2, T6)."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from turnfold.errors import InvalidTranscript

KIND: Final = "turnfold.kind"
TOOL_NAME: Final = "turnfold.tool_name"
CALL_IDS: Final = "turnfold.call_ids"
STATUS: Final = "turnfold.status"
DAMAGE: Final = "turnfold.damage"
ORIGIN: Final = "turnfold.origin"

KIND_SUMMARY: Final = "summary"
KIND_MASKED: Final = "masked"
KIND_INJECTED: Final = "injected"
STATUS_ERROR: Final = "error"
STATUS_PENDING: Final = "pending"
STATUS_DEAD: Final = "dead"


class Metadata(Mapping[str, str]):
    """An immutable, hashable mapping of strings to strings, kept as `pairs`, sorted by key.

    Raises:
        InvalidTranscript: A key or a value is no string.
    """

    __slots__ = ("pairs",)
    pairs: tuple[tuple[str, str], ...]

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        given: Iterable[tuple[object, object]] = (values or {}).items()
        for key, value in given:
            if not (isinstance(key, str) and isinstance(value, str)):
                msg = f"metadata maps strings to strings; {key!r} maps to a {type(value).__name__}"
                raise InvalidTranscript(msg, {"key": repr(key), "type": type(value).__name__})
        _set_pairs(self, tuple(sorted((values or {}).items())))

    def __setattr__(self, name: str, _value: object) -> None:
        msg = f"metadata is read-only; {name!r} cannot be set"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"metadata is read-only; {name!r} cannot be deleted"
        raise AttributeError(msg)

    def __getitem__(self, key: str) -> str:
        for name, value in self.pairs:
            if name == key:
                return value
        raise KeyError(key)

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401  As `Mapping` has it.
        """Return the value of `key`, or the default."""
        for name, value in self.pairs:
            if name == key:
                return value
        return default

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __hash__(self) -> int:
        return hash(self.pairs)

    def __repr__(self) -> str:
        return repr(dict(self.pairs))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self.pairs),)


_new = object.__new__
_set_pairs: Callable[[Metadata, tuple[tuple[str, str], ...]], None]
_set_pairs = Metadata.__dict__["pairs"].__set__


def of_sorted(pairs: Iterable[tuple[str, str]]) -> Metadata:
    """Return pairs of strings, in the order of their keys, as metadata; nothing is checked."""
    made = _new(Metadata)
    _set_pairs(made, tuple(pairs))
    return made


@lru_cache(maxsize=512)
def as_masked(pairs: tuple[tuple[str, str], ...]) -> Metadata:
    """Return the metadata of a masked turn, given the pairs of the turn that it was."""
    masked = _new(Metadata)
    others = [pair for pair in pairs if pair[0] != KIND]
    _set_pairs(masked, tuple(sorted([*others, (KIND, KIND_MASKED)])))
    return masked


def own(values: Mapping[str, str]) -> Metadata:
    """Return the values as immutable metadata; what already is, as it is."""
    return values if type(values) is Metadata else Metadata(values)


def call_ids_of(values: Mapping[str, str]) -> list[object]:
    """Return the per-call ids of a turn; none where what stands for them is no list of JSON."""
    try:
        listed = json.loads(values.get(CALL_IDS) or "[]")
    except (ValueError, RecursionError):
        return []
    return listed if isinstance(listed, list) else []


EMPTY: Final = Metadata()
