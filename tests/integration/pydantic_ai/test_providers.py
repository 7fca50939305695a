"""Held against a provider that refuses what OpenAI and Anthropic refuse."""

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")
pytest.importorskip("openai")
pytest.importorskip("anthropic")

from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from tests.integration.pydantic_ai.fakes import SYSTEM, TASK, agent_of, run
from tests.integration.watcher import Watcher
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.pydantic_ai import Compaction
from turnfold.testing.provider import FakeProvider, Reply, tool_loop

STEPS = 36
WINDOW, BUDGET = 2_600, 2_300


def chat(provider: FakeProvider) -> OpenAIChatModel:
    url = f"{provider.base_url}/v1"
    return OpenAIChatModel("any", provider=OpenAIProvider(base_url=url, api_key="any"))


def responses(provider: FakeProvider) -> OpenAIResponsesModel:
    url = f"{provider.base_url}/v1"
    return OpenAIResponsesModel("any", provider=OpenAIProvider(base_url=url, api_key="any"))


def claude(provider: FakeProvider) -> AnthropicModel:
    reached = AnthropicProvider(base_url=provider.base_url, api_key="any")
    return AnthropicModel("any", provider=reached, settings={"max_tokens": 100})


def assert_all_was_valid(provider: FakeProvider) -> None:
    assert [each.error for each in provider.refused] == []
    for request in provider.requests:
        said = json.dumps(request.body)
        assert SYSTEM in said
        assert TASK in said


@pytest.mark.parametrize("model", [chat, responses, claude])
@pytest.mark.parametrize("parallel", [1, 3])
def test_a_tool_loop_runs_to_its_end(model: Any, parallel: int) -> None:  # noqa: ANN401
    """R2, B. Would catch: an orphan, a window that is full, a prompt or a task that is gone."""
    watcher = Watcher()
    loop = tool_loop(STEPS, parallel=parallel, reasoning=model is not chat)
    with FakeProvider(loop, window=WINDOW, bound_reasoning=True) as provider:
        agent = agent_of(model(provider), Compaction(BUDGET, observers=[watcher]))
        assert run(agent, TASK).output == "Done."
        assert_all_was_valid(provider)
        assert len(provider.requests) == STEPS // parallel + 1
    assert len(watcher.compactions) >= 3
    assert not watcher.failures


@pytest.mark.parametrize("model", [chat, responses, claude])
def test_streams_pass_the_same_door(model: Any) -> None:  # noqa: ANN401
    async def main(provider: FakeProvider) -> None:
        agent = agent_of(model(provider), Compaction(BUDGET, observers=[]))
        async with agent.run_stream(TASK) as stream:
            assert await stream.get_output() == "Done."

    with FakeProvider(tool_loop(STEPS), window=WINDOW) as provider:
        asyncio.run(main(provider))
        assert_all_was_valid(provider)
        assert len(provider.requests) == STEPS + 1


@pytest.mark.parametrize("model", [chat, claude])
def test_a_writer_that_overflows_is_asked_with_less(model: Any) -> None:  # noqa: ANN401
    """J10. Would catch: an error of the provider's that is not known as what it is."""
    watcher = Watcher()
    with FakeProvider(lambda request: Reply("Files were read."), window=700) as small:  # noqa: ARG005
        compaction: Any = Compaction(
            BUDGET,
            model=model(small),
            observers=[watcher],
            options=FulfilOptions(gate="off", tries=4),
        )
        with FakeProvider(tool_loop(STEPS), window=WINDOW) as provider:
            run(agent_of(chat(provider), compaction), TASK)
            assert_all_was_valid(provider)
        assert small.refused
    rejected = [
        code
        for each in watcher.compactions
        for made in each["fulfilments"]
        for code in made["rejected"]
    ]
    assert "writer_overflowed" in rejected
