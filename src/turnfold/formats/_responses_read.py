"""From the items of OpenAI's Responses to turns.

A run of model items between other items is one ASSISTANT turn: reasoning, message, calls and what
the provider's own tools did. Each result is a turn. Reasoning belongs to the item that follows
it: where none follows, it is no turn, and a rendering leaves it out (known failure B3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found, Place, Source
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered
from turnfold.formats._responses_items import (
    AGENT_MESSAGE,
    Item,
    answered_by,
    call_id_of,
    is_call,
    kind_of,
    part_of,
    tool_of,
)
from turnfold.formats._responses_text import (
    gather_content,
    gather_model_item,
    gather_result,
    has_failed,
    is_closed_search,
    with_care,
)
from turnfold.formats._responses_unseen import NOTHING, UNSEEN, Unseen, unseen_among
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER
from turnfold.formats._session import Damage
from turnfold.transcript import Role, Transcript

DANGLING_REASONING: Final = "dangling_reasoning"

_KEPT_TOOLS: Final = frozenset({"tool_search_output"})
"""Results that say which tools there are: without them later calls would call nothing."""


class Entry(NamedTuple):
    """An item, where it stands, for a person, and the id of a turn that has none of its own."""

    item: Any
    origin: str
    name: str


def _never(_text: str) -> bool:
    return False


@dataclass(slots=True)
class Reader:
    """Reads items into turns; a `Place` holds the numbers of the items of its turn.

    Args:
        entries: The items.
        found: Where turns and damage go.
        is_injected: Whether a user's text is not a person's words.
        is_summary: Whether a user's text is a summary, besides those that turnfold marked.
        goes_on: Whether the items go on from what the provider stores.
    """

    entries: Sequence[Entry]
    found: Found
    is_injected: Callable[[str], bool] = _never
    is_summary: Callable[[str], bool] = _never
    goes_on: bool = False
    pinned: set[int] = field(default_factory=set)
    """The first items of turns that no policy may remove or mask."""
    _run: list[int] = field(default_factory=list)
    _shells: dict[object, str] = field(default_factory=dict)
    """By its item id, the call id of a local shell's call; a result may name either."""
    _unseen: Unseen = NOTHING

    def read(self) -> None:
        """Read all items; what belongs to items that are not seen is pinned."""
        self._unseen = unseen_among([each.item for each in self.entries], goes_on=self.goes_on)
        for index, entry in enumerate(self.entries):
            part = part_of(entry.item)
            if part == "model":
                self._run.append(index)
            elif part == "compaction":
                self._read_compaction(index)
            elif part != "side":
                self._end_run()
                if part is None:
                    self.found.report(
                        entry.origin, "an item is an object with a known role or type"
                    )
                elif part == "result":
                    self._read_result(index)
                else:
                    self._read_words(index)
        self._end_run()

    def _item(self, index: int) -> Item:
        item: Item = self.entries[index].item
        return item

    def _turn(self, indexes: Sequence[int], role: Role) -> LoadedTurn:
        first, last = self.entries[indexes[0]], self.entries[indexes[-1]]
        same = first.origin == last.origin
        origin = first.origin if same else f"{first.origin} to {last.origin}"
        return LoadedTurn(self._id_among(indexes) or first.name, role, "", origin=origin)

    def _id_among(self, indexes: Sequence[int]) -> str | None:
        """Return the first id of the items; that of reasoning is no id of a turn."""
        for index in indexes:
            item = self._item(index)
            item_id = item.get("id")
            if isinstance(item_id, str) and item_id and kind_of(item) != "reasoning":
                return item_id
        return None

    def _add(self, turn: LoadedTurn, gathered: Gathered, indexes: Sequence[int]) -> None:
        turn.content, turn.hidden = gathered.content, gathered.hidden_text
        turn.media = gathered.media
        self.found.add(turn, Place(indexes[0], tuple(indexes)))

    def _end_run(self) -> None:
        """Make a turn of the model items so far; reasoning that nothing follows is left out."""
        run, dangling = split_reasoning(self._run, self._item)
        self._run = []
        for index in dangling:
            message = "a reasoning item without the item that it led to; it is no turn"
            self.found.damage.append(
                Damage(self.entries[index].origin, DANGLING_REASONING, message)
            )
        if not run:
            return
        turn = self._turn(run, ASSISTANT)
        gathered = Gathered()
        for index in run:
            with_care(gather_model_item, self._item(index), gathered)
        unseen = self._unseen
        turn.makes = tuple(
            self._call(index)
            for index in run
            if is_call(self._item(index)) and index not in unseen.calls
        )
        self._add(turn, gathered, run)
        for index in run:
            if index in unseen.references:
                self._pin_unseen(run, index, "what this item refers to is not seen here")
            elif index in unseen.calls:
                self._pin_unseen(run, index, "the result of this call may be one that is stored")

    def _pin_unseen(self, indexes: Sequence[int], index: int, why: str) -> None:
        """Pin a turn that may belong to what the provider stores."""
        self.pinned.add(indexes[0])
        message = f"{why}, so its turn stays as it is"
        self.found.damage.append(Damage(self.entries[index].origin, UNSEEN, message))

    def _call(self, index: int) -> Call:
        item = self._item(index)
        call_id = self._id_at(index, call_id_of(item))
        if item["type"] == "local_shell_call" and isinstance(item.get("id"), str):
            self._shells[item["id"]] = call_id
        return Call(call_id, tool_of(item))

    def _id_at(self, index: int, call_id: object) -> str:
        if isinstance(call_id, str):
            return call_id
        kind = type(call_id).__name__
        message = f"a call_id is a string; got a {kind}, so its place pairs it"
        self.found.report(self.entries[index].origin, message)
        return ""

    def _read_compaction(self, index: int) -> None:
        """A compaction of the provider is opaque: it stays as it is and only counts (K11)."""
        run, reasoning = split_reasoning(self._run, self._item)
        self._run = run
        self._end_run()
        turn = self._turn([*reasoning, index], USER)
        turn.kind = KIND_SUMMARY
        gathered = Gathered()
        item = self._item(index)
        gathered.add(f"[{item['type']}]")
        hidden = item.get("encrypted_content")
        if isinstance(hidden, str):
            gathered.hidden.append(hidden)
        self._add(turn, gathered, [*reasoning, index])
        self.pinned.add((*reasoning, index)[0])

    def _read_result(self, index: int) -> None:
        item = self._item(index)
        gathered = Gathered()
        with_care(gather_result, item, gathered)
        if gathered.content == CLOSED_CALL or is_closed_search(item):
            return
        turn = self._turn([index], TOOL)
        turn.failed = has_failed(item)
        answer = self._id_at(index, answered_by(item))
        if item["type"] == "local_shell_call_output" and "call_id" not in item:
            answer = self._shells.get(answer, answer)
        if index in self._unseen.results:
            self._pin_unseen([index], index, "the call of this result is one that is stored")
        else:
            turn.answers = (answer,)
        if item["type"] in _KEPT_TOOLS:
            self.pinned.add(index)
        self._add(turn, gathered, [index])

    def _read_words(self, index: int) -> None:
        item = self._item(index)
        is_user, kind = part_of(item) == "words", kind_of(item)
        gathered = Gathered()
        if kind in ("message", AGENT_MESSAGE):
            with_care(self._gather_message, item, gathered, index)
        else:
            gathered.add_unknown(item)
        turn = self._turn([index], USER if is_user else SYSTEM)
        text = gathered.content
        if is_user and text == BRIDGE:
            return
        if is_user and (is_marked_summary(text) or self.is_summary(text)):
            turn.kind = KIND_SUMMARY
        elif kind == AGENT_MESSAGE or (is_user and self.is_injected(text)):
            turn.kind = KIND_INJECTED
        self._add(turn, gathered, [index])

    def _gather_message(self, item: Item, gathered: Gathered, index: int) -> None:
        content = item.get("content")
        if not isinstance(content, str | list):
            kind = type(content).__name__
            message = f"content is a string or a list of parts; got a {kind}"
            self.found.report(f"{self.entries[index].origin}.content", message)
        gather_content(content, gathered)


def pinned_at(transcript: Transcript, items: Source, pinned: set[int]) -> Transcript:
    """Return a transcript in which the turns that begin at some items are pinned."""
    if not pinned:
        return transcript
    return Transcript(
        tuple(
            replace(turn, pinned=True) if items.places[turn.turn_id].message in pinned else turn
            for turn in transcript
        )
    )


def split_reasoning(
    run: Sequence[int], item_at: Callable[[int], Item]
) -> tuple[list[int], list[int]]:
    """Split a run of model items into what is whole, and the reasoning at its end."""
    end = len(run)
    while end and kind_of(item_at(run[end - 1])) == "reasoning":
        end -= 1
    return list(run[:end]), list(run[end:])
