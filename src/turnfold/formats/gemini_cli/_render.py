"""Writing a compacted Gemini CLI session."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from turnfold._metadata import STATUS, STATUS_ERROR
from turnfold.errors import UnreadableTranscript
from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._document import Document, Source, require_known
from turnfold.formats._either import Given, opened
from turnfold.formats._faults import Fault
from turnfold.formats._gemini_read import Object, call_of, is_thought, masked_response, response_of
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats._new_records import derived_uuid
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._session import (
    Session,
    is_unchanged,
    renderable_turns,
    seed_of,
)
from turnfold.formats._short_inputs import shortened
from turnfold.formats.gemini_cli._parse import calls_of, loose_calls, own_result, parts_of
from turnfold.formats.gemini_cli._recording import Recording, session_in
from turnfold.formats.gemini_cli._rules import check_gemini_cli
from turnfold.tokens._inputs import ShortInputs
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

_SHOWN: Final = frozenset(("resultDisplay", "displayContent"))
"""What the client keeps to show: a second copy of a text."""


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes | Document:
    """Return the session with the messages of a view, under a new session id (contract R2).

    Kept messages are the original objects, and an unchanged view is the original document, or the
    very lines of a recording. Notes to the user and other side records are left out.

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What happens to `thoughts`. By default they are kept: they are bound to nothing.

    Raises:
        UnrenderableView: No turn would be left, or a turn has no original.
    """
    if isinstance(session.source, Recording):
        recording = session.source
        if is_unchanged(view, session):
            return recording.given()
        session = replace(session, source=recording.source)
        return recording.spelled(_rendered(view, session, reasoning))
    return _rendered(view, session, reasoning)


def _rendered(
    view: CompactedView | Transcript, session: Session, reasoning: Reasoning | None
) -> Document:
    source: Source = session.source
    if is_unchanged(view, session):
        return source.document
    turns = renderable_turns(view)
    require_known(turns.turns, source)
    source = shortened(view, source, shorten=_with_short_inputs, bare=_without_thoughts).source
    seed = seed_of(view)
    stripped = stripped_turns(view, session, reasoning or "keep", keeps_loop=False)
    batches = batches_of(turns, source)
    messages: list[Any] = []
    if batches and batches[0].turn.role is Role.ASSISTANT:
        messages.append(_new(BRIDGE, _near(batches, 0, source), f"{seed}/bridge"))
    for number, batch in enumerate(batches):
        if batch.turn.turn_id in source.places:
            messages.append(_message_of(batch, source, is_bare=batch.turn.turn_id in stripped))
        else:
            near = _near(batches, number, source)
            messages.append(_new(batch.turn.content, near, f"{seed}/{batch.turn.turn_id}"))
    document = source.with_messages(messages)
    if isinstance(document, dict) and "sessionId" in document:
        return {**document, "sessionId": derived_uuid(f"{seed}/session")}
    return document


def check(source: Given, *, pending_ok: bool = False) -> list[Fault]:
    """Return what Gemini would refuse of what the client sends of a session.

    Args:
        source: The session, or the bytes of it or of a recording.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    try:
        document: object = session_in(opened(source), "live", [])
    except UnreadableTranscript:
        document = None
    return check_gemini_cli(document, pending_ok=pending_ok)


def _with_short_inputs(message: Object, short: ShortInputs) -> Object:
    """Return a message with short inputs; the results stand in it too, and stay."""
    kept = {key: value for key, value in message.items() if key not in _SHOWN}
    calls = [
        {key: short.within(each) if key == "args" else each for key, each in call.items()}
        for call in calls_of(message)
    ]
    changed = {"toolCalls": calls} if calls else {}
    return {**kept, "content": short.within(message.get("content")), **changed}


def _near(batches: Sequence[Batch], number: int, source: Source) -> Object:
    """Return a message of the source beside a place, for the time of a new one."""
    for batch in (*batches[number : number + 2], *batches[:number][-1:]):
        place = source.places.get(batch.turn.turn_id)
        if place is not None:
            message: Object = source.messages[place.message]
            return message
    return {}


def _new(text: str, near: Object, name: str) -> Object:
    """Return a user's message that the source does not hold."""
    message: Object = {"id": derived_uuid(name)}
    if "timestamp" in near:
        message["timestamp"] = near["timestamp"]
    return {**message, "type": "user", "content": text}


def _message_of(batch: Batch, source: Source, *, is_bare: bool) -> Object:
    turn = batch.turn
    message: Object = source.messages[source.places[turn.turn_id].message]
    if is_bare:
        message = _without_thoughts(message)
    if source.is_changed(turn):
        message = _saying(message, turn.content)
    changed = {
        place.blocks[0]: result
        for result in batch.results
        if source.is_changed(result) and (place := source.places[result.turn_id]).blocks
    }
    mixed = any(
        len(own_result(call)) < len(parts_of(call.get("result"))) for call in calls_of(message)
    )
    if not (changed or batch.to_close or mixed):
        return message
    return {**message, "toolCalls": _calls(message, changed, batch.to_close)}


def _without_thoughts(message: Object) -> Object:
    bare = message
    if message.get("thoughts"):
        bare = {**message, "thoughts": []}
    parts = parts_of(message.get("content"))
    kept = [part for part in parts if not is_thought(part)]
    return {**bare, "content": kept} if len(kept) < len(parts) else bare


def _saying(message: Object, text: str) -> Object:
    """Return a masked message: its calls stay, and nothing else that it said."""
    kept = {key: value for key, value in message.items() if key not in _SHOWN}
    calls = [part for part in parts_of(message.get("content")) if call_of(part) is not None]
    if message.get("thoughts"):
        kept["thoughts"] = []
    return {**kept, "content": [{"text": text}, *calls] if calls else text}


def _calls(
    message: Object, changed: dict[int, TranscriptTurn], to_close: Sequence[int]
) -> list[Any]:
    """Return the calls of a message, masked results and closings written into them.

    A call that stands in the content only is recorded, so that it can be closed.
    """
    recorded = calls_of(message)
    loose = [call_of(part) or {} for _, part in loose_calls(message)]
    calls: list[Any] = []
    for number, call in enumerate((*recorded, *loose)):
        if number in to_close:
            named: Object = {key: call[key] for key in ("id", "name", "args") if key in call}
            calls.append(_closed(call if number < len(recorded) else named))
        elif number in changed:
            calls.append(_masked(call, changed[number]))
        elif number < len(recorded):
            own = own_result(call)
            is_whole = len(own) == len(parts_of(call.get("result")))
            calls.append(call if is_whole else {**call, "result": own})
    return calls


def _closed(call: Object) -> Object:
    status = call.get("status")
    named = {key: call[key] for key in ("id", "name") if call.get(key) is not None}
    response = {"functionResponse": {**named, "response": {"error": CLOSED_CALL}}}
    failed = status if status in ("error", "cancelled") else "error"
    return {**call, "result": [response], "status": failed}


def _masked(call: Object, turn: TranscriptTurn) -> Object:
    kept = {key: value for key, value in call.items() if key not in _SHOWN}
    responses = [each for each in map(response_of, own_result(call)) if each is not None]
    named = {key: call[key] for key in ("id", "name") if call.get(key) is not None}
    failed = turn.metadata.get(STATUS) == STATUS_ERROR
    response = masked_response(responses[0] if responses else named, turn.content, failed=failed)
    return {**kept, "result": [{"functionResponse": response}]}
