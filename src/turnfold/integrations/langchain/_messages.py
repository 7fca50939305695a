"""LangChain's messages as JSON, and what a request holds beside them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, messages_from_dict
from langchain_core.utils.function_calling import convert_to_openai_tool

from turnfold.integrations import weight_of
from turnfold.integrations._thinking import is_fixed
from turnfold.tokens import text_tokens

_CALL_BLOCKS: Final = frozenset({"tool_use", "tool_call", "function_call", "custom_tool_call"})
_REASONING_KEYS: Final = ("reasoning_content", "reasoning")
_PASSED_ON: Final = ("model_kwargs", "additional_model_request_fields")
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


class Besides:
    """Sizes what a request holds beside its messages; the same tools are written once."""

    def __init__(self) -> None:
        self._toolsets: dict[tuple[int, ...], tuple[list[Any], int]] = {}

    def of(self, system: SystemMessage | None, tools: Sequence[Any]) -> int:
        """Return what the system prompt and the schemas of the tools take up, in tokens."""
        prompt = 0 if system is None else weight_of(system.text)
        return prompt + self._size_of(list(tools))

    def _size_of(self, tools: list[Any]) -> int:
        key = tuple(map(id, tools))
        known = self._toolsets.get(key)
        if known is None:
            if len(self._toolsets) >= _MOST_TOOLSETS:
                self._toolsets.clear()
            schemas = [
                each if isinstance(each, dict) else convert_to_openai_tool(each) for each in tools
            ]
            known = self._toolsets[key] = (tools, text_tokens(_json(schemas)) if tools else 0)
        return known[1]


def thinks_within_a_budget(model: object, settings: Mapping[str, Any]) -> bool:
    """Whether a model, or the settings of a call, give thinking a fixed budget of tokens.

    Args:
        model: The chat model: `thinking` of `ChatAnthropic`, or what the models of AWS pass on.
        settings: What the call adds.
    """
    holders = [vars(model) if hasattr(model, "__dict__") else {}, settings]
    holders += [holder.get(key) or {} for holder in holders for key in _PASSED_ON]
    found = (each["thinking"] for each in holders if each.get("thinking") is not None)
    return is_fixed(next(found, None))
