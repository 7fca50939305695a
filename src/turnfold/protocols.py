"""Every extension point. A plain class with these attributes will do; nothing is subclassed."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from turnfold.budget import CompactionBudget
from turnfold.plan import CompactionPlan
from turnfold.transcript import Transcript


@runtime_checkable
class CompactionPolicy(Protocol):
    """Decides what becomes of every turn (contract section 4).

    `turnfold.testing.check_policy` holds an implementation against the laws.
    """

    @property
    def name(self) -> str:
        """A stable name, recorded in every plan."""

    @property
    def version(self) -> str:
        """Changes whenever the decisions do."""

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        """Return a valid plan over the transcript; pure, and the same bytes each time.

        Raises:
            BudgetUnsatisfiable: The untouchable turns alone exceed the limit.
        """


@runtime_checkable
class TokenEstimator(Protocol):
    """Estimates how many tokens a text costs."""

    def estimate_tokens(self, text: str) -> int:
        """Return the estimate, at least 0; never raises on any string."""


Estimator = TokenEstimator | Callable[[str], int]
"""An estimator object, or a plain function from a text to its size in tokens."""
