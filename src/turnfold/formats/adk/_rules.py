"""What ADK, and Gemini behind it, would refuse in a session.

Written without a look at the renderer: it is what a rendering is held against. The session is
read as ADK reads it, and the contents that it would send are held against Gemini's rules. A
response that stands further down than the next event is a fault here, although ADK may move it.
"""

from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats._faults import Fault
from turnfold.formats._rules.gemini import check_gemini

_Sent = tuple[str, dict[str, Any], str]
"""A place, a content, and its author."""

_AS_CONTEXT: Final = {"role": "user", "parts": [{"text": "For context:"}]}
_ALWAYS: Final = float("inf")


def check_adk(document: object, *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault of a session; empty where there is none.

    Args:
        document: The session.
        pending_ok: Whether calls at the very end may wait for their responses.
    """
    events = document.get("events") if isinstance(document, dict) else document
    if not isinstance(events, list):
        return [Fault("events", "no_content", "a session has a list of events")]
    sent = _as_shown(list(_merged(_sent(_live(events)))))
    contents = [content for _, content, _ in sent]
    places = [place for place, _, _ in sent]
    return check_gemini(contents, pending_ok=pending_ok, places=places)


def _get(value: object, *keys: str) -> Any:  # noqa: ANN401  Of any shape.
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _live(events: list[Any]) -> list[tuple[int, Any]]:
    """Return the events in force: not rewound, and not replaced by a compaction."""
    standing: list[tuple[int, Any]] = []
    for index, event in enumerate(events):
        target = _get(
            _get(event, "actions"), "rewind_before_invocation_id", "rewindBeforeInvocationId"
        )
        if target is None:
            standing.append((index, event))
            continue
        for position, (_, each) in enumerate(standing):
            if _get(each, "invocation_id", "invocationId") == target:
                del standing[position:]
                break
    return _uncovered(standing)


def _uncovered(standing: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    start = _ALWAYS
    kept: list[tuple[int, Any]] = []
    for index, event in reversed(standing):
        compaction = _get(_get(event, "actions"), "compaction")
        begins = _get(compaction, "start_timestamp", "startTimestamp")
        time = _get(event, "timestamp")
        if isinstance(begins, int | float):
            start = min(start, begins)
            content = _get(compaction, "compacted_content", "compactedContent")
            kept.append((index, {"author": "model", "content": content}))
        elif not isinstance(time, int | float) or time < start:
            kept.append((index, event))
    return kept[::-1]


def _sent(live: list[tuple[int, Any]]) -> Iterator[_Sent]:
    for index, event in live:
        content = _get(event, "content")
        parts = _get(content, "parts")
        if not parts or _get(event, "partial"):
            continue
        author = str(_get(event, "author"))
        role = _get(content, "role") or ("user" if author == "user" else "model")
        yield f"events[{index}]", {"role": role, "parts": parts}, author


def _merged(sent: Iterator[_Sent]) -> Iterator[_Sent]:
    """Join events that hold nothing but responses: ADK sends them as one content."""
    held: _Sent | None = None
    for place, content, author in sent:
        pure = _only_responses(content)
        if held is not None and pure:
            parts = [*held[1]["parts"], *content["parts"]]
            held = (held[0], {**held[1], "parts": parts}, held[2])
            continue
        if held is not None:
            yield held
        held = (place, content, author) if pure else None
        if not pure:
            yield place, content, author
    if held is not None:
        yield held


def _only_responses(content: dict[str, Any]) -> bool:
    parts = content["parts"]
    return isinstance(parts, list) and all(
        _get(part, "functionResponse", "function_response") is not None for part in parts
    )


def _as_shown(sent: list[_Sent]) -> list[_Sent]:
    """Show what another agent said before a model's event as a user's words, as ADK does."""
    shown: list[_Sent] = []
    for number, (place, content, author) in enumerate(sent):
        if content["role"] == "model" and not _has_call(content):
            _, following, speaker = sent[min(number + 1, len(sent) - 1)]
            if following["role"] == "model" and speaker != author:
                shown.append((place, _AS_CONTEXT, author))
                continue
        shown.append((place, content, author))
    return shown


def _has_call(content: dict[str, Any]) -> bool:
    parts = content["parts"]
    listed = parts if isinstance(parts, list) else []
    return any(_get(part, "functionCall", "function_call") is not None for part in listed)
