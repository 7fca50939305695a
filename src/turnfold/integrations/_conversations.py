"""Conversations of a runtime that gives them no objects: each history finds its own."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Generic

from turnfold.errors import TurnfoldDefect
from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversation import Conversation
from turnfold.integrations._dialect import MessageT
from turnfold.integrations.events import FAILED, Event, tell


class Conversations(Generic[MessageT]):
    """The conversations that were last active and that nobody uses at the moment.

    A history belongs to the conversation that has seen the longest beginning of it. Two calls at
    once never share one: the second begins anew, as does a history that was forgotten or that took
    another course, and is compacted from its start.

    Args:
        compactor: How they are compacted.
        limit: How many are remembered.
    """

    def __init__(self, compactor: Compactor[MessageT], *, limit: int = 32) -> None:
        self._compactor = compactor
        self._limit = limit
        self._idle: list[Conversation[MessageT]] = []
        self._lock = Lock()

    @contextmanager
    def lent(self, messages: Sequence[MessageT]) -> Iterator[Conversation[MessageT]]:
        """Lend the conversation that a history goes on, for one call."""
        conversation = self.take(messages) or self.begun()
        try:
            yield conversation
        finally:
            self.put(conversation)

    def take(
        self, messages: Sequence[MessageT], *, name: str | None = None
    ) -> Conversation[MessageT] | None:
        """Return the conversation of this name that a history goes on, until it is put back.

        Args:
            messages: The history.
            name: The name that it began with, where conversations have one.
        """
        with self._lock:
            known = [(each.knows(messages), at) for at, each in enumerate(self._idle)]
            named = [found for found in known if self._idle[found[1]].name == name]
            longest, at = max(named, default=(0, -1))
            return self._idle.pop(at) if longest else None

    def begun(
        self, state: Mapping[str, Any] | None = None, *, name: str | None = None
    ) -> Conversation[MessageT]:
        """Return a new conversation; without its state where that cannot be read.

        Args:
            state: What `Conversation.to_dict` gave.
            name: What events call it.
        """
        try:
            return self._compactor.conversation(state, name=name)
        except TurnfoldDefect as fault:
            tell(self._compactor.observers, Event(FAILED, fault.to_dict(), name))
            return self._compactor.conversation(name=name)

    def put(self, conversation: Conversation[MessageT]) -> None:
        """Give a conversation back."""
        with self._lock:
            self._idle.append(conversation)
            del self._idle[: -self._limit]
