"""ToolBench: an answer with its search tree, and the chats of `train_messages` in it.

A chat uses OpenAI's earlier `function_call` and the role `function`, which have no ids: a result
answers the call before it. A file holds one chat for each step of the search that is trained on.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold._metadata import KIND_INJECTED
from turnfold.errors import UnreadableTranscript
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
    relocated,
    spelled_path,
)
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._openai_read import read_message
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rewrite import Spelling, call_id_of, flat, written_batches
from turnfold.formats._roles import USER
from turnfold.formats._rules.chats import Entry, check_entries
from turnfold.formats._session import Pins, Session, is_unchanged
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "toolbench"
LINES: Final = False
SEVERAL: Final = True

_CHATS: Final[Path] = ("answer_generation", "train_messages")


def matches(document: object) -> bool:
    """Whether a parsed JSON document is an answer of ToolBench."""
    if not isinstance(document, Mapping):
        return False
    answer = document.get("answer_generation")
    if not isinstance(answer, Mapping) or not isinstance(answer.get("train_messages"), list):
        return False
    return bool({"tree", "win", "forward_args", "trys"} & document.keys())


def parse(
    source: Given,
    *,
    scope: str = "live",  # noqa: ARG001  A chat has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
    conversation: int | None = None,
) -> Session:
    """Read one chat of an answer; it is never changed.

    A message is a turn `m{index}`. What the search itself says to the model is no person's words.

    Args:
        source: The parsed JSON, or its bytes.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.
        conversation: Which of several chats, counted from 0.

    Raises:
        UnreadableTranscript: There is no chat, or there are several and none is named.
    """
    held = opened(source)
    paths = _paths(held.document)
    if not paths:
        msg = "an answer of ToolBench has chats in `answer_generation.train_messages`; none is here"
        raise UnreadableTranscript(msg, {"path": spelled_path(_CHATS, ""), "format": NAME})
    path = chosen(paths, conversation, "`answer_generation.train_messages`")
    found = Found()
    for index, message in enumerate(at_path(held.document, path)):
        turn = read_message(index, message, found)
        if turn is not None:
            if turn.role is USER and message.get("valid") is False:
                turn.kind = turn.kind or KIND_INJECTED
            found.add(turn, Place(index))
    pair_by_place([turn for turn, _ in found.turns])
    found = relocated(found, spelled_path(path, "messages"))
    return finished(NAME, held, found, path, pins=pins, estimator=estimator, ledger=ledger)


def _paths(document: object) -> list[Path]:
    answer = document.get("answer_generation") if isinstance(document, Mapping) else None
    chats = answer.get("train_messages") if isinstance(answer, Mapping) else None
    if not isinstance(chats, list):
        return []
    return [(*_CHATS, number) for number, chat in enumerate(chats) if isinstance(chat, list)]


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,  # noqa: ARG001  These chats hold none.
) -> bytes | Document:
    """Return the answer with the messages of a view in place of its chat (contract R2).

    Only the one chat is replaced: the tree and the other chats repeat what it was made of.

    Args:
        view: The view.
        session: The session that it was made of.
        reasoning: Accepted for the sake of other formats.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    held: Held = session.source
    if is_unchanged(view, session):
        return held.opened.given
    messages = flat(written_batches(view, held.source, Spelling(_summary, _masked, _closing)))
    return held.opened.spelled(placed(held.source.document, held.source.path, messages))


def _summary(turn: TranscriptTurn) -> Message:
    return {"role": "user", "content": turn.content}


def _masked(message: Message, text: str) -> Message:
    return {**message, "content": text}


def _closing(message: Message, number: int) -> Message:
    call_id = call_id_of(message, number)
    if call_id is not None:
        return {"role": "tool", "tool_call_id": call_id, "content": CLOSED_CALL}
    name = message["function_call"].get("name") if message.get("function_call") else None
    named = name if isinstance(name, str) else ""
    return {"role": "function", "name": named, "content": CLOSED_CALL}


def check(
    document_or_bytes: Given, *, pending_ok: bool = False, conversation: int | None = None
) -> list[Fault]:
    """Return every fault for which a provider would refuse the chats.

    Args:
        document_or_bytes: The parsed JSON of an answer, or its bytes.
        pending_ok: Whether a call at the very end may wait for its result.
        conversation: Which of several chats, counted from 0; by default all of them.
    """
    document = opened(document_or_bytes).document
    answer = document.get("answer_generation") if isinstance(document, dict) else None
    chats = answer.get("train_messages") if isinstance(answer, dict) else None
    if not isinstance(chats, list):
        return [Fault("answer_generation", "no_messages", "there is no `train_messages`")]
    faults: list[Fault] = []
    for number, chat in enumerate(each for each in chats if isinstance(each, list)):
        if conversation is None or conversation == number:
            place = f"answer_generation.train_messages[{number}]"
            faults += check_entries(list(_entries(place, chat)), pending_ok=pending_ok)
    return faults


def _entries(place: str, chat: Sequence[Any]) -> Iterator[Entry]:
    for index, message in enumerate(chat):
        at = f"{place}[{index}]"
        if not isinstance(message, dict):
            yield Entry(at, type(message).__name__)
            continue
        role = str(message.get("role"))
        if role in ("function", "tool"):
            yield Entry(at, "tool", answers=str(message.get("tool_call_id") or ""))
            continue
        listed = message.get("tool_calls")
        made = listed if isinstance(listed, list) else []
        calls = tuple(str(call.get("id") or "") for call in made if isinstance(call, dict))
        if isinstance(message.get("function_call"), dict):
            calls += ("",)
        is_blank = message.get("content") in (None, "", []) and not calls
        yield Entry(at, role, calls, is_blank=is_blank)
