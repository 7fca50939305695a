"""Writing a compacted pi session: a new file that holds the view and nothing else (R3).

The rules of the client and of the provider that stand behind it:

- All results of an assistant message stand directly after it, and before anything else.
- A call that was given up is closed as an error, never as a success; only a call that nothing
  follows may stay open.
- A summary that comes first is written as the client's own compaction, any other as a message
  with the client's role for it: both are sent to the model as a user's words.
- The first message that is sent is a user's; where the view begins otherwise, a bridge is.
"""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any, Final

from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold.errors import UnrenderableView
from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._document import require_known
from turnfold.formats._faults import Fault
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats._reasoning import Reasoning, is_stripped
from turnfold.formats._session import Session, is_unchanged, renderable_turns, seed_of
from turnfold.formats._short_inputs import short_inputs_in
from turnfold.formats.pi._messages import (
    bare_id,
    has_thinking,
    is_prefix_bound,
    is_responses,
    saying,
    text_blocks,
    without_thinking,
)
from turnfold.formats.pi._records import Object
from turnfold.formats.pi._rules import check_pi
from turnfold.formats.pi._scope import COMPACTION
from turnfold.formats.pi._turns import calls_of, message_of
from turnfold.formats.pi._write import File, Lines
from turnfold.tokens._inputs import ShortInputs
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

_CARRIED: Final = frozenset(("role", "retainedTail", "systemMessage"))
"""What is not the compaction's own: it is written anew, where the view has it."""


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes:
    """Return the session as bytes: the input where nothing changed, else a new file (R2, R3).

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What happens to thinking. By default it is left out after the first edit where
            the provider is Anthropic, who binds it to what stands before it, and kept elsewhere.

    Raises:
        UnrenderableView: No turn would be left, or a turn is not of this session.
    """
    source: Lines = session.source
    if is_unchanged(view, session):
        return b"".join(source.records.lines)
    turns = renderable_turns(view)
    require_known(turns.turns, source.turns)
    short = short_inputs_in(view, source.turns)
    writer = _Writer(session, File(source, seed_of(view)), reasoning, short)
    batches = batches_of(turns, source.turns)
    systems = list(takewhile(lambda batch: batch.turn.role is Role.SYSTEM, batches))
    others = batches[len(systems) :]
    if not others:
        msg = "no turn of the view is left without the results that answer no call of it"
        raise UnrenderableView(msg, {"turns": len(turns)})
    places = (source.turns.places.get(batch.turn.turn_id) for batch in batches)
    writer.file.look_ahead(next((place for place in places if place is not None), None))
    first = others[0].turn
    if writer.opens(first):
        writer.write_compaction(first, view, systems.pop(0).turn if systems else None)
    for batch in systems:
        writer.write(batch)
    if first.role is Role.ASSISTANT:
        writer.write_bridge()
    for batch in others:
        writer.write(batch)
    return writer.file.to_bytes()


