"""How Inspect AI spells what a rendering writes."""

from typing import Any, Final

from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import Message
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats.inspect_ai._read import calls_of

_BINDS: Final = ("signature", "redacted")


class InspectDialect:
    """The spelling of Inspect's messages."""

    def parts(self, message: Message) -> list[Any]:
        """Return the parts of the content."""
        content = message.get("content")
        return content if isinstance(content, list) else []

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        """Return the message with other parts."""
        return {**message, "content": parts}

    def masked(self, message: Message, text: str) -> Message:
        """Return the message with another text; an error keeps its type and loses its words.

        Inspect sends the words of an error in place of the content.
        """
        masked = {**message, "content": text}
        error = message.get("error")
        if isinstance(error, dict) and "message" in error:
            masked["error"] = {**error, "message": text}
        return masked

    def masked_part(self, part: Any, text: str) -> Any:  # noqa: ANN401, ARG002
        """Return a text in place of a part."""
        return {"type": "text", "text": text}

    def closing(self, message: Message, number: int) -> Message:
        """Return the tool message that closes a call, as an error."""
        call = calls_of(message)[number]
        return {
            "role": "tool",
            "content": CLOSED_CALL,
            "tool_call_id": call.call_id,
            "function": call.name,
            "error": {"type": "cancelled", "message": CLOSED_CALL},
        }

    def said(self, text: str) -> Message:
        """Return a user message."""
        return {"role": "user", "content": text}

    def without_reasoning(self, message: Message, *, bound_only: bool) -> Message:
        """Return an assistant message without its reasoning; every other message as it is."""
        parts = self.parts(message)
        if message.get("role") != "assistant":
            return message
        kept = [part for part in parts if not _goes(part, bound_only=bound_only)]
        if len(kept) == len(parts):
            return message
        if not kept and not calls_of(message):
            kept = [{"type": "text", "text": STRIPPED}]
        return {**message, "content": kept}


def _goes(part: Any, *, bound_only: bool) -> bool:  # noqa: ANN401
    if not isinstance(part, dict) or part.get("type") != "reasoning":
        return False
    return not bound_only or any(part.get(key) for key in _BINDS)
