"""Pydantic AI: the message history of `ModelMessagesTypeAdapter`."""

from turnfold.formats.pydantic_ai._format import LINES, NAME, check, matches, parse, render

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
