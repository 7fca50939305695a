"""What pi, and the provider behind it, would refuse in a session.

Written without a look at the renderer: it is what a rendering is held against. The file is read as
the client reads it: the path of the newest record, its last compaction, then the messages as they
are sent. Providers behind it are mostly Anthropic, so the words are theirs.
"""

from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats._faults import Fault
from turnfold.formats._lines import read_records

_UNANSWERED: Final = (
    "`tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)
_UNEXPECTED: Final = (
    "unexpected `tool_use_id` found in `tool_result` blocks: {}. Each `tool_result` block must "
    "have a corresponding `tool_use` block in the previous message."
)
_REPEATED: Final = "`tool_use` ids must be unique"
_BLANK: Final = "text content blocks must be non-empty"
_FIRST: Final = 'first message must use the "user" role'

_Sent = tuple[str, dict[str, Any]]


def check_pi(source: bytes, *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault of a session; empty where there is none.

    Args:
        source: The file's bytes.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    rows: list[tuple[str, dict[str, Any]]] = []
    faults: list[Fault] = []
    for number, _, values, damage in read_records(source):
        faults += [Fault(each.place, "unreadable", each.message) for each in damage]
        rows += [(f"line {number}", value) for value in values]
    if not rows or rows[0][1].get("type") != "session" or not _text(rows[0][1].get("id")):
        faults.append(Fault("line 1", "no_header", "the first record is the session's header"))
    path = _path(rows, faults)
    rows = _edited(rows, path)
    sent = [each for each in _context(rows, path) if not _is_left_out(each[1])]
    faults += _order(sent)
    faults += _pairs(sent, pending_ok=pending_ok)
    for place, message in sent:
        faults += _contents(place, message)
    return faults


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _path(rows: list[_Sent], faults: list[Fault]) -> list[int]:
    """Return the numbers of the records on the newest branch, in order."""
    body = [number for number, (_, row) in enumerate(rows) if row.get("type") != "session"]
    if not any(_text(rows[number][1].get("id")) for number in body):
        return body
    by_id = {_text(rows[number][1].get("id")): number for number in body}
    path: list[int] = []
    at: int | None = body[-1]
    while at is not None:
        path.append(at)
        place, row = rows[at]
        parent = row.get("parentId")
        if parent is not None and by_id.get(_text(parent), len(rows)) >= at:
            message = f"no record before it has the id {parent!r}"
            faults.append(Fault(place, "broken_parent", message))
            break
        at = None if parent is None else by_id[_text(parent)]
    return path[::-1]


def _context(rows: list[_Sent], path: list[int]) -> Iterator[_Sent]:
    """Yield the messages of the context: a summary, what was kept, what follows."""
    compactions = [number for number in path if rows[number][1].get("type") == "compaction"]
    last = compactions[-1] if compactions else -1
    kept = last < 0
    if last >= 0:
        place, row = rows[last]
        if isinstance(row.get("systemMessage"), dict):
            yield place, row["systemMessage"]
        yield place, {"role": "compactionSummary", "summary": row.get("summary")}
        tail = row.get("retainedTail")
        for message in tail if isinstance(tail, list) else ():
            yield place, message if isinstance(message, dict) else {}
    for number in path:
        place, row = rows[number]
        if last >= 0 and not kept:
            named = rows[last][1]
            own = _text(row.get("id"))
            first = bool(own) and own == named.get("firstKeptEntryId")
            kept = number > last or first or number == named.get("firstKeptEntryIndex")
        if not kept or row.get("type") == "compaction":
            continue
        message = _message(row)
        if message is not None and (number > last or message.get("role") != "system"):
            yield place, message


def _message(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a record is sent as; None where it is a side record."""
    if row.get("type") == "message":
        message = row.get("message")
        return message if isinstance(message, dict) else {}
    if row.get("type") == "custom_message":
        return {"role": "custom", "content": row.get("content")}
    if row.get("type") == "branch_summary" and row.get("summary"):
        return {"role": "branchSummary", "summary": row["summary"]}
    return None


def _edited(rows: list[_Sent], path: list[int]) -> list[_Sent]:
    """Return the records as later edits on the path have them sent."""
    records = [rows[number][1] for number in path]
    edits = {
        _text(row.get("targetId")): row.get("replacement")
        for row in records
        if row.get("type") == "context_edit"
    }
    return [(place, _with(row, edits)) for place, row in rows]


def _with(row: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    own, message = _text(row.get("id")), row.get("message")
    if not own or own not in edits or row.get("type") == "compaction":
        return row
    if edits[own] is None:
        return {**row, "type": "left_out"}
    content = edits[own].get("content")
    if row.get("type") == "message" and isinstance(message, dict):
        if message.get("role") in ("assistant", "toolResult") and isinstance(content, str):
            content = [{"type": "text", "text": content}]
        return {**row, "message": {**message, "content": content}}
    return {**row, "content": content}


def _is_left_out(message: dict[str, Any]) -> bool:
    """Whether the client does not send a message: broken off, excluded, or nothing said."""
    if message.get("role") == "assistant":
        blocks = message.get("content")
        said = isinstance(blocks, list) and any(not _is_void(block) for block in blocks)
        return not said or message.get("stopReason") in ("aborted", "error")
    return message.get("role") == "bashExecution" and bool(message.get("excludeFromContext"))


def _is_void(block: object) -> bool:
    if not isinstance(block, dict):
        return True
    kind = block.get("type")
    return kind in ("text", "thinking") and not (
        _text(block.get(str(kind))).strip() or block.get("thinkingSignature")
    )


def _order(sent: list[_Sent]) -> Iterator[Fault]:
    sent = [each for each in sent if each[1].get("role") != "system"]
    if not sent:
        yield Fault("line 1", "no_message", "no message would be sent")
    elif sent[0][1].get("role") in ("assistant", "toolResult"):
        message = "the first message that is sent is a user's"
        yield Fault(sent[0][0], "first_role", message, _FIRST)


def _pairs(sent: list[_Sent], *, pending_ok: bool) -> Iterator[Fault]:
    """All results of a message stand directly behind it, each once."""
    waiting: list[str] = []
    opened = ""
    for place, message in sent:
        if message.get("role") == "system":
            continue
        if message.get("role") == "toolResult":
            named = _text(message.get("toolCallId"))
            if named in waiting:
                waiting.remove(named)
            else:
                words = _UNEXPECTED.format(named)
                yield Fault(place, "orphan_result", f"no call waits for {named!r}", words)
            continue
        if waiting:
            yield _open(opened, waiting)
        waiting, opened = [], place
        if message.get("role") == "assistant":
            waiting = _calls(message)
            if len(set(waiting)) < len(waiting):
                yield Fault(place, "repeated_id", "ids of one message repeat", _REPEATED)
    if waiting and not pending_ok:
        yield _open(opened, waiting)


def _open(place: str, waiting: list[str]) -> Fault:
    words = _UNANSWERED.format(", ".join(waiting))
    message = f"{len(waiting)} calls have no result directly behind them"
    return Fault(place, "unanswered_call", message, words)


def _calls(message: dict[str, Any]) -> list[str]:
    content = message.get("content")
    return [
        _text(block.get("id"))
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, dict) and block.get("type") == "toolCall"
    ]


def _contents(place: str, message: dict[str, Any]) -> Iterator[Fault]:
    role = message.get("role")
    if role in ("compactionSummary", "branchSummary"):
        if not _text(message.get("summary")).strip():
            yield Fault(place, "empty_content", "a summary says something", _BLANK)
    elif role in ("user", "custom", "hookMessage"):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        if all(_is_void(block) for block in blocks):
            yield Fault(place, "empty_content", "a user's message says something", _BLANK)
    elif role not in ("system", "assistant", "toolResult", "bashExecution"):
        yield Fault(place, "role", f"no message has the role {role!r:.40}")
