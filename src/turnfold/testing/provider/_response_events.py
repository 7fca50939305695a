"""A response as the events of a stream."""

from collections.abc import Iterator
from typing import Any

from turnfold.testing.provider._sizes import pieces


def events(answered: dict[str, Any], body: dict[str, Any]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Yield a response as the events of a stream, numbered from 0."""
    for number, event in enumerate(_events(answered)):
        yield event["type"], {**event, "sequence_number": number}


def _events(answered: dict[str, Any]) -> Iterator[dict[str, Any]]:
    opened = {**answered, "status": "in_progress", "output": [], "usage": None}
    opened["incomplete_details"] = None
    yield {"type": "response.created", "response": opened}
    yield {"type": "response.in_progress", "response": opened}
    for index, item in enumerate(answered["output"]):
        at = {"output_index": index}
        started, inner = _item_parts(item, {**at, "item_id": item["id"]})
        yield {"type": "response.output_item.added", **at, "item": started}
        yield from inner
        yield {"type": "response.output_item.done", **at, "item": item}
    yield {"type": f"response.{answered['status']}", "response": answered}


def _item_parts(
    item: dict[str, Any], at: dict[str, Any]
) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """Return an item as it is opened, and the events that fill it."""
    if item["type"] == "function_call":
        return {**item, "arguments": "", "status": "in_progress"}, _call_events(item, at)
    if item["type"] == "message":
        return {**item, "content": [], "status": "in_progress"}, _text_events(item, at)
    return item, iter(())


def _call_events(item: dict[str, Any], at: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind = "response.function_call_arguments"
    for piece in pieces(item["arguments"]):
        yield {"type": f"{kind}.delta", **at, "delta": piece}
    yield {"type": f"{kind}.done", **at, "name": item["name"], "arguments": item["arguments"]}


def _text_events(item: dict[str, Any], at: dict[str, Any]) -> Iterator[dict[str, Any]]:
    (part,) = item["content"]
    inside = {**at, "content_index": 0}
    yield {"type": "response.content_part.added", **inside, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        text = {"delta": piece, "logprobs": []}
        yield {"type": "response.output_text.delta", **inside, **text}
    text = {"text": part["text"], "logprobs": []}
    yield {"type": "response.output_text.done", **inside, **text}
    yield {"type": "response.content_part.done", **inside, "part": part}
