"""What a caller gives as a source: bytes, text, pieces or parsed JSON; peeked at or read."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from turnfold.errors import InvalidConfiguration, UnreadableTranscript
from turnfold.formats._document import Document

TextSource = bytes | str | Iterable[bytes]

_PEEKED_LINES: Final = 20
_BOM: Final = b"\xef\xbb\xbf"
_BLANK: Final = b" \t\r\n"
_GAP: Final = _BLANK + b"\0"


class NotJsonError(Exception):
    """A file is no JSON document.

    Args:
        found: What it is instead, for a person.
        details: Where, for a program.
    """

    def __init__(self, found: str, **details: int) -> None:
        super().__init__(found)
        self.found = found
        self.details = details


def unified(source: TextSource | Document) -> bytes | Iterator[bytes] | Document:
    """Return a source as one of three: bytes, an iterator of pieces, or parsed JSON.

    Raises:
        UnreadableTranscript: It is none of these.
    """
    if isinstance(source, str):
        return source.encode("utf-8", "surrogatepass")
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if isinstance(source, list) and source and isinstance(source[0], bytes):
        return iter(source)
    if isinstance(source, list | dict):
        return source
    given: object = source
    if not isinstance(given, Iterable):
        msg = f"a session is bytes, lines of bytes, or a JSON list or object; got {given!r:.40}"
        raise UnreadableTranscript(msg, {"type": type(given).__name__})
    return iter(source)


def remembered(pieces: Iterator[object], peeked: list[bytes]) -> Iterator[bytes]:
    """Yield pieces, and keep those that were taken: they stay as they came.

    Raises:
        InvalidConfiguration: A piece is not bytes.
    """
    for piece in pieces:
        if not isinstance(piece, bytes):
            kind = type(piece).__name__
            msg = f"a source is an iterable of bytes; this one gives {kind}: open files as binary"
            raise InvalidConfiguration(msg, {"type": kind})
        peeked.append(piece)
        yield piece


def first_records(
    pieces: Iterator[bytes], *, of_document: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the objects among the first lines; reads no more than these.

    Args:
        pieces: The source, cut anywhere.
        of_document: Whether to go on where the first line opens a document, which can hold objects
            that look like records; it may be a record that was cut there.
    """
    for number, line in enumerate(_first_lines(pieces)):
        if not (number or of_document) and _opens_document(line):
            return
        if not _may_be_object(line):
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _opens_document(line: bytes) -> bool:
    return line.startswith(b"{") and line.endswith((b"{", b"[", b","))


def _may_be_object(line: bytes) -> bool:
    """Whether a line can be a JSON object: what is not ASCII may be the mark of an encoding."""
    return line.endswith(b"}") and (line.startswith(b"{") or not line[:1].isascii())


def _first_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first lines that are not blank, as far as they can be records."""
    left = _PEEKED_LINES
    for raw in _lines(pieces):
        line = raw.removeprefix(_BOM).strip(_GAP)
        if not line:
            continue
        if line.startswith(b"["):
            return
        yield line
        left -= 1
        if not left:
            return


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            line = piece[start:end]
            yield b"".join((*held, line)) if held else line
            held.clear()
            start = end + 1
        held.append(piece[start:])
    yield b"".join(held)


def spelled_whole(data: bytes) -> bool:
    """Whether the whole of a file is its first line, so that the record in it is the document."""
    line = data.removeprefix(_BOM).strip(_BLANK)
    return b"\n" not in line and b"\0" not in line and line.startswith(b"{")


def document_of(data: bytes) -> object:
    """Return the JSON of a whole file.

    Raises:
        NotJsonError: It is none; says what was found instead.
    """
    if not data.removeprefix(_BOM).strip():
        msg = "nothing: the source is empty"
        raise NotJsonError(msg, bytes=len(data))
    if (place := data.find(b"\0")) >= 0:
        msg = f"a NUL byte at {place}: it is binary, or text that is not UTF-8"
        raise NotJsonError(msg, byte=place)
    try:
        return json.loads(data.removeprefix(_BOM).decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError as fault:
        msg = f"bytes that are not UTF-8, at {fault.start}"
        raise NotJsonError(msg, byte=fault.start) from fault
    except json.JSONDecodeError as fault:
        msg = f"no valid JSON: {fault.msg} in line {fault.lineno}, column {fault.colno}"
        raise NotJsonError(msg, line=fault.lineno, column=fault.colno) from fault
    except RecursionError as fault:
        msg = "JSON that is nested too deeply"
        raise NotJsonError(msg) from fault
    except ValueError as fault:
        msg = f"a number that is too long: {fault}"
        raise NotJsonError(msg) from fault
