"""Spans and events that the instrumentations of OpenTelemetry wrote of real clients."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.formats.recorded.laws import PIXEL, check_recording, file_text, script
from turnfold.formats import parse
from turnfold.testing.provider import FakeProvider

anthropic = pytest.importorskip("anthropic")
anthropic_genai = pytest.importorskip("opentelemetry.instrumentation.genai.anthropic")
logs = pytest.importorskip("opentelemetry.sdk._logs")
logs_export = pytest.importorskip("opentelemetry.sdk._logs.export")
openai = pytest.importorskip("openai")
openai_genai = pytest.importorskip("opentelemetry.instrumentation.genai.openai")
spans_export = pytest.importorskip("opentelemetry.sdk.trace.export")
spans_kept = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
trace = pytest.importorskip("opentelemetry.sdk.trace")

CAPTURED = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_AND_EVENT",
    "OTEL_INSTRUMENTATION_GENAI_EMIT_EVENT": "true",
}
NAMES = ("read", "look")
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


def chat(url: str) -> None:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
    tools = [{"type": "function", "function": {"name": n, "parameters": SCHEMA}} for n in NAMES]
    image = {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{PIXEL}"}}
    asked = [{"type": "text", "text": "What do you see?"}, image]
    history: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": asked},
    ]
    for _ in range(4):
        answer = client.chat.completions.create(model="any", messages=history, tools=tools)
        message = answer.choices[0].message
        history.append(message.model_dump(exclude_none=True))
        history += [
            {"role": "tool", "tool_call_id": call.id, "content": file_text("a")}
            for call in message.tool_calls or ()
        ]


def responses(url: str) -> None:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
    tools = [{"type": "function", "name": name, "parameters": SCHEMA} for name in NAMES]
    options = {"reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"]}
    items: list[Any] = [{"role": "user", "content": "What do you see?"}]
    for _ in range(4):
        answer = client.responses.create(
            model="any", instructions="Be brief.", input=items, tools=tools, store=False, **options
        )
        items += [each.model_dump(exclude_none=True) for each in answer.output]
        items += [
            {"type": "function_call_output", "call_id": each.call_id, "output": file_text("a")}
            for each in answer.output
            if each.type == "function_call"
        ]


def messages(url: str) -> None:
    client = anthropic.Anthropic(base_url=url, api_key="any", max_retries=0)
    tools = [{"name": name, "input_schema": SCHEMA} for name in NAMES]
    options = {"system": "Be brief.", "max_tokens": 4_000, "tools": tools}
    options |= {"thinking": {"type": "enabled", "budget_tokens": 2_000}}
    source = {"type": "base64", "media_type": "image/gif", "data": PIXEL}
    asked = [{"type": "text", "text": "What do you see?"}, {"type": "image", "source": source}]
    history: list[Any] = [{"role": "user", "content": asked}]
    for _ in range(4):
        answer = client.messages.create(model="any", messages=history, **options)
        blocks = [each.model_dump(exclude_none=True) for each in answer.content]
        results = [
            {"type": "tool_result", "tool_use_id": each["id"], "content": file_text("a")}
            for each in blocks
            if each["type"] == "tool_use"
        ]
        history.append({"role": "assistant", "content": blocks})
        history += [{"role": "user", "content": results}] if results else []


@pytest.mark.parametrize(
    ("instrumentor", "converse"),
    [
        (openai_genai.OpenAIInstrumentor, chat),
        (openai_genai.OpenAIInstrumentor, responses),
        (anthropic_genai.AnthropicInstrumentor, messages),
    ],
    ids=["chat", "responses", "messages"],
)
def test_the_last_span_and_event_of_a_conversation_are_read(
    instrumentor: Any,  # noqa: ANN401
    converse: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R1, R2. Would catch: what was really recorded, in a shape that was only made up here."""
    for name, value in CAPTURED.items():
        monkeypatch.setenv(name, value)
    spans, events = spans_kept.InMemorySpanExporter(), logs_export.InMemoryLogRecordExporter()
    tracers, loggers = trace.TracerProvider(), logs.LoggerProvider()
    tracers.add_span_processor(spans_export.SimpleSpanProcessor(spans))
    loggers.add_log_record_processor(logs_export.SimpleLogRecordProcessor(events))
    made = instrumentor()
    made.instrument(tracer_provider=tracers, logger_provider=loggers)
    try:
        with FakeProvider(script("look")) as provider:
            converse(provider.base_url)
    finally:
        made.uninstrument()
    span = json.loads(spans.get_finished_spans()[-1].to_json())
    event = json.loads(events.get_finished_logs()[-1].to_json())
    for document in (span, event, span["attributes"]):
        check_recording(document, "otel-genai", validate=bool, resume=bool)
    for document in (span, event):
        session = parse(document, scope="full")
        turns = session.transcript.turns
        assert turns[0].content == "Be brief."
        assert [turn.role.value for turn in turns].count("tool") == 4
        assert turns[-1].content == "It is fine. " * 5
        assert session.usage is not None
