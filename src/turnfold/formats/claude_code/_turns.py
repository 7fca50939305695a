"""From the messages of a Claude Code session to turns, each with the places of its blocks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from turnfold._metadata import KIND_INJECTED, KIND_SUMMARY
from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._marks import CLOSED_CALL, NO_WORDS
from turnfold.formats._parts import Gathered
from turnfold.formats._roles import ASSISTANT, TOOL, USER
from turnfold.formats.claude_code._blocks import (
    Block,
    Union,
    calls_of,
    is_injected,
    read_blocks,
    read_result,
    result_id,
)
from turnfold.formats.claude_code._records import Entry, text_at
from turnfold.ledger import Ledger
from turnfold.transcript import Role


class Place(NamedTuple):
    """Where blocks of a turn stand: the line, the object on it, and the blocks' indexes."""

    number: int
    position: int
    blocks: tuple[int, ...]


@dataclass(slots=True)
class PlacedTurn:
    """A turn, and where its blocks stand in the source."""

    loaded: LoadedTurn
    places: tuple[Place, ...]


@dataclass(slots=True)
class _Message:
    """One assistant message: all of its records."""

    entries: list[Entry] = field(default_factory=list)


def turns_of(entries: Sequence[Entry]) -> list[PlacedTurn]:
    """Return the turns of a session's messages, in order.

    Assistant records with one `message.id` are one turn, at the place of the first of them. They
    are one message only while no other assistant message and no prompt stands between: some
    servers give every message the same id. A result that the file holds before the record of its
    call comes after the turn of its call.
    """
    messages = _merge(entries)
    homes = _homes(messages)
    turns: list[PlacedTurn] = []
    early: dict[int, list[Entry]] = {}
    for at, entry in enumerate(entries):
        if entry.part == "assistant":
            if at in messages:
                turns.append(_assistant_turn(messages[at]))
                for result in early.pop(at, ()):
                    turns.extend(_user_turns(result))
            continue
        home = homes.get(_caller(entry), -1)
        if home > at:
            early.setdefault(home, []).append(entry)
        else:
            turns.extend(_user_turns(entry))
    return turns


def _merge(entries: Sequence[Entry]) -> dict[int, _Message]:
    """Return the assistant messages by the position of their first record."""
    messages: dict[int, _Message] = {}
    current = _Message()
    current_id = ""
    for at, entry in enumerate(entries):
        if entry.part == "assistant":
            if not entry.message_id or entry.message_id != current_id:
                current = messages[at] = _Message()
                current_id = entry.message_id
            current.entries.append(entry)
        elif current_id and entry.is_genuine:
            current_id = ""
    return messages


def _homes(messages: dict[int, _Message]) -> dict[str, int]:
    """Return by the uuid of each assistant record where its message begins."""
    return {record.uuid: at for at, message in messages.items() for record in message.entries} | {
        "": -1
    }


def _caller(entry: Entry) -> str:
    """Return the uuid of the record that a result says it answers; empty for other records."""
    if not any(block.get("type") == "tool_result" for block in entry.blocks):
        return ""
    return text_at(entry.record, "sourceToolAssistantUUID") or text_at(entry.record, "parentUuid")


def _assistant_turn(message: _Message) -> PlacedTurn:
    first, last = message.entries[0], message.entries[-1]
    if first is last:
        blocks = first.blocks
        places: tuple[Place, ...] = (_place(first, range(len(blocks))),)
    else:
        blocks, places = _joined(message)
    reading = read_blocks(blocks)
    same = first.number == last.number
    origin = first.origin if same else f"lines {first.number}-{last.number}"
    turn = _turn(first.message_id or _own_id(first), ASSISTANT, reading, origin)
    turn.content = "" if turn.content == NO_WORDS else turn.content
    turn.makes = calls_of(blocks)
    return PlacedTurn(turn, places)


def _joined(message: _Message) -> tuple[list[Block], tuple[Place, ...]]:
    union = Union()
    for index, entry in enumerate(message.entries):
        union.add(index, entry.blocks)
    # A record that the union comes back to is written a second time, under another id.
    runs = groupby(union.blocks, key=lambda item: item[1])
    places = tuple(
        _place(message.entries[record], [index for _, _, index in run]) for record, run in runs
    )
    first = _place(message.entries[0], ())
    return [block for block, _, _ in union.blocks], places or (first,)


def _place(entry: Entry, indexes: Iterable[int]) -> Place:
    return Place(entry.number, entry.position, tuple(indexes))


def _turn(turn_id: str, role: Role, reading: Gathered, origin: str) -> LoadedTurn:
    return LoadedTurn(
        turn_id,
        role,
        reading.content,
        hidden=reading.hidden_text,
        media=reading.media,
        origin=origin,
    )


def _own_id(entry: Entry) -> str:
    return entry.uuid or f"line{entry.number}.{entry.position}"


def _user_turns(entry: Entry) -> Iterator[PlacedTurn]:
    """Yield a turn for each result of a record, then one for all else that it holds."""
    results: list[tuple[int, Block]] = []
    others: list[int] = []
    for index, block in enumerate(entry.blocks):
        if block.get("type") != "tool_result":
            others.append(index)
        elif not _is_closer(block):
            results.append((index, block))
    has_words = bool(others) or not entry.blocks
    several = len(results) + has_words > 1
    for index, block in results:
        turn_id = f"{_own_id(entry)}.b{index}" if several else _own_id(entry)
        turn = _turn(turn_id, TOOL, read_result(block), entry.origin)
        turn.answers = (result_id(block),)
        turn.failed = bool(block.get("is_error"))
        yield PlacedTurn(turn, (_place(entry, [index]),))
    if has_words:
        turn_id = f"{_own_id(entry)}.b{others[0]}" if several else _own_id(entry)
        reading = read_blocks([entry.blocks[index] for index in others])
        turn = _turn(turn_id, USER, reading, entry.origin)
        turn.kind = _kind(entry, reading)
        yield PlacedTurn(turn, (_place(entry, others),))


def _is_closer(block: Block) -> bool:
    """Whether turnfold wrote this result, so that its call counts as never answered (A12)."""
    return bool(block.get("is_error")) and block.get("content") == CLOSED_CALL


def _kind(entry: Entry, reading: Gathered) -> str | None:
    if entry.record.get("isCompactSummary"):
        return KIND_SUMMARY
    if entry.is_genuine:
        return None
    is_empty = not reading.content.strip()
    is_meta = bool(entry.record.get("isMeta"))
    return KIND_INJECTED if is_meta or is_empty or is_injected(reading.content) else None


def in_ledger_order(turns: list[PlacedTurn], ledger: Ledger) -> list[PlacedTurn]:
    """Put results where they stood in the view that a session was written from.

    A rendered session holds all results directly after their call, as providers want them; in
    the view a late result may stand further down.
    """
    view_ids = ledger.view_turn_ids()
    begun = turns[: len(view_ids)]
    expected = set(view_ids)
    results = {
        turn.loaded.turn_id: turn
        for turn in begun
        if turn.loaded.role is TOOL and turn.loaded.turn_id in expected
    }
    others = iter([turn for turn in begun if turn.loaded.turn_id not in results])
    ordered = [results.get(turn_id) or next(others, None) for turn_id in view_ids]
    if len(begun) < len(view_ids) or None in ordered:
        return turns
    return [turn for turn in ordered if turn is not None] + turns[len(view_ids) :]
