"""What parsing gives: the transcript, its source, what was damaged, and an earlier ledger."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from turnfold._metadata import DAMAGE
from turnfold._record import sealed
from turnfold.errors import UnrenderableView
from turnfold.ledger import Ledger
from turnfold.plan import CompactionPlan
from turnfold.transcript import Role, Transcript
from turnfold.view import CompactedView

ORPHAN: Final = "orphan_result"


@sealed
@dataclass(frozen=True, slots=True)
class Damage:
    """Something in the input that was not as it should be; what is readable was kept.

    Args:
        place: Where, for a person: `line 12`, `messages[3]`.
        code: A stable word for what was wrong.
        message: One sentence.
    """

    place: str
    code: str
    message: str


@sealed
@dataclass(frozen=True, slots=True)
class Pins:
    """What a loader pins by default, each to be turned off (contract T7).

    Args:
        first_user: The first genuine user turn (the task); where there is none, the first summary.
        last_user: The last genuine user turn.
        newest_exchange: The exchange of the last turn.
        pending_calls: The exchanges of calls that still wait for a result.
    """

    first_user: bool = True
    last_user: bool = True
    newest_exchange: bool = True
    pending_calls: bool = True


@sealed
@dataclass(frozen=True, slots=True)
class Usage:
    """What the provider counted at the last response since the last compaction.

    It is the size of the whole request, so what it is over the estimate of the turns up to there
    is the system prompt, the tools, and the estimate's own error (known failure F4).

    Args:
        context_tokens: The request, its cached parts counted once, and the response.
        turn_id: The turn of the response.
    """

    context_tokens: int
    turn_id: str


def still_live(usage: Usage | None, ledger: Ledger | None) -> Usage | None:
    """Return a count, unless it is of a turn that stood in the view which the ledger is of.

    What was counted at such a turn was the context before that compaction.
    """
    if usage is None or ledger is None or usage.turn_id not in set(ledger.view_turn_ids()):
        return usage
    return None


def counted(usage: object, *keys: str) -> int:
    """Return the sum of the counts that stand under these keys; 0 where there are none."""
    if not isinstance(usage, dict):
        return 0
    return sum([usage[key] for key in keys if type(usage.get(key)) is int])


def counted_in_all(usage: object, total: str, *parts: str) -> int:
    """Return the total of a count, or the sum of its parts where it gives none."""
    return counted(usage, total) or counted(usage, *parts)


@dataclass(frozen=True, slots=True)
class Session:
    """A parsed session. It keeps the original message of each turn.

    Args:
        format: The name of the format that parsed it and renders it.
        transcript: The turns.
        source: What the format needs to render, its own business.
        damage: What was wrong in the input.
        ledger: The ledger of the compaction that wrote the input, where it was given and fits.
        usage: What the provider counted last, where the format records it and nothing was
            compacted since.
    """

    format: str
    transcript: Transcript
    source: Any
    damage: tuple[Damage, ...] = ()
    ledger: Ledger | None = None
    usage: Usage | None = None


def transcript_of(view: CompactedView | Transcript) -> Transcript:
    """Return the turns of what a renderer was given."""
    return view.transcript if isinstance(view, CompactedView) else view


def is_unchanged(view: CompactedView | Transcript, session: Session) -> bool:
    """Whether rendering has to give the input back (contract R2)."""
    transcript = transcript_of(view)
    return transcript is session.transcript or transcript.turns == session.transcript.turns


def repairs(view: CompactedView | Transcript, session: Session) -> tuple[str, ...]:
    """Return the ids of the turns that rendering leaves out because they are orphans (T7)."""
    if is_unchanged(view, session):
        return ()
    return tuple(turn.turn_id for turn in transcript_of(view) if _is_orphan(turn.metadata))


def _is_orphan(metadata: Mapping[str, str]) -> bool:
    return metadata.get(DAMAGE) == ORPHAN


def repaired(
    view: CompactedView, session: Session, plan: CompactionPlan | None = None
) -> CompactedView:
    """Return the view that is really rendered: its ledger and report know what was left out.

    With the plan, whether the budget is unmet is judged anew.
    """
    left_out = set(repairs(view, session))
    if not left_out:
        return view
    kept = Transcript(tuple(turn for turn in view.transcript if turn.turn_id not in left_out))
    before = view.report

    def still(turn_ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(turn_id for turn_id in turn_ids if turn_id not in left_out)

    report = replace(
        before,
        kept_turn_ids=still(before.kept_turn_ids),
        masked_turn_ids=still(before.masked_turn_ids),
        appended_turn_ids=still(before.appended_turn_ids),
        tokens_after=kept.token_estimate(),
        turns_after=len(kept),
        budget_unmet=view.report.budget_unmet
        and (plan is None or kept.token_estimate() > plan.budget.limit),
    )
    return CompactedView(kept, report, view.ledger.with_repairs(sorted(left_out), kept))


def renderable_turns(view: CompactedView | Transcript) -> Transcript:
    """Return the turns to render, orphans left out.

    Raises:
        UnrenderableView: Nothing but SYSTEM turns would be left (contract T7).
    """
    transcript = transcript_of(view)
    turns = tuple(turn for turn in transcript if not _is_orphan(turn.metadata))
    if not any(turn.role is not Role.SYSTEM for turn in turns):
        msg = (
            "the view holds no turn besides SYSTEM turns, which no provider accepts; raise the "
            "budget or protect recent turns"
        )
        raise UnrenderableView(msg, {"turns": len(transcript)})
    return transcript if len(turns) == len(transcript) else Transcript(turns)


def seed_of(view: CompactedView | Transcript) -> str:
    """Return what new ids are derived from: the plan's hash, or the digest of the turns (R3)."""
    return view.report.plan_hash if isinstance(view, CompactedView) else view.digest()
