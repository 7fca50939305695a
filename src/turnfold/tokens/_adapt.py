"""One shape for what callers bring as an estimator."""

from collections.abc import Callable

from turnfold.errors import InvalidConfiguration
from turnfold.protocols import Estimator, TokenEstimator
from turnfold.tokens.char_ratio import CharRatioEstimator
from turnfold.tokens.message import MessageEstimator

_DEFAULT = CharRatioEstimator()


def counter_of(estimator: Estimator | None) -> Callable[[str], int]:
    """Return a function from a text to its size in tokens; None stands for the built-in ratio.

    Raises:
        InvalidConfiguration: The object neither has `estimate_tokens` nor can be called.
    """
    if estimator is None:
        return _DEFAULT.estimate_tokens
    given: object = estimator
    if isinstance(given, TokenEstimator):
        # A class has the method as well, and nothing to call it on.
        if not isinstance(given, type):
            return given.estimate_tokens
    elif callable(given):
        return given
    kind = f"the class {given.__name__}" if isinstance(given, type) else f"a {type(given).__name__}"
    msg = (
        "an estimator has estimate_tokens(text) or is a function from a text to its tokens; "
        f"got {kind}"
    )
    raise InvalidConfiguration(msg, {"type": type(given).__name__})


def ratio_of(estimator: Estimator | None) -> float | None:
    """Return the characters a token of the built-in ratio, or None for another estimator."""
    if estimator is None:
        return float(_DEFAULT.chars_per_token)
    if isinstance(estimator, CharRatioEstimator | MessageEstimator):
        return float(estimator.chars_per_token)
    return None
