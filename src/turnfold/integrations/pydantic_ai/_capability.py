"""The capability that fits each request of an agent."""

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pydantic_ai import exceptions
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import AgentDepsT, RunContext, ToolDefinition

from turnfold.budget import CompactionBudget
from turnfold.fulfil import Writer
from turnfold.integrations.overflow import Overflow, overflow_of
from turnfold.integrations.pydantic_ai._conversations import (
    KEY,
    IdleConversations,
    Lenders,
    fit,
    refit,
)
from turnfold.integrations.pydantic_ai._messages import (
    PydanticAIMessages,
    size_of_parameters,
    size_of_tools,
    visible_tools,
)
from turnfold.integrations.pydantic_ai._writer import OVERFLOWS, ModelOrName

if TYPE_CHECKING:
    from turnfold.integrations._conversation import Conversation

_HAS_PREPARE: Final = hasattr(AbstractCapability, "prepare_model_request")
_Again: Final[type[Exception] | None] = getattr(exceptions, "RetryModelRequest", None)
"""Asks for another attempt of a request, which is prepared anew, in versions that have it."""

_weigh = PydanticAIMessages().weight


@dataclass(init=False, eq=False)
class Compaction(AbstractCapability[AgentDepsT]):
    """Sends a model what fits, and leaves the history as it is.

    Tools, instructions and `max_tokens` of a request count as well. Where a provider refuses what
    fits as too long, it is compacted harder and asked for once more, in versions that can. What was
    compacted is stored in the metadata of a response, so that a history that is loaded goes on
    where it stood. A Claude model that thinks within a fixed budget of tokens gets its thinking
    back, unless `reasoning` says otherwise.

    Args:
        budget: The window in tokens, or a budget.
        model: Writes the summaries: a model or its name. Its tokens count to the run's usage.
        write: Writes the summaries instead; without either they are verbatim digests.
        id: As of any capability.
        **options: As of `turnfold.integrations.Compactor`: `options`, `observers`, ...

    Raises:
        InvalidConfiguration: There are two writers, or an option cannot be.
    """

    def __init__(
        self,
        budget: CompactionBudget | int,
        *,
        model: ModelOrName | None = None,
        write: Writer | None = None,
        id: str | None = None,  # noqa: A002  The framework's word.
        **options: Any,  # noqa: ANN401  Those of `Compactor`.
    ) -> None:
        self.id = id
        self._lenders = Lenders(budget, model, write, options)
        self._lender: IdleConversations | None = None
        self._conversation: Conversation[ModelMessage] | None = None
        self._state: object = None
        self._metadata: dict[str, Any] = {}
        self._tools: tuple[list[ToolDefinition], int] = ([], 0)
        self._refusal: Exception | None = None
        self._overflow: Overflow | None = None

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> "Compaction[AgentDepsT]":  # noqa: ARG002
        """Return the capability of one run: it holds one conversation."""
        return copy(self)

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Fit a request, in versions that have no hook for it behind this one."""
        return request_context if _HAS_PREPARE else await self._fitted(ctx, request_context)

    async def prepare_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Fit a request, once all else about it is known."""
        return await self._fitted(ctx, request_context)

    async def _fitted(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        messages = list(request_context.messages)
        if not messages or not isinstance(messages[-1], ModelRequest):
            return request_context  # A response that was suspended is asked for again.
        lasting, passing = _parted(messages, ctx.messages)
        lender = self._lenders.of(request_context.model, request_context.model_settings)
        if self._conversation is None or lender is not self._lender:
            self._lender = lender
            self._conversation = lender.taken(ctx.conversation_id, lasting)
            self._state = self._conversation.state
        beside = self._beside(request_context) + sum(map(_weigh, passing))
        lent, usage = self._conversation, ctx.usage
        if (overflow := self._overflow) is None or self._refusal is None:
            sent = await fit(lent, lasting, beside=beside, usage=usage)
        else:
            self._overflow = None
            less = await refit(lent, lasting, overflow, beside=beside, usage=usage)
            if less is None:
                raise self._refusal
            sent = less
        request_context.messages = [*sent, *passing]
        return request_context

    async def on_model_request_error(
        self,
        ctx: RunContext[AgentDepsT],  # noqa: ARG002
        *,
        request_context: ModelRequestContext,  # noqa: ARG002
        error: Exception,
    ) -> ModelResponse:
        """Have a request made once more, with less, where a provider refused it for length."""
        is_first = self._refusal is None and self._conversation is not None
        self._overflow = overflow_of(error, *OVERFLOWS) if is_first and _Again else None
        if self._overflow is None or _Again is None:
            raise error
        self._refusal = error
        raise _Again from error

    def _beside(self, request_context: ModelRequestContext) -> int:
        parameters = request_context.model_request_parameters
        tools = visible_tools(parameters)
        if self._tools[0] != tools:
            self._tools = (tools, size_of_tools(tools))
        answer = (request_context.model_settings or {}).get("max_tokens") or 0
        return size_of_parameters(parameters) + self._tools[1] + answer

    async def after_model_request(
        self,
        ctx: RunContext[AgentDepsT],  # noqa: ARG002
        *,
        request_context: ModelRequestContext,  # noqa: ARG002
        response: ModelResponse,
    ) -> ModelResponse:
        """Store what was compacted for this request; the newest such response of a run holds it."""
        self._refusal = None
        state = None if self._conversation is None else self._conversation.state
        if state is None or state is self._state:
            return response
        self._state = state
        self._metadata.pop(KEY, None)
        self._metadata = {**(response.metadata or {}), KEY: state.to_dict()}
        return replace(response, metadata=self._metadata)

    async def after_run(self, ctx: RunContext[AgentDepsT], *, result: Any) -> Any:  # noqa: ANN401, ARG002
        """Remember the conversation for the next run."""
        if self._conversation is not None and self._lender is not None:
            self._lender.put(self._conversation)
            self._conversation = None
        return result


def _parted(
    messages: list[ModelMessage], history: list[ModelMessage]
) -> tuple[list[ModelMessage], list[ModelMessage]]:
    """Return what a history holds, and what another capability put in the place of its end.

    That, a reminder say, is for one request only, and no part of what a conversation is known by.
    """
    last = len(history) - 1
    if last < 1 or messages == history or messages[:last] != history[:last]:
        return messages, []
    return messages[:last], messages[last:]
