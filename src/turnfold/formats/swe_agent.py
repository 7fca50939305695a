"""SWE-agent: a `.traj` file with the `history` of messages and the `trajectory` of steps.

A model with function calling names its calls, and results name them in `tool_call_ids`. Without,
the `action` of a message is its call, and the user message behind it is what was observed.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold._metadata import KIND, KIND_INJECTED, KIND_SUMMARY
from turnfold.errors import UnreadableTranscript
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Message, Place, Source, placed
from turnfold.formats._either import Given, opened
from turnfold.formats._faults import Fault
from turnfold.formats._itemwise import Held, finished, pair_by_place, relocated
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._openai_read import read_message
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._rewrite import (
    Spelling,
    call_id_of,
    flat,
    without_signed_reasoning,
    written_batches,
)
from turnfold.formats._roles import ASSISTANT, TOOL, USER
from turnfold.formats._rules.chats import Entry, check_entries
from turnfold.formats._session import Pins, Session, is_unchanged, transcript_of
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "swe-agent"
LINES: Final = False

_ROLES: Final = ("system", "user", "assistant", "tool")
_STEP: Final = frozenset({"action", "observation"})
_REPEATS_HISTORY: Final = ("query", "messages")
"""Keys of a step under which newer versions repeat all that was said before."""


def matches(document: object) -> bool:
    """Whether a parsed JSON document is a trajectory of SWE-agent."""
    if not isinstance(document, Mapping):
        return False
    history, steps = document.get("history"), document.get("trajectory")
    if not (isinstance(history, list) and history and isinstance(steps, list)):
        return False
    first = history[0]
    is_chat = isinstance(first, Mapping) and first.get("role") in _ROLES
    return is_chat and all(isinstance(each, Mapping) and each.keys() >= _STEP for each in steps[:3])


def parse(
    source: Given,
    *,
    scope: str = "live",  # noqa: ARG001  A trajectory has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read the history of a trajectory; it is never changed.

    A message is a turn `m{index}`. A demonstration is no person's words.

    Args:
        source: The parsed JSON, or its bytes.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: There is no `history`, or no message of it can be read.
    """
    held = opened(source)
    document = held.document
    history = document.get("history") if isinstance(document, dict) else None
    if not isinstance(history, list) or not history:
        msg = "a trajectory of SWE-agent has a `history`, a list of messages; there is none here"
        raise UnreadableTranscript(msg, {"path": "history", "format": NAME})
    return finished(
        NAME, held, _read(history), ("history",), pins=pins, estimator=estimator, ledger=ledger
    )


def _read(history: Sequence[Any]) -> Found:
    found = Found()
    acts = has_task = False
    for index, message in enumerate(history):
        observes = acts and _is_user(message)
        if _is_user(message) and message.get("content") == CLOSED_CALL:
            acts = False
            continue
        turn = read_message(index, _as_chat(message), found)
        if turn is None:
            continue
        if turn.role is ASSISTANT:
            acts = _read_action(turn, message)
        elif observes and turn.kind is None:
            turn.role, turn.kind, turn.answers, acts = TOOL, None, ("",), False
        elif turn.role is USER and turn.kind is None:
            observed = has_task and message.get("message_type") == "observation"
            is_demo = bool(message.get("is_demo"))
            turn.kind = KIND_INJECTED if is_demo or observed else None
            has_task = has_task or not is_demo
        found.add(turn, Place(index))
    pair_by_place([turn for turn, _ in found.turns])
    return relocated(found, "history")


def _is_user(message: object) -> bool:
    return isinstance(message, dict) and message.get("role") == "user"


def _as_chat(message: object) -> object:
    """Return a result with the id of its call where chats have it."""
    if isinstance(message, dict) and message.get("role") == "tool":
        ids = message.get("tool_call_ids")
        named = ids[0] if isinstance(ids, list) and ids else message.get("tool_call_id")
        return {**message, "tool_call_id": named}
    return message


