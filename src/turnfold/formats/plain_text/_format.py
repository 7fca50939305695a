"""Plain text and Markdown: a turn for each speaker's mark, or for each paragraph without marks.

`User:`, `### Assistant`, `**Human**:` and `[tool: grep]` at the start of a line are marks, outside
of fenced blocks. The first mark decides which way of marking counts; one in brackets always does.
"""

from collections.abc import Iterable
from typing import Final

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.errors import UnreadableTranscript
from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._document import DEFAULT_PINS, Found, Place
from turnfold.formats._either import Opened
from turnfold.formats._faults import Fault
from turnfold.formats._itemwise import Held, finished, pair_by_place
from turnfold.formats._lines import INVALID_UTF8
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rewrite import Spelling, flat, written_batches
from turnfold.formats._session import Damage, Pins, Session, is_unchanged
from turnfold.formats.plain_text._speakers import Segment, segments_of
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "plain-text"
LINES: Final = False

_OURS: Final = {Role.USER: BRIDGE, Role.TOOL: CLOSED_CALL}


def matches(document: object) -> bool:
    """Whether a value is text with marks of speakers; parsed JSON never is."""
    return isinstance(document, str) and matches_text(document)


def matches_text(text: str) -> bool:
    """Whether a text has marks of a person and of a model; text without is read by name only."""
    roles = {each.role for each in segments_of(text.encode("utf-8", "surrogatepass")) if each.mark}
    return Role.USER in roles and Role.ASSISTANT in roles


def parse(
    source: bytes | str | Iterable[bytes],
    *,
    scope: str = "live",  # noqa: ARG001  A text has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a text; each turn `t{number}` keeps its bytes.

    What stands before the first mark is no person's words. Tool output directly behind a model's
    turn belongs to it.

    Args:
        source: The text, its bytes, or an iterable of bytes.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the text.

    Raises:
        UnreadableTranscript: There is no text in it.
    """
    data = _bytes_of(source)
    segments = segments_of(data)
    found = Found()
    marked = any(each.mark for each in segments)
    for number, segment in enumerate(segments):
        place = f"line {segment.line}"
        turn = LoadedTurn(f"t{number}", segment.role, segment.text, origin=place)
        turn.tool_name = segment.tool
        if turn.content == _OURS.get(turn.role):
            continue
        if turn.role is Role.USER:
            if is_marked_summary(turn.content):
                turn.kind = KIND_SUMMARY
            elif marked and not segment.mark:
                turn.kind = KIND_INJECTED
        turn.answers = ("",) if turn.role is Role.TOOL else ()
        found.add(turn, Place(number))
        if segment.is_damaged:
            message = "bytes that are no UTF-8 are read as U+FFFD"
            found.damage.append(Damage(place, INVALID_UTF8, message))
    turns = [turn for turn, _ in found.turns]
    pair_by_place(turns)
    for turn in turns:
        # Nothing is lost where output stands behind no model's turn: no provider is asked.
        turn.answers = () if turn.answers == (turn.turn_id,) else turn.answers
    if not turns:
        msg = "line 1: there is no text to read; every line is blank"
        raise UnreadableTranscript(msg, {"bytes": len(data), "format": NAME})
    held = Opened(segments, data)
    return finished(NAME, held, found, (), pins=pins, estimator=estimator, ledger=ledger)


def _bytes_of(source: object) -> bytes:
    if isinstance(source, str):
        return source.encode("utf-8", "surrogatepass")
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    try:
        if isinstance(source, Iterable):
            return b"".join(source)
    except TypeError:
        pass
    kind = type(source).__name__
    msg = f"a text is a string or bytes; this is a {kind}"
    raise UnreadableTranscript(msg, {"type": kind, "format": NAME})


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,  # noqa: ARG001  Nothing in a text is signed.
) -> bytes:
    """Return the text of a view: the bytes of kept turns, and the input's marks for new ones.

    Args:
        view: The view.
        session: The session that it was made of.
        reasoning: Accepted for the sake of other formats.

    Raises:
        UnrenderableView: Nothing but system turns would be left, or a turn has no original.
    """
    held: Held = session.source
    if is_unchanged(view, session):
        given = held.opened.given
        return given if isinstance(given, bytes) else b""
    segments: list[Segment] = list(held.source.messages)
    marked = [each for each in segments if each.mark]
    users = [each.opening for each in marked if each.role is Role.USER]
    head = users[0] if users else b"[user]\n" if marked else b""
    end = b"\r\n" if any(each.raw.endswith(b"\r\n") for each in segments) else b"\n"

    def summary(turn: TranscriptTurn) -> bytes:
        return head + _encoded(turn.content) + end + end

    def masked(segment: Segment, text: str) -> bytes:
        return segment.head + _encoded(text) + segment.tail

    def kept(segment: Segment, _turn: TranscriptTurn) -> bytes:
        return segment.raw

    def closing(_segment: Segment, _number: int) -> bytes:
        return b""

    written = flat(written_batches(view, held.source, Spelling(summary, masked, closing, kept)))
    *before, last = [each for each in written if each]
    gap = b"" if marked else end
    return b"".join([*(_ended(each, end, gap) for each in before), last])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _ended(raw: bytes, end: bytes, gap: bytes) -> bytes:
    """Return a piece with its line ended, and with a blank line behind it as paragraphs need it."""
    if raw.endswith((b"\n\n", b"\n\r\n")):
        return raw
    return raw + gap if raw.endswith(b"\n") else raw + end + gap


def check(document_or_bytes: bytes | str, *, pending_ok: bool = False) -> list[Fault]:  # noqa: ARG001
    """Return every fault of a text: that nothing, or nothing but instructions, is said.

    Args:
        document_or_bytes: The text.
        pending_ok: Accepted for the sake of other formats: calls of a text are not told apart.
    """
    segments = segments_of(_bytes_of(document_or_bytes))
    if not segments:
        return [Fault("line 1", "no_text", "every line is blank")]
    if all(segment.role is Role.SYSTEM for segment in segments):
        return [Fault("line 1", "only_system", "there is no turn besides instructions")]
    return []
