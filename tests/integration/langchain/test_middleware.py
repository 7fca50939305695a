"""An agent of `create_agent` runs on, whatever the length of its history."""

# ruff: noqa: ANN401  The states and configs of the framework are dicts.

import asyncio
import copy
import json
import pickle
from typing import Any

import pytest

pytest.importorskip("langchain")
pytest.importorskip("langgraph")

from langchain.agents import create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelRetryMiddleware,
    dynamic_prompt,
)
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.integration.langchain.fakes import (
    SYSTEM,
    TASK,
    Loop,
    Summaries,
    has_system_and_task,
    read_file,
)
from tests.integration.watcher import Watcher, too_low
from turnfold import CompactionBudget, SummarizingPolicy
from turnfold.fulfil import FulfilOptions
from turnfold.integrations.langchain import CompactionMiddleware

WINDOW = 3_000
SUMMARY = "Parts of the parser were read. Never push to main."


def summarizing(writer: Summaries, **settings: Any) -> CompactionMiddleware:
    """Return a middleware whose every compaction is a summary of this writer."""
    policy = SummarizingPolicy("turnfold.summary/1")
    options = FulfilOptions(gate="off")
    return CompactionMiddleware(WINDOW, model=writer, policy=policy, options=options, **settings)


def agent_of(model: Any, middleware: Any, saver: Any = None, more: Any = ()) -> Any:
    return create_agent(
        model,
        [read_file],
        system_prompt=SYSTEM,
        middleware=[*more, middleware],
        checkpointer=saver,
    )


def config(thread: str = "t", **more: Any) -> Any:
    return {"configurable": {"thread_id": thread, **more}, "recursion_limit": 2_000}


def asked(text: str = TASK) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


def overflowed(messages: list[Any]) -> float:
    return sum(len(str(each.content)) for each in messages) / 4 / WINDOW


def test_a_loop_of_200_turns_runs_to_its_end() -> None:
    """Would catch: a request over the window, an orphan, a lost task, a history that was cut."""
    model, watcher = Loop(turns=200, window=WINDOW), Watcher()
    middleware = CompactionMiddleware(WINDOW, observers=[watcher])
    out = agent_of(model, middleware).invoke(asked(), config())
    assert overflowed(out["messages"]) > 8
    assert len(out["messages"]) == 402
    assert out["messages"][-1].text == "Done."
    assert len(model.requests) == 201
    assert all(map(has_system_and_task, model.requests))
    assert len(watcher.compactions) >= 8
    assert watcher.bodies("audit.signals")
    assert not watcher.failures
    assert "turnfold" not in out


def test_it_runs_in_an_event_loop_with_a_model_that_is_awaited() -> None:
    """Would catch: a summary that blocks the loop, because the model was invoked in it."""
    model, writer = Loop(turns=60, window=WINDOW), Summaries(answers=[SUMMARY])
    middleware = summarizing(writer)
    agent = agent_of(model, middleware)
    out = asyncio.run(agent.ainvoke(asked(), config()))
    assert len(out["messages"]) == 122
    assert writer.awaited == len(writer.prompts) > 0
    assert all(map(has_system_and_task, model.requests))


@pytest.mark.parametrize("mode", ["updates", "values", "messages"])
def test_streaming_shows_the_agent_and_no_summary(mode: Any) -> None:
    """Would catch: tokens of a summary, or a step of its own, in what an agent streams."""
    model, writer = Loop(turns=40, window=WINDOW), Summaries(answers=[SUMMARY])
    middleware = summarizing(writer)
    parts = list(agent_of(model, middleware).stream(asked(), config(), stream_mode=mode))
    assert writer.prompts
    if mode == "messages":
        assert "".join(part[0].text for part in parts[-2:]) == "Done."
        assert not any(SUMMARY in str(part) for part in parts)
    if mode == "values":
        assert not any(SUMMARY in str(part["messages"]) for part in parts)
    if mode == "updates":
        assert {key for part in parts for key in part} == {"model", "tools"}


