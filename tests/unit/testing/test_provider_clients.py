"""The providers' own clients parse what the fake provider answers, streamed or not."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from tests.unit.testing.provider_client import chat_calls, said, user
from turnfold.testing.provider import FakeProvider, Reply, Stop, scripted

_TEXT = "A line of words that is longer than what one piece of a stream holds."
_PATH = "src/a/path/that/is/longer/than/one/piece.py"
_CALLS = [("read_file", {"path": _PATH}), ("stop", {})]
_FUNCTION = {"name": "read_file", "parameters": {"type": "object", "properties": {}}}


def both() -> FakeProvider:
    return FakeProvider(scripted(Reply(_TEXT, calls=_CALLS, reasoning=True)))


def openai_client(provider: FakeProvider) -> Any:  # noqa: ANN401
    openai = pytest.importorskip("openai")
    return openai.OpenAI(base_url=f"{provider.base_url}/v1", api_key="x", max_retries=0)


def anthropic_client(provider: FakeProvider) -> Any:  # noqa: ANN401
    anthropic = pytest.importorskip("anthropic")
    return anthropic.Anthropic(base_url=provider.base_url, api_key="x", max_retries=0)


def named(calls: Iterable[Any]) -> list[tuple[str, str]]:
    return [(call.function.name, call.function.arguments) for call in calls]


_NAMED = [("read_file", f'{{"path": "{_PATH}"}}'), ("stop", "{}")]


def test_a_completion_is_parsed() -> None:
    with both() as provider, openai_client(provider) as client:
        made = client.chat.completions.create(model="m", messages=[user()])
    (choice,) = made.choices
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", _TEXT)
    assert named(choice.message.tool_calls) == _NAMED
    assert [call.id for call in choice.message.tool_calls] == ["call_000001", "call_000002"]
    assert made.usage.prompt_tokens == provider.requests[0].tokens > 0
    assert made.usage.completion_tokens_details.reasoning_tokens > 0


@pytest.mark.parametrize("options", [{}, {"stream_options": {"include_usage": True}}])
def test_a_streamed_completion_is_put_together(options: dict[str, Any]) -> None:
    with both() as provider, openai_client(provider) as client:
        asked = {"model": "m", "messages": [user()], **options}
        chunks = list(client.chat.completions.create(stream=True, **asked))
        with client.chat.completions.stream(**asked) as stream:
            message = stream.get_final_completion().choices[0].message
    assert (message.content, named(message.tool_calls)) == (_TEXT, _NAMED)
    assert len(chunks) > 8
    assert (chunks[-1].choices == []) is bool(options)
    if options:
        assert chunks[-1].usage.prompt_tokens == provider.requests[0].tokens
        assert chunks[-2].choices[0].finish_reason == "tool_calls"


def test_a_response_is_parsed() -> None:
    with both() as provider, openai_client(provider) as client:
        made = client.responses.create(model="m", input="hello")
    assert [item.type for item in made.output] == ["reasoning", "message", *["function_call"] * 2]
    assert made.output_text == _TEXT
    assert [(item.name, item.arguments) for item in made.output[2:]] == _NAMED
    assert made.usage.input_tokens == provider.requests[0].tokens > 0
    assert made.status == "completed"


def test_a_streamed_response_is_put_together() -> None:
    with both() as provider, openai_client(provider) as client:
        with client.responses.stream(model="m", input="hello") as stream:
            kinds = [event.type for event in stream]
            made = stream.get_final_response()
        raw = list(client.responses.create(model="m", input="hello", stream=True))
    assert made.output_text == _TEXT
    assert [(item.name, item.arguments) for item in made.output[2:]] == _NAMED
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert kinds.count("response.function_call_arguments.done") == 2
    assert [event.sequence_number for event in raw] == list(range(len(raw)))


def test_a_message_is_parsed() -> None:
    with both() as provider, anthropic_client(provider) as client:
        made = client.messages.create(model="m", max_tokens=99, messages=[user()])
    assert [block.type for block in made.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert made.content[1].text == _TEXT
    assert [(block.name, block.input) for block in made.content[2:]] == _CALLS
    assert made.stop_reason == "tool_use"
    assert made.usage.input_tokens == provider.requests[0].tokens > 0


def test_tokens_are_counted_without_the_model() -> None:
    """Would catch: a client that counts before it asks, as Claude Code's `/context` does, and a
    script of replies that the counting uses up."""
    with both() as provider, anthropic_client(provider) as client:
        counted = client.messages.count_tokens(model="m", messages=[user()])
        client.messages.create(model="m", max_tokens=99, messages=[user()])
        counting, asking = provider.requests
        assert (counting.api, counting.reply, counting.status) == ("count_tokens", None, 200)
        assert counted.input_tokens == counting.tokens == asking.tokens > 0


def test_a_streamed_message_is_put_together() -> None:
    with both() as provider, anthropic_client(provider) as client:
        asked = {"model": "m", "max_tokens": 99, "messages": [user()]}
        plain = client.messages.create(**asked)
        with client.messages.stream(**asked) as stream:
            kinds = {event.type for event in stream}
            made = stream.get_final_message()
    assert made.content[0].thinking == plain.content[0].thinking
    assert made.content[0].signature.startswith("fake.")
    assert made.content[1].text == _TEXT
    assert [(block.name, block.input) for block in made.content[2:]] == _CALLS
    assert (made.stop_reason, made.usage.output_tokens) == ("tool_use", plain.usage.output_tokens)
    assert {"message_start", "content_block_stop", "message_delta", "message_stop"} <= kinds


def test_the_asynchronous_clients_get_the_same() -> None:
    openai, anthropic = pytest.importorskip("openai"), pytest.importorskip("anthropic")

    async def ask(provider: FakeProvider) -> tuple[Any, Any, Any]:
        url = f"{provider.base_url}/v1"
        options: dict[str, Any] = {"api_key": "x", "max_retries": 0}
        async with (
            openai.AsyncOpenAI(base_url=url, **options) as one,
            anthropic.AsyncAnthropic(base_url=provider.base_url, **options) as two,
        ):
            asked = {"model": "m", "messages": [user()]}
            chat = await one.chat.completions.create(**asked)
            response = await one.responses.create(model="m", input="hello", stream=True)
            events = [event async for event in response]
            async with two.messages.stream(max_tokens=99, **asked) as stream:
                message = await stream.get_final_message()
        return chat, events, message

    with both() as provider:
        chat, events, message = asyncio.run(ask(provider))
    assert named(chat.choices[0].message.tool_calls) == _NAMED
    assert events[-1].response.output_text == _TEXT
    assert message.content[1].text == _TEXT


def test_a_refusal_is_the_client_s_own_error() -> None:
    openai, anthropic = pytest.importorskip("openai"), pytest.importorskip("anthropic")
    with FakeProvider(window=50) as provider:
        with openai_client(provider) as client:
            asked = {"model": "m", "messages": [user(), chat_calls("a")]}
            with pytest.raises(openai.BadRequestError, match="response messages: a") as refused:
                client.chat.completions.create(**asked)
            assert refused.value.param == "messages"
            with pytest.raises(openai.BadRequestError) as refused:
                client.responses.create(model="m", input="word " * 400)
            assert refused.value.code == "context_length_exceeded"
        with (
            anthropic_client(provider) as client,
            pytest.raises(anthropic.BadRequestError, match="500 tokens > 50 maximum") as refused,
        ):
            client.messages.create(
                model="m", max_tokens=9, messages=[user("wordy " * 330 + "end!")]
            )
        assert refused.value.request_id == "req_000003"


@pytest.mark.parametrize(
    ("stop", "chat", "response", "message"),
    [
        ("stop", "stop", "completed", "end_turn"),
        ("length", "length", "incomplete", "max_tokens"),
        ("content_filter", "content_filter", "incomplete", "refusal"),
    ],
)
def test_a_reason_to_stop_is_said_in_each_provider_s_words(
    stop: Stop, chat: str, response: str, message: str
) -> None:
    with FakeProvider(lambda _: Reply("so", stop_reason=stop)) as provider:
        with openai_client(provider) as client:
            made = client.chat.completions.create(model="m", messages=[user()])
            assert made.choices[0].finish_reason == chat
            given = client.responses.create(model="m", input="hello")
            assert given.status == response
            last = list(client.responses.create(model="m", input="hello", stream=True))[-1]
            assert last.type == f"response.{response}"
        with anthropic_client(provider) as client:
            made = client.messages.create(model="m", max_tokens=9, messages=[user()])
            assert made.stop_reason == message


def test_what_is_cached_is_what_an_earlier_request_began_with() -> None:
    """Would catch: an edit at the front that does not show in the figures."""
    marked = {"cache_control": {"type": "ephemeral"}}
    history = [user("word " * 400), said(), user([{"type": "text", "text": "go", **marked}])]
    with FakeProvider() as provider, anthropic_client(provider) as client:
        asked = {"model": "m", "max_tokens": 9}
        first = client.messages.create(messages=history, **asked).usage
        again = client.messages.create(messages=[*history, said(), user()], **asked).usage
        edited = client.messages.create(messages=[user("other"), *history[1:]], **asked).usage
    assert (first.cache_read_input_tokens, first.input_tokens) == (0, 0)
    assert again.cache_read_input_tokens > 400
    assert edited.cache_read_input_tokens < 5
