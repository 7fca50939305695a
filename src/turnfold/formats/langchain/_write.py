"""How LangChain spells what a rendering writes."""

from typing import Any, Final

from turnfold.formats._chat_like import STRIPPED
from turnfold.formats._document import Message
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats.langchain._forms import Form, fields_of, made, with_values
from turnfold.formats.langchain._read import calls_of

_THINKING: Final = frozenset({"thinking", "redacted_thinking"})
_REASONING: Final = frozenset({*_THINKING, "reasoning", "reasoning_content"})
_BINDS: Final = ("signature", "encrypted_content", "redacted", "data")
_CALLS: Final = frozenset(
    {"tool_use", "tool_call", "tool_call_chunk", "function_call", "custom_tool_call"}
)
_ITEM_IDS: Final = ("msg_", "fc_", "ctc_")


class LangChainDialect:
    """The spelling of LangChain's messages in one of their serial forms."""

    def __init__(self, form: Form) -> None:
        self._form = form

    def parts(self, message: Message) -> list[Any]:
        """Return the content blocks."""
        return _content(message)

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        """Return the message with other content blocks."""
        return with_values(message, content=parts)

    def masked(self, message: Message, text: str) -> Message:
        """Return the message with another content; blocks that are calls stay behind it.

        An artifact is never sent, and holds in full what is masked, so it goes.
        """
        fields = fields_of(message)
        values = {} if fields is None else fields.values
        if fields is not None and fields.kind == "ai":
            calls = [block for block in _content(message) if _kind_of(block) in _CALLS]
            content: Any = [{"type": "text", "text": text}, *calls] if calls else text
            return _without_extra(with_values(message, content=content), bound_only=False)
        changes = {"artifact": None} if values.get("artifact") is not None else {}
        return with_values(message, content=text, **changes)

    def masked_part(self, part: Any, text: str) -> Any:  # noqa: ANN401
        """Return a block with another text."""
        if _kind_of(part) == "tool_result":
            return {**part, "content": text}
        return {"type": "text", "text": text}

    def closing(self, message: Message, number: int) -> Message:
        """Return the tool message that closes a call, as an error."""
        fields = fields_of(message)
        call = calls_of({} if fields is None else fields.values)[number]
        form: Form = self._form if fields is None else fields.form
        if not call.call_id and _is_legacy(message):
            return made(form, "function", content=CLOSED_CALL, name=call.name)
        values = {"content": CLOSED_CALL, "tool_call_id": call.call_id, "status": "error"}
        return made(form, "tool", **values)

    def said(self, text: str) -> Message:
        """Return a human message."""
        return made(self._form, "human", content=text)

    def without_reasoning(self, message: Message, *, bound_only: bool) -> Message:
        """Return an AI message without its reasoning; every other message as it is."""
        fields = fields_of(message)
        if fields is None or fields.kind != "ai":
            return message
        stripped = _without_blocks(message, bound_only=bound_only)
        return _without_extra(stripped, bound_only=bound_only)


def _content(message: Message) -> list[Any]:
    fields = fields_of(message)
    content = None if fields is None else fields.values.get("content")
    return content if isinstance(content, list) else []


def _kind_of(block: object) -> str:
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def _is_legacy(message: Message) -> bool:
    fields = fields_of(message)
    extra = None if fields is None else fields.values.get("additional_kwargs")
    return isinstance(extra, dict) and isinstance(extra.get("function_call"), dict)


def _is_bound(block: Any) -> bool:  # noqa: ANN401
    """Whether a provider ties a block of reasoning to what stands before it."""
    if _kind_of(block) in _THINKING or _is_item(block):
        return True
    inner = [block, block.get("extras"), block.get("reasoning_content")]
    return any(isinstance(each, dict) and any(map(each.get, _BINDS)) for each in inner)


def _without_blocks(message: Message, *, bound_only: bool) -> Message:
    blocks = _content(message)
    goes = [
        _kind_of(block) in _REASONING and (not bound_only or _is_bound(block)) for block in blocks
    ]
    if not any(goes):
        return message
    kept: list[Any] = [block for block, gone in zip(blocks, goes, strict=True) if not gone]
    if any(gone and _is_item(block) for block, gone in zip(blocks, goes, strict=True)):
        kept = [_without_item_id(block) for block in kept]
        message = _without_item_ids(message)
    fields = fields_of(message)
    if not kept and fields is not None and not calls_of(fields.values):
        kept = [{"type": "text", "text": STRIPPED}]
    return with_values(message, content=kept)


def _is_item(block: Any) -> bool:  # noqa: ANN401
    """Whether a block is a reasoning item of OpenAI's, which its followers name by their ids."""
    return str(block.get("id")).startswith("rs_")


def _without_item_id(block: Any) -> Any:  # noqa: ANN401
    """Return a block without the id of its item; a standard block of a call has it in `extras`."""
    if not isinstance(block, dict):
        return block
    if str(block.get("id")).startswith(_ITEM_IDS):
        return {key: value for key, value in block.items() if key != "id"}
    extras = block.get("extras")
    if isinstance(extras, dict) and str(extras.get("item_id")).startswith(_ITEM_IDS):
        kept = {key: value for key, value in extras.items() if key != "item_id"}
        return {**block, "extras": kept}
    return block


def _without_item_ids(message: Message) -> Message:
    """Return a message whose calls and text no longer ask for their reasoning item (B3)."""
    fields = fields_of(message)
    values = {} if fields is None else fields.values
    if str(values.get("id")).startswith("msg_"):
        message = with_values(message, id=None)
    extra = values.get("additional_kwargs")
    if isinstance(extra, dict) and "__openai_function_call_ids__" in extra:
        kept = {key: extra[key] for key in extra if key != "__openai_function_call_ids__"}
        message = with_values(message, additional_kwargs=kept)
    return message


def _without_extra(message: Message, *, bound_only: bool) -> Message:
    """Return a message without the reasoning that stands beside its content.

    A reasoning item goes. A plain text is emptied and its key stays, because servers that write
    it want it back (B5).
    """
    fields = fields_of(message)
    extra = None if fields is None else fields.values.get("additional_kwargs")
    if not isinstance(extra, dict):
        return message
    kept = dict(extra)
    item = kept.get("reasoning")
    if isinstance(item, dict):
        del kept["reasoning"]
    if not bound_only and isinstance(kept.get("reasoning_content"), str):
        kept["reasoning_content"] = ""
    if kept == extra:
        return message
    message = with_values(message, additional_kwargs=kept)
    return _without_item_ids(message) if isinstance(item, dict) else message
