"""Masked inputs of calls, in every format that has calls (known failures G1, G2, B1)."""

import json
from typing import Any

import pytest

from tests.formats.claude_code_sessions import Log
from tests.formats.json_histories import NO_PINS, Json
from turnfold import (
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    ObservationMaskingPolicy,
    Role,
    Transcript,
    formats,
)
from turnfold.decision import Reason
from turnfold.formats import FORMATS, Session, check, parse, to_bytes
from turnfold.tokens import MessageEstimator

SCRIPT = 'print("é \\ 茶")\n' * 60
OUTPUT = "y" * 400
SIGNATURE = "c2lnbmF0dXJl" * 8
ARGUMENTS: dict[str, Any] = {"path": "src/a.py", "text": SCRIPT, "mode": {"force": True, "n": 1}}
SPELLED = json.dumps(ARGUMENTS, indent=1)
SAYS = "I write it."


def openai_chat() -> Json:
    function = {"name": "write", "arguments": SPELLED}
    patch = {"name": "patch", "input": "*** Begin\n" + "+ line\n" * 90}
    calls = [
        {"id": "c1", "type": "function", "function": function},
        {"id": "c2", "type": "custom", "custom": patch},
    ]
    return [
        {"role": "user", "content": "The task."},
        {
            "role": "assistant",
            "content": SAYS,
            "reasoning_content": "I weigh it.",
            "thinking_blocks": [{"type": "thinking", "thinking": "w", "signature": SIGNATURE}],
            "tool_calls": calls,
        },
        {"role": "tool", "tool_call_id": "c1", "content": OUTPUT},
        {"role": "tool", "tool_call_id": "c2", "content": "ok"},
        {"role": "user", "content": "And now?"},
    ]


def anthropic_messages() -> Json:
    thinking = {"type": "thinking", "thinking": "I weigh it.", "signature": SIGNATURE}
    use = {"type": "tool_use", "id": "c1", "name": "write", "input": ARGUMENTS}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": OUTPUT}
    after = {"type": "text", "text": "And then I look."}
    return [
        {"role": "user", "content": "The task."},
        {"role": "assistant", "content": [thinking, {"type": "text", "text": SAYS}, use, after]},
        {"role": "user", "content": [result]},
        {"role": "user", "content": "And now?"},
    ]


def openai_responses() -> Json:
    patch = {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch"}
    output = [{"type": "output_text", "text": SAYS, "annotations": []}]
    call = {"type": "function_call", "call_id": "c1", "name": "write", "arguments": SPELLED}
    return [
        {"role": "user", "content": "The task."},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SIGNATURE},
        {"type": "message", "role": "assistant", "id": "msg_1", "content": output},
        {**call, "id": "fc_1"},
        {**patch, "id": "ctc_1", "input": "*** Begin Patch\n" + "+ line\n" * 90},
        {"type": "function_call_output", "call_id": "c1", "output": OUTPUT},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "ok"},
        {"role": "user", "content": "And now?"},
    ]


def codex() -> Json:
    head = {"id": "0197", "timestamp": "T", "cwd": "/w", "originator": "codex", "cli_version": "1"}
    rows = [{"timestamp": "T", "type": "session_meta", "payload": head}]
    for item in openai_responses():
        payload = item if "type" in item else {"type": "message", **item}
        if payload.get("role") == "user":
            content = [{"type": "input_text", "text": payload["content"]}]
            payload = {**payload, "content": content}
        rows.append({"timestamp": "T", "type": "response_item", "payload": payload})
    return _lines(rows)


def gemini_contents() -> Json:
    call = {"functionCall": {"name": "write", "args": ARGUMENTS}, "thoughtSignature": SIGNATURE}
    response = {"functionResponse": {"name": "write", "response": {"output": OUTPUT}}}
    return [
        {"role": "user", "parts": [{"text": "The task."}]},
        {"role": "model", "parts": [{"text": SAYS}, call]},
        {"role": "user", "parts": [response]},
        {"role": "user", "parts": [{"text": "And now?"}]},
    ]


def gemini_cli() -> Json:
    response = {"functionResponse": {"id": "a", "name": "write", "response": {"output": SCRIPT}}}
    call = {"id": "a", "name": "write", "args": ARGUMENTS, "result": [response]}
    call |= {"status": "success", "resultDisplay": SCRIPT}
    said = {"type": "gemini", "content": SAYS, "toolCalls": [call], "thoughts": []}
    return {
        "sessionId": "s",
        "projectHash": "p",
        "messages": [
            {"id": "1", "timestamp": "T", "type": "user", "content": "The task."},
            {"id": "2", "timestamp": "T", **said},
            {"id": "3", "timestamp": "T", "type": "user", "content": "And now?"},
        ],
    }


