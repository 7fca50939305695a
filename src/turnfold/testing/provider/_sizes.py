"""How large requests and replies are, and the pieces that a stream sends them in."""

import json
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats import parse
from turnfold.testing.provider._records import Reply
from turnfold.tokens import text_tokens

THOUGHT: Final = "What is asked for needs the next step, and this is it."
"""All that the fake model ever reasons."""


def tokens_of(history: dict[str, Any], format: str, tools: object) -> int:  # noqa: A002
    """Return the size of a request: its turns as turnfold loads them, and its tools.

    Args:
        history: The messages or items, with the instructions beside them.
        format: The name of the format that they are in.
        tools: The declarations of the tools, or None.
    """
    try:
        turns = parse(history, format=format).transcript.token_estimate()
    except UnreadableTranscript:
        turns = 0
    return turns + (text_tokens(json.dumps(tools)) if tools else 0)


def pieces(text: str, size: int = 24) -> list[str]:
    """Return a text in the pieces that a stream sends; at least one."""
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]


def output_tokens(reply: Reply) -> int:
    """Return the size of what a reply says and calls."""
    calls = sum(text_tokens(name + json.dumps(arguments)) for name, arguments in reply.calls)
    return text_tokens(reply.text) + calls
