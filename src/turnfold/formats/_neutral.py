"""What every chat has: words, calls with their results, and who said them; read off the turns."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from turnfold._metadata import (
    CALL_IDS,
    DAMAGE,
    STATUS,
    STATUS_ERROR,
    STATUS_PENDING,
    TOOL_NAME,
)
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._session import ORPHAN
from turnfold.transcript import Role, TranscriptTurn

_CALL: Final = re.compile(r"^\[call ([^\]\n]{0,200})\] ", re.MULTILINE)


@dataclass(slots=True)
class NeutralCall:
    """A call: a unique id, the tool, its arguments as the model wrote them, and its result.

    Args:
        call_id: The id.
        name: The tool.
        arguments: JSON as a rule.
        result: What it gave; None while it waits at the very end.
        failed: Whether the result is an error.
    """

    call_id: str
    name: str
    arguments: str
    result: str | None = None
    failed: bool = False


@dataclass(slots=True)
class NeutralMessage:
    """A message: its role, its words, and the calls that it makes with their results."""

    role: Role
    text: str
    calls: list[NeutralCall] = field(default_factory=list)


@dataclass(slots=True)
class Neutral:
    """A conversation, and what of it could not be told.

    Args:
        messages: In order; no result is a message of its own.
        orphans: Results that answer no call, left out.
        closed: Calls that never got a result, closed with an error.
        renamed: Calls that got another id, because theirs was empty or not unique.
        unread: Calls whose arguments could not be told from the text.
    """

    messages: list[NeutralMessage] = field(default_factory=list)
    orphans: int = 0
    closed: int = 0
    renamed: int = 0
    unread: int = 0


def neutral_of(turns: Sequence[TranscriptTurn]) -> Neutral:
    """Return the conversation of turns that a format read."""
    found = Neutral()
    waiting: defaultdict[tuple[str | None, str], list[NeutralCall]] = defaultdict(list)
    taken: set[str] = set()
    pending: list[NeutralCall] = []
    for turn in turns:
        if turn.metadata.get(DAMAGE) == ORPHAN:
            found.orphans += 1
        elif turn.role is Role.TOOL:
            _answer(turn, waiting, found)
        else:
            message = _message_of(turn, taken, found)
            found.messages.append(message)
            ids = _ids_of(turn.metadata) if message.calls else []
            for call, native in reversed(list(zip(message.calls, ids, strict=False))):
                waiting[turn.tool_call_id, native].append(call)
            pending = message.calls if turn.metadata.get(STATUS) == STATUS_PENDING else []
    for message in found.messages:
        for call in message.calls:
            if call.result is None and not (message is found.messages[-1] and call in pending):
                call.result, call.failed = CLOSED_CALL, True
                found.closed += 1
    return found


def _ids_of(metadata: Mapping[str, str]) -> list[str]:
    listed: list[str] = json.loads(metadata.get(CALL_IDS) or "[]")
    return listed


def _answer(
    turn: TranscriptTurn,
    waiting: defaultdict[tuple[str | None, str], list[NeutralCall]],
    found: Neutral,
) -> None:
    """Give a result to the latest call of its exchange that waits for its id (A7)."""
    for native in _ids_of(turn.metadata):
        if stack := waiting[turn.tool_call_id, native]:
            call = stack.pop()
            call.result = turn.content
            call.failed = turn.metadata.get(STATUS) == STATUS_ERROR
            call.name = call.name or turn.metadata.get(TOOL_NAME, "")
            return
    found.orphans += 1


def _message_of(turn: TranscriptTurn, taken: set[str], found: Neutral) -> NeutralMessage:
    ids = _ids_of(turn.metadata) if turn.role is Role.ASSISTANT else []
    marks = list(_CALL.finditer(turn.content))[-len(ids) :] if ids else []
    if len(marks) < len(ids):
        found.unread += len(ids) - len(marks)
    start = marks[0].start() if marks else len(turn.content)
    message = NeutralMessage(turn.role, turn.content[:start].removesuffix("\n"))
    ends = [*(mark.start() for mark in marks[1:]), len(turn.content)]
    named = [
        (mark[1], turn.content[mark.end() : end].removesuffix("\n"))
        for mark, end in zip(marks, ends[: len(marks)], strict=True)
    ]
    named += [("", "{}")] * (len(ids) - len(named))
    for native, (name, arguments) in zip(ids, named, strict=True):
        call_id = _unique(native, taken)
        found.renamed += call_id != native
        message.calls.append(NeutralCall(call_id, name, arguments))
    return message


def _unique(native: str, taken: set[str]) -> str:
    call_id, number = native, 1
    while not call_id or call_id in taken:
        call_id = f"{native or 'call'}_{number}"
        number += 1
    taken.add(call_id)
    return call_id
