"""OpenHands: the events of its SDK, and the `history` of its output files."""

from turnfold.formats.openhands._names import LINES, NAME, SEVERAL
from turnfold.formats.openhands._parse import matches, matches_lines, parse
from turnfold.formats.openhands._render import check, render

__all__ = ["LINES", "NAME", "SEVERAL", "check", "matches", "matches_lines", "parse", "render"]
