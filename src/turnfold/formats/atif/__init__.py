"""ATIF, the Agent Trajectory Interchange Format: a trajectory of steps."""

from turnfold.formats.atif._format import LINES, NAME, check, matches, parse, render

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