def test_streaming_in_an_event_loop_shows_no_summary() -> None:
    """Would catch: the tag that hides a model from a stream lost on the awaited way."""
    model, writer = Loop(turns=40, window=WINDOW), Summaries(answers=[SUMMARY])
    middleware = summarizing(writer)

    async def streamed() -> list[Any]:
        stream = agent_of(model, middleware).astream(asked(), config(), stream_mode="messages")
        return [part async for part in stream]

    parts = asyncio.run(streamed())
    assert writer.prompts
    assert "".join(part[0].text for part in parts[-2:]) == "Done."
    assert not any(SUMMARY in str(part) for part in parts)


def test_parallel_calls_stay_with_their_results() -> None:
    """Would catch (A4): a batch of calls that lost one of its results."""
    model = Loop(turns=120, window=WINDOW, parallel=3)
    out = agent_of(model, CompactionMiddleware(WINDOW)).invoke(asked(), config())
    assert out["messages"][-1].text == "Done."
    assert len(model.requests) == 41
    assert all(map(has_system_and_task, model.requests))


def test_reasoning_behind_an_edit_is_not_sent() -> None:
    """Would catch (B1, B2): signed thinking whose prefix is another; the history keeps all."""
    model = Loop(turns=60, window=WINDOW, thinks=True)
    out = agent_of(model, CompactionMiddleware(WINDOW)).invoke(asked(), config())
    thoughts = [each for each in out["messages"] if "thinking" in str(each.content)]
    assert len(thoughts) == 61
    for request in model.requests:
        kept = [each for each in request if each in out["messages"]]
        for message in request:
            if isinstance(message, AIMessage) and "signature" in str(message.content):
                assert message in kept, "a signed message was changed"


class Claude(Loop):
    """A model that has its provider think, in the words of `ChatAnthropic`."""

    thinking: dict[str, Any] | None = None
    additional_model_request_fields: dict[str, Any] | None = None


FIXED = {"type": "enabled", "budget_tokens": 1_024}


@pytest.mark.parametrize(
    ("model", "settings", "is_kept"),
    [
        ({"thinking": FIXED}, {}, True),
        ({"additional_model_request_fields": {"thinking": FIXED}}, {}, True),
        ({"thinking": {"type": "adaptive"}}, {}, False),
        ({}, {}, False),
        ({"thinking": FIXED}, {"reasoning": "strip_after_edit"}, False),
    ],
)
def test_thinking_within_a_fixed_budget_goes_back(
    model: dict[str, Any],
    settings: Any,
    is_kept: bool,  # noqa: FBT001
) -> None:
    """B2. Would catch: a tool loop without its thinking, which older Claude models refuse."""
    claude = Claude(turns=60, window=WINDOW, thinks=True, **model)
    agent_of(claude, CompactionMiddleware(WINDOW, **settings)).invoke(asked(), config())
    last = [each for each in claude.requests[-1] if isinstance(each, AIMessage)]
    assert len(last) < 60
    whole = [each for each in last if each.tool_calls and "signature" in str(each.content)]
    assert (len(whole) == len([each for each in last if each.tool_calls])) is is_kept


def test_a_thread_that_goes_on_with_another_model_is_not_compacted_again() -> None:
    """Would catch: two models with two states, and a summary that is paid for twice."""
    saver, writer = InMemorySaver(), Summaries(answers=[SUMMARY])
    middleware = summarizing(writer)
    first = Claude(turns=30, window=WINDOW, thinks=True)
    agent_of(first, middleware, saver).invoke(asked(), config())
    before = len(writer.prompts)
    then = Claude(turns=0, window=WINDOW, thinks=True, thinking=FIXED)
    agent_of(then, middleware, saver).invoke({"messages": [HumanMessage("Go on.")]}, config())
    assert before > 0
    assert len(writer.prompts) == before
    assert SUMMARY in str(then.requests[-1])


