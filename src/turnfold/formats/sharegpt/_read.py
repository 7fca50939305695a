"""From the items of a ShareGPT conversation to turns, and whose words an item holds."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found, Message, Place
from turnfold.formats._itemwise import pair_by_place, results_behind
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.transcript import Role

REMOVED_REPLY: Final = "[the reply at this point was removed]"
"""Stands between two turns of a person where a training tool wants them to alternate."""

_CALL: Final = "function_call"
_THOUGHT_ENDS: Final = "</think>"
"""LLaMA-Factory takes a thought in front of the JSON of a call."""
_ROLES: Final[Mapping[str, Role]] = {
    "system": Role.SYSTEM,
    **dict.fromkeys(("human", "user"), Role.USER),
    **dict.fromkeys(
        ("gpt", "assistant", "chatgpt", "bing", "bard", "bot", "model", _CALL), Role.ASSISTANT
    ),
    **dict.fromkeys(
        (
            *("observation", "observations", "tool", "function", "function_response"),
            *("tool_response", "ipython"),
        ),
        Role.TOOL,
    ),
}
_OURS: Final = {Role.USER: BRIDGE, Role.ASSISTANT: REMOVED_REPLY, Role.TOOL: CLOSED_CALL}


def role_of(item: Any) -> Role | None:  # noqa: ANN401  JSON.
    """Return the role of whom an item names, or None where that is nobody known."""
    return _ROLES.get(_name_of(item))


def is_call(item: object) -> bool:
    """Whether an item is calls of the model."""
    return _name_of(item) == _CALL


def _name_of(item: object) -> str:
    name = item.get("from") if isinstance(item, Mapping) else None
    return name.lower().replace("-", "_") if isinstance(name, str) else ""


def read_items(items: Sequence[Any], place: str) -> Found:
    """Return the turns of a conversation's items; calls next to each other are one turn.

    Args:
        items: The items.
        place: Where they stand, for a person.
    """
    found = Found()
    for group in _groups(items):
        at = f"{place}[{group[0]}]"
        role = role_of(items[group[0]])
        if role is None:
            found.report(at, f"an item has a `from` of {', '.join(_ROLES)}, and a `value`")
            continue
        turn = LoadedTurn(f"m{group[0]}", role, "", origin=at)
        gathered = Gathered()
        for number in group:
            _read_item(turn, items[number], gathered, found)
        turn.content, turn.media = gathered.content, gathered.media
        if turn.content == _OURS.get(role):
            continue
        if role is Role.USER and is_marked_summary(turn.content):
            turn.kind = KIND_SUMMARY
        turn.answers = ("",) if role is Role.TOOL else ()
        found.add(turn, Place(group[0], tuple(group) if len(group) > 1 else None))
    turns = [turn for turn, _ in found.turns]
    for position, turn in enumerate(turns):
        if turn.makes:
            missing = results_behind(turns, position) - len(turn.makes)
            turn.makes += (Call("", turn.makes[-1].name),) * missing
    pair_by_place(turns)
    return found


def _groups(items: Sequence[Any]) -> list[list[int]]:
    """Return the numbers of items, calls next to each other together."""
    groups: list[list[int]] = []
    for number, item in enumerate(items):
        if number and is_call(item) and is_call(items[number - 1]):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _read_item(turn: LoadedTurn, item: Message, gathered: Gathered, found: Found) -> None:
    value = item.get("value")
    if not isinstance(value, str):
        found.report(f"{turn.origin}.value", f"a value is text; this is a {type(value).__name__}")
    if not is_call(item):
        gathered.add(text_of(value))
        return
    thought, spelled = _behind_thought(value)
    calls = _calls_in(spelled)
    gathered.add(thought if calls else text_of(value))
    for name, arguments in calls:
        gathered.add_call(name, arguments)
    # One result answers all calls of an item, so that they are one.
    turn.makes += (Call("", calls[0][0] if calls else ""),)


def _behind_thought(value: object) -> tuple[str, object]:
    """Return what a call's value says up to the end of a thought, and what stands behind it."""
    if not isinstance(value, str):
        return "", value
    thought, mark, rest = value.rpartition(_THOUGHT_ENDS)
    return thought + mark, rest


def _calls_in(value: object) -> list[tuple[str, str]]:
    """Return the names and arguments of the calls that a value spells as JSON."""
    found = _json_in(value) if isinstance(value, str) else value
    listed = found if isinstance(found, list) else [found]
    return [
        (text_of(each["name"]), text_of(each.get("arguments")))
        for each in listed
        if isinstance(each, dict) and isinstance(each.get("name"), str)
    ]


def _json_in(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
