"""What a provider counted before a compaction is not the size of the context after it (F4, K6)."""

import json
from typing import Any

from tests.formats.claude_code_sessions import Log, text
from tests.formats.json_histories import compact
from turnfold import default_chain
from turnfold.formats import claude_code, codex, openhands, parse, pi, render, to_bytes

Object = dict[str, Any]

COUNTS: Object = {"input_tokens": 150_000, "cache_read_input_tokens": 0, "output_tokens": 50}


def _say(log: Log, message_id: str, tokens: int) -> str:
    """A response of one record, and what was counted at it."""
    usage = {**COUNTS, "input_tokens": tokens}
    block = {"role": "assistant", "id": message_id, "content": [text("Done.")], "usage": usage}
    return log.add("assistant", block)


def _compacted(**metadata: object) -> Log:
    log = Log()
    log.user("go", uuid="asked")
    _say(log, "m1", 150_000)
    log.boundary(**metadata)
    log.summary("The tests pass.")
    return log


def _claude_code(log: Log, scope: Any = "live") -> tuple[int, str] | None:  # noqa: ANN401
    usage = claude_code.parse(log.data(), scope=scope).usage
    return None if usage is None else (usage.context_tokens, usage.turn_id)


def test_claude_code_counts_since_its_compaction() -> None:
    """Would catch: the size before it, shown for a context that is a tenth of it."""
    log = _compacted()
    assert _claude_code(log) is None
    assert _claude_code(log, "full") is None
    log.user("more")
    _say(log, "m2", 9_000)
    assert _claude_code(log) == (9_050, "m2")


def test_claude_code_does_not_count_what_a_compaction_kept() -> None:
    """K7. Would catch: a kept response, which stands in the context, taken for a new one."""
    log = _compacted(preservedMessages={"uuids": ["asked", "u2"]})
    session = claude_code.parse(log.data())
    assert "m1" in session.transcript.turn_ids()
    assert session.usage is None


def test_claude_code_counts_before_a_compaction_that_never_was() -> None:
    log = Log()
    log.user("go")
    _say(log, "m1", 150_000)
    log.boundary()
    assert _claude_code(log) == (150_050, "m1")


