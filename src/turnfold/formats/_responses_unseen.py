"""What the provider holds and a list of items does not show.

A request can go on from a stored response, and an `item_reference` stands for a stored item. The
call of a result, or the result of a call, may lie there: that it is not among the items says
nothing then. Such calls and results are linked to nobody, and nobody may part them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from turnfold.formats._responses_items import answered_by, call_id_of, is_call, kind_of, part_of

REFERENCE: Final = "item_reference"
UNSEEN: Final = "unseen_item"


@dataclass(frozen=True, slots=True)
class Unseen:
    """The items whose other half may lie with the provider, by their numbers.

    Args:
        references: Items that stand for stored ones.
        results: Results whose call is not among the items before them.
        calls: Calls whose result is not among the items, where a reference behind may be it.
    """

    references: frozenset[int] = frozenset()
    results: frozenset[int] = frozenset()
    calls: frozenset[int] = frozenset()


NOTHING: Final = Unseen()


def unseen_among(items: Sequence[Any], *, goes_on: bool) -> Unseen:
    """Return which items belong to what is not seen.

    Args:
        items: The items.
        goes_on: Whether they go on from what the provider stores.
    """
    references = [number for number, item in enumerate(items) if kind_of(item) == REFERENCE]
    if not (goes_on or references):
        return NOTHING
    first = -1 if goes_on else references[0]
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    results = set()
    for number, item in enumerate(items):
        if is_call(item):
            waiting[repr(call_id_of(item))].append(number)
        elif part_of(item) == "result":
            found = next((each for each in _names(item) if waiting[each]), None)
            if found is not None:
                waiting[found].pop()
            elif number > first:
                results.add(number)
    last = references[-1] if references else -1
    calls = {each for left in waiting.values() for each in left if each < last}
    return Unseen(frozenset(references), frozenset(results), frozenset(calls))


def _names(result: dict[str, Any]) -> Iterator[str]:
    """Yield the names by which a result may name its call."""
    yield repr(answered_by(result))
    if "id" in result:
        yield repr(result["id"])
