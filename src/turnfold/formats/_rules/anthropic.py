"""The rules of Anthropic's messages, as a check of finished messages.

Written without a look at the renderers: it is what their output is held against. Types are left
to the provider's own package.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold.formats._faults import Fault
from turnfold.formats._rules.common import common_faults, role_of

_ROLES: Final = ("system", "user", "assistant")
_UNANSWERED: Final = (
    "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
_ORPHAN: Final = (
    "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each `tool_result` "
    "block must have a corresponding `tool_use` block in the previous message."
)
_ORPHAN_OF_SERVER: Final = (
    "{place}: unexpected `tool_use_id` found in `{kind}` blocks: {ids}. Each `{kind}` block must "
    "have a corresponding `server_tool_use` block before it."
)
_REPEATED: Final = "{place}: `tool_use` ids must be unique"
_REPEATED_RESULT: Final = (
    "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with "
    "id: {ids}"
)
_CALL_ROLE: Final = "{place}: `tool_use` blocks can only be in `assistant` messages"
_RESULT_ROLE: Final = "{place}: `tool_result` blocks can only be in `user` messages"
_FIRST_ROLE: Final = 'messages: first message must use the "user" role'
_SYSTEM_AFTER: Final = (
    "{place}: role 'system' must follow a 'user' message or an 'assistant' message ending in a "
    "server tool result"
)
_SYSTEM_FIRST: Final = "{place}: use the top-level 'system' parameter for the initial system prompt"
_SYSTEM_BEFORE: Final = (
    "{place}: role 'system' must precede an 'assistant' message or end the array"
)
_EMPTY: Final = "messages: text content blocks must be non-empty"
_BLANK: Final = "messages: text content blocks must contain non-whitespace text"
_NO_BLOCK: Final = (
    "{place}: all messages must have non-empty content except for the optional final assistant "
    "message"
)
_LAST_THINKING: Final = "{place}: the final block in an assistant message cannot be `thinking`"
_THINKING: Final = ("thinking", "redacted_thinking")


def check_anthropic(messages: Sequence[Any], *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault that Anthropic's messages would refuse; empty where there is none.

    Args:
        messages: The messages, without the system prompt beside them.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    faults = list(common_faults(messages, _ROLES))
    faults += _order(messages)
    faults += _pairs(messages, pending_ok=pending_ok)
    faults += _repeated_ids(messages)
    faults += _server_pairs(messages, pending_ok=pending_ok)
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            faults += _texts(f"messages[{index}]", message)
            faults += _last_blocks(f"messages[{index}]", message)
    return faults


def _as_named(place: str) -> str:
    """Spell a place as the provider does: `messages.3.content.1`."""
    return place.replace("[", ".").replace("]", "")


def _blocks(message: object, *kinds: str) -> list[tuple[int, dict[str, Any]]]:
    content = message.get("content") if isinstance(message, dict) else None
    return [
        (number, block)
        for number, block in enumerate(content if isinstance(content, list) else ())
        if isinstance(block, dict) and (not kinds or block.get("type") in kinds)
    ]


def _order(messages: Sequence[Any]) -> Iterator[Fault]:
    """The first message is a user's; a system message stands between a user and an assistant."""
    if messages and role_of(messages[0]) != "user":
        said = "the first message is a user message"
        is_system = role_of(messages[0]) == "system"
        error = _SYSTEM_FIRST.format(place="messages.0") if is_system else _FIRST_ROLE
        yield Fault("messages[0]", "first_role", said, error)
    for index, message in enumerate(messages):
        near = messages[max(index - 1, 0) : index + 2]
        systems = [each for each in near if role_of(each) == "system"]
        if role_of(message) != "system" or all(map(_only_configures, systems)):
            continue
        # Messages of one role in a row count as one.
        before = next((each for each in messages[:index][::-1] if role_of(each) != "system"), None)
        after = next((each for each in messages[index + 1 :] if role_of(each) != "system"), None)
        blocks = _blocks(before)
        served = bool(blocks) and str(blocks[-1][1].get("type")).endswith("_tool_result")
        place = f"messages[{index}]"
        if role_of(before) != "user" and not served:
            words = (_SYSTEM_AFTER if index else _SYSTEM_FIRST).format(place=_as_named(place))
            yield Fault(place, "system_after", "system follows a user message", words)
        if after is not None and role_of(after) != "assistant":
            words = _SYSTEM_BEFORE.format(place=_as_named(place))
            yield Fault(place, "system_before", "system precedes an assistant", words)


def _only_configures(message: object) -> bool:
    """Whether a system message says nothing, and sets the effort from there on (a beta).

    It stands anywhere, unless it is next to a system message that says something.
    """
    return (
        isinstance(message, dict)
        and message.get("role") == "system"
        and not message.get("content")
        and isinstance(message.get("output_config"), dict)
        and any(each is not None for each in message["output_config"].values())
    )


def _pairs(messages: Sequence[Any], *, pending_ok: bool) -> Iterator[Fault]:
    """All results of a message stand in the next one, before any text, and nowhere else."""
    for index, message in enumerate(messages):
        calls = [block.get("id") for _, block in _blocks(message, "tool_use")]
        place = f"messages[{index}]"
        if calls and role_of(message) != "assistant":
            error = _CALL_ROLE.format(place=_as_named(place))
            yield Fault(place, "call_role", "only an assistant message makes calls", error)
        following = messages[index + 1] if index + 1 < len(messages) else None
        answers = [block.get("tool_use_id") for _, block in _blocks(following, "tool_result")]
        at_end = index >= len(messages) - 2 and len(_blocks(following)) == len(answers)
        open_ids = ", ".join(str(each) for each in calls if each not in answers)
        if open_ids and not (pending_ok and at_end and _holds_blocks(following)):
            said = f"a `tool_use` has no `tool_result` right after: {open_ids}"
            error = _UNANSWERED.format(place=_as_named(place), ids=open_ids)
            yield Fault(place, "unanswered_call", said, error)
        yield from _results_of(messages, index)