def check(source: bytes, *, pending_ok: bool = False) -> list[Fault]:
    """Return what the client or the provider would refuse in a session; empty where nothing is.

    Args:
        source: The file's bytes. What is live is looked at, as the client would send it.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    return check_pi(source, pending_ok=pending_ok)


class _Writer:
    """Writes the turns of a view, one batch after the other."""

    def __init__(
        self,
        session: Session,
        file: File,
        reasoning: Reasoning | None,
        short: Mapping[str, ShortInputs],
    ) -> None:
        self.file = file
        self._originals = session.transcript.turns
        self._source: Lines = session.source
        self._short = short
        self._reasoning = reasoning
        self._written = 0
        self._edited: int | None = None
        self._opened = ""
        """The id of the turn that was written as the compaction that opens the file."""

    def opens(self, turn: TranscriptTurn) -> bool:
        """Whether a first turn is a new summary, or a compaction of the client."""
        if turn.metadata.get(KIND) != KIND_SUMMARY:
            return False
        record = self._record(turn)
        return turn.turn_id not in self._source.turns.places or (
            record is not None and record.get("type") == COMPACTION
        )

    def write_compaction(
        self,
        turn: TranscriptTurn,
        view: CompactedView | Transcript,
        system: TranscriptTurn | None = None,
    ) -> None:
        """Write a summary that comes first as the client's own compaction.

        Args:
            turn: The summary.
            view: The view.
            system: The system message that opens the view: the client replays none that stands
                before a compaction, and takes it from there.
        """
        carried: Object = {}
        if system is not None:
            self._count(system)
            carried["systemMessage"] = self._message(system)
        self._count(turn)
        self._opened = turn.turn_id
        record = self._record(turn)
        if record is not None and record.get("type") == COMPACTION:
            changed = self._source.turns.is_changed(turn)
            body = (
                saying({**record, "role": "compactionSummary"}, turn.content) if changed else record
            )
            kept = {key: body[key] for key in body if key not in _CARRIED}
            self.file.add_compaction({**kept, **carried}, turn.turn_id)
            return
        before = sum(each.token_estimate for each in self._originals)
        if isinstance(view, CompactedView):
            before = view.report.tokens_before
        self.file.add_compaction(
            {"type": COMPACTION, "summary": turn.content, "tokensBefore": before, **carried},
            turn.turn_id,
        )

    def write_bridge(self) -> None:
        """Write words for what came before: a provider wants a user first."""
        self._edited = 0
        self.file.add_message({"role": "user", "content": text_blocks(BRIDGE)}, "bridge")

    def write(self, batch: Batch) -> None:
        """Write a turn, the results of its calls, and what closes those that have none."""
        if batch.turn.turn_id == self._opened:
            return
        self._count(batch.turn)
        message = self._message(batch.turn)
        is_bare = batch.turn.role is Role.ASSISTANT and self._strips(batch.turn, message)
        if is_bare:
            message = without_thinking(message)
        self._emit(batch.turn, message)
        is_bare = is_bare and is_responses(message)
        for turn in batch.results:
            self._count(turn)
            answer = self._message(turn)
            if is_bare and isinstance(answer.get("toolCallId"), str):
                answer = {**answer, "toolCallId": bare_id(answer["toolCallId"])}
            self._emit(turn, answer)
        calls = calls_of(message)
        for number in batch.to_close:
            self._edited = self._written if self._edited is None else self._edited
            self._close(calls[number][1], f"{batch.turn.turn_id}/closed/{number}")

    def _count(self, turn: TranscriptTurn) -> None:
        """Note where the first turn stands that is not as the session has it."""
        at = self._written
        same = at < len(self._originals) and self._originals[at] == turn
        if self._edited is None and not same:
            self._edited = at
        self._written += 1

    def _strips(self, turn: TranscriptTurn, message: Object) -> bool:
        if turn.turn_id in self._short:
            return has_thinking(message)
        reasoning = self._reasoning
        if reasoning is None:
            reasoning = "strip_after_edit" if is_prefix_bound(message) else "keep"
        edited = self._written if self._edited is None else self._edited
        return has_thinking(message) and is_stripped(self._written - 1, edited, reasoning)

    def _record(self, turn: TranscriptTurn) -> Object | None:
        place = self._source.turns.places.get(turn.turn_id)
        if place is None or place.blocks is not None:
            return None
        record: Object = self._source.records[place.message]
        return record

    def _message(self, turn: TranscriptTurn) -> Object:
        place = self._source.turns.places.get(turn.turn_id)
        if place is None:
            return {"role": "compactionSummary", "summary": turn.content, "tokensBefore": 0}
        tail = place.blocks[0] if place.blocks else None
        message: Any = message_of(self._source.records[place.message], tail)
        if (short := self._short.get(turn.turn_id)) is not None:
            return {key: short.within(each) for key, each in message.items()}
        return saying(message, turn.content) if self._source.turns.is_changed(turn) else message

    def _emit(self, turn: TranscriptTurn, message: Object) -> None:
        record = self._record(turn)
        self.file.look_ahead(self._source.turns.places.get(turn.turn_id))
        if record is None:
            self.file.add_message(message, turn.turn_id)
        elif record.get("type") == "message":
            self.file.add({**record, "message": message}, turn.turn_id)
        elif record.get("type") == COMPACTION:
            keys = ("role", "summary", "tokensBefore")
            self.file.add_message({key: message.get(key) for key in keys}, turn.turn_id)
        else:
            kept = {key: value for key, value in message.items() if key != "role"}
            self.file.add(kept, turn.turn_id)

    def _close(self, call: Object, name: str) -> None:
        body = {
            "role": "toolResult",
            "toolCallId": call.get("id"),
            "toolName": call.get("name"),
            "content": text_blocks(CLOSED_CALL),
            "isError": True,
        }
        self.file.add_message(body, name)