def adk() -> Json:
    authors = ("user", "agent", "agent", "user")
    events = [
        {"id": f"e{n}", "author": author, "invocationId": "i", "timestamp": n, "content": content}
        for n, (author, content) in enumerate(zip(authors, gemini_contents(), strict=True))
    ]
    events[1]["actions"] = {"stateDelta": {"text": SCRIPT}}
    return {"id": "s", "appName": "a", "userId": "u", "events": events}


def claude_code() -> Json:
    log = Log()
    log.user("The task.")
    thinking = {"type": "thinking", "thinking": "I weigh it.", "signature": SIGNATURE}
    use = {"type": "tool_use", "id": "c1", "name": "Write", "input": ARGUMENTS}
    log.assistant("m1", thinking, {"type": "text", "text": SAYS}, use)
    log.result("c1", OUTPUT)
    log.user("And now?")
    return log.data()


def pi() -> Json:
    shared = {"api": "anthropic-messages", "provider": "anthropic", "model": "m"}
    content = [
        {"type": "thinking", "thinking": "I weigh it.", "thinkingSignature": SIGNATURE},
        {"type": "text", "text": SAYS},
        {"type": "toolCall", "id": "c1", "name": "write", "arguments": ARGUMENTS},
    ]
    answer = {"toolCallId": "c1", "toolName": "write", "content": [_text(OUTPUT)]}
    messages = [
        {"role": "user", "content": [_text("The task.")]},
        {"role": "assistant", "content": content, **shared, "stopReason": "toolUse"},
        {"role": "toolResult", **answer, "isError": False},
        {"role": "user", "content": [_text("And now?")]},
    ]
    head = {"type": "session", "id": "s", "timestamp": "T", "cwd": "/w"}
    rows = [{"type": "message", "timestamp": "T", "message": each} for each in messages]
    return _lines([head, *rows])


def swe_agent() -> Json:
    function = {"name": "write", "arguments": SPELLED}
    calls = [{"id": "c1", "type": "function", "function": function}]
    kind = {"message_type": "observation", "agent": "main", "tool_call_ids": ["c1"]}
    said = {"role": "assistant", "content": SAYS, "thought": SAYS, "action": "write"}
    history = [
        {"role": "user", "content": "The task.", "agent": "main", "message_type": "observation"},
        {**said, "agent": "main", "message_type": "action", "tool_calls": calls},
        {"role": "tool", "content": OUTPUT, **kind},
        {"role": "user", "content": "And now?", "agent": "main", "message_type": "observation"},
    ]
    return {"history": history, "trajectory": [], "info": {}, "environment": "main"}


def mini_swe_agent() -> Json:
    function = {"name": "bash", "arguments": SPELLED}
    calls = [{"id": "c1", "type": "function", "function": function}]
    extra = {"actions": [{"command": SCRIPT, "tool_call_id": "c1"}]}
    messages = [
        {"role": "user", "content": "The task."},
        {"role": "assistant", "content": SAYS, "tool_calls": calls, "extra": extra},
        {"role": "tool", "tool_call_id": "c1", "content": OUTPUT, "extra": {"returncode": 0}},
        {"role": "user", "content": "And now?"},
    ]
    return {"trajectory_format": "mini-swe-agent-1.1", "info": {}, "messages": messages}


def openhands() -> Json:
    def event(name: str, source: str, kind: str, **fields: Any) -> Json:  # noqa: ANN401
        stamp = {"id": name, "timestamp": "2025-01-02T03:04:05", "source": source}
        return {**stamp, **fields, "kind": kind}

    def user(name: str, words: str) -> Json:
        message = {"role": "user", "content": [_text(words)]}
        return event(name, "user", "MessageEvent", llm_message=message)

    call = {"id": "c1", "name": "write", "arguments": SPELLED, "origin": "completion"}
    named = {"tool_name": "write", "tool_call_id": "c1"}
    action = {"kind": "FileEditorAction", "path": "src/a.py", "file_text": SCRIPT}
    thinking = [{"type": "thinking", "thinking": "I weigh it.", "signature": SIGNATURE}]
    acts = {"thought": [_text(SAYS)], "thinking_blocks": thinking, "llm_response_id": "r"}
    observed = {"content": [_text(OUTPUT)], "is_error": False, "kind": "FileEditorObservation"}
    return [
        user("e1", "The task."),
        event("e2", "agent", "ActionEvent", **acts, **named, tool_call=call, action=action),
        event(
            "e3", "environment", "ObservationEvent", **named, action_id="e2", observation=observed
        ),
        user("e4", "And now?"),
    ]


