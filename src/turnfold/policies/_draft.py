"""The draft that policies work on: what the view would be by now, and what may still go.

A draft starts with every turn kept. Policies mask, drop and summarise in it; `seal` makes the
validated plan. A policy that has `revise(draft)` continues the draft of a chain; with
`relax(draft)` it gives back what later policies made unnecessary.
"""

from array import array
from collections import ChainMap
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress
from typing import Final

from turnfold._columns import (
    FREE,
    PINNED,
    SYSTEM,
    TAIL,
    as_range,
    locked_leaders,
    untouchable_tokens,
)
from turnfold.budget import CompactionBudget
from turnfold.decision import (
    DROP,
    IS_RETAINED,
    KEEP,
    MASK,
    SUMMARIZE,
    Reason,
    SummarizationRequest,
)
from turnfold.invariants import require_satisfiable
from turnfold.plan import CompactionPlan
from turnfold.transcript import Transcript

_KEEP_REASONS: Final = {
    SYSTEM: Reason.KEEP_SYSTEM,
    PINNED: Reason.KEEP_PINNED,
    TAIL: Reason.KEEP_TAIL,
    FREE: Reason.KEEP_FITS,
}
_FIRST_REASONS: Final = frozenset((*_KEEP_REASONS.values(), Reason.KEEP_LOCKED))

_MARK: Final = {(1, 0): ord("R"), (1, 1): ord("L"), (0, 0): ord("-"), (0, 1): ord("-")}
"""By whether a turn is in the view and its exchange locked: removable, locked, not there."""

_IS_REMOVABLE: Final = bytes(code == ord("R") for code in range(256))

Stub = tuple[str, int, float | None]
"""What stands in for a masked turn: text, tokens, and the ratio if the built-in one sized it."""


class Group:
    """A planned summary: the positions of its turns, its target, its prompt and its policy."""

    __slots__ = ("owner", "positions", "prompt_id", "target_tokens")

    def __init__(
        self, positions: Sequence[int], target_tokens: int, prompt_id: str, owner: object
    ) -> None:
        self.positions = positions
        self.target_tokens = target_tokens
        self.prompt_id = prompt_id
        self.owner = owner


