"""Gemini CLI sessions: messages of a user and of the model, with the results of its calls.

A model's message holds its calls and their results together, so that a batch is never split. How
messages become turns stands in `_parse`, how a compacted session is written in `_render`.
"""

from turnfold.formats.gemini_cli._parse import LINES, NAME, matches, matches_lines, parse
from turnfold.formats.gemini_cli._render import check, render

__all__ = ["LINES", "NAME", "check", "matches", "matches_lines", "parse", "render"]