def langchain() -> Json:
    use = {"type": "tool_use", "id": "c1", "name": "write", "input": ARGUMENTS}
    call = {"name": "write", "args": ARGUMENTS, "id": "c1", "type": "tool_call"}
    raw = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": SPELLED}}
    shared: Json = {"additional_kwargs": {}, "response_metadata": {}}
    said = {**shared, "content": [_text(SAYS), use], "tool_calls": [call]}
    said["additional_kwargs"] = {"tool_calls": [raw]}
    result = {"content": OUTPUT, "tool_call_id": "c1", "status": "success"}
    return [
        {"type": "human", "data": {**shared, "content": "The task.", "type": "human"}},
        {"type": "ai", "data": {**said, "type": "ai", "invalid_tool_calls": []}},
        {"type": "tool", "data": {**shared, **result, "type": "tool"}},
        {"type": "human", "data": {**shared, "content": "And now?", "type": "human"}},
    ]


def pydantic_ai() -> Json:
    def request(**part: Json) -> Json:
        return {"parts": [part], "kind": "request"}

    thinking = {"content": "I weigh it.", "signature": SIGNATURE, "part_kind": "thinking"}
    call = {"tool_name": "write", "args": SPELLED, "tool_call_id": "c1", "part_kind": "tool-call"}
    said = [thinking, {"content": SAYS, "part_kind": "text"}, call]
    result = {"tool_name": "write", "content": OUTPUT, "tool_call_id": "c1"}
    return [
        request(content="The task.", part_kind="user-prompt"),
        {"parts": said, "kind": "response"},
        request(**result, part_kind="tool-return"),
        request(content="And now?", part_kind="user-prompt"),
    ]


def inspect_ai() -> Json:
    calls = [{"id": "c1", "function": "write", "arguments": ARGUMENTS}]
    reasoning = {"type": "reasoning", "reasoning": "I weigh it.", "signature": SIGNATURE}
    content = [reasoning, _text(SAYS)]
    messages = [
        {"role": "user", "content": "The task."},
        {"role": "assistant", "content": content, "source": "generate", "tool_calls": calls},
        {"role": "tool", "content": OUTPUT, "tool_call_id": "c1", "function": "write"},
        {"role": "user", "content": "And now?"},
    ]
    sample = {"id": 1, "epoch": 1, "input": "a", "target": "b", "messages": messages}
    return {**sample, "events": [], "scores": {}}


def otel_genai() -> Json:
    def words(text: str) -> Json:
        return {"type": "text", "content": text}

    call = {"type": "tool_call", "id": "c1", "name": "write", "arguments": ARGUMENTS}
    response = {"type": "tool_call_response", "id": "c1", "response": OUTPUT}
    return [
        {"role": "user", "parts": [words("The task.")]},
        {"role": "assistant", "parts": [words(SAYS), call]},
        {"role": "tool", "parts": [response]},
        {"role": "user", "parts": [words("And now?")]},
    ]


def atif() -> Json:
    call = {"tool_call_id": "c1", "function_name": "write", "arguments": ARGUMENTS}
    results = [{"source_call_id": "c1", "content": SCRIPT}]
    steps: list[Json] = [
        {"source": "user", "message": "The task."},
        {"source": "agent", "message": SAYS, "tool_calls": [call]},
        {"source": "user", "message": "And now?"},
    ]
    steps[1]["observation"] = {"results": results}
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
    }


def toolbench() -> Json:
    call = {"name": "write", "arguments": SPELLED}
    chat = [
        {"role": "user", "content": "The task."},
        {"role": "assistant", "content": SAYS, "function_call": call},
        {"role": "function", "name": "write", "content": OUTPUT},
        {"role": "user", "content": "And now?"},
    ]
    held = {"valid_data": True, "train_messages": [chat], "query": "The task."}
    return {"win": True, "tree": {"size": 1}, "answer_generation": held}


def sharegpt() -> Json:
    call = {"name": "write", "arguments": ARGUMENTS}
    items = [("human", "The task."), ("function_call", json.dumps(call, ensure_ascii=False))]
    items += [("observation", OUTPUT), ("gpt", SAYS), ("human", "And now?")]
    return {"conversations": [{"from": name, "value": value} for name, value in items]}


def _text(words: str) -> Json:
    return {"type": "text", "text": words}


