"""The surface profile on the command line: whole lines, as `compact-audit` compares them."""

from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from turnfold.cli import _show
from turnfold.cli._files import Source
from turnfold.cli._show import Column, Screen, clean, count

if TYPE_CHECKING:
    from turnfold.audit.surface import SurfaceReport

_CATEGORIES = (Column("category"), Column("kept", "right"), Column("dropped", "right"))
_DROPPED = (Column("severity"), Column("category"), Column("text", shrinks=True))


def audit_surfaces(
    transcript: Source, summary: Source, threshold: Literal["high", "medium"], screen: Screen
) -> "SurfaceReport":
    """Hold the lines of a transcript against a summary, and say what was dropped.

    Raises:
        CommandError: A file cannot be read.
    """
    from turnfold.audit import surface  # noqa: PLC0415  Loaded where it is asked for.

    is_jsonl = PurePath(transcript.path).suffix.lower() == ".jsonl"
    source = surface.read_source(transcript.read(), jsonl=is_jsonl)
    text = summary.read().decode("utf-8-sig", "replace")
    report = surface.audit_surface(source, text, min_severity=threshold)
    screen.give(report.to_dict())
    if screen.talks:
        _say(report, screen)
    return report


def _say(report: "SurfaceReport", screen: Screen) -> None:
    """Print all of it: the profile promises the same for people as in JSON."""
    style = {0: "bold green", 1: "bold yellow"}.get(report.exit_code, "bold red")
    line = Text(report.verdict.value, style=style)
    said = (
        f": {count(report.kept + len(report.dropped), 'item')}, {report.kept:,} kept, "
        f"{len(report.dropped):,} dropped; fails from {report.min_severity} on"
    )
    rows = [[each.category, f"{each.kept:,}", f"{each.dropped:,}"] for each in report.totals]
    screen.say(line.append(said, style="not bold default"))
    screen.say("", _show.table("Items", _CATEGORIES, rows))
    if report.dropped:
        dropped = [[each.severity, each.category, clean(each.text)] for each in report.dropped]
        screen.say("", _show.table("Dropped", _DROPPED, dropped))
    if report.parse_errors:
        errors = [(f"line {each.line}", clean(each.reason)) for each in report.parse_errors]
        screen.say("", _show.heading("Lines that could not be read"), _show.facts(errors))
    if report.truncated:
        screen.say("", Text("There were more items; they were not examined.", style="yellow"))
    screen.say("", Text(clean(report.limitation), style="dim"))
