"""How Pydantic AI spells what a rendering writes."""

from typing import Any, Final

from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import Message
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._parts import text_of
from turnfold.formats.pydantic_ai._read import call_parts, is_result

_TEXT_KINDS: Final = ("system-prompt", "user-prompt", "compaction", "retry-prompt")
_ITEM_IDS: Final = ("msg_", "fc_", "ctc_")


class PydanticAIDialect:
    """The spelling of requests and responses."""

    def parts(self, message: Message) -> list[Any]:
        """Return the parts."""
        parts: list[Any] = message["parts"]
        return parts

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        """Return the message with other parts."""
        return {**message, "parts": parts}

    def masked(self, message: Message, text: str) -> Message:
        """Return a response with another text in front of its calls."""
        calls = [_without_item_id(part) for part in call_parts(message)]
        return {**message, "parts": [{"content": text, "part_kind": "text"}, *calls]}

    def masked_part(self, part: Any, text: str) -> Any:  # noqa: ANN401
        """Return a part with another text; a result keeps its id, its name and its outcome.

        What a tool keeps for the application is not sent, and can hold in full what is masked.
        """
        if is_result(part):
            hidden = {"metadata": None} if part.get("metadata") is not None else {}
            # The name of a typed result promises a shape that a text has not.
            typed = {"tool_kind": None} if part.get("tool_kind") is not None else {}
            return {**part, "content": text, **hidden, **typed}
        if part.get("part_kind") in _TEXT_KINDS:
            return {**part, "content": text}
        return {"content": text, "part_kind": "user-prompt"}

    def closing(self, message: Message, number: int) -> Message:
        """Return the request that closes a call, as interrupted."""
        call = call_parts(message)[number]
        part: Message = {"tool_name": text_of(call.get("tool_name")), "content": CLOSED_CALL}
        call_id = call.get("tool_call_id")
        if isinstance(call_id, str):
            part["tool_call_id"] = call_id
        return _request({**part, "outcome": "interrupted", "part_kind": "tool-return"})

    def said(self, text: str) -> Message:
        """Return a request with a user prompt."""
        return _request({"content": text, "part_kind": "user-prompt"})

    def without_reasoning(self, message: Message, *, bound_only: bool) -> Message:
        """Return a response without its thinking; every other message as it is.

        The ids of an OpenAI response ask for their reasoning item, so they go with it (B3).
        """
        if message.get("kind") != "response":
            return message
        left = [_without_thinking(part, bound_only=bound_only) for part in message["parts"]]
        if all(one is other for one, other in zip(left, message["parts"], strict=True)):
            return message
        kept = [part for part in left if part is not None]
        if any(map(_is_item, message["parts"])):
            kept = [_without_item_id(part) for part in kept]
        if all(isinstance(each, dict) and each.get("part_kind") == "thinking" for each in kept):
            kept.append({"content": STRIPPED, "part_kind": "text"})
        return {**message, "parts": kept}


def _request(part: Message) -> Message:
    return {"parts": [part], "kind": "request"}


def _without_thinking(part: Any, *, bound_only: bool) -> Any:  # noqa: ANN401
    """Return None for thinking that goes, and every other part as it is.

    Thinking whose id is the name of a field, as of DeepSeek, is emptied and stays: the provider
    wants the field back (B5).
    """
    if not isinstance(part, dict) or part.get("part_kind") != "thinking":
        return part
    if part.get("signature") or _is_item(part):
        return None
    if bound_only:
        return part
    return {**part, "content": ""} if part.get("id") and part.get("provider_name") else None


def _is_item(part: object) -> bool:
    return (
        isinstance(part, dict)
        and part.get("part_kind") == "thinking"
        and str(part.get("id")).startswith("rs_")
    )


def _without_item_id(part: Any) -> Any:  # noqa: ANN401
    if isinstance(part, dict) and str(part.get("id")).startswith(_ITEM_IDS):
        return {**part, "id": None}
    return part


def with_instructions(messages: list[Message], instructions: str | None) -> list[Message]:
    """Put the instructions on the newest request, where no request that is left has them.

    Pydantic AI sends the instructions of the newest request that has any.
    """
    requests = [index for index, each in enumerate(messages) if each.get("kind") == "request"]
    written = [text for index in requests if (text := messages[index].get("instructions"))]
    if not instructions or not requests or (written and written[-1] == instructions):
        return messages
    last = requests[-1]
    return [
        {**message, "instructions": instructions} if index == last else message
        for index, message in enumerate(messages)
    ]
