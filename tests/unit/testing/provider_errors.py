"""The errors of OpenAI's APIs: what gets each, and what passes instead."""

from dataclasses import dataclass, field
from typing import Any

from tests.unit.testing.provider_client import (
    CHAT,
    RESPONSES,
    Body,
    chat,
    chat_calls,
    chat_result,
    item_call,
    item_output,
    item_reasoning,
    responses,
    said,
    system,
    text,
    use,
    user,
)

LONG = "word " * 4000


@dataclass
class Row:
    """One error: a request that gets it, and one that is mended and passes."""

    name: str
    path: str
    bad: Body
    good: Body
    words: str
    param: str | None = None
    code: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


_UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: "
)
_ORPHAN = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'."
)
GOOD_CHAT = chat(system(), user(), chat_calls("a", "b"), chat_result("b"), chat_result("a"))
_INSUFFICIENT = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. (insufficient tool messages following tool_calls message)"
)
_ARRAY = "Expected an array with minimum length 1, but got an empty array instead."
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}

CHAT_ROWS = [
    Row(
        "call without a result",
        CHAT,
        chat(user(), chat_calls("a"), user()),
        chat(user(), chat_calls("a"), chat_result("a"), user()),
        _UNANSWERED + "a",
        "messages.[2].role",
    ),
    Row(
        "two calls without results at the end",
        CHAT,
        chat(user(), chat_calls("a", "b")),
        GOOD_CHAT,
        _UNANSWERED + "a, b",
        "messages",
    ),
    Row(
        "one result of two left out",
        CHAT,
        chat(user(), chat_calls("a", "b", "c"), chat_result("b"), said()),
        GOOD_CHAT,
        _UNANSWERED + "a, c",
        "messages.[3].role",
    ),
    Row(
        "a system message among the results",
        CHAT,
        chat(user(), chat_calls("a"), system(), chat_result("a")),
        chat(user(), chat_calls("a"), chat_result("a"), system(), user()),
        _UNANSWERED + "a",
        "messages.[2].role",
    ),
    Row(
        "result without its call",
        CHAT,
        chat(system(), chat_result("a"), user()),
        chat(system(), user()),
        _ORPHAN,
        "messages.[1].role",
    ),
    Row(
        "a second result of one call",
        CHAT,
        chat(user(), chat_calls("a"), chat_result("a"), chat_result("a")),
        chat(user(), chat_calls("a"), chat_result("a")),
        _ORPHAN,
        "messages.[3].role",
    ),
    Row(
        "an empty list of calls",
        CHAT,
        chat(user(), {**said(), "tool_calls": []}, user()),
        chat(user(), said(), user()),
        f"Invalid 'messages[1].tool_calls': empty array. {_ARRAY}",
        "messages[1].tool_calls",
        "empty_array",
    ),
    Row(
        "null content without calls",
        CHAT,
        chat(user(), said(None), user()),
        chat(user(), said("ok"), user()),
        "Invalid value for 'content': expected a string, got null.",
        "messages.[1].content",
    ),
    Row(
        "another provider's block",
        CHAT,
        chat(user(), said([use("a")]), user()),
        chat(user(), said([text()]), user()),
        "Invalid value: 'tool_use'. Supported values are: 'text', 'image_url', 'input_audio', "
        "'refusal', 'audio', and 'file'.",
        "messages[1].content[0]",
        "invalid_value",
    ),
    Row(
        "an image in a result",
        CHAT,
        chat(user(), chat_calls("a"), chat_result("a", [IMAGE])),
        chat(user([IMAGE]), chat_calls("a"), chat_result("a", [text()])),
        "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but "
        "this message with role 'tool' contains an image URL.",
        "messages[2].content[0]",
    ),
    Row(
        "no message",
        CHAT,
        chat(),
        chat(user()),
        f"Invalid 'messages': empty array. {_ARRAY}",
        "messages",
        "empty_array",
    ),
    Row(
        "DeepSeek: call without a result",
        CHAT,
        chat(user(), chat_calls("a"), user()),
        chat(user(), chat_calls("a"), chat_result("a"), user()),
        _INSUFFICIENT,
        "messages.[2].role",
        options={"dialect": "deepseek"},
    ),
    Row(
        "over the window",
        CHAT,
        chat(user(LONG)),
        chat(user()),
        "This model's maximum context length is 900 tokens. However, your messages resulted in "
        "5004 tokens. Please reduce the length of the messages.",
        "messages",
        "context_length_exceeded",
        options={"window": 900},
    ),
]

_TRIGGER = {"type": "compaction_trigger"}
RESPONSES_ROWS = [
    Row(
        "call without an output",
        RESPONSES,
        responses(user(), item_call("call_a"), user()),
        responses(user(), item_call("call_a"), user(), item_output("call_a")),
        "No tool output found for function call call_a.",
        "input",
    ),
    Row(
        "output without a call",
        RESPONSES,
        responses(user(), item_output("call_a")),
        responses(user(), item_call("call_a"), item_output("call_a")),
        "No tool call found for function call output with call_id call_a.",
        "input",
    ),
    Row(
        "reasoning whose message was dropped",
        RESPONSES,
        responses(user(), item_reasoning("rs_a"), user()),
        responses(user(), item_reasoning("rs_a"), said(), user()),
        "Item 'rs_a' of type 'reasoning' was provided without its required following item.",
        "input",
    ),
    Row(
        "reasoning at the end",
        RESPONSES,
        responses(user(), item_reasoning("rs_a")),
        responses(
            user(), item_reasoning("rs_a"), {"type": "web_search_call", "id": "ws_a"}, user()
        ),
        "Item 'rs_a' of type 'reasoning' was provided without its required following item.",
        "input",
    ),
    Row(
        "a compaction trigger in the middle",
        RESPONSES,
        responses(user(), _TRIGGER, user()),
        responses(user(), user(), _TRIGGER),
        "'compaction_trigger' must be the final input item.",
        "input",
    ),
    Row(
        "one item twice",
        RESPONSES,
        responses(user(), *[{**said(), "type": "message", "id": "msg_a"}] * 2),
        responses(user(), {**said(), "type": "message", "id": "msg_a"}),
        "Duplicate item found with id msg_a. Remove duplicate items from your input.",
        "input",
    ),
    Row(
        "a reference to nothing",
        RESPONSES,
        responses(user(), {"type": "item_reference", "id": "msg_a"}),
        responses(user()),
        "Item with id 'msg_a' not found.",
        "input",
    ),
    Row(
        "a response that is not known",
        RESPONSES,
        responses(user(), previous_response_id="resp_a"),
        responses(user()),
        "Previous response with id 'resp_a' not found.",
        "previous_response_id",
        "previous_response_not_found",
    ),
    Row(
        "a conversation that is not known",
        RESPONSES,
        responses(user(), conversation={"id": "conv_a"}),
        responses(user()),
        "Conversation with id 'conv_a' not found.",
    ),
    Row(
        "no input",
        RESPONSES,
        {"model": "m"},
        {"model": "m", "input": "hello"},
        "Missing required parameter: 'input'.",
        "input",
        "missing_required_parameter",
    ),
    Row(
        "over the window",
        RESPONSES,
        responses(user(LONG)),
        responses(user()),
        "Your input exceeds the context window of this model. Please adjust your input and try "
        "again.",
        "input",
        "context_length_exceeded",
        options={"window": 900},
    ),
]
