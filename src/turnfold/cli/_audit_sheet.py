"""What a person reads of an audit: the verdict, the findings worst first, the notes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from turnfold.audit import AuditReport, Finding, Place, Severity, Verdict
from turnfold.audit._finding import LONGEST_LITERAL
from turnfold.cli import _show
from turnfold.cli._show import clean, count
from turnfold.facts import SECRET, redact, secrets
from turnfold.reports import Audited
from turnfold.reports._audited import spot_of

_SHOWN: Final = 50
_AROUND: Final = 160
_ID_WIDTH: Final = 40
_HIDDEN: Final = "\ue000"
_RUN: Final = re.compile(f"{_HIDDEN}+")
_ENDS: Final = re.compile(r"[.!?](?=\s)|[\n。！？]")  # noqa: RUF001  Chinese ends of sentences.
_VERDICTS: Final[Mapping[str, str]] = {
    Verdict.PASS: "green",
    Verdict.WARN: "yellow",
    Verdict.FAIL: "red",
}
_SEVERITIES: Final = {Severity.HIGH: "bold red", Severity.MEDIUM: "yellow", Severity.INFO: "dim"}


def verdict_line(record: Mapping[str, Any]) -> Text:
    """Return the verdict with how much was found and how much of the facts is left.

    Args:
        record: What `AuditReport.to_dict` gave.
    """
    line = Text(record["verdict"], style=f"bold {_VERDICTS[record['verdict']]}")
    counts = record["counts"].values()
    found = ", ".join(
        f"{sum(each[severity] for each in counts):,} {severity}" for severity in Severity
    )
    line.append(f": findings {found}", style="not bold default")
    if record["coverage"]["classes"]:
        line.append(f"; coverage {percent(record['coverage']['share'])}", style="not bold default")
    if record["errors"]:
        failed = count(len(record["errors"]), "check")
        line.append(f"; {failed} failed", style="not bold red")
    return line


def percent(share: float) -> str:
    """Return a share in per cent, never rounded up to the whole."""
    return f"{int(share * 100)} %"


def sheet(audited: Audited, *, heading: str = "") -> Iterator[RenderableType]:
    """Yield what a person reads of one audit."""
    report = audited.report
    if heading:
        yield _show.heading(heading)
    yield verdict_line(report.to_dict())
    yield _show.facts(_facts(report))
    if report.findings:
        yield Text()
        yield _show.heading("Findings")
    quotes = _Quotes(audited)
    for finding in report.findings[:_SHOWN]:
        rows = _rows(finding, audited, quotes)
        leaves = _leaves(finding)
        if rows and leaves:
            rows.append(("original", leaves))
        yield _title(finding, "" if rows else leaves)
        if rows:
            yield _show.facts([(f"      {name}", value) for name, value in rows])
    if len(report.findings) > _SHOWN:
        rest = len(report.findings) - _SHOWN
        yield Text(f"  and {rest:,} more; --json lists all", style="dim italic")
    yield from _remarks(report)


def _facts(report: AuditReport) -> list[tuple[str, str | Text]]:
    checked = ", ".join(f"{name} {number:,}" for name, number in report.checked)
    rows: list[tuple[str, str | Text]] = [("checked", checked or "nothing")]
    if report.coverage:
        shares = (
            f"{each.kind} {percent(each.share)}" + (f" ({each.lost:,} lost)" if each.lost else "")
            for each in report.coverage
        )
        rows.append(("coverage", ", ".join(shares)))
    return rows


def _title(finding: Finding, leaves: str) -> Text:
    title = Text(f"  {finding.severity.value:<8}", style=_SEVERITIES[finding.severity])
    said = f"{finding.axis.value}/{finding.status.value}  {finding.kind}  {_literal(finding)}"
    title.append(said, style="not bold not dim default")
    return title.append(f"  in {leaves}" if leaves else "", style="dim not bold default")


def _leaves(finding: Finding) -> str:
    return ", ".join(_show.short(each, _ID_WIDTH) for each in finding.leaf_turn_ids)


def _literal(finding: Finding) -> str:
    return _cut(clean(redact(finding.literal)))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LITERAL else f"{text[: LONGEST_LITERAL - 1]}…"


def _rows(finding: Finding, audited: Audited, quotes: "_Quotes") -> list[tuple[str, str | Text]]:
    rows: list[tuple[str, str | Text]] = []
    if finding.nearest:
        rows.append(("nearest", _cut(clean(redact(finding.nearest)))))
    if finding.rule:
        rows.append(("rule", clean(finding.rule)))
    if finding.place is not None and (quote := quotes.around(finding.place)):
        spot = spot_of(audited, finding)
        rows.append((f"line {spot.line}" if spot else "summary", quote))
    return rows


class _Quotes:
    """Sentences of the texts under audit, without credentials."""

    def __init__(self, audited: Audited) -> None:
        self._texts = {turn_id: _hidden(text) for turn_id, text in audited.texts.items()}

    def around(self, place: Place) -> Text | None:
        """Return the sentence around a place, the place itself in bold."""
        text = self._texts.get(place.turn_id)
        if text is None or not 0 <= place.start <= place.end <= len(text):
            return None
        begin = max(0, place.start - _AROUND)
        before, after = text[begin : place.start], text[place.end : place.end + _AROUND]
        cut_before, cut_after = begin > 0, place.end + _AROUND < len(text)
        for found in _ENDS.finditer(before):
            begin, cut_before = place.start - len(before) + found.end(), False
        if found_end := _ENDS.search(after):
            after, cut_after = after[: found_end.end()], False
        shown = Text("…" if cut_before else "")
        shown.append(_open(text[begin : place.start]).lstrip())
        shown.append(_cut(_open(text[place.start : place.end])), style="bold")
        return shown.append(_open(after).rstrip() + ("…" if cut_after else ""))


def _hidden(text: str) -> str:
    """Blank credentials; what is left stands where it stood."""
    for secret in secrets(text):
        text = text.replace(secret, _HIDDEN * len(secret))
    return text


def _open(text: str) -> str:
    """Return a part of a blanked text as it is shown."""
    return clean(_RUN.sub(SECRET, text))


def _remarks(report: AuditReport) -> Iterator[RenderableType]:
    remarks = [
        (each.check, Text(f"failed: {clean(each.message)}", style="red")) for each in report.errors
    ]
    remarks += [("note", Text(clean(redact(note)))) for note in report.notes]
    if remarks:
        yield Text()
        yield _show.facts(remarks)