def _lines(*records: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def _codex(kind: str, payload: Object) -> Object:
    return {"timestamp": "t", "type": kind, "payload": payload}


def _words(role: str, words: str) -> Object:
    kind = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def _count(tokens: int) -> Object:
    info = {"last_token_usage": {"total_tokens": tokens}}
    return _codex("event_msg", {"type": "token_count", "info": info})


def _codex_tokens(*records: Object) -> int | None:
    head = _codex("session_meta", {"id": "s"})
    usage = codex.parse(_lines(head, *records)).usage
    return None if usage is None else usage.context_tokens


def test_codex_counts_since_its_compaction() -> None:
    """Would catch: the request that wrote the summary, or an estimate after it, as the context."""
    asked = _codex("response_item", _words("user", "go"))
    answer = _codex("response_item", _words("assistant", "done"))
    kept = [_words("user", "go"), _words("assistant", "kept"), _words("user", "The tests pass.")]
    replaced = _codex("compacted", {"message": "The tests pass.", "replacement_history": kept})
    before = [asked, answer, _count(150_000), replaced]
    assert _codex_tokens(*before) is None
    assert _codex_tokens(*before, _count(70_000)) is None
    assert _codex_tokens(*before, _count(70_000), asked) is None
    assert _codex_tokens(*before, asked, answer) is None
    assert _codex_tokens(*before, asked, answer, _count(9_000)) == 9_000


def test_codex_does_not_count_turns_that_were_taken_back() -> None:
    """Would catch: the size of a context with the turns that a rollback removed."""
    asked = _codex("response_item", _words("user", "go"))
    answer = _codex("response_item", _words("assistant", "done"))
    back = _codex("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    rounds = [asked, answer, _count(5_000), asked, answer, _count(150_000), back]
    assert _codex_tokens(*rounds) is None
    assert _codex_tokens(*rounds, asked, answer, _count(5_100)) == 5_100


def _pi(number: int, kind: str, **more: Any) -> Object:  # noqa: ANN401
    parent = f"e{number - 1}" if number > 1 else None
    return {"type": kind, "id": f"e{number}", "parentId": parent, "timestamp": "t", **more}


def _pi_message(number: int, role: str, tokens: int = 0) -> Object:
    counts = {"usage": {"totalTokens": tokens}} if tokens else {}
    content = [{"type": "text", "text": "words"}]
    return _pi(
        number, "message", message={"role": role, "content": content, "timestamp": 1, **counts}
    )


def test_pi_counts_since_its_compaction() -> None:
    """Would catch: the count of a response that the compaction kept."""
    rounds = [
        {"type": "session", "id": "s", "timestamp": "t", "cwd": "/work", "version": 3},
        _pi_message(1, "user"),
        _pi_message(2, "assistant", 150_000),
        _pi(3, "compaction", summary="It works.", firstKeptEntryId="e2", tokensBefore=9),
        _pi_message(4, "user"),
    ]
    session = pi.parse(_lines(*rounds))
    assert "e2" in session.transcript.turn_ids()
    assert session.usage is None
    usage = pi.parse(_lines(*rounds, _pi_message(5, "assistant", 9_000))).usage
    assert usage is not None
    assert (usage.context_tokens, usage.turn_id) == (9_000, "e5")


def test_openhands_counts_since_its_last_condensation() -> None:
    """Would catch: the size of a context with the events that were forgotten."""
    named = {"timestamp": "t", "message": ""}

    def run(number: int, tokens: int) -> Object:
        response = {"id": f"r{number}", "usage": {"total_tokens": tokens}}
        call = {"tool_call_id": "c", "model_response": response, "total_calls_in_response": 1}
        deed = {"id": number, "source": "agent", "action": "run", "args": {"command": "ls"}}
        return {**deed, "tool_call_metadata": call, **named}

    asked = {"id": 0, "source": "user", "action": "message", "args": {"content": "go"}, **named}
    forgets = {"forgotten_event_ids": [0], "summary": "It works.", "summary_offset": 1}
    condensed = {"id": 2, "source": "agent", "action": "condensation", "args": forgets, **named}
    events = [asked, run(1, 150_000), condensed]
    session = openhands.parse(events)
    assert len(session.transcript) == 2
    assert session.usage is None
    usage = openhands.parse([*events, run(3, 9_000)]).usage
    assert usage is not None
    assert usage.context_tokens == 9_000


def test_a_session_that_turnfold_compacted_has_no_count_until_the_next_response() -> None:
    """L3. Would catch: the count of a kept response, which its message carries along."""
    log = Log()
    for number in range(6):
        log.user(f"go {number} " + "Never restart the gateway. " * 20)
        _say(log, f"m{number}", 150_000)
    session = claude_code.parse(log.data())
    view = compact(session, default_chain(), session.transcript.token_estimate() // 2, 2)
    assert view is not None
    rendered = to_bytes(render(view, session))
    assert parse(rendered, ledger=view.ledger).usage is None
    more = Log()
    more.records = [json.loads(line) for line in rendered.splitlines()]
    more.user("more")
    _say(more, "m9", 9_000)
    usage = parse(more.data(), ledger=view.ledger).usage
    assert usage is not None
    assert usage.context_tokens == 9_050


def test_a_document_that_turnfold_compacted_has_no_count_until_the_next_response() -> None:
    """L3."""
    counts = {"usage": {"prompt_tokens": 150_000, "completion_tokens": 1}}
    said = {"role": "assistant", "content": "Done.", "extra": {"response": counts}}
    asked = {"role": "user", "content": "Never restart the gateway. " * 20}
    info = {"mini_version": "2"}
    document = {"messages": [asked, said] * 4, "info": info}
    session = parse(document)
    assert session.usage is not None
    view = compact(session, default_chain(), session.transcript.token_estimate() // 2, 2)
    assert view is not None
    rendered = render(view, session)
    assert parse(rendered, ledger=view.ledger).usage is None
    assert isinstance(rendered, dict)
    longer = {**rendered, "messages": [*rendered["messages"], asked, said]}
    assert parse(longer, ledger=view.ledger).usage is not None
