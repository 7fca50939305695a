"""Which items of a rollout are the model's history: what Codex replays when it resumes.

A compaction replaces the history by its `replacement_history`. One without it, as early versions
wrote them, leaves the instructions, the user's own messages, and the summary. An event
`thread_rolled_back` takes the last turns back, which a person or another agent began.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from turnfold.formats._document import Found
from turnfold.formats._marks import BRIDGE
from turnfold.formats._parts import Gathered
from turnfold.formats._responses_items import AGENT_MESSAGE, kind_of, part_of
from turnfold.formats._responses_read import Entry
from turnfold.formats._responses_render import words
from turnfold.formats._responses_text import gather_content
from turnfold.formats.codex._records import Held, Object

_SUMMARY_OPENS: Final = (
    "Another language model started to solve this problem and produced a summary"
)
_AGENTS: Final = "# AGENTS.md instructions"
_WRAPPERS: Final = (
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "turn_aborted",
    "subagent_notification",
    "user_shell_command",
    "skill",
    "skills_instructions",
    "plugins_instructions",
    "apps_instructions",
    "app-context",
    "permissions instructions",
    "collaboration_mode",
    "model_switch",
    "hook_prompt",
)
_PASSING: Final = frozenset({"id", "internal_chat_message_metadata_passthrough", "phase"})
"""What a compaction's copy of an item may lack."""


@dataclass(frozen=True, slots=True)
class Live:
    """An item of the history, the record that it came from, and its place in a compaction.

    Args:
        item: The item.
        record: The record: the item's own, or the compaction's.
        inner: Its place in the `replacement_history`; None where it is a record of its own.
    """

    item: Any
    record: Held
    inner: int | None = None

    @property
    def entry(self) -> Entry:
        """The item with its place."""
        if self.inner is None:
            return Entry(self.item, self.record.origin, self.record.name)
        return Entry(
            self.item,
            f"{self.record.origin} replacement_history[{self.inner}]",
            f"{self.record.name}.{self.inner}",
        )


def select(
    records: Sequence[Held], scope: Literal["live", "full"], found: Found
) -> tuple[list[Live], set[str]]:
    """Return the items in scope, and the texts that compactions name as their summaries."""
    chosen = _Replay(found) if scope == "live" else _Whole(found)
    for record in records:
        if record.part == "item":
            chosen.items.append(Live(record.value, record))
        elif record.part == "compacted":
            chosen.compact(record)
        elif record.part == "rollback":
            chosen.roll_back(record.value)
    return chosen.items, chosen.summaries


class _Replay:
    """The history as Codex replays it."""

    def __init__(self, found: Found) -> None:
        self.items: list[Live] = []
        self.summaries: set[str] = set()
        self._found = found

    def compact(self, record: Held) -> None:
        """Replace the history."""
        summary = _summary_of(record.value)
        if summary:
            self.summaries.add(summary)
        replacement = self._replacement_of(record)
        if replacement is not None:
            self.items = replacement
            return
        self.items = self._outliving()
        if summary:
            self.items.append(Live(words("user", summary), record, 0))

    def roll_back(self, turns: int) -> None:
        """Take back the last turns of the user, and the context that was given for them."""
        begins = [at for at, each in enumerate(self.items) if self._begins_turn(each.item)]
        if not begins:
            return
        end = begins[-turns] if turns < len(begins) else begins[0]
        while end > begins[0] and _is_context(self.items[end - 1].item):
            end -= 1
        del self.items[end:]

    def _outliving(self) -> list[Live]:
        """Return what an early compaction kept: the first instructions, and the user's words."""
        kept: list[Live] = []
        begun = False
        for each in self.items:
            is_genuine = self._is_genuine(each.item)
            begun = begun or is_genuine
            if is_genuine or (not begun and _is_context(each.item)):
                kept.append(each)
        return kept

    def _begins_turn(self, item: object) -> bool:
        """Whether a turn begins with an item: the words of a person or of another agent."""
        return kind_of(item) == AGENT_MESSAGE or self._is_genuine(item)

    def _is_genuine(self, item: object) -> bool:
        if part_of(item) != "words" or kind_of(item) == AGENT_MESSAGE:
            return False
        text = _text_of(item)
        return not (text == BRIDGE or is_injected(text) or self.is_summary(text))

    def is_summary(self, text: str) -> bool:
        """Whether a user's text is the summary of a compaction."""
        return is_summary(text) or text in self.summaries

    def _replacement_of(self, record: Held) -> list[Live] | None:
        listed = record.value.get("replacement_history")
        if isinstance(listed, list):
            return [Live(item, record, inner) for inner, item in enumerate(listed)]
        entries = record.value.get("replacement_history_entries")
        if not isinstance(entries, list):
            return None
        by_id = {
            each.item["id"]: each
            for each in self.items
            if isinstance(each.item, dict) and isinstance(each.item.get("id"), str)
        }
        resolved = [
            self._resolved(entry, by_id, Live(None, record, inner))
            for inner, entry in enumerate(entries)
        ]
        return [each for each in resolved if each is not None]

    def _resolved(self, entry: object, by_id: dict[str, Live], at: Live) -> Live | None:
        """Return the item that an entry holds, or refers to by its id."""
        if isinstance(entry, dict) and entry.get("type") == "inline":
            return replace(at, item=entry.get("item"))
        item_id = entry.get("item_id") if isinstance(entry, dict) else None
        if isinstance(item_id, str) and item_id in by_id:
            return by_id[item_id]
        message = "refers to an item that does not stand before it"
        place = f"{at.record.origin} replacement_history_entries[{at.inner}]"
        self._found.report(place, message)
        return None


