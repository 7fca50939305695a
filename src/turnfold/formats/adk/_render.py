"""Writing an ADK session with the events of a view."""

from typing import Any, Final

from turnfold._canonical import sha256_of_text
from turnfold.formats._batches import batches_of
from turnfold.formats._document import Document, Source, require_known
from turnfold.formats._faults import Fault
from turnfold.formats._gemini_read import Object, value_at
from turnfold.formats._gemini_write import Writer, stripping
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._session import Session, is_unchanged, renderable_turns, seed_of
from turnfold.formats._short_inputs import shortened
from turnfold.formats.adk._events import (
    COMPACTED,
    INVOCATION,
    START,
    compaction_of,
    content_of,
    is_model,
    time_of,
)
from turnfold.formats.adk._rules import check_adk
from turnfold.tokens._inputs import ShortInputs
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

_REPEATING: Final = frozenset(("compaction", "state_delta", "stateDelta"))
"""What the actions of an event may repeat of its content."""

_ID_LENGTH: Final = 8
_MOMENT: Final = 0.001
"""Seconds that a new event stands before a compaction, so that it is not taken for covered."""


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> Document:
    """Return the session with the events of a view (contract R2).

    Kept events are the original objects, and an unchanged view is the original document. Events
    without content are left out. The session keeps its id: load it beside the first, never over it.

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What happens to thoughts. By default they are kept: a signature holds whatever
            stands before it. Calls of the current turn keep their signatures in any case.

    Raises:
        UnrenderableView: No turn would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return source.document
    turns = renderable_turns(view)
    require_known(turns.turns, source)
    short = shortened(view, source, shorten=_with_short_inputs)
    strips = stripping(view, session, reasoning, short.turn_ids)
    writer = Writer(short.source, _Events(seed_of(view)), strips)
    writer.write(batches_of(turns, source))
    return source.with_messages(_without_covering(writer.messages))


def check(document: object, *, pending_ok: bool = False) -> list[Fault]:
    """Return what ADK, or Gemini behind it, would refuse in a session; empty where nothing is.

    Args:
        document: The session. What is live is looked at.
        pending_ok: Whether calls at the very end may wait for their responses.
    """
    return check_adk(document, pending_ok=pending_ok)


def _with_short_inputs(event: Any, short: ShortInputs) -> Any:  # noqa: ANN401
    return _Events("").with_content(event, short.within(content_of(event)))


class _Events:
    """A message is an event that holds a content."""

    one_content = False

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def content_of(self, message: Any) -> Object:  # noqa: ANN401
        return content_of(message) or {"parts": []}

    def with_content(self, message: Any, content: Object) -> Object:  # noqa: ANN401
        changed = {**message, "content": content}
        if isinstance(message.get("actions"), dict):
            changed["actions"] = {
                key: value for key, value in message["actions"].items() if key not in _REPEATING
            }
        return changed

    def is_model(self, message: Any) -> bool:  # noqa: ANN401
        return is_model(message, self.content_of(message))

    def new(self, content: Object, near: Any, name: str) -> Object:  # noqa: ANN401
        event: Object = {"id": sha256_of_text(f"{self._seed}/{name}")[:_ID_LENGTH]}
        for key in (*INVOCATION, "timestamp"):
            if isinstance(near, dict) and key in near:
                event[key] = near[key]
        if (compaction := compaction_of(near)) is not None:
            event["timestamp"] = value_at(compaction, START) - _MOMENT
        return {**event, "author": "user", "content": content}

    def continues(self, before: Any, message: Any) -> bool:  # noqa: ANN401
        return bool(before.get("author") == message.get("author"))


def _without_covering(events: list[Any]) -> list[Any]:
    """Turn a compaction that would hide an event before it into an event of its content."""
    latest = float("-inf")
    written: list[Any] = []
    for event in events:
        compaction = compaction_of(event)
        if compaction is not None and latest >= value_at(compaction, START):
            content = value_at(compaction, COMPACTED)
            written.append(_Events("").with_content(event, content))
        else:
            written.append(event)
        latest = max(latest, time_of(event))
    return written
