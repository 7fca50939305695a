"""Opening a source: its format, told from the content alone, and what the parser of that takes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from types import ModuleType
from typing import Any, Final

from turnfold.errors import InvalidConfiguration, UnreadableTranscript
from turnfold.formats._document import Document
from turnfold.formats._registry import FORMATS, OF_LINES, candidates
from turnfold.formats._source import (
    NotJsonError,
    TextSource,
    document_of,
    first_records,
    remembered,
    spelled_whole,
    unified,
)

_PLAIN_TEXT: Final = "plain-text"
_SHOWN_KEYS: Final = 8


def opened(source: TextSource | Document) -> tuple[str, object]:
    """Return the name of the format of a source, and the source as its parser takes it.

    Raises:
        UnreadableTranscript: It is none of the formats; says what was found.
    """
    given = unified(source)
    if isinstance(given, list | dict):
        return _name_of(given), given
    # The peeked pieces stay as they came: they are lines where the source is a file.
    peeked: list[bytes] = []
    pieces = iter((given,)) if isinstance(given, bytes) else given
    name, records = _lines_in(first_records(remembered(pieces, peeked)))
    if name is not None:
        return name, given if isinstance(given, bytes) else chain(peeked, given)
    data = given if isinstance(given, bytes) else b"".join(chain(peeked, given))
    if len(records) == 1 and spelled_whole(data):
        return _name_of(records[0]), records[0]
    try:
        document = document_of(data)
    except NotJsonError as fault:
        name, _ = _lines_in(first_records(iter((data,)), of_document=True))
        if name is not None:
            return name, data
        if _is_text(data):
            return _PLAIN_TEXT, data
        raise _unreadable(fault.found, fault.details) from fault
    return _name_of(document), document


def as_named(source: TextSource | Document, name: str) -> object:
    """Return a source as the parser of a format takes it.

    Raises:
        UnreadableTranscript: It is not what the format is read from.
        InvalidConfiguration: No format has the name.
    """
    module, given = module_of(name), unified(source)
    if isinstance(given, list | dict):
        if not module.LINES:
            return given
        kind = type(source).__name__
        msg = f"{name} is a line format and is read from bytes; this is a parsed {kind}"
        raise UnreadableTranscript(msg, {"format": name, "type": kind})
    if name in OF_LINES:
        return given
    data = given if isinstance(given, bytes) else b"".join(given)
    return data if name == _PLAIN_TEXT else _document_of(data)


def module_of(name: str) -> ModuleType:
    """Return the module of a format.

    Raises:
        InvalidConfiguration: No format has the name.
    """
    if name not in FORMATS:
        msg = f"no format is named {name!r}; the formats are {', '.join(FORMATS)}"
        raise InvalidConfiguration(msg, {"format": name, "formats": list(FORMATS)})
    return FORMATS[name]


def too_deep() -> UnreadableTranscript:
    """Return the error for JSON that no parser can walk through."""
    return _unreadable("JSON that is nested too deeply")


def _lines_in(found: Iterable[dict[str, Any]]) -> tuple[str | None, list[dict[str, Any]]]:
    """Return the line format of the first records, if it is one, and what was looked at."""
    records: list[dict[str, Any]] = []
    for record in found:
        records.append(record)
        for name in OF_LINES:
            if _matches_lines(name, records):
                return name, records
    return None, records


def _matches_lines(name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    module = FORMATS[name]
    matches: Callable[[Sequence[Mapping[str, Any]]], bool]
    matches = module.matches if module.LINES else module.matches_lines
    return matches(records)


def _name_of(document: object) -> str:
    for name in candidates(document):
        if FORMATS[name].matches(document):
            return name
    kind = type(document).__name__
    found = f"a JSON value of the kind {kind}"
    if isinstance(document, dict):
        keys = sorted(map(str, document))[:_SHOWN_KEYS]
        found = f"an object with the keys {', '.join(keys) or 'none'}"
    elif isinstance(document, list):
        found = f"a list of {len(document)} values" if document else "an empty list"
    found += ", and no messages with a role"
    raise _unreadable(found, {"type": kind})


def _is_text(data: bytes) -> bool:
    """Whether bytes are a transcript in words, its speakers marked."""
    if b"\0" in data:
        return False
    try:
        is_text: bool = FORMATS[_PLAIN_TEXT].matches_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return False
    return is_text


def _document_of(data: bytes) -> object:
    try:
        return document_of(data)
    except NotJsonError as fault:
        raise _unreadable(fault.found, fault.details) from fault


def _unreadable(found: str, details: Mapping[str, Any] | None = None) -> UnreadableTranscript:
    msg = f"this is no session that turnfold reads: found {found}. It reads {', '.join(FORMATS)}"
    return UnreadableTranscript(msg, {**(details or {}), "formats": list(FORMATS)})
