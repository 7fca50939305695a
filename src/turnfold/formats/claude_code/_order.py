"""The order in which a provider wants the turns of a view: results directly after their calls."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from turnfold._metadata import CALL_IDS
from turnfold.errors import UnrenderableView, name_some, some
from turnfold.transcript import Role, Transcript, TranscriptTurn


@dataclass(frozen=True, slots=True)
class Closing:
    """A result that has to be made, because a call that something follows has none."""

    turn_id: str
    call_id: str
    index: int


Step = int | Closing
"""The position of a turn in the view, or a closing result."""


def provider_order(turns: Transcript) -> Iterator[Step]:
    """Yield each turn once: a message, the results of its calls, what closes the others.

    A call that nothing follows stays open: its result may still come (known failure A10).

    Raises:
        UnrenderableView: A result answers no call of the view.
    """
    answers, unanswered = _pair(turns)
    answering = {position for positions in answers.values() for position in positions}
    heads = [position for position in range(len(turns)) if position not in answering]
    for position in heads:
        yield position
        yield from answers.get(position, ())
        if position != heads[-1]:
            turn_id = turns.turns[position].turn_id
            for index, call_id in enumerate(unanswered.get(position, ())):
                yield Closing(turn_id, call_id, index)


def _pair(turns: Transcript) -> tuple[dict[int, list[int]], dict[int, list[str]]]:
    """Return by the position of each calling turn its results and its unanswered calls.

    Call ids repeat, so a result belongs to the latest call of its exchange that still waits.
    """
    answers: dict[int, list[int]] = {}
    unanswered: dict[int, list[str]] = {}
    waiting: dict[tuple[str | None, str], list[int]] = {}
    orphans: list[str] = []
    for position, turn in enumerate(turns):
        for call_id in call_ids_of(turn):
            key = (turn.tool_call_id, call_id)
            if turn.role is Role.ASSISTANT:
                waiting.setdefault(key, []).append(position)
                unanswered.setdefault(position, []).append(call_id)
            elif waiting.get(key):
                caller = waiting[key].pop()
                answers.setdefault(caller, []).append(position)
                unanswered[caller].remove(call_id)
            else:
                orphans.append(turn.turn_id)
    if orphans:
        msg = f"results in the view answer no call of it: {name_some(orphans)}"
        raise UnrenderableView(msg, {"turn_ids": some(orphans)})
    return answers, unanswered


def call_ids_of(turn: TranscriptTurn) -> list[str]:
    listed = turn.metadata.get(CALL_IDS)
    return json.loads(listed) if listed else []
