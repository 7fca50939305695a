"""The yardstick: what somebody would write by hand to drop the oldest exchanges."""

from collections.abc import Sequence

from tests.benchmarks.speed.workload import Message


def drop_oldest(messages: Sequence[Message], max_tokens: int, protected: int) -> list[Message]:
    """Make one pass that groups by exchange, then drop the oldest ones until the rest fits."""
    unit_of_call: dict[str | None, int] = {}
    units: list[int] = []
    unit_tokens: list[int] = []
    unit_end: list[int] = []
    total = count = 0
    for place, message in enumerate(messages):
        tokens = message["tokens"]
        total += tokens
        role = message["role"]
        if role == "system":
            units.append(-1)
            continue
        if role == "tool":
            known = unit_of_call.get(message["tool_call_id"])
            if known is not None:
                units.append(known)
                unit_tokens[known] += tokens
                unit_end[known] = place
                continue
        for call in message["tool_calls"]:
            unit_of_call[call["id"]] = count
        units.append(count)
        unit_tokens.append(tokens)
        unit_end.append(place)
        count += 1
    tail = len(messages) - protected
    dropped = 0
    for unit, tokens in enumerate(unit_tokens):
        if total <= max_tokens or unit_end[unit] >= tail:
            break
        total -= tokens
        dropped = unit + 1
    pairs = zip(messages, units, strict=True)
    return [message for message, unit in pairs if unit < 0 or unit >= dropped]
