"""Histories that Pydantic AI's own agents wrote, and the spans of its own telemetry."""

import asyncio
import base64
import json
from typing import Any

import pytest

from tests.formats.json_histories import Json
from tests.formats.recorded.laws import PIXEL, check_recording, file_text, script
from turnfold.formats import check, parse
from turnfold.testing.provider import FakeProvider, Reply

ai = pytest.importorskip("pydantic_ai")
messages = pytest.importorskip("pydantic_ai.messages")
function = pytest.importorskip("pydantic_ai.models.function")
openai_models = pytest.importorskip("pydantic_ai.models.openai")
anthropic_models = pytest.importorskip("pydantic_ai.models.anthropic")
openai_provider = pytest.importorskip("pydantic_ai.providers.openai")
anthropic_provider = pytest.importorskip("pydantic_ai.providers.anthropic")

ADAPTER = messages.ModelMessagesTypeAdapter
IMAGE = ai.BinaryContent(base64.b64decode(PIXEL), media_type="image/gif")
MODELS = ["chat", "responses", "anthropic"]


def model(kind: str, url: str) -> tuple[Any, Any]:
    """A model of a provider, and the settings with which it reasons."""
    if kind == "anthropic":
        provider = anthropic_provider.AnthropicProvider(api_key="any", base_url=url)
        thinking = {"type": "enabled", "budget_tokens": 2_000}
        settings = {"anthropic_thinking": thinking, "max_tokens": 4_000}
        return anthropic_models.AnthropicModel("claude-any", provider=provider), settings
    provider = openai_provider.OpenAIProvider(api_key="any", base_url=f"{url}/v1")
    if kind == "chat":
        return openai_models.OpenAIChatModel("gpt-any", provider=provider), {}
    settings = {"openai_reasoning_effort": "low", "openai_reasoning_summary": "auto"}
    return openai_models.OpenAIResponsesModel("gpt-5-any", provider=provider), settings


def agent(kind: str, url: str) -> Any:  # noqa: ANN401
    chosen, settings = model(kind, url)
    words = {"system_prompt": "Be brief.", "instructions": "Answer in English."}
    return ai.Agent(chosen, model_settings=settings, tools=[read, look], retries=3, **words)


def read(path: str) -> str:
    if path == "missing":
        msg = "there is no such file"
        raise ai.ModelRetry(msg)
    return file_text(path)


def look(path: str) -> Any:  # noqa: ANN401
    return ai.ToolReturn(return_value=path, content=["Here:", IMAGE], metadata={"raw": "z" * 300})


def recorded(kind: str, url: str) -> list[Any]:
    """A run with an image, calls at once, a retry, a picture from a tool, and an answer."""
    run = agent(kind, url).run(["What do you see?", IMAGE])
    history: list[Any] = asyncio.run(run).all_messages()
    return history


def written(history: list[Any]) -> Json:
    return json.loads(ADAPTER.dump_json(history))


@pytest.mark.parametrize("length", [5, 8], ids="{} messages".format)
@pytest.mark.parametrize("kind", MODELS)
def test_a_run_is_read_shortened_and_gone_on_with(kind: str, length: int) -> None:
    """A1, B3, B4. Would catch: a history that the provider behind the framework refuses."""
    with FakeProvider(script("look")) as provider:
        history = recorded(kind, provider.base_url)
        assert len(history) == 8
        provider.replies = lambda _: Reply("ok")

        def resume(document: Json) -> None:
            given = ADAPTER.validate_python(document)
            asked = "And now?" if given[-1].kind == "response" else None
            asyncio.run(agent(kind, provider.base_url).run(asked, message_history=given))

        # A fixed budget of thinking wants that of the current loop.
        in_loop = kind == "anthropic" and length < len(history)
        check_recording(
            written(history[:length]),
            "pydantic-ai",
            validate=ADAPTER.validate_python,
            resume=resume,
            reasoning="keep" if in_loop else None,
        )
    assert provider.refused == []


