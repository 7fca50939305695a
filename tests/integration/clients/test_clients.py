"""The providers' own clients send histories that fit and that the provider accepts."""

import asyncio
import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.integration.watcher import Watcher, too_low
from turnfold.errors import InvalidConfiguration
from turnfold.fulfil import SummaryJob
from turnfold.integrations import Event
from turnfold.integrations import anthropic as for_anthropic
from turnfold.integrations import openai as for_openai
from turnfold.testing.provider import FakeProvider, Reply, tool_loop

openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

TASK = "Read all parts. Never change one."
RESULT = "def part(number): return number\n" * 40
STEPS = 36
WINDOW, BUDGET = 2_800, 2_200

Messages = list[Any]


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    with FakeProvider(tool_loop(STEPS), window=WINDOW) as server:
        yield server


class Chat:
    """Chat completions."""

    tools = ({"type": "function", "function": {"name": "read_file", "parameters": {}}},)
    kind, asynchronous = "OpenAI", "AsyncOpenAI"
    compacting = staticmethod(for_openai.compacting)
    history: Messages = [  # noqa: RUF012
        {"role": "system", "content": "You are careful."},
        {"role": "user", "content": TASK},
    ]

    def ask(self, client: Any, history: Messages, **more: Any) -> Any:  # noqa: ANN401
        return client.chat.completions.create(
            model="any", messages=history, tools=list(self.tools), **more
        )

    def take(self, answer: Any, history: Messages) -> bool:  # noqa: ANN401
        message = answer.choices[0].message
        history.append(message)
        for call in message.tool_calls or ():
            history.append({"role": "tool", "tool_call_id": call.id, "content": RESULT})
        return not message.tool_calls


