"""Holding the items of a transcript against a summary."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

from turnfold.audit.surface._items import (
    Item,
    basename_of,
    first_items,
    key_of,
    key_of_line,
    without_digits,
)
from turnfold.audit.surface._report import SEVERITIES, SurfaceItem, SurfaceReport, SurfaceTotal
from turnfold.audit.surface._source import SurfaceSource
from turnfold.errors import InvalidConfiguration
from turnfold.facts import SECRET, redact

_LONGEST_TEXT: Final = 500


def audit_surface(
    source: SurfaceSource,
    summary: str,
    *,
    min_severity: Literal["high", "medium"] = "high",
) -> SurfaceReport:
    """Hold the first 500 items of a transcript's lines against a summary.

    Args:
        source: What `read_source` gave.
        summary: The whole text.
        min_severity: From which severity on a dropped item fails the audit.

    Raises:
        InvalidConfiguration: The threshold is neither `high` nor `medium`.
    """
    if min_severity not in ("high", "medium"):
        msg = f"min_severity must be 'high' or 'medium'; got {min_severity!r:.80}"
        raise InvalidConfiguration(msg, {"min_severity": repr(min_severity)[:80]})
    items, truncated = first_items(source.lines)
    words, undigited = key_of(summary), key_of(without_digits(summary))
    dropped = [item for item in items if not item.stands_in(undigited if item.is_error else words)]
    found = Counter(item.category for item in items)
    lost = Counter(item.category for item in dropped)
    return SurfaceReport(
        tuple(SurfaceTotal(name, found[name] - lost[name], lost[name]) for name in SEVERITIES),
        tuple(_shown(dropped)),
        source.parse_errors,
        truncated,
        min_severity,
    )


def _shown(items: list[Item]) -> Iterator[SurfaceItem]:
    """Yield the items as they are reported; a line is read for credentials once, and uncut."""
    line, clean = "", ""
    for item in items:
        if item.line is not line:
            line, clean = item.line, redact(item.line)
        path, key = item.path, item.key
        if clean != line:
            path = path if path in clean else SECRET
            key = key_of(path) if path else key_of_line(item.category, clean)
        text, base = clean[:_LONGEST_TEXT], key_of(basename_of(path))
        yield SurfaceItem(item.category, key, text, SEVERITIES[item.category], base)
