"""An event with another text, or without what a provider signed; ids, names and flags stay."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold.formats.openhands._names import (
    ACTION,
    CONDENSATION,
    ERROR,
    MESSAGE,
    OBSERVATION,
    REJECTION,
    SUMMARY,
    SYSTEM,
    Event,
    deed_of,
    kind_of,
)

_LONGEST: Final = 200
"""What is longer, in a masked event, could repeat its text."""

_PROVIDER_REASONING: Final = ("thinking_blocks", "responses_reasoning_item", "reasoning_details")


def summary_event(event_id: object, text: str) -> Event:
    """Return a summary as the SDK writes it; the model gets it as a user's message."""
    return {"id": event_id, "source": "environment", "summary": text, "kind": SUMMARY}


def without_reasoning(event: Event, *, everything: bool) -> Event:
    """Leave out what a provider signed; plain `reasoning_content` stays (B5)."""
    if kind_of(event) == MESSAGE and isinstance(event.get("llm_message"), dict):
        message = _stripped(event["llm_message"], everything=everything)
        return event if message is event["llm_message"] else {**event, "llm_message": message}
    if kind_of(event) != ACTION:
        return event
    stripped = _stripped(event, everything=everything)
    call = event.get("tool_call")
    if isinstance(call, dict) and call.get("responses_item_id"):
        # The provider would miss the reasoning that stood before an item with this id (B3).
        return {**stripped, "tool_call": {**call, "responses_item_id": None}}
    return stripped


def _stripped(holder: dict[str, Any], *, everything: bool) -> dict[str, Any]:
    emptied: dict[str, object] = {
        key: _empty(holder[key]) for key in _PROVIDER_REASONING if holder.get(key)
    }
    if everything and holder.get("reasoning_content"):
        emptied["reasoning_content"] = ""
    return {**holder, **emptied} if emptied else holder


def _empty(value: object) -> list[object] | None:
    return [] if isinstance(value, list) else None


def parts_of(text: str) -> list[dict[str, str]]:
    """Return a text as the parts of a content."""
    return [{"type": "text", "text": text}] if text else []


def masked(event: Event, text: str) -> Event:
    """Return an event with another text; ids, names and the error flag stay."""
    kind = kind_of(event)
    if kind == CONDENSATION:
        made = summary_event(f"{event.get('id')}-summary", text)
        return {**made, **envelope(event)}
    if kind is None:
        return _masked_deed(event, text)
    if kind == OBSERVATION:
        return _masked_observation(event, text)
    if kind == MESSAGE and isinstance(event.get("llm_message"), dict):
        message = _stripped(event["llm_message"], everything=True)
        event = {**event, "llm_message": {**message, "content": parts_of(text)}}
    texts: dict[str, dict[str, Any]] = {
        ERROR: {"error": text},
        REJECTION: {"rejection_reason": text},
        SUMMARY: {"summary": text},
        SYSTEM: {"system_prompt": {"type": "text", "text": text}, "dynamic_context": None},
        ACTION: {"thought": parts_of(text), "summary": None},
    }
    kept = {
        key: value
        for key, value in texts.get(kind, {}).items()
        if value is not None or key in event
    }
    if event.get("extended_content"):
        kept["extended_content"] = []
    return without_reasoning({**event, **kept}, everything=True)


def envelope(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return when an event was written, and behind which."""
    return {key: event[key] for key in ("timestamp", "parent_id") if key in event}


def _masked_observation(event: Event, text: str) -> Event:
    observation = event.get("observation")
    body: dict[str, Any] = dict(observation) if isinstance(observation, dict) else {}
    key = "output" if isinstance(body.get("output"), str) and "content" not in body else "content"
    value: object = text if isinstance(body.get(key), str) else parts_of(text)
    short = {name: each for name, each in body.items() if name == key or _is_short(each)}
    hidden = {**event, "observation": {**short, key: value}}
    if event.get("extended_content"):
        hidden["extended_content"] = []
    return hidden


def _is_short(value: object) -> bool:
    return not isinstance(value, list | dict) and (
        not isinstance(value, str) or len(value) <= _LONGEST
    )


def _masked_deed(event: Event, text: str) -> Event:
    acts, what = deed_of(event) or ("", "")
    if what == "condensation":
        made: Event = {"observation": "condense", "content": text}
        return {**picked(event, ("id", "timestamp", "source")), **made, "extras": {}}
    if acts == "observation":
        kept = {
            key: value
            for key, value in event.items()
            if _is_short(value) or key in ("tool_call_metadata", "content")
        }
        extras = event.get("extras")
        if isinstance(extras, dict):
            kept["extras"] = {key: value for key, value in extras.items() if _is_short(value)}
        if kept.get("message") and str(kept["message"]) in str(event.get("content")):
            kept["message"] = ""
        return {key: text if key == "content" else kept[key] for key in {**kept, "content": ""}}
    key = "content" if what in ("message", "system") else "thought"
    if isinstance(event.get("args"), dict):
        return {**event, "args": {**event["args"], key: text}}
    return {**event, key: text}


def picked(event: Event, keys: Sequence[str]) -> Event:
    """Return those of some keys that an event has."""
    return {key: event[key] for key in keys if key in event}
