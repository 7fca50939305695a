"""A summary, or a compacted session, held against its transcript."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from turnfold import formats
from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold.audit import (
    AuditMemory,
    AuditReport,
    Finding,
    NotAuditable,
    audit,
    audit_safely,
)
from turnfold.cli._audit_inputs import (
    Asked,
    is_record_file,
    is_text_file,
    lines_of,
    read_text,
    text_instead,
    transcript_of_text,
)
from turnfold.cli._errors import CommandError, place_of
from turnfold.cli._files import Source
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import ledger_beside, parse, warn_of_damage
from turnfold.cli._show import Screen, clean
from turnfold.cli._values import NO_PINS, Scope
from turnfold.errors import UnreadableTranscript
from turnfold.facts import redact
from turnfold.formats import Session
from turnfold.formats._marks import is_marked_summary
from turnfold.ledger import Fate, Ledger
from turnfold.reports import Audited
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView, CompactionReport

_OPENERS: Final = (b"{", b"[", b"\xef\xbb\xbf{", b"\xef\xbb\xbf[")


def run(
    original: Transcript,
    result: CompactedView | str,
    asked: Asked,
    *,
    staying: Collection[str] = (),
    memory: AuditMemory | None = None,
) -> AuditReport:
    """Audit, and name a check that fails; nothing in the report looks like a credential.

    Args:
        original: The turns before.
        result: The view or the summary.
        asked: The options.
        staying: The ids of the turns that stay beside a bare summary.
        memory: What earlier audits of the session read of its turns.

    Raises:
        NotAuditable: The view is of another session.
    """
    report = audit_safely(original, result, asked.config, staying=staying, memory=memory)
    if any(each.check == "evidence" for each in report.errors):
        report = audit(original, result, asked.config, staying=staying)
    return without_secrets(replace(report, notes=(*asked.notes, *report.notes)), memory)


def without_secrets(report: AuditReport, memory: AuditMemory | None = None) -> AuditReport:
    """Return a report that shows nothing that looks like a credential."""
    memory = memory or AuditMemory()
    findings = tuple(_redacted(finding, memory) for finding in report.findings)
    return replace(report, findings=findings, notes=tuple(map(redact, report.notes)))


def _redacted(finding: Finding, memory: AuditMemory) -> Finding:
    nearest = memory.of(redact, finding.nearest) if finding.nearest else finding.nearest
    return replace(finding, literal=memory.of(redact, finding.literal), nearest=nearest)


def audit_pair(
    transcript: Source, summary: Source, asked: Asked, *, screen: Screen, activity: Activity
) -> Audited:
    """Hold a summary, or a compacted session, against its transcript.

    Raises:
        CommandError: A file cannot be read, or there is nothing to audit in it.
        UnreadableTranscript: The transcript is neither a session nor a text.
        NotAuditable: The compacted session is of another transcript.
    """
    given = _read_summary(summary, screen)
    ledger = given.ledger if isinstance(given, Session) else None
    original = _read_original(transcript, ledger, asked, screen=screen, activity=activity)
    activity.step("Auditing")
    if isinstance(given, str):
        report = run(original, given, asked)
        return Audited(report, summary.path, {None: given})
    try:
        return _audit_compacted(original, given, summary, asked)
    except NotAuditable as error:
        raise place_of(error, summary.name) from error


def _read_summary(source: Source, screen: Screen) -> str | Session:
    content = source.read()
    if not is_text_file(source) and content.lstrip().startswith(_OPENERS):
        ledger = ledger_beside(source, screen)
        try:
            session = formats.parse(content, pins=NO_PINS, ledger=ledger)
            if ledger is not None and session.ledger is None:
                whole = formats.parse(content, scope="full", pins=NO_PINS, ledger=ledger)
                session = session if whole.ledger is None else whole
        except UnreadableTranscript as error:
            if is_record_file(source):
                raise place_of(error, source.name) from error
        else:
            warn_of_damage(session.damage, source, screen)
            return session
    return read_text(source, "summary")


def _read_original(
    source: Source, ledger: Ledger | None, asked: Asked, *, screen: Screen, activity: Activity
) -> Transcript:
    """Read a transcript in the scope that the ledger was made in, else with all its history."""
    if asked.format is None and is_text_file(source):
        return transcript_of_text(read_text(source, "transcript"))
    own = ledger_beside(source, screen)
    try:
        for scope in _scopes(asked.scope, ledger):
            session = parse(source, asked.reading(scope), own, activity)
            if ledger and _begins_with(session, ledger.leaf_ids):
                break
    except UnreadableTranscript as error:
        if asked.format is not None:
            raise
        return text_instead(source, error, screen)
    warn_of_damage(session.damage, source, screen)
    return _up_to(session.transcript, ledger) if ledger else session.transcript


def _scopes(asked: Scope | None, ledger: Ledger | None) -> tuple[Scope, ...]:
    if asked is None and ledger is not None:
        return (Scope.LIVE, Scope.FULL)
    return (asked or Scope.FULL,)


def _begins_with(session: Session, turn_ids: Sequence[str]) -> bool:
    return session.transcript.turn_ids()[: len(turn_ids)] == tuple(turn_ids)


def _up_to(transcript: Transcript, ledger: Ledger) -> Transcript:
    """Leave out what came after the compaction: a summary cannot have known it."""
    leaves = set(ledger.leaf_ids)
    ends = [place for place, turn_id in enumerate(transcript.turn_ids(), 1) if turn_id in leaves]
    return Transcript(transcript.turns[: ends[-1]]) if ends else transcript


def _audit_compacted(
    original: Transcript, session: Session, source: Source, asked: Asked
) -> Audited:
    summaries = Transcript(turn for turn in session.transcript if is_summary(turn))
    if session.ledger is not None:
        view = view_of(session, session.ledger)
        texts: dict[str | None, str] = {turn.turn_id: turn.content for turn in summaries}
        return Audited(run(original, view, asked), source.path, texts, lines_of(summaries))
    if not len(summaries):
        message = (
            f"{clean(source.name)} is a session without a summary and without a ledger beside it; "
            "name the file that turnfold wrote, or a text"
        )
        raise CommandError(message, {"file": source.name}, "no_summary")
    text = "\n".join(map(_unmarked, summaries))
    report = run(original, text, asked, staying=_also_in(original, session.transcript))
    first = next(iter(lines_of(summaries).values()), None)
    return Audited(report, source.path, {None: text}, {None: first or 1})


def view_of(session: Session, ledger: Ledger) -> CompactedView:
    """Return the view that a compacted session holds, without what came to it since."""
    turns = Transcript(session.transcript.turns[: len(ledger.view_turn_ids())])
    by_fate: dict[Fate, list[str]] = {fate: [] for fate in Fate}
    for entry in ledger.entries():
        by_fate[entry.fate].append(entry.turn_id)
    report = CompactionReport(
        plan_hash="",
        policy_name="",
        policy_version="",
        tokens_before=0,
        tokens_after_estimate=0,
        tokens_after=turns.token_estimate(),
        budget_unmet=False,
        estimator_ratio=None,
        turns_before=len(ledger.leaf_ids),
        turns_after=len(turns),
        kept_turn_ids=tuple(by_fate[Fate.KEPT]),
        masked_turn_ids=tuple(by_fate[Fate.MASKED]),
        summarized_turn_ids=tuple(by_fate[Fate.SUMMARIZED]),
        dropped_turn_ids=tuple(by_fate[Fate.DROPPED]),
        appended_turn_ids=(),
        unseen_turn_ids=(),
        summary_turn_ids=tuple(name for name, _ in ledger.groups),
    )
    return CompactedView(turns, report, ledger)


def is_summary(turn: TranscriptTurn) -> bool:
    """Whether a turn is a summary."""
    return turn.metadata.get(KIND) == KIND_SUMMARY


def _unmarked(turn: TranscriptTurn) -> str:
    """Return a summary without the lines that turnfold puts around it."""
    if is_marked_summary(turn.content):
        return turn.content.partition("\n")[2].rpartition("\n")[0]
    return turn.content


def _also_in(original: Transcript, later: Transcript) -> tuple[str, ...]:
    """Return the original turns that stand verbatim in a later session, whatever their ids."""
    there = Counter((turn.role, turn.content) for turn in later)
    staying = []
    for turn in original:
        if there[turn.role, turn.content] > 0:
            there[turn.role, turn.content] -= 1
            staying.append(turn.turn_id)
    return tuple(staying)
