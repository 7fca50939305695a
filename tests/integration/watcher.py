"""An observer for the tests of all integrations, and an estimator that is wrong."""

from typing import Any

from turnfold.integrations import Event
from turnfold.tokens import MessageEstimator


class Watcher:
    """Keeps the events that it is told of."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def bodies(self, name: str) -> list[Any]:
        return [each.body for each in self.events if each.name == name]

    @property
    def compactions(self) -> list[Any]:
        return self.bodies("context.compacted")

    @property
    def failures(self) -> list[Any]:
        return self.bodies("context.compaction_failed")

    @property
    def overflows(self) -> list[Any]:
        return self.bodies("context.overflowed")


def too_low(text: str) -> int:
    """Estimate half of what turnfold does, and so of what its fake provider counts."""
    return MessageEstimator().estimate_tokens(text) // 2
