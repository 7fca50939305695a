"""What OpenHands, and the providers behind it, ask of a history of events.

Written without a look at the renderer. OpenHands drops events that break its rules and sends the
rest; the words of a fault are those of its log, or of the provider that would refuse them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold.formats._faults import Fault

_MATCHING: Final = "Property ToolCallMatchingProperty enforced, 1 events dropped."
_UNIQUE: Final = "Property ObservationUniquenessProperty enforced, 1 events dropped."
_RIGHT_AFTER: Final = (
    "`tool_use` ids were found without `tool_result` blocks immediately after: {}. Each "
    "`tool_use` block must have a corresponding `tool_result` block in the next message."
)
_THOUGHT: Final = "Expected empty thought for multi-action events after the first one"
_ANSWERS: Final = ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent")
_WORDS: Final = ("MessageEvent", "CondensationSummaryEvent", *_ANSWERS, "ActionEvent")
_WORDS_ONLY: Final = ("message", "system", "finish", "reject", "condensation")
_SILENT: Final = ("null", "agent_state_changed", "change_agent_state", "recall")


def check_events(
    document: object, *, pending_ok: bool = False, conversation: int | None = None
) -> list[Fault]:
    """Return every fault of a list of events, or of the runs of a document.

    Args:
        document: A list of events, an object with `events` or `history`, or a list of objects
            with `history`.
        pending_ok: Whether calls at the very end may wait for their results.
        conversation: Which of several runs; by default all.
    """
    faults: list[Fault] = []
    runs = list(_runs(document))
    if not runs:
        return [Fault("events", "no_events", "there is no list of events")]
    for number, (place, events) in enumerate(runs):
        if conversation is None or conversation == number:
            faults += _faults_of(place, events, pending_ok=pending_ok)
    return faults


def _runs(document: object) -> Iterator[tuple[str, list[Any]]]:
    if isinstance(document, Mapping):
        for key in ("history", "events"):
            if isinstance(document.get(key), list):
                yield key, document[key]
                return
    elif isinstance(document, list):
        wrapped = [
            (f"[{number}].history", each["history"])
            for number, each in enumerate(document)
            if isinstance(each, Mapping) and isinstance(each.get("history"), list)
        ]
        yield from wrapped or [("events", document)]


def _faults_of(place: str, events: list[Any], *, pending_ok: bool) -> Iterator[Fault]:
    numbered: list[tuple[str, Any]] = []
    for number, item in enumerate(events):
        if isinstance(item, list):
            pairs = enumerate(item)
            numbered += [(f"{place}[{number}][{half}]", each) for half, each in pairs]
        else:
            numbered.append((f"{place}[{number}]", item))
    for at, event in numbered:
        if not isinstance(event, Mapping):
            yield Fault(at, "event", "an event is an object")
    held = [(at, event) for at, event in numbered if isinstance(event, Mapping)]
    if any(isinstance(event.get("kind"), str) for _, event in held):
        yield from _ids(held)
        yield from _sdk(_alive(held), pending_ok=pending_ok)
    else:
        yield from _deeds(held, pending_ok=pending_ok)


def _ids(held: Sequence[tuple[str, Any]]) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, event in held:
        name, parent = event.get("id"), event.get("parent_id")
        if not isinstance(name, str) or not name:
            yield Fault(f"{at}.id", "event_id", "an event has an id")
            continue
        if name in seen:
            yield Fault(f"{at}.id", "repeated_id", f"two events have the id {name!r}")
        if isinstance(parent, str) and parent != "__root__" and parent not in seen:
            yield Fault(f"{at}.parent_id", "parent", f"{parent!r} does not stand before it")
        seen.add(name)


def _alive(held: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """What is left after the condensations, and is sent to the model."""
    alive: list[tuple[str, Any]] = []
    for at, event in held:
        if event.get("kind") == "Condensation":
            listed = event.get("forgotten_event_ids")
            held_ids = listed if isinstance(listed, list) else []
            gone = {each for each in held_ids if isinstance(each, str)}
            alive = [each for each in alive if str(each[1].get("id")) not in gone]
            offset = event.get("summary_offset")
            if isinstance(event.get("summary"), str) and isinstance(offset, int):
                name = f"{event.get('id')}-summary"
                made = {"kind": "CondensationSummaryEvent", "id": name, "summary": event["summary"]}
                alive.insert(max(0, offset), (at, made))
        elif event.get("kind") == "SystemPromptEvent" or event.get("kind") in _WORDS:
            alive.append((at, event))
    return alive


def _sdk(alive: Sequence[tuple[str, Any]], *, pending_ok: bool) -> Iterator[Fault]:
    spoken = [event for _, event in alive if event.get("kind") != "SystemPromptEvent"]
    if not spoken:
        yield Fault("events", "only_system", "there is no event besides the system prompt")
    elif _role(spoken[0]) != "user":
        wanted = 'messages: first message must use the "user" role'
        yield Fault("events", "first_role", "the first message is a user's", wanted)
    calls = _OpenCalls()
    for at, event in alive:
        if event["kind"] == "ActionEvent":
            yield from calls.act(at, event)
        elif event["kind"] in _ANSWERS:
            yield from calls.answer(at, str(event.get("tool_call_id")))
        else:
            yield from calls.close(at)
            yield from _message(at, event)
    if not pending_ok:
        yield from calls.close("events")


class _OpenCalls:
    """The calls of the last response: those that wait, and those that were answered."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._answered: set[str] = set()
        self._response: object = None

    def act(self, at: str, event: Mapping[str, Any]) -> Iterator[Fault]:
        name = event.get("llm_response_id")
        is_more = bool(self._waiting) and name == self._response and not self._answered
        if is_more and event.get("thought"):
            yield Fault(f"{at}.thought", "batch_thought", "only the first has one", _THOUGHT)
        if not is_more:
            yield from self.close(at)
        self._response = name
        self._waiting.append(str(event.get("tool_call_id")))

    def answer(self, at: str, call_id: str) -> Iterator[Fault]:
        if call_id in self._waiting:
            self._waiting.remove(call_id)
            self._answered.add(call_id)
        elif call_id in self._answered:
            yield Fault(at, "repeated_result", f"{call_id!r} has two results", _UNIQUE)
        else:
            yield Fault(at, "orphan_result", f"no call waits for {call_id!r}", _MATCHING)

    def close(self, at: str) -> Iterator[Fault]:
        if self._waiting:
            yield _unanswered(at, self._waiting)
        self._waiting, self._answered = [], set()


