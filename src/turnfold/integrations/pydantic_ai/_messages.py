"""Pydantic AI's messages as JSON, and what a request holds beside them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ToolReturnPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from turnfold.integrations._thinking import is_fixed
from turnfold.integrations._weights import weight_of
from turnfold.tokens import text_tokens

_MEDIA: Final = {"type": "file"}


class PydanticAIMessages:
    """The dialect of Pydantic AI: requests and responses, which nobody changes where they are."""

    format: Final = "pydantic-ai"

    def dump(self, messages: Sequence[ModelMessage]) -> list[Any]:
        """Return the JSON of each message.

        Instructions are left out: those of the newest request are counted beside the messages, and
        no others are sent.
        """
        documents: list[Any] = ModelMessagesTypeAdapter.dump_python(
            list(messages), mode="json", exclude={"__all__": {"instructions"}}
        )
        return documents

    def load(self, documents: Sequence[Any]) -> list[ModelMessage]:
        """Return the messages that these values stand for."""
        return ModelMessagesTypeAdapter.validate_python(list(documents))

    def weight(self, message: ModelMessage) -> int:
        """Return about how many tokens a message takes up."""
        return weight_of([_weighed(part) for part in message.parts])

    def snapshot(self, message: ModelMessage) -> ModelMessage:
        """Return the message itself."""
        return message


def _weighed(part: Any) -> list[Any]:  # noqa: ANN401  Parts of many kinds.
    """Return what of a part is sent, as JSON."""
    details = getattr(part, "provider_details", None)
    hidden = _json(details) if details else ""
    if hasattr(part, "args"):
        args = part.args
        return [part.tool_name, args if isinstance(args, str) else _json(args), hidden]
    content = getattr(part, "content", None)
    if part.part_kind == "thinking":
        # A signature can stand for a thinking text that was left out.
        return [max((part.content, part.signature or "", hidden), key=len)]
    if isinstance(part, ToolReturnPart) and not isinstance(content, str | list):
        return [part.model_response_str()]
    return [hidden, *map(_item, content if isinstance(content, list | tuple) else [content])]


def _item(content: Any) -> Any:  # noqa: ANN401  What a user says or a tool returns.
    if isinstance(content, str) or content is None:
        return content
    kind = getattr(content, "kind", None)
    if kind == "text":
        return content.content
    if kind == "cache-point":
        return None
    return _MEDIA if isinstance(kind, str) else _json(content)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def size_of_parameters(parameters: ModelRequestParameters) -> int:
    """Return what instructions and an output schema take up, in tokens."""
    texts = [part.content for part in parameters.instruction_parts or ()]
    if parameters.output_object is not None:
        texts.append(_json(parameters.output_object.json_schema))
    return sum(map(text_tokens, texts))


def visible_tools(parameters: ModelRequestParameters) -> list[ToolDefinition]:
    """Return the tools that a request carries; those that are found later are not among them."""
    shown = parameters.revealed_tool_names
    functions = [
        each for each in parameters.function_tools if not each.defer_loading or each.name in shown
    ]
    return [*functions, *parameters.output_tools]


def size_of_tools(tools: Iterable[ToolDefinition]) -> int:
    """Return what the schemas of tools take up, in tokens."""
    written = [[each.name, each.description, each.parameters_json_schema] for each in tools]
    return text_tokens(_json(written)) if written else 0


def thinks_within_a_budget(model: object, settings: Mapping[str, object]) -> bool:
    """Whether a request to Claude gives thinking a fixed budget of tokens.

    Args:
        model: The model; its profile says what its provider makes of `thinking`.
        settings: The settings of the request, those of the model and the agent among them.
    """
    asked = settings.get("anthropic_thinking")
    if asked is not None:
        return is_fixed(asked)
    profile = getattr(model, "profile", None)
    return (
        getattr(model, "system", None) == "anthropic"
        and bool(settings.get("thinking"))
        and isinstance(profile, Mapping)
        and not profile.get("anthropic_supports_adaptive_thinking", False)
    )