def _lines(rows: list[Json]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


SESSIONS: dict[str, Json] = {
    "openai-chat": openai_chat(),
    "anthropic-messages": anthropic_messages(),
    "openai-responses": openai_responses(),
    "codex": codex(),
    "gemini-contents": gemini_contents(),
    "gemini-cli": gemini_cli(),
    "adk": adk(),
    "claude-code": claude_code(),
    "pi": pi(),
    "swe-agent": swe_agent(),
    "mini-swe-agent": mini_swe_agent(),
    "openhands": openhands(),
    "langchain": langchain(),
    "pydantic-ai": pydantic_ai(),
    "inspect-ai": inspect_ai(),
    "otel-genai": otel_genai(),
    "atif": atif(),
    "toolbench": toolbench(),
    "sharegpt": sharegpt(),
}


def render(view: Json, session: Session, **options: Json) -> Json:
    return formats.render(view, session, **options)


def masked(session: Session) -> CompactedView:
    """Mask everything that may be masked."""
    policy = ObservationMaskingPolicy(0, mask_inputs=True, estimator=MessageEstimator())
    plan = policy.decide(session.transcript, CompactionBudget(1, 0))
    return CompactionExecutor().apply(session.transcript, plan)


def test_every_format_with_calls_is_here() -> None:
    assert {*SESSIONS, "plain-text"} == set(FORMATS)


@pytest.mark.parametrize("name", SESSIONS)
@pytest.mark.parametrize("reasoning", [None, "keep", "strip_after_edit", "strip_all"])
def test_the_inputs_are_gone_and_the_rest_of_the_message_is_there(
    name: str,
    reasoning: Any,  # noqa: ANN401
) -> None:
    """G1, G2, B1. Would catch: a copy of an input that stays, words or short values that go."""
    session = parse(SESSIONS[name], format=name, pins=NO_PINS)
    view = masked(session)
    caller = next(turn for turn in view.transcript if turn.tool_call_id is not None)
    assert caller.role is Role.ASSISTANT
    assert caller.metadata["turnfold.kind"] == "masked"
    rendered = render(view, session, reasoning=reasoning)
    data = to_bytes(rendered).decode()
    assert "print(" not in data
    assert "+ line" not in data
    assert OUTPUT not in data
    for kept in (SAYS, "src/a.py", "force", "c1" if "c1" in str(SESSIONS[name]) else "write"):
        assert kept in data
    assert f"[{len(SCRIPT)} characters removed to save space]" in data
    assert SIGNATURE not in data
    assert check(rendered, format=name) == ()


@pytest.mark.parametrize("name", SESSIONS)
def test_it_reads_back_to_the_turns_of_the_view(name: str) -> None:
    """L3, D5: what was counted is what is there. Would catch: another text than the plan's."""
    session = parse(SESSIONS[name], format=name, pins=NO_PINS)
    view = masked(session)
    rendered = render(view, session)
    again = parse(to_bytes(rendered), format=name, pins=NO_PINS, ledger=view.ledger)
    assert again.transcript.digest() == view.transcript.digest()
    assert again.ledger == view.ledger
    for turn, planned in zip(again.transcript, view.transcript, strict=True):
        assert turn.token_estimate <= planned.token_estimate
    assert masked(again).transcript.digest() == again.transcript.digest()


@pytest.mark.parametrize("name", SESSIONS)
def test_without_the_option_the_calls_stay_as_they_are(name: str) -> None:
    """The default masks results alone."""
    session = parse(SESSIONS[name], format=name, pins=NO_PINS)
    plan = ObservationMaskingPolicy(0).decide(session.transcript, CompactionBudget(1, 0))
    view = CompactionExecutor().apply(session.transcript, plan)
    data = to_bytes(render(view, session)).decode()
    assert data.count("print(") >= SCRIPT.count("print(")
    assert "characters removed" not in data


def test_calls_of_the_current_turn_keep_their_signature() -> None:
    """B1: Gemini wants it on the calls of the turn that it is in."""
    contents = gemini_contents()[:3]
    session = parse(contents, format="gemini-contents", pins=NO_PINS)
    rendered = render(masked(session), session)
    assert rendered[1]["parts"][1]["thoughtSignature"] == SIGNATURE
    assert check(rendered, format="gemini-contents") == ()


def test_a_stranger_may_still_mask_the_words() -> None:
    """What another policy puts in the place of a turn is its text; the calls stay."""
    session = parse(openai_chat(), pins=NO_PINS)
    turns = tuple(
        turn.masked("[gone]", 2) if turn.role is Role.ASSISTANT else turn
        for turn in session.transcript
    )
    rendered = render(Transcript(turns), session)
    assert rendered[1]["content"] == "[gone]"
    assert rendered[1]["tool_calls"] == openai_chat()[1]["tool_calls"]


def test_reasons_say_what_was_masked() -> None:
    session = parse(anthropic_messages(), pins=NO_PINS)
    policy = ObservationMaskingPolicy(0, mask_inputs=True)
    plan = policy.decide(session.transcript, CompactionBudget(1, 0))
    assert [decision.reason for decision in plan.decisions] == [
        Reason.KEEP_FITS,
        Reason.MASK_CALL_INPUT,
        Reason.MASK_OLDEST,
        Reason.KEEP_FITS,
    ]
