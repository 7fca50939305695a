"""OpenAI's Responses: items in a request's `input`, a response's `output`, or recorded rollouts."""

from turnfold.formats.openai_responses._format import (
    LINES,
    NAME,
    SEVERAL,
    check,
    conversations,
    matches,
    matches_lines,
    parse,
    render,
)

__all__ = [
    "LINES",
    "NAME",
    "SEVERAL",
    "check",
    "conversations",
    "matches",
    "matches_lines",
    "parse",
    "render",
]
