"""What is wrong with a session: as a file, and as the messages that the client sends of it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from turnfold.formats._faults import Fault
from turnfold.formats._rules.anthropic import check_anthropic
from turnfold.formats.claude_code._records import Entry, scan
from turnfold.formats.claude_code._scope import select


def check(source: bytes | Iterable[bytes], *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault of a session; empty where there is none.

    Damage of the file comes first, then what the provider would refuse of the live context. Records
    of one role that follow each other are one message, as the client sends them.

    Args:
        source: The file's bytes, or its lines or chunks in order.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    found = scan(source, as_sent=True)
    entries = select(found, "live")
    faults = [Fault(each.place, each.code, each.message) for each in found.damage]
    messages: list[dict[str, Any]] = []
    origins: list[list[str]] = []
    for entry in entries:
        if not messages or messages[-1]["role"] != entry.part:
            messages.append({"role": entry.part, "content": []})
            origins.append([])
        messages[-1]["content"] += entry.blocks
        origins[-1] += [_where(entry, block) for block in range(len(entry.blocks))]
    refused = check_anthropic(messages, pending_ok=pending_ok)
    return faults + [replace(each, place=_place(each.place, origins)) for each in refused]


def _where(entry: Entry, block: int) -> str:
    return f"{entry.origin} content[{block}]" if len(entry.blocks) > 1 else entry.origin


def _place(place: str, origins: list[list[str]]) -> str:
    """Return where in the file a place among the messages is."""
    numbers = [int(each) for each in place.replace("]", "[").split("[") if each.isdigit()]
    if not numbers or numbers[0] >= len(origins) or not origins[numbers[0]]:
        return place
    listed = origins[numbers[0]]
    block = numbers[1] if len(numbers) > 1 and numbers[1] < len(listed) else 0
    return f"{listed[block]} ({place})"
