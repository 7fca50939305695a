"""ShareGPT: `conversations` of `from` and `value`, as data sets for training hold them.

There are no ids: a result answers the turn before it. Training tools take a conversation only
where a person's turns (or results) and the model's alternate. Where the input keeps to that, so
does a rendering: between two turns of one side it puts one that says that something was removed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._alternation import Alternation
from turnfold.formats._document import DEFAULT_PINS, Document, placed
from turnfold.formats._either import Given, opened
from turnfold.formats._faults import Fault
from turnfold.formats._itemwise import Held, Path, at_path, chosen, finished, spelled_path
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rewrite import Spelling, flat, written_batches
from turnfold.formats._session import Pins, Session, is_unchanged
from turnfold.formats.sharegpt._read import read_items, role_of
from turnfold.formats.sharegpt._rules import check_conversation
from turnfold.formats.sharegpt._write import Names, alternates, masked
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

NAME: Final = "sharegpt"
LINES: Final = False
ALTERNATES: Final = True
"""A document; `parse` takes the bytes of JSON Lines too."""
SEVERAL: Final = True

_PEEKED: Final = 20


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
    return bool(first) and all(role_of(item) is not None and "value" in item for item in first)


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
    found = read_items(items, spelled_path(path, "conversations"))
    return finished(NAME, held, found, path, pins=pins, estimator=estimator, ledger=ledger)


def _paths(document: Any) -> list[Path]:  # noqa: ANN401  JSON.
    if isinstance(document, dict):
        return [("conversations",)] if isinstance(document.get("conversations"), list) else []
    if any(role_of(item) is not None for item in document):
        return [()]
    return [
        (number, "conversations")
        for number, each in enumerate(document)
        if isinstance(each, dict) and isinstance(each.get("conversations"), list)
    ]


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
    if is_unchanged(view, session) and (alternation is None or alternates(held.source.messages)):
        return held.opened.given
    names = Names(held.source.messages)
    items = flat(written_batches(view, held.source, Spelling(names.summary, masked, names.closing)))
    if alternation is not None or alternates(held.source.messages):
        items = list(names.alternating(items))
    return held.opened.spelled(placed(held.source.document, held.source.path, items))


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
