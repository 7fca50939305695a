"""A prompt that a provider refused as too long, and the numbers that it named.

Sizes are estimates, and a provider has the last word. After such a refusal a conversation can be
compacted harder, once: see `turnfold.integrations.Conversation.refit`.

Example:
    >>> from turnfold.integrations.overflow import overflow_of
    >>> overflow_of(ValueError("prompt is too long: 210000 tokens > 200000 maximum"))
    Overflow(tokens=210000, window=200000)
    >>> overflow_of(ValueError("Invalid API key"))
"""

import re
from dataclasses import dataclass
from typing import Final

from turnfold._record import sealed

_CODE: Final = "context_length_exceeded"
_STATUSES: Final = (None, 400, 413)
_WORDS: Final = (
    _CODE,
    "maximum context length",
    "maximum prompt length",
    "available context size",
    "maximum number of tokens allowed",
    "exceeds the context window",
    "exceed context limit",
    "prompt is too long",
    "input is too long",
)
_LONGEST: Final = 20_000
"""So many characters of an error are read: what a provider quotes can be long."""

_NUMBER: Final = r"(\d{1,12})"
_WINDOW_FIRST: Final = re.compile(
    rf"maximum context length is {_NUMBER} tokens[^\d]{{1,60}}{_NUMBER} tokens"
)
_TOKENS_FIRST: Final = re.compile(rf"too long: {_NUMBER} tokens > {_NUMBER}")
_WITH_ANSWER: Final = re.compile(rf"context limit: {_NUMBER} \+ {_NUMBER} > {_NUMBER}")


@sealed
@dataclass(frozen=True, slots=True)
class Overflow:
    """What a provider said of a prompt that was too long.

    Args:
        tokens: How many tokens it counted; None where it did not say.
        window: How many there may be; None where it did not say.
    """

    tokens: int | None = None
    window: int | None = None


def overflow_of(fault: Exception, *kinds: type[Exception]) -> Overflow | None:
    """Return what an error says of a prompt that was too long; None where it says anything else.

    It knows OpenAI's code `context_length_exceeded`, Anthropic's words, and those of servers that
    speak as they do.

    Args:
        fault: What a client or a framework raised.
        *kinds: The framework's own errors that say so.
    """
    if getattr(fault, "status_code", None) not in _STATUSES:
        return None
    said = str(fault)[:_LONGEST]
    is_told = _CODE in (getattr(fault, "code", None), getattr(fault, "type", None))
    if not (is_told or isinstance(fault, kinds) or any(each in said.lower() for each in _WORDS)):
        return None
    tokens, window = _numbers(said)
    is_plausible = tokens is not None and window is not None and tokens > window
    return Overflow(tokens, window) if is_plausible else Overflow()


def _numbers(said: str) -> tuple[int | None, int | None]:
    """Return the tokens of the prompt and those of the window, where an error names both."""
    if found := _WINDOW_FIRST.search(said):
        return int(found[2]), int(found[1])
    if found := _TOKENS_FIRST.search(said):
        return int(found[1]), int(found[2])
    if found := _WITH_ANSWER.search(said):
        return int(found[1]) + int(found[2]), int(found[3])
    return None, None
