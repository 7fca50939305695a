"""Which format a source is in, from its content alone; and one door to all formats."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain
from types import MappingProxyType, ModuleType
from typing import Any, Final, Literal

from turnfold.errors import InvalidConfiguration, UnreadableTranscript
from turnfold.formats._alternation import Alternation, require_alternation
from turnfold.formats._document import DEFAULT_PINS, Document
from turnfold.formats._faults import Fault
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._session import Pins, Session
from turnfold.formats._source import (
    NotJsonError,
    TextSource,
    document_of,
    first_records,
    remembered,
    spelled_whole,
    unified,
)
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

Scope = Literal["live", "full"]

_JSON: Final = "json"
_LINES: Final = "lines"
_BOTH: Final = "json or lines"
_TEXT: Final = "text"

_READ_FROM: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Sessions that agents write.
        "claude-code": _LINES,
        "codex": _LINES,
        "pi": _LINES,
        "gemini-cli": _BOTH,
        "openhands": _BOTH,
        "swe-agent": _JSON,
        "mini-swe-agent": _JSON,
        "adk": _JSON,
        # What frameworks, benchmarks and telemetry keep.
        "inspect-ai": _JSON,
        "atif": _JSON,
        "pydantic-ai": _JSON,
        "langchain": _JSON,
        "otel-genai": _JSON,
        "toolbench": _JSON,
        "sharegpt": _BOTH,
        # What is sent to a provider; a plain list of messages is looked at last.
        "openai-responses": _BOTH,
        "gemini-contents": _JSON,
        "openai-chat": _JSON,
        "anthropic-messages": _JSON,
        "plain-text": _TEXT,
    }
)
"""What each format is read from, in the order in which a source is held against them."""


class _Formats(Mapping[str, ModuleType]):
    """The formats by name; a module is imported when it is first asked for."""

    def __init__(self) -> None:
        self._imported: dict[str, ModuleType] = {}

    def __getitem__(self, name: str) -> ModuleType:
        module = self._imported.get(name)
        if module is None:
            if name not in _READ_FROM:
                raise KeyError(name)
            module = import_module(f"turnfold.formats.{name.replace('-', '_')}")
            self._imported[name] = module
        return module

    def __iter__(self) -> Iterator[str]:
        return iter(_READ_FROM)

    def __len__(self) -> int:
        return len(_READ_FROM)

    def __repr__(self) -> str:
        return f"<formats {', '.join(self)}>"


FORMATS: Final[Mapping[str, ModuleType]] = _Formats()
"""The formats by name, in the order in which a source is held against them."""

_PLAIN_TEXT: Final = "plain-text"
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
    conversation: int | None = None,
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
        conversation: Which one, counted from 0, of a source that holds several.

    Raises:
        UnreadableTranscript: It is none of the formats, holds nothing readable, or holds several
            conversations and none is named.
        InvalidConfiguration: The format or the scope has no such name, or the format has one
            conversation only.
    """
    if scope not in ("live", "full"):
        msg = f"scope must be 'live' or 'full'; got {scope!r}"
        raise InvalidConfiguration(msg, {"scope": repr(scope)})
    name, opened = _opened(source) if format is None else (format, _as_named(source, format))
    options: dict[str, Any] = {"scope": scope, "pins": pins}
    options |= {"estimator": estimator, "ledger": ledger}
    if conversation is not None:
        if not getattr(FORMATS[name], "SEVERAL", False):
            msg = f"{name} holds one conversation; leave conversation={conversation} out"
            raise InvalidConfiguration(msg, {"format": name, "conversation": conversation})
        options["conversation"] = conversation
    try:
        session: Session = FORMATS[name].parse(opened, **options)
    except RecursionError as fault:
        raise _too_deep() from fault
    return session


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,
    alternation: Alternation | None = None,
) -> bytes | Document:
    """Return a view in the format that its session was read in (contract R2).

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What becomes of reasoning that is bound to what stood before it:
            `strip_after_edit`, `keep` or `strip_all`; the format's page names its default.
        alternation: `strict` leaves no two messages of one role in a row, which some servers'
            templates refuse. What it merged is not told apart when it is read again.

    Raises:
        UnrenderableView: No provider would accept it.
        InvalidConfiguration: The session is of a format that is not here, or whose messages do
            not alternate.
    """
    module = _module_of(session.format)
    options = _alternation_of(session.format, module, alternation)
    rendered: bytes | Document = module.render(view, session, reasoning=reasoning, **options)
    return rendered


