"""Writing a compacted Claude Code session: a new file that holds the view and nothing else (R3).

The rules of the format and of the provider that stand behind the order of the records:

- All records of an assistant message, then all results of its calls, then anything else.
- A call that was given up is closed with an error, never with a success; only a call that
  nothing follows may stay open.
- A file with a summary opens with a compaction's boundary, so that all of it is live.
- Records hang on each other in one chain; ids of kept records stay, so that a second reading
  finds the same turns.
- Up to the first edit the client sends what it sent before: its attachments stay there.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold.errors import UnrenderableView, name_some, some
from turnfold.formats._anthropic_read import is_thinking
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, NO_WORDS
from turnfold.formats._reasoning import Reasoning, first_edit, stripped_turns
from turnfold.formats._session import (
    Session,
    is_unchanged,
    renderable_turns,
    seed_of,
)
from turnfold.formats._short_inputs import short_inputs_of
from turnfold.formats.claude_code._blocks import blocks_of, is_blank
from turnfold.formats.claude_code._envelope import (
    Object,
    replaced,
    without_words,
)
from turnfold.formats.claude_code._file import NewFile
from turnfold.formats.claude_code._order import Closing, Step, call_ids_of, provider_order
from turnfold.formats.claude_code._records import holder_of
from turnfold.formats.claude_code._turns import Place
from turnfold.tokens._inputs import ShortInputs
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "claude-code"


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes:
    """Return the session as bytes: the input where nothing changed, else a new file (R2, R3).

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What becomes of thinking blocks; by default those after the first edit are left
            out, because a model that binds them to their prefix refuses them. The current tool
            loop keeps its own.

    Raises:
        UnrenderableView: Nothing but SYSTEM turns would be left, or a turn is not of this session.
    """
    if is_unchanged(view, session):
        return b"".join(session.source.lines)
    turns = renderable_turns(view)
    _require_known(turns, session)
    stripped = stripped_turns(view, session, reasoning or "strip_after_edit")
    file = NewFile(session.source, seed_of(view), _first_edited_line(view, session))
    writer = _Writer(file, session.transcript, stripped)
    if any(turn.metadata.get(KIND) == KIND_SUMMARY for turn in turns):
        before = session.transcript.token_estimate()
        if isinstance(view, CompactedView):
            before = view.report.tokens_before
        writer.write_boundary(turns, before)
    if turns.turns[0].role is Role.ASSISTANT:
        writer.write_bridge(turns)
    for step in provider_order(turns):
        writer.write(step, turns)
    writer.flush()
    return b"".join(file.lines)


def _first_edited_line(view: CompactedView | Transcript, session: Session) -> int:
    """Return the first line that a view has not as it was; past the end where it has all."""
    edited = session.transcript.turns[first_edit(view, session) :]
    places = session.source.places.get(edited[0].turn_id, ()) if edited else ()
    return min((place.number for place in places), default=len(session.source.lines) + 1)


def _require_known(turns: Transcript, session: Session) -> None:
    places = session.source.places
    unknown = [
        turn.turn_id for turn in turns if turn.turn_id not in places and turn.role is not Role.USER
    ]
    if unknown:
        msg = (
            f"turns of the view are not of this session: {name_some(unknown)}; render it with the "
            "session that it was made from"
        )
        raise UnrenderableView(msg, {"turn_ids": some(unknown)})


@dataclass(slots=True)
class _Unit:
    """Turns next to each other that one record holds, and which of its blocks they keep."""

    number: int
    position: int
    blocks: list[tuple[int, str | None]] = field(default_factory=list)
    """Each block's index, and the text that replaces it."""
    name: str = ""


