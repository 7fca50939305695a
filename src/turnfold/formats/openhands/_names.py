"""The kinds of events, and how their parts are told apart."""

from collections.abc import Mapping
from typing import Any, Final

from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.transcript import Role

NAME: Final = "openhands"
LINES: Final = False
"""A document; `parse` takes the bytes of JSON Lines too."""
SEVERAL: Final = True

Event = dict[str, Any]

SYSTEM: Final = "SystemPromptEvent"
MESSAGE: Final = "MessageEvent"
ACTION: Final = "ActionEvent"
OBSERVATION: Final = "ObservationEvent"
REJECTION: Final = "UserRejectObservation"
ERROR: Final = "AgentErrorEvent"
SUMMARY: Final = "CondensationSummaryEvent"
CONDENSATION: Final = "Condensation"

SENT: Final = frozenset(
    {SYSTEM, MESSAGE, ACTION, OBSERVATION, REJECTION, ERROR, SUMMARY, CONDENSATION}
)
"""The kinds that the model gets to see; a condensation by its summary."""

ANSWERS: Final = frozenset({OBSERVATION, REJECTION, ERROR})

SIDE: Final = frozenset(
    {
        "CondensationRequest",
        "ConversationErrorEvent",
        "ConversationStateUpdateEvent",
        "HookExecutionEvent",
        "InterruptEvent",
        "LLMCompletionLogEvent",
        "PauseEvent",
        "SecurityAnalysisEvent",
        "StreamingDeltaEvent",
        "TokenEvent",
        "ACPToolCallEvent",
    }
)
"""The kinds that the model does not get to see."""

NO_TURN: Final = frozenset(
    {
        "null",
        "agent_state_changed",
        "change_agent_state",
        "condensation_request",
        "loop_detection",
        "pause",
        "recall_action",
        "resume",
        "start",
        "stop",
    }
)
"""What an event of the earlier kind does where it says nothing to the model."""


def kind_of(event: object) -> str | None:
    """Return the kind of an SDK event, or None for anything else."""
    kind = event.get("kind") if isinstance(event, dict) else None
    return kind if isinstance(kind, str) else None


def deed_of(event: object) -> tuple[str, str] | None:
    """Return of an earlier event whether it acts or observes, and what; None for anything else."""
    if not isinstance(event, dict) or kind_of(event) is not None or "role" in event:
        return None
    for key in ("observation", "action"):
        deed = event.get(key)
        if isinstance(deed, str):
            return key, deed
    return None


def fields_of(event: Event) -> Mapping[str, Any]:
    """Return what an earlier event holds: its own keys, or those of `args` or `extras`."""
    inner = event.get("args") if "args" in event else event.get("extras")
    return {**event, **inner} if isinstance(inner, dict) else event


def is_event(value: object) -> bool:
    """Whether a value is an event of either kind."""
    kind = kind_of(value)
    if kind is not None:
        return kind in SENT or kind in SIDE
    return deed_of(value) is not None


def is_certain(value: object) -> bool:
    """Whether a value cannot be much else than an event, wherever it stands."""
    if not isinstance(value, dict) or "source" not in value or "timestamp" not in value:
        return False
    return is_event(value) and (kind_of(value) is not None or "args" in value or "extras" in value)


def is_ours(turn: LoadedTurn) -> bool:
    """Whether turnfold wrote a turn, to close a call or to stand before the model's first words."""
    if turn.role is Role.TOOL:
        return turn.content == CLOSED_CALL
    return turn.role is Role.USER and turn.content == BRIDGE
