"""The pairing, ordering and reasoning rules of OpenAI's Responses, as a check of finished items.

Written without a look at the renderers: it is what their output is held against. The rules are
those of the provider's error messages; types are left to the provider's own package. What may lie
among the items that the provider stores is no fault.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from turnfold.formats._faults import Fault

_ANSWERS: Final = {
    "function_call_output": ("function_call", "local_shell_call"),
    "custom_tool_call_output": ("custom_tool_call",),
    "local_shell_call_output": ("local_shell_call",),
    "shell_call_output": ("shell_call",),
    "apply_patch_call_output": ("apply_patch_call",),
    "computer_call_output": ("computer_call",),
    "tool_search_output": ("tool_search_call",),
    "mcp_approval_response": ("mcp_approval_request",),
    "program_output": ("program",),
}
_CALLS: Final = frozenset(call for calls in _ANSWERS.values() for call in calls)
_OPTIONAL: Final = frozenset({"mcp_approval_request"})
"""Calls that may stay without an answer."""

_MODEL: Final = _CALLS | {
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_list_tools",
    "mcp_call",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "item_reference",
}
"""What a model says besides messages; reasoning leads to one of these."""

_ROLES: Final = ("user", "assistant", "system", "developer")
_INSTRUCTIONS: Final = ("system", "developer")
_LONGEST_ID: Final = 64
_TRIGGER: Final = "'compaction_trigger' must be the final input item."


def check_responses(
    items: Sequence[Any],
    *,
    places: Sequence[str] | None = None,
    pending_ok: bool = False,
    goes_on: bool = False,
) -> list[Fault]:
    """Return every fault that the provider would refuse; empty where there is none.

    Args:
        items: The items.
        places: Where each stands, for a person; by default `input[N]`.
        pending_ok: Whether the calls at the very end may wait for their results.
        goes_on: Whether they go on from what the provider stores, which is not among them.
    """
    named = [f"input[{number}]" for number in range(len(items))] if places is None else places
    faults = [
        fault
        for place, item in zip(named, items, strict=True)
        for fault in _shape_faults(place, item)
    ]
    if not (goes_on or any(_kind(each) and _role(each) not in _INSTRUCTIONS for each in items)):
        faults.append(Fault("input", "only_system", "there is no item besides instructions"))
    faults += _pairs(items, named, pending_ok=pending_ok, goes_on=goes_on)
    faults += _reasoning(items, named)
    faults += _ids(items, named)
    faults += [
        Fault(place, "trigger_last", "a compaction trigger is the last item", _TRIGGER)
        for place, item in list(zip(named, items, strict=True))[:-1]
        if _kind(item) == "compaction_trigger"
    ]
    return faults


def _kind(item: object) -> str:
    if not isinstance(item, dict):
        return ""
    kind = item.get("type", "message" if "role" in item else "item_reference")
    return kind if isinstance(kind, str) else ""


def _role(item: object) -> object:
    return item.get("role") if isinstance(item, dict) else None


def _shape_faults(place: str, item: object) -> Iterator[Fault]:
    kind = _kind(item)
    if not isinstance(item, dict) or not kind:
        error = f"Invalid type for '{place}': expected an object"
        yield Fault(place, "item_type", "an item is an object with a type or a role", error)
        return
    if kind == "message":
        yield from _message_faults(place, item)
    elif kind == "compaction_trigger":
        return
    elif kind in _CALLS or kind in _ANSWERS:
        yield from _call_id_faults(place, item, kind)
    if kind in ("function_call_output", "custom_tool_call_output") and item.get("output") is None:
        error = f"Missing required parameter: '{place}.output'."
        yield Fault(f"{place}.output", "no_output", "a result has an output", error)
    if kind == "function_call" and not isinstance(item.get("arguments"), str):
        error = f"Invalid type for '{place}.arguments': expected a string."
        yield Fault(f"{place}.arguments", "arguments_type", "arguments are a string", error)


def _message_faults(place: str, item: dict[str, Any]) -> Iterator[Fault]:
    if item.get("role") not in _ROLES:
        error = f"Invalid value for '{place}.role'."
        yield Fault(f"{place}.role", "role", f"a role is one of {', '.join(_ROLES)}", error)
    if not isinstance(item.get("content"), str | list):
        error = f"Invalid type for '{place}.content': expected a string or a list."
        yield Fault(f"{place}.content", "content_type", "content is a string or a list", error)


def _call_id_faults(place: str, item: dict[str, Any], kind: str) -> Iterator[Fault]:
    call_id = _call_id(item, kind)
    if kind == "tool_search_call" and call_id is None:
        return
    if kind == "tool_search_output" and call_id is None:
        return
    if not isinstance(call_id, str):
        error = f"Missing required parameter: '{place}.call_id'."
        yield Fault(f"{place}.call_id", "no_call_id", "a call and its result have a call_id", error)
    elif not call_id:
        error = f"Invalid '{place}.call_id': empty string."
        yield Fault(f"{place}.call_id", "empty_call_id", "a call_id is not empty", error)
    elif len(call_id) > _LONGEST_ID:
        error = f"Invalid '{place}.call_id': string too long."
        yield Fault(f"{place}.call_id", "long_call_id", "a call_id has 64 characters", error)


def _call_id(item: dict[str, Any], kind: str) -> object:
    if kind == "mcp_approval_request":
        return item.get("id")
    if kind == "mcp_approval_response":
        return item.get("approval_request_id")
    if kind == "local_shell_call_output":
        return item.get("call_id", item.get("id"))
    return item.get("call_id")


@dataclass(slots=True)
class _Open:
    """A call that waits; what had been said, and referred to, how often when it was made."""

    place: str
    kind: str
    call_id: object
    said: int
    referred: int
    waits: bool = True


@dataclass(slots=True)
class _Waiting:
    """The calls that wait, by each of their names, the newest last."""

    calls: list[_Open] = field(default_factory=list)
    by_name: defaultdict[str, list[_Open]] = field(default_factory=lambda: defaultdict(list))

    def named(self, name: object, kinds: Sequence[str]) -> _Open | None:
        """Return the newest call of a name and of one of some kinds that still waits."""
        stack = self.by_name[repr(name)]
        while stack and not stack[-1].waits:
            stack.pop()
        return next((each for each in reversed(stack) if each.waits and each.kind in kinds), None)

    def add(self, call: _Open, item: dict[str, Any]) -> None:
        """Add a call; a local shell's call may be named by its item as well."""
        self.calls.append(call)
        names = {repr(call.call_id)}
        if call.kind == "local_shell_call":
            names.add(repr(item.get("id")))
        for name in names:
            self.by_name[name].append(call)


