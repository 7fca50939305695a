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
_scan: Final = json.JSONDecoder().raw_decode

_Names = Mapping[tuple[str | None, str], str]
"""By exchange and call id, the tool that a result says it is of."""


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
    names = _names_in(turns)
    for turn in turns:
        if turn.metadata.get(DAMAGE) == ORPHAN:
            found.orphans += 1
        elif turn.role is Role.TOOL:
            _answer(turn, waiting, found)
        else:
            message = _message_of(turn, names, taken, found)
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


def _names_in(turns: Sequence[TranscriptTurn]) -> _Names:
    return {
        (turn.tool_call_id, native): turn.metadata[TOOL_NAME]
        for turn in turns
        if turn.role is Role.TOOL and TOOL_NAME in turn.metadata
        for native in _ids_of(turn.metadata)
    }


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


def _message_of(
    turn: TranscriptTurn, names: _Names, taken: set[str], found: Neutral
) -> NeutralMessage:
    ids = _ids_of(turn.metadata) if turn.role is Role.ASSISTANT else []
    marks = _marks_of(turn.content, [names.get((turn.tool_call_id, each)) for each in ids])
    found.unread += len(ids) - len(marks)
    start = marks[0].start() if marks else len(turn.content)
    words = [turn.content[:start].removesuffix("\n")]
    ends = [*(mark.start() for mark in marks[1:]), len(turn.content)]
    named = []
    for mark, end in zip(marks, ends[: len(marks)], strict=True):
        arguments, behind = _arguments_of(turn.content[mark.end() : end].removesuffix("\n"))
        named.append((mark[1], arguments))
        words.append(behind)
    message = NeutralMessage(turn.role, "\n".join(filter(None, words)))
    named += [("", "{}")] * (len(ids) - len(named))
    for native, (name, arguments) in zip(ids, named, strict=True):
        call_id = _unique(native, taken)
        found.renamed += call_id != native
        message.calls.append(NeutralCall(call_id, name, arguments))
    return message


def _marks_of(content: str, names: Sequence[str | None]) -> list[re.Match[str]]:
    """Return the marks of calls with these names, the last ones; None is any name.

    Other marks are of what the provider ran itself, or are quoted.
    """
    marks = list(_CALL.finditer(content)) if names else []
    chosen: list[re.Match[str]] = []
    for left in range(min(len(names), len(marks)), 0, -1):
        name = names[left - 1]
        while len(marks) > left and name is not None and marks[-1][1] != name:
            marks.pop()
        chosen.append(marks.pop())
    return chosen[::-1]


def _arguments_of(text: str) -> tuple[str, str]:
    """Return the arguments of a call, and what is said in the lines behind them.

    Only of a JSON object it can be told where it ends.
    """
    if not text.startswith("{"):
        return text, ""
    try:
        _, end = _scan(text)
    except (ValueError, RecursionError):
        return text, ""
    return (text[:end], text[end + 1 :]) if text[end : end + 1] == "\n" else (text, "")


def _unique(native: str, taken: set[str]) -> str:
    call_id, number = native, 1
    while not call_id or call_id in taken:
        call_id = f"{native or 'call'}_{number}"
        number += 1
    taken.add(call_id)
    return call_id
