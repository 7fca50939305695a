"""What the tests of the fake provider speak HTTP with, and the histories that they send."""

import json
import urllib.error
import urllib.request
from typing import Any

from turnfold.testing.provider import FakeProvider

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
MESSAGES = "/v1/messages"

Body = dict[str, Any]
Content = str | list[Body] | None


def post(
    provider: FakeProvider, path: str, body: Body | bytes, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """Return the status and the parsed body of an answer; a body of bytes is sent as it is."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Authorization": "Bearer any"} if headers is None else headers
    url = provider.base_url + path
    request = urllib.request.Request(url, data, given)  # noqa: S310  It is this machine.
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.loads(refusal.read())


def words_of(answer: Body) -> str:
    """Return the message of an error's body."""
    message: str = answer["error"]["message"]
    return message


def user(content: Content = "go on") -> Body:
    return {"role": "user", "content": content}


def said(content: Content = "well") -> Body:
    return {"role": "assistant", "content": content}


def system(content: str = "be brief") -> Body:
    return {"role": "system", "content": content}


def chat(*messages: Body, **options: object) -> Body:
    return {"model": "m", "messages": list(messages), **options}


def chat_calls(*ids: str, **more: object) -> Body:
    function = {"name": "read_file", "arguments": "{}"}
    calls = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def chat_result(call_id: str, content: Content = "done") -> Body:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def responses(*items: Body, **options: object) -> Body:
    return {"model": "m", "input": list(items), **options}


def item_call(call_id: str, **more: object) -> Body:
    call = {"type": "function_call", "call_id": call_id, "name": "read_file"}
    return {**call, "arguments": "{}", **more}


def item_output(call_id: str) -> Body:
    return {"type": "function_call_output", "call_id": call_id, "output": "done"}


def item_reasoning(named: str) -> Body:
    return {"type": "reasoning", "id": named, "summary": [], "encrypted_content": "opaque"}


def messages(*listed: Body, **options: object) -> Body:
    return {"model": "m", "max_tokens": 4096, "messages": list(listed), **options}


def text(words: str = "well", **more: object) -> Body:
    return {"type": "text", "text": words, **more}


def use(named: str) -> Body:
    return {"type": "tool_use", "id": named, "name": "read_file", "input": {}}


def result(named: str, content: Content = "done") -> Body:
    return {"type": "tool_result", "tool_use_id": named, "content": content}


def thinking(words: str, signature: str) -> Body:
    return {"type": "thinking", "thinking": words, "signature": signature}
