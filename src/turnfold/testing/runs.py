"""What a run of an agent against a fake provider has shown: for scripts that hold an agent to it.

A claim is a function that returns what is wrong, and `check` prints whether each one holds.

Example:
    >>> from turnfold.testing.provider import FakeProvider
    >>> from turnfold.testing.runs import check, faults_of_requests
    >>> def an_agent_asks_its_model() -> list[str]:
    ...     with FakeProvider() as provider:
    ...         return faults_of_requests(provider, at_least=1)
    >>> check([an_agent_asks_its_model])
    FAIL an agent asks its model: 0 requests of the agent, and at least 1 were expected
    1
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from turnfold.testing.provider import FakeProvider, Replies, Reply, Request

__all__ = ["Told", "check", "faults_of_events", "faults_of_requests", "with_summaries"]

_SHOWN: Final = 3
_EXPECTED: Final = ("context.compacted", "audit.signals")
_FAILED: Final = "context.compaction_failed"


class Told(Protocol):
    """An event, as `turnfold.integrations` tells them."""

    @property
    def name(self) -> str:
        """What happened."""

    @property
    def body(self) -> Mapping[str, Any]:
        """What is to be said of it."""

    @property
    def conversation(self) -> str | None:
        """Whose it is."""


def faults_of_requests(
    provider: FakeProvider, *, at_least: int, holding: Sequence[str] = (), too_long: int = 0
) -> list[str]:
    """Return what is wrong with the requests of a run that has come to its end.

    Args:
        provider: What the agent asked. Requests that offer no tool are not the agent's.
        at_least: How many requests the agent made, or more.
        holding: What stands in each of them: its prompt, its task.
        too_long: How many may have been refused for their length. The next one was not.
    """
    faults = _refusals(provider.refused, too_long)
    agents = [each for each in provider.requests if each.tools]
    for each in agents:
        said = json.dumps(each.body, ensure_ascii=False)
        faults += [f"request {each.number} lacks {text!r}" for text in holding if text not in said]
    if len(agents) < at_least:
        faults.append(f"{len(agents)} requests of the agent, and at least {at_least} were expected")
    return faults


def _refusals(refused: Sequence[Request], too_long: int) -> list[str]:
    numbers = {each.number for each in refused}
    forgiven = [
        each.number
        for each in refused
        if each.faults[0].rule == "window" and each.number - 1 not in numbers
    ][:too_long]
    return [
        f"request {each.number} was refused: {each.error}"
        for each in refused
        if each.number not in forgiven
    ]


def faults_of_events(events: Iterable[Told], *, named: bool = False) -> list[str]:
    """Return what is wrong with the events of a run that was compacted and audited.

    Args:
        events: What an observer was told.
        named: Whether each has to say whose it is.
    """
    events = list(events)
    names = {each.name for each in events}
    faults = [f"no event {name}" for name in _EXPECTED if name not in names]
    faults += [str(dict(each.body)) for each in events if each.name == _FAILED]
    if named and not all(each.conversation for each in events):
        faults.append("an event that names no conversation")
    return faults


def with_summaries(replies: Replies, summary: str) -> tuple[Replies, list[Request]]:
    """Return a model that drives an agent and writes its summaries, and the requests for those.

    Args:
        replies: Drives the agent. A request without tools is one for a summary.
        summary: What each of them is answered with.
    """
    asked: list[Request] = []

    def reply(request: Request) -> Reply:
        if request.tools:
            return replies(request)
        asked.append(request)
        return Reply(summary)

    return reply, asked


def check(claims: Iterable[Callable[[], Sequence[str]]]) -> int:
    """Print a line for each claim, `ok` or `FAIL`; return the exit code: 1 where one fails.

    Args:
        claims: Functions that return what is wrong. A claim that raises has failed.
    """
    failed = 0
    for claim in claims:
        name = claim.__name__.replace("_", " ")
        try:
            faults = claim()
        except Exception as fault:  # noqa: BLE001  A claim that breaks has failed.
            faults = [f"{type(fault).__name__}: {fault}"]
        shown = "; ".join(faults[:_SHOWN])
        print(f"FAIL {name}: {shown}" if faults else f"ok   {name}", flush=True)  # noqa: T201
        failed += bool(faults)
    return 1 if failed else 0
