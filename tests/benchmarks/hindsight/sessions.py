"""Reads recorded sessions into plain turns, with nothing of turnfold's own loaders.

The replay is to measure decisions and digests, not parsers, and it reads formats that turnfold
does not (pi).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnfold import Transcript, TranscriptTurn

FOLDERS = ("claude_code", "codex", "pi")


@dataclass
class Step:
    """One turn: its role, its text, the calls that it makes or answers."""

    role: str
    text: str
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    answers: str | None = None
    kind: str | None = None
    pinned: bool = False

    @property
    def content(self) -> str:
        rendered = [
            f"[call {name}] {json.dumps(arguments, ensure_ascii=False)}"
            for _, name, arguments in self.calls
        ]
        return "\n".join(filter(None, [self.text, *rendered]))


def load(path: Path) -> list[Step]:
    """Return the turns of a session, empty ones left out."""
    reader = {"claude_code": _claude_code, "codex": _codex, "pi": _pi}[path.parent.name]
    steps = [step for step in reader(_records(path)) if step.content.strip()]
    genuine = [step for step in steps if step.role == "user" and step.kind is None]
    for step in genuine[:1]:
        step.pinned = True
    return steps


def transcript_of(steps: list[Step]) -> Transcript:
    """Return the turns as a transcript, at four characters a token."""
    turns = []
    calls: dict[str, list[str]] = {}
    for number, step in enumerate(steps):
        name = f"t{number}"
        metadata = {"turnfold.kind": step.kind} if step.kind else {}
        size = -(-len(step.content) // 4)
        turns.append(
            TranscriptTurn(
                name, step.role, step.content, size, pinned=step.pinned, metadata=metadata
            )
        )
        if step.calls:
            calls[name] = [call_id for call_id, _, _ in step.calls]
        elif step.answers is not None:
            calls[name] = [step.answers]
    return Transcript.from_calls(turns, calls)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(part for part in parts if isinstance(part, str))


def _claude_code(records: Iterator[dict[str, Any]]) -> Iterator[Step]:
    for record in records:
        message = record.get("message")
        if record.get("type") not in ("user", "assistant") or not isinstance(message, dict):
            continue
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        parts: list[dict[str, Any]] = [block for block in blocks if isinstance(block, dict)]
        kind = "summary" if record.get("isCompactSummary") else None
        kind = "injected" if record.get("isMeta") else kind
        text = _text_of([block for block in parts if block.get("type") == "text"])
        calls: list[tuple[str, str, dict[str, Any]]] = [
            (block["id"], block["name"], block["input"])
            for block in parts
            if block.get("type") == "tool_use"
        ]
        for block in parts:
            if block.get("type") == "tool_result":
                answer = _text_of(block.get("content"))
                yield Step("tool", answer, answers=block.get("tool_use_id", ""))
        if text or calls:
            yield Step(record["type"], text, calls, kind=kind)


def _codex(records: Iterator[dict[str, Any]]) -> Iterator[Step]:
    for record in records:
        item = record.get("payload")
        if record.get("type") != "response_item" or not isinstance(item, dict):
            continue
        if item.get("type") == "message" and item.get("role") in ("user", "assistant"):
            text = _text_of(item.get("content"))
            injected = item["role"] == "user" and text.startswith(("<", "# AGENTS"))
            yield Step(item["role"], text, kind="injected" if injected else None)
        elif item.get("type") in ("function_call", "custom_tool_call"):
            raw = item.get("arguments") or item.get("input") or "{}"
            try:
                arguments = json.loads(raw)
            except ValueError:
                arguments = {"input": raw}
            if not isinstance(arguments, dict):
                arguments = {"input": raw}
            yield Step("assistant", "", [(item.get("call_id", ""), item["name"], arguments)])
        elif item.get("type") in ("function_call_output", "custom_tool_call_output"):
            output = item.get("output")
            text = output if isinstance(output, str) else _text_of(output)
            yield Step("tool", text, answers=item.get("call_id", ""))


def _pi(records: Iterator[dict[str, Any]]) -> Iterator[Step]:
    for record in records:
        message = record.get("message")
        if record.get("type") != "message" or not isinstance(message, dict):
            continue
        content = message.get("content")
        if message.get("role") == "toolResult":
            yield Step("tool", _text_of(content), answers=message.get("toolCallId", ""))
        elif message.get("role") in ("user", "assistant"):
            blocks = content if isinstance(content, list) else []
            calls = [
                (block["id"], block["name"], block["arguments"])
                for block in blocks
                if isinstance(block, dict) and block.get("type") == "toolCall"
            ]
            text = content if isinstance(content, str) else _text_of(content)
            yield Step(message["role"], text, calls)
