"""Plain text and Markdown: a turn for each speaker's mark, or for each paragraph without marks."""

from turnfold.formats.plain_text._format import (
    LINES,
    NAME,
    check,
    matches,
    matches_text,
    parse,
    render,
)

__all__ = ["LINES", "NAME", "check", "matches", "matches_text", "parse", "render"]
