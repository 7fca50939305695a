"""A session gives what fits, and the one that it is made of keeps everything."""

# ruff: noqa: ANN401  Items are dicts, and the classes of the SDK are many.

import asyncio
import copy
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

pytest.importorskip("agents")

from agents import OpenAIConversationsSession, RunConfig, Runner, SessionSettings, SQLiteSession
from agents.memory import OpenAIResponsesCompactionSession, Session

from tests.integration.openai_agents.fakes import (
    STEPS,
    SUMMARIZING,
    SUMMARY,
    TASK,
    WINDOW,
    Summaries,
    agent_of,
    assert_all_was_valid,
    call_of,
    exchange,
    history,
)
from tests.integration.watcher import Watcher
from turnfold import formats
from turnfold.errors import InvalidConfiguration
from turnfold.integrations.openai_agents import CompactingSession
from turnfold.testing.provider import FakeProvider, tool_loop

BUDGET = 1_500
Got = TypeVar("Got")


class Kept:
    """A session in memory that can be told to fail."""

    session_id = "kept"
    session_settings = None

    def __init__(self, items: list[Any] | None = None) -> None:
        self.items = list(items or ())
        self.fails: set[str] = set()

    async def get_items(self, limit: int | None = None) -> list[Any]:
        self._fail("get")
        return copy.deepcopy(self.items if limit is None else self.items[-limit:])

    async def add_items(self, items: list[Any]) -> None:
        self.items += items[:1]
        self._fail("add")
        self.items += items[1:]

    async def pop_item(self) -> Any:
        return self.items.pop() if self.items else None

    async def clear_session(self) -> None:
        self.items.clear()

    def _fail(self, what: str) -> None:
        if what in self.fails:
            self.fails.remove(what)
            raise ConnectionError(what)


class Watched(Kept):
    """A session that wants to know the run."""

    def __init__(self) -> None:
        super().__init__()
        self.wrappers: list[Any] = []

    async def get_items(self, limit: int | None = None, *, wrapper: Any = None) -> list[Any]:
        self.wrappers.append(wrapper)
        return await super().get_items(limit)

    async def add_items(self, items: list[Any], *, wrapper: Any = None) -> None:
        self.wrappers.append(wrapper)
        await super().add_items(items)

    async def pop_item(self, *, wrapper: Any = None) -> Any:
        self.wrappers.append(wrapper)
        return await super().pop_item()

    async def clear_session(self, *, wrapper: Any = None) -> None:
        self.wrappers.append(wrapper)
        await super().clear_session()


def in_loop(coroutine: Coroutine[Any, Any, Got]) -> Got:
    return asyncio.run(coroutine)


def compacting(session: Any, *, watcher: Watcher | None = None, **options: Any) -> Any:
    observers = [watcher] if watcher else []
    return CompactingSession(session, BUDGET, observers=observers, **{**SUMMARIZING, **options})


async def run(provider: FakeProvider, session: Any, text: str, *, streams: bool) -> Any:
    agent = agent_of(provider)
    config = RunConfig(call_model_input_filter=session.model_input_filter)
    options: Any = {"session": session, "run_config": config, "max_turns": STEPS + 2}
    if not streams:
        return await Runner.run(agent, text, **options)
    result = Runner.run_streamed(agent, text, **options)
    async for _ in result.stream_events():
        pass
    return result


