"""An agent's requests fit, and its history stays whole."""

import asyncio
import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, CallDeferred, DeferredToolRequests, DeferredToolResults
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

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
from turnfold import CompactionBudget, SummarizingPolicy, formats
from turnfold.formats import Pins
from turnfold.fulfil import FulfilOptions
from turnfold.integrations import Compactor
from turnfold.integrations.pydantic_ai import Compaction, PydanticAIMessages
from turnfold.integrations.pydantic_ai._conversations import IdleConversations

STEPS = 36
WINDOW = 2_000
SUMMARIZING: Any = {
    "policy": SummarizingPolicy("turnfold.summary/1"),
    "options": FulfilOptions(gate="off"),
}


def is_whole(messages: list[ModelMessage]) -> bool:
    calls = [part for each in messages for part in each.parts if isinstance(part, ToolCallPart)]
    return len(calls) == STEPS and text_of(messages).count("value = compute") == 20 * STEPS


@pytest.fixture
def _event_loop() -> Iterator[None]:
    """Hold the loop that `run_sync` would make and leave open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(None)


@pytest.mark.usefixtures("_event_loop")
def test_a_tool_loop_runs_to_its_end() -> None:
    """R2. Would catch: a request that is refused, a task that is gone, a history that is cut."""
    loop, watcher = Loop(STEPS, WINDOW), Watcher()
    agent = agent_of(loop.model, Compaction(WINDOW, observers=[watcher]))
    result = agent.run_sync(TASK)
    assert result.output == "Done."
    assert len(loop.requests) == STEPS + 1
    assert all(TASK in text_of(each) for each in loop.requests)
    assert is_whole(result.all_messages())
    assert len(watcher.compactions) >= 3
    assert watcher.bodies("audit.signals")
    assert not watcher.failures
    assert {each.conversation for each in watcher.events} == {
        result.all_messages()[-1].conversation_id
    }


def test_streams_and_steps_pass_the_same_door() -> None:
    """Would catch: a way to run an agent that is not fitted."""

    async def main() -> None:
        loop = Loop(STEPS, WINDOW)
        agent = agent_of(loop.model, Compaction(WINDOW, observers=[]))
        async with agent.run_stream(TASK) as stream:
            assert [text async for text in stream.stream_text()][-1] == "Done."
        assert is_whole(stream.all_messages())
        assert any(each.metadata for each in stream.all_messages())
        loop = Loop(STEPS, WINDOW)
        agent = agent_of(loop.model, Compaction(WINDOW, observers=[]))
        async with agent.iter(TASK) as run:
            async for _ in run:
                pass
        assert run.result is not None
        assert run.result.output == "Done."
        assert is_whole(run.result.all_messages())

    asyncio.run(main())


def test_calls_at_once_and_thinking() -> None:
    """B1. Would catch: signed thinking that changed, a result that lost its call."""
    loop = Loop(STEPS, WINDOW, parallel=4, thinks=True)
    agent = agent_of(loop.model, Compaction(WINDOW, observers=[]))
    result = run(agent, TASK)
    assert result.output == "Done."
    originals = {id(each) for each in result.all_messages()}
    kept = [each for sent in loop.requests for each in sent if id(each) in originals]
    assert kept
    for sent in loop.requests:
        for message in sent:
            for part in message.parts:
                assert part.part_kind != "thinking" or (part.content, part.signature) == (
                    "Next.",
                    "s" * 40,
                )


def test_the_next_run_pays_for_no_summary_twice() -> None:
    """Would catch: a state that a run keeps for itself."""
    writer, watcher = Summaries(), Watcher()
    loop = Loop(STEPS, WINDOW)
    compaction: Any = Compaction(WINDOW, model=writer.model, observers=[watcher], **SUMMARIZING)
    agent = agent_of(loop.model, compaction)
    first = run(agent, TASK)
    asked = len(writer.prompts)
    second = run(agent, "And now?", message_history=first.all_messages())
    assert asked >= 1
    assert len(writer.prompts) == asked
    assert SUMMARY in text_of(loop.requests[-1])
    assert len(second.all_messages()) == len(first.all_messages()) + 2
    assert "And now?" in text_of(loop.requests[-1][-1:])


def test_what_an_earlier_run_saw_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Would catch: a run that reads the whole history once more."""
    loop = Loop(STEPS, WINDOW)
    looks: list[int] = []
    agent = agent_of(loop.model, Compaction(WINDOW, observers=[]))
    first = run(agent, TASK)
    read = Compactor.read

    def counted(self: Any, documents: list[Any]) -> Any:  # noqa: ANN401
        looks.append(len(documents))
        return read(self, documents)

    monkeypatch.setattr(Compactor, "read", counted)
    run(agent, "And now?", message_history=first.all_messages())
    assert not looks
    run(agent, "And now?", message_history=first.all_messages())
    assert looks, "the conversation went on with another prompt"


