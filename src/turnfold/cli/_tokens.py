"""How a command sizes what it reads and what it writes."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from turnfold.cli._errors import CommandError
from turnfold.protocols import Estimator, TokenEstimator
from turnfold.tokens import MESSAGE_TOKENS, MessageEstimator, ScriptEstimator, text_tokens


class TokensName(StrEnum):
    """The estimators that the command line offers."""

    RATIO = "ratio"
    SCRIPT = "script"
    O200K = "o200k"


@dataclass(frozen=True, slots=True)
class Sizes:
    """One way to size, for all that a command does.

    Args:
        estimator: Sizes the texts of turns, as `parse` takes it.
        written: Sizes what turnfold writes, so that it has the same size when it is read again.
        count: Returns the size of a text alone, in tokens.
    """

    estimator: Estimator | None
    written: Estimator
    count: Callable[[str], int]


BY_RATIO: Final = Sizes(None, MessageEstimator(), text_tokens)


def sizes_of(name: TokensName) -> Sizes:
    """Return the way to size that was asked for.

    Raises:
        CommandError: The package that it counts with is not installed.
    """
    if name is TokensName.RATIO:
        return BY_RATIO
    estimator = ScriptEstimator() if name is TokensName.SCRIPT else _o200k()
    count = estimator.estimate_tokens
    return Sizes(estimator, lambda text: MESSAGE_TOKENS + count(text), count)


def _o200k() -> TokenEstimator:
    from turnfold.tokenizers import O200kEstimator  # noqa: PLC0415  Loaded when asked for.

    try:
        return O200kEstimator()
    except ModuleNotFoundError as fault:
        message = "--tokens o200k needs an extra; install it with: pip install 'turnfold[tokens]'"
        details = {"option": "--tokens", "value": "o200k", "extra": "tokens"}
        raise CommandError(message, details, "extra_missing") from fault
