"""Runs agents of the OpenAI Agents SDK against a provider that refuses what OpenAI refuses.

It uses the installed turnfold with its extra `openai-agents`, and nothing of turnfold's tests. One
line is printed for each claim, `ok` or `FAIL`. The exit code is 1 if a claim fails.

    python acceptance/runtimes/openai_agents.py
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from turnfold import SummarizingPolicy
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.openai import compacting
from turnfold.integrations.openai_agents import CompactingSession, CompactionFilter
from turnfold.testing.provider import FakeProvider, Reply, Request, tool_loop
from turnfold.testing.runs import check, faults_of_events, faults_of_requests, with_summaries
from turnfold.tokens import MessageEstimator

WINDOW = 1_800
BUDGET = 1_700
TURNS = 200
OVERFLOWS = 8
SYSTEM = "You port parsers."
TASK = "Port the parser to Rust. Never push to main."
SUMMARY = "Some parts of the parser were read. Never push to main."
SETTINGS: Any = {
    "policy": SummarizingPolicy("turnfold.summary/1"),
    "options": FulfilOptions(gate="off"),
}


@function_tool  # type: ignore[untyped-decorator]
def read_file(path: str) -> str:
    """Read a file of the project."""
    return f"# {path}\n" + "value = compute(table, row)\n" * 32


def model_of(provider: FakeProvider, kind: Any = OpenAIResponsesModel) -> Any:  # noqa: ANN401
    """Return a model of the SDK that asks the provider."""
    url = f"{provider.base_url}/v1"
    return kind("any", AsyncOpenAI(base_url=url, api_key="any", max_retries=0))


def agent_of(provider: FakeProvider, **more: Any) -> Any:  # noqa: ANN401
    """Return an agent with a tool."""
    settings = {"model": model_of(provider), "tools": [read_file], **more}
    return Agent("porter", instructions=SYSTEM, **settings)


def run(agent: Any, turns: int, text: str = TASK, **more: Any) -> Any:  # noqa: ANN401
    """Run an agent to its end."""
    return asyncio.run(Runner.run(agent, text, max_turns=turns + 2, **more))


def faults_of(provider: FakeProvider, requests: int) -> list[str]:
    """Return what is wrong with the requests of a run that has come to its end."""
    return faults_of_requests(provider, at_least=requests, holding=(SYSTEM, TASK))


def too_low(text: str) -> int:
    """Estimate half of what the provider counts."""
    return MessageEstimator().estimate_tokens(text) // 2


def a_loop_runs_to_its_end() -> list[str]:
    """Responses with reasoning, verbatim digests."""
    events: list[Any] = []
    with FakeProvider(tool_loop(TURNS, reasoning=True), window=WINDOW) as provider:
        fit = CompactionFilter(BUDGET, observers=[events.append])
        result = run(agent_of(provider), TURNS, run_config=RunConfig(call_model_input_filter=fit))
        faults = faults_of(provider, TURNS + 1) + faults_of_events(events)
    items = result.to_input_list()
    if len(items) < 3 * TURNS or result.final_output != "Done.":
        faults.append(f"the history has {len(items)} items, the end is {result.final_output!r}")
    times = len(json.dumps(items)) / 4 / WINDOW
    return faults + ([] if times >= OVERFLOWS else [f"only {times:.1f} windows"])


def a_session_keeps_everything() -> list[str]:
    """A session in a file, its filter, four calls at a time, chat completions."""
    events: list[Any] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        FakeProvider(tool_loop(TURNS, parallel=4), window=WINDOW) as provider,
    ):
        kept = SQLiteSession("one", Path(folder) / "chat.db")
        session = CompactingSession(kept, BUDGET, observers=[events.append])
        config = RunConfig(call_model_input_filter=session.model_input_filter)
        agent = agent_of(provider, model=model_of(provider, OpenAIChatCompletionsModel))
        run(agent, TURNS, session=session, run_config=config)
        items = asyncio.run(kept.get_items())
        given = asyncio.run(session.get_items())
        kept.close()
        faults = faults_of(provider, TURNS // 4 + 1) + faults_of_events(events)
    if len(items) < 2 * TURNS or len(given) >= len(items) / 2:
        faults.append(f"{len(items)} items are kept, {len(given)} given")
    if not all(each.conversation == "one" for each in events):
        faults.append("an event that names no session")
    return faults


def a_restart_pays_for_no_summary_twice() -> list[str]:
    """A session in a file, a model that writes, streamed, and a new object of everything."""
    turns = 30
    replies, summaries = with_summaries(tool_loop(turns, reasoning=True), SUMMARY)

    async def streamed(agent: Any, text: str, **more: Any) -> None:  # noqa: ANN401
        result = Runner.run_streamed(agent, text, max_turns=turns + 2, **more)
        async for _ in result.stream_events():
            pass

    with tempfile.TemporaryDirectory() as folder, FakeProvider(replies) as provider:
        path = Path(folder) / "chat.db"
        for text in (TASK, "And now?"):
            counted = len(summaries)
            kept, states = SQLiteSession("one", path), SQLiteSession("one.turnfold", path)
            session = CompactingSession(
                kept, BUDGET, state_session=states, model=model_of(provider), observers=[],
                **SETTINGS,
            )  # fmt: skip
            config = RunConfig(call_model_input_filter=session.model_input_filter)
            asyncio.run(streamed(agent_of(provider), text, session=session, run_config=config))
            kept.close()
            states.close()
        faults = faults_of(provider, turns + 2)
        last = json.dumps(provider.requests[-1].body)
    if not counted:
        faults.append("no summary was asked for")
    if len(summaries) > counted:
        faults.append(f"{len(summaries) - counted} summaries more after the restart")
    return faults + ([] if SUMMARY in last else ["the summary is not in the request"])


def a_handoff_takes_the_history_along() -> list[str]:
    """One agent hands over to another, which goes on for long."""
    turns = 40
    events: list[Any] = []
    loop = tool_loop(turns)

    def replies(request: Request) -> Reply:
        is_first = "transfer_to_porter" in request.tools
        return Reply(calls=[("transfer_to_porter", {})]) if is_first else loop(request)

    with FakeProvider(replies, window=WINDOW) as provider:
        fit = CompactionFilter(BUDGET, observers=[events.append])
        agent = agent_of(provider, tools=[], handoffs=[agent_of(provider)])
        run(agent, turns, run_config=RunConfig(call_model_input_filter=fit))
        return faults_of(provider, turns + 2) + faults_of_events(events)


def a_client_that_is_wrapped_asks_again_with_less() -> list[str]:
    """A filter cannot ask again where an estimate is too low; the client under the model does."""
    turns = 40
    with FakeProvider(tool_loop(turns), window=WINDOW) as provider:
        plain = AsyncOpenAI(base_url=f"{provider.base_url}/v1", api_key="any", max_retries=0)
        client = compacting(plain, BUDGET, estimator=too_low, observers=[])
        run(agent_of(provider, model=OpenAIResponsesModel("any", client)), turns)
        faults = faults_of_requests(
            provider, at_least=turns + 1, holding=(SYSTEM, TASK), too_long=3
        )
        return faults + ([] if provider.refused else ["nothing was refused"])


CLAIMS: tuple[Callable[[], list[str]], ...] = (
    a_loop_runs_to_its_end,
    a_session_keeps_everything,
    a_restart_pays_for_no_summary_twice,
    a_handoff_takes_the_history_along,
    a_client_that_is_wrapped_asks_again_with_less,
)


if __name__ == "__main__":
    set_tracing_disabled(disabled=True)
    sys.exit(check(CLAIMS))
