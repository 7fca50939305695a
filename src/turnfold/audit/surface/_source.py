"""Reading the lines that a surface audit examines."""

import json
import re
from dataclasses import dataclass
from typing import Final

from turnfold._record import sealed

_BREAK: Final = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e]")
_NO_BREAKS: Final = ("\x85", "\u2028", "\u2029")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BOM: Final = "\ufeff"


@sealed
@dataclass(frozen=True, slots=True)
class SurfaceParseError:
    """A line that could not be read.

    Args:
        line: Its number, from 1.
        reason: Why, in a few words, without its content.
    """

    line: int
    reason: str


@sealed
@dataclass(frozen=True, slots=True)
class SurfaceSource:
    """The lines of a transcript, none of them blank, and those that could not be read."""

    lines: tuple[str, ...]
    parse_errors: tuple[SurfaceParseError, ...] = ()


def read_source(data: bytes | str, *, jsonl: bool) -> SurfaceSource:
    """Read the lines of a transcript; what cannot be read is named, never raised.

    Lines end where Python ends them, but U+0085, U+2028 and U+2029 are text, as JSON has them.
    Bytes that are no UTF-8, lone surrogates and JSON that is nested too deeply are parse errors.

    Args:
        data: The whole file; bytes are UTF-8, with or without a byte order mark.
        jsonl: Whether each line is an object, with its text in `content`, else `text`, else
            `message`; otherwise the lines are the text.
    """
    text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
    lines: list[str] = []
    errors = []
    for number, raw in enumerate(_split(text), 1):
        line = raw.removeprefix(_BOM) if jsonl else raw
        if line.strip():
            try:
                _require_unicode(line)
                found = _split(_text_of(line)) if jsonl else [line]
            except (ValueError, RecursionError) as fault:
                errors.append(SurfaceParseError(number, _reason(fault)))
            else:
                lines.extend(each for each in found if each.strip())
    return SurfaceSource(tuple(lines), tuple(errors))


def _split(text: str) -> list[str]:
    if any(each in text for each in _NO_BREAKS):
        return _BREAK.split(text)
    return text.splitlines()


class _Unreadable(ValueError):  # noqa: N818  Named as the others are.
    """Says itself what is wrong with a line, in words that quote nothing of it."""


def _require_unicode(text: str) -> None:
    if not text.isascii() and _SURROGATE.search(text):
        msg = "not UTF-8"
        raise _Unreadable(msg)


def _text_of(raw: str) -> str:
    """Return the text of a record: the first of its fields that is there has to be one."""
    record = json.loads(raw)
    if not isinstance(record, dict):
        msg = "not an object"
        raise _Unreadable(msg)
    text = next((record[name] for name in ("content", "text", "message") if name in record), "")
    if not isinstance(text, str):
        msg = "its text is not a string"
        raise _Unreadable(msg)
    _require_unicode(text)
    return text


def _reason(fault: Exception) -> str:
    if isinstance(fault, RecursionError):
        return "nested too deeply"
    return str(fault) if isinstance(fault, _Unreadable) else "not JSON"
