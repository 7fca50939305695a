"""The errors of Anthropic's API: what gets each, and what passes instead."""

from tests.unit.testing.provider_client import (
    MESSAGES,
    messages,
    result,
    said,
    system,
    text,
    thinking,
    use,
    user,
)
from tests.unit.testing.provider_errors import LONG, Row

_MARKED = text(cache_control={"type": "ephemeral"})
_SEARCHED = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_a", "content": []}
_SEARCH = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}}
_NEVER_ANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
_NO_CALL = (
    "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each "
    "`tool_result` block must have a corresponding `tool_use` block in the previous message."
)
EXPECTED = (
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. "
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block "
    "(preceeding the lastmost set of `tool_use` and `tool_result` blocks)"
)
_MANUAL = {"type": "enabled", "budget_tokens": 1024}
_LOOP = (user(), said([use("a")]), user([result("a")]))

MESSAGES_ROWS = [
    Row(
        "calls without results",
        MESSAGES,
        messages(user(), said([use("a"), use("b")]), user()),
        messages(user(), said([use("a"), use("b")]), user([result("b"), result("a")])),
        _NEVER_ANSWERED.format("a, b"),
    ),
    Row(
        "a call at the end",
        MESSAGES,
        messages(user(), said([use("a")])),
        messages(*_LOOP),
        _NEVER_ANSWERED.format("a"),
    ),
    Row(
        "results in two messages",
        MESSAGES,
        messages(user(), said([use("a"), use("b")]), user([result("a")]), user([result("b")])),
        messages(user(), said([use("a"), use("b")]), user([result("a"), result("b"), text()])),
        _NEVER_ANSWERED.format("b"),
    ),
    Row(
        "text before a result",
        MESSAGES,
        messages(user(), said([use("a")]), user([text(), result("a")])),
        messages(user(), said([use("a")]), user([result("a"), text()])),
        _NEVER_ANSWERED.format("a"),
    ),
    Row(
        "result without its call",
        MESSAGES,
        messages(user([result("a")])),
        messages(*_LOOP),
        _NO_CALL,
    ),
    Row(
        "one id twice in a message",
        MESSAGES,
        messages(user(), said([use("a"), use("a")]), user([result("a")])),
        messages(*_LOOP),
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    Row(
        "one id in two messages",
        MESSAGES,
        messages(*_LOOP, *_LOOP[1:]),
        messages(*_LOOP, said([use("b")]), user([result("b")])),
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    Row(
        "two results of a call",
        MESSAGES,
        messages(user(), said([use("a")]), user([result("a"), result("a")])),
        messages(*_LOOP),
        "messages.2.content.1: each tool_use must have a single result. Found multiple "
        "`tool_result` blocks with id: a",
    ),
    Row(
        "a server's result without its call",
        MESSAGES,
        messages(user(), said([_SEARCHED, text()]), user()),
        messages(user(), said([_SEARCH, _SEARCHED, text()]), user()),
        "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: "
        "srvtoolu_a. Each `web_search_tool_result` block must have a corresponding "
        "`server_tool_use` block before it.",
    ),
    Row(
        "a tool loop without thinking",
        MESSAGES,
        messages(*_LOOP, thinking=_MANUAL),
        messages(*_LOOP),
        EXPECTED,
    ),
    Row(
        "a signature of nobody's",
        MESSAGES,
        messages(user(), said([thinking("hm", "sig"), text()]), user()),
        messages(user(), said([text()]), user()),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        options={"bound_reasoning": True},
    ),
    Row(
        "thinking without a signature",
        MESSAGES,
        messages(user(), said([{"type": "thinking", "thinking": "hm"}, text()]), user()),
        messages(user(), said([thinking("hm", "sig"), text()]), user()),
        "messages.1.content.0.thinking.signature: Field required",
    ),
    Row(
        "a message that ends in its thinking",
        MESSAGES,
        messages(user(), said([text(), thinking("hm", "sig")]), user()),
        messages(user(), said([thinking("hm", "sig"), text()]), user()),
        "messages.1: the final block in an assistant message cannot be `thinking`",
    ),
    Row(
        "a system message at the start",
        MESSAGES,
        messages(system(), user()),
        messages(user(), system="be brief"),
        "messages.0: use the top-level 'system' parameter for the initial system prompt",
    ),
    Row(
        "a system message after an assistant's",
        MESSAGES,
        messages(user(), said(), system(), said("more"), user()),
        messages(user(), system(), said(), user()),
        "messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending "
        "in a server tool result",
    ),
    Row(
        "a system message before a user's",
        MESSAGES,
        messages(user(), system(), user()),
        messages(user(), system()),
        "messages.1: role 'system' must precede an 'assistant' message or end the array",
    ),
    Row(
        "an assistant opens",
        MESSAGES,
        messages(said(), user()),
        messages(user(), said(), user()),
        'messages: first message must use the "user" role',
    ),
    Row(
        "an empty text",
        MESSAGES,
        messages(user([text("")])),
        messages(user([text("a")])),
        "messages: text content blocks must be non-empty",
    ),
    Row(
        "a blank text",
        MESSAGES,
        messages(user(), said(" \n"), user()),
        messages(user(), said(), user()),
        "messages: text content blocks must contain non-whitespace text",
    ),
    Row(
        "no block",
        MESSAGES,
        messages(user(), said([]), user()),
        messages(user(), said(), user()),
        "messages.1: all messages must have non-empty content except for the optional final "
        "assistant message",
    ),
    Row(
        "a prefill",
        MESSAGES,
        messages(user(), said("{")),
        messages(user(), said("{"), user()),
        "This model does not support assistant message prefill. The conversation must end with a "
        "user message.",
    ),
    Row(
        "a prefill that ends in a space",
        MESSAGES,
        messages(user(), said("so ")),
        messages(user(), said("so")),
        "messages: final assistant content cannot end with trailing whitespace",
        options={"prefill": True},
    ),
    Row(
        "five marks for the cache",
        MESSAGES,
        messages(user([_MARKED] * 4), system=[_MARKED]),
        messages(user([_MARKED] * 3), system=[_MARKED]),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    Row(
        "no max_tokens",
        MESSAGES,
        {"model": "m", "messages": [user()]},
        messages(user()),
        "max_tokens: Field required",
    ),
    Row(
        "no message",
        MESSAGES,
        messages(),
        messages(user()),
        "messages: at least one message is required",
    ),
    Row(
        "over the window",
        MESSAGES,
        messages(user(LONG)),
        messages(user()),
        "prompt is too long: 5004 tokens > 900 maximum",
        options={"window": 900},
    ),
]
