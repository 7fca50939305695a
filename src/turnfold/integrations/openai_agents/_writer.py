"""A model of the SDK that writes summaries."""

from typing import Any

from agents import ModelSettings, ModelTracing
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.models.multi_provider import MultiProvider

from turnfold.fulfil import Answer, SummaryJob, Writer, render_prompt
from turnfold.integrations._writers import overflow_told


def model_writer(model: Model | str) -> Writer:
    """Return a writer of summaries: `render_prompt`, then the model.

    Args:
        model: A model, such as `OpenAIResponsesModel("gpt-5-mini", openai_client=client)`, or a
            name for the SDK's own provider.
    """

    async def write(job: SummaryJob) -> Answer:
        asked = MultiProvider().get_model(model) if isinstance(model, str) else model
        with overflow_told():
            response = await asked.get_response(
                system_instructions=None,
                input=render_prompt(job),
                model_settings=ModelSettings(),
                tools=[],
                output_schema=None,
                handoffs=[],
                tracing=ModelTracing.DISABLED,
                previous_response_id=None,
                conversation_id=None,
                prompt=None,
            )
        return answer_of(response)

    return write


def answer_of(response: ModelResponse) -> Answer:
    """Return what a model answered, and why it stopped where that can be seen."""
    text, reason = "", None
    for item in response.output:
        kind = getattr(item, "type", None)
        if kind == "message":
            for part in getattr(item, "content", ()):
                if (refusal := _attribute(part, "refusal")) is not None:
                    text, reason = text + refusal, "refusal"
                text += _attribute(part, "text") or ""
            if getattr(item, "status", None) == "incomplete":
                reason = "incomplete"
        elif str(kind).endswith("_call") and not text.strip():
            reason = "tool_calls"
    return Answer(text, reason)


def _attribute(part: Any, name: str) -> str | None:  # noqa: ANN401  A union of the client's.
    value = getattr(part, name, None)
    return value if isinstance(value, str) else None
