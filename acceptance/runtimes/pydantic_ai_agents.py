"""Runs agents of Pydantic AI against a provider that refuses what providers refuse.

It uses the installed turnfold with its extra `pydantic-ai`, the clients `openai` and `anthropic`,
and nothing of turnfold's tests. One line is printed for each claim, `ok` or `FAIL`. The exit code
is 1 if a claim fails.

    python acceptance/runtimes/pydantic_ai_agents.py
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from pydantic_ai import (
    Agent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    UsageLimits,
    exceptions,
)
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from turnfold import SummarizingPolicy
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.pydantic_ai import Compaction, compacting_history
from turnfold.testing.provider import FakeProvider, tool_loop
from turnfold.testing.runs import check, faults_of_events, faults_of_requests, with_summaries
from turnfold.tokens import MessageEstimator

WINDOW = 2_600
BUDGET = 2_400
TURNS = 200
OVERFLOWS = 8
SYSTEM = "You port parsers."
TASK = "Port the parser to Rust. Never push to main."
SUMMARY = "Some parts of the parser were read. Never push to main."
SUMMARIZING: Any = {
    "policy": SummarizingPolicy("turnfold.summary/1"),
    "options": FulfilOptions(gate="off"),
}
NO_LIMIT = UsageLimits(request_limit=None)


def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"# {path}\n" + "value = compute(table, row)\n" * 16


def agent_of(model: Any, *capabilities: Any) -> Agent[Any, Any]:  # noqa: ANN401
    """Return an agent with a tool."""
    return Agent(model, instructions=SYSTEM, tools=[read_file], capabilities=capabilities)


def openai(provider: FakeProvider) -> OpenAIProvider:
    """Return what leads OpenAI's client to the fake."""
    return OpenAIProvider(base_url=f"{provider.base_url}/v1", api_key="any")


def faults_of(provider: FakeProvider, requests: int) -> list[str]:
    """Return what is wrong with the requests of a run that has come to its end."""
    return faults_of_requests(provider, at_least=requests, holding=(SYSTEM, TASK))


def too_low(text: str) -> int:
    """Estimate half of what the provider counts."""
    return MessageEstimator().estimate_tokens(text) // 2


def windows_of(messages: list[ModelMessage]) -> float:
    """Return how many windows the texts of a history fill."""
    texts = [str(getattr(part, "content", "")) for each in messages for part in each.parts]
    return sum(map(len, texts)) / 4 / WINDOW


def a_loop_runs_to_its_end() -> list[str]:
    """OpenAI's chat, verbatim digests."""
    events: list[Any] = []
    with FakeProvider(tool_loop(TURNS), window=WINDOW) as provider:
        model = OpenAIChatModel("any", provider=openai(provider))
        agent = agent_of(model, Compaction(BUDGET, observers=[events.append]))
        result = agent.run_sync(TASK, usage_limits=NO_LIMIT)
        faults = faults_of(provider, TURNS + 1) + faults_of_events(events, named=True)
    messages = result.all_messages()
    if len(messages) != 2 * TURNS + 2 or result.output != "Done.":
        faults.append(f"the history has {len(messages)} messages, the output is {result.output!r}")
    times = windows_of(messages)
    return faults + ([] if times >= OVERFLOWS else [f"only {times:.1f} windows"])


def a_history_that_stays_small_does_as_well() -> list[str]:
    """OpenAI's chat, the history itself is compacted."""
    turns = 40
    events: list[Any] = []
    with FakeProvider(tool_loop(turns), window=WINDOW) as provider:
        model = OpenAIChatModel("any", provider=openai(provider))
        processor = compacting_history(BUDGET, observers=[events.append])
        result = agent_of(model, ProcessHistory(processor)).run_sync(TASK, usage_limits=NO_LIMIT)
        faults = faults_of(provider, turns + 1) + faults_of_events(events, named=True)
    times = windows_of(result.all_messages())
    return faults + ([] if times <= 1 else [f"the history takes up {times:.1f} windows"])


