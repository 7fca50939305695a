"""What training tools ask of ShareGPT conversations; written without a look at the renderer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from turnfold.formats._faults import Fault
from turnfold.formats._rules.chats import Entry, check_entries

_SYSTEM: Final = ("system",)
_ASKS: Final = ("human", "user")
_SAYS: Final = ("gpt", "assistant", "chatgpt", "bing", "bard", "bot", "model", "function_call")
_GIVES: Final = (
    *("observation", "observations", "tool", "function"),
    *("function_response", "tool_response", "ipython"),
)
_BROKEN: Final = "Invalid role tag in [...]."
"""LLaMA-Factory's words; it leaves the conversation out."""


def check_conversation(
    place: str, items: Sequence[Any], *, pending_ok: bool = False, strict: bool = False
) -> list[Fault]:
    """Return every fault of a conversation.

    Args:
        place: Where its items stand.
        items: The items.
        pending_ok: Whether a call at the very end may wait for its result.
        strict: Whether the two sides have to alternate, a person's first.
    """
    entries = list(_entries(place, items))
    faults = [replace(each, provider_error=_BROKEN) for each in _checked(entries, pending_ok)]
    if strict:
        faults += _alternation(entries)
    return faults


def _checked(entries: Sequence[Entry], pending_ok: bool) -> list[Fault]:  # noqa: FBT001
    return check_entries(entries, pending_ok=pending_ok)


def _name(item: object) -> str:
    name = item.get("from") if isinstance(item, dict) else type(item).__name__
    return name.lower().replace("-", "_") if isinstance(name, str) else str(name)


def _entries(place: str, items: Sequence[Any]) -> Iterator[Entry]:
    names = [_name(item) for item in items]
    for number, (name, item) in enumerate(zip(names, items, strict=True)):
        at = f"{place}[{number}]"
        if name in _GIVES:
            yield Entry(at, "tool")
        elif name in _SAYS:
            if name == "function_call" and names[number + 1 : number + 2] == ["function_call"]:
                continue
            behind = number + 1
            while behind < len(names) and names[behind] in _GIVES:
                behind += 1
            made = behind - number - 1
            least = 1 if name == "function_call" else 0
            yield Entry(at, "assistant", ("",) * max(made, least), is_blank="value" not in item)
        else:
            role = "system" if name in _SYSTEM else "user" if name in _ASKS else name
            is_blank = not isinstance(item, dict) or "value" not in item
            yield Entry(at, role, is_blank=is_blank)


def _alternation(entries: Sequence[Entry]) -> Iterator[Fault]:
    wanted = False
    for entry in entries:
        if entry.role == "system":
            continue
        by_model = entry.role == "assistant"
        if by_model is not wanted:
            who = "the model" if wanted else "a person or a result"
            yield Fault(entry.place, "alternation", f"it is the turn of {who}", _BROKEN)
        wanted = not by_model
