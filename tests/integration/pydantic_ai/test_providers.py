"""Held against a provider that refuses what OpenAI and Anthropic refuse."""

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")
pytest.importorskip("openai")
pytest.importorskip("anthropic")

from pydantic_ai import ModelHTTPError, exceptions
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from tests.integration.pydantic_ai.fakes import SYSTEM, TASK, agent_of, history, run
from tests.integration.watcher import Watcher, too_low
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.pydantic_ai import Compaction, compacting_history
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


FIXED = {"anthropic_thinking": {"type": "enabled", "budget_tokens": 1_024}}


@pytest.mark.parametrize("door", [Compaction, compacting_history])
@pytest.mark.parametrize("settings", [FIXED, {"thinking": "low"}], ids=["own", "unified"])
def test_thinking_within_a_fixed_budget_goes_back(door: Any, settings: Any) -> None:  # noqa: ANN401
    """B2. Would catch: a tool loop without its thinking, which older Claude models refuse."""
    loop = tool_loop(STEPS, parallel=2, reasoning=True)
    with FakeProvider(loop, window=WINDOW) as provider:
        reached = AnthropicProvider(base_url=provider.base_url, api_key="any")
        settings = {"max_tokens": 100, **settings}
        model = AnthropicModel("claude-sonnet-4-0", provider=reached, settings=settings)
        made = door(BUDGET, observers=[])
        capability = made if isinstance(made, Compaction) else ProcessHistory(made)
        assert run(agent_of(model, capability), TASK).output == "Done."
        assert_all_was_valid(provider)
        assert all(each.body["thinking"]["type"] == "enabled" for each in provider.requests)


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


can_ask_again = pytest.mark.skipif(
    not hasattr(exceptions, "RetryModelRequest"), reason="a request cannot be made once more"
)


@can_ask_again
@pytest.mark.parametrize("model", [chat, responses, claude])
@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
def test_a_refusal_for_length_costs_one_request_more(model: Any, is_streamed: bool) -> None:  # noqa: ANN401, FBT001
    """J10, E11. Would catch: a dead run where an estimate is too low, or a second refusal."""
    watcher = Watcher()

    async def stream(agent: Any) -> Any:  # noqa: ANN401
        async with agent.run_stream(TASK) as streamed:
            return await streamed.get_output()

    with FakeProvider(tool_loop(STEPS), window=WINDOW) as provider:
        compaction: Any = Compaction(BUDGET, estimator=too_low, observers=[watcher])
        agent = agent_of(model(provider), compaction)
        output = asyncio.run(stream(agent)) if is_streamed else run(agent, TASK).output
        assert output == "Done."
        refused = [each.number for each in provider.refused]
        assert 1 <= len(refused) <= 3
        assert {each.faults[0].rule for each in provider.refused} == {"window"}
        assert not {number + 1 for number in refused} & set(refused)
        assert len(provider.requests) == STEPS + 1 + len(refused)
    assert len(watcher.overflows) == len(refused)
    assert watcher.overflows[0]["tokens_estimated"] < BUDGET


class Refusing:
    """A model that refuses calls by their number as too long, and else calls a tool, then ends."""

    def __init__(self, *refused: int) -> None:
        self.refused, self.calls = refused, 0
        self.model = FunctionModel(self.answer)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:  # noqa: ARG002
        self.calls += 1
        if self.calls in self.refused:
            raise ModelHTTPError(400, "any", {"message": "prompt is too long"})
        if self.calls == 2:
            return ModelResponse([ToolCallPart("read_file", {"path": "a.py"}, "call_a")])
        return ModelResponse([TextPart("Done.")])


@can_ask_again
def test_each_request_of_a_run_may_be_refused_once() -> None:
    """Would catch: a second refusal, of a later request, that ends the run."""
    watcher, refusing = Watcher(), Refusing(1, 3)
    agent = agent_of(refusing.model, Compaction(20_000, observers=[watcher]))
    assert run(agent, "Go on.", message_history=history(40)).output == "Done."
    assert refusing.calls == 4
    assert len(watcher.overflows) == 2


@can_ask_again
def test_a_second_refusal_of_one_request_is_raised() -> None:
    """Would catch: a budget that is halved until nothing is left."""
    refusing = Refusing(*range(9))
    agent = agent_of(refusing.model, Compaction(20_000, observers=[]))
    with pytest.raises(ModelHTTPError, match="prompt is too long"):
        run(agent, "Go on.", message_history=history(40))
    assert refusing.calls == 2


def test_a_refusal_that_no_compaction_helps_is_raised() -> None:
    """Would catch: a retry for ever, or an error of ours in the place of the provider's."""
    watcher = Watcher()
    with FakeProvider(window=20) as provider:
        agent = agent_of(chat(provider), Compaction(BUDGET, observers=[watcher]))
        with pytest.raises(ModelHTTPError, match="maximum context length is 20 tokens"):
            run(agent, TASK)
        assert len(provider.requests) == 1
