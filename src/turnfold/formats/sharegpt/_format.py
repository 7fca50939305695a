"""ShareGPT: `conversations` of `from` and `value`, as data sets for training hold them.

There are no ids: a result answers the turn before it. Training tools take a conversation only
where a person's turns (or results) and the model's alternate. Where the input keeps to that, so
does a rendering: between two turns of one side it puts one that says that something was removed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.errors import UnreadableTranscript
from turnfold.formats._alternation import Alternation
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Message, Place, placed
from turnfold.formats._either import Given, opened
from turnfold.formats._faults import Fault
from turnfold.formats._itemwise import (
    Held,
    Path,
    at_path,
    chosen,
    finished,
    pair_by_place,
    results_behind,
    spelled_path,
)
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rewrite import Spelling, flat, written_batches
from turnfold.formats._session import Pins, Session, is_unchanged
from turnfold.formats.sharegpt._rules import check_conversation
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "sharegpt"
LINES: Final = False
ALTERNATES: Final = True
"""A document; `parse` takes the bytes of JSON Lines too."""
SEVERAL: Final = True

REMOVED_REPLY: Final = "[the reply at this point was removed]"
"""Stands between two turns of a person where a training tool wants them to alternate."""

_PEEKED: Final = 20
_CALL: Final = "function_call"
_ROLES: Final[Mapping[str, Role]] = {
    "system": Role.SYSTEM,
    **dict.fromkeys(("human", "user"), Role.USER),
    **dict.fromkeys(
        ("gpt", "assistant", "chatgpt", "bing", "bard", "model", _CALL), Role.ASSISTANT
    ),
    **dict.fromkeys(
        ("observation", "tool", "function", "function_response", "tool_response", "ipython"),
        Role.TOOL,
    ),
}
_OURS: Final = {Role.USER: BRIDGE, Role.ASSISTANT: REMOVED_REPLY, Role.TOOL: CLOSED_CALL}


def matches(value: object) -> bool:
    """Whether a document, or the first records of JSON Lines, hold ShareGPT conversations."""
    if isinstance(value, Mapping):
        return _are_items(value.get("conversations"))
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return False
    if _are_items(value):
        return True
    first = value[:_PEEKED]
    return bool(first) and all(
        isinstance(each, Mapping) and _are_items(each.get("conversations")) for each in first
    )


def matches_lines(first_records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the first records of JSON Lines hold ShareGPT conversations, one in each."""
    return matches(first_records) and not _are_items(first_records)


def _are_items(value: object) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return False
    first = value[:_PEEKED]
    return bool(first) and all(_role_of(item) is not None and "value" in item for item in first)


def _role_of(item: Any) -> Role | None:  # noqa: ANN401  JSON.
    name = item.get("from") if isinstance(item, Mapping) else None
    return _ROLES.get(name.lower()) if isinstance(name, str) else None


def parse(
    source: Given,
    *,
    scope: str = "live",  # noqa: ARG001  A conversation has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
    conversation: int | None = None,
) -> Session:
    """Read one conversation; the input is never changed.

    An item is a turn `m{index}`; calls next to each other are one.

    Args:
        source: An object with `conversations`, a list of such objects, a list of items, or the
            bytes of any of these, JSON Lines too.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the source.
        conversation: Which of several, counted from 0.

    Raises:
        UnreadableTranscript: There is no conversation, or there are several and none is named.
    """
    held = opened(source)
    paths = _paths(held.document)
    if not paths:
        msg = "there are no ShareGPT `conversations` of `from` and `value` in it"
        raise UnreadableTranscript(msg, {"path": "conversations", "format": NAME})
    path = chosen(paths, conversation, "the `conversations` of the source")
    items = at_path(held.document, path)
    found = _read(items, spelled_path(path, "conversations"))
    return finished(NAME, held, found, path, pins=pins, estimator=estimator, ledger=ledger)


def _paths(document: Any) -> list[Path]:  # noqa: ANN401  JSON.
    if isinstance(document, dict):
        return [("conversations",)] if isinstance(document.get("conversations"), list) else []
    if any(_role_of(item) is not None for item in document):
        return [()]
    return [
        (number, "conversations")
        for number, each in enumerate(document)
        if isinstance(each, dict) and isinstance(each.get("conversations"), list)
    ]


def _read(items: Sequence[Any], place: str) -> Found:
    found = Found()
    for group in _groups(items):
        at = f"{place}[{group[0]}]"
        role = _role_of(items[group[0]])
        if role is None:
            found.report(at, f"an item has a `from` of {', '.join(_ROLES)}, and a `value`")
            continue
        turn = LoadedTurn(f"m{group[0]}", role, "", origin=at)
        gathered = Gathered()
        for number in group:
            _read_item(turn, items[number], gathered, found)
        turn.content, turn.media = gathered.content, gathered.media
        if turn.content == _OURS.get(role):
            continue
        if role is Role.USER and is_marked_summary(turn.content):
            turn.kind = KIND_SUMMARY
        turn.answers = ("",) if role is Role.TOOL else ()
        found.add(turn, Place(group[0], tuple(group) if len(group) > 1 else None))
    turns = [turn for turn, _ in found.turns]
    for position, turn in enumerate(turns):
        if turn.makes:
            missing = results_behind(turns, position) - len(turn.makes)
            turn.makes += (Call("", turn.makes[-1].name),) * missing
    pair_by_place(turns)
    return found


