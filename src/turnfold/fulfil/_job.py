"""What a summariser is handed: the request, its turns, and the turns that stay (contract F1)."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress

from turnfold._record import sealed
from turnfold.decision import IS_RETAINED, MASK, SummarizationRequest
from turnfold.errors import InvalidTranscript, some
from turnfold.fulfil._answer import Rejection
from turnfold.invariants import require_same_turns
from turnfold.plan import CompactionPlan
from turnfold.transcript import Transcript, TranscriptTurn

Redactor = Callable[[str], str]
"""Returns a text with what must not be passed on replaced; never raises on any string."""


def passed(text: str, redact: Redactor | None) -> str:
    """Return what may be passed on; a redactor that fails lets nothing through (contract F5)."""
    if redact is None:
        return text
    try:
        return redact(text)
    except Exception:  # noqa: BLE001  A match never aborts, whatever the redactor is.
        return "[withheld: the redactor failed]"


@sealed
@dataclass(frozen=True, slots=True)
class SummaryJob:
    """One summary to write, with everything that its writer may read.

    Args:
        request: What is asked for: target size and prompt.
        turns: The turns to summarise, as they are in the transcript, in order.
        staying: The turns that stay in the view, masked ones as their stubs.
        rejected: What was written before and could not be accepted, oldest first, with the
            reasons; `render_prompt` hands them on.

    Raises:
        InvalidTranscript: The turns are not those of the request.
    """

    request: SummarizationRequest
    turns: tuple[TranscriptTurn, ...]
    staying: tuple[TranscriptTurn, ...] = ()
    rejected: tuple[Rejection, ...] = ()

    def __post_init__(self) -> None:
        given = tuple(turn.turn_id for turn in self.turns)
        if given != self.request.turn_ids:
            msg = (
                f"a job of group {self.request.group_id} holds the {len(self.request.turn_ids)} "
                f"turns of its request in order; got {len(given)} turns that are not these"
            )
            details = {"group_id": self.request.group_id, "turn_ids": some(given)}
            raise InvalidTranscript(msg, details)


def jobs(transcript: Transcript, plan: CompactionPlan) -> tuple[SummaryJob, ...]:
    """Return one job for each summary that the plan asks for, in the plan's order.

    Turns that were appended since the plan was made stay.

    Raises:
        PlanTranscriptMismatch: The plan is for other turns.
    """
    require_same_turns(transcript, plan)
    if not plan.summarization_requests:
        return ()
    staying = _staying(transcript, plan)
    return tuple(
        SummaryJob(request, tuple(map(transcript.turn, request.turn_ids)), staying)
        for request in plan.summarization_requests
    )


def _staying(transcript: Transcript, plan: CompactionPlan) -> tuple[TranscriptTurn, ...]:
    turns = list(transcript.turns)
    masked = [at for at, action in enumerate(plan.actions) if action == MASK]
    stubs = zip(plan.replacements, plan.replacement_tokens, strict=True)
    for at, (text, tokens) in zip(masked, stubs, strict=True):
        turns[at] = turns[at].masked(text, tokens)
    appended = len(turns) - len(plan.actions)
    return tuple(compress(turns, plan.actions.translate(IS_RETAINED) + b"\1" * appended))
