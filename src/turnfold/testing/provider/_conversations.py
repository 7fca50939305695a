"""OpenAI's conversations, as far as they are begun: responses go on in them."""

from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats import Fault
from turnfold.testing.provider._errors import OPENAI_WORDS, openai_error
from turnfold.testing.provider._memory import Memory, Settings
from turnfold.testing.provider._records import Reply, Request

WORDS: Final = OPENAI_WORDS
_EPOCH: Final = 1_700_000_000

__all__ = ["WORDS", "answer", "error_body", "events", "inspect"]


def inspect(request: Request, memory: Memory, settings: Settings) -> None:
    """Find nothing: what a conversation begins with is looked at when a response goes on in it."""


def error_body(fault: Fault, request_id: str) -> dict[str, Any]:  # noqa: ARG001  As for the others.
    """Return the body of an error."""
    return openai_error(fault)


def answer(
    request: Request,
    reply: Reply,  # noqa: ARG001  As for the others; no model is asked.
    memory: Memory,
    settings: Settings,  # noqa: ARG001
) -> dict[str, Any]:
    """Begin a conversation."""
    named = memory.new_id("conv")
    items = request.body.get("items")
    memory.conversations[named] = list(items) if isinstance(items, list) else []
    created = {"id": named, "object": "conversation", "created_at": _EPOCH + request.number}
    return {**created, "metadata": request.body.get("metadata") or {}}


def events(answered: dict[str, Any], body: dict[str, Any]) -> Iterator[tuple[str, Any]]:  # noqa: ARG001
    """Yield nothing: it is never streamed."""
    return iter(())
