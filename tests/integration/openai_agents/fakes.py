"""Agents for the tests of the integration, and models that write summaries."""

# ruff: noqa: ANN401  The signatures are the framework's.

import asyncio
import copy
import json
from collections.abc import Iterable
from typing import Any

from agents import Agent, function_tool, set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.models.openai_responses import OpenAIResponsesModel
from agents.run import CallModelData, ModelInputData
from agents.usage import Usage
from openai import AsyncOpenAI
from openai.types.responses import ResponseOutputMessage, ResponseOutputRefusal, ResponseOutputText

from turnfold import SummarizingPolicy
from turnfold.fulfil import FulfilOptions
from turnfold.testing.provider import FakeProvider

set_tracing_disabled(disabled=True)

SYSTEM = "You port parsers."
TASK = "Port the parser to Rust. Never push to main."
SUMMARY = "Parts of the parser were read. Never push to main."
STEPS = 32
WINDOW = 2_400
SUMMARIZING: dict[str, Any] = {
    "policy": SummarizingPolicy("turnfold.summary/1"),
    "options": FulfilOptions(gate="off"),
}


@function_tool  # type: ignore[untyped-decorator]
def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"# {path}\n" + "value = compute(table, row)\n" * 14


def agent_of(provider: FakeProvider, *, is_chat: bool = False, **more: Any) -> Any:
    kind: Any = OpenAIChatCompletionsModel if is_chat else OpenAIResponsesModel
    client = AsyncOpenAI(
        base_url=f"{provider.base_url}/v1",
        api_key="any",
        max_retries=0,
        default_headers={"Connection": "close"},
    )
    settings = {"instructions": SYSTEM, "tools": [read_file], **more}
    return Agent("porter", model=kind("any", client), **settings)


def assert_all_was_valid(provider: FakeProvider) -> None:
    assert [str(each.faults) for each in provider.refused] == []
    for request in provider.requests:
        said = json.dumps(request.body)
        assert TASK in said
        assert SYSTEM in said


def exchange(number: int) -> list[Any]:
    """Return a call and its result, reasoned about."""
    call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"c{number}"}
    return [
        {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "gAAAA"},
        {**call, "name": "read_file", "arguments": '{"path": "a.py"}'},
        {"type": "function_call_output", "call_id": f"c{number}", "output": f"row {number}\n" * 90},
    ]


def history(exchanges: Iterable[int], task: str = TASK) -> list[Any]:
    items: list[Any] = [{"role": "user", "content": task}]
    for number in exchanges:
        items += exchange(number)
    return items


def call_of(items: list[Any], agent: Any = None, instructions: str | None = SYSTEM) -> Any:
    """Return what the SDK hands to a filter."""
    model_data = ModelInputData(input=list(items), instructions=instructions)
    return CallModelData(model_data=model_data, agent=agent or Agent("any"), context=None)


def filtered(filter_: Any, items: list[Any], agent: Any = None) -> list[Any]:
    before = copy.deepcopy(items)
    sent: list[Any] = asyncio.run(filter_(call_of(items, agent))).input
    assert items == before, "the history was changed"
    return sent


class Summaries(Model):  # type: ignore[misc]
    """Writes summaries: each of a list, then the last one for ever; an exception is raised."""

    def __init__(self, *answers: Any, waits: float = 0) -> None:
        self.answers = answers or (SUMMARY,)
        self.waits = waits
        self.prompts: list[str] = []

    async def get_response(self, **asked: Any) -> ModelResponse:
        self.prompts.append(asked["input"])
        answer = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        await asyncio.sleep(self.waits)
        if isinstance(answer, Exception):
            raise answer
        part = answer
        if isinstance(answer, str):
            part = ResponseOutputText(type="output_text", text=answer, annotations=[])
        message = ResponseOutputMessage(
            type="message", id="m", role="assistant", status="completed", content=[part]
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def refusal() -> Any:
    return ResponseOutputRefusal(type="refusal", refusal="That is against the rules.")


class TooLongError(Exception):
    """As the client raises it."""

    code = "context_length_exceeded"
