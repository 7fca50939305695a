"""Ready ways to choose what the fake model answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from turnfold.testing.provider._records import Reply, Request

_STEM: Final = "src/part_{:04d}.py"


Replies = Callable[[Request], Reply]
"""Chooses the reply to a request that was accepted. It is called by one thread at a time."""


def scripted(*replies: Reply) -> Replies:
    """Return what gives one reply after the other, and then the last one for ever.

    Args:
        replies: At least one.
    """
    waiting = list(replies)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


def tool_loop(
    turns: int,
    tool: str = "read_file",
    *,
    result_chars: int | None = None,
    parallel: int = 1,
    reasoning: bool | None = None,
    answer: str = "Done.",
) -> Replies:
    """Return a model that calls a tool so many times, and then answers with a text.

    It counts the calls that it made itself, as a history that is compacted may hold fewer. A
    request that does not offer the tool, as one for a summary, is answered with the text and
    counts for nothing. One loop is for one conversation.

    Args:
        turns: How many calls it makes in all.
        tool: The tool. It is called with `path`, a new one each time.
        result_chars: Sent along as the argument `chars`, for a tool that makes results of a size.
        parallel: How many calls stand in one reply.
        reasoning: As of a reply.
        answer: The last text.
    """
    return _ToolLoop(turns, tool, result_chars, parallel, reasoning, answer)


@dataclass(slots=True)
class _ToolLoop:
    turns: int
    tool: str
    result_chars: int | None
    parallel: int
    reasoning: bool | None
    answer: str
    made: int = field(default=0)

    def __call__(self, request: Request) -> Reply:
        if self.made >= self.turns or self.tool not in request.tools:
            return Reply(self.answer, reasoning=self.reasoning)
        numbers = range(self.made, min(self.made + self.parallel, self.turns))
        self.made += len(numbers)
        calls = [(self.tool, self._arguments(number)) for number in numbers]
        return Reply(calls=calls, reasoning=self.reasoning)

    def _arguments(self, number: int) -> dict[str, Any]:
        arguments: dict[str, Any] = {"path": _STEM.format(number)}
        if self.result_chars is not None:
            arguments["chars"] = self.result_chars
        return arguments
