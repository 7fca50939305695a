"""OpenAI's rules of items that a server gave itself: ids, reasoning, and what was stored."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from turnfold.formats import Fault
from turnfold.testing.provider._memory import Memory, Prefix, plain, prefix_of

_PREFIX: Final = "fake-encrypted."
_LEADERLESS: Final = (
    "Item '{named}' of type '{kind}' was provided without its required 'reasoning' item: "
    "'{leader}'."
)
_LOST: Final = (
    "Item with id '{named}' not found. Items are not persisted when `store` is set to false. Try "
    "again with `store` set to true, or remove this item from your input."
)
_UNKNOWN: Final = "Item with id '{named}' not found."
_UNKNOWN_CONVERSATION: Final = "Conversation with id '{named}' not found."
_UNKNOWN_RESPONSE: Final = "Previous response with id '{named}' not found."


def history_of(body: dict[str, Any], memory: Memory) -> list[Any] | None:
    """Return all items of a request, the stored ones that it builds on before its own.

    None where its `input` is missing, or what it goes on from is not known.
    """
    given = body.get("input")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    previous, conversation = body.get("previous_response_id"), conversation_of(body)
    before: list[Any] | None = []
    if previous is not None:
        before = memory.stored.get(str(previous))
    elif conversation is not None:
        before = memory.conversations.get(conversation)
    if not isinstance(given, list) or before is None:
        return None
    return [_resolved(item, memory) for item in (*before, *given)]


def conversation_of(body: dict[str, Any]) -> str | None:
    """Return the id of the conversation that a request goes on in."""
    given = body.get("conversation")
    named = given.get("id") if isinstance(given, dict) else given
    return None if named is None else str(named)


def unknown_origin(body: dict[str, Any]) -> Fault:
    """Return the fault of a request that goes on from what is not known."""
    named = body.get("previous_response_id")
    if named is None:
        words = _UNKNOWN_CONVERSATION.format(named=conversation_of(body))
        return Fault("conversation", "unknown_conversation", "no such conversation", words)
    words = _UNKNOWN_RESPONSE.format(named=named)
    return Fault("previous_response_id", "unknown_response", "no such response", words)


def _resolved(item: Any, memory: Memory) -> Any:  # noqa: ANN401
    """Return what an item refers to, where it is a reference to one that was stored."""
    is_reference = isinstance(item, dict) and item.get("type", "item_reference") == "item_reference"
    if is_reference and "role" not in item and isinstance(item.get("id"), str):
        return memory.items.get(item["id"], item)
    return item


def item_faults(items: Sequence[Any], memory: Memory) -> Iterator[Fault]:
    """Yield items without the reasoning that led to them, and items that were never stored."""
    before: set[str] = set()
    for number, item in enumerate(items):
        named = item.get("id") if isinstance(item, dict) else None
        if not isinstance(named, str):
            continue
        place, kind = f"input[{number}]", item.get("type")
        leader = memory.leaders.get(named)
        if leader is not None and leader not in before:
            words = _LEADERLESS.format(named=named, kind=kind, leader=leader)
            yield Fault(place, "missing_reasoning", "its reasoning is missing", words)
        if kind == "item_reference":
            words = (_LOST if named in memory.lost else _UNKNOWN).format(named=named)
            yield Fault(place, "not_persisted", "no such item is stored", words)
        elif kind == "reasoning" and named in memory.lost and not item.get("encrypted_content"):
            words = _LOST.format(named=named)
            yield Fault(place, "not_persisted", "reasoning without its content", words)
        before.add(named)


def encrypted(named: str) -> str:
    """Return what stands for the content of a reasoning item."""
    return f"{_PREFIX}{named}"


def items_prefix(items: Sequence[Any]) -> Prefix:
    """Return what each item stands behind; ids and states do not count."""
    return prefix_of(map(_comparable, items))


def _comparable(item: Any) -> Any:  # noqa: ANN401
    item = plain(item)
    if not isinstance(item, dict):
        return item
    kept = {key: each for key, each in item.items() if key not in ("id", "status", "phase")}
    if "role" in kept:
        kept["type"] = "message"
        kept["content"] = _texts(kept.get("content"))
    return kept


def _texts(content: Any) -> Any:  # noqa: ANN401
    """Return content in one spelling: the text of each part, whatever stands beside it."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [
        part["text"] if isinstance(part, dict) and isinstance(part.get("text"), str) else part
        for part in parts
    ]


def moved_reasoning(items: Sequence[Any], prefix: Prefix, memory: Memory) -> tuple[str, ...]:
    """Return the places of reasoning items that stand behind another prefix than their own."""
    return tuple(
        f"input[{number}]"
        for number, item in enumerate(items)
        if isinstance(item, dict)
        and item.get("type") == "reasoning"
        and memory.bindings.get(_name_of(item)) not in (None, prefix.digests[number])
    )


def _name_of(item: dict[str, Any]) -> str:
    """Return the id of a reasoning item, which its content says where the id was left out."""
    return str(item.get("id") or str(item.get("encrypted_content")).removeprefix(_PREFIX))
