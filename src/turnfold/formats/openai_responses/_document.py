"""Where the items of OpenAI's Responses stand in a document: one list, or two in a row.

A request holds them in `input`, a response in `output`, and a recorded rollout in both: what was
asked in `responses_create_params.input`, what came of it in `response.output`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from turnfold.formats._responses_items import KNOWN_TYPES
from turnfold.formats._responses_read import Entry

Path = tuple[str | int, ...]

REQUEST: Final = "responses_create_params"
RESPONSE: Final = "response"
_STORED: Final = ("previous_response_id", "conversation")
_ROLES: Final = frozenset({"user", "assistant", "system", "developer"})
_PARTS: Final = frozenset({"input_text", "input_image", "input_file", "output_text", "refusal"})
_NOT_THESE: Final = frozenset({"messages", "contents", "trajectory", "steps", "conversations"})
"""Keys of the documents of others."""


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list of items and the path that leads to it; a bare string is one user's message.

    Args:
        path: The keys and indexes.
        items: The items.
    """

    path: Path
    items: Sequence[Any]

    def entries(self) -> list[Entry]:
        """Return the items with their places."""
        shown = shown_path(self.path)
        prefix = "o" if self.path and self.path[-1] == "output" else "m"
        return [
            Entry(item, f"{shown}[{number}]", f"{prefix}{number}")
            for number, item in enumerate(self.items)
        ]


def shown_path(path: Path) -> str:
    """Return a path for a person: `responses_create_params.input`, `[2].response.output`."""
    spelled = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return spelled.removeprefix(".")


def is_rollout(value: object) -> bool:
    """Whether a value is a recorded rollout: a request and the response to it."""
    if not isinstance(value, Mapping):
        return False
    request, response = value.get(REQUEST), value.get(RESPONSE)
    return (
        isinstance(request, dict)
        and isinstance(request.get("input"), list | str)
        and (response is None or isinstance(response, dict))
    )


def is_typed(item: object) -> bool:
    """Whether an item is of a kind that only the Responses have."""
    if not isinstance(item, dict):
        return False
    kind = item.get("type")
    if kind == "message":
        return is_message(item)
    if isinstance(kind, str) and kind in KNOWN_TYPES:
        return kind != "program" or "fingerprint" in item
    content = item.get("content")
    return (
        kind is None
        and isinstance(content, list)
        and is_message(item)
        and any(isinstance(part, dict) and _is_one_of(_PARTS, part.get("type")) for part in content)
    )


def is_message(item: object) -> bool:
    """Whether an item has a role and a content, as in several formats."""
    return (
        isinstance(item, dict)
        and _is_one_of(_ROLES, item.get("role"))
        and isinstance(item.get("content"), str | list)
    )


def _is_one_of(names: frozenset[str], value: object) -> bool:
    return isinstance(value, str) and value in names


def matches(document: object) -> bool:
    """Whether a document holds items of the Responses, or rollouts of them."""
    if isinstance(document, list):
        first = document[0] if document else None
        is_typed_list = not any(map(_is_chat, document)) and any(map(is_typed, document))
        return is_rollout(first) or is_typed_list
    if not isinstance(document, dict) or _NOT_THESE & document.keys():
        return False
    is_response = document.get("object") in ("response", "response.compaction")
    if is_rollout(document) or (is_response and isinstance(document.get("output"), list)):
        return True
    lists = [each for each in map(document.get, ("input", "output")) if isinstance(each, list)]
    return any(is_typed(item) for each in lists for item in each) or _is_request(document)


def _is_request(document: dict[str, Any]) -> bool:
    """Whether a document is a request that shows no item of its own kind."""
    asked = document.get("input")
    if isinstance(asked, str):
        return {"model", "instructions"} <= document.keys()
    if not isinstance(asked, list) or not (asked and all(map(is_message, asked))):
        return False
    is_bare = document.keys() <= {"input", "instructions", "tools"}
    return (is_bare or "model" in document) and not any(map(_is_chat, asked))


def _is_chat(message: object) -> bool:
    """Whether a message links its calls as the chat completions do."""
    return isinstance(message, dict) and (
        "tool_calls" in message or message.get("role") in ("tool", "function")
    )


def conversations_of(document: object) -> list[Path]:
    """Return for each conversation of a document the path that leads to it."""
    if isinstance(document, list) and any(map(is_rollout, document)):
        return [(number,) for number, each in enumerate(document) if is_rollout(each)]
    return [()]


def lists_of(value: object, path: Path = ()) -> list[ItemList]:
    """Return the lists of items of one conversation, in the order of the conversation."""
    if isinstance(value, list):
        return [ItemList(path, value)]
    if not isinstance(value, dict):
        return []
    if is_rollout(value):
        asked = _list_at(value[REQUEST], (*path, REQUEST), "input")
        answer = value.get(RESPONSE)
        came = _list_at(answer, (*path, RESPONSE), "output") if isinstance(answer, dict) else []
        return [*asked, *came]
    return [*_list_at(value, path, "input"), *_list_at(value, path, "output")]


def _list_at(holder: dict[str, Any], path: Path, key: str) -> list[ItemList]:
    listed = holder.get(key)
    if isinstance(listed, str):
        return [ItemList((*path, key), [{"role": "user", "content": listed}])]
    return [ItemList((*path, key), listed)] if isinstance(listed, list) else []


def instructions_of(value: object, path: Path = ()) -> tuple[Path, str | list[Any]] | None:
    """Return the instructions that stand beside the items, and their path."""
    if not isinstance(value, dict):
        return None
    holders: list[tuple[Path, Any]] = [(path, value)]
    if is_rollout(value):
        holders = [((*path, REQUEST), value[REQUEST]), ((*path, RESPONSE), value.get(RESPONSE))]
    for at, holder in holders:
        found = holder.get("instructions") if isinstance(holder, dict) else None
        if isinstance(found, str | list) and found:
            return (*at, "instructions"), found
    return None


def goes_on_from(value: object) -> str | None:
    """Return the key that says that the provider stores what came before; None without one."""
    if not isinstance(value, dict):
        return None
    holders = [value[REQUEST], value.get(RESPONSE)] if is_rollout(value) else [value]
    found = (
        key
        for holder in holders
        if isinstance(holder, dict)
        for key in _STORED
        if holder.get(key) is not None
    )
    return next(found, None)


def value_at(document: Any, path: Path) -> Any:  # noqa: ANN401  Any JSON.
    """Return the value at a path."""
    for key in path:
        document = document[key]
    return document


def replaced_at(document: Any, path: Path, value: object) -> Any:  # noqa: ANN401  Any JSON.
    """Return a document with another value at a path; only what holds it is copied."""
    if not path:
        return value
    copied = document.copy()
    copied[path[0]] = replaced_at(copied[path[0]], path[1:], value)
    return copied
