"""Speakers that alternate: messages of one role that stand in a row become one (known failure C4).

Providers take two user messages in a row, as a summary before a person's words makes them; chat
templates of many open models do not. What is merged is not told apart any more when it is read
again, so that it is for sending and not for keeping.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from turnfold.errors import InvalidConfiguration
from turnfold.formats._document import Message
from turnfold.formats._faults import Fault

Alternation = Literal["strict"]
"""`strict`: no two messages of one role stand in a row."""

_CONTENTS: Final = frozenset({"content", "parts"})
_GAP: Final = "\n\n"


def require_alternation(alternation: object) -> None:
    """Make sure that an option has one of its values.

    Raises:
        InvalidConfiguration: It has none of them.
    """
    if alternation not in (None, "strict"):
        msg = f"alternation is 'strict' or None; got {alternation!r:.40}"
        raise InvalidConfiguration(msg, {"alternation": repr(alternation)[:40]})


def alternating(
    messages: Sequence[Message],
    side_of: Callable[[Message], object],
    merged: Callable[[Message, Message], Message],
) -> list[Message]:
    """Return messages of which no two of one side stand in a row; others are as they were.

    Args:
        messages: The messages.
        side_of: Returns who says a message; None where it never merges.
        merged: Makes one message of two that stand in a row.
    """
    written: list[Message] = []
    for message in messages:
        side = side_of(message)
        if written and side is not None and side == side_of(written[-1]):
            written[-1] = merged(written[-1], message)
        else:
            written.append(message)
    return written


def joined(first: Message, second: Message, *lists: str) -> Message:
    """Return two messages as one: texts under the same key are joined, listed parts stand in order.

    Args:
        first: The one before.
        second: The one after; its other keys stay where the first has none.
        lists: Keys of lists besides the content.
    """
    message = {**second, **first}
    for key in first.keys() & second.keys():
        if first[key] is None or second[key] is None:
            message[key] = second[key] if first[key] is None else first[key]
        elif key in _CONTENTS or key in lists:
            message[key] = joined_contents(first[key], second[key])
    return message


def joined_contents(first: Any, second: Any) -> Any:  # noqa: ANN401  A text, parts, or nothing.
    """Return two contents as one: two texts as a text, else a list of parts."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return first + _GAP + second
    return [*_parts_of(first), *_parts_of(second)]


def _parts_of(content: Any) -> list[Any]:  # noqa: ANN401
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def alternation_faults(
    messages: Sequence[object],
    place: str,
    side_of: Callable[[Mapping[str, Any]], object],
    error: str,
) -> Iterator[Fault]:
    """Yield a fault for each message of the side that said the one before it.

    Args:
        messages: The messages.
        place: What holds them.
        side_of: Returns who says a message; None for what may stand in a row.
        error: What is said of it, with `{side}`.
    """
    sides = [side_of(each) if isinstance(each, dict) else None for each in messages]
    for index, side in enumerate(sides):
        if index and side is not None and side == sides[index - 1]:
            message = f"the message before is of the role {side!r} too"
            yield Fault(f"{place}[{index}]", "alternation", message, error.format(side=side))
