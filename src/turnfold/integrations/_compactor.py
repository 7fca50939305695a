"""Keeping a growing conversation within a budget, whatever its messages are made of.

A framework hands over the whole history before each call of its model, and gets back what to
send. The history itself is never changed: what was compacted once stands for the beginning of the
history from then on, and new messages follow it as they are.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Literal

from turnfold import formats
from turnfold.budget import CompactionBudget
from turnfold.errors import BudgetUnsatisfiable, InvalidConfiguration, TurnfoldError
from turnfold.executor import CompactionExecutor
from turnfold.formats import Pins, Reasoning, Session
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
from turnfold.integrations.events import (
    AUDITED,
    COMPACTED,
    FAILED,
    Event,
    Observer,
    log_event,
    tell,
)
from turnfold.ledger import Ledger
from turnfold.plan import CompactionPlan
from turnfold.policies import default_chain
from turnfold.protocols import CompactionPolicy, Estimator
from turnfold.tokens import MessageEstimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView, CompactionReport

_HEADROOM: Final = 0.7
"""Down to this share of the window a budget that is given as one number goes."""

_PATIENCE: Final = 1.05
"""After a compaction that could not help, the next try waits until this much more is there."""

_SMALLEST_DIGEST: Final = 64
_SIZES: Final = MessageEstimator()

OnFailure = Literal["pass", "raise"]


@dataclass(frozen=True, slots=True)
class _Work:
    """A compaction that has been planned."""

    session: Session
    originals: Transcript
    lead: tuple[TranscriptTurn, ...]
    turns: Transcript
    plan: CompactionPlan
    ledger: Ledger | None
    messages: list[Any]
    documents: list[Any]


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
        observers: Are told of compactions, audits and failures; by default the logger `turnfold`.
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
        self.budget = budget if isinstance(budget, CompactionBudget) else _budget_of(budget)
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
    ) -> "Conversation[MessageT]":
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


def _budget_of(window: int) -> CompactionBudget:
    if type(window) is not int or window < 1:
        msg = f"a budget is a CompactionBudget or a number of tokens above 0; got {window!r}"
        raise InvalidConfiguration(msg, {"budget": repr(window)})
    return CompactionBudget(window, target_tokens=int(window * _HEADROOM))


class Conversation(Generic[MessageT]):
    """One conversation: hand over its history, get what to send.

    Not for several threads at once. What was looked at is not looked at again: a call with nothing
    to compact compares the messages that it knows and weighs the new ones.
    """

    def __init__(
        self,
        compactor: Compactor[MessageT],
        state: CompactionState | None = None,
        *,
        name: str | None = None,
    ) -> None:
        self.name = name
        self.state = state
        self.report: CompactionReport | None = None
        """The report of the last compaction that this object did."""
        self._compactor = compactor
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
                work = self._planned(messages, beside)
                if work is not None:
                    self._concluded(work, self._fulfilled(work))
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
                work = await asyncio.to_thread(self._planned, messages, beside)
                if work is not None:
                    done = await self._fulfilled_async(work)
                    await asyncio.to_thread(self._concluded, work, done)
        except Exception as fault:  # noqa: BLE001  As in `fit`.
            self._failed(fault)
        return self._current(messages)

    def to_dict(self) -> dict[str, Any] | None:
        """Return the state for a checkpoint; None where nothing was compacted yet."""
        return None if self.state is None else self.state.to_dict()

    def _current(self, messages: list[MessageT]) -> list[MessageT]:
        return [*self._head, *messages[self._covered :]]

    def knows(self, messages: Sequence[MessageT]) -> int:
        """Return how many messages it has seen, where a history begins with them; else 0."""
        seen = len(self._seen)
        return seen if self._seen == list(messages[:seen]) else 0

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
        return self._tokens + beside > max(self._compactor.budget.limit, self._patient_until)

    def _recognize(self, messages: list[MessageT]) -> None:
        """Find out what of the state still stands for this history."""
        self._forget()
        state, self.state = self.state, None
        if state is None or state.covered > len(messages):
            return
        dialect = self._compactor.dialect
        covered = messages[: state.covered]
        documents = dialect.dump(covered)
        session = self._compactor.read(documents)
        lead, history = without_lead(session.transcript)
        turns = state.turns_now(history)
        if turns is None:
            return
        self.state = state
        view = Transcript((*lead, *turns))
        self._take(view, self._rendered(view, session, covered, documents), covered)

    def _take(self, view: Transcript, head: list[MessageT], covered: list[MessageT]) -> None:
        self._head = head
        self._covered = len(covered)
        self._tokens = view.token_estimate()
        self._seen = list(map(self._compactor.dialect.snapshot, covered))

    def _planned(self, messages: list[MessageT], beside: int) -> _Work | None:
        """Return what is to be done; None where the history fits after all."""
        compactor = self._compactor
        documents = compactor.dialect.dump(messages)
        session = compactor.read(documents)
        lead, history = without_lead(session.transcript)
        turns = None if self.state is None else self.state.turns_now(history)
        if turns is None:
            # A history in which what was compacted has changed is compacted from its start again.
            self.state, self._head, self._covered = None, [], 0
        present = history if turns is None else Transcript(turns)
        leading = sum(turn.token_estimate for turn in lead)
        self._tokens = leading + present.token_estimate()
        if self._tokens + beside <= compactor.budget.limit:
            return None
        plan = compactor.policy.decide(present, _less(compactor.budget, leading + beside))
        if plan.changes_nothing:
            self._wait()
            return None
        return _Work(
            session=session,
            originals=history,
            lead=lead,
            turns=present,
            plan=plan,
            ledger=None if self.state is None else self.state.ledger,
            messages=messages,
            documents=documents,
        )

    def _fulfilled(self, work: _Work) -> Fulfilled | Mapping[str, Any]:
        compactor = self._compactor
        if compactor.write is None:
            return self._digests(work)
        return fulfil(
            work.turns,
            work.plan,
            compactor.write,
            compactor.options,
            originals=work.originals,
            ledger=work.ledger,
        )

    async def _fulfilled_async(self, work: _Work) -> Fulfilled | Mapping[str, Any]:
        compactor = self._compactor
        if compactor.write is None:
            return await asyncio.to_thread(self._digests, work)
        return await fulfil_async(
            work.turns,
            work.plan,
            compactor.write,
            compactor.options,
            originals=work.originals,
            ledger=work.ledger,
        )

    def _digests(self, work: _Work) -> Mapping[str, Any]:
        options = self._compactor.options
        return fulfil_extractively(
            work.turns, work.plan, estimator=options.estimator, redact=options.redact
        )

    def _concluded(self, work: _Work, done: Fulfilled | Mapping[str, Any]) -> None:
        summaries = done.summaries if isinstance(done, Fulfilled) else done
        view = CompactionExecutor().apply(
            work.turns, work.plan, summaries, ledger=work.ledger, estimator=self._compactor.sizes
        )
        view = formats.repaired(view, work.session, work.plan)
        whole = Transcript((*work.lead, *view.transcript))
        head = self._rendered(whole, work.session, work.messages, work.documents)
        self.state = CompactionState.of(view, len(work.messages))
        self.report = view.report
        self._take(whole, head, work.messages)
        if view.report.budget_unmet:
            self._wait()
        self._say(work, view, done)

    def _rendered(
        self, view: Transcript, session: Session, messages: list[MessageT], documents: list[Any]
    ) -> list[MessageT]:
        """Return the messages of a view; those that were kept as the same objects."""
        rendered = formats.render(view, session, reasoning=self._compactor.reasoning)
        originals = {
            id(document): message for document, message in zip(documents, messages, strict=True)
        }
        made = [each for each in rendered if id(each) not in originals]
        loaded = iter(self._compactor.dialect.load(made))
        return [originals[id(each)] if id(each) in originals else next(loaded) for each in rendered]

    def _say(self, work: _Work, view: CompactedView, done: Fulfilled | Mapping[str, Any]) -> None:
        body = {
            **view.report.to_dict(),
            "fulfilments": done.to_dict() if isinstance(done, Fulfilled) else [],
        }
        self._tell(COMPACTED, body)
        if view.report.summary_turn_ids and self._compactor.options.gate != "off":
            from turnfold.audit import audit_safely  # noqa: PLC0415  Large, and seldom needed.

            report = audit_safely(work.originals, view, self._compactor.options.audit)
            self._tell(AUDITED, report.to_dict())

    def _failed(self, fault: Exception) -> None:
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

    def _wait(self) -> None:
        self._patient_until = int(max(self._tokens, self._compactor.budget.limit) * _PATIENCE)

    def _tell(self, name: str, body: Mapping[str, Any]) -> None:
        tell(self._compactor.observers, Event(name, body, self.name))


def _less(budget: CompactionBudget, beside: int) -> CompactionBudget:
    """Return the budget for what is left beside leading SYSTEM turns and what is no turn.

    Raises:
        BudgetUnsatisfiable: Nothing is left.
    """
    reserved = budget.reserved_tokens + beside
    least = budget.max_tokens if budget.target_tokens is None else budget.target_tokens
    if reserved < least:
        return replace(budget, reserved_tokens=reserved)
    msg = (
        f"the leading system turns and what a call needs besides its messages are {beside:,} "
        f"tokens, and {budget.reserved_tokens:,} are reserved: together no less than the "
        f"{least:,} that compaction goes down to; raise the budget or its target"
    )
    details = {"beside": beside, "reserved": budget.reserved_tokens, "limit": least}
    raise BudgetUnsatisfiable(msg, details)
