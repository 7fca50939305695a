"""The rules of OpenAI's chat completions, as a check of finished messages.

Written without a look at the renderer: it is what its output is held against. Types are left to
the provider's own package.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from turnfold.formats._faults import Fault
from turnfold.formats._rules.common import common_faults, repeats, role_of

_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
_FOREIGN: Final = ("tool_use", "tool_result", "thinking", "redacted_thinking")
_UNANSWERED: Final = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: "
)
_ORPHAN: Final = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
    "'tool_calls'."
)
_EMPTY_ARRAY: Final = (
    "Invalid '{place}': empty array. Expected an array with minimum length 1, but got an empty "
    "array instead."
)
_NO_CONTENT: Final = "Invalid value for 'content': expected a string, got null."
_FOREIGN_PART: Final = (
    "Invalid value: '{kind}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', "
    "'audio', and 'file'."
)
_IMAGE: Final = (
    "Invalid '{place}'. Image URLs are only allowed for messages with role 'user', but this "
    "message with role 'tool' contains an image URL."
)


def check_openai_chat(messages: Sequence[Any], *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault that OpenAI's chat completions would refuse; empty where there is none.

    Args:
        messages: The messages.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    faults = list(common_faults(messages, _ROLES))
    faults += _openai_runs(messages, pending_ok=pending_ok)
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            faults += _openai_content(f"messages[{index}]", message)
    return faults


def _openai_runs(messages: Sequence[Any], *, pending_ok: bool) -> Iterator[Fault]:
    """Each call is answered in the run of results after it, and nothing else is."""
    expected: list[tuple[str, Any]] = []
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if role_of(message) in ("tool", "function"):
            named = message.get("name" if message["role"] == "function" else "tool_call_id")
            if (message["role"], named) in expected:
                expected.remove((message["role"], named))
            else:
                yield Fault(
                    place, "orphan_result", f"no call before it waits for {named!r}", _ORPHAN
                )
            continue
        error = _UNANSWERED + ", ".join(str(each) for _, each in expected)
        for _, named in expected:
            message_text = f"the call {named!r} has no result before it"
            yield Fault(place, "unanswered_call", message_text, error)
        expected = []
        if role_of(message) == "assistant":
            expected = _openai_calls(message)
            if repeats(expected):
                yield Fault(f"{place}.tool_calls", "repeated_id", "ids of one message repeat")
            if message.get("tool_calls") == []:
                at = f"{place}.tool_calls"
                error = _EMPTY_ARRAY.format(place=at)
                yield Fault(at, "empty_calls", "tool_calls is empty", error)
    if expected and not pending_ok:
        named_all = ", ".join(str(each) for _, each in expected)
        yield Fault(
            "messages",
            "unanswered_call",
            f"calls at the end have no result: {named_all}",
            _UNANSWERED + named_all,
        )


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
            yield Fault(f"{place}.content", "no_content", "content is missing", _NO_CONTENT)
    elif isinstance(content, list):
        if not content and role != "tool":
            error = _EMPTY_ARRAY.format(place=f"{place}.content")
            yield Fault(f"{place}.content", "empty_content", "content has no part", error)
        for number, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            if kind in _FOREIGN:
                said = f"a part of the kind {kind!r} is another provider's"
                error = _FOREIGN_PART.format(kind=kind)
                yield Fault(f"{place}.content[{number}]", "foreign_part", said, error)
            elif role == "tool" and kind != "text":
                error = _IMAGE.format(place=place) if kind == "image_url" else ""
                yield Fault(f"{place}.content[{number}]", "result_part", "a result is text", error)
    elif not isinstance(content, str):
        yield Fault(f"{place}.content", "content_type", "content is a string or a list")
