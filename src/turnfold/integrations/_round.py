"""One compaction of a history: read, planned, fulfilled, applied, and rendered again.

It changes nothing of a conversation; what comes of it is for the conversation to take over.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, Self

from turnfold import formats
from turnfold.budget import CompactionBudget
from turnfold.errors import BudgetUnsatisfiable
from turnfold.executor import CompactionExecutor
from turnfold.formats import Reasoning, Session
from turnfold.fulfil import (
    Fulfilled,
    FulfilOptions,
    Writer,
    fulfil,
    fulfil_async,
    fulfil_extractively,
)
from turnfold.integrations._dialect import Dialect, MessageT
from turnfold.integrations._state import CompactionState, without_lead
from turnfold.integrations.events import Observer
from turnfold.ledger import Ledger
from turnfold.plan import CompactionPlan
from turnfold.protocols import CompactionPolicy, Estimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

Summaries = Fulfilled | Mapping[str, Any]
"""What a plan asks for: written by a model and judged, or verbatim digests."""


OnFailure = Literal["pass", "raise"]


class Means(Protocol[MessageT]):
    """What of a `Compactor` its conversations need, and each of their rounds."""

    dialect: Dialect[MessageT]
    budget: CompactionBudget
    write: Writer | None
    policy: CompactionPolicy
    options: FulfilOptions
    sizes: Estimator
    reasoning: Reasoning | None
    observers: tuple[Observer, ...]
    on_failure: OnFailure

    def read(self, documents: list[Any]) -> Session:
        """Return the session of a history."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[MessageT]):
    """A history that was read, and what of it an earlier compaction left.

    Args:
        means: How it is compacted.
        messages: The history.
        documents: The JSON of each message.
        session: What they are as a session.
        lead: Its leading SYSTEM turns, which nobody touches.
        originals: All other turns of it.
        turns: What is left of these.
        state: The earlier compaction; None where there is none that stands for this history.
    """

    means: Means[MessageT]
    messages: list[MessageT]
    documents: list[Any]
    session: Session
    lead: tuple[TranscriptTurn, ...]
    originals: Transcript
    turns: Transcript
    state: CompactionState | None

    @classmethod
    def of(
        cls, means: Means[MessageT], messages: list[MessageT], state: CompactionState | None
    ) -> Self:
        """Read a history; a state that stands for another one is left aside."""
        documents = means.dialect.dump(messages)
        session = means.read(documents)
        lead, originals = without_lead(session.transcript)
        left = None if state is None else state.turns_now(originals)
        turns, state = (originals, None) if left is None else (Transcript(left), state)
        return cls(means, messages, documents, session, lead, originals, turns, state)

    @property
    def ledger(self) -> Ledger | None:
        """What became of which turn until now."""
        return None if self.state is None else self.state.ledger

    @property
    def view(self) -> Transcript:
        """What is left, with the leading SYSTEM turns."""
        return Transcript((*self.lead, *self.turns))

    def planned(self, budget: CompactionBudget, beside: int) -> "Round[MessageT] | None":
        """Return the compaction that a budget asks for; None where it would change nothing.

        Args:
            budget: The budget.
            beside: What the call needs besides the messages, in tokens.

        Raises:
            BudgetUnsatisfiable: Nothing is left for the messages.
        """
        leading = sum(turn.token_estimate for turn in self.lead)
        plan = self.means.policy.decide(self.turns, _less(budget, leading + beside))
        return None if plan.changes_nothing else Round(self, plan)

    def rendered(self, view: Transcript) -> list[MessageT]:
        """Return the messages of a view; those that were kept as the same objects."""
        rendered = formats.render(view, self.session, reasoning=self.means.reasoning)
        pairs = zip(self.documents, self.messages, strict=True)
        originals = {id(document): message for document, message in pairs}
        made = [each for each in rendered if id(each) not in originals]
        loaded = iter(self.means.dialect.load(made))
        return [originals[id(each)] if id(each) in originals else next(loaded) for each in rendered]


