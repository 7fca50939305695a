"""The built-in estimator: characters divided by a ratio."""

import math
from dataclasses import dataclass
from typing import Final

from turnfold._record import sealed
from turnfold.errors import InvalidConfiguration

_LEAST: Final = 1e-9
_MOST: Final = 1e9


@sealed
@dataclass(frozen=True, slots=True)
class CharRatioEstimator:
    """Estimates a text at its number of code points divided by a ratio, rounded up.

    An estimate and never presented as a count: on code and English it is within about 10 % of
    the common vocabularies, on other scripts it is not. A plan that rests on it says so in
    `estimator_ratio`.

    Args:
        chars_per_token: Code points a token.

    Raises:
        InvalidConfiguration: The ratio is no number, or so small or large that no text has a size.
    """

    chars_per_token: float = 4.0

    def __post_init__(self) -> None:
        ratio = self.chars_per_token
        if type(ratio) not in (int, float) or not _LEAST <= ratio <= _MOST:
            msg = f"chars_per_token must be a number from {_LEAST} to {_MOST}; got {ratio!r:.40}"
            raise InvalidConfiguration(msg, {"chars_per_token": f"{ratio!r:.40}"})

    def estimate_tokens(self, text: str) -> int:
        """Return the estimate; 0 for the empty text and at least 1 for any other."""
        return math.ceil(len(text) / self.chars_per_token)
