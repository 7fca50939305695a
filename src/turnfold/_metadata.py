"""The read-only mapping of strings to strings that a turn carries (contracts T2, T6)."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    """An immutable, hashable mapping of strings to strings, kept as sorted pairs.

    Raises:
        InvalidTranscript: A key or a value is no string.
    """

    __slots__ = ("_pairs",)
    _pairs: tuple[tuple[str, str], ...]

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
        for name, value in self._pairs:
            if name == key:
                return value
        raise KeyError(key)

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ANN401  As `Mapping` has it.
        """Return the value of `key`, or the default."""
        for name, value in self._pairs:
            if name == key:
                return value
        return default

    def adding(self, pair: tuple[str, str]) -> "Metadata":
        """Return these values with one pair set."""
        pairs, name = self._pairs, pair[0]
        added = _new(Metadata)
        if not pairs or name < pairs[0][0]:
            _set_pairs(added, (pair, *pairs))
            return added
        place = bisect_left(pairs, pair[:1])
        after = place + (place < len(pairs) and pairs[place][0] == name)
        _set_pairs(added, (*pairs[:place], pair, *pairs[after:]))
        return added

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __hash__(self) -> int:
        return hash(self._pairs)

    def __repr__(self) -> str:
        return repr(dict(self._pairs))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self._pairs),)


_new = object.__new__
_set_pairs: Callable[[Metadata, tuple[tuple[str, str], ...]], None]
_set_pairs = Metadata.__dict__["_pairs"].__set__


def own(values: Mapping[str, str]) -> Metadata:
    """Return the values as immutable metadata; what already is, as it is."""
    return values if type(values) is Metadata else Metadata(values)


EMPTY: Final = Metadata()