@dataclass(slots=True)
class _Writer:
    file: NewFile
    original: Transcript
    stripped: frozenset[str]
    unit: _Unit | None = None
    message_id: str = ""
    """The id of the assistant message that was written last."""

    def write_boundary(self, turns: Transcript, tokens_before: int) -> None:
        """Write the record that says that a compaction came before."""
        self.file.stand_by(turns, 0)
        body = {
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "isMeta": False,
            "level": "info",
            "compactMetadata": {"trigger": "manual", "preTokens": tokens_before},
        }
        self.file.add_new("boundary", "system", body)

    def write_bridge(self, turns: Transcript) -> None:
        """Write a record for the words that came before: a provider wants a user first."""
        self.file.stand_by(turns, 0)
        body = {"message": {"role": "user", "content": BRIDGE}, "isMeta": True}
        self.file.add_new("bridge", "user", body)

    def write(self, step: Step, turns: Transcript) -> None:
        """Write one step; results and words that one record holds are gathered first."""
        if isinstance(step, Closing):
            self.flush()
            self._write_closing(step)
            return
        turn = turns.turns[step]
        places = self.file.source.places.get(turn.turn_id)
        if places is None:
            self.flush()
            self.file.stand_by(turns, step)
            self._write_words(turn)
        elif turn.role is Role.ASSISTANT:
            self.flush()
            self._write_assistant(turn, places)
        else:
            self._gather(turn, places[0])

    def flush(self) -> None:
        """Write the record that was gathered."""
        unit, self.unit = self.unit, None
        if unit is None:
            return
        record = self.file.record(unit.number, unit.position)
        holder, key = holder_of(record)
        message = record[holder]
        original = blocks_of(message.get(key))
        is_text = isinstance(message.get(key), str)
        kept = [
            original[index] if text is None else replaced(original[index], text)
            for index, text in unit.blocks
        ]
        if [index for index, _ in unit.blocks] == list(range(len(original))) and all(
            text is None for _, text in unit.blocks
        ):
            self.file.add_changed(record, message, unit.name, whole=True)
            return
        content: Any = kept[0]["text"] if is_text and kept else kept
        self.file.add_changed(record, {**message, key: content}, unit.name, whole=False)

    def _gather(self, turn: TranscriptTurn, place: Place) -> None:
        unit = self.unit
        if unit is None or (unit.number, unit.position) != (place.number, place.position):
            self.flush()
            unit = self.unit = _Unit(place.number, place.position, name=turn.turn_id)
        text = turn.content if self._is_changed(turn) else None
        indexes = place.blocks if text is None else place.blocks[:1]
        unit.blocks.extend((index, text) for index in indexes)

    def _is_changed(self, turn: TranscriptTurn) -> bool:
        return turn.content != self.original.turn(turn.turn_id).content

    def _write_assistant(self, turn: TranscriptTurn, places: tuple[Place, ...]) -> None:
        short = self._short_inputs(turn)
        is_changed = short is None and self._is_changed(turn)
        repeats = None
        is_stripped = turn.turn_id in self.stripped or short is not None
        is_written = False
        for at, place in enumerate(places):
            record = self.file.record(place.number, place.position)
            message = record["message"]
            if at == 0:
                repeats = self._repeated_id(message, turn)
            blocks = blocks_of(message.get("content"))
            kept = [blocks[index] for index in place.blocks]
            whole = place.blocks == tuple(range(len(blocks))) and repeats is None
            whole = whole and not is_changed and short is None
            unsent = [
                block for block in kept if is_blank(block) or (is_stripped and is_thinking(block))
            ]
            if unsent and not is_changed:
                whole = False
                kept = [block for block in kept if block not in unsent]
                if not kept and (is_written or place is not places[-1]):
                    continue
                kept = kept or [{"type": "text", "text": NO_WORDS}]
            is_written = True
            kept = kept if short is None else [short.within(block) for block in kept]
            if not whole:
                message = {**message, "content": kept}
                if repeats is not None:
                    message["id"] = repeats
                if is_changed:
                    message["content"] = without_words(kept, turn.content if at == 0 else None)
            if message.get("content") or not is_changed:
                self.file.add_changed(record, message, f"{turn.turn_id}/{at}", whole=whole)

    def _short_inputs(self, turn: TranscriptTurn) -> ShortInputs | None:
        original = self.original.turn(turn.turn_id)
        return short_inputs_of(turn, original.content, len(call_ids_of(original)))

    def _repeated_id(self, message: Object, turn: TranscriptTurn) -> str | None:
        """Return a new id where two messages next to each other would be read as one."""
        message_id = message.get("id")
        if not isinstance(message_id, str) or not message_id:
            self.message_id = ""
            return None
        if message_id != self.message_id:
            self.message_id = message_id
            return None
        self.message_id = f"{message_id}_{self.file.derived(turn.turn_id)[:8]}"
        return self.message_id

    def _write_words(self, turn: TranscriptTurn) -> None:
        """Write a USER turn that the source does not hold: a summary, as a rule."""
        body: Object = {"message": {"role": "user", "content": turn.content}}
        if turn.metadata.get(KIND) == KIND_SUMMARY:
            body |= {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
        self.file.add_new(turn.turn_id, "user", body)

    def _write_closing(self, closing: Closing) -> None:
        block = {
            "type": "tool_result",
            "tool_use_id": closing.call_id,
            "content": CLOSED_CALL,
            "is_error": True,
        }
        body = {"message": {"role": "user", "content": [block]}}
        self.file.add_new(f"{closing.turn_id}/closed/{closing.index}", "user", body)
