"""Compaction for any graph: a history and its state in, what to send and the new state out."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, NamedTuple, TypedDict, Unpack

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langgraph.config import get_config

from turnfold.budget import CompactionBudget
from turnfold.errors import TurnfoldDefect
from turnfold.formats import Pins, Reasoning
from turnfold.fulfil import FulfilOptions, Writer
from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversation import Conversation
from turnfold.integrations._round import OnFailure
from turnfold.integrations._writers import one_writer
from turnfold.integrations.events import FAILED, Event, Observer, tell
from turnfold.integrations.langchain._messages import LangChainMessages
from turnfold.integrations.langchain._writer import AWAITED, model_writer
from turnfold.integrations.overflow import Overflow
from turnfold.protocols import CompactionPolicy, Estimator

_MOST_LIVE: Final = 128
"""So many conversations are remembered; one more begins from its state again."""

Stored = Mapping[str, Any] | None
Key = tuple[str | None, str | None]


class Settings(TypedDict, total=False):
    """What a `Compactor` takes besides the budget and the writer."""

    policy: CompactionPolicy
    options: FulfilOptions
    pins: Pins
    estimator: Estimator
    reasoning: Reasoning
    observers: Sequence[Observer]
    on_failure: OnFailure


class Fitted(NamedTuple):
    """What to send for a history, and what to store beside it.

    Args:
        messages: What to send. Messages that were kept are the same objects.
        state: Plain JSON values for the next call; None while nothing was compacted. It is the
            object that was handed in where nothing changed.
    """

    messages: list[BaseMessage]
    state: Stored


@dataclass(slots=True)
class _Live:
    """A conversation that is remembered, and the states under which it is recognized."""

    conversation: Conversation[BaseMessage]
    given: Stored
    state: Stored
    covered: list[BaseMessage] = field(default_factory=list)
    noted: object = field(default_factory=object)

    def goes_on_from(self, state: Stored, messages: Sequence[BaseMessage]) -> bool:
        """Whether this is the conversation with a stored state.

        The last compaction may not have been stored, where the call after it failed. It holds as
        long as the messages that it stands for do.
        """
        if _same(self.state, state):
            self.given = self.state = state
            return True
        return _same(self.given, state) and list(messages[: len(self.covered)]) == self.covered

    def note(self, messages: Sequence[BaseMessage]) -> None:
        """Take down what the conversation has come to, where it is new."""
        if self.conversation.state is self.noted:
            return
        self.noted = self.conversation.state
        made = self.conversation.to_dict()
        if _same(made, self.given):
            self.state = self.given
        elif not _same(made, self.state):
            self.state = made
            self.covered = [] if made is None else list(messages[: made["covered"]])


def _same(one: Stored, other: Stored) -> bool:
    return one is other or one == other


class Compaction:
    """Keeps the messages of any number of threads within a budget.

    Example:
        >>> from langchain_core.messages import HumanMessage
        >>> compaction = Compaction(8_000)
        >>> sent, state = compaction.fit([HumanMessage("Hello")])
        >>> sent, state
        ([HumanMessage(content='Hello', additional_kwargs={}, response_metadata={})], None)

    Args:
        budget: As for `Compactor`: a budget, or a number of tokens.
        model: A chat model that writes the summaries, or its name; without one, and without
            `write`, they are verbatim digests.
        write: A writer instead of a model.
        settings: What else a `Compactor` takes.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
    """

    def __init__(
        self,
        budget: CompactionBudget | int,
        *,
        model: BaseChatModel | str | None = None,
        write: Writer | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        writer = one_writer(model, write, model_writer)
        self.compactor = Compactor(LangChainMessages(), budget, write=writer, **settings)
        self._live: OrderedDict[Key, _Live] = OrderedDict()
        self._lock = Lock()

    def fit(
        self, messages: Sequence[BaseMessage], state: Stored = None, *, beside: int = 0
    ) -> Fitted:
        """Return what to send for a history, and the state to hand in with the next call.

        Args:
            messages: The whole history, oldest first; never changed.
            state: What the last call for this conversation returned.
            beside: What the call needs besides its messages, in tokens: a prompt, tools.

        Raises:
            TurnfoldError: No compaction was possible, and `on_failure` is `raise`.
        """
        key, live = self._taken(messages, state)
        try:
            sent = live.conversation.fit(messages, beside=beside)
        finally:
            self._put_back(key, live, messages)
        return Fitted(sent, live.state)

    async def afit(
        self, messages: Sequence[BaseMessage], state: Stored = None, *, beside: int = 0
    ) -> Fitted:
        """Do what `fit` does with a running event loop, which goes on meanwhile."""
        key, live = self._taken(messages, state)
        before = AWAITED.set(True)
        try:
            sent = await live.conversation.fit_async(messages, beside=beside)
        finally:
            AWAITED.reset(before)
            self._put_back(key, live, messages)
        return Fitted(sent, live.state)

    def refit(
        self,
        messages: Sequence[BaseMessage],
        overflow: Overflow,
        state: Stored = None,
        *,
        beside: int = 0,
    ) -> Fitted | None:
        """Return less to send than `fit` did, after a provider refused that as too long.

        Args:
            messages: The whole history, as it was handed to `fit`.
            overflow: What the provider said: `turnfold.integrations.overflow.overflow_of`.
            state: What was handed to `fit`.
            beside: What the call needs besides its messages, in tokens.

        Returns:
            What to send; None where no less is possible, and the refusal stands.

        Raises:
            TurnfoldError: As in `fit`.
        """
        key, live = self._taken(messages, state)
        try:
            sent = live.conversation.refit(messages, overflow, beside=beside)
        finally:
            self._put_back(key, live, messages)
        return None if sent is None else Fitted(sent, live.state)

    async def arefit(
        self,
        messages: Sequence[BaseMessage],
        overflow: Overflow,
        state: Stored = None,
        *,
        beside: int = 0,
    ) -> Fitted | None:
        """Do what `refit` does with a running event loop, which goes on meanwhile."""
        key, live = self._taken(messages, state)
        before = AWAITED.set(True)
        try:
            sent = await live.conversation.refit_async(messages, overflow, beside=beside)
        finally:
            AWAITED.reset(before)
            self._put_back(key, live, messages)
        return None if sent is None else Fitted(sent, live.state)

    def _taken(self, messages: Sequence[BaseMessage], state: Stored) -> tuple[Key, _Live]:
        """Take a conversation out; whoever asks for it meanwhile begins from its state."""
        thread = _thread_id()
        key = (thread, next((each.id for each in messages if each.type != "system"), None))
        with self._lock:
            live = self._live.pop(key, None)
        if live is None or not live.goes_on_from(state, messages):
            live = _Live(self._begun(state, thread), given=state, state=state)
        return key, live

    def _put_back(self, key: Key, live: _Live, messages: Sequence[BaseMessage]) -> None:
        live.note(messages)
        with self._lock:
            self._live[key] = live
            self._live.move_to_end(key)
            if len(self._live) > _MOST_LIVE:
                self._live.popitem(last=False)

    def _begun(self, state: Stored, thread: str | None) -> Conversation[BaseMessage]:
        """Begin from a state; from the history alone where the state cannot be read."""
        compactor = self.compactor
        try:
            return compactor.conversation(state, name=thread)
        except TurnfoldDefect as fault:
            if compactor.on_failure == "raise":
                raise
            tell(compactor.observers, Event(FAILED, fault.to_dict(), thread))
            return compactor.conversation(name=thread)


def _thread_id() -> str | None:
    """Return the thread that the running graph works on; None outside of one."""
    with suppress(RuntimeError):
        thread = get_config().get("configurable", {}).get("thread_id")
        return None if thread is None else str(thread)
    return None
