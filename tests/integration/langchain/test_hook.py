"""LangGraph: `create_react_agent`, a graph with a node for compaction, and one that calls `fit`."""

# ruff: noqa: ANN401  The states and configs of the framework are dicts.

import asyncio
import warnings
from typing import Any

import pytest

pytest.importorskip("langchain")
pytest.importorskip("langgraph")

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from pydantic import BaseModel

from tests.integration.langchain.fakes import (
    SYSTEM,
    TASK,
    Loop,
    Summaries,
    has_system_and_task,
    read_file,
)
from tests.integration.watcher import Watcher
from turnfold import SummarizingPolicy
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.langchain import Compaction, CompactionState, compaction_hook

WINDOW = 3_000
CONFIG: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 2_000}
POLICY = SummarizingPolicy("turnfold.summary/1")
LAX = FulfilOptions(gate="off")


def react_agent(model: Any, hook: Any, **more: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from langgraph.prebuilt import create_react_agent  # noqa: PLC0415  It warns.

        return create_react_agent(
            model,
            [read_file],
            prompt=SYSTEM,
            pre_model_hook=hook,
            state_schema=CompactionState,
            **more,
        )


@pytest.mark.parametrize("is_async", [False, True])
def test_a_react_agent_runs_to_its_end(*, is_async: bool) -> None:
    """Would catch: a hook that overwrites the messages, or knows one of the two ways only."""
    model, watcher = Loop(turns=60, window=WINDOW), Watcher()
    agent = react_agent(model, compaction_hook(WINDOW - 200, observers=[watcher]))
    asked = {"messages": [HumanMessage(TASK)]}
    out = asyncio.run(agent.ainvoke(asked, CONFIG)) if is_async else agent.invoke(asked, CONFIG)
    assert len(out["messages"]) == 122
    assert all(map(has_system_and_task, model.requests))
    assert watcher.compactions
    assert {each.conversation for each in watcher.events} == {"t"}


def test_a_react_agent_goes_on_from_its_checkpoint() -> None:
    saver, writer = InMemorySaver(), Summaries(answers=["Parts were read."])
    first = Loop(turns=30, window=WINDOW)
    settings: Any = {"model": writer, "policy": POLICY, "options": LAX}
    hook = compaction_hook(WINDOW - 200, **settings)
    react_agent(first, hook, checkpointer=saver).invoke({"messages": [HumanMessage(TASK)]}, CONFIG)
    before, last = len(writer.prompts), first.requests[-1]
    assert before > 0
    second = Loop(turns=0, window=WINDOW)
    hook = compaction_hook(WINDOW - 200, **settings)
    agent = react_agent(second, hook, checkpointer=saver)
    agent.invoke({"messages": [HumanMessage("And now?")]}, CONFIG)
    assert len(writer.prompts) == before
    assert second.requests[0][: len(last)] == last


class GraphState(CompactionState):
    llm_input_messages: list[AnyMessage]


def test_a_graph_of_ones_own_has_the_hook_as_a_node() -> None:
    model, watcher = Loop(turns=60, window=WINDOW), Watcher()
    graph = StateGraph(GraphState)
    graph.add_node("compact", compaction_hook(WINDOW - 100, observers=[watcher]))
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["llm_input_messages"])]})
    graph.add_node("tools", ToolNode([read_file]))
    graph.add_edge(START, "compact")
    graph.add_edge("compact", "model")
    graph.add_edge("tools", "compact")
    graph.add_conditional_edges(
        "model", lambda state: "tools" if state["messages"][-1].tool_calls else END
    )
    start: Any = {"messages": [SystemMessage(SYSTEM), HumanMessage(TASK)]}
    out = graph.compile().invoke(start, CONFIG)
    assert len(out["messages"]) == 123
    assert all(map(has_system_and_task, model.requests))
    assert watcher.compactions
    assert out["turnfold"]["covered"] <= len(out["messages"])


def test_a_node_calls_fit_by_hand() -> None:
    model, watcher = Loop(turns=60, window=WINDOW), Watcher()
    compaction = Compaction(WINDOW, observers=[watcher])

    def call(state: Any) -> Any:
        sent, kept = compaction.fit(state["messages"], state.get("turnfold"))
        return {"messages": [model.invoke(sent)], "turnfold": kept}

    graph = StateGraph(CompactionState)
    graph.add_node("model", call)
    graph.add_node("tools", ToolNode([read_file]))
    graph.add_edge(START, "model")
    graph.add_edge("tools", "model")
    graph.add_conditional_edges(
        "model", lambda state: "tools" if state["messages"][-1].tool_calls else END
    )
    start: Any = {"messages": [SystemMessage(SYSTEM), HumanMessage(TASK)]}
    out = graph.compile().invoke(start, CONFIG)
    assert out["messages"][-1].text == "Done."
    assert all(map(has_system_and_task, model.requests))
    assert {each.conversation for each in watcher.events} == {"t"}


def test_the_state_has_a_schema() -> None:
    """Would catch: a state that a server cannot describe, on a Python before 3.12."""
    graph = StateGraph(CompactionState)
    graph.add_node("model", lambda _: {})
    graph.add_edge(START, "model")
    properties = graph.compile().get_input_jsonschema()["properties"]
    assert set(properties) >= {"messages", "turnfold"}


def test_a_state_may_be_a_model() -> None:
    """Would catch: a hook that knows dicts only."""

    class State(BaseModel):
        messages: list[Any]
        turnfold: dict[str, Any] | None = None

    update = compaction_hook(WINDOW).invoke(State(messages=[HumanMessage(TASK)]))
    assert update == {"llm_input_messages": [HumanMessage(TASK)]}
