"""Runs agents of LangChain and LangGraph against a provider that refuses what providers refuse.

It uses the installed turnfold with its extra `langchain`, `langchain-openai`,
`langchain-anthropic`, and nothing of turnfold's tests. One line is printed for each claim, `ok` or
`FAIL`. The exit code is 1 if a claim fails.

    python acceptance/runtimes/langchain_agents.py
"""

import asyncio
import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from turnfold import SummarizingPolicy
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.langchain import (
    CompactionMiddleware,
    CompactionState,
    compaction_hook,
)
from turnfold.testing.provider import FakeProvider, tool_loop
from turnfold.testing.runs import check, faults_of_events, faults_of_requests, with_summaries
from turnfold.tokens import MessageEstimator

WINDOW = 2_400
TURNS = 200
OVERFLOWS = 8
SYSTEM = "You port parsers."
TASK = "Port the parser to Rust. Never push to main."
SUMMARY = "Some parts of the parser were read. Never push to main."
SETTINGS: Any = {
    "policy": SummarizingPolicy("turnfold.summary/1"),
    "options": FulfilOptions(gate="off"),
}


@tool  # type: ignore[untyped-decorator]
def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"# {path}\n" + "value = compute(table, row)\n" * 14


def config(thread: str) -> Any:  # noqa: ANN401  The framework's own type is a dict.
    """Return the config of a run in a thread."""
    return {"configurable": {"thread_id": thread}, "recursion_limit": 10 * TURNS}


def asked(text: str = TASK) -> Any:  # noqa: ANN401
    """Return the input of an agent."""
    return {"messages": [HumanMessage(text)]}


def openai(provider: FakeProvider, **more: Any) -> ChatOpenAI:  # noqa: ANN401
    """Return a client of OpenAI's."""
    url = f"{provider.base_url}/v1"
    return ChatOpenAI(model="any", base_url=url, api_key=SecretStr("any"), max_retries=0, **more)


def anthropic(provider: FakeProvider, **more: Any) -> ChatAnthropic:  # noqa: ANN401
    """Return a client of Anthropic's."""
    settings: Any = {"model_name": "any", "max_tokens": 2_048, "max_retries": 0, **more}
    return ChatAnthropic(base_url=provider.base_url, api_key=SecretStr("any"), **settings)


def faults_of(provider: FakeProvider, requests: int) -> list[str]:
    """Return what is wrong with the requests of a run that has come to its end."""
    return faults_of_requests(provider, at_least=requests, holding=(SYSTEM, TASK))


def too_low(text: str) -> int:
    """Estimate half of what the provider counts."""
    return MessageEstimator().estimate_tokens(text) // 2


def a_loop_runs_to_its_end() -> list[str]:
    """`create_agent`, OpenAI's chat, verbatim digests."""
    events: list[Any] = []
    with FakeProvider(tool_loop(TURNS), window=WINDOW) as provider:
        middleware = CompactionMiddleware(WINDOW, observers=[events.append])
        agent = create_agent(
            openai(provider), [read_file], system_prompt=SYSTEM, middleware=[middleware],
            checkpointer=InMemorySaver(),
        )  # fmt: skip
        out = agent.invoke(asked(), config("t"))
        faults = faults_of(provider, TURNS + 1) + faults_of_events(events, named=True)
    messages: list[BaseMessage] = out["messages"]
    if len(messages) != 2 * TURNS + 2 or messages[-1].text != "Done.":
        faults.append(f"the history has {len(messages)} messages, the last {messages[-1].text!r}")
    times = sum(len(each.text) for each in messages) / 4 / WINDOW
    return faults + ([] if times >= OVERFLOWS else [f"only {times:.1f} windows"])