class PlanDraft:
    """Decisions in the making over one transcript.

    Turns are addressed by position. A *unit* is what can leave the view at once: a whole exchange
    without an untouchable member, or a planned summary with all the turns that it stands for. It
    is addressed by its head, the position of its earliest turn.

    Args:
        transcript: The transcript to compact.
        budget: What it must fit.

    Raises:
        BudgetUnsatisfiable: The untouchable turns alone exceed the limit (contract B4).
    """

    __slots__ = (
        "_costs",
        "_dropped",
        "_groups",
        "_locked",
        "_next",
        "_reasons",
        "_stubs",
        "actions",
        "budget",
        "columns",
        "protections",
        "tokens",
        "transcript",
    )

    def __init__(self, transcript: Transcript, budget: CompactionBudget) -> None:
        self.transcript = transcript
        self.budget = budget
        self.columns = transcript.columns()
        self.protections = self.columns.protections(budget.protected_recent_turns)
        require_satisfiable(self.columns, budget, self.protections)
        self._locked = locked_leaders(self.columns.exchanges, self.protections)
        self.actions = bytearray(b"K") * len(self.columns.ids)
        self.tokens = self.columns.total
        self._costs = list(self.columns.tokens)
        self._reasons = [_KEEP_REASONS[code] for code in self.protections]
        # Stand-in texts by position, apart for each policy and the ratio that sized them.
        self._stubs: dict[tuple[int, float | None], dict[int, str]] = {}
        self._dropped: list[tuple[object, Sequence[int]]] = []
        self._next: array[int] | None = None
        self._groups: dict[int, Group] = {}
        self._name_locked()

    def _name_locked(self) -> None:
        exchanges = self.columns.exchanges
        for position in self.columns.followers():
            leader = exchanges[position]
            if leader in self._locked:
                for member in (leader, position):
                    if self.protections[member] == FREE:
                        self._reasons[member] = Reason.KEEP_LOCKED

    @property
    def fits(self) -> bool:
        """Whether nothing more has to go: within the limit from the start, or down to the goal."""
        return self.columns.total <= self.budget.limit or self.tokens <= self.budget.goal

    @property
    def excess(self) -> int:
        """How many tokens have to go still; 0 where the draft fits."""
        return 0 if self.fits else self.tokens - self.budget.goal

    @property
    def slack(self) -> int:
        """How many tokens could come back; 0 where the draft does not fit."""
        return max(0, self.budget.goal - self.tokens)

    @property
    def floor(self) -> int:
        """What the untouchable turns need, in tokens."""
        return untouchable_tokens(self.columns.tokens, self.protections)

    def is_untouchable(self, position: int) -> bool:
        """Whether the turn may not even be masked (contract B2)."""
        return self.protections[position] != FREE

    def is_removable(self, position: int) -> bool:
        """Whether the turn's exchange has no untouchable member (contract B3)."""
        return self.columns.exchanges[position] not in self._locked

    def cost(self, position: int) -> int:
        """Return what stands at this position costs in the view, in tokens."""
        group = self._groups.get(position)
        return group.target_tokens if group else self._costs[position]

    def total_cost(self, positions: Sequence[int]) -> int:
        """Return what stands at these positions costs in the view, in tokens."""
        if self._groups or type(positions) is not range:
            return sum(map(self.cost, positions))
        return sum(self._costs[positions.start : positions.stop])

    def view_positions(self) -> list[int]:
        """Return the positions that the view would show: retained turns, and summaries."""
        flags = self.actions.translate(IS_RETAINED)
        for head in self._groups:
            flags[head] = 1
        return list(compress(range(len(flags)), flags))

    def removable_runs(self) -> Iterator[Sequence[int]]:
        """Yield the runs of neighbours in the view that may leave it, oldest first."""
        in_view = bytearray(self.actions.translate(IS_RETAINED))
        locked = bytearray(map(self._locked.__contains__, self.columns.exchanges))
        for head in self._groups:
            in_view[head], locked[head] = 1, 0
        start = 0
        for run in bytes(map(_MARK.__getitem__, zip(in_view, locked, strict=True))).split(b"L"):
            places = range(start, start + len(run))
            start += len(run) + 1
            if run.count(b"R") == len(run) > 0:
                yield places
            elif b"R" in run:
                yield list(compress(places, run.translate(_IS_REMOVABLE)))

    def planned_summaries(self) -> tuple[int, ...]:
        """Return the heads of the planned summaries."""
        return tuple(self._groups)

    def units(self) -> Iterator[tuple[int, int]]:
        """Yield the head and the cost in tokens of every unit, oldest first."""
        costs = list(self._costs)
        exchanges = self.columns.exchanges
        for position in self.columns.followers():
            costs[exchanges[position]] += costs[position]
        for head, leader in enumerate(exchanges):
            if head in self._groups:
                yield head, self._groups[head].target_tokens
            elif leader == head and head not in self._locked and IS_RETAINED[self.actions[head]]:
                yield head, costs[head]

    def has_first_reason(self, position: int) -> bool:
        """Whether no policy has given this turn a reason yet."""
        return self._reasons[position] in _FIRST_REASONS

    def give_reason(self, position: int, reason: str) -> None:
        """Say why a turn is decided as it is."""
        self._reasons[position] = reason

    def mask(self, position: int, stub: Stub, reason: str) -> None:
        """Let a stub stand in for the content of a retained turn."""
        text, tokens, ratio = stub
        self.mask_all({position: text}, (tokens,), reason, ratio=ratio)

    def mask_all(
        self,
        texts: dict[int, str],
        tokens: Sequence[int],
        reason: str,
        *,
        ratio: float | None = None,
        owner: object = None,
    ) -> None:
        """Let texts stand in for the contents of retained turns.

        Args:
            texts: What stands in, by position; the draft keeps it.
            tokens: The sizes of the texts, in the same order.
            reason: Why.
            ratio: Characters a token, if the built-in ratio sized them.
            owner: The policy that may take them back in `relax`.
        """
        costs, actions, reasons = self._costs, self.actions, self._reasons
        saved = 0
        for position, size in zip(texts, tokens, strict=True):
            saved += costs[position] - size
            costs[position] = size
            actions[position] = MASK
            reasons[position] = reason
        self.tokens -= saved
        for others in self._stubs.values():
            if others and others is not texts:
                for position in texts:
                    others.pop(position, None)
        known = self._stubs.setdefault((id(owner), ratio), texts)
        if known is not texts:
            known.update(texts)

    def masked_by(self, owner: object) -> list[int]:
        """Return the turns that this policy masked, oldest first."""
        batches = [texts for key, texts in self._stubs.items() if key[0] == id(owner)]
        return sorted(chain.from_iterable(batches))

    def unmask(self, position: int) -> None:
        """Give a masked turn its content back."""
        for texts in self._stubs.values():
            texts.pop(position, None)
        original = self.columns.tokens[position]
        self.tokens += original - self._costs[position]
        self._costs[position] = original
        self.actions[position] = KEEP
        is_locked = not self.is_removable(position)
        self._reasons[position] = Reason.KEEP_LOCKED if is_locked else Reason.KEEP_FITS

    def drop(self, heads: Iterable[int], reason: str, *, owner: object = None) -> None:
        """Drop units, all turns that planned summaries stand for included.

        Args:
            heads: The units.
            reason: Why.
            owner: The policy that may give them back in `relax`.
        """
        exchanges, following = self.columns.exchanges, self._following()
        # Compact, as is what it is made of: a draft can drop nearly all turns one by one.
        dropped = array("I")
        for head in heads:
            group = self._groups.pop(head, None)
            if group is not None:
                self.tokens -= group.target_tokens
                dropped.extend(group.positions)
            elif exchanges[head] == head:
                position = head
                while position >= 0:
                    dropped.append(position)
                    position = following[position]
        self._remove(dropped, DROP, reason)
        if owner is not None:
            self._dropped.append((owner, dropped))

    def _following(self) -> "array[int]":
        """Return for each turn the next one of its exchange; -1 where it is the last."""
        if self._next is None:
            exchanges = self.columns.exchanges
            self._next = array("i", [-1]) * len(exchanges)
            last = array("I", range(len(exchanges)))
            for position in self.columns.followers():
                leader = exchanges[position]
                self._next[last[leader]] = position
                last[leader] = position
        return self._next

    def give_back(self, owner: object) -> None:
        """Keep the newest exchanges that this policy dropped, as long as the draft still fits."""
        sizes = self.columns.tokens
        members: dict[int, list[int]] = {}
        for dropper, dropped in self._dropped:
            for position in dropped if dropper is owner else ():
                if self.actions[position] == DROP:
                    members.setdefault(self.columns.exchanges[position], []).append(position)
        for leader in sorted(members, reverse=True):
            tokens = sum(map(sizes.__getitem__, members[leader]))
            if tokens > self.slack:
                return
            self._keep(members[leader])

    def _keep(self, positions: Iterable[int]) -> None:
        for position in positions:
            self._costs[position] = self.columns.tokens[position]
            self.actions[position] = KEEP
            self._reasons[position] = _KEEP_REASONS[FREE]
            self.tokens += self._costs[position]

    def summarize(
        self,
        positions: Sequence[int],
        target_tokens: int,
        prompt_id: str,
        *,
        reason: str,
        owner: object = None,
    ) -> int:
        """Fold what stands at these positions into one summary, earlier summaries included.

        Args:
            positions: Positions of the view, whole units only.
            target_tokens: How large the summary may be.
            prompt_id: The name of its prompt.
            reason: Why.
            owner: The policy that may change the target.

        Returns:
            The head of the summary.
        """
        standing = set(positions)
        for position in positions if self._groups else ():
            group = self._groups.pop(position, None)
            if group is not None:
                self.tokens -= group.target_tokens
                standing.update(group.positions)
        folded = as_range(sorted(standing))
        self._remove(folded, SUMMARIZE, reason)
        self._groups[folded[0]] = Group(folded, target_tokens, prompt_id, owner)
        self.tokens += target_tokens
        return folded[0]

    def summaries_of(self, owner: object) -> list[int]:
        """Return the heads of the summaries that this policy planned, oldest first."""
        return sorted(head for head, group in self._groups.items() if group.owner is owner)

    def exchange_sizes(self, head: int) -> list[int]:
        """Return the original sizes of the exchanges that a planned summary stands for."""
        sizes: dict[int, int] = {}
        for position in self._groups[head].positions:
            leader = self.columns.exchanges[position]
            sizes[leader] = sizes.get(leader, 0) + self.columns.tokens[position]
        return list(sizes.values())

    def unfold(self, head: int) -> None:
        """Keep the turns that a planned summary was to stand for."""
        group = self._groups.pop(head)
        self.tokens -= group.target_tokens
        self._keep(group.positions)

    def set_target(self, head: int, target_tokens: int) -> None:
        """Change how large a planned summary may be."""
        group = self._groups[head]
        self.tokens += target_tokens - group.target_tokens
        group.target_tokens = target_tokens

    def _remove(self, positions: Sequence[int], action: int, reason: str) -> None:
        actions, reasons, costs = self.actions, self._reasons, self._costs
        gone = 0
        for position in positions:
            gone += costs[position]
            costs[position] = 0
            actions[position] = action
            reasons[position] = reason
        self.tokens -= gone
        for texts in self._stubs.values():
            for position in positions if texts else ():
                texts.pop(position, None)

    def seal(self, policy_name: str, policy_version: str) -> CompactionPlan:
        """Make the plan.

        Raises:
            InvalidPlan: The decisions break a rule; names all violations.
        """
        batches = list(self._stubs.values())
        texts = batches[0] if len(batches) == 1 else dict(ChainMap(*batches))
        masked = sorted(texts)
        ratios = (ratio for (_, ratio), texts in self._stubs.items() if texts and ratio is not None)
        return CompactionPlan(
            budget=self.budget,
            policy_name=policy_name,
            policy_version=policy_version,
            turn_ids=self.columns.ids,
            digests=self.columns.prefixes,
            token_estimates=self.columns.tokens,
            exchanges=self.columns.exchanges,
            protections=self.protections,
            actions=bytes(self.actions),
            reasons=tuple(self._reasons),
            replacements=tuple(map(texts.__getitem__, masked)),
            replacement_tokens=tuple(map(self._costs.__getitem__, masked)),
            summarization_requests=tuple(
                request for head in sorted(self._groups) if (request := self.request_at(head))
            ),
            estimator_ratio=next(ratios, None),
            columns=self.columns,
        )

    def request_at(self, position: int) -> SummarizationRequest | None:
        """Return what the planned summary that stands here asks for; None for a turn."""
        group = self._groups.get(position)
        if group is None:
            return None
        ids = tuple(map(self.columns.ids.__getitem__, group.positions))
        return SummarizationRequest.of(ids, group.target_tokens, group.prompt_id)

    def stub_at(self, position: int) -> Stub | None:
        """Return what stands in for a masked turn; None for others."""
        for (_, ratio), texts in self._stubs.items():
            if position in texts:
                return texts[position], self._costs[position], ratio
        return None

    def standing_at(self, position: int) -> Sequence[int]:
        """Return the positions of the turns that what stands here stands for."""
        group = self._groups.get(position)
        return group.positions if group else (position,)
