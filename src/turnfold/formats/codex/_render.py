"""Writing a compacted Codex rollout: a new file that holds the view and nothing else (R3).

- The head has a new id, made of the plan's hash; times are copied.
- What stands before the last summary of the view, and the summary itself, are the
  `replacement_history` of a `compacted` record, which Codex replays; all else are items as they
  were. An early rollout without envelopes has no such record: its summary is a user's message.
- Items obey the rules of the Responses, see `_responses_render`.
"""

from collections.abc import Sequence
from typing import Any

from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold.errors import UnrenderableView
from turnfold.formats._document import require_known
from turnfold.formats._new_records import derived_uuid, line_of
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._responses_items import part_of
from turnfold.formats._responses_render import Written, written_items
from turnfold.formats._session import Session, is_unchanged, seed_of, transcript_of
from turnfold.formats.codex._parse import NAME, Source
from turnfold.formats.codex._records import Held
from turnfold.formats.codex._side import (
    beside,
    context_line,
    envelope,
    head_line,
    numbered,
    raw_line,
    shown_turns,
)
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

__all__ = ["NAME", "render"]


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes:
    """Return the rollout as bytes: the input where nothing changed, else a new file (R2, R3).

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What becomes of reasoning; None is `keep`: OpenAI itself ignores what an edit
            made void. It is kept and left out with its turn, never half.

    Raises:
        UnrenderableView: Nothing but SYSTEM turns would be left, or a turn is not of this session.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return b"".join(source.lines)
    require_known(transcript_of(view).turns, source.items)
    written = written_items(view, session, source.items, reasoning=reasoning, is_rollout=True)
    if all(part_of(each.item) == "instructions" for each in written):
        msg = "only system messages would be left of the view, which no provider accepts"
        raise UnrenderableView(msg, {"items": len(written)})
    writer = _Writer(source)
    head = head_line(source.records, derived_uuid(f"{seed_of(view)}/session"))
    if head is not None:
        writer.lines.append(head)
    writer.write(written)
    return b"".join(numbered(writer.lines))


class _Writer:
    def __init__(self, source: Source) -> None:
        self.lines: list[bytes] = []
        self._source = source
        self._events = beside(source.records, source.lines)
        self._contexts = [each for each in reversed(source.records) if each.part == "context"]
        self._waiting: Held | None = None
        self._bounds: list[tuple[int, bytes]] = []
        self._is_bare = any(each.record.is_bare for each in source.live)
        self._time = next(
            (each.record.timestamp for each in source.live if each.record.timestamp), None
        )

    def write(self, written: Sequence[Written]) -> None:
        """Write all items of a view: what a summary closes as one record, then the others."""
        end = 0 if self._is_bare else _end_of_summaries(written)
        self._write_compaction(written[:end])
        self._bounds = shown_turns(self._source.records, self._shown(written[end:]))[::-1]
        for each in written[end:]:
            self._write_item(each)
        self._write_bounds(None)
        self._write_contexts(None)

    def _shown(self, written: Sequence[Written]) -> list[int]:
        """Return the lines of the events that repeat what is kept as it was."""
        records = [self._record_of(each) for each in written if each.at is not None]
        events = [self._events.get(each.number, []) for each in records if each is not None]
        return [number for repeated in events for number, _ in repeated]

    def _write_compaction(self, written: Sequence[Written]) -> None:
        if not written:
            return
        records = [self._record_of(each) for each in written]
        latest = [each for each in records if each is not None]
        if latest:
            self._time = latest[-1].timestamp or self._time
            self._write_contexts(latest[-1].number, is_held=True)
        last = written[-1]
        message = "" if part_of(last.item) == "compaction" else last.turn.content
        history = [each.item for each in written]
        payload = {"message": message, "replacement_history": history}
        self.lines.append(line_of(envelope("compacted", payload, self._time)))

    def _write_item(self, written: Written) -> None:
        record = self._record_of(written)
        if record is None:
            self.lines.append(self._new_line(written.item))
            return
        self._time = record.timestamp or self._time
        self._write_bounds(record.number)
        self._write_contexts(record.number)
        is_whole = written.at is not None and record.part == "item"
        if not is_whole:
            self.lines.append(self._new_line(written.item))
            return
        events = self._events.get(record.number, [])
        self.lines += [raw for number, raw in events if number < record.number]
        self.lines.append(raw_line(record, self._source.lines))
        self.lines += [raw for number, raw in events if number >= record.number]

    def _record_of(self, written: Written) -> Held | None:
        """Return the record that an item comes from: of a changed turn, that of its first item."""
        index = written.at
        if index is None:
            place = self._source.items.places.get(written.turn.turn_id)
            if place is None:
                return None
            index = place.message
        return self._source.live[index].record

    def _new_line(self, item: Any) -> bytes:  # noqa: ANN401  Any JSON.
        return line_of(item if self._is_bare else envelope("response_item", item, self._time))

    def _write_bounds(self, number: int | None) -> None:
        """Write where turns begin and end that stand before a line, or all that are left."""
        while self._bounds and (number is None or self._bounds[-1][0] < number):
            self.lines.append(self._bounds.pop()[1])

    def _write_contexts(self, number: int | None, *, is_held: bool = False) -> None:
        """Write the last of the settings that stood before a line, or of all that are left.

        Args:
            number: The line.
            is_held: Whether they are written later, before the next item.
        """
        while self._contexts and (number is None or self._contexts[-1].number < number):
            self._waiting = self._contexts.pop()
        if self._waiting is not None and not is_held:
            self.lines.append(context_line(self._waiting))
            self._waiting = None


def _end_of_summaries(written: Sequence[Written]) -> int:
    """Return how many items stand up to the last summary; 0 where there is none."""
    ends = [
        number
        for number, each in enumerate(written, start=1)
        if each.turn.metadata.get(KIND) == KIND_SUMMARY
    ]
    return ends[-1] if ends else 0
