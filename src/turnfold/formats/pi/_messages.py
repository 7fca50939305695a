"""What a pi message becomes where a rendering has to change it."""

from typing import Any, Final

from turnfold.formats.pi._records import Object
from turnfold.formats.pi._turns import calls_of

_PREFIX_BOUND: Final = frozenset(("anthropic-messages", "bedrock-converse-stream"))
_SUMMARIES: Final = frozenset(("branchSummary", "compactionSummary"))
_REPEATING: Final = frozenset(("details", "retainedTail", "sections", "systemMessage"))
"""Keys that hold a client's own copy of an output, what a message says besides its content, or
messages that are turns of their own."""


def text_blocks(text: str) -> list[Any]:
    """Return a message's content that says `text`."""
    return [{"type": "text", "text": text}]


def is_prefix_bound(message: Object) -> bool:
    """Whether the provider of a message refuses thinking whose prefix was changed (B1)."""
    api = message.get("api")
    return isinstance(api, str) and api in _PREFIX_BOUND


def is_responses(message: Object) -> bool:
    """Whether ids in a message name items that need the reasoning before them (B3)."""
    api = message.get("api")
    return isinstance(api, str) and "responses" in api


def has_thinking(message: Object) -> bool:
    """Whether an assistant message holds reasoning."""
    content = message.get("content")
    return isinstance(content, list) and any(_is_thinking(block) for block in content)


def _is_thinking(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "thinking"


def without_thinking(message: Object) -> Object:
    """Return an assistant message without its reasoning, and without ids that ask for it."""
    kept = [block for block in message["content"] if not _is_thinking(block)]
    if is_responses(message):
        kept = [_without_item_id(block) for block in kept]
    return {**message, "content": kept}


def _without_item_id(block: object) -> object:
    if not isinstance(block, dict):
        return block
    bare = {key: value for key, value in block.items() if key != "textSignature"}
    if block.get("type") == "toolCall" and isinstance(block.get("id"), str):
        bare["id"] = bare_id(block["id"])
    return bare


def bare_id(call_id: str) -> str:
    """Return a call id without the id of the item that made it."""
    return call_id.partition("|")[0]


def saying(message: Object, text: str) -> Object:
    """Return a masked message: its text is `text`, and nothing repeats what it said."""
    role = message.get("role")
    kept = {key: value for key, value in message.items() if key not in _REPEATING}
    if role in _SUMMARIES:
        return {**kept, "summary": text}
    if role == "bashExecution":
        stamp = {key: value for key, value in kept.items() if key == "timestamp"}
        return {
            "role": "custom",
            "customType": "bashExecution",
            "content": text,
            "display": True,
            **stamp,
        }
    if role == "assistant":
        calls = [{**block, "arguments": {}} for _, block in calls_of(message)]
        return {**kept, "content": [*text_blocks(text), *calls]}
    return {**kept, "content": text_blocks(text)}
