"""Chat models for the tests of the integration: one drives an agent, one writes summaries."""

# ruff: noqa: ANN401, ARG002  The signatures are the framework's.

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import tool
from pydantic import Field, PrivateAttr

from turnfold import formats
from turnfold.integrations.langchain import LangChainMessages

SYSTEM = "You port parsers."
TASK = "Port the parser to Rust. Never push to main."
PORT = "The service must listen on port 8443."


@tool  # type: ignore[untyped-decorator]
def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"# {path}\n" + "value = compute(table, row)\n" * 20


class Loop(BaseChatModel):  # type: ignore[misc]
    """Calls a tool so many times and then says that it is done; refuses what providers refuse."""

    turns: int
    window: int
    parallel: int = 1
    thinks: bool = False
    fails_at: tuple[int, ...] = ()
    made: int = 0
    arrived: int = 0
    requests: list[list[BaseMessage]] = Field(default_factory=list)
    _calls: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "loop"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "Loop":
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._answer(messages)
        chunk = AIMessageChunk(answer.content, tool_calls=answer.tool_calls)
        yield ChatGenerationChunk(message=chunk)

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        self.arrived += 1
        if self.arrived in self.fails_at:
            msg = "the provider is down"
            raise ConnectionError(msg)
        refuse(messages, self.window)
        self.requests.append(list(messages))
        numbers = range(self.made, min(self.made + self.parallel, self.turns))
        self.made += len(numbers)
        self._calls = [
            {"name": "read_file", "args": {"path": f"src/part_{n:04d}.py"}, "id": f"call_{n}"}
            for n in numbers
        ]
        content: Any = "" if self._calls else "Done."
        if self.thinks:
            thought = {"type": "thinking", "thinking": "Next file.", "signature": "s" * 40}
            text = {"type": "text", "text": content or "Reading."}
            content = [thought, text]
        return AIMessage(content, tool_calls=self._calls)


def refuse(messages: list[BaseMessage], window: int) -> None:
    """Raise what a provider would answer to messages that it does not take."""
    documents = LangChainMessages().dump(messages)
    faults = formats.check(documents, format="langchain")
    if faults:
        msg = f"400: {faults[0]}"
        raise ValueError(msg)
    tokens = formats.parse(documents, format="langchain").transcript.token_estimate()
    if tokens > window:
        msg = f"{tokens} tokens are over {window}"
        raise ContextOverflowError(msg)


class Summaries(BaseChatModel):  # type: ignore[misc]
    """Writes summaries: each of a list, then the last one for ever; an exception is raised."""

    answers: list[Any]
    prompts: list[str] = Field(default_factory=list)
    awaited: int = 0

    @property
    def _llm_type(self) -> str:
        return "summaries"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.prompts.append(str(messages[-1].content))
        answer = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        message = answer if isinstance(answer, AIMessage) else AIMessage(answer)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> ChatResult:
        self.awaited += 1
        return self._generate(messages)


def has_system_and_task(request: Sequence[BaseMessage]) -> bool:
    return isinstance(request[0], SystemMessage) and request[1].text == TASK
