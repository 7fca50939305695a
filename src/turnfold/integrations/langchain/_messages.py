"""LangChain's messages as JSON, and what a request holds beside them."""

import json
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, messages_from_dict
from langchain_core.utils.function_calling import convert_to_openai_tool

from turnfold.integrations import weight_of
from turnfold.tokens import text_tokens

_CALL_BLOCKS: Final = frozenset({"tool_use", "tool_call", "function_call", "custom_tool_call"})
_REASONING_KEYS: Final = ("reasoning_content", "reasoning")
_STEP: Final = 64
"""In tokens: a system prompt that grows by less, say by a date, is no reason to look closer."""

_MOST_TOOLSETS: Final = 16


class LangChainMessages:
    """The dialect of LangChain: message objects, which nobody changes where they are."""

    format: Final = "langchain"

    def dump(self, messages: Sequence[BaseMessage]) -> list[Any]:
        """Return the JSON of each message, as `messages_to_dict` writes it.

        The artifact of a tool message is left out: it is never sent, and may be any object.
        """
        return [
            {"type": each.type, "data": each.model_dump(exclude={"artifact"}, warnings=False)}
            for each in messages
        ]

    def load(self, documents: Sequence[Any]) -> list[BaseMessage]:
        """Return the messages that these values stand for."""
        return list(messages_from_dict(list(documents)))

    def weight(self, message: BaseMessage) -> int:
        """Return about how many tokens a message takes up: content, calls and reasoning."""
        if isinstance(message, Beside):
            return message.tokens
        if not isinstance(message, AIMessage):
            return weight_of(message.content)
        content: Any = message.content
        if isinstance(content, list):
            # Calls stand here as well, as their provider spells them.
            content = [each for each in content if not _is_call(each)]
        calls = [f"[call {each['name']}] {_json(each['args'])}\n" for each in message.tool_calls]
        reasoning = [message.additional_kwargs.get(key) for key in _REASONING_KEYS]
        return weight_of([content, calls, reasoning])

    def snapshot(self, message: BaseMessage) -> BaseMessage:
        """Return the message itself."""
        return message


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_call(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in _CALL_BLOCKS


class Beside(SystemMessage):  # type: ignore[misc]
    """Stands before the messages for the system prompt and the tools; it is never sent.

    Two of about the same size are equal: what they say is no part of the conversation.
    """

    tokens: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Beside) and self.tokens == other.tokens

    __hash__ = None  # type: ignore[assignment]


class Besides:
    """Makes what stands for the system prompt and the tools of a request."""

    def __init__(self) -> None:
        self._toolsets: dict[tuple[int, ...], tuple[list[Any], str]] = {}

    def of(self, system: SystemMessage | None, tools: Sequence[Any]) -> list[BaseMessage]:
        """Return a message with the text of both; none where there is neither."""
        if system is None and not tools:
            return []
        text = "" if system is None else str(system.text)
        text += self._written(list(tools))
        return [Beside(content=text, tokens=-(-text_tokens(text) // _STEP) * _STEP)]

    def _written(self, tools: list[Any]) -> str:
        """Return the schemas of tools; those of the same tools are written once."""
        key = tuple(map(id, tools))
        known = self._toolsets.get(key)
        if known is None:
            if len(self._toolsets) >= _MOST_TOOLSETS:
                self._toolsets.clear()
            schemas = [
                each if isinstance(each, dict) else convert_to_openai_tool(each) for each in tools
            ]
            known = self._toolsets[key] = (tools, _json(schemas) if tools else "")
        return known[1]
