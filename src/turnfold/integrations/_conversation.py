"""One conversation: what it was compacted to, and what is sent for its history."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Generic

from turnfold.errors import TurnfoldError
from turnfold.integrations._budgets import Lowered, tightened
from turnfold.integrations._dialect import MessageT
from turnfold.integrations._ends import to_its_end
from turnfold.integrations._round import Applied, Means, Reading, Round
from turnfold.integrations._state import CompactionState
from turnfold.integrations.events import AUDITED, COMPACTED, FAILED, OVERFLOWED, Event, tell
from turnfold.integrations.overflow import Overflow
from turnfold.transcript import Transcript
from turnfold.view import CompactionReport

_PATIENCE: Final = 1.05
"""After a compaction that could not help, the next try waits until this much more is there."""


class Conversation(Generic[MessageT]):
    """One conversation: hand over its history, get what to send.

    Not for several threads at once. What was looked at is not looked at again: a call with nothing
    to compact compares the messages that it knows and weighs the new ones.
    """

    report: CompactionReport | None = None
    """The report of the last compaction that this object did."""

    def __init__(
        self,
        compactor: Means[MessageT],
        state: CompactionState | None = None,
        *,
        name: str | None = None,
    ) -> None:
        self.name = name
        self.state = state
        self._compactor = compactor
        self._lowered = None if state is None else state.lowered
        self._budget = compactor.budget
        if self._lowered is not None:
            self._budget = self._lowered.applied(compactor.budget)
        self._beside = 0
        self._forget()

    def _forget(self) -> None:
        self._seen: list[MessageT] = []
        self._head: list[MessageT] = []
        self._covered = 0
        self._tokens = 0
        self._patient_until = 0

    def fit(self, messages: Sequence[MessageT], *, beside: int = 0) -> list[MessageT]:
        """Return what to send for a history: it fits, or observers have been told why not.

        Args:
            messages: The whole history, oldest first; never changed. Messages that were kept come
                back as the same objects.
            beside: What this call needs besides them, in tokens: tools, a system prompt that is no
                message. The budget's own reserve is for what is the same in every call.

        Raises:
            TurnfoldError: No compaction was possible, and `on_failure` is `raise`.
        """
        messages = list(messages)
        try:
            if self._needs_compaction(messages, beside):
                self._compacted(self._planned(messages, beside))
        except Exception as fault:  # noqa: BLE001  Nothing here may cost a caller its conversation.
            self._failed(fault)
        return self._current(messages)

    async def fit_async(self, messages: Sequence[MessageT], *, beside: int = 0) -> list[MessageT]:
        """Do what `fit` does with a running event loop, which goes on meanwhile.

        Args:
            messages: The whole history, oldest first.
            beside: What this call needs besides them, in tokens.

        Raises:
            TurnfoldError: As in `fit`.
        """
        messages = list(messages)
        try:
            if self._needs_compaction(messages, beside):
                work = await to_its_end(asyncio.to_thread(self._planned, messages, beside))
                await self._compacted_async(work)
        except Exception as fault:  # noqa: BLE001  As in `fit`.
            self._failed(fault)
        return self._current(messages)

    def refit(
        self, messages: Sequence[MessageT], overflow: Overflow, *, beside: int = 0
    ) -> list[MessageT] | None:
        """Return less to send than `fit` did, after a provider refused that as too long.

        The estimate was too low, or the budget too large. The budget of this conversation is
        lowered by what the provider counted, or to half of what was sent where it named no number,
        and stays so.

        Args:
            messages: The whole history, oldest first, as it was handed to `fit`.
            overflow: What the provider said: `turnfold.integrations.overflow.overflow_of`.
            beside: What this call needs besides them, in tokens.

        Returns:
            What to send; None where no less is possible, and the refusal stands.

        Raises:
            TurnfoldError: As in `fit`.
        """
        messages = list(messages)
        try:
            done = self._compacted(self._planned(messages, beside, overflow))
        except Exception as fault:  # noqa: BLE001  As in `fit`.
            done = self._failed(fault)
        return self._current(messages) if done else None

    async def refit_async(
        self, messages: Sequence[MessageT], overflow: Overflow, *, beside: int = 0
    ) -> list[MessageT] | None:
        """Do what `refit` does with a running event loop, which goes on meanwhile.

        Args:
            messages: The whole history, oldest first, as it was handed to `fit`.
            overflow: What the provider said.
            beside: What this call needs besides them, in tokens.

        Raises:
            TurnfoldError: As in `fit`.
        """
        messages = list(messages)
        try:
            planned = asyncio.to_thread(self._planned, messages, beside, overflow)
            work = await to_its_end(planned)
            done = await self._compacted_async(work)
        except Exception as fault:  # noqa: BLE001  As in `fit`.
            done = self._failed(fault)
        return self._current(messages) if done else None

    def to_dict(self) -> dict[str, Any] | None:
        """Return the state for a checkpoint; None where nothing was compacted yet."""
        return None if self.state is None else self.state.to_dict()

    def knows(self, messages: Sequence[MessageT]) -> int:
        """Return how many messages it has seen, where a history begins with them; else 0."""
        seen = len(self._seen)
        return seen if self._seen == list(messages[:seen]) else 0

    def _current(self, messages: list[MessageT]) -> list[MessageT]:
        return [*self._head, *messages[self._covered :]]

    def _needs_compaction(self, messages: list[MessageT], beside: int) -> bool:
        """Whether it is time to look closer; what is known already is compared only."""
        seen = len(self._seen)
        is_from_checkpoint = seen == 0 and self.state is not None
        if is_from_checkpoint or self._seen != messages[:seen]:
            self._recognize(messages)
            seen = len(self._seen)
        dialect = self._compactor.dialect
        for message in messages[seen:]:
            self._tokens += dialect.weight(message)
            self._seen.append(dialect.snapshot(message))
        self._beside = beside
        return self._tokens + beside > max(self._budget.limit, self._patient_until)

    def _recognize(self, messages: list[MessageT]) -> None:
        """Find out what of the state still stands for this history."""
        self._forget()
        state, self.state = self.state, None
        if state is None or state.covered > len(messages):
            return
        reading = Reading.of(self._compactor, messages[: state.covered], state)
        self.state = reading.state
        if reading.state is not None:
            self._take(reading.view, reading.rendered(reading.view), reading.messages)

    def _take(self, view: Transcript, head: list[MessageT], covered: list[MessageT]) -> None:
        self._head = head
        self._covered = len(covered)
        self._tokens = view.token_estimate()
        self._seen = list(map(self._compactor.dialect.snapshot, covered))

    def _planned(
        self, messages: list[MessageT], beside: int, overflow: Overflow | None = None
    ) -> Round[MessageT] | None:
        """Return what is to be done; None where the history fits after all, or nothing helps."""
        reading = Reading.of(self._compactor, messages, self.state)
        if reading.state is None:
            # A history in which what was compacted has changed is compacted from its start again.
            self.state, self._head, self._covered = None, [], 0
        self._tokens, self._beside = reading.view.token_estimate(), beside
        if overflow is not None:
            self._tighten(overflow, self._tokens + beside)
        if self._tokens + beside <= self._budget.limit:
            return None
        work = reading.planned(self._budget, beside)
        if work is None:
            self._wait()
        return work

    def _tighten(self, overflow: Overflow, estimate: int) -> None:
        """Take to heart that a provider refused what was estimated at so many tokens."""
        self._budget = tightened(self._budget, overflow, estimate)
        self._lowered = Lowered(self._budget.limit, self._compactor.budget.limit)
        if self.state is not None:
            self.state = replace(self.state, lowered=self._lowered)
        body = {
            "tokens_estimated": estimate,
            "tokens": overflow.tokens,
            "window": overflow.window,
            "limit": self._budget.limit,
        }
        self._tell(OVERFLOWED, {key: value for key, value in body.items() if value is not None})

    def _compacted(self, work: Round[MessageT] | None) -> bool:
        if work is not None:
            self._conclude(work.applied(work.fulfilled()))
        return work is not None

    async def _compacted_async(self, work: Round[MessageT] | None) -> bool:
        if work is not None:
            done = await work.fulfilled_async()
            await to_its_end(asyncio.to_thread(lambda: self._conclude(work.applied(done))))
        return work is not None

    def _conclude(self, applied: Applied[MessageT]) -> None:
        covered = applied.reading.messages
        self.state = CompactionState.of(applied.view, len(covered), self._lowered)
        self.report = applied.view.report
        self._take(applied.whole, applied.messages, covered)
        self._patient_until = 0
        if self.report.budget_unmet:
            self._wait()
        self._tell(COMPACTED, applied.report())
        if (audit := applied.audit()) is not None:
            self._tell(AUDITED, audit)

    def _failed(self, fault: Exception) -> bool:
        """Say why the conversation stays as it was, and wait before the next try."""
        self._wait()
        if isinstance(fault, TurnfoldError):
            body = fault.to_dict()
        else:
            # The text of an error that is not ours could quote a turn.
            said = f"turnfold failed with {type(fault).__name__}; please report it"
            body = {"code": "defect", "message": said, "details": {}}
        self._tell(FAILED, body)
        if self._compactor.on_failure == "raise":
            raise fault
        return False

    def _wait(self) -> None:
        self._patient_until = int(max(self._tokens + self._beside, self._budget.limit) * _PATIENCE)

    def _tell(self, name: str, body: Mapping[str, Any]) -> None:
        tell(self._compactor.observers, Event(name, body, self.name))
