"""From the turns of a view to the steps of a trajectory."""

from typing import Final

from turnfold.errors import UnrenderableView
from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._document import Message, Source, require_known
from turnfold.formats._marks import CLOSED_CALL, NO_WORDS
from turnfold.formats._session import renderable_turns
from turnfold.formats._short_inputs import shortened
from turnfold.formats.atif._read import calls_of, results_of
from turnfold.tokens._inputs import ShortInputs
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

_ORIGINAL: Final = "original_step_id"


def written_steps(
    view: CompactedView | Transcript, source: Source, *, stripped: bool
) -> list[Message]:
    """Return the steps of a view, numbered from 1.

    Args:
        view: The view.
        source: Where its turns came from.
        stripped: Whether reasoning is left out.

    Raises:
        UnrenderableView: Nothing but system steps would be left, or a turn has no original.
    """
    turns = renderable_turns(view).turns
    require_known(turns, source)
    source = shortened(view, source, shorten=_with_short_inputs).source
    batches = batches_of(turns, source)
    if all(batch.turn.role is Role.SYSTEM for batch in batches):
        msg = "only system steps would be left of the view, which is no trajectory"
        raise UnrenderableView(msg, {"turns": len(turns)})
    steps = []
    for number, batch in enumerate(batches, start=1):
        if batch.turn.turn_id not in source.places:
            steps.append({"step_id": number, "source": "user", "message": batch.turn.content})
            continue
        step = _step_of(batch, source)
        if stripped:
            step = _without_reasoning(step)
        steps.append(_carried(step, number))
    return steps


def _without_reasoning(step: Message) -> Message:
    """Return a step without what was thought; where that was all, a text says so."""
    kept = {key: value for key, value in step.items() if key != "reasoning_content"}
    if len(kept) == len(step) or step.get("message") or calls_of(step) or results_of(step):
        return kept
    return {**kept, "message": NO_WORDS}


def _with_short_inputs(step: Message, short: ShortInputs) -> Message:
    """Return a step with short inputs; the results stand in it too, and stay."""
    return {
        key: value if key == "observation" else short.within(value) for key, value in step.items()
    }


def _carried(step: Message, number: int) -> Message:
    extra = step.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    kept = {**extra, _ORIGINAL: extra.get(_ORIGINAL, step.get("step_id"))}
    return {**step, "step_id": number, "is_copied_context": True, "extra": kept}


def _step_of(batch: Batch, source: Source) -> Message:
    step: Message = source.messages[source.places[batch.turn.turn_id].message]
    originals = results_of(step)
    if source.is_changed(batch.turn):
        step = {key: value for key, value in step.items() if key != "reasoning_content"}
        step["message"] = batch.turn.content
        if batch.turn.role is not Role.ASSISTANT:
            return {key: value for key, value in step.items() if key != "observation"}
    if batch.turn.role is not Role.ASSISTANT:
        return step
    results = [_result_of(turn, source) for turn in batch.results]
    if calls_of(step):
        ids = source.calls.get(batch.turn.turn_id, ())
        results += [_closing(ids[number]) for number in batch.to_close]
    same = len(results) == len(originals) and all(
        one is other for one, other in zip(results, originals, strict=True)
    )
    if same:
        return step
    observation = step.get("observation")
    kept = observation if isinstance(observation, dict) else {}
    return {**step, "observation": {**kept, "results": results}}


def _closing(call_id: str) -> Message:
    """Return the result that closes a call; without an id, all that no other result names."""
    named = {"source_call_id": call_id} if call_id else {}
    return {**named, "content": CLOSED_CALL}


def _result_of(turn: TranscriptTurn, source: Source) -> Message:
    """Return a result; one with another id than that of the call that it answers gets it."""
    place = source.places[turn.turn_id]
    result: Message = results_of(source.messages[place.message])[(place.blocks or (0,))[0]]
    named, answered = result.get("source_call_id"), source.answers[turn.turn_id]
    if named is not None and (not named or named != answered):
        result = {**result, "source_call_id": answered or None}
    return {**result, "content": turn.content} if source.is_changed(turn) else result
