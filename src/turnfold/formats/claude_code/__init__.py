"""Claude Code sessions: JSON Lines, append-only, one content block a record (contract section 8).

What is a message is said in `_records`, what is live in `_scope`, how records become turns in
`_turns` and `_blocks`; how a compacted session is written in `_render`, `_order` and `_envelope`.
"""

from typing import Final

from turnfold.formats.claude_code._check import check
from turnfold.formats.claude_code._parse import matches, parse
from turnfold.formats.claude_code._render import NAME, render

LINES: Final = True

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
