"""Which events the model sees, and which of them came in one response."""

from collections.abc import Sequence
from typing import Any

from turnfold.formats._document import Found
from turnfold.formats._session import Damage
from turnfold.formats.openhands._names import (
    ACTION,
    CONDENSATION,
    NO_TURN,
    SENT,
    SIDE,
    Event,
    deed_of,
    fields_of,
    kind_of,
)


def sent(events: Sequence[Any], place: str, found: Found) -> list[int]:
    """Return the numbers of the events that say something to the model; report what is none."""
    numbers = []
    strange: set[str] = set()
    for number, event in enumerate(events):
        kind, deed = kind_of(event), deed_of(event)
        if kind in SENT or (deed is not None and not _is_silent(deed)):
            numbers.append(number)
        elif kind is None and deed is None:
            name = "object" if isinstance(event, dict) else type(event).__name__
            message = f"an event has a kind, an action or an observation; this is another {name}"
            found.report(f"{place}[{number}]", message)
        elif kind is not None and kind not in SIDE and kind not in strange:
            strange.add(kind)
            message = f"events of the unknown kind {kind!r:.60} are no turns"
            found.damage.append(Damage(f"{place}[{number}]", "unknown_kind", message))
    return numbers


def _is_silent(deed: tuple[str, str]) -> bool:
    return deed[1] in NO_TURN or deed == ("action", "recall")


def on_branch(events: Sequence[Any], place: str, found: Found) -> list[int]:
    """Return the numbers of the events from the root to the last one (rewinds leave branches)."""
    numbers = {
        event["id"]: number
        for number, event in enumerate(events)
        if isinstance(event, dict) and isinstance(event.get("id"), str)
    }
    path = []
    number = len(events) - 1
    while number >= 0:
        path.append(number)
        event = events[number]
        parent = event.get("parent_id") if isinstance(event, dict) else None
        if parent == "__root__":
            break
        if isinstance(parent, str) and numbers.get(parent, number) < number:
            number = numbers[parent]
            continue
        if isinstance(parent, str):
            message = f"the parent {parent!r:.60} does not stand before it; the event before does"
            found.report(f"{place}[{number}].parent_id", message)
        number -= 1
    return path[::-1]


def live(events: Sequence[Any], numbers: Sequence[int]) -> list[int]:
    """Return the numbers of the events that are left after the condensations among them.

    A condensation forgets events, and stands for its summary at its offset, or for nothing.
    """
    alive: list[int] = []
    for number in numbers:
        event = events[number]
        if not condenses(event):
            alive.append(number)
            continue
        fields = fields_of(event)
        is_earlier = kind_of(event) is None
        has_summary = isinstance(fields.get("summary"), str)
        forgotten = _forgotten(fields)
        alive = [
            each
            for each in alive
            if _name_of(events[each]) not in forgotten
            and not (is_earlier and has_summary and condenses(events[each]))
        ]
        offset = fields.get("summary_offset")
        if has_summary and isinstance(offset, int) and offset >= 0:
            alive.insert(offset, number)
    return alive


def condenses(event: Event) -> bool:
    """Whether an event is a condensation, of either kind."""
    return kind_of(event) == CONDENSATION or deed_of(event) == ("action", "condensation")


def _name_of(event: Event) -> Any:  # noqa: ANN401  Of whatever type it is.
    name = event.get("id")
    if kind_of(event) == CONDENSATION:
        return f"{name}-summary"
    return name if isinstance(name, str | int) else None


def _forgotten(fields: Any) -> frozenset[Any] | range:  # noqa: ANN401  JSON.
    """Return the ids that a condensation forgets: listed, or from one to another."""
    listed = fields.get("forgotten_event_ids")
    if isinstance(listed, list) and listed:
        return frozenset(each for each in listed if isinstance(each, str | int))
    start, end = fields.get("forgotten_events_start_id"), fields.get("forgotten_events_end_id")
    if isinstance(start, int) and isinstance(end, int):
        return range(start, end + 1)
    return frozenset()


def responses(events: Sequence[Any], numbers: Sequence[int]) -> list[list[int]]:
    """Group the numbers of events: actions that came in one response of the model are together."""
    groups: list[list[int]] = []
    running: str | None = None
    waiting: dict[str, list[int]] = {}
    for number in numbers:
        event = events[number]
        before, running = running, _response_of(event)
        name, total = _earlier_response_of(event)
        if running is not None and running == before:
            groups[-1].append(number)
        elif name is not None and len(waiting.get(name, ())) in range(1, total):
            waiting[name].append(number)
        else:
            groups.append([number])
            if name is not None:
                waiting[name] = groups[-1]
    return groups


def _response_of(event: Event) -> str | None:
    name = event.get("llm_response_id") if kind_of(event) == ACTION else None
    return name if isinstance(name, str) and name else None


def _earlier_response_of(event: Event) -> tuple[str | None, int]:
    """Return of an earlier action the model's response, and how many calls that made."""
    deed = deed_of(event)
    metadata = event.get("tool_call_metadata")
    if deed is None or deed[0] != "action" or not isinstance(metadata, dict):
        return None, 0
    response, total = metadata.get("model_response"), metadata.get("total_calls_in_response")
    name = response.get("id") if isinstance(response, dict) else None
    return (name, total) if isinstance(name, str) and isinstance(total, int) else (None, 0)