def reasoning_that_is_bound_to_its_prefix_is_not_sent_behind_an_edit() -> list[str]:
    """Anthropic's messages, signed thinking, two calls at a time."""
    turns = 40
    replies = tool_loop(turns, reasoning=True, parallel=2)
    with FakeProvider(replies, window=WINDOW, bound_reasoning=True) as provider:
        reached = AnthropicProvider(base_url=provider.base_url, api_key="any")
        model = AnthropicModel("any", provider=reached, settings={"max_tokens": 100})
        agent_of(model, Compaction(BUDGET, observers=[])).run_sync(TASK)
        return faults_of(provider, turns // 2 + 1)


def a_stream_shows_no_summary() -> list[str]:
    """OpenAI's Responses, streamed, a model as the writer."""
    turns = 40
    replies, summaries = with_summaries(tool_loop(turns), SUMMARY)

    async def run(agent: Agent[Any, Any]) -> str:
        async with agent.run_stream(TASK) as stream:
            return [text async for text in stream.stream_text()][-1]

    # The prompt for a summary is longer than the window of the agent.
    with FakeProvider(replies, window=WINDOW) as provider, FakeProvider(replies) as writer:
        model = OpenAIResponsesModel("any", provider=openai(provider))
        wrote = OpenAIChatModel("any", provider=openai(writer))
        compaction = Compaction[Any](BUDGET, model=wrote, observers=[], **SUMMARIZING)
        said = asyncio.run(run(agent_of(model, compaction)))
        faults = faults_of(provider, turns + 1)
    if not summaries:
        faults.append("no summary was asked for")
    return faults + ([] if said == "Done." else [f"streamed: {said[:200]!r}"])


def a_restart_pays_for_no_summary_twice() -> list[str]:
    """A history that is stored as JSON, and a new object of everything."""
    turns = 30
    replies, summaries = with_summaries(tool_loop(turns), SUMMARY)
    stored = b"[]"
    with FakeProvider(replies) as provider:
        for text in (TASK, "And now?"):
            counted = len(summaries)
            model = OpenAIChatModel("any", provider=openai(provider))
            compaction = Compaction[Any](BUDGET, model=model, observers=[], **SUMMARIZING)
            history = ModelMessagesTypeAdapter.validate_json(stored)
            run = agent_of(model, compaction).run(text, message_history=history)
            stored = asyncio.run(run).all_messages_json()
        faults = faults_of(provider, turns + 2)
        last = json.dumps(provider.requests[-1].body)
    if not counted:
        faults.append("no summary was asked for")
    if len(summaries) > counted:
        faults.append(f"{len(summaries) - counted} summaries more after the restart")
    return faults + ([] if SUMMARY in last else ["the summary is not in the request"])


def an_estimate_that_is_too_low_costs_one_request_more() -> list[str]:
    """What OpenAI refuses as too long is sent again, with less."""
    turns = 40
    with FakeProvider(tool_loop(turns), window=WINDOW) as provider:
        model = OpenAIChatModel("any", provider=openai(provider))
        compaction = Compaction[Any](BUDGET, estimator=too_low, observers=[])
        agent_of(model, compaction).run_sync(TASK)
        faults = faults_of_requests(
            provider, at_least=turns + 1, holding=(SYSTEM, TASK), too_long=3
        )
        return faults + ([] if provider.refused else ["nothing was refused"])


CAN_ASK_AGAIN = hasattr(exceptions, "RetryModelRequest")
"""Versions before 2.64 have no way to make a request once more."""

CLAIMS: tuple[Callable[[], list[str]], ...] = (
    a_loop_runs_to_its_end,
    a_history_that_stays_small_does_as_well,
    reasoning_that_is_bound_to_its_prefix_is_not_sent_behind_an_edit,
    a_stream_shows_no_summary,
    a_restart_pays_for_no_summary_twice,
    *([an_estimate_that_is_too_low_costs_one_request_more] if CAN_ASK_AGAIN else []),
)


if __name__ == "__main__":
    sys.exit(check(CLAIMS))
