"""Counting a text as the message that carries it, the way the formats count turns."""

import math
from dataclasses import dataclass
from typing import Final

from turnfold._record import sealed
from turnfold.tokens.char_ratio import CharRatioEstimator
from turnfold.tokens.script import other_scripts

MESSAGE_TOKENS: Final = 4
"""What a message costs besides its text, so that none costs nothing."""


@sealed
@dataclass(frozen=True, slots=True)
class MessageEstimator:
    """Estimates a text by the character ratio, and the message around it on top.

    A character of another script than ASCII counts by its own weight: one of Chinese is most of a
    token, and not a quarter. Loaded sessions count their turns like this. Give it to masking, to
    the fulfilment and to `apply`, and a compacted session that is read again has the size that was
    promised.

    Args:
        chars_per_token: ASCII characters a token.

    Raises:
        InvalidConfiguration: The ratio is one that `CharRatioEstimator` refuses.
    """

    chars_per_token: float = 4.0

    def __post_init__(self) -> None:
        CharRatioEstimator(self.chars_per_token)

    def estimate_tokens(self, text: str) -> int:
        """Return the estimate of a message with this text."""
        return MESSAGE_TOKENS + text_tokens(text, self.chars_per_token)


def text_tokens(text: str, chars_per_token: float = 4.0) -> int:
    """Return the estimate of a text alone; 0 for the empty text and at least 1 for any other."""
    if text.isascii():
        return math.ceil(len(text) / chars_per_token)
    others, weight = other_scripts(text.encode("utf-8", "surrogatepass"))
    return math.ceil((len(text) - others) / chars_per_token + weight)
