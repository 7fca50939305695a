"""pi sessions: JSON Lines, append-only, a list of records or a tree of them (contract section 8).

What a record is stands in `_records`, what is live in `_scope`, how messages become turns in
`_turns`; how a compacted session is written in `_render` and `_write`.
"""

from turnfold.formats.pi._parse import LINES, NAME, matches, parse
from turnfold.formats.pi._render import check, render

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
