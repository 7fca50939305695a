"""A source that is a JSON document or JSON Lines: opened as one list or object, spelled again.

Nothing is lost on the way back: a record that stays whole keeps the very bytes of its line.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._document import Document
from turnfold.formats._lines import read_records
from turnfold.formats._session import Damage

Given = bytes | str | Iterable[bytes] | Document

_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Opened:
    """A source as JSON.

    Args:
        document: The document; of JSON Lines, the list of their objects.
        given: The input: bytes, or the document itself.
        lines: Of JSON Lines, by the identity of an object, the line that holds it alone.
        is_lines: Whether it is JSON Lines.
        damage: What was wrong with lines.
    """

    document: Document
    given: bytes | Document
    lines: Mapping[int, bytes] = field(default_factory=dict)
    is_lines: bool = False
    damage: tuple[Damage, ...] = ()

    def spelled(self, document: Document) -> bytes | Document:
        """Return a changed document as the input was: bytes for bytes, lines for lines."""
        if not isinstance(self.given, bytes):
            return document
        if not self.is_lines:
            return _json_bytes(document, indent=2) + b"\n"
        return b"".join(self.lines.get(id(value)) or json_line(value) for value in document)


def opened(source: Given) -> Opened:
    """Open a source: parsed JSON, or the text or the bytes of a document or of JSON Lines.

    Raises:
        UnreadableTranscript: It is neither.
    """
    if isinstance(source, dict):
        return Opened(source, source)
    if isinstance(source, list) and not (source and isinstance(source[0], bytes)):
        return Opened(source, source)
    data = _bytes_of(source)
    document = _document_in(data)
    return _lines_in(data) if document is None else Opened(document, data)


def _bytes_of(source: bytes | str | Iterable[Any]) -> bytes:
    if isinstance(source, str):
        return source.encode("utf-8", "surrogatepass")
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    try:
        return b"".join(iter(source))
    except TypeError as fault:
        msg = f"a source is bytes, an iterable of bytes, or parsed JSON; got {source!r:.40}"
        raise UnreadableTranscript(msg, {"type": type(source).__name__}) from fault


def _document_in(data: bytes) -> Document | None:
    try:
        value = json.loads(data.removeprefix(_BOM).decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list | dict) else None


def _lines_in(data: bytes) -> Opened:
    values: list[Any] = []
    lines: dict[int, bytes] = {}
    damage: list[Damage] = []
    for record in read_records(data):
        values += record.values
        damage += record.damage
        if len(record.values) == 1 and not record.damage and record.raw.endswith(b"\n"):
            lines[id(record.values[0])] = record.raw
    if not values:
        first = damage[0] if damage else Damage("line 1", "empty", "there is no text in it")
        msg = f"{first.place}: {first.message}; it holds no JSON that can be read"
        raise UnreadableTranscript(msg, {"place": first.place, "bytes": len(data)})
    return Opened(values, data, lines, is_lines=True, damage=tuple(damage))


def json_line(value: object) -> bytes:
    """Return a value as a line of JSON Lines."""
    return _json_bytes(value) + b"\n"


def _json_bytes(value: object, indent: int | None = None) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()