def _groups(items: Sequence[Any]) -> list[list[int]]:
    """Return the numbers of items, calls next to each other together."""
    groups: list[list[int]] = []
    for number, item in enumerate(items):
        if number and _is_call(item) and _is_call(items[number - 1]):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _is_call(item: object) -> bool:
    return isinstance(item, Mapping) and item.get("from") == _CALL


def _read_item(turn: LoadedTurn, item: Message, gathered: Gathered, found: Found) -> None:
    value = item.get("value")
    if not isinstance(value, str):
        found.report(f"{turn.origin}.value", f"a value is text; this is a {type(value).__name__}")
    if not _is_call(item):
        gathered.add(text_of(value))
        return
    calls = _calls_in(value)
    for name, arguments in calls:
        gathered.add_call(name, arguments)
    if not calls:
        gathered.add(text_of(value))
    # One result answers all calls of an item, so that they are one.
    turn.makes += (Call("", calls[0][0] if calls else ""),)


def _calls_in(value: object) -> list[tuple[str, str]]:
    """Return the names and arguments of the calls that a value spells as JSON."""
    found = _json_in(value) if isinstance(value, str) else value
    listed = found if isinstance(found, list) else [found]
    return [
        (text_of(each["name"]), text_of(each.get("arguments")))
        for each in listed
        if isinstance(each, dict) and isinstance(each.get("name"), str)
    ]


def _json_in(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,  # noqa: ARG001  Nothing in these is signed.
    alternation: Alternation | None = None,
) -> bytes | Document:
    """Return the conversation of a view, among the others of the input (contract R2).

    Args:
        view: The view.
        session: The session that it was made of.
        reasoning: Accepted for the sake of other formats.
        alternation: `strict` keeps the two sides apart by a word; where the input does that
            already, so does the output in any case.

    Raises:
        UnrenderableView: Nothing but system items would be left, or a turn has no original.
    """
    held: Held = session.source
    if is_unchanged(view, session) and (alternation is None or _alternates(held.source.messages)):
        return held.opened.given
    names = _Names(held.source.messages)
    items = flat(
        written_batches(view, held.source, Spelling(names.summary, _masked, names.closing))
    )
    if alternation is not None or _alternates(held.source.messages):
        items = list(names.alternating(items))
    return held.opened.spelled(placed(held.source.document, held.source.path, items))


def _masked(item: Message, text: str) -> Message:
    return {**item, "value": text}


class _Names:
    """What a conversation calls its speakers."""

    def __init__(self, items: Sequence[Any]) -> None:
        named = {role: str(item["from"]) for item in reversed(items) if (role := _role_of(item))}
        said = {
            str(item["from"])
            for item in items
            if _role_of(item) is Role.ASSISTANT and not _is_call(item)
        }
        self._user = named.get(Role.USER, "human")
        self._tool = named.get(Role.TOOL, "observation")
        self._model = min(said, default="gpt")

    def summary(self, turn: TranscriptTurn) -> Message:
        return {"from": self._user, "value": turn.content}

    def closing(self, _item: Message, _number: int) -> Message:
        return {"from": self._tool, "value": CLOSED_CALL}

    def alternating(self, items: Sequence[Message]) -> Iterator[Message]:
        """Yield items with a word between two of one side."""
        after_model = True
        for item in items:
            by_model = _role_of(item) is Role.ASSISTANT
            if _role_of(item) is not Role.SYSTEM:
                if by_model and after_model:
                    yield {"from": self._user, "value": BRIDGE}
                elif not by_model and not after_model:
                    yield {"from": self._model, "value": REMOVED_REPLY}
                after_model = by_model
            yield item


def _alternates(items: Sequence[Any]) -> bool:
    """Whether a person (or a result) begins and the model alternates with it."""
    roles = [role for item in items if (role := _role_of(item)) is not Role.SYSTEM]
    if not roles or None in roles or roles[0] is Role.ASSISTANT:
        return False
    by_model = [role is Role.ASSISTANT for role in roles]
    return all(first != second for first, second in pairwise(by_model))


def check(
    document_or_bytes: Given,
    *,
    pending_ok: bool = False,
    conversation: int | None = None,
    strict: bool = False,
    alternation: Alternation | None = None,
) -> list[Fault]:
    """Return every fault for which a training tool would leave a conversation out.

    Args:
        document_or_bytes: The conversations, in any of the forms that `parse` reads.
        pending_ok: Whether a call at the very end may wait for its result.
        conversation: Which of several, counted from 0; by default all of them.
        strict: Whether the two sides have to alternate, as LLaMA-Factory and FastChat ask.
        alternation: `strict` says the same in the words of the other formats.
    """
    strict = strict or alternation is not None
    document = opened(document_or_bytes).document
    paths = _paths(document)
    if not paths:
        return [Fault("conversations", "no_items", "there are no conversations")]
    faults: list[Fault] = []
    for number, path in enumerate(paths):
        if conversation is None or conversation == number:
            place = spelled_path(path, "conversations")
            items = at_path(document, path)
            faults += check_conversation(place, items, pending_ok=pending_ok, strict=strict)
    return faults
