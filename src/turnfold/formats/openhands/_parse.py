"""Parsing events, and telling them by their kinds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from turnfold.errors import UnreadableTranscript
from turnfold.formats._document import DEFAULT_PINS, Found, Place
from turnfold.formats._either import Given, opened
from turnfold.formats._itemwise import (
    Path,
    at_path,
    chosen,
    finished,
    pair_by_place,
    spelled_path,
)
from turnfold.formats._session import Pins, Session, counted_in_all
from turnfold.formats.openhands._legacy import read_deeds
from turnfold.formats.openhands._names import NAME, is_certain, is_event, kind_of
from turnfold.formats.openhands._render import Events
from turnfold.formats.openhands._scope import condenses, live, on_branch, responses, sent
from turnfold.formats.openhands._sdk import read_events
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator

_PEEKED: Final = 20
_PAIR: Final = 2


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds OpenHands events, or runs with a `history` of them."""
    if isinstance(document, Mapping):
        history = document.get("history")
        return _are(is_event, history) or _are(is_certain, document.get("events"))
    return _are(is_certain, document) or _are_runs(document)


def matches_lines(first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the first records of JSON Lines are OpenHands events, or runs of them."""
    return _are(is_certain, first_records) or _are_runs(first_records)


def _are_runs(value: object) -> bool:
    return _are(lambda each: isinstance(each, dict) and _are(is_event, each.get("history")), value)


def _are(wanted: Callable[[object], bool], value: object) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return False
    first = value[:_PEEKED]
    return bool(first) and all(wanted(each) for item in first for each in _flat(item))


def _flat(item: object) -> list[Any]:
    is_pair = isinstance(item, list) and len(item) == _PAIR
    return list(item) if is_pair and isinstance(item, list) else [item]


def parse(
    source: Given,
    *,
    scope: Literal["live", "full"] = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
    conversation: int | None = None,
) -> Session:
    """Read events, or one run of an output file; the input is never changed.

    Args:
        source: A list of events, an object with `events` or `history`, a list of such objects,
            or the bytes of any of these, JSON Lines too.
        scope: `live` is what the model has in its context: the last branch, without what
            condensations forgot. `full` is every event in order.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the source: its turns get their ids back.
        conversation: Which of several runs, counted from 0.

    Raises:
        UnreadableTranscript: There are no events, or several runs and none is named.
    """
    held = opened(source)
    paths = _paths(held.document)
    if not paths:
        msg = "there are no OpenHands events in it: neither a list of events nor a `history`"
        raise UnreadableTranscript(msg, {"format": NAME})
    path = chosen(paths, conversation, "the runs of the source")
    listed = at_path(held.document, path)
    in_pairs = any(isinstance(each, list) for each in listed)
    events = [each for item in listed for each in _flat(item)]
    session = finished(
        NAME,
        held,
        _found(events, spelled_path(path, "events"), scope),
        path,
        items=events,
        pins=pins,
        estimator=estimator,
        ledger=ledger,
    )
    return replace(session, source=Events(session.source.source, held, in_pairs))


def _paths(document: Any) -> list[Path]:  # noqa: ANN401  JSON.
    """Return where the runs are: lists in which at least one value is an event."""
    if isinstance(document, dict):
        found: list[Path] = [
            (key,) for key in ("history", "events") if _holds_events(document.get(key))
        ]
        return found[:1]
    if _holds_events(document):
        return [()]
    return [
        (number, "history")
        for number, run in enumerate(document)
        if isinstance(run, dict) and _holds_events(run.get("history"))
    ]


def _holds_events(value: object) -> bool:
    return isinstance(value, list) and any(is_event(each) for item in value for each in _flat(item))


def _found(events: Sequence[Any], place: str, scope: str) -> Found:
    found = Found()
    numbers = sent(events, place, found)
    if scope == "live":
        branch = set(on_branch(events, place, found))
        numbers = [number for number in numbers if number in branch]
    condensed = max((number for number in numbers if condenses(events[number])), default=-1)
    if scope == "live":
        numbers = live(events, numbers)
    for group in responses(events, numbers):
        members = [events[number] for number in group]
        read = read_deeds if kind_of(members[0]) is None else None
        at = f"{place}[{group[0]}]"
        turn = read(members, at) if read else read_events(members, at, found)
        if turn is not None:
            turn.turn_id = turn.turn_id or f"e{group[0]}"
            found.add(turn, Place(group[0], tuple(group) if len(group) > 1 else None))
            if group[0] > condensed:
                found.count(group[0], _tokens(members[0]))
    pair_by_place([turn for turn, _ in found.turns])
    return found


def _tokens(event: Mapping[str, Any]) -> int:
    """Return what was counted at the response of an earlier action, which keeps it whole."""
    metadata = event.get("tool_call_metadata")
    response = metadata.get("model_response") if isinstance(metadata, dict) else None
    usage = response.get("usage") if isinstance(response, dict) else None
    return counted_in_all(usage, "total_tokens", "prompt_tokens", "completion_tokens")
