"""What arrived at the fake provider, and what the fake model answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from turnfold.formats import Fault

Api = Literal["chat", "responses", "messages", "count_tokens", "conversations", ""]
"""Which API a request is for; empty where the route is unknown."""


Stop = Literal["stop", "tool_calls", "length", "content_filter"]
"""Why a reply ended, in the words of OpenAI's chat; the other providers' words are derived."""


@dataclass(slots=True)
class Reply:
    """One answer of the fake model.

    Args:
        text: What it says.
        calls: The tools that it calls, each a name and the arguments; ids are given by the server.
        reasoning: Whether it reasons first; by default where the request asks for it.
        stop_reason: Why it ended; by default `tool_calls` where there are calls, else `stop`.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    reasoning: bool | None = None
    stop_reason: Stop | None = None

    @property
    def stop(self) -> Stop:
        """Why it ended."""
        return self.stop_reason or ("tool_calls" if self.calls else "stop")


@dataclass(slots=True)
class Request:
    """One request that arrived.

    Args:
        number: Counts the requests of a server from 1.
        path: The path, without a query.
        api: Which API the path belongs to.
        body: The parsed JSON; None where it is none.
        status: The HTTP status of the answer; 0 until it is known.
        faults: All that was found; the first one is what the provider answered.
        tokens: The size of the request by turnfold's estimator.
        cached_tokens: How many of them an earlier request began with.
        dropped: The places of reasoning that was left out in silence, as its prefix had changed.
        reply: What the fake model answered; None where the request was refused, or began a
            conversation.
        answer: The body that was sent back; of a stream, what its events say together.
        failure: What the replies of a test raised.
    """

    number: int
    path: str
    api: Api
    body: Any = None
    status: int = 0
    faults: tuple[Fault, ...] = ()
    tokens: int = 0
    cached_tokens: int = 0
    dropped: tuple[str, ...] = ()
    reply: Reply | None = None
    answer: Any = None
    failure: Exception | None = None

    @property
    def error(self) -> str:
        """The words that it was refused with; empty where it was accepted."""
        return self.faults[0].provider_error if self.faults else ""

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that the request offers."""
        return tuple(self._tools())

    def _tools(self) -> Iterator[str]:
        listed = self.body.get("tools") if isinstance(self.body, dict) else None
        for tool in listed if isinstance(listed, list) else ():
            if isinstance(tool, dict):
                function = tool.get("function")
                named = function if isinstance(function, dict) else tool
                if isinstance(named.get("name"), str):
                    yield named["name"]
