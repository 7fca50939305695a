"""Writing a view as events: the kept ones as they were, linked anew."""

from dataclasses import dataclass
from typing import Any

from turnfold._canonical import sha256_of_text
from turnfold.formats._document import Document, placed
from turnfold.formats._either import Given, opened
from turnfold.formats._faults import Fault
from turnfold.formats._itemwise import Held
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._rewrite import Spelling, flat, written_batches
from turnfold.formats._session import Session, is_unchanged
from turnfold.formats.openhands._masked import (
    envelope,
    masked,
    parts_of,
    picked,
    summary_event,
    without_reasoning,
)
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
from turnfold.formats.openhands._rules import check_events
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView


@dataclass(frozen=True, slots=True)
class Events(Held):
    """What rendering needs, and whether the events are in pairs."""

    in_pairs: bool


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes | Document:
    """Return the events of a view, in the wrapper and the spelling of the input (R2).

    Args:
        view: The view.
        session: The session that it was made of.
        reasoning: What becomes of signed thinking and reasoning items. By default they are left
            out after the first edit, but for the current tool loop.

    Raises:
        UnrenderableView: Nothing but SYSTEM turns would be left, or a turn has no original.
    """
    held: Events = session.source
    if is_unchanged(view, session):
        return held.opened.given
    writer = _Writer(view, session, reasoning)
    spelling = Spelling(writer.summary, masked, _closing, writer.kept, _without_bound)
    batches = written_batches(view, held.source, spelling)
    batches = _begun_by_a_user(batches, writer)
    events: list[Any]
    if held.in_pairs:
        events = [pair for batch in batches for pair in _pairs(batch)]
    else:
        events = _linked(flat(batches))
    return held.opened.spelled(placed(held.source.document, held.source.path, events))


class _Writer:
    """What depends on the place in the view, and on the events' kind."""

    def __init__(
        self, view: CompactedView | Transcript, session: Session, reasoning: Reasoning | None
    ) -> None:
        self._stripped = stripped_turns(view, session, reasoning or "strip_after_edit")
        self._strips_all = reasoning == "strip_all"
        events = session.source.source.messages
        self._is_sdk = any(kind_of(event) is not None for event in events)
        self._has_fields = any(isinstance(event, dict) and "args" in event for event in events)

    def summary(self, turn: TranscriptTurn) -> Event:
        if self._is_sdk:
            return summary_event(_derived_id(turn.turn_id), turn.content)
        event: Event = {"observation": "condense", "content": turn.content}
        return {"source": "environment", **event, "extras": {}} if self._has_fields else event

    def bridge(self) -> Event:
        """Return the user's message that stands in where the model would begin."""
        if self._is_sdk:
            message = {"role": "user", "content": parts_of(BRIDGE)}
            made = {"source": "environment", "llm_message": message, "kind": MESSAGE}
            return {"id": _derived_id(BRIDGE), **made}
        if self._has_fields:
            return {"action": "message", "source": "user", "args": {"content": BRIDGE}}
        return {"content": BRIDGE, "action": "message"}

    def kept(self, event: Event, turn: TranscriptTurn) -> Event:
        if kind_of(event) == CONDENSATION or deed_of(event) == ("action", "condensation"):
            return masked(event, turn.content)
        if turn.turn_id not in self._stripped:
            return event
        return without_reasoning(event, everything=self._strips_all)


def _begun_by_a_user(batches: list[list[Event]], writer: _Writer) -> list[list[Event]]:
    """Put a bridge before the model's first words where no user's stand before them."""
    for number, batch in enumerate(batches):
        first = batch[0]
        kind, deed = kind_of(first), deed_of(first)
        if kind == SYSTEM or deed == ("action", "system"):
            continue
        message = first.get("llm_message")
        by_model = kind in (ACTION, ERROR, OBSERVATION, REJECTION) or (
            isinstance(message, dict) and message.get("role") != "user"
        )
        if by_model or (deed is not None and _is_models(deed, first)):
            return [*batches[:number], [writer.bridge()], *batches[number:]]
        break
    return batches


def _is_models(deed: tuple[str, str], event: Event) -> bool:
    if deed[0] == "observation":
        return deed[1] not in ("condense", "recall")
    return deed[1] != "message" or event.get("source") == "agent"


def _without_bound(event: Event) -> Event:
    return without_reasoning(event, everything=False)


def _derived_id(name: str) -> str:
    return sha256_of_text(name)[:32]


def _closing(event: Event, number: int) -> Event:
    """Return the error that closes a call which was never answered (A12)."""
    kind = kind_of(event)
    if kind is None:
        return _closing_deed(event)
    call: Any = event.get("tool_call")
    if kind == MESSAGE:
        call = event["llm_message"]["tool_calls"][number]
    held = call if isinstance(call, dict) else {}
    name = held.get("name") or event.get("tool_name")
    call_id = event.get("tool_call_id") or held.get("id")
    return {
        "id": _derived_id(f"{event.get('id')}.{number}"),
        **envelope(event),
        "source": "agent",
        "tool_name": name if isinstance(name, str) else "",
        "tool_call_id": call_id if isinstance(call_id, str) else "",
        "error": CLOSED_CALL,
        "kind": ERROR,
    }


def _closing_deed(event: Event) -> Event:
    made: Event = {"observation": "error", "content": CLOSED_CALL}
    if "id" in event:
        made["cause"] = event["id"]
    if "args" in event:
        made = {**picked(event, ("timestamp",)), "source": "environment", **made}
        made["extras"] = {}
    return {**made, **picked(event, ("tool_call_metadata",))}


def _linked(events: list[Event]) -> list[Event]:
    """Return SDK events in one chain: each names the one before it, as far as it names any."""
    linked: list[Event] = []
    for event in events:
        written = event
        if isinstance(event.get("parent_id"), str):
            parent = linked[-1].get("id") if linked else None
            written = event if parent == event["parent_id"] else {**event, "parent_id": parent}
        linked.append(written)
    for number, event in enumerate(linked):
        if kind_of(event) == SUMMARY and "timestamp" not in event:
            beside = [*linked[number + 1 : number + 2], *linked[max(0, number - 1) : number]]
            times = [each["timestamp"] for each in beside if "timestamp" in each]
            linked[number] = {**event, "timestamp": times[0]} if times else event
    return linked


def _pairs(batch: list[Event]) -> list[list[Event]]:
    """Return a batch as pairs of an action and what was observed; nothing observed is `null`."""
    nothing: Event = {"observation": "null", "content": ""}
    first, *others = batch
    if (deed_of(first) or ("",))[0] == "observation":
        return [[{"action": "null"}, first]]
    actions = [first, *(each for each in others if (deed_of(each) or ("",))[0] == "action")]
    results = [each for each in others if (deed_of(each) or ("",))[0] != "action"]
    pairs = []
    for action in actions:
        answer = next((each for each in results if each.get("cause") == action.get("id")), None)
        if answer is None and results and len(actions) == 1:
            answer = results[0]
        pairs.append([action, nothing if answer is None else answer])
    return pairs


def check(
    document_or_bytes: Given, *, pending_ok: bool = False, conversation: int | None = None
) -> list[Fault]:
    """Return every fault for which OpenHands drops events or a provider refuses the messages.

    Args:
        document_or_bytes: The events, in any of the forms that `parse` reads.
        pending_ok: Whether calls at the very end may wait for their results.
        conversation: Which of several runs, counted from 0; by default all of them.
    """
    document = opened(document_or_bytes).document
    return check_events(document, pending_ok=pending_ok, conversation=conversation)
