"""Compaction in agents: `create_agent`'s middleware and `create_react_agent`'s hook."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, NotRequired, Required, Unpack

from langchain.agents.middleware import (
    AgentMiddleware,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
)
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from langgraph.types import Command
from typing_extensions import TypedDict

from turnfold.budget import CompactionBudget
from turnfold.fulfil import Writer
from turnfold.integrations.langchain._compaction import Compaction, Fitted, Settings, Stored
from turnfold.integrations.langchain._messages import Besides, thinks_within_a_budget
from turnfold.integrations.overflow import overflow_of

_KEY: Final = "turnfold"


class _PrivateState(TypedDict):
    turnfold: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr]]


class CompactionState(TypedDict):
    """A state for `create_react_agent` and own graphs: messages, and what was compacted."""

    messages: Required[Annotated[list[AnyMessage], add_messages]]
    remaining_steps: NotRequired[RemainingSteps]
    turnfold: NotRequired[dict[str, Any] | None]


class CompactionMiddleware(AgentMiddleware[Any, Any, Any]):  # type: ignore[misc]
    """Sends an agent's model what fits, and leaves the history of the thread as it is.

    The system prompt and the schemas of the tools count as well. Where a provider refuses what fits
    as too long, it is compacted harder, and the model called once more. A Claude model whose
    `thinking` has a fixed budget gets its thinking back, unless `reasoning` says otherwise.

    Example:
        >>> from langchain.agents import create_agent
        >>> from langchain_core.language_models import FakeListChatModel
        >>> model = FakeListChatModel(responses=["Done."])
        >>> agent = create_agent(model, middleware=[CompactionMiddleware(100_000)])

    Args:
        budget: As for `Compactor`: a budget, or a number of tokens.
        model: A chat model that writes the summaries, or its name; without one, and without
            `write`, they are verbatim digests.
        write: A writer instead of a model.
        settings: What else a `Compactor` takes.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
    """

    state_schema = _PrivateState

    def __init__(
        self,
        budget: CompactionBudget | int,
        *,
        model: BaseChatModel | str | None = None,
        write: Writer | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        super().__init__()
        self.compaction = self._keeping = Compaction(budget, model=model, write=write, **settings)
        if settings.get("reasoning") is None:
            keeping: Settings = {**settings, "reasoning": "keep"}
            self._keeping = Compaction(budget, write=self.compaction.compactor.write, **keeping)
        self._besides = Besides()

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Call the model with what fits; once more with less, where that was refused for length."""
        stored, beside, compaction = _stored(request), self._beside(request), self._for(request)
        fitted = compaction.fit(request.messages, stored, beside=beside)
        try:
            return _with_state(handler(_fitting(request, fitted)), fitted, stored)
        except Exception as fault:
            overflow = overflow_of(fault, ContextOverflowError)
            if overflow is None:
                raise
            less = compaction.refit(request.messages, overflow, stored, beside=beside)
            if less is None:
                raise
        return _with_state(handler(_fitting(request, less)), less, stored)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Call the model with what fits; once more with less, where that was refused for length."""
        stored, beside, compaction = _stored(request), self._beside(request), self._for(request)
        fitted = await compaction.afit(request.messages, stored, beside=beside)
        try:
            return _with_state(await handler(_fitting(request, fitted)), fitted, stored)
        except Exception as fault:
            overflow = overflow_of(fault, ContextOverflowError)
            if overflow is None:
                raise
            less = await compaction.arefit(request.messages, overflow, stored, beside=beside)
            if less is None:
                raise
        return _with_state(await handler(_fitting(request, less)), less, stored)

    def _for(self, request: ModelRequest[Any]) -> Compaction:
        """Return what fits a request; both read the same states."""
        is_kept = thinks_within_a_budget(request.model, request.model_settings)
        return self._keeping if is_kept else self.compaction

    def _beside(self, request: ModelRequest[Any]) -> int:
        return self._besides.of(request.system_message, request.tools)


def _stored(request: ModelRequest[Any]) -> Stored:
    state: Any = request.state
    found: Stored = state.get(_KEY)
    return found


def _fitting(request: ModelRequest[Any], fitted: Fitted) -> ModelRequest[Any]:
    messages: list[Any] = fitted.messages
    return request.override(messages=messages)


def _with_state(
    response: ModelResponse[Any], fitted: Fitted, stored: Stored
) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
    if fitted.state is stored:
        return response
    return ExtendedModelResponse(response, Command(update={_KEY: fitted.state}))


def compaction_hook(
    budget: CompactionBudget | int,
    *,
    model: BaseChatModel | str | None = None,
    write: Writer | None = None,
    **settings: Unpack[Settings],
) -> Runnable[Any, dict[str, Any]]:
    """Return a `pre_model_hook` for `create_react_agent`, or a node before a model's in a graph.

    It reads `messages` and writes `llm_input_messages`, and `turnfold` for checkpoints: the
    state needs that key, as `CompactionState` has it. The prompt and the tools are added behind
    it, so the budget has to reserve room for them.

    Args:
        budget: As for `Compactor`: a budget, or a number of tokens.
        model: A chat model that writes the summaries, or its name; without one, and without
            `write`, they are verbatim digests.
        write: A writer instead of a model.
        settings: What else a `Compactor` takes.

    Raises:
        InvalidConfiguration: An option has a value that it cannot have.
    """
    compaction = Compaction(budget, model=model, write=write, **settings)

    def hook(state: Any) -> dict[str, Any]:  # noqa: ANN401  A dict or a model of the caller's.
        stored = _value(state, _KEY)
        return _update(compaction.fit(_value(state, "messages"), stored), stored)

    async def ahook(state: Any) -> dict[str, Any]:  # noqa: ANN401
        stored = _value(state, _KEY)
        return _update(await compaction.afit(_value(state, "messages"), stored), stored)

    return RunnableLambda(hook, ahook, name="compaction")


def _value(state: Any, key: str) -> Any:  # noqa: ANN401
    return state.get(key) if isinstance(state, dict) else getattr(state, key, None)


def _update(fitted: Fitted, stored: Stored) -> dict[str, Any]:
    """Return the update of the state; what did not change is not written again."""
    update: dict[str, Any] = {"llm_input_messages": fitted.messages}
    return update if fitted.state is stored else {**update, _KEY: fitted.state}
