"""The history processor that fits a history itself."""

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.tools import RunContext

from turnfold.budget import CompactionBudget
from turnfold.fulfil import Writer
from turnfold.integrations.pydantic_ai._conversations import Lenders, fit
from turnfold.integrations.pydantic_ai._messages import size_of_tools
from turnfold.integrations.pydantic_ai._writer import ModelOrName
from turnfold.tokens import text_tokens

HistoryProcessor = Callable[[RunContext[Any], list[ModelMessage]], Awaitable[list[ModelMessage]]]


def compacting_history(
    budget: CompactionBudget | int,
    *,
    model: ModelOrName | None = None,
    write: Writer | None = None,
    **options: Any,  # noqa: ANN401  Those of `Compactor`.
) -> HistoryProcessor:
    """Return a processor for `ProcessHistory`: what it compacts is gone from the history as well.

    Instructions and the run's tools count; room for the answer is the budget's to reserve.

    Args:
        budget: The window in tokens, or a budget.
        model: Writes the summaries: a model or its name. Its tokens count to the run's usage.
        write: Writes the summaries instead; without either they are verbatim digests.
        **options: As of `turnfold.integrations.Compactor`: `options`, `observers`, ...

    Raises:
        InvalidConfiguration: There are two writers, or an option cannot be.
    """
    lenders = Lenders(budget, model, write, options)

    async def process(ctx: RunContext[Any], messages: list[ModelMessage]) -> list[ModelMessage]:
        if not messages or not isinstance(messages[-1], ModelRequest):
            return messages  # A response that was suspended is asked for again.
        idle = lenders.of(ctx.model, ctx.model_settings)
        conversation = idle.taken(ctx.conversation_id, messages)
        beside = text_tokens(messages[-1].instructions or "")
        if ctx.tool_manager is not None and ctx.tool_manager.tools is not None:
            beside += size_of_tools(ctx.tool_manager.tool_defs)
        sent = await fit(conversation, messages, beside=beside, usage=ctx.usage)
        if conversation.state is None:
            idle.put(conversation)
        # Else the history is what is sent, and the next call begins a conversation with that.
        return sent

    return process