class Responses:
    """Responses, with reasoning."""

    tools = ({"type": "function", "name": "read_file", "parameters": {}},)
    kind, asynchronous = "OpenAI", "AsyncOpenAI"
    compacting = staticmethod(for_openai.compacting)
    history: Messages = [{"role": "user", "content": TASK}]  # noqa: RUF012

    def ask(self, client: Any, history: Messages, **more: Any) -> Any:  # noqa: ANN401
        return client.responses.create(
            model="any", input=history, instructions="Be careful.", tools=list(self.tools), **more
        )

    def take(self, answer: Any, history: Messages) -> bool:  # noqa: ANN401
        history += answer.output
        calls = [each for each in answer.output if each.type == "function_call"]
        for call in calls:
            output = {"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
            history.append(output)
        return not calls


class Claude:
    """Anthropic messages."""

    tools = ({"name": "read_file", "input_schema": {"type": "object"}},)
    kind, asynchronous = "Anthropic", "AsyncAnthropic"
    compacting = staticmethod(for_anthropic.compacting)
    history: Messages = [{"role": "user", "content": TASK}]  # noqa: RUF012

    def ask(self, client: Any, history: Messages, **more: Any) -> Any:  # noqa: ANN401
        return client.messages.create(
            model="any",
            max_tokens=100,
            system="Be careful.",
            messages=history,
            tools=list(self.tools),
            **more,
        )

    def take(self, answer: Any, history: Messages) -> bool:  # noqa: ANN401
        history.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if calls:
            content = [
                {"type": "tool_result", "tool_use_id": call.id, "content": RESULT} for call in calls
            ]
            history.append({"role": "user", "content": content})
        return not calls


APIS: list[Any] = [Chat(), Responses(), Claude()]
each_api = pytest.mark.parametrize("api", APIS, ids=lambda api: type(api).__name__)


def client_of(api: Any, provider: FakeProvider, *, is_async: bool = False) -> Any:  # noqa: ANN401
    name = api.asynchronous if is_async else api.kind
    module, path = (openai, "/v1") if "OpenAI" in name else (anthropic, "")
    return getattr(module, name)(
        base_url=provider.base_url + path, api_key="any", max_retries=0, timeout=60
    )


def assert_all_was_valid(provider: FakeProvider) -> None:
    assert [each.faults for each in provider.refused] == []
    for request in provider.requests:
        body = request.body
        assert isinstance(body, dict)
        assert TASK in str(body.get("messages") or body.get("input"))
        assert "careful" in str(body)


@each_api
def test_a_tool_loop_runs_to_its_end(api: Any, provider: FakeProvider) -> None:  # noqa: ANN401
    """R2, B. Would catch: an orphan, a window that is full, a prompt or a task that is gone."""
    events: list[Event] = []
    client = api.compacting(client_of(api, provider), BUDGET, observers=[events.append])
    history = copy.copy(api.history)
    while not api.take(api.ask(client, history), history):
        pass
    assert_all_was_valid(provider)
    assert len(provider.requests) == STEPS + 1
    assert len(history) > 2 * STEPS, "the caller's own history is whole"
    assert len([each for each in events if each.name == "context.compacted"]) >= 3
    assert not [each for each in events if each.name == "context.compaction_failed"]


@each_api
def test_an_asynchronous_loop_with_an_asynchronous_writer(
    api: Any,  # noqa: ANN401
    provider: FakeProvider,
) -> None:
    asked: list[str] = []

    async def write(job: SummaryJob) -> str:
        asked.append(job.request.group_id)
        await asyncio.sleep(0)
        return f"{TASK} The parts were read."

    async def main() -> None:
        client = api.compacting(client_of(api, provider, is_async=True), BUDGET, write=write)
        history = copy.copy(api.history)
        while not api.take(await api.ask(client, history), history):
            pass
        await client.close()

    asyncio.run(main())
    assert_all_was_valid(provider)
    assert asked
    assert len(set(asked)) == len(asked), "no span is paid for twice"


def streamed(api: Any, client: Any, history: Messages) -> Any:  # noqa: ANN401
    """Ask in the streaming way of each client, and return the whole answer."""
    tools = list(api.tools)
    if isinstance(api, Chat):
        with client.chat.completions.stream(model="any", messages=history, tools=tools) as stream:
            return stream.get_final_completion()
    if isinstance(api, Responses):
        with client.responses.stream(
            model="any", input=history, tools=tools, instructions="Be careful."
        ) as stream:
            return stream.get_final_response()
    with client.messages.stream(
        model="any", max_tokens=100, system="Be careful.", messages=history, tools=tools
    ) as stream:
        return stream.get_final_message()


@each_api
def test_streams_pass_the_same_door(api: Any, provider: FakeProvider) -> None:  # noqa: ANN401
    """Would catch: a way to call the client that is not fitted."""
    client = api.compacting(client_of(api, provider), BUDGET, observers=())
    history = copy.copy(api.history)
    while not api.take(streamed(api, client, history), history):
        pass
    assert_all_was_valid(provider)
    assert len(provider.requests) == STEPS + 1


@each_api
def test_a_copy_of_the_client_is_fitted_and_the_client_is_not_changed(
    api: Any,  # noqa: ANN401
    provider: FakeProvider,
) -> None:
    plain = client_of(api, provider)
    client = api.compacting(plain, BUDGET, observers=()).with_options(timeout=30)
    assert isinstance(client, type(plain))
    history = copy.copy(api.history)

    def run_to_the_end() -> None:
        while not api.take(api.ask(plain, history), history):
            pass

    with pytest.raises((openai.BadRequestError, anthropic.BadRequestError)):
        run_to_the_end()
    api.ask(client, history)
    assert provider.requests[-1].status == 200


def long_history() -> Messages:
    """A history that is compacted where nobody else does it."""
    messages: Messages = [{"role": "user", "content": TASK}]
    for number in range(12):
        messages.append({"role": "assistant", "content": f"Part {number} is there. " * 60})
        messages.append({"role": "user", "content": f"Go on with part {number}."})
    return messages


@pytest.mark.parametrize(
    "more",
    [
        {"user": "any"},
        {"previous_response_id": None},
        {"conversation": None},
        {"context_management": [{"type": "compaction", "compact_threshold": 1_000}]},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_openai_keeps_or_compacts_itself_is_left_alone(more: dict[str, Any]) -> None:
    """Would catch: two that compact one history."""
    with FakeProvider(lambda request: Reply("fine")) as provider:  # noqa: ARG005
        client = for_openai.compacting(client_of(APIS[1], provider), BUDGET, observers=())
        is_ours, items = "user" in more, long_history()
        if "previous_response_id" in more:
            more["previous_response_id"] = client.responses.create(model="any", input="Hi.").id
        if "conversation" in more:
            more["conversation"] = client.conversations.create().id
        client.responses.create(model="any", input=items, extra_body=more)
        assert (provider.requests[-1].body["input"] != items) is is_ours


def test_a_history_with_references_fits_and_is_accepted() -> None:
    """Would catch: a result that is left out, as its call is only referred to."""
    tool = {"type": "function", "name": "read_file", "parameters": {"type": "object"}}
    with FakeProvider(tool_loop(20, reasoning=True), window=WINDOW) as provider:
        client = for_openai.compacting(client_of(APIS[1], provider), BUDGET, observers=())
        history: Messages = [{"role": "user", "content": TASK}]
        for number in range(20):
            answer = client.responses.create(
                model="any", input=history, tools=[tool], reasoning={"effort": "low"}
            )
            for item in answer.output:
                is_old = number < 3
                named = {"type": "item_reference", "id": item.id}
                history.append(named if is_old else item.model_dump(exclude_none=True))
            call_id = answer.output[-1].call_id
            output = {"type": "function_call_output", "call_id": call_id, "output": "line\n" * 60}
            history += [output, {"role": "user", "content": f"Mind rule {number}. " * 20}]
        last = provider.requests[-1].body["input"]
    assert not provider.refused
    assert len(last) < len(history) - 20
    assert [each for each in last if each in history[:10] and "role" not in each] == [
        each for each in history[:10] if "role" not in each
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {"user_id": "any"}},
        {"context_management": {"edits": [{"type": "compact_20260112"}]}},
        {"compaction": {"type": "summarize"}},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_anthropic_compacts_itself_is_left_alone(more: dict[str, Any]) -> None:
    with FakeProvider(lambda request: Reply("fine")) as provider:  # noqa: ARG005
        client = for_anthropic.compacting(client_of(APIS[2], provider), BUDGET, observers=())
        is_ours, messages = "metadata" in more, long_history()
        client.messages.create(model="any", max_tokens=10, messages=messages, extra_body=more)
        (request,) = provider.requests
        assert (request.body["messages"] != messages) is is_ours


def test_what_stands_in_an_extra_body_counts_as_well() -> None:
    """Would catch: a request that is refused for tools, or a history, that nobody has looked at."""
    with FakeProvider(lambda request: Reply("fine"), window=WINDOW) as provider:  # noqa: ARG005
        client = for_openai.compacting(client_of(APIS[0], provider), BUDGET, observers=())
        schema = {"type": "object", "description": "What it is for. " * 200}
        function = {"name": "read_file", "parameters": schema}
        more = {"tools": [{"type": "function", "function": function}], "messages": long_history()}
        client.chat.completions.create(model="any", messages=[], extra_body=more)
        (request,) = provider.requests
        assert request.status == 200
        assert len(more["messages"]) == len(long_history())


def test_a_compaction_item_is_passed_on_as_it_is() -> None:
    """K11. Would catch: an opaque item that is summarized as text, or loses a key."""
    blob = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA" * 40, "x": 1}
    with FakeProvider(lambda request: Reply("fine")) as provider:  # noqa: ARG005
        client = for_openai.compacting(client_of(APIS[1], provider), 2_000, observers=())
        items: Messages = [{"role": "user", "content": TASK}, blob]
        for number in range(12):
            items.append({"role": "user", "content": f"Part {number}. " * 60})
            items.append({"role": "assistant", "content": f"Part {number} is there. " * 60})
        items.append({"role": "user", "content": "Go on."})
        client.responses.create(model="any", input=items)
        (request,) = provider.requests
        assert request.status == 200
        sent = request.body["input"]
        assert len(sent) < len(items)
        assert blob in sent


@pytest.mark.parametrize("wrap", [for_openai.compacting, for_anthropic.compacting])
def test_what_is_no_client_is_refused(wrap: Callable[..., Any]) -> None:
    with pytest.raises(InvalidConfiguration, match="a client of the provider's package"):
        wrap(object(), 1_000)


def test_conversations_do_not_mix(provider: FakeProvider) -> None:
    """Would catch: a summary of one conversation in another that begins alike."""
    client = for_openai.compacting(client_of(APIS[0], provider), BUDGET, observers=())
    provider.replies = lambda request: Reply("fine")  # noqa: ARG005
    histories: dict[str, Messages] = {
        name: [{"role": "user", "content": TASK}, {"role": "user", "content": f"I am {name}."}]
        for name in ("ada", "bob")
    }
    for number in range(24):
        for name, history in histories.items():
            history.append({"role": "assistant", "content": f"{name} has part {number}. " * 40})
            history.append({"role": "user", "content": f"{name} goes on."})
            client.chat.completions.create(model="any", messages=history)
            sent = str(provider.requests[-1].body)
            other = "bob" if name == "ada" else "ada"
            assert name in sent
            assert f"{other} has" not in sent
    assert provider.refused == []


@each_api
@pytest.mark.parametrize("how", ["sync", "async", "streamed"])
def test_a_refusal_for_length_costs_one_request_more(
    api: Any,  # noqa: ANN401
    how: str,
    provider: FakeProvider,
) -> None:
    """J10, E11. Would catch: a dead session where an estimate is too low, or a second refusal."""
    watcher = Watcher()
    plain = client_of(api, provider, is_async=how == "async")
    client = api.compacting(plain, BUDGET, estimator=too_low, observers=[watcher])
    history = copy.copy(api.history)

    def ask() -> Any:  # noqa: ANN401
        return streamed(api, client, history) if how == "streamed" else api.ask(client, history)

    async def ask_to_the_end() -> None:
        while not api.take(await api.ask(client, history), history):
            pass
        await client.close()

    if how == "async":
        asyncio.run(ask_to_the_end())
    else:
        while not api.take(ask(), history):
            pass
    refused = [each.number for each in provider.refused]
    assert 1 <= len(refused) <= 3
    assert {each.faults[0].rule for each in provider.refused} == {"window"}
    assert not {number + 1 for number in refused} & set(refused)
    assert len(provider.requests) == STEPS + 1 + len(refused)
    assert len(watcher.overflows) == len(refused)
    told = watcher.overflows[0]
    assert told["tokens_estimated"] < BUDGET
    assert told["limit"] < BUDGET
    if not isinstance(api, Responses):
        assert told["tokens"] > told["window"] == WINDOW


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_refusal_that_no_compaction_helps_is_raised(is_async: bool) -> None:  # noqa: FBT001
    """Would catch: a retry for ever, or an error of ours in the place of the provider's."""
    watcher = Watcher()
    with FakeProvider(window=500) as provider:
        plain = client_of(APIS[0], provider, is_async=is_async)
        client = for_openai.compacting(plain, BUDGET, observers=[watcher])
        history: Messages = [{"role": "user", "content": "word " * 600}]

        def ask() -> None:
            answer = APIS[0].ask(client, history)
            if is_async:
                asyncio.run(answer)

        with pytest.raises(openai.BadRequestError, match="maximum context length is 500 tokens"):
            ask()
        assert len(provider.requests) == 1
        (told,) = watcher.overflows
        assert told["tokens"] == provider.requests[0].tokens
        assert told["window"] == 500


def test_a_refusal_for_anything_else_is_raised_at_once(provider: FakeProvider) -> None:
    watcher = Watcher()
    client = for_openai.compacting(client_of(APIS[0], provider), BUDGET, observers=[watcher])
    orphan = {"role": "tool", "tool_call_id": "c1", "content": RESULT}
    with pytest.raises(openai.BadRequestError, match="must be a response"):
        APIS[0].ask(client, [{"role": "user", "content": TASK}, orphan])
    assert len(provider.requests) == 1
    assert watcher.overflows == []


def test_a_client_that_retries_by_itself_compacts_once(provider: FakeProvider) -> None:
    """Would catch: a budget that is lowered again with every try of the second request."""
    loop, outages = tool_loop(STEPS), [ConnectionError()]

    def reply(request: Any) -> Reply:  # noqa: ANN401
        if provider.refused and outages:
            raise outages.pop()
        return loop(request)

    provider.replies = reply

    class Stubborn(openai.OpenAI):  # type: ignore[misc, name-defined]
        def _should_retry(self, response: Any) -> bool:  # noqa: ANN401
            return bool(response.status_code >= 500)

    watcher = Watcher()
    plain = Stubborn(base_url=f"{provider.base_url}/v1", api_key="any", max_retries=1)
    client = for_openai.compacting(plain, BUDGET, estimator=too_low, observers=[watcher])
    history = copy.copy(APIS[0].history)
    while not APIS[0].take(APIS[0].ask(client, history), history):
        pass
    assert [each.status for each in provider.refused[:2]] == [400, 500]
    too_long = [each for each in provider.refused if each.status == 400]
    assert len(watcher.overflows) == len(too_long)
