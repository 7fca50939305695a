"""The compactions inside a session, each held against what stood before it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from turnfold import formats
from turnfold.audit import AuditMemory
from turnfold.cli._audit_inputs import Asked, line_of
from turnfold.cli._audit_runs import is_summary, run
from turnfold.cli._errors import CommandError
from turnfold.cli._files import Source
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import ledger_beside, parse, warn_of_damage
from turnfold.cli._show import Screen, clean
from turnfold.cli._values import NO_PINS, Reading, Scope
from turnfold.errors import TurnfoldError
from turnfold.formats._marks import is_marked_summary
from turnfold.reports import Audited
from turnfold.transcript import Transcript, TranscriptTurn

NO_COMPACTION: Final = "no_compaction"


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction inside a session, audited.

    Args:
        number: Which one it is, from 1.
        of: How many there are.
        turn_id: The turn that is its summary.
        line: The line of the file that it stands on, where it has one.
        original_turns: How many turns it was held against.
        staying_turns: How many of them the model still saw beside it.
        audited: The audit.
    """

    number: int
    of: int
    turn_id: str
    line: int | None
    original_turns: int
    staying_turns: int
    audited: Audited


def audit_session(
    source: Source, asked: Asked, screen: Screen, activity: Activity
) -> Iterator[Compaction]:
    """Audit every compaction inside a session, in order.

    Raises:
        CommandError: The file cannot be read, or there is no compaction whose turns are in it.
        UnreadableTranscript: It holds no session.
    """
    reading = asked.reading(Scope.FULL)
    session = parse(source, reading, ledger_beside(source, screen), activity)
    warn_of_damage(session.damage, source, screen)
    turns = session.transcript.turns
    first = next((place for place, turn in enumerate(turns) if not is_summary(turn)), len(turns))
    inner = {place for place, turn in enumerate(turns) if place > first and _is_inner(turn)}
    if not inner:
        raise _nothing_inside(source, has_summary=any(map(is_summary, turns)))
    lines = list(source.lines())
    memory = AuditMemory()
    for number, place in enumerate(sorted(inner), 1):
        activity.step(f"Auditing compaction {number} of {len(inner)}")
        # What an inner summary stands for is here itself; that of any other is missing.
        known = tuple(turn for at, turn in enumerate(turns[:place]) if at not in inner)
        staying = _staying(turns[place], known, lines, reading)
        report = run(Transcript(known), turns[place].content, asked, staying=staying, memory=memory)
        line = line_of(turns[place])
        title = f"compaction {number} of {len(inner)}" if len(inner) > 1 else ""
        texts: dict[str | None, str] = {None: turns[place].content}
        audited = Audited(report, source.path, texts, {None: line or 1}, title)
        turn_id = turns[place].turn_id
        yield Compaction(number, len(inner), turn_id, line, len(known), len(staying), audited)


def _is_inner(turn: TranscriptTurn) -> bool:
    """Whether a turn is a summary of turns before it; turnfold writes its own to other files."""
    return is_summary(turn) and not is_marked_summary(turn.content)


def _staying(
    summary: TranscriptTurn,
    before: Sequence[TranscriptTurn],
    lines: Sequence[bytes],
    reading: Reading,
) -> tuple[str, ...]:
    """Return the turns before a summary that the model still saw once it stood there."""
    line = line_of(summary)
    if line is None:
        return ()
    try:
        then = formats.parse(list(lines[:line]), format=reading.format, pins=NO_PINS)
    except TurnfoldError:
        return ()
    live = set(then.transcript.turn_ids())
    return tuple(turn.turn_id for turn in before if turn.turn_id in live)


def _nothing_inside(source: Source, *, has_summary: bool) -> CommandError:
    name = clean(source.name)
    if has_summary:
        message = (
            f"{name}: the turns that its summary replaced are not in it; name the session that it "
            f"was made from: turnfold audit TRANSCRIPT {name}"
        )
        return CommandError(message, {"file": source.name}, "no_original")
    message = (
        f"{name}: no compaction inside, so there is nothing to audit; name the summary too: "
        f"turnfold audit {name} SUMMARY"
    )
    return CommandError(message, {"file": source.name}, NO_COMPACTION)
