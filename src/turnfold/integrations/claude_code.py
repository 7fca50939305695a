"""What a hook of Claude Code hands back after a compaction: an event in, a text out, no file read.

`SessionStart` with the source `compact` is the event after a compaction whose context Claude sees.
Clients have run it before they wrote the summary to the transcript. Where the summary is in the
file, what it lost or changed is handed back; where it is not yet, lines of the turns that it
replaces. The events are those of Claude Code's "Hooks reference".
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from turnfold import formats
from turnfold._metadata import KIND, KIND_INJECTED, KIND_SUMMARY
from turnfold._record import sealed
from turnfold.audit import audit_safely
from turnfold.formats import Pins
from turnfold.formats._marks import is_marked_summary
from turnfold.integrations._passages import Frame, Places, of_findings, of_turns
from turnfold.tokens import CharRatioEstimator
from turnfold.transcript import Transcript, TranscriptTurn

MAX_TOKENS: Final = 1_500
"""How large the context is by default, in tokens of the built-in ratio."""

LONGEST: Final = 9_500
"""In characters. Claude Code puts a context of over 10,000 into a file instead."""

_FORMAT: Final = "claude-code"
_EVENT: Final = "SessionStart"
_SOURCE: Final = "compact"
_NO_PINS: Final = Pins(
    first_user=False, last_user=False, newest_exchange=False, pending_calls=False
)

_LOST: Final = (
    "turnfold held the summary of the last compaction against this session. Below is what the "
    "summary lost or changed, what weighs most first."
)
_PENDING: Final = (
    "This session was just compacted. Below are lines of the turns that the summary replaces; "
    "some may stand in the summary as well."
)


@sealed
@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of Claude Code, as far as it matters here.

    Args:
        name: `hook_event_name`.
        source: How a session started; empty for other events.
        transcript_path: The session's file; empty where the event names none.
    """

    name: str
    source: str = ""
    transcript_path: str = ""

    @property
    def is_after_compaction(self) -> bool:
        """Whether a session goes on after a compaction."""
        return self.name == _EVENT and self.source == _SOURCE


def read_event(content: bytes) -> HookEvent:
    """Read what Claude Code writes to a hook's standard input.

    Raises:
        ValueError: It is no JSON object.
    """
    try:
        record = json.loads(content)
    except RecursionError as fault:
        msg = "the event is nested too deeply to be read"
        raise ValueError(msg) from fault
    if not isinstance(record, dict):
        msg = f"an event is a JSON object, not a {type(record).__name__}"
        raise ValueError(msg)  # noqa: TRY004  One kind of fault, whatever was sent.
    fields = (record.get(key) for key in ("hook_event_name", "source", "transcript_path"))
    return HookEvent(*(each if isinstance(each, str) else "" for each in fields))


def output_of(context: str) -> str:
    """Return the hook's standard output: JSON with the context, or nothing where there is none."""
    if not context:
        return ""
    specific = {"hookEventName": _EVENT, "additionalContext": context}
    return json.dumps({"hookSpecificOutput": specific}) + "\n"


def context_after_compaction(source: Iterable[bytes], *, max_tokens: int = MAX_TOKENS) -> str:
    """Return what is handed back after a compaction; empty where nothing was lost.

    Nothing in it looks like a credential, and no text of the session can close its fence.

    Args:
        source: The lines of the session's file; what is damaged or half-written is left out.
        max_tokens: How large it may be, in tokens of the built-in ratio, and never over `LONGEST`.

    Raises:
        UnreadableTranscript: There is no session in it.
    """
    lines = list(source)
    turns = formats.parse(lines, format=_FORMAT, scope="full", pins=_NO_PINS).transcript.turns
    inner = _inner_summaries(turns)
    newest = inner[-1] if inner else -1
    characters = min(int(max_tokens * CharRatioEstimator().chars_per_token), LONGEST)
    if newest < 0 or any(map(_was_said, turns[newest + 1 :])):
        replaced = tuple(turn for at, turn in enumerate(turns) if at not in inner)
        frame = Frame(_PENDING, characters)
        frame.add(of_turns(replaced, (), Places(turns), room=frame.room))
        return frame.text()
    live = formats.parse(lines, format=_FORMAT, pins=_NO_PINS).transcript.turn_ids()
    before = tuple(turn for at, turn in enumerate(turns[:newest]) if at not in inner)
    frame, places = Frame(_LOST, characters), Places(turns)
    return _lost(before, turns[newest], live=frozenset(live), frame=frame, places=places)


def _lost(
    before: Sequence[TranscriptTurn],
    summary: TranscriptTurn,
    *,
    live: frozenset[str],
    frame: Frame,
    places: Places,
) -> str:
    """Return what the summary lost: what the audit found first, then what it nowhere names."""
    staying = [turn for turn in before if turn.turn_id in live]
    replaced = [turn for turn in before if turn.turn_id not in live]
    kept = [turn.turn_id for turn in staying]
    report = audit_safely(Transcript(before), summary.content, staying=kept)
    frame.add(of_findings(report.findings, replaced, places))
    frame.add(of_turns(replaced, [summary, *staying], places, room=frame.room, only_new=True))
    return frame.text()


def _inner_summaries(turns: Sequence[TranscriptTurn]) -> list[int]:
    """Return where the summaries stand that the client wrote of turns before them."""
    kinds = [turn.metadata.get(KIND) for turn in turns]
    first = next((at for at, kind in enumerate(kinds) if kind != KIND_SUMMARY), len(kinds))
    return [
        at
        for at, kind in enumerate(kinds)
        if at > first and kind == KIND_SUMMARY and not is_marked_summary(turns[at].content)
    ]


def _was_said(turn: TranscriptTurn) -> bool:
    """Whether a turn is of the conversation, and not what the client put in."""
    return turn.metadata.get(KIND) not in (KIND_INJECTED, KIND_SUMMARY)
