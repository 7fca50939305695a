"""A model of Pydantic AI that writes summaries."""

from contextvars import ContextVar
from typing import Final

from pydantic_ai import exceptions
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse
from pydantic_ai.models import KnownModelName, Model
from pydantic_ai.usage import RunUsage

from turnfold.fulfil import Answer, SummaryJob, Writer, render_prompt
from turnfold.integrations._writers import overflow_told

ModelOrName = Model | KnownModelName | str

USAGE: Final[ContextVar[RunUsage | None]] = ContextVar("turnfold_pydantic_ai_usage", default=None)
"""The usage of the run that a summary is written for."""

OVERFLOWS: Final[tuple[type[Exception], ...]] = tuple(
    filter(None, [getattr(exceptions, "ModelContextWindowExceededError", None)])
)
"""The framework's own error for a prompt that is too long, in versions that have one."""


def model_writer(model: ModelOrName) -> Writer:
    """Return a writer of summaries: `render_prompt`, then a model of Pydantic AI.

    Args:
        model: The model, or its name.
    """

    async def write(job: SummaryJob) -> Answer:
        prompt = ModelRequest.user_text_prompt(render_prompt(job))
        with overflow_told(*OVERFLOWS):
            response = await model_request(model, [prompt])
        usage = USAGE.get()
        if usage is not None:
            usage.incr(response.usage)
        return answer_of(response)

    return write


def answer_of(response: ModelResponse) -> Answer:
    """Return what a model answered, and why it stopped."""
    text = response.text or ""
    reason: str | None = response.finish_reason
    if response.tool_calls and not text.strip():
        reason = "tool_call"
    elif reason == "error":
        reason = "incomplete"
    return Answer(text, reason)
