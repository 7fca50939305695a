"""The serial forms of a LangChain message, and where in a document the messages are."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from turnfold.errors import UnreadableTranscript
from turnfold.formats._document import Message

HUMAN: Final = "human"
REMOVE: Final = "remove"

Form = Literal["dict", "constructor", "flat", "role"]
Path = tuple[str | int, ...]

_KINDS: Final = {
    "human": HUMAN,
    "user": HUMAN,
    "ai": "ai",
    "assistant": "ai",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "function",
    "remove": REMOVE,
}
_CLASSES: Final = {
    "human": "HumanMessage",
    "ai": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
    "function": "FunctionMessage",
}
_OWN_NAMES: Final = ("human", "ai")
_OWN_KEYS: Final = frozenset({"additional_kwargs", "response_metadata"})
_CALL_KEYS: Final = frozenset({"name", "args"})
_OWN_MARKS: Final = _OWN_KEYS | {"lc", "data"}
_PATHS: Final[tuple[Path, ...]] = (
    (),
    ("messages",),
    ("values", "messages"),
    ("channel_values", "messages"),
    ("kwargs", "messages"),
    ("checkpoint", "channel_values", "messages"),
    ("outputs", "messages"),
    ("inputs", "messages"),
    ("inputs", "messages", 0),
)
"""Alone, in a state, a checkpoint, a prompt, a saved checkpoint, or a traced run.

The answer of a traced run of a graph is all of its messages; that of a model has only its own, so
what it was asked is read, in which each prompt is a list.
"""
_REMOVE_ALL: Final = "__remove_all__"


@dataclass(frozen=True, slots=True)
class Fields:
    """A message without the form in which it was written.

    Args:
        kind: `human`, `ai`, `system`, `tool`, `function` or `remove`.
        form: The serial form.
        values: The fields of the message: content, tool_calls and so on.
    """

    kind: str
    form: Form
    values: Mapping[str, Any]


def fields_of(message: object) -> Fields | None:
    """Return the fields of a message, or None where it has no form of LangChain's."""
    if not isinstance(message, dict):
        return None
    if message.get("lc") is not None and isinstance(message.get("kwargs"), dict):
        names = message.get("id")
        name = names[-1] if isinstance(names, list) and names else None
        return _fields(name, "constructor", message["kwargs"])
    if isinstance(message.get("data"), dict) and "content" in message["data"]:
        return _fields(message.get("type"), "dict", message["data"])
    if "content" not in message:
        return None
    return _fields(message.get("type"), "flat", message) or _fields(
        message.get("role"), "role", message
    )


def _fields(name: object, form: Form, values: Mapping[str, Any]) -> Fields | None:
    if not isinstance(name, str):
        return None
    short = name.removesuffix("Chunk").removesuffix("Message").lower()
    if short == "chat":
        # A role that nobody knows is still somebody who speaks to the model.
        role = values.get("role")
        kind = _KINDS.get(role, HUMAN) if isinstance(role, str) else HUMAN
        return Fields(kind if kind in (HUMAN, "ai", "system") else HUMAN, form, values)
    known = _KINDS.get(short)
    return None if known is None else Fields(known, form, values)


def with_values(message: Message, **changes: object) -> Message:
    """Return a message in its form with other fields; those that it has keep their place."""
    key = {"constructor": "kwargs", "dict": "data"}.get(_form_of(message))
    return {**message, **changes} if key is None else {**message, key: {**message[key], **changes}}


def _form_of(message: Message) -> str:
    fields = fields_of(message)
    return "flat" if fields is None else fields.form


def made(form: Form, kind: str, **values: object) -> Message:
    """Return a new message in a form."""
    if form == "constructor":
        names = ["langchain", "schema", "messages", _CLASSES[kind]]
        return {"lc": 1, "type": "constructor", "id": names, "kwargs": {**values, "type": kind}}
    if form == "dict":
        return {"type": kind, "data": {**values, "type": kind}}
    return {("role" if form == "role" else "type"): kind, **values}


def found_messages(document: object) -> tuple[Path, list[Any]]:
    """Return the messages of a document, and the keys that lead to them.

    Raises:
        UnreadableTranscript: There are none.
    """
    for path in _PATHS:
        value = document
        for key in path:
            value = _under(value, key)
        if isinstance(value, list) and value and not isinstance(value[0], list):
            return path, value
    kind = type(document).__name__
    msg = (
        "expected a list of LangChain messages, or a state with `messages` in which there is one; "
        f"found a {kind} without"
    )
    raise UnreadableTranscript(msg, {"path": "messages", "type": kind})


def _under(value: object, key: str | int) -> object:
    if isinstance(key, int):
        return value[key] if isinstance(value, list) and len(value) > key else None
    return value.get(key) if isinstance(value, dict) else None


def is_langchain(document: object) -> bool:
    """Whether one of the messages has a form that no other format writes."""
    try:
        _, messages = found_messages(document)
    except UnreadableTranscript:
        return False
    return any(_is_own(each) for each in messages if isinstance(each, dict) and _may_be_own(each))


def _may_be_own(message: Message) -> bool:
    """Whether a message has anything in which LangChain's differ from others."""
    return (
        not _OWN_MARKS.isdisjoint(message)
        or message.get("type") in _OWN_NAMES
        or message.get("role") in _OWN_NAMES
        or ("tool_calls" in message and _has_own_calls(message))
    )


def _is_own(message: Message) -> bool:
    fields = fields_of(message)
    if fields is None:
        return False
    if fields.form in ("constructor", "dict"):
        return True
    values = fields.values
    name = values.get("type") if fields.form == "flat" else values.get("role")
    return name in _OWN_NAMES or values.keys() >= _OWN_KEYS or _has_own_calls(values)


def _has_own_calls(values: Mapping[str, Any]) -> bool:
    calls = values.get("tool_calls")
    for each in calls if isinstance(calls, list) else ():
        if isinstance(each, dict) and "function" not in each and each.keys() >= _CALL_KEYS:
            return True
    return False


def removed_ids(messages: list[Any]) -> frozenset[int]:
    """Return the places of the messages that a `RemoveMessage` further down deletes."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    removed: set[int] = set()
    for index, message in enumerate(messages):
        fields = fields_of(message)
        name = None if fields is None else fields.values.get("id")
        if fields is None or fields.kind != REMOVE:
            places[name if isinstance(name, str) else ""].append(index)
        elif name == _REMOVE_ALL:
            removed.update(range(index))
            places.clear()
        elif isinstance(name, str) and name:
            removed.update(places.pop(name, ()))
    return frozenset(removed)
