"""OpenAI's Responses, as the server of them sees them."""

import json
from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats import Fault, check
from turnfold.testing.provider._errors import (
    OPENAI_WORDS,
    empty_array,
    missing_parameter,
    openai_error,
    worded,
)
from turnfold.testing.provider._items import (
    conversation_of,
    encrypted,
    history_of,
    item_faults,
    items_prefix,
    moved_reasoning,
    unknown_origin,
)
from turnfold.testing.provider._memory import Memory, Settings
from turnfold.testing.provider._records import Reply, Request
from turnfold.testing.provider._response_events import events
from turnfold.testing.provider._sizes import THOUGHT, output_tokens, tokens_of
from turnfold.tokens import text_tokens

WORDS: Final = OPENAI_WORDS
_FORMAT: Final = "openai-responses"
_EPOCH: Final = 1_700_000_000
_WINDOW: Final = (
    "Your input exceeds the context window of this model. Please adjust your input and try again."
)
_CUT: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}
_ENCRYPTED: Final = "reasoning.encrypted_content"
_OF_ITS_PLACE: Final = ("missing_parameter", "empty_messages", "unknown_response")


__all__ = ["WORDS", "answer", "error_body", "events", "inspect"]


def inspect(request: Request, memory: Memory, settings: Settings) -> None:
    """Measure a request and find what the provider refuses it for."""
    body = request.body
    faults = list(_shape(body, memory))
    items = history_of(body, memory)
    if faults or items is None:
        request.faults = worded(faults)
        return
    faults += check(items, format=_FORMAT)
    faults += item_faults(items, memory)
    prefix = items_prefix(items)
    if settings.bound_reasoning:
        request.dropped = moved_reasoning(items, prefix, memory)
    history = {"instructions": body.get("instructions") or "", "input": items}
    request.tokens = tokens_of(history, _FORMAT, body.get("tools"))
    if settings.window is not None and request.tokens > settings.window:
        faults.append(Fault("input", "window", "the request exceeds the window", _WINDOW))
    request.faults = worded(faults)
    if not faults:
        request.cached_tokens = memory.cached(prefix, request.tokens)


def _shape(body: dict[str, Any], memory: Memory) -> Iterator[Fault]:
    if not isinstance(body.get("model"), str):
        yield missing_parameter("model")
    if not isinstance(body.get("input"), str | list):
        yield missing_parameter("input")
    elif not (body["input"] or body.get("previous_response_id") or conversation_of(body)):
        yield Fault("input", "empty_messages", "input is empty", empty_array("input"))
    elif history_of(body, memory) is None:
        yield unknown_origin(body)


def error_body(fault: Fault, request_id: str) -> dict[str, Any]:  # noqa: ARG001  As for the others.
    """Return the body of an error."""
    return openai_error(fault, None if fault.rule in _OF_ITS_PLACE else "input")


def answer(
    request: Request,
    reply: Reply,
    memory: Memory,
    settings: Settings,  # noqa: ARG001  As for the other APIs.
) -> dict[str, Any]:
    """Return the response that holds a reply."""
    body = request.body
    items = history_of(body, memory) or []
    reasons = _reasons(body) if reply.reasoning is None else reply.reasoning
    output = _output(reply, memory, items_prefix(items).whole if reasons else None)
    named = memory.new_id("resp")
    _remember(memory, named, items, output, is_stored=body.get("store") is not False)
    conversation = conversation_of(body)
    if conversation is not None:
        memory.conversations[conversation] = [*items, *output]
    included = body.get("include")
    carried = body.get("store") is False or (isinstance(included, list) and _ENCRYPTED in included)
    shown = output if carried else [_without_content(item) for item in output]
    cut = _CUT.get(reply.stop)
    return {
        "id": named,
        "object": "response",
        "created_at": _EPOCH + request.number,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": cut} if cut else None,
        "instructions": body.get("instructions"),
        "model": body["model"],
        "output": shown,
        "previous_response_id": body.get("previous_response_id"),
        "conversation": None if conversation is None else {"id": conversation},
        "store": body.get("store") is not False,
        "parallel_tool_calls": True,
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": body.get("tools") or [],
        "temperature": 1.0,
        "top_p": 1.0,
        "truncation": "disabled",
        "text": {"format": {"type": "text"}},
        "metadata": body.get("metadata") or {},
        "usage": _usage(request, reply, text_tokens(THOUGHT) if reasons else 0),
    }


def _reasons(body: dict[str, Any]) -> bool:
    asked = body.get("reasoning")
    effort = asked.get("effort", "medium") if isinstance(asked, dict) else None
    return effort not in (None, "none")


def _output(reply: Reply, memory: Memory, prefix: str | None) -> list[dict[str, Any]]:
    output: list[dict[str, Any]] = []
    leader = None
    if prefix is not None:
        leader = memory.new_id("rs")
        memory.bindings[leader] = prefix
        content = encrypted(leader)
        output.append(
            {"id": leader, "type": "reasoning", "summary": [], "encrypted_content": content}
        )
    if reply.text or not reply.calls:
        output.append(_message(memory.new_id("msg"), reply.text))
    for name, arguments in reply.calls:
        call = {"id": memory.new_id("fc"), "type": "function_call", "status": "completed"}
        call |= {"call_id": memory.new_id("call"), "name": name}
        output.append({**call, "arguments": json.dumps(arguments)})
    if leader is not None:
        memory.leaders[output[1]["id"]] = leader
    return output


def _message(named: str, text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "id": named,
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def _without_content(item: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in item.items() if key != "encrypted_content"}


def _remember(
    memory: Memory,
    named: str,
    items: list[Any],
    output: list[dict[str, Any]],
    *,
    is_stored: bool,
) -> None:
    if not is_stored:
        memory.lost.update(item["id"] for item in output)
        return
    memory.stored[named] = [*items, *output]
    memory.items.update((item["id"], item) for item in output)


def _usage(request: Request, reply: Reply, thought: int) -> dict[str, Any]:
    said = output_tokens(reply) + thought
    cached = {"cached_tokens": request.cached_tokens, "cache_write_tokens": 0}
    return {
        "input_tokens": request.tokens,
        "input_tokens_details": cached,
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": request.tokens + said,
    }