def run_with_reasoning(*, is_bound: bool, thinking: Any) -> list[str]:  # noqa: ANN401
    """Run an agent of Anthropic's messages with signed thinking, two calls at a time."""
    turns = 40
    replies = tool_loop(turns, reasoning=True, parallel=2)
    with FakeProvider(replies, window=WINDOW, bound_reasoning=is_bound) as provider:
        middleware = CompactionMiddleware(WINDOW, observers=[])
        model = anthropic(provider, thinking=thinking)
        agent = create_agent(model, [read_file], system_prompt=SYSTEM, middleware=[middleware])
        agent.invoke(asked(), config("t"))
        return faults_of(provider, turns // 2 + 1)


def reasoning_that_is_bound_to_its_prefix_is_not_sent_behind_an_edit() -> list[str]:
    """As Anthropic's newer models want it."""
    return run_with_reasoning(is_bound=True, thinking={"type": "adaptive"})


def reasoning_of_a_tool_loop_stays_where_its_budget_is_fixed() -> list[str]:
    """As Anthropic's older models want it; the model says so itself."""
    thinking = {"type": "enabled", "budget_tokens": 1_024}
    return run_with_reasoning(is_bound=False, thinking=thinking)


def a_stream_shows_no_summary() -> list[str]:
    """`create_agent`, OpenAI's Responses, in an event loop, streamed, a model as the writer."""
    turns = 40
    replies, summaries = with_summaries(tool_loop(turns), SUMMARY)

    async def run(agent: Any) -> str:  # noqa: ANN401
        stream = agent.astream(asked(), config("t"), stream_mode="messages")
        return "".join([part.text async for part, _ in stream if part.type != "tool"])

    with FakeProvider(replies, window=WINDOW) as provider:
        model = openai(provider, use_responses_api=True, streaming=True)
        # The prompt for a summary is longer than the window of the agent.
        with FakeProvider(replies) as writer_provider:
            middleware = CompactionMiddleware(
                WINDOW, model=openai(writer_provider), observers=[], **SETTINGS
            )
            agent = create_agent(model, [read_file], system_prompt=SYSTEM, middleware=[middleware])
            said = asyncio.run(run(agent))
        faults = faults_of(provider, turns + 1)
    if not summaries:
        faults.append("no summary was asked for")
    return faults + ([] if said == "Done." else [f"streamed: {said[:200]!r}"])


def a_restart_pays_for_no_summary_twice() -> list[str]:
    """`create_agent`, a checkpoint, and a new object of everything."""
    turns = 30
    replies, summaries = with_summaries(tool_loop(turns), SUMMARY)
    saver = InMemorySaver()
    with FakeProvider(replies) as provider:
        for text in (TASK, "And now?"):
            counted = len(summaries)
            middleware = CompactionMiddleware(
                WINDOW, model=openai(provider), observers=[], **SETTINGS
            )
            agent = create_agent(
                openai(provider), [read_file], system_prompt=SYSTEM, middleware=[middleware],
                checkpointer=saver,
            )  # fmt: skip
            agent.invoke(asked(text), config("t"))
        faults = faults_of(provider, turns + 2)
        last = json.dumps(provider.requests[-1].body)
    if not counted:
        faults.append("no summary was asked for")
    if len(summaries) > counted:
        faults.append(f"{len(summaries) - counted} summaries more after the restart")
    return faults + ([] if SUMMARY in last else ["the summary is not in the request"])


def an_estimate_that_is_too_low_costs_one_request_more() -> list[str]:
    """`create_agent`: what either provider refuses as too long is sent again, with less."""
    turns, faults = 40, []
    for model_of in (openai, anthropic):
        with FakeProvider(tool_loop(turns), window=WINDOW) as provider:
            middleware = CompactionMiddleware(WINDOW, estimator=too_low, observers=[])
            agent = create_agent(
                model_of(provider), [read_file], system_prompt=SYSTEM, middleware=[middleware]
            )
            agent.invoke(asked(), config("t"))
            faults += faults_of_requests(
                provider, at_least=turns + 1, holding=(SYSTEM, TASK), too_long=3
            )
            faults += [] if provider.refused else ["nothing was refused"]
    return faults


def a_hook_does_the_same() -> list[str]:
    """`create_react_agent`, OpenAI's chat."""
    turns = 60
    events: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It is deprecated, and widely used.
        from langgraph.prebuilt import create_react_agent  # noqa: PLC0415

        with FakeProvider(tool_loop(turns), window=WINDOW) as provider:
            agent = create_react_agent(
                openai(provider), [read_file], prompt=SYSTEM, state_schema=CompactionState,
                pre_model_hook=compaction_hook(WINDOW - 200, observers=[events.append]),
            )  # fmt: skip
            agent.invoke(asked(), config("t"))
            return faults_of(provider, turns + 1) + faults_of_events(events, named=True)


CLAIMS: tuple[Callable[[], list[str]], ...] = (
    a_loop_runs_to_its_end,
    reasoning_that_is_bound_to_its_prefix_is_not_sent_behind_an_edit,
    reasoning_of_a_tool_loop_stays_where_its_budget_is_fixed,
    a_stream_shows_no_summary,
    a_restart_pays_for_no_summary_twice,
    an_estimate_that_is_too_low_costs_one_request_more,
    a_hook_does_the_same,
)


if __name__ == "__main__":
    sys.exit(check(CLAIMS))
