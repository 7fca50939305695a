"""Which format a source is in, from its content alone; and one door to all formats."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from types import MappingProxyType, ModuleType
from typing import Any, Final, Literal

from turnfold.errors import InvalidConfiguration, UnreadableTranscript
from turnfold.formats import anthropic_messages, claude_code, openai_chat
from turnfold.formats._document import DEFAULT_PINS, Document
from turnfold.formats._session import Pins, Session
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

Scope = Literal["live", "full"]
TextSource = bytes | str | Iterable[bytes]

FORMATS: Final[Mapping[str, ModuleType]] = MappingProxyType(
    {module.NAME: module for module in (claude_code, openai_chat, anthropic_messages)}
)
"""The formats by name."""

_PEEKED_LINES: Final = 20
_BOM: Final = b"\xef\xbb\xbf"
_GAP: Final = b" \t\r\n\0"
_SHOWN_KEYS: Final = 8


def detect(source: TextSource | Document) -> str:
    """Return the name of the format of a source; an iterable is used up by that.

    Raises:
        UnreadableTranscript: It is none of the formats; says what was found.
    """
    return _opened(source)[0]


def parse(
    source: TextSource | Document,
    *,
    format: str | None = None,  # noqa: A002  The word that a caller expects.
    scope: Scope = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a session in any of the formats (contract R1).

    Args:
        source: Bytes, text, an open binary file or another iterable of bytes, or parsed JSON.
            A line format is read as a stream.
        format: Its name, where it is not to be detected.
        scope: `live`, what the model would see; `full`, everything that the source holds.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger that stands beside a session that turnfold wrote.

    Raises:
        UnreadableTranscript: It is none of the formats, or holds nothing readable.
        InvalidConfiguration: The format or the scope has no such name.
    """
    if scope not in ("live", "full"):
        msg = f"scope must be 'live' or 'full'; got {scope!r}"
        raise InvalidConfiguration(msg, {"scope": repr(scope)})
    name, opened = _opened(source) if format is None else (format, _as_named(source, format))
    options = {"scope": scope, "pins": pins, "estimator": estimator, "ledger": ledger}
    try:
        session: Session = FORMATS[name].parse(opened, **options)
    except RecursionError as fault:
        raise _too_deep() from fault
    return session


def render(view: CompactedView | Transcript, session: Session) -> bytes | Document:
    """Return a view in the format that its session was read in (contract R2).

    Raises:
        UnrenderableView: No provider would accept it.
        InvalidConfiguration: The session is of a format that is not here.
    """
    rendered: bytes | Document = _module_of(session.format).render(view, session)
    return rendered


def to_bytes(rendered: bytes | Document) -> bytes:
    """Return what `render` gave as the bytes of a file.

    JSON is indented, and written with ASCII escapes where a lone surrogate has no UTF-8.
    """
    if isinstance(rendered, bytes):
        return rendered
    try:
        return (json.dumps(rendered, ensure_ascii=False, indent=2) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(rendered, indent=2) + "\n").encode()


def _module_of(name: str) -> ModuleType:
    if name not in FORMATS:
        msg = f"no format is named {name!r}; the formats are {', '.join(FORMATS)}"
        raise InvalidConfiguration(msg, {"format": name, "formats": list(FORMATS)})
    return FORMATS[name]


def _unified(source: TextSource | Document) -> bytes | Iterator[bytes] | Document:
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


def _as_named(source: TextSource | Document, name: str) -> object:
    """Return the source as the parser of a format takes it."""
    unified = _unified(source)
    if _module_of(name) is not claude_code:
        if isinstance(unified, list | dict):
            return unified
        return _document_of(unified if isinstance(unified, bytes) else b"".join(unified))
    if isinstance(unified, list | dict):
        kind = type(source).__name__
        msg = f"{name} is a line format and is read from bytes; this is a parsed {kind}"
        raise UnreadableTranscript(msg, {"format": name, "type": kind})
    return unified


def _opened(source: TextSource | Document) -> tuple[str, object]:
    """Return the name of the format, and the source as its parser takes it."""
    unified = _unified(source)
    if isinstance(unified, list | dict):
        return _name_of(unified), unified
    if isinstance(unified, bytes):
        if _is_line_format(iter((unified,))):
            return claude_code.NAME, unified
        document = _document_of(unified)
        return _name_of(document), document
    # The peeked pieces stay as they came: they are lines where the source is a file.
    peeked: list[bytes] = []
    if _is_line_format(_remembered(unified, peeked)):
        return claude_code.NAME, chain(peeked, unified)
    document = _document_of(b"".join(chain(peeked, unified)))
    return _name_of(document), document


def _remembered(pieces: Iterator[object], peeked: list[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        if not isinstance(piece, bytes):
            kind = type(piece).__name__
            msg = f"a source is an iterable of bytes; this one gives {kind}: open files as binary"
            raise InvalidConfiguration(msg, {"type": kind})
        peeked.append(piece)
        yield piece


def _is_line_format(pieces: Iterator[bytes]) -> bool:
    """Whether one of the first lines shows records of a line format; reads no more than these."""
    records: list[dict[str, Any]] = []
    for line in _first_lines(pieces):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            records.append(record)
            if claude_code.matches(records):
                return True
    return False


def _first_lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first lines that are not blank, as far as they can be records."""
    lines = (line.removeprefix(_BOM).strip(_GAP) for line in _lines(pieces))
    for line in islice(filter(None, lines), _PEEKED_LINES):
        if line.startswith(b"["):
            return
        yield line


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        for line in ended:
            yield b"".join((*held, line))
            held.clear()
        held.append(rest)
    yield b"".join(held)


def _document_of(data: bytes) -> object:
    if not data.removeprefix(_BOM).strip():
        found = "nothing: the source is empty"
        raise _unreadable(found, {"bytes": len(data)})
    if (place := data.find(b"\0")) >= 0:
        found = f"a NUL byte at {place}: it is binary, or text that is not UTF-8"
        raise _unreadable(found, {"byte": place})
    try:
        return json.loads(data.removeprefix(_BOM).decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError as fault:
        found = f"bytes that are not UTF-8, at {fault.start}"
        raise _unreadable(found, {"byte": fault.start}) from fault
    except json.JSONDecodeError as fault:
        found = f"no valid JSON: {fault.msg} in line {fault.lineno}, column {fault.colno}"
        details = {"line": fault.lineno, "column": fault.colno}
        raise _unreadable(found, details) from fault
    except RecursionError as fault:
        raise _too_deep() from fault
    except ValueError as fault:
        found = f"a number that is too long: {fault}"
        raise _unreadable(found, {}) from fault


def _name_of(document: object) -> str:
    if openai_chat.matches(document):
        return openai_chat.NAME
    if anthropic_messages.matches(document):
        return anthropic_messages.NAME
    kind = type(document).__name__
    found = f"a JSON value of the kind {kind}"
    if isinstance(document, dict):
        found = f"an object with the keys {', '.join(sorted(document)[:_SHOWN_KEYS]) or 'none'}"
    elif isinstance(document, list):
        found = f"a list of {len(document)} values" if document else "an empty list"
    found += ", and no messages with a role"
    raise _unreadable(found, {"type": kind})


def _too_deep() -> UnreadableTranscript:
    return _unreadable("JSON that is nested too deeply", {})


def _unreadable(found: str, details: dict[str, Any]) -> UnreadableTranscript:
    msg = f"this is no session that turnfold reads: found {found}. It reads {', '.join(FORMATS)}"
    return UnreadableTranscript(msg, {**details, "formats": list(FORMATS)})
