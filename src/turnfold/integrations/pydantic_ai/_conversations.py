"""The conversations of an agent, between its runs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.usage import RunUsage

from turnfold.budget import CompactionBudget
from turnfold.fulfil import Writer
from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversation import Conversation
from turnfold.integrations._conversations import Conversations
from turnfold.integrations._writers import one_writer
from turnfold.integrations.overflow import Overflow
from turnfold.integrations.pydantic_ai._messages import PydanticAIMessages, thinks_within_a_budget
from turnfold.integrations.pydantic_ai._writer import USAGE, ModelOrName, model_writer

KEY: Final = "turnfold"
"""Where the metadata of a response holds what was compacted when it was asked for."""


class IdleConversations(Conversations[ModelMessage]):
    """The conversations that no run holds at the moment."""

    def taken(
        self, name: str | None, messages: Sequence[ModelMessage]
    ) -> Conversation[ModelMessage]:
        """Return the conversation that a history goes on; it is the caller's until it is put back.

        One that is not remembered begins with the state that the history holds.
        """
        return self.take(messages, name=name) or self.begun(_stored(messages), name=name)


class Lenders:
    """The conversations of an agent, by what becomes of reasoning that stands behind an edit.

    Args:
        budget: As for `Compactor`.
        model: Writes the summaries.
        write: Writes the summaries instead.
        options: What else a `Compactor` takes; its `reasoning` counts for every request.

    Raises:
        InvalidConfiguration: There are two writers, or an option cannot be.
    """

    def __init__(
        self,
        budget: CompactionBudget | int,
        model: ModelOrName | None,
        write: Writer | None,
        options: Mapping[str, Any],
    ) -> None:
        writer = one_writer(model, write, model_writer)

        def idle(options: Mapping[str, Any]) -> IdleConversations:
            return IdleConversations(
                Compactor(PydanticAIMessages(), budget, write=writer, **options)
            )

        self._usual = self._keeping = idle(options)
        if options.get("reasoning") is None:
            self._keeping = idle({**options, "reasoning": "keep"})

    def of(self, model: object, settings: Mapping[str, object] | None) -> IdleConversations:
        """Return the conversations for a request of a model; all read the same states."""
        return self._keeping if thinks_within_a_budget(model, settings or {}) else self._usual


def _stored(messages: Sequence[ModelMessage]) -> Mapping[str, Any] | None:
    """Return the newest state in a history."""
    for message in reversed(messages):
        if isinstance(message, ModelResponse) and message.metadata and KEY in message.metadata:
            stored: Mapping[str, Any] = message.metadata[KEY]
            return stored
    return None


async def fit(
    conversation: Conversation[ModelMessage],
    messages: list[ModelMessage],
    *,
    beside: int,
    usage: RunUsage,
) -> list[ModelMessage]:
    """Return what to send for a history; what its summaries cost is added to a usage."""
    with _counting(usage):
        sent = await conversation.fit_async(messages, beside=beside)
    return _with_instructions(sent, messages[-1])


async def refit(
    conversation: Conversation[ModelMessage],
    messages: list[ModelMessage],
    overflow: Overflow,
    *,
    beside: int,
    usage: RunUsage,
) -> list[ModelMessage] | None:
    """Return less to send than `fit` did; None where no less is possible."""
    with _counting(usage):
        sent = await conversation.refit_async(messages, overflow, beside=beside)
    return sent and _with_instructions(sent, messages[-1])


@contextmanager
def _counting(usage: RunUsage) -> Iterator[None]:
    token = USAGE.set(usage)
    try:
        yield
    finally:
        USAGE.reset(token)


def _with_instructions(sent: list[ModelMessage], newest: ModelMessage) -> list[ModelMessage]:
    """Put the instructions on the last request, where that was written anew."""
    last = sent[-1]
    if last is newest or not isinstance(last, ModelRequest) or not isinstance(newest, ModelRequest):
        return sent
    return [*sent[:-1], replace(last, instructions=newest.instructions)]
