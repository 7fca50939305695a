"""Opening a source of Responses items: a document, or a file of rollouts, one a line."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from turnfold.errors import UnreadableTranscript
from turnfold.formats._document import Document
from turnfold.formats._lines import read_records
from turnfold.formats._session import Damage
from turnfold.formats.openai_responses._document import Path, conversations_of, is_rollout

TextSource = bytes | Iterable[bytes]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A record of a file of lines: its line, counted from 1, and its place on the line."""

    number: int
    position: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: the document that holds it, the path in it, and the document's line."""

    document: Any
    path: Path = ()
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A source as it was given, its conversations, and what was damaged.

    Args:
        given: The document, or the bytes.
        lines: The lines of the bytes; empty for a document.
        conversations: The conversations.
        damage: What was wrong with the lines.
    """

    given: bytes | Document
    lines: tuple[bytes, ...]
    conversations: Sequence[Conversation]
    damage: tuple[Damage, ...] = ()


def open_source(source: TextSource | Document) -> Opened:
    """Return the conversations of a source.

    Raises:
        UnreadableTranscript: It is no JSON, or it holds no conversation.
    """
    given: object = source
    if isinstance(source, bytes | bytearray | memoryview):
        return _open_lines(bytes(source))
    if isinstance(source, dict) or (isinstance(source, list) and not _is_of_bytes(source)):
        found = [Conversation(source, path) for path in conversations_of(source)]
        return Opened(source, (), found)
    if isinstance(given, Iterable):
        return _open_lines(given)
    kind = type(given).__name__
    msg = f"a session is bytes, or parsed JSON; this is a {kind}"
    raise UnreadableTranscript(msg, {"type": kind})


def _is_of_bytes(source: list[Any]) -> bool:
    return bool(source) and isinstance(source[0], bytes)


def _open_lines(source: TextSource) -> Opened:
    lines: list[bytes] = []
    found: list[Conversation] = []
    damage: list[Damage] = []
    for number, raw, values, faults in read_records(source):
        lines.append(raw)
        damage += faults
        found += [
            Conversation(value, (), Line(number, position))
            for position, value in enumerate(values)
            if is_rollout(value)
        ]
    given = b"".join(lines)
    if found:
        return Opened(given, tuple(lines), found, tuple(damage))
    document = _document_of(given)
    whole = [Conversation(document, path) for path in conversations_of(document)]
    return Opened(given, tuple(lines), whole)


def _document_of(data: bytes) -> object:
    try:
        return json.loads(data.removeprefix(_BOM).decode("utf-8", "surrogatepass"))
    except ValueError as fault:
        msg = f"this is neither a JSON document nor a file of rollouts, one a line: {fault}"
        raise UnreadableTranscript(msg, {"bytes": len(data)}) from fault


def chosen(opened: Opened, conversation: int | None) -> Conversation:
    """Return one conversation.

    Raises:
        UnreadableTranscript: There are several and none was named, or there is none so named.
    """
    count = len(opened.conversations)
    if conversation is None and count == 1:
        return opened.conversations[0]
    if conversation is not None and 0 <= conversation < count:
        return opened.conversations[conversation]
    found = "it is not said which" if conversation is None else f"none is number {conversation}"
    msg = (
        f"the source holds {count} conversations, and {found}: name one of them by "
        f"conversation=0 to conversation={count - 1}"
    )
    raise UnreadableTranscript(msg, {"conversations": count, "conversation": conversation})
