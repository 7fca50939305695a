"""The draft that policies work on: what the view would be by now, and what may still go.

A draft starts with every turn kept. Policies mask, drop and summarise in it; `seal` makes the
validated plan. A policy that has `revise(draft)` continues the draft of a chain; with
`relax(draft)` it gives back what later policies made unnecessary.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Final

from turnfold._columns import FREE, IS_PROTECTED, PINNED, SYSTEM, TAIL, locked_leaders
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

Stub = tuple[str, int, float | None]
"""What stands in for a masked turn: text, tokens, and the ratio if the built-in one sized it."""


class Group:
    """A planned summary: the positions of its turns, its target, its prompt and its policy."""

    __slots__ = ("owner", "positions", "prompt_id", "target_tokens")

    def __init__(
        self, positions: tuple[int, ...], target_tokens: int, prompt_id: str, owner: object
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
        "_owners",
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
        self._stubs: dict[int, Stub] = {}
        self._owners: dict[int, object] = {}
        self._dropped: list[tuple[object, list[int]]] = []
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
        return sum(compress(self.columns.tokens, self.protections.translate(IS_PROTECTED)))

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

    def view_positions(self) -> list[int]:
        """Return the positions that the view would show: retained turns, and summaries."""
        flags = self.actions.translate(IS_RETAINED)
        for head in self._groups:
            flags[head] = 1
        return list(compress(range(len(flags)), flags))

    def removable_runs(self) -> Iterator[list[int]]:
        """Yield the runs of neighbours in the view that may leave it, oldest first."""
        run: list[int] = []
        leaders, locked, groups = self.columns.exchanges, self._locked, self._groups
        for position in self.view_positions():
            if leaders[position] not in locked or position in groups:
                run.append(position)
            elif run:
                yield run
                run = []
        if run:
            yield run

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
        self.mask_all({position: stub}, reason)

    def mask_all(self, stubs: Mapping[int, Stub], reason: str, *, owner: object = None) -> None:
        """Let stubs stand in for the contents of retained turns.

        Args:
            stubs: What stands in, by position.
            reason: Why.
            owner: The policy that may take them back in `relax`.
        """
        costs, actions, reasons = self._costs, self.actions, self._reasons
        saved = 0
        for position, (_, tokens, _) in stubs.items():
            saved += costs[position] - tokens
            costs[position] = tokens
            actions[position] = MASK
            reasons[position] = reason
        self.tokens -= saved
        self._stubs.update(stubs)
        self._owners.update(dict.fromkeys(stubs, owner))

    def stub_owner(self, position: int) -> object:
        """Return the policy that masked this turn and may take it back."""
        return self._owners.get(position)

    def unmask(self, position: int) -> None:
        """Give a masked turn its content back."""
        del self._stubs[position], self._owners[position]
        original = self.columns.tokens[position]
        self.tokens += original - self._costs[position]
        self._costs[position] = original
        self.actions[position] = KEEP
        self._reasons[position] = _KEEP_REASONS[FREE]

    def drop(self, heads: Iterable[int], reason: str, *, owner: object = None) -> None:
        """Drop units, all turns that planned summaries stand for included.

        Args:
            heads: The units.
            reason: Why.
            owner: The policy that may give them back in `relax`.
        """
        flags = bytearray(len(self.actions))
        exchanges = self.columns.exchanges
        dropped: list[int] = []
        for head in heads:
            group = self._groups.pop(head, None)
            if group is None:
                flags[head] = 1
            else:
                self.tokens -= group.target_tokens
                dropped.extend(group.positions)
        dropped.extend(compress(range(len(flags)), map(flags.__getitem__, exchanges)))
        self._remove(dropped, DROP, reason)
        self._dropped.append((owner, dropped))

    def give_back(self, owner: object) -> None:
        """Keep the newest exchanges that this policy dropped, as long as the draft still fits."""
        sizes = self.columns.tokens
        members: dict[int, list[int]] = {}
        for dropper, positions in self._dropped:
            for position in positions if dropper is owner else ():
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
        folded: list[int] = []
        for position in positions:
            group = self._groups.pop(position, None)
            if group is None:
                folded.append(position)
            else:
                self.tokens -= group.target_tokens
                folded.extend(group.positions)
        folded.sort()
        self._remove(folded, SUMMARIZE, reason)
        self._groups[folded[0]] = Group(tuple(folded), target_tokens, prompt_id, owner)
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
        actions, reasons, costs, stubs = self.actions, self._reasons, self._costs, self._stubs
        gone = 0
        for position in positions:
            gone += costs[position]
            costs[position] = 0
            actions[position] = action
            reasons[position] = reason
        self.tokens -= gone
        if stubs:
            for position in positions:
                stubs.pop(position, None)

    def seal(self, policy_name: str, policy_version: str) -> CompactionPlan:
        """Make the plan.

        Raises:
            InvalidPlan: The decisions break a rule; names all violations.
        """
        stubs = [self._stubs[position] for position in sorted(self._stubs)]
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
            replacements=tuple([text for text, _, _ in stubs]),
            replacement_tokens=tuple([tokens for _, tokens, _ in stubs]),
            summarization_requests=tuple(
                request for head in sorted(self._groups) if (request := self.request_at(head))
            ),
            estimator_ratio=next((ratio for _, _, ratio in stubs if ratio is not None), None),
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
        return self._stubs.get(position)

    def standing_at(self, position: int) -> tuple[int, ...]:
        """Return the positions of the turns that what stands here stands for."""
        group = self._groups.get(position)
        return group.positions if group else (position,)