def test_the_stored_history_is_as_it_was() -> None:
    """Would catch: a message that was masked where it stands."""
    saver = InMemorySaver()
    model = Loop(turns=40, window=WINDOW)
    agent = agent_of(model, CompactionMiddleware(WINDOW), saver)
    seen: list[Any] = []
    for part in agent.stream(asked(), config(), stream_mode="values"):
        assert part["messages"][: len(seen)] == seen
        seen = copy.deepcopy(part["messages"])
    assert agent.get_state(config()).values["messages"] == seen
    assert agent.get_state(config()).values["turnfold"]["schema"].startswith("turnfold.")


def test_a_new_process_goes_on_without_a_second_summary() -> None:
    """Would catch: a state that is not stored, or not read, so that a span is paid for twice."""
    saver, writer = InMemorySaver(), Summaries(answers=[SUMMARY])
    first = Loop(turns=30, window=WINDOW)
    middleware = summarizing(writer)
    agent_of(first, middleware, saver).invoke(asked(), config())
    before, last = len(writer.prompts), first.requests[-1]
    assert before > 0
    state = agent_of(first, middleware, saver).get_state(config()).values["turnfold"]
    assert json.loads(json.dumps(state)) == state

    restarted = pickle.loads(pickle.dumps(dict(saver.storage)))  # noqa: S301  Written above.
    fresh = InMemorySaver()
    for thread, spaces in restarted.items():
        for space, checkpoints in spaces.items():
            fresh.storage[thread][space] = checkpoints
    fresh.blobs = pickle.loads(pickle.dumps(saver.blobs))  # noqa: S301
    second = Loop(turns=0, window=WINDOW)
    again = summarizing(writer)
    agent_of(second, again, fresh).invoke(asked("And now?"), config())
    assert len(writer.prompts) == before
    (request,) = second.requests
    assert request[: len(last)] == last
    assert request[-1].text == "And now?"


def test_threads_do_not_mix() -> None:
    """Would catch: one conversation for all that go through one middleware."""
    saver, watcher = InMemorySaver(), Watcher()
    model = Loop(turns=10_000, window=WINDOW)
    agent = agent_of(model, CompactionMiddleware(WINDOW, observers=[watcher]), saver)
    for step in range(3):
        for thread in ("a", "b", "c"):
            model.turns = model.made + 12
            agent.invoke(asked(f"{thread}: task {step}"), config(thread))
            said = [each.text for each in model.requests[-1] if isinstance(each, HumanMessage)]
            own = [text for text in said if ": task" in text]
            assert own[0] == f"{thread}: task 0"
            assert {text[0] for text in own} == {thread}
    assert {each.conversation for each in watcher.events} == {"a", "b", "c"}


def test_an_agent_that_waits_for_a_person_goes_on() -> None:
    """Would catch: an interrupt after a compaction that loses it, or a call without a result."""
    saver, writer = InMemorySaver(), Summaries(answers=[SUMMARY])
    model = Loop(turns=24, window=WINDOW)
    middleware = summarizing(writer)
    person = HumanInTheLoopMiddleware({"read_file": True})
    agent = agent_of(model, middleware, saver, [person])
    out = agent.invoke(asked(), config())
    rounds = 0
    while agent.get_state(config()).next:
        rounds += 1
        decision = {"decisions": [{"type": "approve"}]}
        if rounds == 20:
            middleware = summarizing(writer)
            agent = agent_of(model, middleware, saver, [person])
        before = len(writer.prompts)
        out = agent.invoke(Command(resume=decision), config())
        assert rounds != 20 or len(writer.prompts) == before
    assert rounds == 24
    assert writer.prompts
    assert out["messages"][-1].text == "Done."


