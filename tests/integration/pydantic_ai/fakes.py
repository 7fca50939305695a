"""Models for the tests of the integration: one drives an agent, one writes summaries."""

# ruff: noqa: ANN401, ARG002  The signatures are the framework's.

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from turnfold import formats
from turnfold.integrations.pydantic_ai import PydanticAIMessages

SYSTEM = "You port parsers."
TASK = "Port the parser to Rust. Never push to main."
PORT = "The service must listen on port 8443."
SUMMARY = f"Files were read. {TASK} {PORT}"


class Loop:
    """Calls a tool so many times and then says that it is done; refuses what providers refuse."""

    def __init__(self, turns: int, window: int, *, parallel: int = 1, thinks: bool = False) -> None:
        self.turns, self.window, self.parallel, self.thinks = turns, window, parallel, thinks
        self.made = 0
        self.fails_at: set[int] = set()
        self.requests: list[list[ModelMessage]] = []
        self.model = FunctionModel(self.answer, stream_function=self.stream)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(self.requests) in self.fails_at:
            self.fails_at.clear()
            msg = "the provider is down"
            raise ConnectionError(msg)
        refuse(messages, self.window)
        self.requests.append(list(messages))
        numbers = range(self.made, min(self.made + self.parallel, self.turns))
        self.made += len(numbers)
        parts: list[Any] = [
            ToolCallPart("read_file", {"path": f"src/part_{n:04d}.py"}, f"call_{n}")
            for n in numbers
        ]
        parts = parts or [TextPart("Done.")]
        if self.thinks:
            parts.insert(0, ThinkingPart("Next.", signature="s" * 40, provider_name="function"))
        return ModelResponse(parts)

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for number, part in enumerate(self.answer(messages, info).parts):
            if isinstance(part, ToolCallPart):
                yield {
                    number: DeltaToolCall(
                        name=part.tool_name,
                        json_args=part.args_as_json_str(),
                        tool_call_id=part.tool_call_id,
                    )
                }
            elif isinstance(part, TextPart):
                yield part.content


def refuse(messages: list[ModelMessage], window: int) -> None:
    """Refuse what a provider would."""
    documents = PydanticAIMessages().dump(messages)
    faults = formats.check(documents, format="pydantic-ai")
    if faults:
        msg = f"400: {faults}"
        raise ValueError(msg)
    tokens = formats.parse(documents, format="pydantic-ai").transcript.token_estimate()
    if tokens > window:
        msg = f"400: {tokens} tokens in a window of {window}"
        raise ValueError(msg)


@dataclass
class Summaries:
    """Writes the same summary each time, or raises what stands in its place."""

    answers: list[Any] = field(default_factory=lambda: [SUMMARY])
    prompts: list[str] = field(default_factory=list)

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self.answer)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        answer = self.answers[min(len(self.prompts), len(self.answers) - 1)]
        self.prompts.append(text_of(messages))
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ModelResponse):
            return answer
        return ModelResponse([TextPart(answer)])


RESULT = "value = compute(table, row)\n" * 20


def agent_of(model: Any, *capabilities: Any, result: str = RESULT, **more: Any) -> Agent[Any, Any]:
    """Return an agent that reads files."""
    more = {"instructions": SYSTEM, **more}
    agent: Agent[Any, Any] = Agent(model, capabilities=capabilities, **more)

    @agent.tool_plain
    def read_file(path: str) -> str:
        """Read a file of the project."""
        return f"# {path}\n{result}"

    return agent


def run(agent: Agent[Any, Any], *args: Any, **more: Any) -> Any:
    """Return the result of a run in an event loop of its own."""
    return asyncio.run(agent.run(*args, **more))


def history(steps: int, result: str = RESULT) -> list[ModelMessage]:
    """Return a history that came to its end; the same each time."""
    messages: list[ModelMessage] = [ModelRequest([UserPromptPart(f"{TASK} {PORT}")])]
    for number in range(steps):
        name = f"c{number}"
        messages.append(ModelResponse([ToolCallPart("read_file", {"path": f"{number}.py"}, name)]))
        messages.append(ModelRequest([ToolReturnPart("read_file", result, name)]))
    messages.append(ModelResponse([TextPart("All were read.")]))
    return messages


def text_of(messages: list[ModelMessage]) -> str:
    """Return all that messages say."""
    return "\n".join(
        str(getattr(part, "content", getattr(part, "args", "")))
        for message in messages
        for part in message.parts
    )


def stored(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Return a history as it comes from a store."""
    return ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))
