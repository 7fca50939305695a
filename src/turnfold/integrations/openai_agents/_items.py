"""The items of the SDK: those of OpenAI's Responses, mostly dicts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from agents import Agent, Handoff, handoff

from turnfold.integrations._dialect import PlainDialect
from turnfold.integrations._weights import weight_of

Item = Any
"""A dict, or an object of the client's where a caller passes one on."""


class AgentItems(PlainDialect):
    """Items that are dicts, or objects of OpenAI's client."""

    def __init__(self) -> None:
        super().__init__("openai-responses")

    def dump(self, messages: Sequence[Item]) -> list[Any]:
        """Return the JSON of each item."""
        return [_plain(each) for each in messages]

    def weight(self, message: Item) -> int:
        """Return about how many tokens an item takes up."""
        return weight_of(message if isinstance(message, dict) else _plain(message))

    def snapshot(self, message: Item) -> Item:
        """Return a copy."""
        return super().snapshot(message) if isinstance(message, dict) else deepcopy(message)


def _plain(value: Any) -> Any:  # noqa: ANN401  JSON.
    """Return plain JSON, in containers that are new."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    dump = getattr(value, "model_dump", None)
    return value if dump is None else dump(mode="json", exclude_unset=True, warnings=False)


def without_notes(items: Iterable[Item]) -> list[Item]:
    """Return stored items without what the SDK notes in them for itself and never sends."""
    return [
        {key: value for key, value in each.items() if not _is_note(key)}
        if isinstance(each, dict) and any(map(_is_note, each))
        else each
        for each in items
    ]


def _is_note(key: object) -> bool:
    return key == "created_by" or (isinstance(key, str) and key.startswith("_agents_"))


def are_of_a_stored_conversation(items: Sequence[Item]) -> bool:
    """Whether the provider holds the history: an item refers to what is not among them."""
    calls: set[object] = set()
    for each in items:
        kind, call_id = _of(each, "type"), _of(each, "call_id")
        if kind == "item_reference":
            return True
        if call_id is None:
            continue
        if not str(kind).endswith("_output"):
            calls.add(call_id)
        elif call_id not in calls:
            return True
    return False


def _of(item: Item, name: str) -> object:
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def room_beside(agent: Agent[Any], instructions: str | None) -> int:
    """Return what a call needs besides its items, in tokens, as far as the agent tells."""
    settings = agent.model_settings
    answer = getattr(settings, "max_tokens", None) or 0
    schemas = [_schema(each) for each in (*agent.tools, *agent.handoffs, *_mcp_tools(agent))]
    if agent.output_type is not None:
        schema = getattr(agent.output_type, "model_json_schema", None)
        schemas.append(json.dumps(schema()) if callable(schema) else "")
    return answer + weight_of(instructions or "") + sum(map(weight_of, schemas))


def _mcp_tools(agent: Agent[Any]) -> Iterable[Any]:
    for server in agent.mcp_servers:
        yield from getattr(server, "cached_tools", None) or ()


def _schema(tool: Any) -> str:  # noqa: ANN401  Tools have no common class.
    """Return what the model is told of a tool, or of an agent that it may hand over to."""
    if isinstance(tool, Agent):
        tool = handoff(tool)
    if isinstance(tool, Handoff):
        said = (tool.tool_name, tool.tool_description, tool.input_json_schema)
    else:
        schema = getattr(tool, "params_json_schema", None) or getattr(tool, "inputSchema", None)
        said = (getattr(tool, "name", ""), getattr(tool, "description", ""), schema)
    declared = zip(("name", "description", "parameters"), said, strict=True)
    return json.dumps({"type": "function", "strict": True, **dict(declared)}, default=str)


def is_compacted_by_the_provider(agent: Agent[Any]) -> bool:
    """Whether the settings of an agent ask the provider to compact."""
    edits = getattr(agent.model_settings, "context_management", None) or ()
    return any(str(each.get("type")).startswith("compact") for each in edits)
