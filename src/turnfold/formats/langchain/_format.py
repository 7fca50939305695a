"""LangChain and LangGraph: messages as the framework writes them to JSON.

Three serial forms are read, alone or in a state: `messages_to_dict`, the constructor form of
`dumpd` and `dumps`, and the flat form of a message's own fields. The framework is not imported.

Messages go to any provider, so a rendering keeps to what all of them accept:

- The results of an AI message stand directly behind it. A call that was never answered is closed
  with status `error`; one that is still pending at the end stays open.
- Where a masked message holds its calls twice, as content blocks and as `tool_calls`, both stay.
- A human message comes first where one did before.
"""

from collections.abc import Iterator
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._chat_like import written_messages
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Place, Source, finish
from turnfold.formats._faults import Fault
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rules.chat_like import Event, check_events
from turnfold.formats._session import Pins, Session, counted_in_all, is_unchanged
from turnfold.formats.langchain._forms import (
    HUMAN,
    REMOVE,
    Fields,
    fields_of,
    found_messages,
    is_langchain,
    removed_ids,
)
from turnfold.formats.langchain._read import calls_of, is_result_block, read_message
from turnfold.formats.langchain._write import LangChainDialect
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

NAME: Final = "langchain"
LINES: Final = False

_COUNTED: Final = ("total_tokens", "input_tokens", "output_tokens")
"""The total and what makes it up; the cached tokens are a part of the input."""
_FOLLOWER: Final = "Item '{}' of type 'reasoning' was provided without its required following item."


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds LangChain messages in one of the serial forms."""
    return is_langchain(document)


def parse(
    document: Document,
    *,
    scope: str = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a list of messages, or a state that holds one; it is never changed.

    A message is a turn, named by its own id, or `m{index}`. A tool result that stands as a block
    in a human message is a turn of its own. What is malformed is reported with its path.

    Args:
        document: The parsed JSON.
        scope: `live` leaves out what a `RemoveMessage` further down deletes; `full` reads all.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    path, messages = found_messages(document)
    gone = removed_ids(messages) if scope == "live" else ()
    found = Found()
    for index, message in enumerate(messages):
        fields = fields_of(message)
        if fields is None:
            found.report(f"messages[{index}]", "this is no message in a form of LangChain's")
        elif index not in gone:
            for turn, blocks in read_message(index, fields, found):
                found.add(turn, Place(index, blocks))
            found.count(index, counted_in_all(fields.values.get("usage_metadata"), *_COUNTED))
    return finish(
        NAME, document, messages, found, path=path, pins=pins, estimator=estimator, ledger=ledger
    )


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> Document:
    """Return the messages of a view in the wrapper of the input (contract R2).

    Kept messages are the original objects, and an unchanged view is the original document. New
    ones are written in the form of the first message.

    Args:
        view: What to render.
        session: The session that it came from.
        reasoning: By default `strip_after_edit`: signed and encrypted reasoning behind the first
            edit goes. Plain reasoning, which is bound to nothing, goes with `strip_all` only.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return source.document
    forms = [fields.form for each in source.messages if (fields := fields_of(each)) is not None]
    dialect = LangChainDialect(forms[0])
    messages = written_messages(view, session, dialect, reasoning or "strip_after_edit")
    return source.with_messages(messages)


def check(document: Any, *, pending_ok: bool = False) -> list[Fault]:  # noqa: ANN401
    """Return every fault that a provider would find once the messages are converted.

    Args:
        document: The parsed JSON. Messages that a `RemoveMessage` deletes are left aside.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    try:
        _, messages = found_messages(document)
    except UnreadableTranscript as fault:
        return [Fault("messages", "shape", str(fault))]
    faults: list[Fault] = []
    events: list[Event] = []
    gone = removed_ids(messages)
    for index, message in enumerate(messages):
        fields = fields_of(message)
        place = f"messages[{index}]"
        if fields is None:
            faults.append(Fault(place, "role", "this is no message in a form of LangChain's"))
        elif index not in gone and fields.kind != REMOVE:
            events += _events_of(place, fields)
            faults += _reasoning_faults(place, fields)
    return faults + check_events(events, pending_ok=pending_ok, user_first=True)


def _events_of(place: str, fields: Fields) -> Iterator[Event]:
    values, content = fields.values, fields.values.get("content")
    if fields.kind == "tool":
        call_id = values.get("tool_call_id")
        yield Event(place, "result", answer=call_id if isinstance(call_id, str) else "")
        return
    if fields.kind == "function":
        yield Event(place, "result")
        return
    if fields.kind == "ai":
        calls = tuple(call.call_id for call in calls_of(values))
        yield Event(place, "assistant", calls, blank=not calls and _is_blank(content))
        return
    blocks = content if fields.kind == HUMAN and isinstance(content, list) else []
    results = [block for block in blocks if is_result_block(block)]
    for block in results:
        call_id = block.get("tool_use_id")
        yield Event(place, "result", answer=call_id if isinstance(call_id, str) else "")
    if not results or len(results) < len(blocks):
        kind: Any = "system" if fields.kind == "system" else "user"
        yield Event(place, kind, blank=_is_blank(content))


def _is_blank(content: object) -> bool:
    """Whether a content holds nothing that a provider takes: blank text, or reasoning alone."""
    if isinstance(content, list):
        return all(map(_is_blank_block, content))
    return not isinstance(content, str) or not content.strip()


def _is_blank_block(block: object) -> bool:
    if not isinstance(block, dict):
        return _is_blank(block)
    kind = block.get("type")
    if kind in ("thinking", "redacted_thinking"):
        return True
    return kind == "text" and _is_blank(block.get("text"))


def _reasoning_faults(place: str, fields: Fields) -> Iterator[Fault]:
    content = fields.values.get("content")
    blocks = [each for each in content if isinstance(each, dict)] if type(content) is list else []
    last = blocks[-1] if blocks and fields.kind == "ai" else {}
    item_id = str(last.get("id"))
    if last.get("type") == "reasoning" and item_id.startswith("rs_") and not _makes_calls(fields):
        message = "the reasoning item is the last of its message"
        yield Fault(place, "reasoning_alone", message, _FOLLOWER.format(item_id[:80]))


def _makes_calls(fields: Fields) -> bool:
    return bool(calls_of(fields.values))
