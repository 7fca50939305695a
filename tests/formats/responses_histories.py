"""Histories of Responses items, valid by construction, and rollouts of Codex made of them."""

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Item = dict[str, Any]
Json = Any
"""What is compared has any shape."""

Step = tuple[str, Any]

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def user(text: str) -> Item:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def picture(text: str) -> Item:
    image = {"type": "input_image", "detail": "auto", "image_url": PIXEL}
    return {"role": "user", "content": [{"type": "input_text", "text": text}, image]}


def developer(text: str) -> Item:
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": "developer", "content": content}


def said(text: str, **more: Json) -> Item:
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "role": "assistant", "content": content, **more}


def thought(item_id: str | None = None, blob: str | None = None) -> Item:
    item: Item = {"type": "reasoning", "summary": [], "content": None}
    if blob is not None:
        item["encrypted_content"] = blob
    return item if item_id is None else {**item, "id": item_id}


def searched(item_id: str) -> Item:
    action = {"type": "search", "query": "trellis", "queries": ["trellis"]}
    return {"type": "web_search_call", "id": item_id, "status": "completed", "action": action}


def calling(call_id: str, kind: str = "function", **more: Json) -> Item:
    """A call of any kind."""
    shell = {"type": "exec", "command": ["ls"], "env": {}}
    patch = {"type": "update_file", "path": "a.py", "diff": "+ b"}
    click = {"type": "screenshot"}
    bodies: dict[str, Item] = {
        "function": {"type": "function_call", "name": "run", "arguments": '{ "a":  1 }'},
        "custom": {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin"},
        "local_shell": {"type": "local_shell_call", "action": shell, "status": "completed"},
        "shell": {"type": "shell_call", "action": {"commands": ["ls -l"]}},
        "apply_patch": {"type": "apply_patch_call", "operation": patch, "status": "completed"},
        "computer": {"type": "computer_call", "action": click, "pending_safety_checks": []},
        "approval": {"type": "mcp_approval_request", "name": "pay", "arguments": "{}"},
    }
    named = {"id": call_id} if kind == "approval" else {"call_id": call_id}
    if kind == "approval":
        more = {"server_label": "bank"}
    if kind == "local_shell":
        more.setdefault("id", f"lsh_{call_id}")
    if kind == "computer":
        more.setdefault("id", f"cu_{call_id}")
        more["status"] = "completed"
    return {**bodies[kind], **named, **more}


def result(call_id: str, text: str = "y" * 60, kind: str = "function") -> Item:
    """The result of a call of any kind."""
    outcome = {"type": "exit", "exit_code": 0}
    chunk = {"stdout": text, "stderr": "", "outcome": outcome}
    shown = {"type": "computer_screenshot", "image_url": PIXEL}
    named = {"call_id": call_id}
    bodies: dict[str, Item] = {
        "function": {"type": "function_call_output", **named, "output": text},
        "custom": {"type": "custom_tool_call_output", **named, "output": text},
        "local_shell": {"type": "local_shell_call_output", "id": call_id, "output": text},
        "shell": {"type": "shell_call_output", **named, "output": [chunk]},
        "apply_patch": {
            "type": "apply_patch_call_output",
            **named,
            "status": "completed",
            "output": text,
        },
        "computer": {"type": "computer_call_output", **named, "output": shown},
        "approval": {
            "type": "mcp_approval_response",
            "approval_request_id": call_id,
            "approve": True,
            "reason": text,
        },
    }
    return bodies[kind]


@dataclass(frozen=True)
class Saying:
    """What stands before the calls of a model response: reasoning, a search, a message."""

    reasoning: str | None
    has_ids: bool
    searches: bool
    text: str


texts = st.sampled_from(["go on", "continue", "continue", "ok", "look at the log 🟥", "x" * 300])
outputs = st.sampled_from(["", "ok", "continue", "y" * 90, "z" * 400, '{"a": 1}'])
ids = st.sampled_from(["call_0", "call_1", "call_2"])
sayings = st.builds(
    Saying, st.sampled_from([None, "", "r" * 200]), st.booleans(), st.booleans(), texts
)
FUNCTIONS = ("function", "custom")
KINDS = (*FUNCTIONS, "local_shell", "shell", "apply_patch", "computer")


def steps(kinds: tuple[str, ...]) -> st.SearchStrategy[Step]:
    """What happens: someone's text, a picture, a model's words, a batch of calls."""
    calls = st.dictionaries(
        ids, st.tuples(st.sampled_from(kinds), st.none() | outputs), min_size=1, max_size=3
    )
    return st.one_of(
        st.tuples(st.sampled_from(["user", "picture", "developer"]), texts),
        st.tuples(st.just("said"), sayings),
        st.tuples(st.just("batch"), st.tuples(st.none() | sayings, calls, st.none() | texts)),
    )


@st.composite
def histories(draw: st.DrawFn, kinds: tuple[str, ...] = KINDS) -> list[Item]:
    """Parallel calls, reasoning, pictures, reused ids, empty and missing results, user texts."""
    drawn = draw(st.lists(steps(kinds), min_size=1, max_size=9))
    return built([("user", draw(texts)), *drawn])


def built(happened: list[Step]) -> list[Item]:
    items: list[Item] = []
    makers = {"user": user, "picture": picture, "developer": developer}
    for number, (kind, value) in enumerate(happened):
        if kind in makers:
            items.append(makers[kind](value))
        elif kind == "said":
            items += _said(value, number)
        else:
            items += _batch(value, number)
    return items


def _said(saying: Saying, number: int) -> Iterator[Item]:
    named = {"id": f"msg_{number}", "status": "completed"} if saying.has_ids else {}
    if saying.reasoning is not None:
        yield thought(f"rs_{number}" if saying.has_ids else None, saying.reasoning)
    if saying.searches:
        yield searched(f"ws_{number}")
    yield said(saying.text, **named)


def _batch(batch: Any, number: int) -> Iterator[Item]:  # noqa: ANN401
    saying, calls, between = batch
    if saying is not None:
        yield from _said(saying, number)
    for at, (call_id, (kind, _)) in enumerate(calls.items()):
        item_id = f"{kind}_{number}_{at}"
        yield calling(call_id, kind, id=item_id)
    answers = [
        result(call_id, text, kind) for call_id, (kind, text) in calls.items() if text is not None
    ]
    yield from answers[:1]
    if between is not None or not answers:
        yield user(between or "Never mind.")
    yield from reversed(answers[1:])


def with_ids(items: list[Item]) -> list[Item]:
    """Items as the provider's types want them: with ids, for validation only."""
    made = copy.deepcopy(items)
    for number, item in enumerate(made):
        kind = item.get("type", "message")
        if kind == "reasoning" and item.get("content") is None:
            item.pop("content", None)
        if kind in ("reasoning", "web_search_call", "computer_call"):
            item.setdefault("id", f"made_{number}")
        if item.get("role") == "assistant" and isinstance(item["content"], list):
            item.setdefault("id", f"made_{number}")
            item.setdefault("status", "completed")
            for part in item["content"]:
                part.setdefault("annotations", [])
                if part.get("logprobs") is None:
                    part.pop("logprobs", None)
        if kind == "local_shell_call_output" and "call_id" in item:
            item.setdefault("id", item["call_id"])
    return made


HEAD = {
    "id": "019d7e3e-fae8-7a02-86dc-fa6bbec0caab",
    "timestamp": "2026-04-11T20:32:29.929Z",
    "cwd": "/home/dev/trellis",
    "originator": "codex-tui",
    "cli_version": "0.118.0",
    "source": "cli",
    "model_provider": "openai",
    "base_instructions": {"text": "You look after trellis."},
}
"""The head of a session."""


class Rollout:
    """Appends records as Codex does."""

    def __init__(self, *, has_head: bool = True) -> None:
        self.lines: list[bytes] = []
        if has_head:
            self.add("session_meta", HEAD)

    def add(self, kind: str, payload: Json) -> "Rollout":
        stamp = f"2026-04-11T20:{len(self.lines) // 60:02}:{len(self.lines) % 60:02}.000Z"
        record = {"timestamp": stamp, "type": kind, "payload": payload}
        self.lines.append(line_of(record))
        return self

    def items(self, *items: Item) -> "Rollout":
        """Each item with the event that repeats it."""
        for item in items:
            role = item.get("role")
            if role == "assistant":
                self.event("agent_message", message=item["content"][0]["text"])
            self.add("response_item", item)
            if role == "user" and item["content"][0]["text"][:1] not in ("<", "#"):
                self.event("user_message", message=item["content"][0]["text"], images=[])
            if item.get("type") == "function_call_output":
                self.event("exec_command_end", call_id=item["call_id"], stdout=item["output"])
        return self

    def event(self, kind: str, **more: Json) -> "Rollout":
        return self.add("event_msg", {"type": kind, **more})

    def context(self, **more: Json) -> "Rollout":
        return self.add("turn_context", {"cwd": "/home/dev/trellis", "model": "gpt-5.4", **more})

    def compacted(self, history: list[Item] | None, message: str = "", **more: Json) -> "Rollout":
        listed = {} if history is None else {"replacement_history": history}
        self.add("compacted", {"message": message, **listed, **more})
        return self.event("context_compacted")

    def data(self) -> bytes:
        return b"".join(self.lines)


def line_of(record: Json) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def records_of(data: bytes) -> list[Json]:
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


@st.composite
def damaged(draw: st.DrawFn, document: Json) -> Json:
    """A document in which one value is another JSON value."""
    changed = copy.deepcopy(document)
    places = list(_places(changed))
    holder, key = draw(st.sampled_from(places))
    holder[key] = draw(json_values)
    return changed


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["", "message", "reasoning", "function_call_output", "assistant", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "output", "call_id", "id"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


def _places(value: Json) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in list(keys):
            yield value, key
            yield from _places(value[key])