def _pairs(
    items: Sequence[Any], places: Sequence[str], *, pending_ok: bool, goes_on: bool
) -> Iterator[Fault]:
    """Each call has one result behind it, wherever; each result one call before it.

    Either may be stored: before all items, or where an item refers to it.
    """
    waiting = _Waiting()
    said = referred = 0
    is_after_result = False
    for place, item in zip(places, items, strict=True):
        kind = _kind(item)
        if kind in _ANSWERS:
            is_after_result = True
            yield from _answer(waiting, place, item, is_stored=goes_on or referred > 0)
        elif kind in _CALLS and _call_id(item, kind) is not None:
            said += is_after_result
            is_after_result = False
            call_id = _call_id(item, kind)
            if waiting.named(call_id, tuple(_CALLS)):
                message = f"{call_id!r} is the id of a call that still waits"
                yield Fault(place, "repeated_call_id", message)
            waiting.add(_Open(place, kind, call_id, said, referred), item)
        elif kind == "item_reference" and isinstance(item.get("id"), str):
            referred += 1
        elif not (kind in _MODEL or kind == "reasoning" or _role(item) == "assistant"):
            said += 1
    for each in waiting.calls:
        may_wait = each.kind in _OPTIONAL or (pending_ok and each.said == said)
        may_wait = may_wait or each.referred < referred
        if each.waits and not may_wait:
            error = f"No tool output found for function call {each.call_id}."
            message = f"the call {each.call_id!r} has no result behind it"
            yield Fault(each.place, "unanswered_call", message, error)


def _answer(
    waiting: _Waiting, place: str, item: dict[str, Any], *, is_stored: bool
) -> Iterator[Fault]:
    kind = _kind(item)
    call_id = _call_id(item, kind)
    found = waiting.named(call_id, _ANSWERS[kind])
    if found is not None:
        found.waits = False
    elif call_id is not None and not is_stored:
        yield _orphan(place, call_id)


def _orphan(place: str, call_id: object) -> Fault:
    error = f"No tool call found for function call output with call_id {call_id}."
    return Fault(place, "orphan_result", f"no call before it waits for {call_id!r}", error)


def _reasoning(items: Sequence[Any], places: Sequence[str]) -> Iterator[Fault]:
    """Reasoning stands before the item of the model that it led to."""
    for number, (place, item) in enumerate(zip(places, items, strict=True)):
        if _kind(item) != "reasoning":
            continue
        following = items[number + 1] if number + 1 < len(items) else None
        kind = _kind(following)
        if kind in _MODEL or kind == "reasoning" or _role(following) == "assistant":
            continue
        named = item.get("id")
        error = (
            f"Item '{named}' of type 'reasoning' was provided without its required following item."
        )
        message = "reasoning stands before a message or a call of the model"
        yield Fault(place, "dangling_reasoning", message, error)


def _ids(items: Sequence[Any], places: Sequence[str]) -> Iterator[Fault]:
    """No two items have one id, unless one refers to the other."""
    seen: Counter[str] = Counter()
    for place, item in zip(places, items, strict=True):
        own = item.get("id") if isinstance(item, dict) else None
        if not isinstance(own, str) or not own or _kind(item) in ("item_reference", *_ANSWERS):
            continue
        seen[own] += 1
        if seen[own] > 1:
            error = f"Duplicate item found with id {own}. Remove duplicate items from your input."
            yield Fault(place, "repeated_id", f"the id {own!r} stands twice", error)