def _repeated_ids(messages: Sequence[Any]) -> Iterator[Fault]:
    """No two calls of a request have one id."""
    first: dict[str, str] = {}
    for index, message in enumerate(messages):
        for number, block in _blocks(message, "tool_use"):
            place = f"messages[{index}].content[{number}]"
            before = first.setdefault(repr(block.get("id")), place)
            if before != place:
                error = _REPEATED.format(place=_as_named(place))
                yield Fault(place, "repeated_id", f"the call at {before} has this id", error)


def _holds_blocks(message: object) -> bool:
    """Whether a message is a user's list of blocks, or there is no message."""
    return message is None or (
        isinstance(message, dict)
        and message.get("role") == "user"
        and isinstance(message.get("content"), list)
    )


def _results_of(messages: Sequence[Any], index: int) -> Iterator[Fault]:
    message = messages[index]
    previous = messages[index - 1] if index else None
    calls = [block.get("id") for _, block in _blocks(previous, "tool_use")]
    seen: list[Any] = []
    other = False
    for number, block in _blocks(message):
        place = f"messages[{index}].content[{number}]"
        if block.get("type") != "tool_result":
            other = True
            continue
        answered = block.get("tool_use_id")
        if role_of(message) != "user":
            error = _RESULT_ROLE.format(place=_as_named(place))
            yield Fault(place, "result_role", "a `tool_result` stands in a user message", error)
        if other:
            error = _UNANSWERED.format(place=f"messages.{index - 1}", ids=answered)
            yield Fault(place, "result_order", "results stand before any other block", error)
        if answered not in calls:
            error = _ORPHAN.format(place=_as_named(place), ids=answered)
            yield Fault(place, "orphan_result", f"no call before waits for {answered!r}", error)
        if answered in seen:
            error = _REPEATED_RESULT.format(place=_as_named(place), ids=answered)
            yield Fault(place, "repeated_result", f"{answered!r} has two results", error)
        seen.append(answered)


def _server_pairs(messages: Sequence[Any], *, pending_ok: bool) -> Iterator[Fault]:
    """A server tool's result is behind its call; only results of tools stand between them.

    A turn that was paused goes on in the next assistant message, and code that calls tools of the
    caller ends after their results.
    """
    waiting: dict[Any, str] = {}
    for index, message in enumerate(messages):
        if role_of(message) == "user" and not _holds_results_only(message):
            yield from _unserved(waiting)
            waiting = {}
        for number, block in _blocks(message):
            kind, at = str(block.get("type")), f"messages[{index}].content[{number}]"
            if kind in ("server_tool_use", "mcp_tool_use"):
                waiting[repr(block.get("id"))] = f"messages[{index}]"
            elif kind.endswith("_tool_result") and not waiting.pop(
                repr(block.get("tool_use_id")), None
            ):
                named = {"place": _as_named(at), "kind": kind, "ids": block.get("tool_use_id")}
                error = _ORPHAN_OF_SERVER.format(**named)
                yield Fault(at, "orphan_result", "a server tool's result without its call", error)
    if not (pending_ok or (messages and role_of(messages[-1]) == "user")):
        yield from _unserved(waiting)


def _unserved(waiting: Mapping[Any, str]) -> Iterator[Fault]:
    for named, place in waiting.items():
        yield Fault(place, "unanswered_call", f"a server call without a result: {named}")


def _holds_results_only(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and len(_blocks(message, "tool_result")) == len(content)


def _texts(place: str, message: dict[str, Any]) -> Iterator[Fault]:
    if _only_configures(message):
        return
    content = message.get("content")
    nothing = _NO_BLOCK.format(place=_as_named(place))
    if isinstance(content, str):
        if not content.strip():
            error = _BLANK if content else nothing
            yield Fault(f"{place}.content", "empty_text", "text must not be blank", error)
    elif not isinstance(content, list):
        yield Fault(f"{place}.content", "content_type", "content is a string or a list")
    elif not content:
        yield Fault(f"{place}.content", "empty_content", "content has no block", nothing)
    for number, block in _blocks(message):
        at = f"{place}.content[{number}]"
        inner = [(at, block)]
        if block.get("type") == "tool_result":
            inner = [(f"{at}.content[{each}]", part) for each, part in _blocks(block)]
        for where, part in inner:
            if part.get("type") == "text" and not str(part.get("text") or "").strip():
                error = _BLANK if part.get("text") else _EMPTY
                yield Fault(where, "empty_text", "text must not be blank", error)


def _last_blocks(place: str, message: dict[str, Any]) -> Iterator[Fault]:
    blocks = _blocks(message) if message.get("role") == "assistant" else []
    if blocks and blocks[-1][1].get("type") in _THINKING:
        at = f"{place}.content[{blocks[-1][0]}]"
        error = _LAST_THINKING.format(place=_as_named(place))
        yield Fault(at, "last_thinking", "a message does not end in its thinking", error)
