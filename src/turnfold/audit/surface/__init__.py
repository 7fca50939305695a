"""The surface profile: whole lines held against a summary, as `compact-audit` 0.1.0 does it.

A line with a trigger is an item; it is kept where its words stand in the summary, one after
another. Time is linear in the source and the summary.

Example:
    >>> source = read_source(b"We decided to use SQLite. TODO: docs", jsonl=False)
    >>> report = audit_surface(source, "We decided to use Postgres.")
    >>> report.verdict.value, [item.category for item in report.dropped]
    ('FAIL', ['decision', 'todo'])
"""

from turnfold.audit.surface._compare import audit_surface
from turnfold.audit.surface._report import SurfaceItem, SurfaceReport, SurfaceTotal
from turnfold.audit.surface._source import SurfaceParseError, SurfaceSource, read_source

__all__ = [
    "SurfaceItem",
    "SurfaceParseError",
    "SurfaceReport",
    "SurfaceSource",
    "SurfaceTotal",
    "audit_surface",
    "read_source",
]