def test_a_fork_from_an_earlier_checkpoint_has_the_state_of_then() -> None:
    """Would catch: what a conversation came to later, used for an earlier point of it."""
    saver, writer = InMemorySaver(), Summaries(answers=[SUMMARY])
    model = Loop(turns=40, window=WINDOW)
    agent = agent_of(model, summarizing(writer), saver)
    agent.invoke(asked(), config())
    history = [each for each in agent.get_state_history(config()) if each.next == ("model",)]
    states = {json.dumps(each.values.get("turnfold")) for each in history}
    assert len(states) == len(writer.prompts) + 1
    assert len(states) >= 3
    wrapped = [each for each in history if each.values.get("turnfold")]
    earlier = wrapped[-1]  # The oldest, just behind the first compaction.
    assert earlier.values["turnfold"] != wrapped[0].values["turnfold"]
    model.turns = model.made
    before = len(writer.prompts)
    agent.invoke(None, earlier.config)
    assert len(writer.prompts) == before
    assert len(model.requests[-1]) < len(earlier.values["messages"])


@pytest.mark.parametrize("retries_inside", [True, False])
def test_a_model_that_fails_after_a_compaction_does_not_pay_for_it_twice(
    *, retries_inside: bool
) -> None:
    """Would catch: a summary that is thrown away because the call behind it failed."""
    plain = Loop(turns=40, window=WINDOW)
    agent_of(plain, summarizing(Summaries(answers=[SUMMARY]))).invoke(asked(), config())
    lengths = [len(each) for each in plain.requests]
    at = next(n for n in range(1, 40) if lengths[n] < lengths[n - 1])
    saver, writer = InMemorySaver(), Summaries(answers=[SUMMARY])
    model = Loop(turns=at, window=WINDOW, fails_at=(at + 1,))
    middleware = summarizing(writer)
    retry = [ModelRetryMiddleware(initial_delay=0.0, jitter=False)] if retries_inside else []
    agent = agent_of(model, middleware, saver, retry)
    if retries_inside:
        agent.invoke(asked(), config())
    else:
        with pytest.raises(ConnectionError):
            agent.invoke(asked(), config())
        assert agent.get_state(config()).values.get("turnfold") is None
        agent.invoke(None, config())
    assert model.arrived == at + 2
    assert len(writer.prompts) == 1
    assert agent.get_state(config()).values["turnfold"] is not None


def test_the_system_prompt_and_the_tools_count() -> None:
    """Would catch: a prompt beside the messages that takes the room that they were fitted into."""
    model = Loop(turns=60, window=WINDOW)
    agent = create_agent(
        model,
        [read_file],
        system_prompt=f"{SYSTEM} {'Be careful with tables. ' * 200}",
        middleware=[CompactionMiddleware(WINDOW)],
    )
    out = agent.invoke(asked(), config())
    assert out["messages"][-1].text == "Done."


def test_a_prompt_that_changes_each_time_costs_no_second_look() -> None:
    """Would catch: a date in the system prompt that has the whole history read for each call."""
    middleware = CompactionMiddleware(10**6)
    model = Loop(turns=5, window=10**6)
    dialect: Any = middleware.compaction.compactor.dialect
    weigh, weighed = dialect.weight, []

    def counting(message: Any) -> int:
        weighed.append(message)
        return int(weigh(message))

    dialect.weight = counting
    stamps = iter(range(100, 200))

    @dynamic_prompt  # type: ignore[untyped-decorator]
    def dated(_request: Any) -> str:
        return f"{SYSTEM} It is {next(stamps)}."

    out = create_agent(model, [read_file], middleware=[dated, middleware]).invoke(asked())
    assert len(weighed) == len(out["messages"]) - 1  # Each once; the last answer was not sent.


def test_a_budget_that_nothing_fits_into_is_said_and_costs_nobody_the_conversation() -> None:
    """Would catch: an error of compaction that stops an agent which `pass` promised to go on."""
    model, watcher = Loop(turns=3, window=10**6), Watcher()
    budget = CompactionBudget(100, protected_recent_turns=50)
    agent_of(model, CompactionMiddleware(budget, observers=[watcher])).invoke(asked(), config())
    assert model.arrived == 4
    assert watcher.failures[0]["code"] == "budget_unsatisfiable"


