"""The only spelling of bytes: canonical JSON and SHA-256 (contract P7)."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

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
    """Yield `canonical_json(record)` in pieces, a key at a time, so that columns stream."""
    opening = "{"
    for key in sorted(record):
        yield f"{opening}{_dumps(key)}:{_dumps(record[key])}"
        opening = ","
    yield "{}" if opening == "{" else "}"


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
