"""From the messages of mini-SWE-agent to turns."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold._metadata import KIND_INJECTED
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found, Message, Place
from turnfold.formats._itemwise import pair_by_place
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._openai_read import read_message
from turnfold.formats._parts import json_of
from turnfold.formats._roles import ASSISTANT, TOOL, USER
from turnfold.formats._session import counted

FENCES: Final = ("```mswea_bash_command\n", "```bash\n")
"""What opens the block of a command, in the newer and in the older version."""
_RETURN_CODE: Final = "<returncode>"
_GENUINE: Final = "UserInterruption"


def read_messages(messages: Sequence[Any]) -> Found:
    """Return the turns of a trajectory's messages."""
    found = Found()
    acts = False
    for index, message in enumerate(messages):
        if is_exit(message):
            continue
        chat = as_chat(message)
        if acts and _role(chat) == "user" and chat.get("content") == CLOSED_CALL:
            acts = False
            continue
        turn = read_message(index, chat, found)
        if turn is None:
            continue
        if turn.role is ASSISTANT:
            found.count(index, _tokens(message))
            acts = not turn.makes and _acts(turn, chat)
            if acts:
                turn.makes = (Call("", "bash"),)
        elif turn.role is USER and turn.kind is None:
            acts = _read_user(turn, chat, acts=acts)
        if turn.role is TOOL:
            turn.failed = _failed(turn, chat)
        found.add(turn, Place(index))
    pair_by_place([turn for turn, _ in found.turns])
    return found


def _tokens(message: Mapping[str, Any]) -> int:
    """Return what was counted at a response: beside a chat message, or in one of the Responses."""
    extra = message.get("extra")
    response = extra.get("response") if isinstance(extra, dict) else None
    usage = response.get("usage") if isinstance(response, dict) else message.get("usage")
    if not usage:
        return 0
    return (
        counted(usage, "total_tokens")
        or counted(usage, "prompt_tokens", "completion_tokens")
        or counted(usage, "input_tokens", "output_tokens")
    )


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def is_exit(message: object) -> bool:
    """Whether a message only says how the run ended; no model is sent that."""
    return _role(message) == "exit"


def as_chat(message: Any) -> Any:  # noqa: ANN401  JSON.
    """Return a message of OpenAI's Responses as a chat message; any other as it is."""
    if not isinstance(message, dict):
        return message
    if message.get("type") == "function_call_output":
        named = {"tool_call_id": message.get("call_id"), "content": message.get("output")}
        return {"role": "tool", **named, "extra": message.get("extra")}
    if message.get("object") != "response" or not isinstance(message.get("output"), list):
        return message
    items = [item for item in message["output"] if isinstance(item, dict)]
    parts = [
        part
        for item in items
        if item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
    ]
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    return {
        "role": "assistant",
        "content": parts,
        "tool_calls": [_as_call(item) for item in items if item.get("type") == "function_call"],
        "reasoning": json_of(thoughts) if thoughts else "",
    }


def _as_call(item: Message) -> Message:
    function = {"name": item.get("name"), "arguments": item.get("arguments")}
    return {"id": item.get("call_id"), "type": "function", "function": function}


def _extra(message: Message) -> Mapping[str, Any]:
    extra = message.get("extra")
    return extra if isinstance(extra, dict) else {}


def _acts(turn: LoadedTurn, message: Message) -> bool:
    """Whether a message without tool calls holds one command, as the agent takes it."""
    actions = _extra(message).get("actions")
    if isinstance(actions, list):
        return bool(actions)
    counts = [turn.content.count(fence) for fence in FENCES]
    return next((count for count in counts if count), 0) == 1


def _read_user(turn: LoadedTurn, message: Message, *, acts: bool) -> bool:
    """Tell what a command gave, and what the agent wrote, from a person's words."""
    interrupt = _extra(message).get("interrupt_type")
    if interrupt is not None:
        turn.kind = None if interrupt == _GENUINE else KIND_INJECTED
    elif acts:
        turn.role, turn.answers = TOOL, ("",)
        return False
    return acts


def _failed(turn: LoadedTurn, message: Message) -> bool:
    code = _extra(message).get("returncode")
    if isinstance(code, int):
        return code != 0
    if not turn.content.startswith(_RETURN_CODE):
        return False
    return not turn.content.startswith(f"{_RETURN_CODE}0<")
