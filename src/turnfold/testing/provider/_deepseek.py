"""Where DeepSeek's chat differs from OpenAI's: other words, and reasoning that it wants back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from turnfold.formats import Fault
from turnfold.testing.provider._memory import Memory

_WORDS: Final = {
    "unanswered_call": (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. (insufficient tool messages following tool_calls message)"
    ),
    "orphan_result": (
        "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
    ),
}
_MISSING: Final = (
    "Missing `reasoning_content` field in the assistant message at message index {}. For more "
    "information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls"
)


def deepseek_faults(
    messages: Sequence[Any], faults: Sequence[Fault], memory: Memory
) -> Iterator[Fault]:
    """Yield faults in DeepSeek's words, and calls whose reasoning did not come back.

    Args:
        messages: The messages.
        faults: What OpenAI would refuse.
        memory: Which calls were made with reasoning.
    """
    for fault in faults:
        yield replace(fault, provider_error=_WORDS.get(fault.rule, fault.provider_error))
    for index, message in enumerate(messages):
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        listed = calls if isinstance(calls, list) else ()
        named = [call.get("id") for call in listed if isinstance(call, dict)]
        reasoned = any(isinstance(each, str) and each in memory.spoken for each in named)
        if reasoned and "reasoning_content" not in message:
            place = f"messages[{index}]"
            said = "a call that was reasoned about comes without its `reasoning_content`"
            yield Fault(place, "reasoning_content", said, _MISSING.format(index))
