"""ShareGPT: `conversations` of `from` and `value`, as data sets for training hold them."""

from turnfold.formats.sharegpt._format import (
    ALTERNATES,
    LINES,
    NAME,
    SEVERAL,
    check,
    matches,
    matches_lines,
    parse,
    render,
)

__all__ = [
    "ALTERNATES",
    "LINES",
    "NAME",
    "SEVERAL",
    "check",
    "matches",
    "matches_lines",
    "parse",
    "render",
]