@dataclass(frozen=True, slots=True)
class Round(Generic[MessageT]):
    """A compaction that has been planned.

    Args:
        reading: The history.
        plan: What is to become of its turns.
    """

    reading: Reading[MessageT]
    plan: CompactionPlan

    def fulfilled(self) -> Summaries:
        """Return the summaries that the plan asks for."""
        means, reading = self.reading.means, self.reading
        if means.write is None:
            return self._digests()
        return fulfil(
            reading.turns,
            self.plan,
            means.write,
            means.options,
            originals=reading.originals,
            ledger=reading.ledger,
        )

    async def fulfilled_async(self) -> Summaries:
        """Return the summaries that the plan asks for; the event loop goes on meanwhile."""
        means, reading = self.reading.means, self.reading
        if means.write is None:
            return await asyncio.to_thread(self._digests)
        return await fulfil_async(
            reading.turns,
            self.plan,
            means.write,
            means.options,
            originals=reading.originals,
            ledger=reading.ledger,
        )

    def _digests(self) -> Summaries:
        options = self.reading.means.options
        return fulfil_extractively(
            self.reading.turns, self.plan, estimator=options.estimator, redact=options.redact
        )

    def applied(self, done: Summaries) -> "Applied[MessageT]":
        """Return what the plan makes of the history, with its summaries."""
        reading = self.reading
        view = CompactionExecutor().apply(
            reading.turns,
            self.plan,
            done.summaries if isinstance(done, Fulfilled) else done,
            ledger=reading.ledger,
            estimator=reading.means.sizes,
        )
        view = formats.repaired(view, reading.session, self.plan)
        whole = Transcript((*reading.lead, *view.transcript))
        return Applied(reading, done, view, whole, reading.rendered(whole))


@dataclass(frozen=True, slots=True)
class Applied(Generic[MessageT]):
    """A compaction that was done.

    Args:
        reading: The history.
        done: The summaries.
        view: What is left, and the report.
        whole: What is left, with the leading SYSTEM turns.
        messages: The messages of it.
    """

    reading: Reading[MessageT]
    done: Summaries
    view: CompactedView
    whole: Transcript
    messages: list[MessageT]

    def report(self) -> dict[str, Any]:
        """Return the report as JSON values, and how each summary came about."""
        made = self.done.to_dict() if isinstance(self.done, Fulfilled) else []
        return {**self.view.report.to_dict(), "fulfilments": made}

    def audit(self) -> dict[str, Any] | None:
        """Return the record of an audit; None where there is no summary, or none is asked for."""
        options = self.reading.means.options
        if options.gate == "off" or not self.view.report.summary_turn_ids:
            return None
        from turnfold.audit import audit_safely  # noqa: PLC0415  Large, and seldom needed.

        return audit_safely(self.reading.originals, self.view, options.audit).to_dict()


def _less(budget: CompactionBudget, beside: int) -> CompactionBudget:
    """Return the budget for what is left beside leading SYSTEM turns and what is no turn.

    Raises:
        BudgetUnsatisfiable: Nothing is left.
    """
    reserved, most = budget.reserved_tokens + beside, budget.max_tokens
    if reserved >= most:
        msg = (
            f"the leading system turns and what a call needs besides its messages are {beside:,} "
            f"tokens, and {budget.reserved_tokens:,} are reserved: together no less than the "
            f"{most:,} of the budget; raise it, or send less beside the messages"
        )
        details = {"beside": beside, "reserved": budget.reserved_tokens, "limit": most}
        raise BudgetUnsatisfiable(msg, details)
    target = budget.target_tokens
    if target is not None and reserved >= target:
        # Nothing is left down there, but something is within the window: the same share of that.
        target = reserved + max(1, (most - reserved) * target // most)
    return replace(budget, target_tokens=target, reserved_tokens=reserved)
