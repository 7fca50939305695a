"""How the GenAI conventions spell what a rendering writes."""

from collections.abc import Sequence
from typing import Any, Final

from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import Message
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats.otel_genai._read import (
    hosted_ids,
    is_reasoning,
    is_result,
    parts_of,
    result_key,
)

_BINDS: Final = ("signature", "encrypted_content", "redacted")


class OTelDialect:
    """The spelling of messages with typed parts.

    Args:
        messages: The messages of the document; the key of a result is the one that they use.
    """

    def __init__(self, messages: Sequence[Any]) -> None:
        results = [part for each in messages for part in parts_of(each) if is_result(part)]
        self._result_key = result_key(results[-1]) if results else "response"

    def parts(self, message: Message) -> list[Any]:
        """Return the parts."""
        parts: list[Any] = message["parts"]
        return parts

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        """Return the message with other parts."""
        return {**message, "parts": parts}

    def masked(self, message: Message, text: str) -> Message:
        """Return the message with another text in front of its calls."""
        return {**message, "parts": [_text(text), *_open_calls(message)]}

    def masked_part(self, part: Any, text: str) -> Any:  # noqa: ANN401
        """Return a part with another text; a result keeps its id."""
        return {**part, result_key(part): text} if is_result(part) else _text(text)

    def closing(self, message: Message, number: int) -> Message:
        """Return the message that closes a call; the conventions have no flag for an error."""
        call = _open_calls(message)[number]
        part = {"type": "tool_call_response", "id": call.get("id"), self._result_key: CLOSED_CALL}
        return {"role": "tool", "parts": [part]}

    def said(self, text: str) -> Message:
        """Return a user message."""
        return {"role": "user", "parts": [_text(text)]}

    def without_reasoning(self, message: Message, *, bound_only: bool) -> Message:
        """Return an assistant message without its reasoning; every other message as it is."""
        if message.get("role") != "assistant":
            return message
        parts = self.parts(message)
        kept = [part for part in parts if not _goes(part, bound_only=bound_only)]
        return (
            message if len(kept) == len(parts) else {**message, "parts": kept or [_text(STRIPPED)]}
        )


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


def _open_calls(message: Message) -> list[dict[str, Any]]:
    """Return the calls that wait for a result in another message."""
    hosted = hosted_ids(message)
    calls = [part for part in parts_of(message) if part.get("type") == "tool_call"]
    return [part for part in calls if str(part.get("id")) not in hosted]


def _goes(part: Any, *, bound_only: bool) -> bool:  # noqa: ANN401
    if not isinstance(part, dict) or not is_reasoning(part):
        return False
    return not bound_only or any(part.get(key) for key in _BINDS)
