"""The order of a view, found again in a rendering that had to move messages (contract L3).

A provider wants the results of a batch directly after its call, whatever stood between; so the
turns of a rendering can stand in another order than those of its view. The digests in the ledger
say which is which.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import TypeVar

from turnfold._canonical import sha256_of_text
from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._roles import TOOL
from turnfold.ledger import Fate, Ledger, LedgerEntry
from turnfold.transcript import Role, TranscriptTurn

Place = TypeVar("Place")


def in_view_order(
    found: list[tuple[LoadedTurn, Place]], ledger: Ledger
) -> list[tuple[LoadedTurn, Place]]:
    """Return the turns in the order of the ledger's view, where they are that view.

    Turns after the view stay where they are. Where they are not of the view, the order is left as
    it was: that the ledger does not fit is found out when it is held against them.
    """
    view_ids = ledger.view_turn_ids()
    if len(found) < len(view_ids):
        return found
    head = [turn for turn, _ in found[: len(view_ids)]]
    digests = [sha256_of_text(turn.content) for turn in head]
    entries = {entry.turn_id: entry for entry in ledger.entries()}
    summaries = {name for name, _ in ledger.groups}
    expected = [None if each in summaries else _kept(entries[each]) for each in view_ids]
    if all(
        entry is None or _is_of(entry, turn, digest)
        for entry, turn, digest in zip(expected, head, digests, strict=True)
    ):
        return found
    order = _matched(head, digests, expected, [each in summaries for each in view_ids])
    if order is None:
        return found
    return [found[position] for position in order] + found[len(view_ids) :]


def _kept(entry: LedgerEntry) -> LedgerEntry | None:
    return entry if entry.fate is Fate.KEPT else None


def _is_of(entry: LedgerEntry, turn: LoadedTurn, digest: str) -> bool:
    return entry.content_digest == digest and (
        turn.role is TOOL or bool(turn.makes) or _is_exactly(entry, turn)
    )


def _is_exactly(entry: LedgerEntry, turn: LoadedTurn) -> bool:
    """Whether an entry is of a turn that is no result and is alone in its exchange or opens it."""
    exchange = entry.turn_id if turn.makes else None
    made = TranscriptTurn(entry.turn_id, turn.role, turn.content, 0, tool_call_id=exchange)
    return made.digest() == entry.turn_digest


def _matched(
    head: Sequence[LoadedTurn],
    digests: Sequence[str],
    expected: Sequence[LedgerEntry | None],
    summaries: Sequence[bool],
) -> list[int] | None:
    """Return for each turn of the view where it stands, or None where one is missing."""
    alike: defaultdict[str, dict[tuple[Role, bool], deque[int]]] = defaultdict(dict)
    for position, (turn, digest) in enumerate(zip(head, digests, strict=True)):
        queues = alike[digest]
        queues.setdefault((turn.role, bool(turn.makes)), deque()).append(position)
    order: list[int | None] = []
    for entry in expected:
        order.append(None if entry is None else _claim(entry, alike[entry.content_digest], head))
        if entry is not None and order[-1] is None:
            return None
    left = sorted(set(range(len(head))) - set(order))
    written = iter([each for each in left if head[each].kind == KIND_SUMMARY])
    masked = iter([each for each in left if head[each].kind != KIND_SUMMARY])
    whole = [
        next(written if summary else masked, None) if place is None else place
        for place, summary in zip(order, summaries, strict=True)
    ]
    return None if None in whole else [place for place in whole if place is not None]


def _claim(
    entry: LedgerEntry,
    queues: dict[tuple[Role, bool], deque[int]],
    head: Sequence[LoadedTurn],
) -> int | None:
    """Take the first turn with the content of an entry, and with its role where that shows."""
    open_queues = [queue for queue in queues.values() if queue]
    others = [queue for queue in open_queues if head[queue[0]].role is not TOOL]
    exact = [queue for queue in others if _is_exactly(entry, head[queue[0]])]
    results = [queue for queue in open_queues if head[queue[0]].role is TOOL]
    chosen = next(iter((*exact, *results, *open_queues)), None)
    return None if chosen is None else chosen.popleft()
