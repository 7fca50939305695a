"""Events reach logs and traces, and hold no content of a turn."""

import logging

import pytest

from turnfold.integrations import Event, add_span_event, log_event
from turnfold.integrations.events import attributes_of

COMPACTED = Event(
    "context.compacted",
    {
        "schema": "turnfold.report/1",
        "tokens_before": 900,
        "tokens_after": 300,
        "budget_unmet": False,
        "estimator_ratio": None,
        "dropped_turn_ids": ["a", "b"],
        "details": {"nested": 1},
    },
    "thread-1",
)


def test_attributes_are_single_values_and_the_lengths_of_lists() -> None:
    """Would catch: ids of a thousand turns on a span, a None that an exporter refuses."""
    assert attributes_of(COMPACTED) == {
        "gen_ai.conversation.id": "thread-1",
        "turnfold.schema": "turnfold.report/1",
        "turnfold.tokens_before": 900,
        "turnfold.tokens_after": 300,
        "turnfold.budget_unmet": False,
        "turnfold.dropped_turn_ids.count": 2,
    }


def test_a_span_gets_the_event() -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    exported = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    exporter = exported.InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    add_span_event(COMPACTED)  # No span is current: nothing happens.
    with provider.get_tracer("t").start_as_current_span("chat"):
        add_span_event(COMPACTED)
    (span,) = exporter.get_finished_spans()
    (event,) = span.events
    assert event.name == "context.compacted"
    assert dict(event.attributes) == attributes_of(COMPACTED)


@pytest.mark.parametrize(
    ("event", "level"),
    [
        (COMPACTED, logging.INFO),
        (Event("audit.signals", {"verdict": "PASS"}), logging.INFO),
        (Event("audit.signals", {"verdict": "FAIL"}), logging.WARNING),
        (Event("context.compaction_failed", {"code": "x", "message": "y"}), logging.WARNING),
    ],
)
def test_a_log_record_holds_the_whole_event(
    event: Event, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Would catch: a failure that is logged like a success."""
    with caplog.at_level(logging.INFO, "turnfold"):
        log_event(event)
    (record,) = caplog.records
    assert record.levelno == level
    assert record.name == "turnfold"
    assert record.getMessage().startswith(event.name)
    assert record.__dict__["turnfold"] == {
        "name": event.name,
        "conversation": event.conversation,
        **event.body,
    }