def _role(event: Mapping[str, Any]) -> object:
    if event["kind"] == "CondensationSummaryEvent":
        return "user"
    message = event.get("llm_message")
    return message.get("role") if isinstance(message, Mapping) else event["kind"]


def _unanswered(at: str, calls: Sequence[str]) -> Fault:
    named = ", ".join(calls)
    message = f"no result stands right behind the calls {named}"
    return Fault(at, "unanswered_call", message, _RIGHT_AFTER.format(named))


def _message(at: str, event: Mapping[str, Any]) -> Iterator[Fault]:
    if event["kind"] == "CondensationSummaryEvent":
        if not str(event.get("summary") or "").strip():
            yield Fault(f"{at}.summary", "empty_text", "a summary must not be blank")
        return
    message = event.get("llm_message")
    if event["kind"] != "MessageEvent":
        return
    if not isinstance(message, Mapping):
        yield Fault(f"{at}.llm_message", "message", "a message event holds a message")
        return
    parts = message.get("content")
    held = [*(parts if isinstance(parts, list) else [parts])]
    texts = [str(part.get("text") or "") for part in held if isinstance(part, Mapping)]
    images = any(isinstance(part, Mapping) and part.get("image_urls") for part in held)
    strings = [part for part in held if isinstance(part, str)]
    if not images and not message.get("tool_calls") and not "".join(texts + strings).strip():
        wanted = "messages: text content blocks must be non-empty"
        yield Fault(f"{at}.llm_message", "empty_text", "a message says something", wanted)


def _deeds(held: Sequence[tuple[str, Any]], *, pending_ok: bool) -> Iterator[Fault]:
    """Check earlier events: what was observed follows what was done, each once."""
    waiting: list[object] = []
    speaks = False
    for at, event in held:
        observed, done = event.get("observation"), event.get("action")
        if observed in _SILENT or done in _SILENT:
            continue
        speaks = speaks or done != "system"
        if isinstance(observed, str):
            if observed != "condense" and not _taken(event.get("cause"), waiting):
                yield Fault(at, "orphan_result", "no action before it waits for an observation")
        elif isinstance(done, str):
            if waiting and len(waiting) >= _calls_in_response(event):
                yield _unanswered(at, [str(name) for name in waiting])
                waiting = []
            if done not in _WORDS_ONLY:
                waiting.append(event.get("id"))
        else:
            yield Fault(at, "event", "an event acts or observes")
    if not speaks:
        yield Fault("events", "only_system", "there is no event besides the system prompt")
    if waiting and not pending_ok:
        yield _unanswered("events", [str(name) for name in waiting])


def _taken(cause: object, waiting: list[object]) -> bool:
    if cause not in waiting:
        return False
    waiting.remove(cause)
    return True


def _calls_in_response(event: Mapping[str, Any]) -> int:
    metadata = event.get("tool_call_metadata")
    total = metadata.get("total_calls_in_response") if isinstance(metadata, Mapping) else 1
    return total if isinstance(total, int) else 1
