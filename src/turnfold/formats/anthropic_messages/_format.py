"""Telling, reading, writing and checking Anthropic messages."""

from collections.abc import Mapping
from typing import Any, Final

from turnfold.formats._alternation import Alternation, alternating, alternation_faults, joined
from turnfold.formats._anthropic_read import is_result, read_message, read_system
from turnfold.formats._batches import batches_of
from turnfold.formats._document import (
    DEFAULT_PINS,
    TOP_LEVEL,
    Document,
    Found,
    Message,
    Place,
    Source,
    finish,
    messages_of,
    require_known,
    shape_of,
)
from turnfold.formats._faults import Fault
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._rules.anthropic import check_anthropic
from turnfold.formats._session import Pins, Session, is_unchanged, renderable_turns
from turnfold.formats._short_inputs import shortened
from turnfold.formats.anthropic_messages._write import (
    Writer,
    with_systems_in_place,
    without_thinking,
)
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "anthropic-messages"
LINES: Final = False
ALTERNATES: Final = True

_MUST_ALTERNATE: Final = (
    'messages: roles must alternate between "user" and "assistant", but found multiple "{side}" '
    "roles in a row"
)


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds Anthropic messages."""
    return shape_of(document) == "anthropic"


def parse(
    document: Document,
    *,
    scope: str = "live",  # noqa: ARG001  A document has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a list of messages, or a request with `messages` and `system`; it is never changed.

    The system prompt is the turn `system`, an assistant message one turn `m{index}`. Each result
    of a user message is a turn `m{index}.b{block}`, and what else stands in the message one turn
    after them. What is malformed is reported with its path (contract R4).

    Args:
        document: The parsed JSON.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    messages = messages_of(document)
    found = Found()
    read_system(document, found)
    for index, message in enumerate(messages):
        read_message(index, message, found)
    return finish(NAME, document, messages, found, pins=pins, estimator=estimator, ledger=ledger)


def check(
    document: object, *, pending_ok: bool = False, alternation: Alternation | None = None
) -> list[Fault]:
    """Return every fault for which the provider would refuse a history; empty where there is none.

    Args:
        document: A list of messages, or an object with `messages`.
        pending_ok: Whether calls at the very end may wait for their results.
        alternation: With `strict`, messages of one role in a row are faults too.

    Raises:
        UnreadableTranscript: It is neither.
    """
    messages = messages_of(document)
    faults = check_anthropic(messages, pending_ok=pending_ok)
    if alternation is not None:
        faults += alternation_faults(messages, "messages", _side_of, _MUST_ALTERNATE)
    return faults


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,
    alternation: Alternation | None = None,
) -> Document:
    """Return the messages of a view in the wrapper of the input (contract R2).

    Kept messages are the original objects, and an unchanged view is the original document.

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What becomes of thinking blocks; by default those after the first edit are left
            out, because a model that binds them to their prefix refuses them. The current tool
            loop keeps its own.
        alternation: `strict` makes one message of those of one role that stand in a row.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session) and alternation is None:
        return source.document
    turns = renderable_turns(view).turns
    require_known(turns, source)
    source = shortened(view, source, bare=without_thinking).source
    writer = Writer(source, stripped_turns(view, session, reasoning or "strip_after_edit"))
    writer.write(with_systems_in_place(batches_of(turns, source)))
    messages = writer.messages
    if alternation is not None:
        messages = alternating(messages, _side_of, _joined)
        if messages == list(source.messages) and _keeps_system(turns, source):
            return source.document
    document = source.with_messages(messages)
    if isinstance(document, dict) and not _keeps_system(turns, source):
        return {key: value for key, value in document.items() if key != "system"}
    return document


def _side_of(message: Mapping[str, Any]) -> object:
    return message.get("role")


def _joined(first: Message, second: Message) -> Message:
    """Return two messages as one; results stay before any other block."""
    message = joined(first, second)
    if isinstance(message["content"], list):
        message["content"] = sorted(message["content"], key=lambda block: not is_result(block))
    return message


def _keeps_system(turns: tuple[TranscriptTurn, ...], source: Source) -> bool:
    top = Place(TOP_LEVEL)
    return top not in source.places.values() or any(
        source.places.get(turn.turn_id) == top for turn in turns
    )
