"""The server itself: many clients, clients that hang up, odd bodies, and nothing left behind."""

import copy
import random
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.testing.provider_client import (
    CHAT,
    MESSAGES,
    RESPONSES,
    Body,
    chat,
    chat_calls,
    chat_result,
    item_call,
    item_output,
    item_reasoning,
    messages,
    post,
    responses,
    result,
    said,
    system,
    text,
    thinking,
    use,
    user,
    words_of,
)
from turnfold.testing.provider import FakeProvider, Reply, Request, scripted, tool_loop

_TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]


def test_requests_at_once_are_all_answered_and_counted() -> None:
    """Would catch: a counter or a record that two threads share without a lock."""
    busy: list[int] = []
    together: list[int] = []

    def replies(request: Request) -> Reply:
        busy.append(request.number)
        time.sleep(0.002)
        together.append(len(busy))
        busy.remove(request.number)
        return Reply(calls=[("read_file", {})])

    with FakeProvider(replies) as provider:
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _: post(provider, CHAT, chat(user())), range(80)))
        ids = [answer["choices"][0]["message"]["tool_calls"][0]["id"] for _, answer in answers]
    assert sorted(ids) == [f"call_{at:06d}" for at in range(1, 81)]
    assert sorted(each.number for each in provider.requests) == list(range(1, 81))
    assert set(together) == {1}, "the replies are called by one thread at a time"


def test_the_same_requests_get_the_same_answers() -> None:
    def run() -> list[Any]:
        replies = scripted(Reply("so", calls=[("read_file", {})], reasoning=True))
        with FakeProvider(replies) as provider:
            bodies = [(CHAT, chat(user())), (RESPONSES, responses(user()))]
            return [post(provider, *each) for each in [*bodies, (MESSAGES, messages(user()))]]

    assert run() == run()


def test_a_client_that_hangs_up_costs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with FakeProvider(lambda _: Reply("word " * 90_000)) as provider:
        port = int(provider.base_url.rpartition(":")[2])
        for sent in (
            b"",
            b"POST /v1/messages HTTP/1.1\r\nContent-Length: 99\r\n\r\n{",
            b"\x16\x03",
        ):
            with socket.create_connection(("127.0.0.1", port)) as left:
                left.sendall(sent)
        body = b'{"model":"m","stream":true,"messages":[{"role":"user","content":"a"}]}'
        lines = (f"POST {CHAT} HTTP/1.1", "Authorization: Bearer k", f"Content-Length: {len(body)}")
        head = "\r\n".join([*lines, "", ""])
        with socket.create_connection(("127.0.0.1", port)) as left:
            left.sendall(head.encode() + body)
            left.recv(10)
        assert post(provider, CHAT, chat(user()))[0] == 200
    assert capfd.readouterr() == ("", "")


def test_no_thread_is_left_and_the_port_is_closed() -> None:
    before = set(threading.enumerate())
    with FakeProvider() as provider:
        url = provider.base_url
        waiting = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])))
        post(provider, CHAT, chat(user()))
        started = set(threading.enumerate()) - before
        assert started
        assert all(each.daemon for each in started)
    assert set(threading.enumerate()) <= before
    waiting.close()
    with pytest.raises(RuntimeError, match="does not run"):
        _ = provider.base_url


def test_a_server_may_be_started_again_and_remembers() -> None:
    provider = FakeProvider()
    for _ in range(2):
        with provider:
            post(provider, CHAT, chat(user()))
    assert [each.number for each in provider.requests] == [1, 2]


def test_what_the_replies_raise_is_told_and_kept(capfd: pytest.CaptureFixture[str]) -> None:
    def replies(request: Request) -> Reply:
        raise KeyError(request.number)

    with FakeProvider(replies) as provider:
        status, answer = post(provider, CHAT, chat(user()))
        provider.replies = lambda _: Reply("fine")
        assert post(provider, CHAT, chat(user()))[0] == 200
    assert status == 500
    assert "raised KeyError(1)" in words_of(answer)
    assert isinstance(provider.requests[0].failure, KeyError)
    assert capfd.readouterr() == ("", "")


def test_a_tool_loop_counts_its_own_calls_whatever_the_history_holds() -> None:
    """Would catch: a model that starts anew when the history was compacted."""
    with FakeProvider(tool_loop(5, parallel=2, result_chars=70, answer="All read.")) as provider:
        made = []
        for _ in range(5):
            _, answer = post(provider, CHAT, chat(user(), tools=_TOOLS))
            calls = answer["choices"][0]["message"].get("tool_calls", [])
            made.append([call["function"]["arguments"] for call in calls])
        _, aside = post(provider, CHAT, chat(user("sum up")))
    assert list(map(len, made)) == [2, 2, 1, 0, 0]
    assert made[2] == ['{"path": "src/part_0004.py", "chars": 70}']
    assert answer["choices"][0]["message"]["content"] == "All read."
    assert aside["choices"][0]["finish_reason"] == "stop"


def test_a_request_without_the_tool_does_not_count() -> None:
    with FakeProvider(tool_loop(1)) as provider:
        assert "tool_calls" not in post(provider, CHAT, chat(user()))[1]["choices"][0]["message"]
        _, answer = post(provider, CHAT, chat(user(), tools=_TOOLS))
    assert answer["choices"][0]["finish_reason"] == "tool_calls"


_GOOD: list[tuple[str, Body]] = [
    (f"{MESSAGES}/count_tokens", {"model": "m", "messages": [user(), said()], "tools": _TOOLS}),
    (CHAT, chat(system(), user(), chat_calls("a"), chat_result("a"), said(), tools=_TOOLS)),
    (
        RESPONSES,
        responses(
            user([{"type": "input_text", "text": "hello"}]),
            item_reasoning("rs_1"),
            item_call("c", id="fc_1"),
            item_output("c"),
            {"type": "item_reference", "id": "x"},
            instructions="be brief",
            include=["reasoning.encrypted_content"],
            reasoning={"effort": "low"},
        ),
    ),
    (
        MESSAGES,
        messages(
            user(),
            said([thinking("hm", "fake.1.a.b"), text(), use("a")]),
            user([result("a", [text()]), text()]),
            system="be brief",
            thinking={"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "x"}},
        ),
    ),
]
_ODD: list[Any] = [
    None,
    True,
    0,
    -1.5,
    "",
    "text",
    [],
    {},
    [None],
    {"type": "odd"},
    "\ud800",
    [[1]],
]


def places(value: list[Any] | dict[str, Any]) -> list[tuple[Any, Any]]:
    keys: Any = list(value) if isinstance(value, dict) else range(len(value))
    inner = [value[key] for key in keys if isinstance(value[key], dict | list)]
    return [*((value, key) for key in keys), *(place for each in inner for place in places(each))]


@pytest.fixture(scope="module")
def strict() -> Iterator[FakeProvider]:
    replies = scripted(Reply("so", calls=[("read_file", {})]))
    with FakeProvider(replies, window=500, bound_reasoning=True, dialect="deepseek") as provider:
        yield provider


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), hits=st.integers(1, 3))
def test_any_body_gets_an_answer(strict: FakeProvider, seed: int, hits: int) -> None:
    """Would catch: a check that raises on a value of a kind that it did not expect."""
    pick = random.Random(seed)  # noqa: S311
    path, good = pick.choice(_GOOD)
    body = copy.deepcopy(good)
    for _ in range(hits):
        holder, key = pick.choice(places(body))
        holder[key] = copy.deepcopy(pick.choice(_ODD))
    status, answer = post(strict, path, body)
    assert status in (200, 400, 404), answer
    assert status == 200 or words_of(answer)
