"""What happened, for whoever watches: a log record, a span event, a callback.

`context.compacted` is a compaction's report, `audit.signals` an audit's, `context.overflowed` says
what a provider refused as too long, and `context.compaction_failed` why a conversation stayed as it
was. None holds the content of a turn but the literals that an audit found.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from turnfold._record import sealed

COMPACTED: Final = "context.compacted"
AUDITED: Final = "audit.signals"
OVERFLOWED: Final = "context.overflowed"
FAILED: Final = "context.compaction_failed"

_LOGGER: Final = logging.getLogger("turnfold")
_SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    COMPACTED: ("tokens_before", "tokens_after", "turns_before", "turns_after", "budget_unmet"),
    AUDITED: ("verdict",),
    OVERFLOWED: ("tokens_estimated", "tokens", "window", "limit"),
    FAILED: ("code", "message"),
}


@sealed
@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a conversation.

    Args:
        name: `context.compacted`, `audit.signals`, `context.overflowed` or
            `context.compaction_failed`.
        body: Plain JSON values.
        conversation: Whose it is, where the caller gave it a name.
    """

    name: str
    body: Mapping[str, Any]
    conversation: str | None = None


Observer = Callable[[Event], None]
"""Is told of every event. What it raises is logged, and costs nobody a conversation."""


def log_event(event: Event) -> None:
    """Write an event to the logger `turnfold`, with its body under `turnfold` in the record.

    A compaction is INFO, a refusal and a failure WARNING; an audit INFO, and WARNING where it did
    not pass.
    """
    is_worse = event.name in (FAILED, OVERFLOWED) or event.body.get("verdict") in ("WARN", "FAIL")
    shown = " ".join(
        f"{key}={event.body[key]}" for key in _SHOWN.get(event.name, ()) if key in event.body
    )
    extra = {"turnfold": {"name": event.name, "conversation": event.conversation, **event.body}}
    level = logging.WARNING if is_worse else logging.INFO
    _LOGGER.log(level, "%s %s", event.name, shown, extra=extra)


def add_span_event(event: Event) -> None:
    """Add an event to the current OpenTelemetry span; nothing where none is recorded.

    Attributes are those of the body that are single values, under `turnfold.`; of a list its
    length. The conversation's name is `gen_ai.conversation.id`, as in the GenAI conventions.

    Raises:
        ImportError: `opentelemetry-api` is not installed (extra `turnfold[otel]`).
    """
    from opentelemetry import trace  # noqa: PLC0415  An extra, loaded when asked for.

    span = trace.get_current_span()
    if span.is_recording():
        span.add_event(event.name, attributes=attributes_of(event))


def attributes_of(event: Event) -> dict[str, str | int | float | bool]:
    """Return the attributes of the span event that stands for an event."""
    attributes: dict[str, str | int | float | bool] = {}
    if event.conversation is not None:
        attributes["gen_ai.conversation.id"] = event.conversation
    for key, value in event.body.items():
        if isinstance(value, str | int | float | bool):
            attributes[f"turnfold.{key}"] = value
        elif isinstance(value, list | tuple):
            attributes[f"turnfold.{key}.count"] = len(value)
    return attributes


def tell(observers: Iterable[Observer], event: Event) -> None:
    """Tell every observer; one that raises is logged."""
    for observer in observers:
        try:
            observer(event)
        except Exception:
            _LOGGER.exception("an observer of %s raised; the conversation goes on", event.name)
