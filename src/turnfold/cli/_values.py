"""What the values of options mean: tokens and shares, budgets, policies, ways to read."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from turnfold.budget import CompactionBudget
from turnfold.cli._errors import CommandError
from turnfold.cli._show import clean
from turnfold.cli._tokens import BY_RATIO, Sizes
from turnfold.formats import FORMATS, Pins
from turnfold.policies import (
    MINIMUM_TARGET,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    SummarizingPolicy,
    default_chain,
    digest_chain,
)
from turnfold.protocols import CompactionPolicy

DEFAULT_PROMPT: Final = "turnfold.summary/1"

_SHARE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")
_PLAIN: Final = re.compile(r"[0-9]+(?:_[0-9]+)*|[0-9]{1,3}(?:,[0-9]{3})+")
_SCALED: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([km])", re.IGNORECASE)
_SCALES: Final = {"k": 1_000, "m": 1_000_000}
_LONGEST: Final = 30
_WHOLE: Final = 100
_NOT_NEGATIVE: Final = "must be at least 0"
_ANY_SESSION: Final = 10**9


class PolicyName(StrEnum):
    """The policies that the command line offers."""

    DEFAULT = "default"
    MASK = "mask"
    MASK_LARGEST = "mask-largest"
    DIGEST = "digest"
    SUMMARIZE = "summarize"
    DROP = "drop"


_MASKING: Final = (PolicyName.DEFAULT, PolicyName.MASK, PolicyName.MASK_LARGEST)


class ReasoningName(StrEnum):
    """What a rendering does with reasoning."""

    STRIP_AFTER_EDIT = "strip_after_edit"
    KEEP = "keep"
    STRIP_ALL = "strip_all"


class AlternationName(StrEnum):
    """Whether speakers alternate in a rendering."""

    STRICT = "strict"


class Scope(StrEnum):
    """How much of a session is read."""

    LIVE = "live"
    FULL = "full"


DEFAULT_PINS: Final = Pins()
NO_PINS: Final = Pins(first_user=False, last_user=False, newest_exchange=False, pending_calls=False)
"""A plan says itself what it found pinned, and may have been made with any pins."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a session is read."""

    format: str | None = None
    scope: Scope = Scope.LIVE
    pins: Pins = DEFAULT_PINS
    conversation: int | None = None
    sizes: Sizes = BY_RATIO

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            known = ", ".join(FORMATS)
            message = f"--format {clean(self.format)!r} is unknown; the formats are {known}"
            details = {"option": "--format", "value": self.format, "known": list(FORMATS)}
            raise CommandError(message, details, "unknown_format")


def policy_of(
    name: PolicyName, prompt_id: str, *, mask_inputs: bool = False, sizes: Sizes = BY_RATIO
) -> CompactionPolicy:
    """Return the policy with this name.

    Raises:
        CommandError: Inputs are to be masked by a policy that masks nothing.
    """
    if mask_inputs and name not in _MASKING:
        named = ", ".join(_MASKING)
        message = f"--mask-inputs goes with --policy {named}; {name} masks nothing"
        raise CommandError(message, {"option": "--mask-inputs", "policy": name.value}, "bad_value")
    if name is PolicyName.MASK:
        return ObservationMaskingPolicy(mask_inputs=mask_inputs, estimator=sizes.written)
    if name is PolicyName.MASK_LARGEST:
        return ObservationMaskingPolicy(
            order="largest", mask_inputs=mask_inputs, estimator=sizes.written
        )
    if name is PolicyName.DIGEST:
        return digest_chain(prompt_id=prompt_id)
    if name is PolicyName.SUMMARIZE:
        return SummarizingPolicy(prompt_id, min_target_tokens=MINIMUM_TARGET)
    if name is PolicyName.DROP:
        return DropOldestPolicy()
    return default_chain(
        prompt_id=prompt_id,
        mask_inputs=mask_inputs,
        min_target_tokens=MINIMUM_TARGET,
        estimator=sizes.written,
    )


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """A budget as it was asked for; shares become numbers when the session is known."""

    max_tokens: str
    target_tokens: str | None = None
    reserved_tokens: str = "0"
    protect_recent: int = 4

    def __post_init__(self) -> None:
        """Refuse what no session could make right, before one is read."""
        if self.protect_recent < 0:
            option, value = "--protect-recent", str(self.protect_recent)
            raise _refused(option, value, _NOT_NEGATIVE)
        self._tokens(_ANY_SESSION)

    def of(self, total: int) -> CompactionBudget:
        """Return the budget for a session of `total` tokens.

        Raises:
            CommandError: A share leaves nothing of the session, or the reserve nothing of the
                window.
        """
        maximum, target, reserved = self._tokens(total)
        if reserved == maximum and total:
            why = f"leaves nothing for turns of a window of {maximum:,} tokens; lower the reserve"
            option = "--reserved-tokens"
            raise _refused(option, self.reserved_tokens, why)
        return CompactionBudget(
            maximum, self.protect_recent, target_tokens=target, reserved_tokens=reserved
        )

    def _tokens(self, total: int) -> tuple[int, int | None, int]:
        target = self.target_tokens
        return (
            tokens_of("--max-tokens", self.max_tokens, total),
            None if target is None else tokens_of("--target-tokens", target, total),
            tokens_of("--reserved-tokens", self.reserved_tokens, total, zero=True),
        )


def tokens_of(option: str, text: str, total: int, *, zero: bool = False) -> int:
    """Return the tokens that an option's value stands for.

    Args:
        option: The option, for the message.
        text: A number (`12000`, `12_000`, `12,000`, `12k`) or a share (`30%`).
        total: What shares are shares of, in tokens.
        zero: Whether nothing at all may be asked for.

    Raises:
        CommandError: It is neither, or it is zero, or a share over 100 %.
    """
    value = text.strip()
    if len(value) > _LONGEST:
        raise _refused(option, value, "is too long for a number")
    if matched := _SHARE.fullmatch(value):
        asked = Fraction(matched[1])
        if not 0 < asked <= _WHOLE:
            raise _refused(option, value, "must be a share above 0 % and at most 100 %")
        tokens = int(asked * total / _WHOLE)
        if not tokens and total:
            raise _refused(option, value, f"leaves nothing of the session's {total:,} tokens")
        return tokens
    if matched := _SCALED.fullmatch(value):
        tokens = int(Fraction(matched[1]) * _SCALES[matched[2].lower()])
    elif _PLAIN.fullmatch(value):
        tokens = int(value.replace(",", ""))
    else:
        raise _refused(option, value, "must be a number of tokens (12000, 12k) or a share (30%)")
    if not tokens and not zero:
        raise _refused(option, value, "must be above 0")
    return tokens


def _refused(option: str, value: str, why: str) -> CommandError:
    shown = clean(value)[: _LONGEST * 2]
    details: dict[str, Any] = {"option": option, "value": shown}
    return CommandError(f"{option} {shown!r} {why}", details, "bad_value")
