"""Whole agent loops through the fake provider: cut as in the field, and compacted by turnfold."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.testing.provider_client import (
    CHAT,
    MESSAGES,
    Body,
    chat,
    chat_result,
    messages,
    post,
    result,
    said,
    system,
    user,
    words_of,
)
from turnfold import CompactionBudget, CompactionExecutor, default_chain
from turnfold.formats import Reasoning, parse, render
from turnfold.fulfil import fulfil_extractively
from turnfold.testing.provider import FakeProvider, tool_loop
from turnfold.tokens import MessageEstimator

_TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]
_ANTHROPIC_TOOLS = [{"name": "read_file", "input_schema": {"type": "object"}}]
_RESULT = "def part(number): return number  # 8443\n" * 40
_WINDOW = 3000
_ORPHAN = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"


def run_chat(provider: FakeProvider, fit: Callable[[list[Body]], list[Body]]) -> str:
    """Run an agent whose history is fitted before each request; return how it ended."""
    history: list[Body] = [system(), user("Read all parts. Never change one.")]
    while True:
        history = fit(history)
        status, answer = post(provider, CHAT, chat(*history, tools=_TOOLS))
        if status != 200:
            return words_of(answer)
        message = answer["choices"][0]["message"]
        history.append(message)
        if not message.get("tool_calls"):
            return str(message["content"])
        history += [chat_result(call["id"], _RESULT) for call in message["tool_calls"]]


def compacted(document: Any, limit: int, reasoning: Reasoning | None = None) -> Any:  # noqa: ANN401
    count = MessageEstimator()
    session = parse(document)
    plan = default_chain(keep_recent_results=1, estimator=count).decide(
        session.transcript, CompactionBudget(limit, protected_recent_turns=2)
    )
    summaries = fulfil_extractively(session.transcript, plan, estimator=count)
    view = CompactionExecutor().apply(session.transcript, plan, summaries, estimator=count)
    return render(view, session, reasoning=reasoning)


def test_a_history_that_grows_is_refused_when_the_window_is_full() -> None:
    with FakeProvider(tool_loop(40), window=_WINDOW) as provider:
        ended = run_chat(provider, lambda history: history)
    assert ended.startswith("This model's maximum context length is 3000 tokens. However, your")
    assert len(provider.requests) < 12


def test_a_history_cut_by_trim_messages_without_start_on_is_refused() -> None:
    """The field's most common cut: the last messages, whatever the first of them answers."""
    core = pytest.importorskip("langchain_core.messages")

    def fit(history: list[Body]) -> list[Body]:
        loaded = core.convert_to_messages(history)
        kept = core.trim_messages(loaded, max_tokens=4, token_counter=len, include_system=True)
        return list(core.convert_to_openai_messages(kept))

    with FakeProvider(tool_loop(40), window=_WINDOW) as provider:
        ended = run_chat(provider, fit)
    assert _ORPHAN in ended
    assert [each.status for each in provider.requests] == [200, 200, 400]


def test_a_history_that_turnfold_compacts_is_never_refused() -> None:
    with FakeProvider(tool_loop(40, parallel=2), window=_WINDOW) as provider:
        ended = run_chat(provider, lambda history: compacted(history, 2000))
    assert ended == "Done."
    assert [each.status for each in provider.requests] == [200] * 21
    assert max(each.tokens for each in provider.requests) <= 2050


def run_messages(provider: FakeProvider, body: Body, reasoning: Reasoning | None = None) -> str:
    """Run an agent to the end of its turn; with a word on reasoning it compacts at each step."""
    while True:
        if reasoning:
            fitted = compacted({"messages": body["messages"]}, 2000, reasoning)
            body["messages"] = fitted["messages"]
        status, answer = post(provider, MESSAGES, body)
        if status != 200:
            return words_of(answer)
        body["messages"].append(said(answer["content"]))
        calls = [block["id"] for block in answer["content"] if block["type"] == "tool_use"]
        if not calls:
            return str(answer["content"][-1]["text"])
        body["messages"].append(user([result(each, _RESULT) for each in calls]))


def test_thinking_that_is_bound_is_not_kept_behind_what_turnfold_edited() -> None:
    """Would catch: a rendering that keeps a thinking block behind the turn that it edited."""
    with FakeProvider(window=_WINDOW, bound_reasoning=True) as provider:
        body = messages(tools=_ANTHROPIC_TOOLS)
        for turn in range(8):
            provider.replies = tool_loop(2, reasoning=True)
            body["messages"].append(user(f"Read part {turn}."))
            body["messages"] = compacted({"messages": body["messages"]}, 1500)["messages"]
            assert run_messages(provider, body) == "Done."
    assert [each.status for each in provider.requests] == [200] * 24


def test_within_a_tool_loop_thinking_that_is_bound_has_to_go_whole() -> None:
    """A model that binds its thinking refuses what stands behind an edit, in a loop as well."""
    with FakeProvider(
        tool_loop(30, reasoning=True), window=_WINDOW, bound_reasoning=True
    ) as provider:
        body = messages(user("Read all parts."), tools=_ANTHROPIC_TOOLS)
        assert run_messages(provider, body, "strip_all") == "Done."
    assert [each.status for each in provider.requests] == [200] * 31
