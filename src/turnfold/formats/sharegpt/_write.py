"""Writing ShareGPT items: in the names that a conversation has for its speakers."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from turnfold.formats._document import Message
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.sharegpt._read import REMOVED_REPLY, is_call, role_of
from turnfold.transcript import Role, TranscriptTurn


def masked(item: Message, text: str) -> Message:
    """Return an item that says another text."""
    return {**item, "value": text}


class Names:
    """What a conversation calls its speakers."""

    def __init__(self, items: Sequence[Any]) -> None:
        named = {role: str(item["from"]) for item in reversed(items) if (role := role_of(item))}
        said = {
            str(item["from"])
            for item in items
            if role_of(item) is Role.ASSISTANT and not is_call(item)
        }
        self._user = named.get(Role.USER, "human")
        self._tool = named.get(Role.TOOL, "observation")
        self._model = min(said, default="gpt")

    def summary(self, turn: TranscriptTurn) -> Message:
        """Return an item for a summary."""
        return {"from": self._user, "value": turn.content}

    def closing(self, _item: Message, _number: int) -> Message:
        """Return the item that closes a call, never as a success (known failure A12)."""
        return {"from": self._tool, "value": CLOSED_CALL}

    def alternating(self, items: Sequence[Message]) -> Iterator[Message]:
        """Yield items with a word between two of one side."""
        after_model = True
        for item in items:
            by_model = role_of(item) is Role.ASSISTANT
            if role_of(item) is not Role.SYSTEM:
                if by_model and after_model:
                    yield {"from": self._user, "value": BRIDGE}
                elif not by_model and not after_model:
                    yield {"from": self._model, "value": REMOVED_REPLY}
                after_model = by_model
            yield item


def alternates(items: Sequence[Any]) -> bool:
    """Whether a person (or a result) begins and the model alternates with it."""
    roles = [role for item in items if (role := role_of(item)) is not Role.SYSTEM]
    if not roles or None in roles or roles[0] is Role.ASSISTANT:
        return False
    by_model = [role is Role.ASSISTANT for role in roles]
    return all(first != second for first, second in pairwise(by_model))
