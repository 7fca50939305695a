"""The names of turns: what they are, where they stand, and who says them."""

from collections.abc import Iterable
from itertools import chain
from typing import Final

from turnfold.audit._memory import AuditMemory
from turnfold.facts import Kind
from turnfold.transcript import Role, TranscriptTurn

VOICES: Final = {Role.SYSTEM: 1, Role.TOOL: 2, Role.ASSISTANT: 4, Role.USER: 8}
"""A bit a role, so that who says a name is one number."""

SPOKEN: Final = VOICES[Role.USER] | VOICES[Role.ASSISTANT]
"""The bits of those who speak; tools print."""


class Seen:
    """A name in the original turns: its kind, how often, in which turns, and by whom."""

    __slots__ = ("count", "first", "kind", "last", "turns", "voice")

    def __init__(self, kind: Kind, turn: int, count: int, voice: int) -> None:
        self.kind = kind
        self.count = count
        self.first = turn
        self.last = turn
        self.turns = 1
        self.voice = voice

    def positions(self) -> tuple[int, ...]:
        """Return the first and the last turn that has it."""
        return (self.first,) if self.first == self.last else (self.first, self.last)


def read(turns: Iterable[tuple[int, TranscriptTurn]], memory: AuditMemory) -> dict[str, Seen]:
    """Return the names of turns with their positions, each distinct token examined once."""
    seen: dict[str, Seen] = {}
    get = seen.get
    for position, turn in turns:
        telling = memory.names(turn.content)
        voice = VOICES[turn.role]
        once = (((fact,), 1) for fact in telling.spaced)
        for facts, count in chain(zip(telling.facts, telling.counts, strict=True), once):
            for kind, name in facts:
                known = get(name)
                if known is None:
                    seen[name] = Seen(kind, position, count, voice)
                    continue
                if known.last != position:
                    known.turns += 1
                    known.last = position
                    known.voice |= voice
                known.count += count
    return seen
