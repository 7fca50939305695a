"""Exchange ids, minted for each occurrence of a call batch (contract T4).

Per-call ids repeat: some providers number the calls of every response from zero. So a result
belongs to the latest batch that made its call and still waits for it, never to a global id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto


class Part(Enum):
    """What a turn does with the call ids that it holds."""

    NEITHER = auto()
    CALLS = auto()
    ANSWERS = auto()


@dataclass(slots=True)
class _Batch:
    """Calls of one batch with one id, as far as they still wait for results."""

    exchange: str
    waiting: int


@dataclass(slots=True)
class _Calls:
    """The batches with one call id: the latest, and all that wait, the latest of these last."""

    latest: _Batch
    waiting: list[_Batch]


def mint_exchanges(
    turns: Iterable[tuple[str, Part, Sequence[str]]],
) -> list[tuple[str | None, tuple[str, ...]]]:
    """Return for each turn its exchange id and the call ids that it answers out of turn.

    An exchange has the id of the turn that makes its calls, and is known when that turn is: what
    is appended later renames nothing. A batch that repeats an id which still waits for its result
    joins the exchange of that id, because the next result could belong to either; where it
    repeats waiting ids of several exchanges it joins the first of them. A result that no
    waiting call expects is an orphan: an exchange of its own, returned with its call ids.

    Args:
        turns: For each turn its id, what it does with call ids, and the call ids.
    """
    calls, answers = Part.CALLS, Part.ANSWERS
    open_calls: dict[str, _Calls] = {}
    minted: list[tuple[str | None, tuple[str, ...]]] = []
    for turn_id, part, call_ids in turns:
        if part is calls and call_ids:
            minted.append((_declare(open_calls, turn_id, call_ids), ()))
        elif part is answers:
            minted.append(_answer(open_calls, turn_id, call_ids))
        else:
            minted.append((None, ()))
    return minted


def _declare(open_calls: dict[str, _Calls], turn_id: str, call_ids: Sequence[str]) -> str:
    exchange = turn_id
    for call_id in call_ids:
        known = open_calls.get(call_id)
        if known is not None and known.latest.waiting:
            exchange = known.latest.exchange
            break
    counts: dict[str, int] = {}
    for call_id in call_ids:
        counts[call_id] = counts.get(call_id, 0) + 1
    for call_id, count in counts.items():
        batch = _Batch(exchange, count)
        calls = open_calls.get(call_id)
        if calls is None:
            open_calls[call_id] = _Calls(batch, [batch])
        else:
            calls.latest = batch
            calls.waiting.append(batch)
    return exchange


def _answer(
    open_calls: dict[str, _Calls], turn_id: str, call_ids: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    exchange = None
    orphaned = []
    for call_id in call_ids:
        calls = open_calls.get(call_id)
        if calls is None or not calls.waiting:
            orphaned.append(call_id)
            continue
        batch = calls.waiting[-1]
        batch.waiting -= 1
        if not batch.waiting:
            calls.waiting.pop()
        exchange = exchange or batch.exchange
    return exchange or turn_id, tuple(orphaned)
