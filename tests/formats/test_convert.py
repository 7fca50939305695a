"""Conversion: whatever was read becomes what each provider takes, and what is lost is counted."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.json_histories import Step, histories
from tests.formats.test_openai_chat import built
from turnfold.errors import InvalidConfiguration, UnrenderableView
from turnfold.formats import check, convert, parse
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats.convert import TARGETS

JSON_TARGETS = [each for each in TARGETS if each != "plain-text"]


def call(call_id: str, arguments: str = "{}") -> dict[str, Any]:
    function = {"name": "run", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def losses(messages: list[Any], to: str = "anthropic-messages") -> dict[str, int]:
    return {each.what: each.count for each in convert(parse(messages), to).losses}


@pytest.mark.parametrize("target", JSON_TARGETS)
@given(messages=histories(built))
def test_any_history_becomes_what_the_provider_takes(target: str, messages: list[Any]) -> None:
    """A1, A7, A12; would catch: a target that leaves a call open or answers one twice."""
    converted = convert(parse(messages), target)
    assert check(converted.document, format=target, pending_ok=True) == ()


@given(messages=histories(built))
def test_words_calls_and_results_arrive(messages: list[Any]) -> None:
    """Would catch: a call, a result or a user's word that a conversion drops without saying so."""
    document: Any = convert(parse(messages), "anthropic-messages").document
    spelled = json.dumps(document["messages"], ensure_ascii=False)
    for message in messages:
        if message["role"] == "user":
            assert json.dumps(message["content"], ensure_ascii=False) in spelled
    made = sum(len(message.get("tool_calls") or ()) for message in messages)
    assert spelled.count('"type": "tool_use"') == made


def test_arguments_are_kept_as_they_were_written() -> None:
    """Would catch: arguments that are parsed and spelled again, or cut at a line's end."""
    arguments = '{"b": 1,  "text": "[call x] {}", "a": "two\\nlines"}'
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "I [call x] it.", "tool_calls": [call("c", arguments)]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]
    chat: Any = convert(parse(messages), "openai-chat").document
    assert chat == messages
    claude: Any = convert(parse(messages), "anthropic-messages").document
    assert claude["messages"][1]["content"][1]["input"] == json.loads(arguments)


def test_what_is_lost_is_counted() -> None:
    messages = [
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("c")],
            "reasoning_content": "hm",
        },
        {"role": "user", "content": "no"},
        {"role": "assistant", "content": None, "tool_calls": [call("c")]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "tool", "tool_call_id": "gone", "content": "what?"},
    ]
    assert losses(messages) == {
        "messages whose reasoning is not carried": 1,
        "pictures and documents that are marks only": 1,
        "results that answer no call, left out": 1,
        "calls without a result, closed with an error": 1,
        "calls under another id": 1,
    }


def test_a_pending_call_at_the_end_stays_open() -> None:
    """A12; would catch: a call that waits for a person's answer closed as a failure."""
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call("c")]},
    ]
    document = convert(parse(messages), "openai-responses").document
    assert CLOSED_CALL not in json.dumps(document)


def test_instructions_alone_are_no_conversation() -> None:
    with pytest.raises(UnrenderableView, match="nothing but instructions"):
        convert(parse([{"role": "system", "content": "Be brief."}]), "openai-chat")


def test_an_unknown_target_is_named_with_the_known_ones() -> None:
    session = parse([{"role": "user", "content": "hi"}])
    with pytest.raises(InvalidConfiguration, match="anthropic-messages"):
        convert(session, "claude-code")


@given(steps=st.lists(st.just(("user", "ok")), min_size=1, max_size=3))
def test_plain_text_reads_back(steps: list[Step]) -> None:
    text = convert(parse(built(steps)), "plain-text").document
    assert isinstance(text, str)
    assert len(parse(text, format="plain-text").transcript) == len(steps)


def use(call_id: str, name: str, given: dict[str, Any], kind: str = "tool_use") -> dict[str, Any]:
    return {"type": kind, "id": call_id, "name": name, "input": given}


SEARCH = use("s", "web_search", {"q": "x"}, "server_tool_use")
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
SAID = {"type": "text", "text": "I wait."}


@pytest.mark.parametrize(
    "behind",
    [[SAID], [SEARCH, FOUND], [SEARCH, FOUND, SAID], [{"type": "text", "text": "[call read] it"}]],
    ids=["words", "hosted", "both", "quoted"],
)
def test_what_stands_behind_a_call_is_no_part_of_its_arguments(behind: list[Any]) -> None:
    """Would catch: a call that becomes another tool's, or arguments that are no JSON any more."""
    first, second = use("t1", "read", {"a": 1}), use("t2", "list", {"b": {"c": "\n"}})
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [first, second, *behind]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": each, "content": "ok"}
                for each in ("t1", "t2")
            ],
        },
    ]
    document: Any = convert(parse(messages), "anthropic-messages").document
    words, *calls = document["messages"][1]["content"]
    assert calls == [first, second]
    assert words["text"]