def test_a_state_that_cannot_be_read_is_said_and_left() -> None:
    """Would catch: a checkpoint of another version that no run gets past."""
    watcher = Watcher()
    middleware = CompactionMiddleware(WINDOW, observers=[watcher])
    fitted = middleware.compaction.fit([HumanMessage(TASK)], {"schema": "turnfold.conversation/0"})
    assert fitted.state is None
    assert len(fitted.messages) == 1
    assert len(watcher.failures) == 1


def test_kept_tool_messages_are_the_same_objects() -> None:
    """Would catch: messages that are written and read again though nothing in them changed."""
    seen: list[Any] = []
    compaction = CompactionMiddleware(WINDOW).compaction
    history: list[Any] = [HumanMessage(TASK, id="h")]
    state = None
    for number in range(40):
        call = {"name": "read_file", "args": {}, "id": f"c{number}"}
        history.append(AIMessage("", tool_calls=[call], id=f"a{number}"))
        history.append(ToolMessage("row\n" * 100, tool_call_id=f"c{number}", id=f"t{number}"))
        seen, state = compaction.fit(history, state)
    originals = {id(each) for each in history}
    assert [id(each) in originals for each in seen[-4:]] == [True] * 4
    assert seen[0] is history[0]


@pytest.mark.parametrize("how", ["invoke", "ainvoke", "astream"])
def test_a_refusal_for_length_costs_one_request_more(how: str) -> None:
    """J10, E11. Would catch: a dead run where an estimate is too low, or a second refusal."""
    model, watcher = Loop(turns=40, window=WINDOW), Watcher()
    middleware = CompactionMiddleware(WINDOW, estimator=too_low, observers=[watcher])
    saver = InMemorySaver()
    agent = agent_of(model, middleware, saver)

    async def stream() -> None:
        async for _ in agent.astream(asked(), config(), stream_mode="messages"):
            pass

    if how == "invoke":
        agent.invoke(asked(), config())
    elif how == "ainvoke":
        asyncio.run(agent.ainvoke(asked(), config()))
    else:
        asyncio.run(stream())
    assert len(model.requests) == 41
    refused = model.arrived - len(model.requests)
    assert 1 <= refused <= 2
    assert len(watcher.overflows) == refused
    assert watcher.overflows[0]["limit"] < watcher.overflows[0]["tokens_estimated"] < WINDOW
    assert all(map(has_system_and_task, model.requests))
    assert agent.get_state(config()).values["turnfold"]["covered"] > 2


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_refusal_that_no_compaction_helps_is_raised(is_async: bool) -> None:  # noqa: FBT001
    """Would catch: a retry for ever, or an error of ours in the place of the model's."""
    model, watcher = Loop(turns=4, window=20), Watcher()
    agent = agent_of(model, CompactionMiddleware(WINDOW, observers=[watcher]))
    with pytest.raises(ContextOverflowError):
        asyncio.run(agent.ainvoke(asked(), config())) if is_async else agent.invoke(
            asked(), config()
        )
    assert model.arrived == 1
    assert len(watcher.overflows) == 1


def test_another_error_of_the_model_is_raised_at_once() -> None:
    model, watcher = Loop(turns=4, window=WINDOW, fails_at=(1,)), Watcher()
    agent = agent_of(model, CompactionMiddleware(WINDOW, observers=[watcher]))
    with pytest.raises(ConnectionError):
        agent.invoke(asked(), config())
    assert watcher.overflows == []


def test_what_a_refusal_led_to_is_stored() -> None:
    """Would catch: a checkpoint that lacks what the second request was made of."""
    model, saver = Loop(turns=0, window=WINDOW), InMemorySaver()
    middleware = CompactionMiddleware(WINDOW, estimator=too_low, observers=[])
    said: list[Any] = [HumanMessage(TASK)]
    for number in range(16):
        said += [AIMessage(f"Part {number} is ported. " * 50), HumanMessage("Go on.")]
    agent = agent_of(model, middleware, saver)
    agent.invoke({"messages": said}, config())
    assert (model.arrived, len(model.requests)) == (2, 1)
    assert agent.get_state(config()).values["turnfold"]["covered"] == len(said)
