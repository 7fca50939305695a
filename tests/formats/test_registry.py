"""Which formats a document is held against at all."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.formats.format_laws import damaged
from turnfold.formats import FORMATS, detect
from turnfold.formats._registry import candidates, reads_of

Json = Any

_EVENT = {"source": "user", "timestamp": "t", "kind": "MessageEvent"}
_EARLIER = {"source": "user", "timestamp": "t", "action": "message", "args": {"content": "hi"}}
_REQUEST = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "hi"}]}
_HUMAN = {"type": "human", "content": "hi"}
_PARTED = {"role": "user", "parts": [{"type": "text", "content": "hi"}]}
_SAMPLE = {"epoch": 1, "target": "", "messages": [{"role": "user", "content": "hi"}]}
_CHAT = {"role": "user", "content": "hi"}
_TYPED = {"type": "message", "role": "user", "content": "hi"}
_ADDED = {"author": "user", "invocationId": "i", "content": {"parts": [{"text": "hi"}]}}
_STEP = {"action": "ls", "observation": "a"}
_SAID = {"from": "human", "value": "hi"}

DOCUMENTS: list[tuple[str, Json]] = [
    ("gemini-cli", {"sessionId": "s", "startTime": "", "messages": [{"type": "user"}]}),
    ("openhands", [_EVENT]),
    ("openhands", [[_EARLIER, {**_EARLIER, "action": "run"}]]),
    ("openhands", {"events": [_EVENT]}),
    ("openhands", {"history": [_EARLIER]}),
    ("openhands", [{"history": [_EARLIER]}]),
    ("swe-agent", {"history": [_CHAT], "trajectory": [_STEP]}),
    ("mini-swe-agent", {"messages": [_CHAT], "info": {"mini_version": "2"}}),
    ("mini-swe-agent", {"messages": [_CHAT], "trajectory_format": "mini-swe-agent-1.1"}),
    ("adk", {"events": [_ADDED]}),
    ("inspect-ai", _SAMPLE),
    ("inspect-ai", {"eval": {}, "samples": [_SAMPLE]}),
    ("atif", {"schema_version": "ATIF-v1.7", "steps": [{"source": "user", "message": "hi"}]}),
    ("pydantic-ai", [_REQUEST]),
    ("pydantic-ai", {"messages": [_REQUEST]}),
    ("pydantic-ai", {"all_messages": [_REQUEST]}),
    ("langchain", [_HUMAN]),
    ("langchain", {"values": {"messages": [_HUMAN]}}),
    ("langchain", [{"role": "assistant", "content": "", "tool_calls": [{"name": "", "args": {}}]}]),
    ("otel-genai", [_PARTED]),
    ("otel-genai", {"gen_ai.input.messages": [_PARTED]}),
    ("otel-genai", {"attributes": {"gen_ai.input.messages": [_PARTED]}}),
    ("toolbench", {"win": True, "answer_generation": {"train_messages": [[_CHAT]]}}),
    ("sharegpt", [_SAID]),
    ("sharegpt", {"conversations": [_SAID]}),
    ("sharegpt", [{"conversations": [_SAID]}]),
    ("openai-responses", [_TYPED]),
    ("openai-responses", {"input": [_TYPED]}),
    ("openai-responses", {"responses_create_params": {"input": "hi"}}),
    ("gemini-contents", [{"role": "user", "parts": [{"text": "hi"}]}]),
    ("gemini-contents", {"contents": [{"parts": [{"text": "hi"}]}]}),
    ("openai-chat", [_CHAT]),
    ("openai-chat", {"messages": [_CHAT]}),
    ("anthropic-messages", {"system": "", "messages": [_CHAT]}),
]


@pytest.mark.parametrize(("name", "document"), DOCUMENTS)
def test_a_document_is_held_against_its_format(name: str, document: Json) -> None:
    """R1. Would catch: a way to write a format that has none of the keys it is looked for by."""
    assert detect(document) == name


@given(st.sampled_from([document for _, document in DOCUMENTS]).flatmap(damaged))
def test_a_format_is_ruled_out_only_where_it_would_not_match(document: Json) -> None:
    """R1. Would catch: a key too few in the table, so that a session is taken for another's."""
    left = set(candidates(document))
    of_documents = [name for name in FORMATS if reads_of(name) in ("json", "json or lines")]
    assert not {name for name in of_documents if FORMATS[name].matches(document)} - left


def test_a_chat_is_held_against_few_formats() -> None:
    """Would catch: every format looks through every list of messages again."""
    assert list(candidates([_CHAT])) == [
        "langchain",
        "openai-responses",
        "openai-chat",
        "anthropic-messages",
    ]
