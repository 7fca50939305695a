"""The events of an ADK session: what they hold, and which of them are live."""

from collections.abc import Sequence
from typing import Any, Final

from turnfold.formats._gemini_read import Object, call_of, response_of, string_of, value_at

INVOCATION: Final = ("invocation_id", "invocationId")
COMPACTED: Final = ("compacted_content", "compactedContent")
START: Final = ("start_timestamp", "startTimestamp")

_REWIND: Final = ("rewind_before_invocation_id", "rewindBeforeInvocationId")


def actions_of(event: object) -> Object:
    actions = event.get("actions") if isinstance(event, dict) else None
    return actions if isinstance(actions, dict) else {}


def compaction_of(event: object) -> Object | None:
    """Return the compaction of an event: a content that stands for all since a time."""
    compaction = actions_of(event).get("compaction")
    if not isinstance(compaction, dict) or not _is_number(value_at(compaction, START)):
        return None
    content = value_at(compaction, COMPACTED)
    whole = isinstance(content, dict) and isinstance(content.get("parts"), list)
    return compaction if whole else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def time_of(event: object) -> float:
    time = event.get("timestamp") if isinstance(event, dict) else None
    return float(time) if isinstance(time, int | float) else float("-inf")


def live(events: Sequence[Any]) -> list[int]:
    """Return the numbers of the events that ADK would send."""
    start = float("inf")
    live: list[int] = []
    for index in reversed(_not_rewound(events)):
        compaction = compaction_of(events[index])
        if compaction is not None:
            start = min(start, value_at(compaction, START))
        if compaction is not None or time_of(events[index]) < start:
            live.append(index)
    return live[::-1]


def _not_rewound(events: Sequence[Any]) -> list[int]:
    first: dict[str, int] = {}
    for index, event in enumerate(events):
        named = value_at(event, INVOCATION) if isinstance(event, dict) else None
        if isinstance(named, str):
            first.setdefault(named, index)
    kept: list[int] = []
    index = len(events) - 1
    while index >= 0:
        target = value_at(actions_of(events[index]), _REWIND)
        if isinstance(target, str) and target:
            index = min(index, first.get(target, index))
        else:
            kept.append(index)
        index -= 1
    return kept[::-1]


def content_of(event: object) -> Object | None:
    """Return the content of an event that has one with parts."""
    compaction = compaction_of(event)
    if compaction is not None:
        content = value_at(compaction, COMPACTED)
    else:
        content = event.get("content") if isinstance(event, dict) else None
    if isinstance(content, dict) and isinstance(content.get("parts"), list) and content["parts"]:
        return content
    return None


def is_model(event: Object, content: Object) -> bool:
    role = content.get("role")
    if isinstance(role, str):
        return role == "model"
    return event.get("author") != "user"


def replaced_responses(events: Sequence[Any], chosen: Sequence[int]) -> dict[int, set[int]]:
    """Return the parts that answer a call which a later response answers again."""
    replaced: dict[int, set[int]] = {}
    answered: dict[str, tuple[int, int]] = {}
    for index in chosen:
        for number, part in enumerate((content_of(events[index]) or {"parts": ()})["parts"]):
            if (call := call_of(part)) is not None:
                answered.pop(string_of(call.get("id")), None)
            elif (response := response_of(part)) is not None:
                named = string_of(response.get("id"))
                if named in answered:
                    before, at = answered[named]
                    replaced.setdefault(before, set()).add(at)
                if named:
                    answered[named] = (index, number)
    return replaced