class _Whole(_Replay):
    """Everything that the file holds, in order; what a compaction only repeats stands once."""

    def __init__(self, found: Found) -> None:
        super().__init__(found)
        self._known: set[str] = set()
        self._read = 0

    def compact(self, record: Held) -> None:
        """Add what a compaction holds and the history before it does not."""
        summary = _summary_of(record.value)
        if summary:
            self.summaries.add(summary)
        replacement = self._replacement_of(record)
        if replacement is None:
            replacement = [Live(words("user", summary), record, 0)] if summary else []
        self._known.update(_spelled(each.item) for each in self.items[self._read :])
        self.items += [each for each in replacement if _spelled(each.item) not in self._known]
        self._read = len(self.items)
        self._known.update(_spelled(each.item) for each in replacement)

    def roll_back(self, turns: int) -> None:
        """Keep what was taken back: the file holds it."""


def _spelled(item: object) -> str:
    kept = item
    if isinstance(item, dict):
        kept = {key: value for key, value in item.items() if key not in _PASSING}
    try:
        return json.dumps(kept, sort_keys=True)
    except RecursionError:
        return f"nested too deeply {id(item)}"


def _summary_of(payload: Object) -> str:
    message = payload.get("message")
    return message if isinstance(message, str) else ""


def _text_of(item: object) -> str:
    gathered = Gathered()
    if isinstance(item, dict):
        gather_content(item.get("content"), gathered)
    return gathered.content


def _is_context(item: object) -> bool:
    part = part_of(item)
    return part == "instructions" or (part == "words" and is_injected(_text_of(item)))


def is_summary(text: str) -> bool:
    """Whether a user's text is a summary that Codex wrote."""
    return text.startswith(_SUMMARY_OPENS)


def is_injected(text: str) -> bool:
    """Whether a user's text holds nothing that a person wrote (known failure C9)."""
    rest = text.strip()
    position = 0
    while position < len(rest):
        if rest.startswith(_AGENTS, position):
            closing = rest.find("</INSTRUCTIONS>", position)
            position = len(rest) if closing < 0 else closing + len("</INSTRUCTIONS>")
        else:
            end = _end_of_wrapper(rest, position)
            if end is None:
                return False
            position = end
        while position < len(rest) and rest[position].isspace():
            position += 1
    return bool(rest)


def _end_of_wrapper(text: str, position: int) -> int | None:
    """Return where a wrapper that begins at a position ends, or None where none begins."""
    if not text.startswith("<", position):
        return None
    for name in _WRAPPERS:
        if text.startswith((f"<{name}>", f"<{name} "), position):
            end = text.find(f"</{name}>", position)
            return len(text) if end < 0 else end + len(name) + 3
    return None
