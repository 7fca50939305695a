"""Choosing the lines of a digest: what the user said first, then what names something new.

The second part is the greedy answer to a coverage problem: the next line is the one whose names
that stand nowhere in the view yet weigh most for the space that it takes. A name weighs more the
later it was used, where the agent used it itself, and where it came up in several turns.
"""

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from math import log2
from typing import Final

from turnfold.facts import Kind, Trigger
from turnfold.fulfil._material import Block, Line, Material

USER_SHARE: Final = 0.35
"""The part of a digest that the user's words may take."""

STATED_SHARE: Final = 0.12
"""The part for decisions, constraints and todos that others stated."""

_WEIGHTS: Final = {
    Kind.PATH: 1.0,
    Kind.IDENTIFIER: 1.0,
    Kind.ENVIRONMENT: 1.0,
    Kind.URL: 0.8,
    Kind.HASH: 0.6,
    Kind.UUID: 0.4,
    Kind.HYPHENATED: 0.5,
    Kind.NUMBER: 0.3,
    Kind.DATE: 0.3,
    Kind.QUOTED: 0.5,
}
_BINDING: Final = frozenset({Trigger.CONSTRAINT, Trigger.CORRECTION, Trigger.DECISION})
_STATED: Final = frozenset({Trigger.CONSTRAINT, Trigger.DECISION, Trigger.TODO})
_OPENING_LINES: Final = 3


def choose(material: Material, characters: int) -> list[Line]:
    """Return the lines that fit, labels counted, in the order of their importance."""
    return _Choice(material, characters).made()


class _Choice:
    """One choice in the making: what is left of the space, what is open, what is named."""

    def __init__(self, material: Material, characters: int) -> None:
        self.material = material
        self.room = characters
        self.total = characters
        self.seen = set(material.seen)
        self.opened: set[int] = set()
        self.taken: dict[str, Line] = {}

    def made(self) -> list[Line]:
        lines = list(self.material.lines())
        self._take_all(_by_user(lines), USER_SHARE)
        self._take_all(_stated(lines), STATED_SHARE)
        named = _distinct(lines)
        self._cover(named)
        # Room that is left goes to names that stand elsewhere, then to whatever came last.
        self.seen = set()
        self._cover(named)
        self._take_all(reversed(lines), 1.0)
        return list(self.taken.values())

    def cost(self, line: Line) -> int:
        return line.size + (0 if id(line.block) in self.opened else line.block.size)

    def take(self, line: Line) -> bool:
        """Take a line if there is room for it and nothing like it is there."""
        cost = self.cost(line)
        if cost > self.room or line.text in self.taken:
            return False
        self.room -= cost
        self.opened.add(id(line.block))
        self.taken[line.text] = line
        self.seen.update(line.names)
        self.seen.update(line.block.names)
        return True

    def _take_all(self, lines: Iterable[Line], share: float) -> None:
        left = int(self.total * share)
        for line in lines:
            cost = self.cost(line)
            if cost <= left and self.take(line):
                left -= cost

    def _cover(self, lines: list[Line]) -> None:
        """Take lines greedily; a line is weighed again only when it comes up."""
        weights = _weigh(self.material)
        by_block: dict[int, list[int]] = {}
        for at, line in enumerate(lines):
            by_block.setdefault(id(line.block), []).append(at)
        heap = [(-self._value(line, weights), at) for at, line in enumerate(lines)]
        heap = [each for each in heap if each[0] < 0 and lines[each[1]].text not in self.taken]
        heapify(heap)
        shortest = min((line.size for line in lines), default=0)
        while heap and self.room >= shortest:
            promised, at = heappop(heap)
            line = lines[at]
            value = -self._value(line, weights)
            if value > promised:
                if value < 0:
                    heappush(heap, (value, at))
                continue
            was_open = id(line.block) in self.opened
            if self.take(line) and not was_open:
                self._reopen(heap, lines, by_block[id(line.block)], weights)

    def _reopen(
        self,
        heap: list[tuple[float, int]],
        lines: list[Line],
        members: list[int],
        weights: dict[str, float],
    ) -> None:
        """Weigh the other lines of a block anew: its label is paid for by now."""
        for at in members:
            value = -self._value(lines[at], weights)
            if value < 0 and lines[at].text not in self.taken:
                heappush(heap, (value, at))

    def _value(self, line: Line, weights: dict[str, float]) -> float:
        worth = sum(weights[name] for name in line.names if name not in self.seen)
        if not worth:
            return 0.0
        block = line.block
        cost = float(line.size)
        if id(block) not in self.opened:
            cost += block.size / 2
            worth += sum(weights[name] for name in block.names if name not in self.seen)
        return worth / (cost + 8)


def _by_user(lines: Iterable[Line]) -> list[Line]:
    """Return the user's lines: rules and corrections, openings of turns, the rest; newest first."""
    said = [line for line in lines if line.block.voice == "user"]

    def rank(line: Line) -> tuple[bool, bool, int, int]:
        binding = not _BINDING.isdisjoint(line.found)
        opening = line.order < _OPENING_LINES
        return (not (binding and opening), not (binding or opening), -line.block.turn, line.order)

    return sorted(said, key=rank)


def _stated(lines: Iterable[Line]) -> list[Line]:
    """Return what others stated as decisions, constraints and todos, newest first."""
    said = [
        line
        for line in lines
        if line.block.voice in ("assistant", "summary") and not _STATED.isdisjoint(line.found)
    ]
    return sorted(said, key=lambda line: (-len(line.found), -line.block.turn, line.order))


def _distinct(lines: Iterable[Line]) -> list[Line]:
    """Return the lines that name something, the latest of those that read the same."""
    return list({line.text.strip(): line for line in lines if line.names}.values())


def _weigh(material: Material) -> dict[str, float]:
    kinds: dict[str, Kind] = {}
    turns: dict[str, int] = {}
    last: dict[str, int] = {}
    own: set[str] = set()
    for block in material.blocks:
        for names in _names_of(block):
            for name, kind in names.items():
                kinds.setdefault(name, kind)
                if last.get(name) != block.turn:
                    turns[name] = turns.get(name, 0) + 1
                    last[name] = block.turn
        if block.voice != "data" or block.label.startswith("call"):
            for names in _names_of(block):
                own.update(names)
        else:
            own.update(block.names)
    span = max(material.turns, 1)
    return {
        name: _WEIGHTS.get(kind, 0.4)
        * (0.5 + (last[name] + 1) / span)
        * (1 + log2(turns[name]))
        * (2.0 if name in own else 1.0)
        for name, kind in kinds.items()
    }


def _names_of(block: Block) -> Iterable[dict[str, Kind]]:
    yield block.names
    for line in block.lines:
        yield line.names
