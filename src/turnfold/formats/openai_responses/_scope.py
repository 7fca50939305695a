"""Which items are live: what the provider's last compaction item does not stand for already."""

from collections.abc import Sequence
from typing import TypeVar

from turnfold.formats._responses_items import answered_by, call_id_of, is_call, kind_of, part_of
from turnfold.formats._responses_read import Entry
from turnfold.formats._responses_unseen import REFERENCE

Origin = TypeVar("Origin")


def in_scope(placed: Sequence[tuple[Origin, Entry]]) -> list[tuple[Origin, Entry]]:
    """Leave out what the model said and was told before the last compaction item.

    The words of users and instructions stay: a compaction of its own request returns them beside
    it. Where a result behind the compaction answers a call before it, or may answer one that is
    referred to there, everything stays.
    """
    compactions = [
        number for number, (_, entry) in enumerate(placed) if part_of(entry.item) == "compaction"
    ]
    if not compactions:
        return list(placed)
    last = compactions[-1]
    made = [repr(call_id_of(each.item)) for _, each in placed[:last] if is_call(each.item)]
    answered = {
        repr(answered_by(each.item)) for _, each in placed[last:] if part_of(each.item) == "result"
    }
    remade = {repr(call_id_of(each.item)) for _, each in placed[last:] if is_call(each.item)}
    earlier = answered - remade
    is_referred = any(kind_of(each.item) == REFERENCE for _, each in placed[:last])
    if earlier.intersection(made) or (earlier and is_referred):
        return list(placed)
    kept = [each for each in placed[:last] if part_of(each[1].item) in ("words", "instructions")]
    # Reasoning that led to the compaction goes with it.
    return kept + list(placed[last:])