def _alternation_of(
    name: str, module: ModuleType, alternation: Alternation | None
) -> dict[str, Alternation]:
    """Return the option for a format, where it is asked for.

    Raises:
        InvalidConfiguration: The format has none, or the option has no such value.
    """
    if alternation is None:
        return {}
    require_alternation(alternation)
    if not getattr(module, "ALTERNATES", False):
        able = [each for each in FORMATS if getattr(FORMATS[each], "ALTERNATES", False)]
        msg = (
            f"{name} has no alternation={alternation!r}; the formats that have it are "
            f"{', '.join(able)}: convert the session to one of them, or leave it out"
        )
        raise InvalidConfiguration(msg, {"format": name, "formats": able})
    return {"alternation": alternation}


def check(
    source: TextSource | Document,
    *,
    format: str | None = None,  # noqa: A002  The word that a caller expects.
    pending_ok: bool = False,
    alternation: Alternation | None = None,
) -> tuple[Fault, ...]:
    """Return every fault for which the provider behind a format would refuse a history.

    Args:
        source: What `parse` reads.
        format: Its name, where it is not to be detected.
        pending_ok: Whether calls at the very end may wait for their results.
        alternation: With `strict`, messages of one role in a row are faults too.

    Raises:
        UnreadableTranscript: It is none of the formats, or holds nothing readable.
        InvalidConfiguration: The format has no such name, or its messages do not alternate.
    """
    name, opened = _opened(source) if format is None else (format, _as_named(source, format))
    module = FORMATS[name]
    options = _alternation_of(name, module, alternation)
    return tuple(module.check(opened, pending_ok=pending_ok, **options))


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


def _as_named(source: TextSource | Document, name: str) -> object:
    """Return the source as the parser of a format takes it."""
    module, given = _module_of(name), unified(source)
    if isinstance(given, list | dict):
        if not module.LINES:
            return given
        kind = type(source).__name__
        msg = f"{name} is a line format and is read from bytes; this is a parsed {kind}"
        raise UnreadableTranscript(msg, {"format": name, "type": kind})
    if _READ_FROM[name] in (_LINES, _BOTH):
        return given
    data = given if isinstance(given, bytes) else b"".join(given)
    return data if name == _PLAIN_TEXT else _document_of(data)


def _opened(source: TextSource | Document) -> tuple[str, object]:
    """Return the name of the format, and the source as its parser takes it."""
    given = unified(source)
    if isinstance(given, list | dict):
        return _name_of(given), given
    # The peeked pieces stay as they came: they are lines where the source is a file.
    peeked: list[bytes] = []
    pieces = iter((given,)) if isinstance(given, bytes) else given
    records: list[dict[str, Any]] = []
    for record in first_records(remembered(pieces, peeked)):
        records.append(record)
        for name in _names(_LINES, _BOTH):
            if _matches_lines(name, records):
                return name, given if isinstance(given, bytes) else chain(peeked, given)
    data = given if isinstance(given, bytes) else b"".join(chain(peeked, given))
    if len(records) == 1 and spelled_whole(data):
        return _name_of(records[0]), records[0]
    try:
        document = document_of(data)
    except NotJsonError as fault:
        if _is_text(data):
            return _PLAIN_TEXT, data
        raise _unreadable(fault.found, fault.details) from fault
    return _name_of(document), document


def _names(*kinds: str) -> Iterator[str]:
    return (name for name, kind in _READ_FROM.items() if kind in kinds)


def _matches_lines(name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    module = FORMATS[name]
    matches: Callable[[Sequence[Mapping[str, Any]]], bool]
    matches = module.matches if module.LINES else module.matches_lines
    return matches(records)


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


def _name_of(document: object) -> str:
    for name in _names(_JSON, _BOTH):
        if FORMATS[name].matches(document):
            return name
    kind = type(document).__name__
    found = f"a JSON value of the kind {kind}"
    if isinstance(document, dict):
        found = f"an object with the keys {', '.join(sorted(document)[:_SHOWN_KEYS]) or 'none'}"
    elif isinstance(document, list):
        found = f"a list of {len(document)} values" if document else "an empty list"
    found += ", and no messages with a role"
    raise _unreadable(found, {"type": kind})


def _too_deep() -> UnreadableTranscript:
    return _unreadable("JSON that is nested too deeply")


def _unreadable(found: str, details: Mapping[str, Any] | None = None) -> UnreadableTranscript:
    msg = f"this is no session that turnfold reads: found {found}. It reads {', '.join(FORMATS)}"
    return UnreadableTranscript(msg, {**(details or {}), "formats": list(FORMATS)})
