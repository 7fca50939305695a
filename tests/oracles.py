"""Independent answers that the properties compare with, written from the contracts.

Slow and plain on purpose. Nothing here imports turnfold: turns and budgets are read through
their public attributes, and every rule is spelled out again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from typing import Protocol


class Turn(Protocol):
    """What the oracles read of a turn."""

    @property
    def turn_id(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def token_estimate(self) -> int: ...
    @property
    def tool_call_id(self) -> str | None: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def metadata(self) -> Mapping[str, str]: ...


class Budget(Protocol):
    """What the oracles read of a budget."""

    @property
    def max_tokens(self) -> int: ...
    @property
    def protected_recent_turns(self) -> int: ...
    @property
    def target_tokens(self) -> int | None: ...
    @property
    def reserved_tokens(self) -> int: ...


Turns = Sequence[Turn]


def limit_of(budget: Budget) -> int:
    """B1: what the turns may take."""
    return budget.max_tokens - budget.reserved_tokens


def goal_of(budget: Budget) -> int:
    """B1: how far compaction goes down once it has started."""
    if budget.target_tokens is None:
        return limit_of(budget)
    return budget.target_tokens - budget.reserved_tokens


def size(turns: Turns) -> int:
    """P5: the size of turns in tokens."""
    total = 0
    for turn in turns:
        total += turn.token_estimate
    return total


def untouchable(turns: Turns, budget: Budget) -> set[int]:
    """B2: SYSTEM turns, pinned turns, the last turns."""
    found = set()
    for position, turn in enumerate(turns):
        from_the_end = len(turns) - position
        if turn.role == "system" or turn.pinned or from_the_end <= budget.protected_recent_turns:
            found.add(position)
    return found


def floor_by_cause(turns: Turns, budget: Budget) -> dict[str, int]:
    """B4: what the untouchable turns need, each under the first cause that holds."""
    floor = {"system": 0, "pinned": 0, "tail": 0}
    for position in untouchable(turns, budget):
        turn = turns[position]
        cause = "system" if turn.role == "system" else "pinned" if turn.pinned else "tail"
        floor[cause] += turn.token_estimate
    return floor


def exchange(turns: Turns, position: int) -> list[int]:
    """T4: the positions of all turns of the exchange of this turn."""
    call = turns[position].tool_call_id
    if call is None:
        return [position]
    return [other for other, turn in enumerate(turns) if turn.tool_call_id == call]


def is_removable(turns: Turns, budget: Budget, position: int) -> bool:
    """B3: whether no member of the exchange is untouchable."""
    return not set(exchange(turns, position)) & untouchable(turns, budget)


def must_compact(turns: Turns, budget: Budget) -> bool:
    """B5: compaction starts over the limit; equality fits."""
    return size(turns) > limit_of(budget)


def dropped(turns: Turns, budget: Budget) -> set[int]:
    """D1: whole exchanges, oldest first, until it fits."""
    gone: set[int] = set()
    if not must_compact(turns, budget):
        return gone
    for position in range(len(turns)):
        left = [turn for each, turn in enumerate(turns) if each not in gone]
        if size(left) <= goal_of(budget):
            break
        if position not in gone and is_removable(turns, budget, position):
            gone.update(exchange(turns, position))
    return gone


@dataclass(frozen=True)
class Masking:
    """The options of masking that the oracle knows (contract M1)."""

    keep_recent_results: int
    order: str
    protect_tools: frozenset[str]
    stub_tokens: int


def masked(turns: Turns, budget: Budget, options: Masking) -> set[int]:
    """M1: which results are masked, every stub having the same size."""
    chosen: set[int] = set()
    if not must_compact(turns, budget):
        return chosen
    results = [position for position, turn in enumerate(turns) if turn.role == "tool"]
    newest = results[len(results) - options.keep_recent_results :]
    if options.keep_recent_results >= len(results):
        newest = results
    candidates = [
        position
        for position in results
        if position not in newest
        and position not in untouchable(turns, budget)
        and turns[position].metadata.get("turnfold.tool_name") not in options.protect_tools
        and options.stub_tokens < turns[position].token_estimate
    ]
    if options.order == "largest":
        candidates.sort(key=lambda position: (-turns[position].token_estimate, position))
    left = size(turns)
    for position in candidates:
        if left <= goal_of(budget):
            break
        chosen.add(position)
        left -= turns[position].token_estimate - options.stub_tokens
    return chosen


def is_whole_span(turns: Turns, budget: Budget, start: int, end: int) -> bool:
    """S1: whether a stretch is removable and holds whole exchanges only."""
    stretch = range(start, end)
    return all(
        is_removable(turns, budget, position) and set(exchange(turns, position)) <= set(stretch)
        for position in stretch
    )


def qualifying_spans(
    turns: Turns, budget: Budget, ratio: float, min_span_turns: int
) -> list[tuple[range, int]]:
    """S1: the qualifying spans in their whole extent, oldest first, each with its target."""
    found: list[tuple[range, int]] = []
    if not must_compact(turns, budget):
        return found
    start = 0
    while start < len(turns):
        ends = [
            end for end in range(len(turns), start, -1) if is_whole_span(turns, budget, start, end)
        ]
        if not ends:
            start += 1
            continue
        tokens = size(turns[start : ends[0]])
        target = max(1, round(tokens * ratio))
        if ends[0] - start >= min_span_turns and target < tokens:
            found.append((range(start, ends[0]), target))
        start = ends[0]
    return found


@dataclass
class Shown:
    """A turn of a view, and the original turns that it stands for (contracts L1, L2)."""

    turn_id: str
    leaves: list[str]
    is_summary: bool = False


@dataclass
class Book:
    """A ledger kept by hand: what became of every original turn, through any number of rounds."""

    view: list[Shown] = field(default_factory=list)
    fates: dict[str, str] = field(default_factory=dict)

    def appear(self, turn_ids: Sequence[str]) -> None:
        """Turns that nobody has seen before come in at the end."""
        for turn_id in turn_ids:
            self.view.append(Shown(turn_id, [turn_id]))
            self.fates[turn_id] = "kept"

    def compact(self, decisions: Sequence[tuple[str, str | None]]) -> None:
        """Carry out one (action, group) a turn of the view."""
        groups: dict[str, Shown] = {}
        after = []
        for shown, (action, group) in zip(self.view, decisions, strict=True):
            if action == "keep":
                after.append(shown)
            elif action == "mask":
                after.append(shown)
                if not shown.is_summary:
                    self.fates.update(dict.fromkeys(shown.leaves, "masked"))
            elif action == "drop":
                self.fates.update(dict.fromkeys(shown.leaves, "dropped"))
            else:
                self.fates.update(dict.fromkeys(shown.leaves, "summarized"))
                name = f"summary:{group}"
                if name not in groups:
                    groups[name] = Shown(name, [], is_summary=True)
                    after.append(groups[name])
                groups[name].leaves.extend(shown.leaves)
        self.view = after


def pair_calls(
    turns: Sequence[tuple[str, str, Sequence[str]]],
) -> list[str | None]:
    """T4, for transcripts without ambiguity: each turn's exchange.

    A turn is (id, `call` or `answer` or `none`, call ids). Looks back from each result for the
    nearest call with its id, and takes it if nothing has answered that occurrence yet.
    """
    found: list[str | None] = []
    answered: set[tuple[int, int]] = set()
    for position, (turn_id, part, call_ids) in enumerate(turns):
        if part == "none" or (part == "call" and not call_ids):
            found.append(None)
        elif part == "call":
            found.append(turn_id)
        else:
            owners = [_owner(turns, position, call_id, answered) for call_id in call_ids]
            known = [owner for owner in owners if owner is not None]
            found.append(known[0] if known else turn_id)
    return found


def _owner(
    turns: Sequence[tuple[str, str, Sequence[str]]],
    position: int,
    call_id: str,
    answered: set[tuple[int, int]],
) -> str | None:
    for before in range(position - 1, -1, -1):
        turn_id, part, call_ids = turns[before]
        if part != "call":
            continue
        for index, each in enumerate(call_ids):
            if each == call_id and (before, index) not in answered:
                answered.add((before, index))
                return turn_id
        if call_id in call_ids:
            return None
    return None


def turn_digest(turn: Turn) -> str:
    """T3: one spelling of what a digest covers, for telling turns apart."""
    spelled = repr((turn.turn_id, str(turn.role), turn.content, turn.tool_call_id))
    return sha256(spelled.encode("ascii", "backslashreplace")).hexdigest()


def content_sha256(text: str) -> str:
    """L1: the digest of a complete content."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_sorted(values: Sequence[int], key: Callable[[int], int] = int) -> bool:
    """Whether values ascend."""
    return all(key(before) <= key(after) for before, after in pairwise(values))
