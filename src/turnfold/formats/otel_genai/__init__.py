"""OpenTelemetry GenAI: `gen_ai.input.messages`, alone or as an attribute of a span or an event."""

from turnfold.formats.otel_genai._format import LINES, NAME, check, matches, parse, render

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
