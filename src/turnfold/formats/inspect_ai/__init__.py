"""Inspect AI: a sample of an evaluation, or an evaluation log in JSON with its samples."""

from turnfold.formats.inspect_ai._format import LINES, NAME, SEVERAL, check, matches, parse, render

__all__ = ["LINES", "NAME", "SEVERAL", "check", "matches", "parse", "render"]
