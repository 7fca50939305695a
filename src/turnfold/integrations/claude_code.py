"""What a hook of Claude Code hands back after a compaction: a session's lines in, a text out.

Claude sees the context of two events: `SessionStart` with the source `compact`, which clients have
run before they wrote the summary to the transcript, and `UserPromptSubmit`, at which it is there.
Without a summary in the file, lines of the turns that it replaces are handed back; with it, what
it lost or changed.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from turnfold import formats
from turnfold._canonical import utf8
from turnfold._metadata import KIND, KIND_INJECTED, KIND_SUMMARY
from turnfold.audit import audit_safely
from turnfold.formats import Pins
from turnfold.formats._marks import is_marked_summary
from turnfold.integrations._passages import (
    GUTTERS,
    Frame,
    Places,
    is_stated,
    matters,
    of_findings,
    of_turns,
)
from turnfold.tokens import CharRatioEstimator
from turnfold.transcript import Transcript, TranscriptTurn

MAX_TOKENS: Final = 1_500
"""How large the context is by default, in tokens of the built-in ratio."""

LONGEST: Final = 9_500
"""In characters. Claude Code puts a context of over 10,000 into a file instead."""

_FORMAT: Final = "claude-code"
_DIGEST: Final = 16
_NO_PINS: Final = Pins(
    first_user=False, last_user=False, newest_exchange=False, pending_calls=False
)

_LOST: Final = (
    "turnfold held the summary of the last compaction against this session. Below is what the "
    "summary lost or changed, what weighs most first."
)
_REST: Final = " What was handed back when the session was compacted is not repeated."
_UNKNOWN: Final = " Some of it may have been handed back when the session was compacted."
_PENDING: Final = (
    "This session was just compacted. Below are lines of the turns before that; some may stand in "
    "the summary, or in messages that were kept, as well."
)


def context_after_compaction(source: Iterable[bytes], *, max_tokens: int = MAX_TOKENS) -> str:
    """Return what is handed back when a compaction has run; empty where nothing was lost.

    Nothing in it looks like a credential, and no text of the session can close its fence.

    Args:
        source: The lines of the session's file; what is damaged or half-written is left out.
        max_tokens: How large it may be, in tokens of the built-in ratio, and never over `LONGEST`.

    Raises:
        UnreadableTranscript: There is no session in it.
    """
    session = _Session.of(source)
    newest = session.inner[-1] if session.inner else -1
    if newest < 0 or any(map(_was_said, session.turns[newest + 1 :])):
        replaced = session.without_summaries(len(session.turns))
        frame = Frame(_PENDING, _characters(max_tokens))
        frame.add(of_turns(replaced, (), Places(session.turns), room=frame.room))
        return frame.text()
    return _lost(session, newest, Frame(_LOST, _characters(max_tokens)))


def context_at_prompt(
    source: Iterable[bytes], *, max_tokens: int = MAX_TOKENS, handed_back: Collection[str] = ()
) -> str:
    """Return what the newest summary lost or changed; empty where that is nothing.

    Left out is what the turns since then say, and what was handed back when the compaction had
    run; that a summary says something else is said all the same. A summary that the model no
    longer has, or that turnfold wrote, is not looked at.

    Args:
        source: As for `context_after_compaction`.
        max_tokens: As for `context_after_compaction`.
        handed_back: What `digests_of` gave for the context of that time; empty if it is unknown,
            and then the text says so.

    Raises:
        UnreadableTranscript: There is no session in it.
    """
    session = _Session.of(source)
    newest = session.newest_summary()
    if newest not in session.inner or session.turns[newest].turn_id not in session.live:
        return ""
    opening = _LOST + (_REST if handed_back else _UNKNOWN)
    since = {_digest(line.strip()) for turn in session.since(newest) for line in _lines(turn)}
    known = since.union(handed_back)
    frame = Frame(opening, _characters(max_tokens), lambda line: _digest(line.strip()) in known)
    return _lost(session, newest, frame, only_stated=True)


def digests_of(context: str) -> frozenset[str]:
    """Return digests of the lines that a context hands back."""
    lines = (line for line in context.splitlines() if line.startswith(GUTTERS))
    return frozenset(_digest(line[1:].strip()) for line in lines)


@dataclass(frozen=True, slots=True)
class _Session:
    """All turns of a file, where the client's summaries stand, and what the model has of it."""

    turns: tuple[TranscriptTurn, ...]
    inner: tuple[int, ...]
    live: frozenset[str]

    @classmethod
    def of(cls, source: Iterable[bytes]) -> Self:
        lines = list(source)
        turns = formats.parse(lines, format=_FORMAT, scope="full", pins=_NO_PINS).transcript.turns
        inner = _inner_summaries(turns)
        live = formats.parse(lines, format=_FORMAT, pins=_NO_PINS) if inner else None
        return cls(turns, inner, frozenset(live.transcript.turn_ids() if live else ()))

    def newest_summary(self) -> int:
        """Return where the newest summary stands, whoever wrote it; -1 where there is none."""
        numbered = reversed(list(enumerate(self.turns)))
        return next((at for at, turn in numbered if turn.metadata.get(KIND) == KIND_SUMMARY), -1)

    def without_summaries(self, end: int) -> tuple[TranscriptTurn, ...]:
        """Return the turns before a place that are not made of others."""
        made = frozenset(self.inner)
        return tuple(turn for at, turn in enumerate(self.turns[:end]) if at not in made)

    def since(self, summary: int) -> list[TranscriptTurn]:
        """Return what the model has of the turns after a summary."""
        return [turn for turn in self.turns[summary + 1 :] if turn.turn_id in self.live]


def _lost(session: _Session, newest: int, frame: Frame, *, only_stated: bool = False) -> str:
    """Return what a summary lost: what the audit found first, then what it nowhere names."""
    summary, places = session.turns[newest], Places(session.turns)
    before = session.without_summaries(newest)
    staying = [turn for turn in before if turn.turn_id in session.live]
    replaced = [turn for turn in before if turn.turn_id not in session.live]
    kept = [turn.turn_id for turn in staying]
    report = audit_safely(Transcript(before), summary.content, staying=kept)
    frame.add(of_findings(report.findings, replaced, places))
    seen = [summary, *staying, *session.since(newest)]
    frame.add(
        of_turns(
            replaced,
            seen,
            places,
            room=frame.room,
            is_wanted=is_stated if only_stated else matters,
            is_known=frame.is_known,
            only_new=True,
        )
    )
    return frame.text()


def _characters(max_tokens: int) -> int:
    return min(int(max_tokens * CharRatioEstimator().chars_per_token), LONGEST)


def _lines(turn: TranscriptTurn) -> list[str]:
    return turn.content.splitlines()


def _digest(line: str) -> str:
    return sha256(utf8(line)).hexdigest()[:_DIGEST]


def _inner_summaries(turns: Sequence[TranscriptTurn]) -> tuple[int, ...]:
    """Return where the summaries stand that the client wrote of turns before them."""
    kinds = [turn.metadata.get(KIND) for turn in turns]
    first = next((at for at, kind in enumerate(kinds) if kind != KIND_SUMMARY), len(kinds))
    return tuple(
        at
        for at, kind in enumerate(kinds)
        if at > first and kind == KIND_SUMMARY and not is_marked_summary(turns[at].content)
    )


def _was_said(turn: TranscriptTurn) -> bool:
    """Whether a turn is of the conversation, and not what the client put in."""
    return turn.metadata.get(KIND) not in (KIND_INJECTED, KIND_SUMMARY)
