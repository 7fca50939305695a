"""Reading JSON Lines as they are found on disk: split at LF only, damage reported, all else kept.

A line ends at LF and nowhere else: U+2028, U+0085 and vertical tabs are text, a carriage
return before the line end is white space. There is no cap on a line's length, and no more than
one line is held here. What a crashed or a doubled write leaves behind (runs of NUL bytes, two
objects on one line, a line that ends in the middle) costs only itself.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, NoReturn

from turnfold.formats._session import Damage

NUL_BYTES: Final = "nul_bytes"
INVALID_UTF8: Final = "invalid_utf8"
GLUED_RECORDS: Final = "glued_records"
UNREADABLE_RECORD: Final = "unreadable_record"
NO_OBJECT: Final = "no_object"

_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"
_GAP: Final = " \t\r\n\0"


class Record(NamedTuple):
    """One line: its number, its exact bytes, the objects on it, and what was wrong with it.

    Args:
        number: The line, counted from 1.
        raw: The bytes of the line with its end; joined in order they are the source.
        values: The JSON objects on the line: usually one, none for a blank or a broken line.
        damage: What was wrong; what is readable stands in `values` all the same.
    """

    number: int
    raw: bytes
    values: tuple[dict[str, Any], ...]
    damage: tuple[Damage, ...] = ()


def read_records(source: bytes | Iterable[bytes]) -> Iterator[Record]:
    """Yield every line of `source`, in order, with the objects that can be read on it.

    Args:
        source: The whole source, or its lines or chunks (cut anywhere), in order.
    """
    for number, raw in enumerate(_lines(source), start=1):
        record = _plain(number, raw)
        yield _careful(number, raw) if record is None else record


def parse_line(number: int, raw: bytes) -> tuple[dict[str, Any], ...]:
    """Return the objects on a line as `read_records` did."""
    return (_plain(number, raw) or _careful(number, raw)).values


def _lines(source: bytes | Iterable[bytes]) -> Iterator[bytes]:
    chunks = (bytes(source),) if isinstance(source, bytes | bytearray | memoryview) else source
    held: list[bytes] = []
    for chunk in chunks:
        start = 0
        while end := chunk.find(b"\n", start) + 1:
            line = chunk[start:end]
            yield b"".join((*held, line)) if held else line
            held.clear()
            start = end
        if start < len(chunk):
            held.append(chunk[start:])
    if held:
        yield b"".join(held)


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is no JSON"
    raise ValueError(msg)


# Control characters inside a string are read: only the writer was careless.
_scan = json.JSONDecoder(strict=False, parse_constant=_refuse_constant).raw_decode


def _plain(number: int, raw: bytes) -> Record | None:
    """Read the line that nothing is wrong with, or return None."""
    if b"\0" in raw:
        return None
    stripped = raw.strip(_BLANK)
    if not stripped:
        return Record(number, raw, ())
    try:
        text = stripped.decode("utf-8")
        value, end = _scan(text)
    except (ValueError, RecursionError):
        return None
    if end != len(text) or type(value) is not dict:
        return None
    return Record(number, raw, (value,))


def _careful(number: int, raw: bytes) -> Record:
    """Read what can be read on a line, and say what was wrong with it."""
    place = f"line {number}"
    damage: list[Damage] = []
    if nuls := raw.count(b"\0"):
        message = f"{nuls:,} NUL bytes, as a crashed write leaves them"
        damage.append(Damage(place, NUL_BYTES, message))
    stripped = raw.strip(_BLANK + b"\0")
    if number == 1:
        stripped = stripped.removeprefix(_BOM).strip(_BLANK + b"\0")
    text = _decoded(place, stripped, damage)
    values = tuple(_values(place, text, damage))
    return Record(number, raw, values, tuple(damage))


def _decoded(place: str, stripped: bytes, damage: list[Damage]) -> str:
    try:
        return stripped.decode("utf-8")
    except UnicodeDecodeError as fault:
        message = f"byte {fault.start:,} of the record is no UTF-8; such bytes are read as U+FFFD"
        damage.append(Damage(place, INVALID_UTF8, message))
        return stripped.decode("utf-8", "replace")


def _values(place: str, text: str, damage: list[Damage]) -> Iterator[dict[str, Any]]:
    position = 0
    found = 0
    while position < len(text):
        try:
            value, position = _scan(text, position)
        except (ValueError, RecursionError) as fault:
            damage.append(Damage(place, UNREADABLE_RECORD, _why(fault, found, len(text))))
            break
        found += 1
        if type(value) is dict:
            yield value
        else:
            message = f"a JSON {type(value).__name__} where an object is expected"
            damage.append(Damage(place, NO_OBJECT, message))
        while position < len(text) and text[position] in _GAP:
            position += 1
    if found > 1:
        message = f"{found} JSON values on one line; each is read"
        damage.append(Damage(place, GLUED_RECORDS, message))


def _why(fault: Exception, found: int, length: int) -> str:
    if isinstance(fault, RecursionError):
        reason = "it nests too deeply"
    elif isinstance(fault, json.JSONDecodeError):
        reason = f"{fault.msg} at character {fault.pos:,} of {length:,}"
    else:
        reason = "it holds a number that is no JSON, or one that is too long"
    rest = "the rest of the line" if found else "the record"
    return f"{rest} cannot be read: {reason}"
