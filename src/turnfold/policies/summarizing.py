"""Planning a summary of the oldest span; nothing here writes one."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from turnfold.budget import CompactionBudget
from turnfold.decision import Reason
from turnfold.errors import InvalidConfiguration
from turnfold.plan import CompactionPlan
from turnfold.policies._draft import PlanDraft
from turnfold.transcript import Transcript

MINIMUM_TARGET: Final = 64
"""The least that a target is lowered to where a span would not fit at its ratio, in tokens."""

_ROUNDS: Final = 8
_LARGEST_RATIO: Final = 1e9


_Fold = tuple[Sequence[int], int]
"""Positions to fold, and the target of their summary in tokens."""


class SummarizingPolicy:
    """Folds the oldest qualifying span into one planned summary (contract S1).

    A span is contiguous in the view, removable, and holds whole exchanges only. Its summary is
    planned at `target_ratio` of its tokens. With `extent="until_it_fits"` only as much of its
    oldest part is folded as the budget asks for. Where the whole span is not enough, the next
    span is folded as well, a summary each; where all of them at their ratio would not fit, the
    targets are lowered to what fits, down to `MINIMUM_TARGET`; and where whole exchanges make a
    fold larger than needed, its summary may be longer instead.

    What it will not do: split an exchange; touch untouchable turns; take a span of fewer than
    `min_span_turns`; plan a summary that is not smaller than its span; write the summary, or
    carry any prompt text.

    Reasons it gives: `summarize: oldest_span`.

    Args:
        prompt_id: The name of the prompt that will ask for the summary.
        target_ratio: The size of the summary as a share of its span, above 0.
        min_span_turns: The shortest span worth a summary, at least 1.
        extent: `whole` span, or `until_it_fits`.
        min_target_tokens: The smallest summary worth asking for; what writes them may need room
            for a header. A span that is not larger is not folded.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
    """

    name = "summarizing"
    version = "1"

    def __init__(
        self,
        prompt_id: str,
        target_ratio: float = 0.2,
        min_span_turns: int = 4,
        *,
        extent: Literal["whole", "until_it_fits"] = "whole",
        min_target_tokens: int = 1,
    ) -> None:
        if not isinstance(prompt_id, str) or not prompt_id.strip():
            msg = f"prompt_id names a prompt and must not be blank; got {prompt_id!r}"
            raise InvalidConfiguration(msg, {"prompt_id": repr(prompt_id)})
        if type(target_ratio) not in (int, float) or not 0 < target_ratio <= _LARGEST_RATIO:
            msg = (
                f"target_ratio must be a number above 0 and at most {_LARGEST_RATIO}; got "
                f"{target_ratio!r:.40}"
            )
            raise InvalidConfiguration(msg, {"target_ratio": f"{target_ratio!r:.40}"})
        if type(min_span_turns) is not int or min_span_turns < 1:
            msg = f"min_span_turns must be an integer of at least 1; got {min_span_turns!r}"
            raise InvalidConfiguration(msg, {"min_span_turns": repr(min_span_turns)})
        if type(min_target_tokens) is not int or min_target_tokens < 1:
            msg = f"min_target_tokens must be an integer of at least 1; got {min_target_tokens!r}"
            raise InvalidConfiguration(msg, {"min_target_tokens": repr(min_target_tokens)})
        if extent not in ("whole", "until_it_fits"):
            msg = f"extent must be 'whole' or 'until_it_fits'; got {extent!r}"
            raise InvalidConfiguration(msg, {"extent": repr(extent)})
        self.prompt_id = prompt_id
        self.target_ratio = float(target_ratio)
        self.min_span_turns = min_span_turns
        self.extent = extent
        self.min_target_tokens = min_target_tokens

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        """Return the plan.

        Raises:
            BudgetUnsatisfiable: The untouchable turns alone exceed the limit.
        """
        draft = PlanDraft(transcript, budget)
        self.revise(draft)
        return draft.seal(self.name, self.version)

    def revise(self, draft: PlanDraft) -> None:
        """Fold the oldest qualifying span of a draft, or spans until it fits."""
        if draft.fits:
            return
        exchanges = _Exchanges(draft)
        folded = []
        for span in list(_spans(draft, exchanges)):
            fold = self._fold(draft, span, exchanges)
            if fold is None:
                continue
            positions, target = fold
            head = draft.summarize(
                positions, target, self.prompt_id, reason=Reason.SUMMARIZE_OLDEST, owner=self
            )
            folded.append(head)
            if draft.fits or self.extent == "whole":
                return
        for head in folded:
            target = draft.cost(head)
            least = max(self.min_target_tokens, min(MINIMUM_TARGET, target))
            draft.set_target(head, max(target - draft.excess, least))

    def relax(self, draft: PlanDraft) -> None:
        """Use room that there is by now: keep the newest spans, or let a summary be longer."""
        heads = draft.summaries_of(self) if self.extent != "whole" else []
        for head in reversed(heads):
            sizes = draft.exchange_sizes(head)
            if sum(sizes) - draft.cost(head) <= draft.slack:
                draft.unfold(head)
            elif draft.slack >= min(sizes):
                draft.set_target(head, draft.cost(head) + draft.slack)

    def _fold(self, draft: PlanDraft, span: Sequence[int], exchanges: "_Exchanges") -> _Fold | None:
        if len(span) < self.min_span_turns:
            return None
        tokens = draft.total_cost(span)
        target = self._target(tokens)
        if target >= tokens:
            return None
        if self.extent == "whole" or tokens - target < draft.excess:
            return span, target
        return self._smallest_fold(draft, span, exchanges)

    def _target(self, tokens: int) -> int:
        return max(self.min_target_tokens, round(tokens * self.target_ratio))

    def _smallest_fold(
        self, draft: PlanDraft, span: Sequence[int], exchanges: "_Exchanges"
    ) -> _Fold:
        """Return the shortest beginning of the span, in whole exchanges, that is enough."""
        tokens, open_until, excess = 0, -1, draft.excess
        block: dict[int, int] = {}
        for count, position in enumerate(span, 1):
            cost = draft.cost(position)
            tokens += cost
            leader = exchanges.first(position)
            block[leader] = block.get(leader, 0) + cost
            open_until = max(open_until, exchanges.last(position))
            if open_until > position:
                continue
            target = self._target(tokens)
            spare = tokens - target - excess
            if spare >= 0 and count >= self.min_span_turns:
                wasteful = spare >= min(block.values())
                return span[:count], target + spare if wasteful else target
            block.clear()
        return span, self._target(tokens)


class _Exchanges:
    """Where the exchanges of a draft begin and end; a planned summary is one of its own."""

    __slots__ = ("first", "last")

    def __init__(self, draft: PlanDraft) -> None:
        first = list(draft.columns.exchanges)
        ends = list(first)
        for position in draft.columns.followers():
            ends[first[position]] = position
        last = list(map(ends.__getitem__, first))
        for head in draft.planned_summaries():
            first[head] = last[head] = head
        self.first, self.last = first.__getitem__, last.__getitem__


def _spans(draft: PlanDraft, exchanges: _Exchanges) -> Iterator[Sequence[int]]:
    """Yield the contiguous runs of removable turns that hold whole exchanges, oldest first."""
    for run in draft.removable_runs():
        yield from _whole_spans(run, exchanges, _ROUNDS)


def _whole_spans(run: Sequence[int], exchanges: _Exchanges, rounds: int) -> Iterator[Sequence[int]]:
    """Yield the parts of a run between the turns whose exchange reaches out of it.

    A part can cut another exchange in two, so parts are split again. After `_ROUNDS` such rounds
    all exchanges that overlap with one that reaches out are left out at once, which keeps the
    time linear on hostile input.
    """
    start, end = run[0], run[-1]
    first, last = exchanges.first, exchanges.last
    if min(map(first, run)) >= start and max(map(last, run)) <= end:
        yield run
        return
    part: list[int] = []
    parts = []
    for position in run:
        if first(position) >= start and last(position) <= end:
            part.append(position)
            continue
        if part:
            parts.append(part)
        part = []
    if part:
        parts.append(part)
    for each in parts if rounds else ():
        yield from _whole_spans(each, exchanges, rounds - 1)
    if not rounds:
        yield from _untangled_spans(run, exchanges)


def _untangled_spans(run: Sequence[int], exchanges: _Exchanges) -> Iterator[list[int]]:
    """Yield the parts of a run between knots of overlapping exchanges that reach out of it."""
    start, end = run[0], run[-1]
    span: list[int] = []
    for knot in _knots(run, exchanges):
        if min(map(exchanges.first, knot)) >= start and max(map(exchanges.last, knot)) <= end:
            span += knot
        elif span:
            yield span
            span = []
    if span:
        yield span


def _knots(run: Sequence[int], exchanges: _Exchanges) -> Iterator[list[int]]:
    """Yield the turns of a run, those of overlapping exchanges together."""
    knot: list[int] = []
    reach = -1
    for position in run:
        if knot and position > reach:
            yield knot
            knot = []
        knot.append(position)
        reach = max(reach, exchanges.last(position))
    if knot:
        yield knot