def _read_action(turn: LoadedTurn, message: Message) -> bool:
    """Read the action of a message without function calling; whether there is one."""
    if turn.makes:
        return False
    action = message.get("action")
    words = action.split(None, 1) if isinstance(action, str) else []
    if words:
        turn.makes = (Call("", words[0]),)
    return bool(words)


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes | Document:
    """Return the trajectory with the messages of a view (contract R2).

    The steps of `trajectory` repeat what was said and observed: those of removed messages go,
    those of masked observations are masked.

    Args:
        view: The view.
        session: The session that it was made of.
        reasoning: What becomes of thinking blocks; by default they are left out after the first
            edit, as Anthropic binds them to what stands before.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    held: Held = session.source
    if is_unchanged(view, session):
        return held.opened.given
    stripped = stripped_turns(view, session, reasoning or "strip_after_edit")

    def kept(message: Message, turn: TranscriptTurn) -> Message:
        return without_signed_reasoning(message) if turn.turn_id in stripped else message

    spelling = Spelling(_summary, _masked, _closing, kept)
    messages = flat(written_batches(view, held.source, spelling))
    document: Any = placed(held.source.document, ("history",), messages)
    if isinstance(document.get("trajectory"), list):
        steps = _steps(document["trajectory"], transcript_of(view).turns, held.source)
        document = {**document, "trajectory": steps}
    return held.opened.spelled(document)


def _summary(turn: TranscriptTurn) -> Message:
    return {"role": "user", "content": turn.content, "message_type": "observation"}


def _masked(message: Message, text: str) -> Message:
    masked = {**message, "content": text}
    if "thought" in masked:
        masked["thought"] = ""
    return without_signed_reasoning(masked)


def _closing(message: Message, number: int) -> Message:
    base = {"message_type": "observation"} if "message_type" in message else {}
    base |= {"agent": message["agent"]} if "agent" in message else {}
    call_id = call_id_of(message, number)
    if call_id is None:
        return {**base, "role": "user", "content": CLOSED_CALL}
    return {**base, "role": "tool", "content": CLOSED_CALL, "tool_call_ids": [call_id]}


def _steps(
    steps: Sequence[Any], turns: Sequence[TranscriptTurn], source: Source
) -> list[dict[str, Any]]:
    """Return the steps whose messages are in the view, without anything that is not."""
    numbers = {source.places[turn.turn_id].message: turn for turn in turns if _is_old(turn)}
    observed: dict[str | None, TranscriptTurn] = {
        turn.tool_call_id: turn for turn in turns if turn.role is TOOL
    }
    acts: defaultdict[str, deque[int]] = defaultdict(deque)
    for number, message in enumerate(source.messages):
        if isinstance(message, dict) and isinstance(message.get("action"), str):
            acts[message["action"]].append(number)
    written = []
    last = -1
    for step in steps:
        at = _following(step, acts, last)
        if at is None:
            continue
        last = at
        turn = numbers.get(at)
        if turn is not None and not source.is_changed(turn):
            written.append(_step(step, observed.get(turn.tool_call_id), source))
    return written


def _following(step: object, acts: Mapping[str, deque[int]], last: int) -> int | None:
    """Return the next message that has the action of a step."""
    action = step.get("action") if isinstance(step, dict) else None
    queue = acts.get(action) if isinstance(action, str) else None
    while queue and queue[0] <= last:
        queue.popleft()
    return queue.popleft() if queue else None


def _is_old(turn: TranscriptTurn) -> bool:
    return turn.metadata.get(KIND) != KIND_SUMMARY


def _step(step: dict[str, Any], result: TranscriptTurn | None, source: Source) -> dict[str, Any]:
    if any(key in step for key in _REPEATS_HISTORY):
        step = {key: value for key, value in step.items() if key not in _REPEATS_HISTORY}
    if result is None or not source.is_changed(result):
        return step
    return {**step, "observation": result.content}


def check(document_or_bytes: Given, *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault for which a provider would refuse the history.

    Args:
        document_or_bytes: The parsed JSON of a trajectory, or its bytes.
        pending_ok: Whether a call at the very end may wait for its result.
    """
    document = opened(document_or_bytes).document
    history = document.get("history") if isinstance(document, dict) else None
    if not isinstance(history, list):
        return [Fault("history", "no_history", "there is no list of messages")]
    return check_entries(list(_entries(history)), pending_ok=pending_ok)


def _entries(history: Sequence[Any]) -> Iterator[Entry]:
    waits = False
    for index, message in enumerate(history):
        place = f"history[{index}]"
        if not isinstance(message, dict):
            yield Entry(place, type(message).__name__)
            continue
        role = str(message.get("role"))
        blank = message.get("content") in (None, [], "")
        if role == "user" and waits:
            waits = False
            yield Entry(place, "tool")
            continue
        listed = message.get("tool_calls")
        calls = tuple(
            str(call.get("id") or "")
            for call in (listed if isinstance(listed, list) else ())
            if isinstance(call, dict)
        )
        waits = role == "assistant" and not calls and bool(str(message.get("action") or "").strip())
        if role == "tool":
            ids = message.get("tool_call_ids") or [message.get("tool_call_id")]
            yield Entry(place, role, answers=str(ids[0] if isinstance(ids, list) else "") or "")
        else:
            yield Entry(place, role, ("",) if waits else calls, is_blank=blank and not calls)
