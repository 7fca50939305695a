"""OpenAI's chat completions, as the server of one sees them."""

import json
from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats import Fault, check
from turnfold.testing.provider._deepseek import deepseek_faults
from turnfold.testing.provider._errors import (
    OPENAI_WORDS,
    empty_array,
    missing_parameter,
    openai_error,
    worded,
)
from turnfold.testing.provider._memory import Memory, Settings, prefix_of
from turnfold.testing.provider._records import Reply, Request
from turnfold.testing.provider._sizes import THOUGHT, output_tokens, pieces, tokens_of
from turnfold.tokens import text_tokens

WORDS: Final = OPENAI_WORDS
_FORMAT: Final = "openai-chat"
_EPOCH: Final = 1_700_000_000
_WINDOW: Final = (
    "This model's maximum context length is {window} tokens. However, your messages resulted in "
    "{tokens} tokens. Please reduce the length of the messages."
)
_MODEL: Final = "you must provide a model parameter"


def inspect(request: Request, memory: Memory, settings: Settings) -> None:
    """Measure a request and find what the provider refuses it for."""
    body = request.body
    faults = list(_shape(body))
    if not faults:
        messages = body["messages"]
        faults += check(messages, format=_FORMAT)
        if settings.dialect == "deepseek":
            faults = list(deepseek_faults(messages, faults, memory))
        request.tokens = tokens_of({"messages": messages}, _FORMAT, body.get("tools"))
        if settings.window is not None and request.tokens > settings.window:
            words = _WINDOW.format(window=settings.window, tokens=request.tokens)
            faults.append(Fault("messages", "window", "the request exceeds the window", words))
    request.faults = worded(faults)
    if not faults:
        units = [body.get("tools") or [], *body["messages"]]
        request.cached_tokens = memory.cached(prefix_of(units), request.tokens)


def _shape(body: dict[str, Any]) -> Iterator[Fault]:
    if not isinstance(body.get("model"), str):
        yield Fault("model", "model", "model is missing", _MODEL)
    messages = body.get("messages")
    if not isinstance(messages, list):
        yield missing_parameter("messages")
    elif not messages:
        yield Fault("messages", "empty_messages", "messages is empty", empty_array("messages"))


def error_body(fault: Fault, request_id: str) -> dict[str, Any]:  # noqa: ARG001  As for the others.
    """Return the body of an error."""
    return openai_error(fault)


def answer(request: Request, reply: Reply, memory: Memory, settings: Settings) -> dict[str, Any]:
    """Return the completion that holds a reply."""
    body = request.body
    reasons = _reasons(reply, body, settings)
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if not reply.calls:
        message["content"] = reply.text
    if reasons and settings.dialect == "deepseek":
        message["reasoning_content"] = THOUGHT
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": memory.new_id("call"),
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for name, arguments in reply.calls
        ]
        if "reasoning_content" in message:
            memory.spoken.update((call["id"], THOUGHT) for call in message["tool_calls"])
    return {
        "id": memory.new_id("chatcmpl"),
        "object": "chat.completion",
        "created": _EPOCH + request.number,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.stop}
        ],
        "usage": _usage(request, reply, reasons=reasons),
        "service_tier": "default",
    }


def _reasons(reply: Reply, body: dict[str, Any], settings: Settings) -> bool:
    if reply.reasoning is not None:
        return reply.reasoning
    asked = body.get("reasoning_effort") not in (None, "none")
    return asked or settings.dialect == "deepseek"


def _usage(request: Request, reply: Reply, *, reasons: bool) -> dict[str, Any]:
    thought = text_tokens(THOUGHT) if reasons else 0
    said = output_tokens(reply) + thought
    return {
        "prompt_tokens": request.tokens,
        "completion_tokens": said,
        "total_tokens": request.tokens + said,
        "prompt_tokens_details": {"cached_tokens": request.cached_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thought, "audio_tokens": 0},
    }


def events(answered: dict[str, Any], body: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield a completion as the chunks of a stream."""
    head = {key: answered[key] for key in ("id", "created", "model", "service_tier")}
    head["object"] = "chat.completion.chunk"
    options = body.get("stream_options")
    counts = isinstance(options, dict) and bool(options.get("include_usage"))
    usage: dict[str, Any] = {"usage": None} if counts else {}
    (choice,) = answered["choices"]
    for delta in _deltas(choice["message"]):
        part = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}
        yield "", {**head, "choices": [part], **usage}
    last = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": choice["finish_reason"]}
    yield "", {**head, "choices": [last], **usage}
    if counts:
        yield "", {**head, "choices": [], "usage": answered["usage"]}
    yield "", "[DONE]"


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if message["content"] is None else ""}
    for key in ("reasoning_content", "content"):
        if message.get(key):
            yield from ({key: piece} for piece in pieces(message[key]))
    for number, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        opened = {**call, "index": number, "function": {**function, "arguments": ""}}
        yield {"tool_calls": [opened]}
        for piece in pieces(function["arguments"]):
            yield {"tool_calls": [{"index": number, "function": {"arguments": piece}}]}
