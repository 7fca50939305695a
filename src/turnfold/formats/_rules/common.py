"""What the rules of the chat providers have in common."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from turnfold.formats._faults import Fault

INSTRUCTIONS: Final = ("system", "developer")


def common_faults(messages: Sequence[Any], roles: Sequence[str]) -> Iterator[Fault]:
    """A message is an object with a role, and not all of them are instructions."""
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in roles:
            yield Fault(f"messages[{index}]", "role", "a message is an object with a known role")
    if not any(role_of(each) not in (*INSTRUCTIONS, None) for each in messages):
        yield Fault("messages", "only_system", "there is no message besides system messages")


def role_of(message: object) -> object:
    """Return the role of a message, whatever it is."""
    return message.get("role") if isinstance(message, dict) else None


def repeats(values: Sequence[object]) -> bool:
    """Whether a value stands twice; ids of a malformed message cannot be hashed."""
    return any(value in values[:number] for number, value in enumerate(values))
