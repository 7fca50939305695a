"""The messages of mini-SWE-agent as a chat that is checked; written without a renderer."""

from collections.abc import Iterator, Sequence
from typing import Any

from turnfold.formats._document import Message
from turnfold.formats._either import Given, opened
from turnfold.formats._faults import Fault
from turnfold.formats._parts import json_of
from turnfold.formats._rules.chats import Entry, check_entries
from turnfold.formats.mini_swe_agent._read import FENCES


def check(document_or_bytes: Given, *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault for which a provider would refuse the messages.

    Args:
        document_or_bytes: The parsed JSON of a trajectory, or its bytes.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    document = opened(document_or_bytes).document
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list):
        return [Fault("messages", "no_messages", "there is no list of messages")]
    while messages and isinstance(messages[-1], dict) and messages[-1].get("role") == "exit":
        messages = messages[:-1]
    return check_entries(list(_entries(messages)), pending_ok=pending_ok)


def _entries(messages: Sequence[Any]) -> Iterator[Entry]:
    waits = False
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if not isinstance(message, dict):
            yield Entry(place, type(message).__name__)
        elif message.get("type") == "function_call_output":
            yield Entry(place, "tool", answers=str(message.get("call_id") or ""))
        elif message.get("object") == "response":
            items = _objects(message.get("output"))
            made = [each for each in items if each.get("type") == "function_call"]
            calls = tuple(str(each.get("call_id") or "") for each in made)
            yield Entry(place, "assistant", calls, is_blank=not items)
        else:
            entry, waits = _entry(place, message, waits=waits)
            yield entry


def _objects(value: object) -> list[Message]:
    return [each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict)]


def _entry(place: str, message: Message, *, waits: bool) -> tuple[Entry, bool]:
    role, content = str(message.get("role")), message.get("content")
    if role == "tool":
        return Entry(place, role, answers=str(message.get("tool_call_id") or "")), waits
    extra = message.get("extra")
    held = extra if isinstance(extra, dict) else {}
    if role == "user" and waits and held.get("interrupt_type") is None:
        return Entry(place, "tool"), False
    calls = tuple(str(call.get("id") or "") for call in _objects(message.get("tool_calls")))
    is_blank = content in (None, [], "") and not calls
    if role != "assistant" or calls:
        return Entry(place, role, calls, is_blank=is_blank), False
    text = content if isinstance(content, str) else json_of(content).replace("\\n", "\n")
    actions = held.get("actions")
    if isinstance(actions, list):
        waits = bool(actions)
    else:
        named, plain = (text.count(fence) for fence in FENCES)
        waits = (named or plain) == 1
    return Entry(place, role, ("",) if waits else (), is_blank=is_blank), waits
