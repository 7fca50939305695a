"""Applying a plan: the same input, plan and summaries give an equal view (contract section 5)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, compress
from typing import Final

from turnfold._columns import flagged
from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold._plan_shape import groups_stand_in_order
from turnfold._record import sealed
from turnfold._rounds import continued
from turnfold.decision import (
    DROP,
    IS_RETAINED,
    KEEP,
    MASK,
    SUMMARIZE,
    SummarizationRequest,
)
from turnfold.errors import SummaryMissing, SummaryRejected, name_some, some
from turnfold.invariants import require_same_turns
from turnfold.ledger import Ledger
from turnfold.plan import CompactionPlan
from turnfold.protocols import Estimator
from turnfold.tokens import counter_of
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView, CompactionReport

_MARK: Final = re.compile(r"<(\s{0,8}/?\s{0,8})(conversation_summary)", re.IGNORECASE)
_CLOSING: Final = "</conversation_summary>"
_IS: Final = {
    code: bytes(other == code for other in range(256)) for code in (KEEP, MASK, SUMMARIZE, DROP)
}


@sealed
@dataclass(frozen=True, slots=True)
class Summary:
    """A written summary, and the turns of its group that its writer did not get to see."""

    text: str
    unseen_turn_ids: tuple[str, ...] = ()


class CompactionExecutor:
    """Applies plans. It has no state and no settings."""

    def apply(
        self,
        transcript: Transcript,
        plan: CompactionPlan,
        summaries: Mapping[str, str | Summary] | None = None,
        *,
        ledger: Ledger | None = None,
        estimator: Estimator | None = None,
    ) -> CompactedView:
        """Return the compacted view, its report and its ledger; the input is never changed.

        Turns that were appended since the plan was made are kept verbatim. A masked turn keeps
        id, role, `tool_call_id`, pin and place. A summary stands at the place of its group's
        earliest turn, as a USER turn `summary:<group_id>`.

        Args:
            transcript: What the plan was made for; turns may have been appended.
            plan: The plan.
            summaries: By group id; entries for other groups are ignored.
            ledger: The ledger of an earlier round, when the transcript continues its view.
            estimator: Measures the summaries; without one they count at their target.

        Raises:
            PlanTranscriptMismatch: The plan is for other turns.
            SummaryMissing: A group has no summary.
            SummaryRejected: A summary is blank, or not smaller than what it replaces.
            LedgerMismatch: The ledger is of another view.
        """
        appended = require_same_turns(transcript, plan)
        run = _Run(
            transcript,
            plan,
            plan.actions + bytes((KEEP,)) * appended,
            _written(plan, summaries or {}, estimator),
        )
        view = _view(run)
        return CompactedView(view, _report(run, view), _ledger(run, view, ledger))


_Written = tuple[TranscriptTurn, tuple[str, ...]]
"""A summary turn, and the turns of its group that its writer did not see."""


class _Run:
    """One application: appended turns are decided as KEEP."""

    __slots__ = ("actions", "folded", "plan", "transcript", "written")

    def __init__(
        self, transcript: Transcript, plan: CompactionPlan, actions: bytes, written: list[_Written]
    ) -> None:
        self.transcript = transcript
        self.plan = plan
        self.actions = actions
        self.written = written
        self.folded = _folded(plan)


def _folded(plan: CompactionPlan) -> list[Sequence[int]]:
    """Return for each request the positions of its turns."""
    flags = plan.actions.translate(_IS[SUMMARIZE])
    places = flagged(flags)
    named = [request.turn_ids for request in plan.summarization_requests]
    if groups_stand_in_order(plan):
        ends = list(accumulate(map(len, named)))
        return [places[end - len(each) : end] for each, end in zip(named, ends, strict=True)]
    place_of = dict(zip(compress(plan.turn_ids, flags), places, strict=True))
    return [tuple(map(place_of.__getitem__, turn_ids)) for turn_ids in named]


def _written(
    plan: CompactionPlan, summaries: Mapping[str, str | Summary], estimator: Estimator | None
) -> list[_Written]:
    written = []
    sizes: dict[str, int] = {}
    if estimator is not None and plan.summarization_requests:
        sizes = dict(zip(plan.turn_ids, plan.token_estimates, strict=True))
    count = None if estimator is None else cache(counter_of(estimator))
    for request in plan.summarization_requests:
        if request.group_id not in summaries:
            raise _missing(request)
        given = summaries[request.group_id]
        summary = given if isinstance(given, Summary) else Summary(given)
        turn = _summary_turn(request, summary, count)
        if count is not None:
            _require_smaller(sizes, request, turn)
        unseen = set(summary.unseen_turn_ids)
        written.append((turn, tuple(each for each in request.turn_ids if each in unseen)))
    return written


def _missing(request: SummarizationRequest) -> SummaryMissing:
    msg = (
        f"group {request.group_id} has no summary: write one of its {len(request.turn_ids)} turns "
        f"({name_some(request.turn_ids)}) in at most {request.target_tokens:,} tokens, and pass it "
        "under the group's id"
    )
    details = {
        "group_id": request.group_id,
        "turn_ids": some(request.turn_ids),
        "target_tokens": request.target_tokens,
        "prompt_id": request.prompt_id,
    }
    return SummaryMissing(msg, details)


def _summary_turn(
    request: SummarizationRequest, summary: Summary, count: Callable[[str], int] | None
) -> TranscriptTurn:
    text = summary.text
    if not isinstance(text, str) or not text.strip():
        msg = f"the summary of group {request.group_id} is blank; write it again"
        details = {"group_id": request.group_id}
        raise SummaryRejected(msg, details, "summary_blank")
    content = mark_summary(text, len(request.turn_ids))
    tokens = request.target_tokens if count is None else count(content)
    return TranscriptTurn(
        request.summary_turn_id,
        Role.USER,
        content,
        tokens,
        metadata={KIND: KIND_SUMMARY},
    )


def mark_summary(text: str, turns: int) -> str:
    """Return a summary between the marks that tell it from a person's words (contract X4).

    The text can neither open nor close a mark: what would has a parenthesis for its bracket.
    """
    escaped = _MARK.sub(r"(\1\2", text)
    return f'<conversation_summary turns="{turns}">\n{escaped}\n{_CLOSING}'


def _require_smaller(
    sizes: Mapping[str, int], request: SummarizationRequest, turn: TranscriptTurn
) -> None:
    replaced = sum(sizes[turn_id] for turn_id in request.turn_ids)
    if turn.token_estimate >= replaced:
        msg = (
            f"the summary of group {request.group_id} is {turn.token_estimate:,} tokens with its "
            f"marks, and the turns that it replaces are {replaced:,}: it must be smaller; the "
            f"target is {request.target_tokens:,}"
        )
        details = {
            "group_id": request.group_id,
            "summary_tokens": turn.token_estimate,
            "replaced_tokens": replaced,
            "target_tokens": request.target_tokens,
        }
        raise SummaryRejected(msg, details, "summary_not_smaller")


def _view(run: _Run) -> Transcript:
    plan = run.plan
    if plan.changes_nothing:
        return run.transcript
    turns, actions = run.transcript.turns, run.actions
    places = compress(range(len(turns)), actions.translate(_IS[MASK]))
    stubs = zip(places, plan.replacements, plan.replacement_tokens, strict=True)
    masked = ((place, turns[place].masked(text, tokens)) for place, text, tokens in stubs)
    kept = bytearray(actions.translate(IS_RETAINED))
    summaries = []
    for positions, (summary, _) in zip(run.folded, run.written, strict=True):
        summaries.append((positions[0], summary))
        kept[positions[0]] = 1
    return run.transcript.revised(chain(masked, summaries), bytes(kept))


def _report(run: _Run, view: Transcript) -> CompactionReport:
    plan, ids = run.plan, run.transcript.turn_ids()

    def decided(code: int) -> tuple[str, ...]:
        return tuple(compress(plan.turn_ids, plan.actions.translate(_IS[code])))

    return CompactionReport(
        plan_hash=plan.plan_hash(),
        policy_name=plan.policy_name,
        policy_version=plan.policy_version,
        tokens_before=plan.tokens_before,
        tokens_after_estimate=plan.tokens_after_estimate,
        tokens_after=view.token_estimate(),
        budget_unmet=view.token_estimate() > plan.budget.limit,
        estimator_ratio=plan.estimator_ratio,
        turns_before=len(ids),
        turns_after=len(view),
        kept_turn_ids=decided(KEEP),
        masked_turn_ids=decided(MASK),
        summarized_turn_ids=decided(SUMMARIZE),
        dropped_turn_ids=decided(DROP),
        appended_turn_ids=ids[len(plan.turn_ids) :],
        unseen_turn_ids=tuple(turn_id for _, unseen in run.written for turn_id in unseen),
        summary_turn_ids=tuple(turn.turn_id for turn, _ in run.written),
    )


def _ledger(run: _Run, view: Transcript, earlier: Ledger | None) -> Ledger:
    columns = run.transcript.columns()
    folded = tuple(
        (summary.turn_id, positions)
        for (summary, _), positions in zip(run.written, run.folded, strict=True)
    )
    if earlier is None:
        return Ledger(columns.ids, columns.digests, run.actions, folded, view, columns)
    return continued(earlier, run.transcript, run.actions, folded, view=view)