def test_a_conversation_is_held_by_one_run() -> None:
    """Would catch: two runs at once in one conversation."""
    idle = IdleConversations(Compactor(PydanticAIMessages(), WINDOW, observers=[]))
    messages = history(2)
    held = idle.taken("name", messages)
    held.fit(messages)
    idle.put(held)
    assert idle.taken("other", messages) is not held
    assert idle.taken("name", messages) is held
    assert idle.taken("name", messages) is not held


def test_a_history_that_is_loaded_goes_on_where_it_stood() -> None:
    """Would catch: a restart that summarizes again, or that sends the whole history."""
    writer = Summaries()
    loop = Loop(STEPS, WINDOW)

    def restarted() -> Any:  # noqa: ANN401
        compaction: Any = Compaction(WINDOW, model=writer.model, observers=[], **SUMMARIZING)
        return agent_of(loop.model, compaction)

    messages = stored(run(restarted(), TASK).all_messages())
    asked = len(writer.prompts)
    assert asked >= 1
    assert len([each for each in messages if each.metadata]) == 1, "one response holds the state"
    before = copy.deepcopy(messages)
    run(restarted(), "And now?", message_history=messages)
    assert len(writer.prompts) == asked
    assert SUMMARY in text_of(loop.requests[-1])
    assert messages == before, "a history that is handed in is not changed"


def test_a_state_of_another_version_is_told_of_and_left() -> None:
    watcher, loop = Watcher(), Loop(0, WINDOW)
    messages = history(20)
    messages[-1] = replace(messages[-1], metadata={"turnfold": {"schema": "turnfold.other/9"}})
    agent = agent_of(loop.model, Compaction(WINDOW, observers=[watcher]))
    run(agent, "Go on.", message_history=messages)
    assert "turnfold.other/9" in watcher.failures[0]["message"]
    assert watcher.compactions


def test_the_history_is_not_changed() -> None:
    messages = history(30)
    before = copy.deepcopy(messages)
    loop = Loop(0, WINDOW)
    result = run(
        agent_of(loop.model, Compaction(WINDOW, observers=[])), "Go on.", message_history=messages
    )
    assert messages == before
    assert result.all_messages()[: len(before)] == before
    assert len(loop.requests[0]) < len(before)
    kept = {id(each) for each in result.all_messages()} & {id(each) for each in loop.requests[0]}
    assert len(kept) >= 4, "what is kept are the same objects"


def test_the_newest_prompt_is_kept_whole() -> None:
    loop, prompt = Loop(0, WINDOW), "The newest words. " * 150
    agent = agent_of(loop.model, Compaction(WINDOW, observers=[]))
    run(agent, prompt, message_history=history(30))
    assert prompt in text_of(loop.requests[0])
    assert PORT in text_of(loop.requests[0])


def test_a_model_that_is_down_costs_no_summary() -> None:
    """Would catch: a compaction that is lost with the request that it was made for."""
    writer = Summaries()
    loop = Loop(0, WINDOW)
    compaction: Any = Compaction(WINDOW, model=writer.model, observers=[], **SUMMARIZING)
    agent = agent_of(loop.model, compaction)
    messages = run(agent, "Go on.", message_history=history(30)).all_messages()
    asked = len(writer.prompts)
    loop.fails_at = {len(loop.requests)}
    with pytest.raises(ConnectionError):
        run(agent, "And?", message_history=messages)
    run(agent, "And?", message_history=messages)
    assert asked == 1
    assert len(writer.prompts) == asked


def test_tools_instructions_and_the_answer_take_room() -> None:
    """Would catch: a request that is over the window by what stands beside its messages."""

    def sent_with(**more: Any) -> int:  # noqa: ANN401
        loop = Loop(0, WINDOW)
        agent = agent_of(loop.model, Compaction(WINDOW, observers=[]), **more)
        run(agent, "Go on.", message_history=history(30))
        return len(text_of(loop.requests[0]))

    assert sent_with(model_settings={"max_tokens": 600}) < sent_with() - 1_000
    assert sent_with(instructions="Be exact. " * 200) < sent_with() - 1_000


def test_instructions_count_once() -> None:
    """Would catch: instructions that are taken off as text and as a turn."""
    loop, watcher = Loop(0, 10 * WINDOW), Watcher()
    compaction: Any = Compaction(WINDOW, observers=[watcher])
    agent = agent_of(loop.model, compaction, instructions="Be exact. " * 400)
    run(agent, "Go on.", message_history=history(30))
    assert watcher.compactions
    assert not watcher.failures


