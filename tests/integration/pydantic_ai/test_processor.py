"""A history that is replaced by what is sent begins with turnfold's own output."""

from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelRequest, ToolCallPart, UserPromptPart

from tests.integration.pydantic_ai.fakes import (
    PORT,
    SUMMARY,
    TASK,
    Loop,
    Summaries,
    agent_of,
    history,
    run,
    stored,
    text_of,
)
from tests.integration.watcher import Watcher
from turnfold import SummarizingPolicy
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.pydantic_ai import compacting_history

WINDOW = 2_000
STEPS = 36
OPTIONS: Any = {
    "policy": SummarizingPolicy("turnfold.summary/1"),
    "options": FulfilOptions(gate="off"),
}


def test_the_history_itself_stays_small() -> None:
    """Would catch: a round that does not know the earlier ones' output, a history that grows."""
    loop, watcher = Loop(STEPS, WINDOW), Watcher()
    agent = agent_of(loop.model, ProcessHistory(compacting_history(WINDOW, observers=[watcher])))
    result = run(agent, f"{TASK} {PORT}")
    assert result.output == "Done."
    assert len(loop.requests) == STEPS + 1
    assert all(TASK in text_of(sent) for sent in loop.requests)
    assert len(watcher.compactions) >= 3
    assert not watcher.failures
    calls = [part for each in result.all_messages() for part in each.parts]
    assert len([part for part in calls if isinstance(part, ToolCallPart)]) < STEPS


def test_what_was_summarized_once_is_not_summarized_at_each_call() -> None:
    """Would catch: a summary that is written again since its history is not recognized."""
    loop, writer = Loop(STEPS, WINDOW), Summaries()
    processor = compacting_history(WINDOW, model=writer.model, observers=[], **OPTIONS)
    agent = agent_of(loop.model, ProcessHistory(processor))
    first = run(agent, TASK)
    asked = len(writer.prompts)
    assert 1 <= asked <= 8
    again = agent_of(
        loop.model,
        ProcessHistory(compacting_history(WINDOW, model=writer.model, observers=[], **OPTIONS)),
    )
    second = run(again, "And now?", message_history=stored(first.all_messages()))
    assert len(writer.prompts) == asked
    assert SUMMARY in text_of(second.all_messages())
    assert TASK in text_of(second.all_messages())


def test_a_short_history_is_what_it_was() -> None:
    loop, messages = Loop(0, WINDOW), history(3)
    agent = agent_of(loop.model, ProcessHistory(compacting_history(WINDOW, observers=[])))
    result = run(agent, "Go on.", message_history=messages)
    assert result.all_messages()[: len(messages)] == messages
    assert "Go on." in text_of(loop.requests[0][-1:])


def test_the_newest_prompt_is_kept_whole() -> None:
    loop, prompt = Loop(0, WINDOW), "The newest words. " * 150
    agent = agent_of(loop.model, ProcessHistory(compacting_history(WINDOW, observers=[])))
    run(agent, prompt, message_history=history(30))
    last = loop.requests[0][-1]
    assert isinstance(last, ModelRequest)
    assert last.instructions
    assert any(isinstance(part, UserPromptPart) and prompt in part.content for part in last.parts)