def test_thoughts_hosted_tools_and_files_of_a_model_are_read() -> None:
    """B1. Would catch: a part of a newer version that a compaction loses."""
    native = {"tool_name": "web_search", "tool_call_id": "n1", "provider_name": "anthropic"}
    searched = messages.NativeToolReturnPart(content={"found": "it " * 90}, **native)
    looked_up = [messages.NativeToolCallPart(args={"query": "x"}, **native), searched]
    signed = {"id": "t1", "signature": "sig", "provider_name": "anthropic"}
    replies = [
        [
            messages.ThinkingPart("I weigh it. " * 9, **signed),
            *looked_up,
            messages.FilePart(IMAGE),
            messages.ToolCallPart("read", {"path": "a"}, "c1"),
        ],
        [messages.ThinkingPart("Plain. " * 9), messages.ToolCallPart("read", '{"path": "b"}')],
        [messages.TextPart("It is fine. " * 9)],
    ]

    def answer(history: list[Any], _: object) -> Any:  # noqa: ANN401
        number = sum(each.kind == "response" for each in history)
        return messages.ModelResponse(parts=replies[min(number, len(replies) - 1)])

    made = ai.Agent(function.FunctionModel(answer), tools=[read])
    asked = ["What is there?", ai.ImageUrl("https://example.com/a.png")]
    history = asyncio.run(made.run(asked)).all_messages()

    def resume(document: Json) -> None:
        given = ADAPTER.validate_python(document)
        asyncio.run(made.run("And now?", message_history=given))

    check_recording(
        written(history), "pydantic-ai", validate=ADAPTER.validate_python, resume=resume
    )


def test_calls_that_wait_for_an_approval_wait_still() -> None:
    """A10. Would catch: a deferred call that was closed, so that its approval finds nothing."""
    calls = [("remove", "c1"), ("remove", "c2"), ("read", "c3")]
    parts = [messages.ToolCallPart(name, {"path": call_id}, call_id) for name, call_id in calls]

    def answer(history: list[Any], _: object) -> Any:  # noqa: ANN401
        called = any(call.part_kind == "tool-call" for each in history for call in each.parts)
        return messages.ModelResponse(parts=[messages.TextPart("ok")] if called else parts)

    def remove(path: str) -> str:
        return path

    tools = [read, ai.Tool(remove, requires_approval=True)]
    made = ai.Agent(
        function.FunctionModel(answer), tools=tools, output_type=[str, ai.DeferredToolRequests]
    )
    before = [
        messages.ModelRequest(parts=[messages.UserPromptPart("long " * 200)]),
        messages.ModelResponse(parts=[messages.TextPart("long " * 200)]),
    ]
    run = made.run("Remove both.", message_history=before)
    history = written(asyncio.run(run).all_messages())
    assert {fault.rule for fault in check(history)} == {"unanswered_call"}
    assert check(history, pending_ok=True) == ()
    approvals = {"c1": True, "c2": ai.ToolDenied("no")}
    results = ai.DeferredToolResults(approvals=approvals)
    session = parse(history)
    status = [turn.metadata.get("turnfold.status") for turn in session.transcript]
    assert status == [None, None, None, "pending", None]
    resumed = made.run(
        message_history=ADAPTER.validate_python(history[2:]), deferred_tool_results=results
    )
    after = written(asyncio.run(resumed).all_messages())
    assert check(after) == ()
    outcomes = [turn.metadata.get("turnfold.status") for turn in parse(after).transcript]
    assert outcomes.count("error") == 1


@pytest.mark.parametrize("kind", MODELS)
def test_the_spans_of_a_run_are_read(kind: str) -> None:
    """R1. Would catch: telemetry of the framework that OpenTelemetry's format does not know."""
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    kept = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    instrumented = pytest.importorskip("pydantic_ai.models.instrumented")
    exporter = kept.InMemorySpanExporter()
    tracers = trace.TracerProvider()
    tracers.add_span_processor(export.SimpleSpanProcessor(exporter))
    with FakeProvider(script("look")) as provider:
        made = agent(kind, provider.base_url)
        made.instrument = instrumented.InstrumentationSettings(tracer_provider=tracers)
        asyncio.run(made.run(["What do you see?", IMAGE]))
    spans = [json.loads(each.to_json()) for each in exporter.get_finished_spans()]
    told = [span for span in spans if "gen_ai.input.messages" in span["attributes"]]
    whole = [span for span in spans if "pydantic_ai.all_messages" in span["attributes"]]
    assert (len(told), len(whole)) == (4, 1)
    for span in (told[-1], whole[0]):
        check_recording(span, "otel-genai", validate=bool, resume=bool)
    asked, run = parse(told[-1], scope="full"), parse(whole[0])
    assert asked.transcript.turns[-1].content == run.transcript.turns[-1].content
