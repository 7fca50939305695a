"""Anthropic's counting of tokens, as the server of it sees it: no model is asked."""

from typing import Any, Final

from turnfold.formats import Fault
from turnfold.testing.provider._errors import ANTHROPIC_WORDS, anthropic_error, worded
from turnfold.testing.provider._memory import Memory, Settings
from turnfold.testing.provider._messages import shape_faults, size_of
from turnfold.testing.provider._records import Reply, Request

WORDS: Final = ANTHROPIC_WORDS
_FIELDS: Final = {"model": str, "messages": list}


def inspect(request: Request, memory: Memory, settings: Settings) -> None:  # noqa: ARG001  As for the others.
    """Count a request; only one that cannot be looked at is refused."""
    request.faults = worded(shape_faults(request.body, _FIELDS), dotted=True)
    if not request.faults:
        request.tokens = size_of(request.body)


def error_body(fault: Fault, request_id: str) -> dict[str, Any]:
    """Return the body of an error."""
    return anthropic_error(fault, request_id)


def answer(
    request: Request,
    reply: Reply,  # noqa: ARG001  As for the others; no model is asked.
    memory: Memory,  # noqa: ARG001
    settings: Settings,  # noqa: ARG001
) -> dict[str, Any]:
    """Return the count."""
    return {"input_tokens": request.tokens}
