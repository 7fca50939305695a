"""OpenAI's Responses: items in a request's `input`, a response's `output`, or recorded rollouts.

What the provider accepts stands in `_responses_render`. A file of rollouts, one a line, holds
several conversations: `conversations` counts them, and one is named by its number.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from turnfold.errors import UnreadableTranscript, UnrenderableView
from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._document import (
    DEFAULT_PINS,
    TOP_LEVEL,
    Document,
    Found,
    Place,
    finish,
    require_known,
)
from turnfold.formats._document import Source as Items
from turnfold.formats._faults import Fault
from turnfold.formats._parts import Gathered
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._responses_items import part_of
from turnfold.formats._responses_read import Reader, pinned_at
from turnfold.formats._responses_render import Written, written_items
from turnfold.formats._responses_text import gather_content
from turnfold.formats._responses_unseen import UNSEEN
from turnfold.formats._rules.responses import check_responses
from turnfold.formats._session import Damage, Pins, Session, is_unchanged, transcript_of
from turnfold.formats.openai_responses._document import (
    ItemList,
    goes_on_from,
    instructions_of,
    is_rollout,
    lists_of,
    matches,
    replaced_at,
    shown_path,
    value_at,
)
from turnfold.formats.openai_responses._lines import Element, spliced
from turnfold.formats.openai_responses._open import (
    Conversation,
    Opened,
    TextSource,
    chosen,
    open_source,
)
from turnfold.formats.openai_responses._scope import in_scope
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role, Transcript
from turnfold.view import CompactedView

__all__ = ["LINES", "NAME", "check", "conversations", "matches", "matches_lines", "parse", "render"]

NAME: Final = "openai-responses"
LINES: Final = False
SEVERAL: Final = True
"""A document, as a rule; `matches_lines` tells files of rollouts, which are read from bytes."""

_STORED: Final = "the provider stores what came before: it is neither seen nor counted here"

_Origin = tuple[int, int]
"""The list of an item, and its place there."""


@dataclass(frozen=True, slots=True)
class Source:
    """What rendering needs of parsed items.

    Args:
        opened: The source as it was given.
        conversation: The conversation that was read.
        lists: Its lists of items.
        origins: Where each item in scope stands.
        items: The places of the turns in the items in scope.
    """

    opened: Opened
    conversation: Conversation
    lists: tuple[ItemList, ...]
    origins: tuple[_Origin, ...]
    items: Items


def matches_lines(first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are the first records of a file of rollouts, one a line."""
    return any(map(is_rollout, first_records))


def conversations(source: TextSource | Document) -> int:
    """Return how many conversations a source holds.

    Raises:
        UnreadableTranscript: It is no JSON.
    """
    return len(open_source(source).conversations)


def parse(
    source: TextSource | Document,
    *,
    scope: str = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
    conversation: int | None = None,
) -> Session:
    """Read items: a list, a request, a response, or one conversation of a file of rollouts.

    A run of model items is one turn, named by the first id in it or by its place, and each result
    is a turn. Instructions beside the items are the turn `instructions`.

    Args:
        source: Parsed JSON, which is never changed, or bytes, as a file of rollouts needs.
        scope: `live` leaves out what the model said and was told before the last compaction item,
            but for the user's words; `full` is every item.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the items.
        conversation: Which of several conversations, counted from 0.

    Raises:
        UnreadableTranscript: No item can be read, or it is not said which conversation.
    """
    opened = open_source(source)
    one = chosen(opened, conversation)
    options: dict[str, Any] = {"pins": pins, "estimator": estimator, "ledger": ledger}
    try:
        return _session(opened, one, scope, options)
    except RecursionError as fault:
        msg = "these are no items that turnfold reads: JSON that is nested too deeply"
        raise UnreadableTranscript(msg, {"format": NAME}) from fault


def _session(opened: Opened, one: Conversation, scope: str, options: dict[str, Any]) -> Session:
    value = value_at(one.document, one.path)
    lists = tuple(lists_of(value, one.path))
    placed = [
        ((number, position), entry)
        for number, each in enumerate(lists)
        for position, entry in enumerate(each.entries())
    ]
    if scope == "live":
        placed = in_scope(placed)
    found = Found(damage=list(opened.damage))
    _read_instructions(value, one, found)
    stored = goes_on_from(value)
    if stored is not None:
        found.damage.append(Damage(stored, UNSEEN, _STORED))
    reader = Reader([entry for _, entry in placed], found, goes_on=stored is not None)
    reader.read()
    if not lists or all(place.message == TOP_LEVEL for _, place in found.turns):
        raise _no_items(value, found)
    messages = [entry.item for _, entry in placed]
    session = finish(NAME, [], messages, found, path=(), **options)
    items: Items = session.source
    source = Source(opened, one, lists, tuple(origin for origin, _ in placed), items)
    transcript = pinned_at(session.transcript, items, reader.pinned)
    return replace(session, transcript=transcript, source=source)


