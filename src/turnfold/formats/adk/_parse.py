"""Parsing an ADK session, and telling one by its content."""

from collections.abc import Collection
from typing import Any, Final, Literal

from turnfold._metadata import KIND_SUMMARY
from turnfold.errors import UnreadableTranscript
from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Place, finish
from turnfold.formats._gemini_read import Object, Reader, gather_part, value_at
from turnfold.formats._parts import Gathered
from turnfold.formats._session import Pins, Session, counted_in_all
from turnfold.formats.adk._events import (
    INVOCATION,
    compaction_of,
    content_of,
    is_model,
    live,
    replaced_responses,
)
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role

NAME: Final = "adk"
LINES: Final = False

_USAGE: Final = ("usage_metadata", "usageMetadata")
_COUNTED: Final = (
    (
        "total_token_count",
        "prompt_token_count",
        "tool_use_prompt_token_count",
        "candidates_token_count",
        "thoughts_token_count",
    ),
    (
        "totalTokenCount",
        "promptTokenCount",
        "toolUsePromptTokenCount",
        "candidatesTokenCount",
        "thoughtsTokenCount",
    ),
)
"""The total and what makes it up, in the spelling of the SDK and in that of the wire."""


def matches(document: object) -> bool:
    """Whether a parsed JSON document is an ADK session."""
    events = document.get("events") if isinstance(document, dict) else None
    return isinstance(events, list) and any(
        isinstance(event, dict)
        and isinstance(event.get("author"), str)
        and isinstance(value_at(event, INVOCATION), str)
        and ("content" in event or "actions" in event)
        for event in events
    )


def parse(
    document: Document,
    *,
    scope: Literal["live", "full"] = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a session with `events`; it is never changed.

    An event of a model is one turn with the event's id. Each response of an event is a turn
    `{id}.p{part}`, and what else stands in it one turn after them; where a response is all, the id
    is the event's. Events without content are side records. What is malformed is reported with its
    path (contract R4).

    Args:
        document: The parsed JSON.
        scope: `live` is what ADK would send: rewinds and compactions are applied. `full` is every
            event.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No event can be read.
    """
    events = _events_of(document)
    chosen = live(events) if scope == "live" else list(range(len(events)))
    found = Found()
    reader = Reader(found)
    replaced = replaced_responses(events, chosen)
    for index in chosen:
        _read_event((index, events[index]), reader, replaced.get(index, ()))
    path = () if isinstance(document, list) else ("events",)
    return finish(
        NAME, document, events, found, path=path, pins=pins, estimator=estimator, ledger=ledger
    )


def _events_of(document: object) -> list[Any]:
    events = document.get("events") if isinstance(document, dict) else document
    if not isinstance(events, list):
        kind = type(document).__name__
        msg = f"expected a session with `events`; found a {kind} without a list of them"
        raise UnreadableTranscript(msg, {"path": "events", "type": kind})
    if not events:
        msg = "the list of events is empty: there is nothing to read"
        raise UnreadableTranscript(msg, {"path": "events"})
    return events


def _read_event(numbered: tuple[int, object], reader: Reader, skipped: Collection[int]) -> None:
    (index, event), found = numbered, reader.found
    place = f"events[{index}]"
    if not isinstance(event, dict):
        found.report(place, f"an event is an object; this is a {type(event).__name__}")
        return
    content = content_of(event)
    if content is None:
        stray = event.get("content")
        if not (stray is None or isinstance(stray, dict)) or (
            isinstance(stray, dict) and not isinstance(stray.get("parts"), list | None)
        ):
            found.report(f"{place}.content", "a content is an object with a list of parts")
        return
    if event.get("partial") is True:
        return
    named = event.get("id")
    turn_id = named if isinstance(named, str) and named else f"e{index}"
    if compaction_of(event) is not None:
        _read_compaction(turn_id, content, (index, place), found)
        return
    said = is_model(event, content)
    if said:
        found.count(index, _tokens(value_at(event, _USAGE)))
    reader.add(content, turn_id, (index, f"{place}.content"), is_model=said, skipped=skipped)


def _tokens(usage: object) -> int:
    """Return the size of a request and its response; the cached tokens are a part of the prompt."""
    return max([counted_in_all(usage, *keys) for keys in _COUNTED]) if usage else 0


def _read_compaction(turn_id: str, content: Object, at: tuple[int, str], found: Found) -> None:
    index, place = at
    gathered = Gathered()
    for number, part in enumerate(content["parts"]):
        gather_part(part, gathered, f"{place}.actions.compaction.parts[{number}]", found)
    role = Role.USER if content.get("role") == "user" else Role.ASSISTANT
    turn = LoadedTurn(turn_id, role, gathered.content, origin=place, kind=KIND_SUMMARY)
    turn.hidden, turn.media = gathered.hidden_text, gathered.media
    found.add(turn, Place(index))
