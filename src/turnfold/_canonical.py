"""The only spelling of bytes: canonical JSON and SHA-256 (contract P7)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

_SLICE: Final = 1_024
_ESCAPED: Final = bytes((*range(0x20), ord('"'), ord("\\"), 0x7F))

_quoted = json.encoder.encode_basestring_ascii

_dumps = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
).encode


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys, no insignificant space and ASCII escapes.

    Any string has bytes this way, lone surrogates included. JSON cannot tell two halves of a
    surrogate pair that stand side by side from the character that they spell.
    """
    return _dumps(value)


def canonical_strings(strings: Iterable[str]) -> str:
    """Return `canonical_json` of a list of strings, at a tenth of the cost of a short one."""
    return f"[{','.join(map(_quoted, strings))}]"


def canonical_pieces(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield `canonical_json(record)` in pieces: a key at a time, and columns in slices.

    Bytes are spelled in hex.
    """
    opening = "{"
    for key in sorted(record):
        yield f"{opening}{_dumps(key)}:"
        yield from _value_pieces(record[key])
        opening = ","
    yield "{}" if opening == "{" else "}"


def _value_pieces(value: object) -> Iterator[str]:
    if isinstance(value, list | tuple) and value:
        yield from _column_pieces(value)
    elif isinstance(value, bytes):
        yield '"'
        for start in range(0, len(value), _SLICE):
            yield value[start : start + _SLICE].hex()
        yield '"'
    else:
        yield _dumps(value)


def _column_pieces(column: Sequence[Any]) -> Iterator[str]:
    opening = "["
    if isinstance(column[0], dict):
        for record in column:
            yield opening
            yield from canonical_pieces(record)
            opening = ","
    else:
        for start in range(0, len(column), _SLICE):
            part = column[start : start + _SLICE]
            yield f"{opening}{_plain_strings(part) or _dumps(part)[1:-1]}"
            opening = ","
    yield "]"


def _plain_strings(column: Sequence[Any]) -> str | None:
    """Spell strings that need no escape, which is most of a plan; None where that is not so."""
    if type(column[0]) is not str:
        return None
    try:
        joined = "".join(column).encode("ascii")
    except (TypeError, UnicodeEncodeError):
        return None
    is_plain = len(joined.translate(None, _ESCAPED)) == len(joined)
    return '"' + '","'.join(column) + '"' if is_plain else None


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
