"""Keeping a growing conversation within a budget, whatever its messages are made of.

A framework hands over the whole history before each call of its model, and gets back what to
send. The history itself is never changed: what was compacted once stands for the beginning of the
history from then on, and new messages follow it as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Generic

from turnfold import formats
from turnfold.budget import CompactionBudget
from turnfold.errors import InvalidConfiguration
from turnfold.formats import Pins, Reasoning, Session
from turnfold.fulfil import FulfilOptions, Writer
from turnfold.integrations._budgets import budget_of
from turnfold.integrations._conversation import Conversation
from turnfold.integrations._dialect import Dialect, MessageT
from turnfold.integrations._round import OnFailure
from turnfold.integrations._state import CompactionState
from turnfold.integrations.events import Observer, log_event
from turnfold.policies import default_chain
from turnfold.protocols import CompactionPolicy, Estimator
from turnfold.tokens import MessageEstimator

_SMALLEST_DIGEST: Final = 64
_SIZES: Final = MessageEstimator()


class Compactor(Generic[MessageT]):
    """How conversations are compacted: one for an agent, any number of conversations.

    Args:
        dialect: What the messages are.
        budget: The budget; a number stands for a window of that many tokens, gone down to 70 % of
            it. Tool schemas and the answer need room as well: `reserved_tokens`.
        write: Writes summaries with a model; without it they are verbatim digests.
        policy: Decides; `default_chain` when absent.
        options: How summaries are asked for and judged.
        pins: What of the conversation is pinned by default.
        estimator: Sizes turns, stubs and summaries; that of the loaders when absent.
        reasoning: What becomes of reasoning that is bound to what stood before it; the format's
            default when absent.
        observers: Are told of compactions, audits, refusals and failures; by default the logger
            `turnfold`.
        on_failure: `pass`: where no compaction is possible the conversation goes on as it was, and
            observers are told; the provider may refuse it. `raise`: the error is raised.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
    """

    def __init__(
        self,
        dialect: Dialect[MessageT],
        budget: CompactionBudget | int,
        *,
        write: Writer | None = None,
        policy: CompactionPolicy | None = None,
        options: FulfilOptions | None = None,
        pins: Pins | None = None,
        estimator: Estimator | None = None,
        reasoning: Reasoning | None = None,
        observers: Sequence[Observer] = (log_event,),
        on_failure: OnFailure = "pass",
    ) -> None:
        if on_failure not in ("pass", "raise"):
            msg = f"on_failure is 'pass' or 'raise'; got {on_failure!r}"
            raise InvalidConfiguration(msg, {"on_failure": repr(on_failure)})
        self.dialect = dialect
        self.budget = budget_of(budget)
        self.write = write
        self.sizes = estimator or _SIZES
        self.policy = policy or default_chain(
            min_target_tokens=_SMALLEST_DIGEST, estimator=self.sizes
        )
        options = options or FulfilOptions()
        self.options = replace(options, estimator=options.estimator or self.sizes)
        self.pins = pins or Pins()
        self.estimator = estimator
        self.reasoning = reasoning
        self.observers = tuple(observers)
        self.on_failure = on_failure

    def conversation(
        self, state: Mapping[str, Any] | None = None, *, name: str | None = None
    ) -> Conversation[MessageT]:
        """Begin a conversation, or go on with one from a checkpoint.

        Args:
            state: What `Conversation.to_dict` gave.
            name: What events call it.

        Raises:
            TurnfoldDefect: The state is none.
        """
        begun = None if state is None else CompactionState.from_dict(state)
        return Conversation(self, begun, name=name)

    def read(self, documents: list[Any]) -> Session:
        """Return the session of a history."""
        return formats.parse(
            documents, format=self.dialect.format, pins=self.pins, estimator=self.estimator
        )
