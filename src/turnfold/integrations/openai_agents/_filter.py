"""A filter of the model's input."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from agents.models.interface import Model
from agents.run import CallModelData, ModelInputData

from turnfold.budget import CompactionBudget
from turnfold.fulfil import Writer
from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversation import Conversation
from turnfold.integrations._conversations import Conversations
from turnfold.integrations._writers import one_writer
from turnfold.integrations.openai_agents._items import (
    AgentItems,
    Item,
    are_of_a_stored_conversation,
    is_compacted_by_the_provider,
    room_beside,
)
from turnfold.integrations.openai_agents._writer import model_writer


class Histories:
    """Conversations that are told apart by their histories; each serves one call at a time."""

    def __init__(self, compactor: Compactor[Item]) -> None:
        self._known = Conversations(compactor)
        self._busy: set[int] = set()

    async def fit(
        self,
        items: Sequence[Item],
        beside: int,
        conversation: Conversation[Item] | None = None,
    ) -> list[Item]:
        """Return what to send for a history."""
        with self._lent(items, conversation) as lent:
            return await lent.fit_async(items, beside=beside)

    @contextmanager
    def _lent(
        self, items: Sequence[Item], wanted: Conversation[Item] | None
    ) -> Iterator[Conversation[Item]]:
        """Lend the conversation that is wanted, unless another call uses it."""
        if wanted is None or id(wanted) in self._busy:
            with self._known.lent(items) as lent:
                yield lent
            return
        self._busy.add(id(wanted))
        try:
            yield wanted
        finally:
            self._busy.discard(id(wanted))


class CompactionFilter:
    """Sends the model what fits; the history of the run is not changed.

    For `RunConfig(call_model_input_filter=CompactionFilter(100_000))`, in any number of runs, and
    with any session. Instructions, tools, handoffs and `max_tokens` of the agent count as well. A
    conversation that OpenAI stores (`conversation_id`, `previous_response_id`) is left alone, and
    so is an agent whose `context_management` compacts.

    Example:
        >>> from agents import RunConfig
        >>> config = RunConfig(call_model_input_filter=CompactionFilter(100_000))

    Args:
        budget: As for `Compactor`: a budget, or a number of tokens.
        model: A model of the SDK that writes the summaries, or its name; without one, and without
            `write`, they are verbatim digests.
        write: A writer instead of a model.
        state: What `state` was when the process ended, for a filter that serves one conversation.
        **options: What else a `Compactor` takes.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
        TurnfoldDefect: The state is none.
    """

    def __init__(
        self,
        budget: CompactionBudget | int,
        *,
        model: Model | str | None = None,
        write: Writer | None = None,
        state: Mapping[str, Any] | None = None,
        **options: Any,  # noqa: ANN401  Those of `Compactor`.
    ) -> None:
        compactor: Compactor[Item] = Compactor(
            AgentItems(), budget, write=one_writer(model, write, model_writer), **options
        )
        self._histories = Histories(compactor)
        self._first = compactor.conversation(state)
        self._has_begun = False

    @property
    def state(self) -> dict[str, Any] | None:
        """Of the conversation that it saw first: plain JSON; None while nothing was compacted."""
        return self._first.to_dict()

    async def __call__(self, data: CallModelData[Any]) -> ModelInputData:
        """Return what to send instead of an input."""
        given = data.model_data
        if not is_ours(data):
            return given
        first = self._first if self._first.knows(given.input) or not self._has_begun else None
        self._has_begun = True
        beside = room_beside(data.agent, given.instructions)
        sent = await self._histories.fit(given.input, beside, first)
        return ModelInputData(input=sent, instructions=given.instructions)


def is_ours(data: CallModelData[Any]) -> bool:
    """Whether a call sends its whole history, and nobody else compacts it."""
    return not (
        is_compacted_by_the_provider(data.agent)
        or are_of_a_stored_conversation(data.model_data.input)
    )
