"""A chat model that writes summaries."""

from collections.abc import Awaitable
from contextvars import ContextVar
from typing import Final

from langchain.chat_models import init_chat_model
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from turnfold.fulfil import Answer, SummaryJob, Writer, render_prompt
from turnfold.integrations._writers import overflow_told

AWAITED: Final[ContextVar[bool]] = ContextVar("turnfold_langchain_awaited", default=False)
"""Whether an event loop waits for the summary: one writer serves both."""

_CONFIG: Final[RunnableConfig] = {
    "metadata": {"lc_source": "summarization"},
    # A summary is no part of what an agent streams.
    "tags": [TAG_NOSTREAM],
}
_STOPS: Final = ("finish_reason", "stop_reason", "stopReason", "done_reason")


def model_writer(model: BaseChatModel | str) -> Writer:
    """Return a writer of summaries: `render_prompt`, then the model.

    Args:
        model: The model, or its name for `init_chat_model`.
    """
    chat = init_chat_model(model) if isinstance(model, str) else model

    def write(job: SummaryJob) -> Answer | Awaitable[Answer]:
        prompt = render_prompt(job)
        if AWAITED.get():
            return _awaited(chat, prompt)
        with overflow_told(ContextOverflowError):
            return answer_of(chat.invoke(prompt, _CONFIG))

    return write


async def _awaited(chat: BaseChatModel, prompt: str) -> Answer:
    with overflow_told(ContextOverflowError):
        return answer_of(await chat.ainvoke(prompt, _CONFIG))


def answer_of(response: AIMessage) -> Answer:
    """Return what a model answered, and why it stopped in its provider's word."""
    text = str(response.text)
    if response.additional_kwargs.get("refusal"):
        return Answer(text, "refusal")
    metadata = response.response_metadata
    incomplete = metadata.get("incomplete_details")
    reasons = [incomplete.get("reason")] if isinstance(incomplete, dict) else []
    reasons += [metadata.get(key) for key in _STOPS]
    if response.tool_calls and not text.strip():
        reasons.append("tool_calls")
    return Answer(text, next((each for each in reasons if isinstance(each, str)), None))
