"""Conversations of a runtime that gives them no name: each history finds its own."""

from collections import OrderedDict
from collections.abc import Sequence
from itertools import count
from threading import Lock
from typing import Generic

from turnfold.integrations._compactor import Compactor, Conversation
from turnfold.integrations._dialect import MessageT


class Conversations(Generic[MessageT]):
    """The conversations that were last active.

    A history belongs to the conversation that has seen the longest beginning of it. One that was
    forgotten, or that took another course, begins anew and is compacted from its start.

    Args:
        compactor: How they are compacted.
        limit: How many are remembered.
    """

    def __init__(self, compactor: Compactor[MessageT], *, limit: int = 32) -> None:
        self._compactor = compactor
        self._limit = limit
        self._known: OrderedDict[int, Conversation[MessageT]] = OrderedDict()
        self._numbers = count()
        self._lock = Lock()

    def of(self, messages: Sequence[MessageT]) -> Conversation[MessageT]:
        """Return the conversation that a history goes on, or a new one."""
        with self._lock:
            number, known = max(
                ((number, each.knows(messages)) for number, each in self._known.items()),
                key=lambda found: found[1],
                default=(-1, 0),
            )
            if known == 0:
                number = next(self._numbers)
                self._known[number] = self._compactor.conversation()
                if len(self._known) > self._limit:
                    self._known.popitem(last=False)
            self._known.move_to_end(number)
            return self._known[number]
