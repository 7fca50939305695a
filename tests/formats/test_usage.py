"""What a provider counted is read once, with its cached parts (known failures F4, K6)."""

import json
from typing import Any, Final

import pytest

from tests.formats.claude_code_sessions import Log, call, text
from turnfold.formats import claude_code, codex, parse, pi

COUNTS = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 300,
    "cache_read_input_tokens": 4_000,
    "output_tokens": 50,
}


def test_claude_code_counts_the_last_record_of_a_message_once() -> None:
    """K6; would catch: a count of every record of one message, or one without its cached part."""
    log = Log()
    log.user("go")
    for tokens, block in ((1, text("I look.")), (50, call("c1"))):
        message = {
            "role": "assistant",
            "id": "m1",
            "content": [block],
            "usage": {**COUNTS, "output_tokens": tokens},
        }
        log.add("assistant", message)
    log.result("c1")
    usage = claude_code.parse(log.data()).usage
    assert usage is not None
    assert (usage.context_tokens, usage.turn_id) == (4_360, "m1")


def test_a_session_without_counts_has_none() -> None:
    log = Log()
    log.user("go")
    log.assistant("m1", text("done"))
    assert claude_code.parse(log.data()).usage is None
    assert parse([{"role": "user", "content": "hi"}]).usage is None


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def test_codex_reads_the_last_request_and_not_the_sum() -> None:
    """Would catch: the total of a session taken for the size of its context."""

    def item(role: str, kind: str, words: str) -> dict[str, Any]:
        content = [{"type": kind, "text": words}]
        payload = {"type": "message", "role": role, "content": content}
        return {"timestamp": "t", "type": "response_item", "payload": payload}

    info = {"total_token_usage": {"total_tokens": 900}, "last_token_usage": {"total_tokens": 120}}
    count = {"type": "token_count", "info": info}
    session = codex.parse(
        lines(
            {"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}},
            item("user", "input_text", "go"),
            item("assistant", "output_text", "done"),
            {"timestamp": "t", "type": "event_msg", "payload": count},
        )
    )
    assert session.usage is not None
    assert session.usage.context_tokens == 120
    assert session.usage.turn_id == session.transcript.turns[-1].turn_id


def test_pi_reads_the_last_message() -> None:
    def record(role: str, words: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        content = [{"type": "text", "text": words}]
        message = {"role": role, "content": content, "timestamp": 1, **more}
        return {"type": "message", "timestamp": "t", "message": message}

    counts = {"input": 1, "output": 20, "cacheRead": 300, "cacheWrite": 4}
    session = pi.parse(
        lines(
            {"type": "session", "id": "s", "timestamp": "t", "cwd": "/work"},
            record("user", "go"),
            record("assistant", "done", usage=counts),
        )
    )
    assert session.usage is not None
    assert session.usage.context_tokens == 325


def _chat(**answer: Any) -> list[dict[str, Any]]:  # noqa: ANN401  JSON.
    return [{"role": "user", "content": "go"}, {"role": "assistant", "content": "done", **answer}]


def _openai(prompt: int, completion: int, cached: int) -> dict[str, Any]:
    """Return a count as chat completions give it: what was cached is a part of the prompt."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _gemini_cli() -> dict[str, Any]:
    def said(message_id: str, words: str, **tokens: int) -> dict[str, Any]:
        return {"id": message_id, "type": "gemini", "content": words, "tokens": tokens}

    first = {"input": 70, "output": 5, "cached": 40, "thoughts": 3, "tool": 0, "total": 78}
    last = {"input": 90, "output": 6, "cached": 80, "thoughts": 4, "tool": 0, "total": 100}
    messages = [
        {"id": "u1", "type": "user", "content": "go"},
        said("g1", "I look.", **first),
        said("last", "done", **last),
        {"id": "i1", "type": "info", "content": "The client says so."},
    ]
    return {"sessionId": "s", "projectHash": "p", "startTime": "t", "messages": messages}


def _adk(**usage: Any) -> dict[str, Any]:  # noqa: ANN401  JSON.
    def event(event_id: str, author: str, words: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        content = {"role": "user" if author == "user" else "model", "parts": [{"text": words}]}
        return {
            "id": event_id,
            "author": author,
            "invocation_id": "i",
            "content": content,
            "timestamp": 1.0,
            **more,
        }

    return {"events": [event("u1", "user", "go"), event("last", "agent", "done", **usage)]}


def _inspect(answer_id: str = "last", **usage: int) -> dict[str, Any]:
    messages = [
        {"id": "u1", "role": "user", "content": "go"},
        {"id": "last", "role": "assistant", "content": "done", "source": "generate"},
    ]
    choices = [{"message": {"id": answer_id, "role": "assistant", "content": "done"}}]
    output = {"model": "m", "choices": choices, "usage": usage}
    return {"id": 1, "epoch": 1, "target": "x", "messages": messages, "output": output}


def _openhands() -> list[dict[str, Any]]:
    response = {"id": "r1", "usage": _openai(90, 10, 80)}
    call = {"tool_call_id": "c1", "model_response": response, "total_calls_in_response": 1}
    named = {"timestamp": "t", "message": ""}
    return [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "go"}, **named},
        {
            "id": 1,
            "source": "agent",
            "action": "run",
            "args": {"command": "ls"},
            "tool_call_metadata": call,
            **named,
        },
        {
            "id": 2,
            "source": "agent",
            "observation": "run",
            "content": "a.py",
            "cause": 1,
            "extras": {"command": "ls"},
            "tool_call_metadata": call,
            **named,
        },
    ]


def _atif() -> dict[str, Any]:
    metrics = {"prompt_tokens": 90, "completion_tokens": 10, "cached_tokens": 80}
    steps = [
        {"step_id": 1, "source": "user", "message": "go"},
        {"step_id": 2, "source": "agent", "message": "done", "metrics": metrics},
    ]
    agent = {"name": "a", "version": "1"}
    return {"schema_version": "ATIF-v1.7", "session_id": "s", "agent": agent, "steps": steps}


def _langchain(**usage: Any) -> list[dict[str, Any]]:  # noqa: ANN401  JSON.
    data = {"content": "done", "type": "ai", "id": "last", "usage_metadata": usage}
    return [
        {"type": "human", "data": {"content": "go", "type": "human"}},
        {"type": "ai", "data": data},
    ]


def _pydantic_ai(**usage: int) -> list[dict[str, Any]]:
    asked = {"part_kind": "user-prompt", "content": "go"}
    said = {"part_kind": "text", "content": "done"}
    return [
        {"kind": "request", "parts": [asked]},
        {"kind": "response", "parts": [said], "usage": usage},
    ]


def _mini(**answer: Any) -> dict[str, Any]:  # noqa: ANN401  JSON.
    return {"trajectory_format": "mini-swe-agent-1.1", "messages": _chat(**answer)}


_WIRE: Final = {
    "promptTokenCount": 80,
    "cachedContentTokenCount": 70,
    "toolUsePromptTokenCount": 10,
    "candidatesTokenCount": 6,
    "thoughtsTokenCount": 4,
}
_SDK: Final = {
    "prompt_token_count": 90,
    "cached_content_token_count": 70,
    "candidates_token_count": 6,
    "thoughts_token_count": 4,
}
_IN_AND_OUT: Final[dict[str, Any]] = {"input_tokens": 90, "output_tokens": 10}


@pytest.mark.parametrize(
    ("name", "document", "turn_id"),
    [
        ("gemini-cli", _gemini_cli(), "last"),
        ("adk", _adk(usage_metadata={**_SDK, "total_token_count": 100}), "last"),
        ("adk", _adk(usageMetadata=_WIRE), "last"),
        ("adk", _adk(usage_metadata=_SDK), "last"),
        ("inspect-ai", _inspect(**_IN_AND_OUT, input_tokens_cache_read=80, total_tokens=100), None),
        (
            "inspect-ai",
            _inspect(input_tokens=10, input_tokens_cache_read=80, output_tokens=10),
            "last",
        ),
        ("openhands", _openhands(), None),
        ("atif", _atif(), "s2"),
        ("langchain", _langchain(**_IN_AND_OUT, total_tokens=100), "last"),
        (
            "langchain",
            _langchain(**_IN_AND_OUT, input_token_details={"cache_read": 80}),
            "last",
        ),
        ("pydantic-ai", _pydantic_ai(**_IN_AND_OUT, cache_read_tokens=80), "m1"),
        ("pydantic-ai", _pydantic_ai(request_tokens=90, response_tokens=10), "m1"),
        ("mini-swe-agent", _mini(extra={"response": {"usage": _openai(90, 10, 80)}}), "m1"),
        ("mini-swe-agent", _mini(usage=_IN_AND_OUT), "m1"),
    ],
)
def test_a_document_says_what_was_counted_last(
    name: str, document: dict[str, Any] | list[Any], turn_id: str | None
) -> None:
    """Would catch: cached parts counted twice, thoughts left out, another turn than the model's."""
    session = parse(document)
    assert session.format == name
    assert session.usage is not None
    assert session.usage.context_tokens == 100
    answer = session.transcript.turn(session.usage.turn_id)
    assert answer.role == "assistant"
    assert turn_id in (None, answer.turn_id)


def test_a_count_belongs_to_the_last_response_that_is_a_turn() -> None:
    """Would catch: a count of a message that is no turn, or that of the first response."""
    messages = [*_langchain(**_IN_AND_OUT), *_langchain(input_tokens=190, output_tokens=10)]
    messages[3]["data"]["id"] = "newest"
    usage = parse(messages).usage
    assert usage is not None
    assert (usage.context_tokens, usage.turn_id) == (200, "newest")
    assert parse(_inspect(answer_id="another", **_IN_AND_OUT)).usage is None


@pytest.mark.parametrize("strange", [None, 5, "90", [], {"input_tokens": "90"}, {"a": True}, -1])
def test_a_strange_count_is_none(strange: object) -> None:
    """Would catch: a fault, or a count made of what is no number."""
    messages = _langchain()
    messages[1]["data"]["usage_metadata"] = strange
    assert parse(messages).usage is None
    negative = _langchain(input_tokens=-4, output_tokens=1)
    assert parse(negative).usage is None
