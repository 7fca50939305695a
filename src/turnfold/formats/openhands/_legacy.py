"""From the events that OpenHands wrote before its SDK to turns.

An event acts or observes. Early files hold the fields beside that word, without ids; later ones
hold them in `args` and `extras`, and an observation names the action that it answers.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._marks import is_marked_summary
from turnfold.formats._parts import Gathered, json_of, text_of
from turnfold.formats.openhands._names import Event, deed_of, fields_of, is_ours
from turnfold.transcript import Role

_BOOKKEEPING: Final = frozenset(
    {
        *("action", "action_risk", "args", "blocking", "cause", "confirmation_state", "cwd"),
        *("hard_timeout", "hidden", "id", "is_confirmed", "is_input", "is_static", "keep_prompt"),
        *("kernel_init_code", "llm_metrics", "message", "security_risk", "source", "thought"),
        *("timeout", "timestamp", "tool_call_metadata", "final_thought"),
    }
)
_NO_CALL: Final = ("message", "system", "finish", "reject")


def read_deeds(events: Sequence[Event], place: str) -> LoadedTurn | None:
    """Return the turn of one event, or of the actions that came in one response of the model."""
    event = events[0]
    acts, what = deed_of(event) or ("", "")
    turn = LoadedTurn(_id_of(event), Role.USER, "", origin=place)
    gathered = Gathered()
    if acts == "observation":
        _read_observation(turn, what, event, gathered)
    elif what == "condensation":
        turn.kind = KIND_SUMMARY
        gathered.add(text_of(fields_of(event).get("summary")))
    elif what in _NO_CALL:
        _read_words(turn, what, fields_of(event), gathered)
    else:
        _read_actions(turn, events, gathered)
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media
    return None if is_ours(turn) else turn


def _id_of(event: Event) -> str:
    event_id = event.get("id")
    return str(event_id) if isinstance(event_id, int | str) else ""


def _gather_thought(thought: object, gathered: Gathered) -> None:
    if isinstance(thought, dict):
        gathered.add(text_of(thought.get("text")))
        gathered.hidden.append(text_of(thought.get("reasoning_content")))
    else:
        gathered.add(text_of(thought))


def _read_words(turn: LoadedTurn, what: str, fields: Mapping[str, Any], gathered: Gathered) -> None:
    if what == "message":
        source = fields.get("source")
        # Early files name no source: an agent's message is the one that waits for an answer.
        asks = source is None and fields.get("wait_for_response") is True
        turn.role = Role.ASSISTANT if source == "agent" or asks else Role.USER
        gathered.add(text_of(fields.get("content")))
        for key in ("image_urls", "images_urls"):
            urls = fields.get(key)
            for _ in urls if isinstance(urls, list) else ():
                gathered.add_media("image")
        if turn.role is Role.USER and is_marked_summary(gathered.content):
            turn.kind = KIND_SUMMARY
        elif source == "environment":
            turn.kind = KIND_INJECTED
        return
    turn.role = Role.SYSTEM if what == "system" else Role.ASSISTANT
    _gather_thought(fields.get("thought"), gathered)
    for key in ("content", "final_thought", "outputs"):
        if fields.get(key):
            gathered.add(text_of(fields[key]))


def _read_actions(turn: LoadedTurn, events: Sequence[Event], gathered: Gathered) -> None:
    turn.role = Role.ASSISTANT
    calls = []
    for number, event in enumerate(events):
        fields = fields_of(event)
        if number == 0 or fields.get("thought") != fields_of(events[0]).get("thought"):
            _gather_thought(fields.get("thought"), gathered)
        name = tool_name(event) or text_of(event.get("action"))
        arguments = {
            key: value
            for key, value in fields.items()
            if key not in _BOOKKEEPING and value not in (None, "", [], {})
        }
        gathered.add_call(name, json_of(arguments))
        calls.append(Call(_id_of(event), name))
    turn.makes = tuple(calls)


def tool_name(event: Event) -> str | None:
    """Return the tool that the model called, where the event says so."""
    metadata = event.get("tool_call_metadata")
    name = metadata.get("function_name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) and name else None


def _read_observation(turn: LoadedTurn, what: str, event: Event, gathered: Gathered) -> None:
    fields = fields_of(event)
    gathered.add(text_of(event.get("content")))
    if what == "condense":
        turn.kind = KIND_SUMMARY
        return
    if what == "recall":
        turn.kind = KIND_INJECTED
        if not gathered.lines:
            gathered.add_unknown(event.get("extras"))
        return
    turn.role = Role.TOOL
    cause = event.get("cause")
    turn.answers = (str(cause) if isinstance(cause, int | str) else "",)
    turn.tool_name = tool_name(event)
    metadata = fields.get("metadata")
    held = metadata if isinstance(metadata, dict) else fields
    exit_code = held.get("exit_code", fields.get("exit_code"))
    turn.failed = what in ("error", "user_rejected") or (
        isinstance(exit_code, int) and exit_code > 0
    )
