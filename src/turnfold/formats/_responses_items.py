"""What the items of OpenAI's Responses are: whose words, a call, a result, or something else.

A model response is a run of items: reasoning, a message, calls. A call is answered by an item of
its own, which names it by `call_id`. Codex keeps the same items in its rollouts.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from turnfold.formats._parts import text_of

Item = dict[str, Any]

Part = Literal["words", "instructions", "model", "result", "compaction", "side"]
"""A user's or another agent's message; a system or developer message; one of the items of a model
response; the result of a call; a compaction of the provider; what the model never sees."""


class _Form(NamedTuple):
    """How a call spells its tool and its input; an empty `name_key` means a fixed name."""

    name_key: str
    tool: str
    input_key: str
    id_key: str = "call_id"


CALLS: Final[Mapping[str, _Form]] = MappingProxyType(
    {
        "function_call": _Form("name", "", "arguments"),
        "custom_tool_call": _Form("name", "", "input"),
        "local_shell_call": _Form("", "local_shell", "action"),
        "shell_call": _Form("", "shell", "action"),
        "apply_patch_call": _Form("", "apply_patch", "operation"),
        "computer_call": _Form("", "computer", "action"),
        "tool_search_call": _Form("", "tool_search", "arguments"),
        "mcp_approval_request": _Form("name", "", "arguments", "id"),
        "program": _Form("", "program", "code"),
    }
)
"""The calls that an item of the input answers, by their type."""

RESULTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "function_call_output": "call_id",
        "custom_tool_call_output": "call_id",
        "local_shell_call_output": "id",
        "shell_call_output": "call_id",
        "apply_patch_call_output": "call_id",
        "computer_call_output": "call_id",
        "tool_search_output": "call_id",
        "mcp_approval_response": "approval_request_id",
        "program_output": "call_id",
    }
)
"""The results, each with the key that names its call."""

COMPACTIONS: Final = frozenset({"compaction", "compaction_summary", "context_compaction"})
HOSTED: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_list_tools",
        "mcp_call",
    }
)
"""Calls that the provider answers itself: no item of the input does."""

AGENT_MESSAGE: Final = "agent_message"
"""What another agent wrote to this one, as Codex hands it to the model."""

_SETTINGS: Final = frozenset({"compaction_trigger", "configuration_update", "additional_tools"})
_ROLES: Final[Mapping[str, Part]] = MappingProxyType(
    {
        "user": "words",
        "system": "instructions",
        "developer": "instructions",
        "assistant": "model",
    }
)

_OTHERS: Final[Mapping[str, Part]] = MappingProxyType(
    {
        AGENT_MESSAGE: "words",
        "ghost_snapshot": "side",
        **dict.fromkeys(COMPACTIONS, "compaction"),
        **dict.fromkeys(_SETTINGS, "instructions"),
    }
)
"""What is neither a message nor a result, nor said by the model."""

KNOWN_TYPES: Final = (
    frozenset({"message", "reasoning", "item_reference"})
    | CALLS.keys()
    | RESULTS.keys()
    | COMPACTIONS
    | HOSTED
    | _SETTINGS
)
"""The types of items that are known here."""


def kind_of(item: object) -> str:
    """Return the type of an item, `message` where it has a role only; empty where it is none."""
    if not isinstance(item, dict):
        return ""
    kind = item.get("type")
    if isinstance(kind, str):
        return kind
    if kind is None and isinstance(item.get("role"), str):
        return "message"
    return "item_reference" if kind is None and item.keys() == {"id"} else ""


def part_of(item: object) -> Part | None:
    """Return what an item is, or None where it is malformed."""
    kind = kind_of(item)
    if not kind or not isinstance(item, dict):
        return None
    if kind == "message":
        role = item.get("role")
        return _ROLES.get(role) if isinstance(role, str) else None
    if kind in RESULTS or (kind.endswith("_output") and isinstance(item.get("call_id"), str)):
        return "result" if _is_awaited(item) else "model"
    return _OTHERS.get(kind, "model")


def _is_awaited(item: Item) -> bool:
    """Whether a result answers a call of the model; the provider's own tool search does not."""
    return item.get("type") != "tool_search_output" or isinstance(item.get("call_id"), str)


def is_call(item: object) -> bool:
    """Whether an item waits for a result among the items."""
    kind = kind_of(item)
    if kind == "tool_search_call" and isinstance(item, dict):
        return isinstance(item.get("call_id"), str)
    return kind in CALLS


def call_id_of(item: Item) -> object:
    """Return the id by which a call is answered, of whatever type it is."""
    form = CALLS[kind_of(item)]
    call_id = item.get(form.id_key)
    return item.get("id") if call_id is None and item.get("type") == "local_shell_call" else call_id


def answered_by(item: Item) -> object:
    """Return the id of the call that a result answers, of whatever type it is."""
    key = RESULTS.get(kind_of(item), "call_id")
    return item["call_id"] if "call_id" in item else item.get(key)


def tool_of(item: Item) -> str:
    """Return the name of the tool that a call calls."""
    form = CALLS[kind_of(item)]
    return text_of(item.get(form.name_key)) if form.name_key else form.tool


def input_of(item: Item) -> object:
    """Return what a call hands to its tool, as the model wrote it."""
    key = CALLS[kind_of(item)].input_key
    return item.get("actions") if key == "action" and "action" not in item else item.get(key)