def test_instructions_stay_on_a_request_that_is_written_anew() -> None:
    """Would catch: instructions that are gone where the newest request lost a result."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:  # noqa: ARG001
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        assert last.instructions == "You port parsers."
        if len(messages) > 1:
            return ModelResponse([TextPart(str(sum("removed" in text_of([m]) for m in messages)))])
        calls = [ToolCallPart("read_file", {"path": f"{n}.py"}, f"c{n}") for n in range(9)]
        return ModelResponse(calls)

    budget = CompactionBudget(1_200, protected_recent_turns=1)
    compaction: Any = Compaction(budget, pins=Pins(newest_exchange=False), observers=[])
    assert run(agent_of(FunctionModel(answer), compaction), TASK).output == "1"


class Reminder(AbstractCapability[Any]):
    """Adds a reminder to each request only."""

    def __init__(self, *, merges: bool) -> None:
        self.merges = merges
        self.number = 0

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:  # noqa: ANN401, ARG002
        self.number += 1
        part = UserPromptPart(f"Reminder {self.number}.")
        *others, last = request_context.messages
        if self.merges:
            request_context.messages = [*others, replace(last, parts=[*last.parts, part])]
        else:
            request_context.messages = [*others, last, ModelRequest([part])]
        return request_context


@pytest.mark.parametrize("merges", [True, False])
def test_what_is_added_to_one_request_only_is_no_part_of_the_conversation(*, merges: bool) -> None:
    """Would catch: a reminder that makes each step another history, summarized from its start."""
    writer, watcher = Summaries(), Watcher()
    loop = Loop(STEPS, WINDOW)
    compaction: Any = Compaction(WINDOW, model=writer.model, observers=[watcher], **SUMMARIZING)
    run(agent_of(loop.model, Reminder(merges=merges), compaction), TASK)
    assert len(writer.prompts) <= 8
    assert "Reminder 37." in text_of(loop.requests[-1])
    assert all(text_of(each).count("Reminder") == 1 for each in loop.requests)


def test_a_deferred_call_is_answered_in_another_process() -> None:
    """Would catch: a call that waits for its result and is closed or gone."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:  # noqa: ARG001
        if "Deployed." in text_of(messages[-1:]):
            return ModelResponse([TextPart(f"{len(messages)} messages")])
        return ModelResponse([ToolCallPart("deploy", {}, "waits")])

    def restarted() -> Any:  # noqa: ANN401
        compaction: Any = Compaction(WINDOW, observers=[])
        agent = agent_of(FunctionModel(answer), compaction, output_type=[str, DeferredToolRequests])

        @agent.tool_plain
        def deploy() -> str:
            raise CallDeferred

        return agent

    first = run(restarted(), "Deploy it.", message_history=history(30))
    assert isinstance(first.output, DeferredToolRequests)
    results = DeferredToolResults(calls={"waits": "Deployed."})
    messages = stored(first.all_messages())
    second = run(restarted(), message_history=messages, deferred_tool_results=results)
    assert int(second.output.split()[0]) < len(messages)


def test_forks_of_a_conversation_run_at_once() -> None:
    """Would catch: a conversation that two runs hold, a summary of one fork in another."""
    compaction: Any = Compaction(WINDOW, observers=[])
    base = run(agent_of(Loop(0, WINDOW).model, compaction), "Begin.", message_history=history(12))

    async def fork(name: str) -> list[list[ModelMessage]]:
        loop = Loop(16, WINDOW)
        agent = agent_of(loop.model, compaction, result=f"{name} has it.\n" * 40)
        await agent.run(f"I am {name}.", message_history=base.all_messages())
        return loop.requests

    async def main() -> list[list[list[ModelMessage]]]:
        return list(await asyncio.gather(fork("ada"), fork("bob")))

    ada, bob = asyncio.run(main())
    assert all("I am ada." in text_of(each) and "bob" not in text_of(each) for each in ada)
    assert all("I am bob." in text_of(each) and "ada" not in text_of(each) for each in bob)


def test_system_prompts_stay() -> None:
    loop = Loop(STEPS, WINDOW)
    agent = agent_of(loop.model, Compaction(WINDOW, observers=[]), system_prompt="Be exact.")
    run(agent, TASK)
    for sent in loop.requests:
        first = sent[0].parts[0]
        assert isinstance(first, SystemPromptPart)
        assert first.content == "Be exact."


def test_a_spec_may_name_it() -> None:
    spec = {"model": "test", "capabilities": [{"Compaction": WINDOW}]}
    agent: Agent[Any, Any] = Agent.from_spec(spec, custom_capability_types=[Compaction])
    result = run(agent, "Go on.", message_history=history(30))
    assert "turnfold" in result.all_messages()[-1].metadata


def test_what_is_weighed_is_what_a_loader_sizes() -> None:
    """Would catch: a message that weighs nothing, or its image as text."""
    photo = BinaryContent(b"\x89PNG" * 4_000, media_type="image/png")
    messages = [
        *history(6),
        ModelRequest([UserPromptPart(["Look at this. " * 40, photo, CachePoint()])]),
        ModelResponse([ThinkingPart("", signature="s" * 2_000, provider_name="anthropic")]),
        ModelResponse([ToolCallPart("find", '{"name": "' + "x" * 900 + '"}', "f")]),
        ModelRequest([ToolReturnPart("find", {"rows": [{"id": n} for n in range(99)]}, "f")]),
    ]
    dialect = PydanticAIMessages()
    documents = dialect.dump(messages)
    assert dialect.dump(dialect.load(documents)) == documents
    loaded = formats.parse(documents, format="pydantic-ai").transcript.token_estimate()
    assert 0.8 * loaded < sum(map(dialect.weight, messages)) < 1.2 * loaded
