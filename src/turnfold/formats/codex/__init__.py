"""Codex CLI rollouts: JSON Lines of Responses items, events and compactions (contract section 8).

What is a record is said in `_records`, what is live in `_scope`; the turns are made in
`_responses_read`; a compacted session is written in `_render` and `_side`.
"""

from turnfold.formats.codex._check import check
from turnfold.formats.codex._parse import LINES, matches, parse
from turnfold.formats.codex._render import NAME, render

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