def _read_instructions(value: object, one: Conversation, found: Found) -> None:
    """Add the instructions that stand beside the items (known failure F4)."""
    instructions = instructions_of(value, one.path)
    if instructions is None:
        return
    path, text = instructions
    gathered = Gathered()
    if isinstance(text, str):
        gathered.add(text)
    for item in text if isinstance(text, list) else ():
        gather_content(item.get("content") if isinstance(item, dict) else item, gathered)
    origin = shown_path(path)
    turn = LoadedTurn("instructions", Role.SYSTEM, gathered.content, origin=origin)
    found.add(turn, Place(TOP_LEVEL))


def _no_items(value: object, found: Found) -> UnreadableTranscript:
    kind = type(value).__name__
    what = f"a JSON value of the kind {kind}, without a list of items"
    if found.damage:
        what = f"{found.damage[0].message} ({found.damage[0].place})"
    msg = f"no item of OpenAI's Responses can be read: found {what}"
    return UnreadableTranscript(msg, {"type": kind, "format": NAME})


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes | Document:
    """Return the items of a view in the document or the file of the input (contract R2).

    Kept items are the originals, and an unchanged view is the very input. In a file of rollouts
    only the lists of the one conversation change. What stands behind the first item that came
    from a response goes to its `output`, all before it to the request's `input`.

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What becomes of reasoning; None is `keep`: OpenAI itself ignores what an edit
            made void. It is kept and left out with its turn, never half.

    Raises:
        UnrenderableView: Nothing but instructions would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return source.opened.given
    require_known(transcript_of(view).turns, source.items)
    written = written_items(view, session, source.items, reasoning=reasoning)
    if all(part_of(each.item) == "instructions" for each in written):
        msg = "only system messages would be left of the view, which no provider accepts"
        raise UnrenderableView(msg, {"items": len(written)})
    shares = _shared_out(written, source)
    one = source.conversation
    if one.line is not None:
        lists = {
            tuple(map(str, each.path)): [_element(item, source, number) for item in share]
            for number, (each, share) in enumerate(zip(source.lists, shares, strict=True))
        }
        return spliced(source.opened.lines, one.line, lists)
    document = one.document
    for each, share in zip(source.lists, shares, strict=True):
        document = replaced_at(document, each.path, [item.item for item in share])
    made: Document = document
    return made


def _shared_out(written: Sequence[Written], source: Source) -> list[list[Written]]:
    """Return what each list holds: an item never stands before one of an earlier list."""
    shares: list[list[Written]] = [[] for _ in source.lists]
    current = 0 if len(source.lists) > 1 else len(source.lists) - 1
    for each in written:
        current = max(current, _list_of(each, source))
        shares[current].append(each)
    return shares


def _list_of(written: Written, source: Source) -> int:
    """Return the list that an item comes from: of a new one, that of its turn."""
    index = written.at
    if index is None:
        place = source.items.places.get(written.turn.turn_id)
        if place is None:
            return 0
        index = place.message
    return source.origins[index][0]


def _element(written: Written, source: Source, number: int) -> Element:
    if written.at is not None:
        at, position = source.origins[written.at]
        if at == number and isinstance(_held(source, at), list):
            return position
    return written.item


def _held(source: Source, number: int) -> object:
    """Return what a document holds where a list of items is read: a list, or a bare string."""
    return value_at(source.conversation.document, source.lists[number].path)


def check(
    source: TextSource | Document, *, pending_ok: bool = False, conversation: int | None = None
) -> list[Fault]:
    """Return every fault that the provider would refuse; empty where there is none.

    Args:
        source: What `parse` takes.
        pending_ok: Whether the calls at the very end may wait for their results.
        conversation: Which conversation; None means all.

    Raises:
        UnreadableTranscript: It is no JSON.
    """
    opened = open_source(source)
    all_of_them = opened.conversations if conversation is None else [chosen(opened, conversation)]
    return [fault for one in all_of_them for fault in _faults_of(one, pending_ok=pending_ok)]


def _faults_of(one: Conversation, *, pending_ok: bool) -> Iterator[Fault]:
    value = value_at(one.document, one.path)
    entries = [entry for each in lists_of(value, one.path) for entry in each.entries()]
    line = "" if one.line is None else f"line {one.line.number} "
    places = [f"{line}{entry.origin}" for entry in entries]
    items = [entry.item for entry in entries]
    goes_on = goes_on_from(value) is not None
    yield from check_responses(items, places=places, pending_ok=pending_ok, goes_on=goes_on)
