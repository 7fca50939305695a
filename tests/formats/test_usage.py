"""What a provider counted is read once, with its cached parts (known failures F4, K6)."""

import json
from typing import Any

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
