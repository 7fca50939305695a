"""The pairing and ordering rules of the providers, as a check of finished messages.

Written without a look at the renderers: it is what their output is held against. The rules are
those of the providers' error messages; types are left to the providers' own packages.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from turnfold.formats._faults import Fault

_OPENAI_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
_ANTHROPIC_ROLES: Final = ("system", "user", "assistant")
_INSTRUCTIONS: Final = ("system", "developer")


def check_openai_chat(messages: Sequence[Any], *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault that OpenAI's chat completions would refuse; empty where there is none.

    Args:
        messages: The messages.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    faults = list(_common_faults(messages, _OPENAI_ROLES))
    faults += _openai_runs(messages, pending_ok=pending_ok)
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            faults += _openai_content(f"messages[{index}]", message)
    return faults


def check_anthropic(messages: Sequence[Any], *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault that Anthropic's messages would refuse; empty where there is none.

    Args:
        messages: The messages, without the system prompt beside them.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    faults = list(_common_faults(messages, _ANTHROPIC_ROLES))
    faults += _anthropic_order(messages)
    faults += _anthropic_pairs(messages, pending_ok=pending_ok)
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            last = index == len(messages) - 1
            faults += _server_pairs(f"messages[{index}]", message, pending_ok and last)
            faults += _anthropic_texts(f"messages[{index}]", message)
    return faults


def _common_faults(messages: Sequence[Any], roles: Sequence[str]) -> Iterator[Fault]:
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in roles:
            yield Fault(f"messages[{index}]", "role", "a message is an object with a known role")
    if not any(_role(each) not in (*_INSTRUCTIONS, None) for each in messages):
        yield Fault("messages", "only_system", "there is no message besides system messages")


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _repeats(values: Sequence[object]) -> bool:
    """Whether a value stands twice; ids of a malformed message cannot be hashed."""
    return any(value in values[:number] for number, value in enumerate(values))


def _openai_runs(messages: Sequence[Any], *, pending_ok: bool) -> Iterator[Fault]:
    """Each call is answered in the run of results after it, and nothing else is."""
    expected: list[tuple[str, Any]] = []
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if _role(message) in ("tool", "function"):
            named = message.get("name" if message["role"] == "function" else "tool_call_id")
            if (message["role"], named) in expected:
                expected.remove((message["role"], named))
            else:
                yield Fault(place, "orphan_result", f"no call before it waits for {named!r}")
            continue
        for _, named in expected:
            yield Fault(place, "unanswered_call", f"the call {named!r} has no result before it")
        expected = []
        if _role(message) == "assistant":
            expected = _openai_calls(message)
            if _repeats(expected):
                yield Fault(f"{place}.tool_calls", "repeated_id", "ids of one message repeat")
            if message.get("tool_calls") == []:
                yield Fault(f"{place}.tool_calls", "empty_calls", "tool_calls is empty")
    if expected and not pending_ok:
        yield Fault("messages", "unanswered_call", f"{len(expected)} calls at the end are open")


def _openai_calls(message: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return for each call the role and the name of the result that it waits for."""
    listed = message.get("tool_calls")
    calls = [
        ("tool", call.get("id"))
        for call in (listed if isinstance(listed, list) else ())
        if isinstance(call, dict)
    ]
    legacy = message.get("function_call")
    return [*calls, ("function", legacy.get("name"))] if isinstance(legacy, dict) else calls


def _openai_content(place: str, message: dict[str, Any]) -> Iterator[Fault]:
    content = message.get("content")
    role = message.get("role")
    if content is None:
        spoken = ("tool_calls", "function_call", "refusal", "audio")
        if role != "assistant" or not any(message.get(key) for key in spoken):
            yield Fault(f"{place}.content", "no_content", "content is missing")
    elif isinstance(content, list):
        if not content and role != "tool":
            yield Fault(f"{place}.content", "empty_content", "content has no part")
        for number, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            if role == "tool" and kind != "text":
                yield Fault(f"{place}.content[{number}]", "result_part", "a result is text")
    elif not isinstance(content, str):
        yield Fault(f"{place}.content", "content_type", "content is a string or a list")


