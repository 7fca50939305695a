"""pi sessions, valid by construction: old ones without ids, and newer ones that are a tree."""

import json
from typing import Any

from hypothesis import strategies as st

Object = dict[str, Any]
Step = tuple[Any, ...]

SIGNATURE = "c2lnbmVk"
HEADER = {"type": "session", "id": "s-1", "timestamp": "T0", "cwd": "/work"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}

texts = st.sampled_from(["go on", "continue", "continue", "look at the log", "x" * 300])
outputs = st.sampled_from(["", "ok", "y" * 90, "z" * 400])
calls = st.dictionaries(
    st.sampled_from(["call_0", "call_1", "call_2"]), st.none() | outputs, min_size=1, max_size=3
)
steps = st.one_of(
    st.tuples(st.just("user"), texts, st.booleans()),
    st.tuples(st.just("assistant"), texts, st.booleans()),
    st.tuples(st.just("batch"), calls, st.none() | texts),
    st.tuples(st.just("bash"), outputs, st.booleans()),
    st.tuples(st.just("custom"), texts, st.booleans()),
    st.tuples(st.just("aborted"), texts, st.booleans()),
    st.tuples(st.just("setting"), texts, st.booleans()),
    st.tuples(st.just("system"), texts, st.booleans()),
    st.tuples(st.just("compaction"), texts, st.booleans()),
)
histories = st.lists(steps, min_size=1, max_size=9)


def user(text: Any) -> Object:  # noqa: ANN401
    content = [{"type": "text", "text": text}] if isinstance(text, str) else text
    return message("user", content=content)


def message(role: str, **keys: Any) -> Object:  # noqa: ANN401
    return {"type": "message", "timestamp": "T1", "message": {"role": role, **keys, "timestamp": 1}}


def said(text: str, *calls: str, thinking: str = "", **keys: Any) -> Object:  # noqa: ANN401
    """Return an assistant's record: thinking, a text, calls by their ids."""
    content: list[Object] = []
    if thinking:
        content.append({"type": "thinking", "thinking": thinking, "thinkingSignature": SIGNATURE})
    content += [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "toolCall", "id": each, "name": "run", "arguments": {"command": "ls"}}
        for each in calls
    ]
    reason = "toolUse" if calls else "stop"
    shared = {"api": "anthropic-messages", "provider": "anthropic", "model": "m"}
    return message("assistant", **{"content": content, **shared, "stopReason": reason, **keys})


def result(call_id: str, text: str, *, failed: bool = False, **keys: Any) -> Object:  # noqa: ANN401
    content = [{"type": "text", "text": text}]
    named = {"toolCallId": call_id, "toolName": "run", "content": content}
    return message("toolResult", **named, **keys, isError=failed)


def bash(output: str, *, kept_out: bool = False) -> Object:
    keys = {"command": "ls", "output": output, "exitCode": 0, "cancelled": False}
    return message("bashExecution", **keys, truncated=False, excludeFromContext=kept_out)


def compaction(summary: str, kept: Any) -> Object:  # noqa: ANN401
    """Return a compaction that keeps what stands from a record's index on, or messages."""
    record = {"type": "compaction", "timestamp": "T1", "summary": summary, "tokensBefore": 9}
    return {**record, ("retainedTail" if isinstance(kept, list) else "firstKeptEntryIndex"): kept}


def records_of(story: list[Step]) -> list[Object]:
    """Write a story as records of an old session, the header first."""
    records: list[Object] = [HEADER, user("the task")]
    for kind, first, second in story:
        if kind == "user":
            records.append(user([{"type": "text", "text": first}, IMAGE] if second else first))
        elif kind == "assistant":
            records.append(said(first, thinking="hm " * 20 if second else ""))
        elif kind == "batch":
            records.append(said("", *first, thinking="hm " if second else ""))
            records += [result(each, text) for each, text in first.items() if text is not None]
            records += [user(second)] if second is not None else []
        elif kind == "bash":
            records.append(bash(first, kept_out=second))
        elif kind == "custom":
            body = {"type": "custom_message", "timestamp": "T1", "customType": "x"}
            records.append({**body, "content": first, "display": second})
        elif kind == "aborted":
            reason = {"stopReason": "aborted" if second else "error"}
            records.append(said(first if second else "", "call_9", **reason))
        elif kind == "setting":
            level = {"thinkingLevel": "high"}
            records.append({"type": "thinking_level_change", "timestamp": "T1", **level})
        elif kind == "system":
            records.append(
                message("system", content=first, sections={"cwd": "/" if second else None})
            )
        else:
            records.append(compaction(first, _cut(records) if second else len(records)))
    return records


def _cut(records: list[Object]) -> int:
    """Return the index of the last record that a compaction can keep from."""
    starts = [at for at, record in enumerate(records) if _role(record) in ("user", "assistant")]
    return starts[-1]


def _role(record: Object) -> str:
    return str(record.get("message", {}).get("role", ""))


def as_tree(records: list[Object]) -> list[Object]:
    """Give the records of an old session ids and parents, as newer clients write them."""
    tree: list[Object] = [{**records[0], "version": 3}]
    for number, record in enumerate(records[1:], start=1):
        kind, *others = record.items()
        parent = f"id{number - 1:06}" if number > 1 else None
        linked = dict([kind, ("id", f"id{number:06}"), ("parentId", parent), *others])
        if isinstance(index := linked.pop("firstKeptEntryIndex", None), int):
            linked["firstKeptEntryId"] = f"id{index:06}"
        tree.append(linked)
    return tree


def lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@st.composite
def sessions(draw: st.DrawFn) -> list[Object]:
    """Draw a session: parallel and open calls, thinking, images, commands, compactions."""
    records = records_of(draw(histories))
    return as_tree(records) if draw(st.booleans()) else records
