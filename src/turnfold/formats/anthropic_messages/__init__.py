"""Anthropic messages: `tool_use` and `tool_result` blocks, and a system prompt beside them.

What the provider accepts, and what a rendering therefore does:

- All results of an assistant message stand in the one next user message, before any text in it.
- The first message is a user message; where the view begins otherwise, a bridge stands before it.
- A system message within the list follows a user message, or an assistant message that ends in a
  result of a server tool, and stands before an assistant message or at the end.
- A call that was never answered is closed as an error; one still pending at the end stays open.
"""

from turnfold.formats.anthropic_messages._format import (
    ALTERNATES,
    LINES,
    NAME,
    check,
    matches,
    parse,
    render,
)

__all__ = ["ALTERNATES", "LINES", "NAME", "check", "matches", "parse", "render"]
