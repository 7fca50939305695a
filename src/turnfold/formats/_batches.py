"""Call batches in the order of a rendering: results directly after the calls they answer."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnfold._metadata import STATUS, STATUS_PENDING
from turnfold.formats._document import Source
from turnfold.transcript import TranscriptTurn


@dataclass(slots=True)
class Batch:
    """A turn that is no result, the results that answer it, and which of its calls have none.

    Args:
        turn: The turn.
        results: The results, in the order of the view.
        unanswered: The numbers of its calls without a result.
        is_last: Whether nothing stands after it.
    """

    turn: TranscriptTurn
    results: list[TranscriptTurn] = field(default_factory=list)
    unanswered: list[int] = field(default_factory=list)
    is_last: bool = False

    @property
    def to_close(self) -> list[int]:
        """The calls to be closed: all unanswered ones, but for those pending at the end (A12)."""
        pending = self.is_last and self.turn.metadata.get(STATUS) == STATUS_PENDING
        return [] if pending else self.unanswered


def batches_of(turns: Iterable[TranscriptTurn], source: Source) -> list[Batch]:
    """Group the turns of a view: each result goes to the call that it answers.

    A result belongs to the latest batch of its exchange that waits for its call id, never to an
    id wherever it stands (A7). One that no call of the view waits for is left out.
    """
    batches: list[Batch] = []
    waiting: defaultdict[tuple[str | None, str], list[tuple[Batch, int]]] = defaultdict(list)
    for turn in turns:
        answer = source.answers.get(turn.turn_id)
        if answer is None:
            calls = source.calls.get(turn.turn_id, ())
            batch = Batch(turn, unanswered=list(range(len(calls))))
            batches.append(batch)
            for number in reversed(batch.unanswered):
                waiting[turn.tool_call_id, calls[number]].append((batch, number))
        elif stack := waiting[turn.tool_call_id, answer]:
            batch, number = stack.pop()
            batch.results.append(turn)
            batch.unanswered.remove(number)
    if batches:
        batches[-1].is_last = True
    return batches
