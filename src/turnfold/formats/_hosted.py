"""Calls that the provider runs itself, with their results in a later message (known failure A13).

A provider pauses a turn and goes on in the next one; or code that it runs calls the caller's tools,
so that it ends behind their results. What holds the result is refused without what holds the call.
"""

from collections.abc import Iterable, Sequence


def join_hosted(
    turns: Iterable[tuple[str, Sequence[str], Sequence[str]]], exchanges: list[str | None]
) -> None:
    """Make one exchange of a hosted call and the turn that has its result.

    A turn with such a call is an exchange at once: what is appended later renames nothing.

    Args:
        turns: For each turn its id, the calls that it opens, and the calls that it closes.
        exchanges: The exchange of each turn; changed where it is another one then.
    """
    opened: dict[str, str] = {}
    joined: dict[str, str] = {}
    for position, (turn_id, opens, closes) in enumerate(turns):
        minted = exchanges[position]
        own = minted if minted is None else joined.get(minted, minted)
        for call_id in closes:
            first = opened.pop(call_id, None)
            if first is None or first == own:
                continue
            if own is not None:
                joined[own] = first
            own = first
        for call_id in opens:
            own = opened[call_id] = own or turn_id
        exchanges[position] = own
