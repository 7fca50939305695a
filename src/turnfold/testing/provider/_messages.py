"""Anthropic's messages, as the server of them sees them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold.formats import Fault, check
from turnfold.testing.provider._errors import ANTHROPIC_WORDS, anthropic_error, worded
from turnfold.testing.provider._memory import Memory, Prefix, Settings
from turnfold.testing.provider._records import Reply, Request
from turnfold.testing.provider._sizes import THOUGHT, output_tokens, pieces, tokens_of
from turnfold.testing.provider._thinking import (
    Block,
    blocks_of,
    drops_mismatches,
    request_prefix,
    signature_of,
    thinking_faults,
)
from turnfold.tokens import text_tokens

WORDS: Final = ANTHROPIC_WORDS
_FORMAT: Final = "anthropic-messages"
_STOPS: Final = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_FIELDS: Final = {"model": str, "max_tokens": int, "messages": list}
_MOST_MARKS: Final = 4
_PREFILL: Final = (
    "This model does not support assistant message prefill. The conversation must end with a user "
    "message."
)
_TRAILING: Final = "messages: final assistant content cannot end with trailing whitespace"
_MARKS: Final = "A maximum of 4 blocks with cache_control may be provided. Found {found}."


def inspect(request: Request, memory: Memory, settings: Settings) -> None:
    """Measure a request and find what the provider refuses it for."""
    body = request.body
    faults = list(shape_faults(body, _FIELDS))
    if faults:
        request.faults = worded(faults, dotted=True)
        return
    blocks = blocks_of(body["messages"])
    prefix = request_prefix(body, blocks)
    faults += check(body["messages"], format=_FORMAT)
    bound = list(thinking_faults(body, blocks, prefix, is_bound=settings.bound_reasoning))
    if drops_mismatches(body):
        request.dropped = tuple(each.place for each in bound if each.rule == "bound_thinking")
        bound = [each for each in bound if each.rule != "bound_thinking"]
    faults += bound
    faults += _end(blocks, may_prefill=settings.prefill)
    faults += _marks(body)
    request.tokens = size_of(body)
    if settings.window is not None and request.tokens > settings.window:
        words = f"prompt is too long: {request.tokens} tokens > {settings.window} maximum"
        faults.append(Fault("messages", "window", "the request exceeds the window", words))
    request.faults = worded(faults, dotted=True)
    if not faults:
        cached = memory.cached(prefix, request.tokens)
        request.cached_tokens = cached if "cache_control" in json.dumps(body) else 0


def size_of(body: dict[str, Any]) -> int:
    """Return how many tokens a request has, its tools included."""
    history = {key: body[key] for key in ("system", "messages") if body.get(key)}
    return tokens_of(history, _FORMAT, body.get("tools"))


def shape_faults(body: dict[str, Any], fields: Mapping[str, type]) -> Iterator[Fault]:
    """Yield what is missing in a request, so that its messages cannot be looked at.

    Args:
        body: The request.
        fields: The types of what it has to have, by name.
    """
    for name, kind in fields.items():
        if not isinstance(body.get(name), kind):
            yield Fault(name, "field", f"{name} is missing", f"{name}: Field required")
    if body.get("messages") == []:
        words = "messages: at least one message is required"
        yield Fault("messages", "empty_messages", "messages is empty", words)
    messages = body.get("messages")
    for block in blocks_of(messages if isinstance(messages, list) else ()):
        if block.kind == "thinking" and not isinstance(block.value.get("signature"), str):
            words = f"{block.path}.thinking.signature: Field required"
            yield Fault(block.place, "field", "a thinking block has a signature", words)


def _end(blocks: Sequence[Block], *, may_prefill: bool) -> Iterator[Fault]:
    """A conversation ends with the user; where it may not, its last text is not half a word."""
    last = blocks[-1] if blocks else None
    if last is None or last.role != "assistant" or last.kind == "tool_use":
        return
    text = last.value.get("text") if isinstance(last.value, dict) else None
    if not may_prefill:
        yield Fault(last.place, "prefill", "a conversation ends with the user", _PREFILL)
    elif isinstance(text, str) and text != text.rstrip():
        yield Fault(last.place, "trailing_space", "a prefill ends in a space", _TRAILING)


def _marks(body: dict[str, Any]) -> Iterator[Fault]:
    """At most four marks for the cache stand in a request."""
    parts = [body.get(key) or [] for key in ("system", "tools", "messages")]
    found = sum(map(_marks_in, parts))
    if found > _MOST_MARKS:
        words = _MARKS.format(found=found)
        yield Fault("messages", "cache_marks", f"{found} marks for the cache", words)


def _marks_in(value: object) -> int:
    if isinstance(value, dict):
        own = value.get("cache_control") is not None
        return own + sum(_marks_in(each) for key, each in value.items() if key != "input")
    return sum(map(_marks_in, value)) if isinstance(value, list) else 0


def error_body(fault: Fault, request_id: str) -> dict[str, Any]:
    """Return the body of an error."""
    return anthropic_error(fault, request_id)


def answer(
    request: Request,
    reply: Reply,
    memory: Memory,
    settings: Settings,  # noqa: ARG001  As for the other APIs.
) -> dict[str, Any]:
    """Return the message that holds a reply."""
    body = request.body
    blocks = blocks_of(body["messages"])
    reasons = _thinks(body) if reply.reasoning is None else reply.reasoning
    content = _content(reply, memory, request_prefix(body, blocks) if reasons else None)
    answered = {
        "id": memory.new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": _STOPS[reply.stop],
        "stop_sequence": None,
        "usage": _usage(request, reply, text_tokens(THOUGHT) if reasons else 0),
    }
    if request.dropped:
        answered["input_transformations"] = [_dropped(place) for place in request.dropped]
    return answered


def _thinks(body: dict[str, Any]) -> bool:
    thinking = body.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") not in (None, "disabled")


def _content(reply: Reply, memory: Memory, prefix: Prefix | None) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    if prefix is not None:
        memory.counts["signature"] += 1
        signature = signature_of(THOUGHT, prefix.whole, memory.counts["signature"])
        content.append({"type": "thinking", "thinking": THOUGHT, "signature": signature})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for name, arguments in reply.calls:
        named = memory.new_id("toolu")
        content.append({"type": "tool_use", "id": named, "name": name, "input": dict(arguments)})
    return content


def _usage(request: Request, reply: Reply, thought: int) -> dict[str, Any]:
    marked = "cache_control" in json.dumps(request.body)
    fresh = request.tokens - request.cached_tokens
    return {
        "input_tokens": 0 if marked else fresh,
        "cache_creation_input_tokens": fresh if marked else 0,
        "cache_read_input_tokens": request.cached_tokens,
        "output_tokens": output_tokens(reply) + thought,
        "service_tier": "standard",
    }


def _dropped(place: str) -> dict[str, Any]:
    path = place.replace("[", ".").replace("]", "")
    return {"type": "thinking_dropped", "path": path, "reason": "prefix_binding_mismatch"}


def events(answered: dict[str, Any], body: dict[str, Any]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Yield a message as the events of a stream."""
    for event in _events(answered):
        yield event["type"], event


def _events(answered: dict[str, Any]) -> Iterator[dict[str, Any]]:
    usage = answered["usage"]
    opened = {
        **answered,
        "content": [],
        "stop_reason": None,
        "usage": {**usage, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": opened}
    for index, block in enumerate(answered["content"]):
        start, deltas = _block_parts(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {"stop_reason": answered["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": usage}
    yield {"type": "message_stop"}


def _block_parts(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a block as it is opened, and what is then added to it."""
    if block["type"] == "thinking":
        thought = [
            {"type": "thinking_delta", "thinking": each} for each in pieces(block["thinking"])
        ]
        signed = {"type": "signature_delta", "signature": block["signature"]}
        return {**block, "thinking": "", "signature": ""}, [*thought, signed]
    if block["type"] == "text":
        texts = [{"type": "text_delta", "text": each} for each in pieces(block["text"])]
        return {**block, "text": ""}, texts
    parts = pieces(json.dumps(block["input"]))
    inputs = [{"type": "input_json_delta", "partial_json": each} for each in ["", *parts]]
    return {**block, "input": {}}, inputs
