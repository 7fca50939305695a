"""The budget of a conversation: what a number stands for, and what a refusal makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from turnfold._record import sealed
from turnfold.budget import CompactionBudget
from turnfold.errors import InvalidConfiguration
from turnfold.integrations.overflow import Overflow

_HEADROOM: Final = 0.7
"""Down to this share of the window a budget that is given as one number goes."""

_MARGIN: Final = 0.95
"""An estimate that was wrong by some factor is not wrong by quite the same one next time."""

_UNTOLD: Final = 0.5
"""Down to this share of what was sent, where a provider does not say how long it was."""


def budget_of(budget: CompactionBudget | int) -> CompactionBudget:
    """Return the budget that is meant.

    Raises:
        InvalidConfiguration: It is neither a budget nor a number above 0.
    """
    if isinstance(budget, CompactionBudget):
        return budget
    if type(budget) is not int or budget < 1:
        msg = f"a budget is a CompactionBudget or a number of tokens above 0; got {budget!r}"
        raise InvalidConfiguration(msg, {"budget": repr(budget)})
    return CompactionBudget(budget, target_tokens=int(budget * _HEADROOM))


@sealed
@dataclass(frozen=True, slots=True)
class Lowered:
    """What refusals made of a budget, for as long as nobody raises it.

    Args:
        limit: The limit that they led to, in tokens.
        configured: The limit that the budget had by itself.
    """

    limit: int
    configured: int

    def applied(self, budget: CompactionBudget) -> CompactionBudget:
        """Return the budget within which a provider took what was estimated.

        A budget that was raised since is meant for another window, and stays as it is.
        """
        is_raised = budget.limit > self.configured
        return budget if is_raised or budget.limit <= self.limit else _scaled(budget, self.limit)

    def to_dict(self) -> dict[str, int]:
        """Return it as plain JSON values."""
        return {"limit": self.limit, "configured": self.configured}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Raises:
            ValueError: A limit is below 0, or no number.
        """
        lowered = cls(int(record["limit"]), int(record["configured"]))
        if min(lowered.limit, lowered.configured) < 0:
            msg = f"a limit is 0 or more; got {lowered}"
            raise ValueError(msg)
        return lowered


def tightened(budget: CompactionBudget, overflow: Overflow, estimate: int) -> CompactionBudget:
    """Return the budget within which what is estimated fits a provider's window.

    Args:
        budget: The budget.
        overflow: What the provider said of a prompt.
        estimate: At how many tokens that prompt was estimated.
    """
    if overflow.tokens is None or overflow.window is None:
        limit = min(budget.limit, estimate) * _UNTOLD
    else:
        limit = min(budget.limit, estimate * overflow.window / overflow.tokens * _MARGIN)
    return _scaled(budget, limit)


def _scaled(budget: CompactionBudget, limit: float) -> CompactionBudget:
    """Return a budget with about this limit, whose other figures shrink with it."""
    share = limit / budget.limit if budget.limit else 1.0
    target = budget.target_tokens
    return CompactionBudget(
        int(budget.max_tokens * share),
        budget.protected_recent_turns,
        target_tokens=None if target is None else int(target * share),
        reserved_tokens=int(budget.reserved_tokens * share),
    )