@pytest.mark.parametrize("streams", [False, True])
def test_a_restart_pays_for_no_summary_twice(streams: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Would catch: a state that is lost with the process, items that are lost at all."""
    path, writer, watcher = tmp_path / "chat.db", Summaries(), Watcher()
    written = []
    with FakeProvider(tool_loop(STEPS, reasoning=True, parallel=2), window=WINDOW) as provider:
        for text in (TASK, "And now?"):
            kept, states = SQLiteSession("one", path), SQLiteSession("one.turnfold", path)
            session = CompactingSession(
                kept,
                WINDOW,
                state_session=states,
                model=writer,
                observers=[watcher],
                **SUMMARIZING,
            )
            in_loop(run(provider, session, text, streams=streams))
            written.append(len(writer.prompts))
            items = in_loop(kept.get_items())
            kept.close()
            states.close()
        assert_all_was_valid(provider)
        assert SUMMARY in json.dumps(provider.requests[-1].body)
    assert written[0] >= 1
    assert written[1] == written[0], "a summary was written again"
    outputs = [each for each in items if each.get("type") == "function_call_output"]
    assert len(outputs) == STEPS
    assert all("compute" in each["output"] for each in outputs)
    assert SUMMARY not in json.dumps(items)
    assert not watcher.failures
    assert {each.conversation for each in watcher.events} == {"one"}


def test_a_run_that_grows_goes_on_with_what_the_last_one_compacted(tmp_path: Path) -> None:
    """Would catch: two conversations where there is one, each with summaries of its own."""
    writer, watcher = Summaries(), Watcher()
    kept = SQLiteSession("one", tmp_path / "chat.db")
    session = CompactingSession(kept, WINDOW, model=writer, observers=[watcher], **SUMMARIZING)
    with FakeProvider(window=WINDOW) as provider:
        for text in (TASK, "And now?", "And then?"):
            provider.replies = tool_loop(28, reasoning=True, parallel=2)
            in_loop(run(provider, session, text, streams=False))
        assert_all_was_valid(provider)
    kept.close()
    assert len(watcher.compactions) >= 2
    assert not watcher.failures
    before = [each["tokens_before"] for each in watcher.compactions]
    assert max(before) < 1.2 * WINDOW, "a history was compacted from its beginning"


def test_items_fit_and_those_that_are_kept_stay() -> None:
    """Would catch: a session that gives more than asked for, or changes what is kept."""
    items = history(range(12))
    kept = Kept(items)
    session = compacting(kept)
    given = in_loop(session.get_items())
    assert "conversation_summary" in str(given)
    assert formats.check(given, format="openai-responses") == ()
    assert kept.items == items
    assert in_loop(session.get_items(3)) == items[-3:]
    assert isinstance(session, Session)
    assert session.session_id == "kept"


def test_the_settings_of_the_session_are_heeded() -> None:
    """Would catch: a limit that is set and not seen by the runner."""
    kept = SQLiteSession("any", session_settings=SessionSettings(limit=4))
    session = compacting(kept)
    assert session.session_settings.limit == 4
    session.session_settings = SessionSettings(limit=5)
    assert kept.session_settings.limit == 5
    kept.close()


def test_what_the_sdk_notes_in_items_is_not_sent() -> None:
    """Would catch: keys that the provider does not know, in an item that was masked."""
    items = history(range(12))
    for each in items[1:]:
        each["created_by"] = "agent"
        each["_agents_tool_title"] = "Read"
    kept = Kept(items)
    session = compacting(kept)

    async def both() -> Any:
        given = await session.get_items()
        sent = await session.model_input_filter(call_of([*given, *exchange(12)]))
        return given, sent.input

    given, sent = in_loop(both())
    assert "created_by" not in str((given, sent))
    assert "_agents" not in str((given, sent))
    assert "created_by" in str(kept.items)


def test_items_that_are_replaced_are_those_that_fit(tmp_path: Path) -> None:
    """Would catch: `rewrite` that rewrites nothing, or what it should not."""
    writer, watcher = Summaries(), Watcher()
    kept = SQLiteSession("one", tmp_path / "chat.db")
    with FakeProvider(window=WINDOW) as provider:
        for text in (TASK, "And now?", "And then?"):
            provider.replies = tool_loop(14, reasoning=True, parallel=2)
            session = CompactingSession(
                kept, WINDOW, rewrite=True, model=writer, observers=[watcher], **SUMMARIZING
            )
            in_loop(run(provider, session, text, streams=False))
        items = in_loop(session.get_items())
        assert_all_was_valid(provider)
    assert in_loop(kept.get_items()) == items
    kept.close()
    assert SUMMARY in json.dumps(items)
    assert formats.parse(items).transcript.token_estimate() <= WINDOW
    assert not watcher.failures


def test_items_that_a_limit_hides_are_not_replaced() -> None:
    """Would catch: a history of which nothing is left but what a setting showed."""
    kept = SQLiteSession("any", session_settings=SessionSettings(limit=30))
    items = history(range(20))
    in_loop(kept.add_items(items))
    in_loop(compacting(kept, rewrite=True).get_items())
    assert in_loop(kept.get_items(1_000)) == items
    kept.close()


def test_a_replacement_that_fails_is_undone() -> None:
    """Would catch: a session that is empty since its database was down for a moment."""
    items, watcher = history(range(12)), Watcher()
    kept = Kept(items)
    kept.fails = {"add"}
    session = compacting(kept, rewrite=True, watcher=watcher)
    given = in_loop(session.get_items())
    assert kept.items == items
    assert "conversation_summary" in str(given)
    assert [each["code"] for each in watcher.failures] == ["session_failed"]


def test_items_that_came_meanwhile_are_kept() -> None:
    """L2. Would catch: a session that is replaced by what it was when a summary was begun."""
    late = {"role": "user", "content": "And the tests."}

    async def both(session: Any, kept: Kept) -> Any:
        given, _ = await asyncio.gather(session.get_items(), later(kept))
        return given

    async def later(kept: Kept) -> None:
        await asyncio.sleep(0.1)
        await kept.add_items([late])

    for rewrite in (True, False):
        kept = Kept(history(range(12)))
        session = compacting(kept, rewrite=rewrite, model=Summaries(waits=0.4))
        in_loop(both(session, kept))
        assert kept.items[-1] == late
        assert in_loop(session.get_items())[-1] == late


def test_a_caller_who_gives_up_leaves_no_half_of_it() -> None:
    """Would catch: a session that was cleared, and not filled again."""
    items = history(range(12))

    class Slow(Kept):
        async def add_items(self, items: list[Any]) -> None:
            cleared.set()
            await asyncio.sleep(0.2)
            await super().add_items(items)

    async def given_up(session: Any, kept: Kept) -> None:
        task = asyncio.create_task(session.get_items())
        await cleared.wait()
        assert not kept.items
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    cleared = asyncio.Event()
    kept = Slow(items)
    in_loop(given_up(compacting(kept, rewrite=True), kept))
    assert kept.items[-1] == items[-1]


def test_a_session_that_is_cleared_begins_anew() -> None:
    """Would catch: the summary of a conversation that the user has deleted."""
    kept, states = Kept(history(range(12))), Kept()
    session = compacting(kept, state_session=states, model=Summaries())
    in_loop(session.get_items())
    assert SUMMARY in str(states.items)
    session = compacting(kept, state_session=states, model=Summaries())
    in_loop(session.clear_session())
    assert not kept.items
    assert not states.items
    in_loop(session.add_items(history((1,))))
    assert in_loop(session.get_items()) == kept.items


def test_an_item_that_is_taken_back_is_gone() -> None:
    """Would catch: a summary that still tells of what was taken back."""
    kept = Kept(history(range(12)))
    session = compacting(kept)
    in_loop(session.add_items([{"role": "user", "content": "Push it."}]))
    assert "Push it." in str(in_loop(session.get_items()))
    in_loop(session.pop_item())
    given = in_loop(session.get_items())
    assert "Push it." not in str(given)
    assert given[-1] == kept.items[-1]


@pytest.mark.parametrize("what", ["get", "add"])
def test_a_state_that_cannot_be_kept_costs_nobody_a_run(what: str) -> None:
    """Would catch: an error of a database that ends a run, though nothing is lost."""
    states, watcher = Kept(), Watcher()
    states.fails = {what}
    session = compacting(Kept(history(range(12))), state_session=states, watcher=watcher)
    assert "conversation_summary" in str(in_loop(session.get_items()))
    assert len(watcher.failures) == 1
    in_loop(session.get_items())
    assert states.items


def test_a_state_of_another_version_is_told() -> None:
    """Would catch: a run that ends since an older version wrote its state."""
    states, watcher = Kept([{"role": "system", "content": '{"schema": "other/9"}'}]), Watcher()
    session = compacting(Kept(history(range(12))), state_session=states, watcher=watcher)
    assert "conversation_summary" in str(in_loop(session.get_items()))
    assert "other/9" in watcher.failures[0]["message"]


def test_a_session_that_wants_to_know_the_run_is_told() -> None:
    """Would catch: a context that gets lost on the way to the session."""
    kept = Watched()
    session = compacting(kept)
    with FakeProvider(tool_loop(1)) as provider:
        in_loop(run(provider, session, TASK, streams=False))
    assert kept.wrappers
    assert None not in kept.wrappers


def test_a_session_that_compacts_itself_is_refused() -> None:
    """Would catch: two that compact one history."""
    for session in (
        OpenAIConversationsSession(conversation_id="any", openai_client=object()),
        OpenAIResponsesCompactionSession("any", Kept(), client=object()),
    ):
        with pytest.raises(InvalidConfiguration, match="wrap the session"):
            compacting(session)
