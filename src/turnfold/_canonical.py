"""The only spelling of bytes: canonical JSON and SHA-256 (contract P7)."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

_SLICE: Final = 4_096

_dumps = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
).encode


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys, no insignificant space and ASCII escapes.

    Any string has bytes this way, lone surrogates included. JSON cannot tell two halves of a
    surrogate pair that stand side by side from the character that they spell.
    """
    return _dumps(value)


def canonical_pieces(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield `canonical_json(record)` in pieces: a key at a time, and columns in slices."""
    opening = "{"
    for key in sorted(record):
        yield f"{opening}{_dumps(key)}:"
        yield from _value_pieces(record[key])
        opening = ","
    yield "{}" if opening == "{" else "}"


def _value_pieces(value: object) -> Iterator[str]:
    if not isinstance(value, list | tuple) or len(value) <= _SLICE:
        yield _dumps(value)
        return
    opening = "["
    for start in range(0, len(value), _SLICE):
        yield f"{opening}{_dumps(value[start : start + _SLICE])[1:-1]}"
        opening = ","
    yield "]"


def sha256_of_record(record: Mapping[str, Any]) -> str:
    """Return the hex SHA-256 of the canonical JSON of `record`."""
    digest = sha256()
    for piece in canonical_pieces(record):
        digest.update(piece.encode("ascii"))
    return digest.hexdigest()


def utf8(text: str) -> bytes:
    """Encode any string, lone surrogates included."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def sha256_of_text(text: str) -> str:
    """Return the hex SHA-256 of `text` in UTF-8."""
    return sha256(utf8(text)).hexdigest()