def _blocks(message: object, *kinds: str) -> list[tuple[int, dict[str, Any]]]:
    content = message.get("content") if isinstance(message, dict) else None
    return [
        (number, block)
        for number, block in enumerate(content if isinstance(content, list) else ())
        if isinstance(block, dict) and (not kinds or block.get("type") in kinds)
    ]


def _anthropic_order(messages: Sequence[Any]) -> Iterator[Fault]:
    """The first message is a user's; a system message stands between a user and an assistant."""
    if messages and _role(messages[0]) != "user":
        yield Fault("messages[0]", "first_role", "the first message is a user message")
    for index, message in enumerate(messages):
        if _role(message) != "system":
            continue
        # Messages of one role in a row count as one.
        before = next((each for each in messages[:index][::-1] if _role(each) != "system"), None)
        after = next((each for each in messages[index + 1 :] if _role(each) != "system"), None)
        blocks = _blocks(before)
        served = bool(blocks) and str(blocks[-1][1].get("type")).endswith("_tool_result")
        if _role(before) != "user" and not served:
            yield Fault(f"messages[{index}]", "system_after", "system follows a user message")
        if after is not None and _role(after) != "assistant":
            yield Fault(f"messages[{index}]", "system_before", "system precedes an assistant")


def _anthropic_pairs(messages: Sequence[Any], *, pending_ok: bool) -> Iterator[Fault]:
    """All results of a message stand in the next one, before any text, and nowhere else."""
    for index, message in enumerate(messages):
        calls = [block.get("id") for _, block in _blocks(message, "tool_use")]
        place = f"messages[{index}]"
        if calls and _role(message) != "assistant":
            yield Fault(place, "call_role", "only an assistant message makes calls")
        if _repeats(calls):
            yield Fault(place, "repeated_id", "`tool_use` ids must be unique")
        following = messages[index + 1] if index + 1 < len(messages) else None
        answers = [block.get("tool_use_id") for _, block in _blocks(following, "tool_result")]
        at_end = index >= len(messages) - 2 and len(_blocks(following)) == len(answers)
        is_open = any(each not in answers for each in calls)
        if is_open and not (pending_ok and at_end and _holds_blocks(following)):
            yield Fault(place, "unanswered_call", "a `tool_use` has no `tool_result` right after")
        yield from _results_of(messages, index)


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
        if _role(message) != "user":
            yield Fault(place, "result_role", "a `tool_result` stands in a user message")
        if other:
            yield Fault(place, "result_order", "results stand before any other block")
        if answered not in calls:
            yield Fault(place, "orphan_result", f"unexpected `tool_use_id` {answered!r}")
        if answered in seen:
            yield Fault(place, "repeated_result", f"{answered!r} has two results")
        seen.append(answered)


def _server_pairs(place: str, message: dict[str, Any], last: bool) -> Iterator[Fault]:  # noqa: FBT001
    waiting: list[Any] = []
    for number, block in _blocks(message):
        kind = str(block.get("type"))
        if kind in ("server_tool_use", "mcp_tool_use"):
            waiting.append(block.get("id"))
        elif kind.endswith("_tool_result"):
            if block.get("tool_use_id") in waiting:
                waiting.remove(block["tool_use_id"])
            else:
                at = f"{place}.content[{number}]"
                yield Fault(at, "orphan_result", "a server tool's result without its call")
    if waiting and not last:
        yield Fault(place, "unanswered_call", f"server calls without a result: {waiting!r}")


def _anthropic_texts(place: str, message: dict[str, Any]) -> Iterator[Fault]:
    content = message.get("content")
    if isinstance(content, str):
        if not content.strip():
            yield Fault(f"{place}.content", "empty_text", "text must not be blank")
    elif not isinstance(content, list):
        yield Fault(f"{place}.content", "content_type", "content is a string or a list")
    elif not content:
        yield Fault(f"{place}.content", "empty_content", "content has no block")
    for number, block in _blocks(message):
        at = f"{place}.content[{number}]"
        inner = [(at, block)]
        if block.get("type") == "tool_result":
            inner = [(f"{at}.content[{each}]", part) for each, part in _blocks(block)]
        for where, part in inner:
            if part.get("type") == "text" and not str(part.get("text") or "").strip():
                yield Fault(where, "empty_text", "text must not be blank")
