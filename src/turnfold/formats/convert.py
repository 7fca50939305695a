"""From any format to one that a provider's API takes, and what is lost on the way.

A conversion carries words, calls and results. It starts from the turns, so it carries a compacted
view as well as a session, and it gives valid histories only: calls without a result are closed,
results without a call are left out, and both are said.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold._record import sealed
from turnfold.errors import InvalidConfiguration, UnrenderableView
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._document import Document
from turnfold.formats._marks import BRIDGE
from turnfold.formats._neutral import Neutral, NeutralCall, NeutralMessage, neutral_of
from turnfold.formats._session import Session, transcript_of
from turnfold.tokens import MessageEstimator
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

_MEDIA: Final = re.compile(r"^\[(?:image|audio|video|file|document)(?: [^\]\n]*)?\]$", re.MULTILINE)


@sealed
@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a conversion could not carry.

    Args:
        what: In a few words.
        count: How many turns or calls it concerns.
    """

    what: str
    count: int


@sealed
@dataclass(frozen=True, slots=True)
class Converted:
    """A converted history, and what it does not carry.

    Args:
        document: JSON, or text for `plain-text`.
        losses: What was lost; empty where everything was carried.
    """

    document: Document | str
    losses: tuple[Loss, ...]


def convert(
    session: Session, to: str, *, view: CompactedView | Transcript | None = None
) -> Converted:
    """Write a session, or a view of it, in another format.

    Args:
        session: The session, read with the default estimator if reasoning is to be counted.
        to: One of `TARGETS`.
        view: What to write instead of the whole session.

    Raises:
        InvalidConfiguration: Nothing is written in that format.
        UnrenderableView: There is nothing but instructions.
    """
    if to not in TARGETS:
        msg = f"nothing is converted to {to!r}; the targets are {', '.join(TARGETS)}"
        raise InvalidConfiguration(msg, {"to": to, "targets": list(TARGETS)})
    turns = transcript_of(session.transcript if view is None else view).turns
    neutral = neutral_of(turns)
    if all(message.role is Role.SYSTEM for message in neutral.messages):
        msg = "the session holds nothing but instructions, which no provider accepts"
        raise UnrenderableView(msg, {"turns": len(turns)})
    return Converted(TARGETS[to](neutral.messages), tuple(_losses(turns, neutral)))


def _losses(turns: Sequence[TranscriptTurn], neutral: Neutral) -> list[Loss]:
    count = MessageEstimator().estimate_tokens
    media = [len(_MEDIA.findall(turn.content)) for turn in turns]
    reasoned = sum(
        turn.role is Role.ASSISTANT
        and turn.token_estimate > count(turn.content) + number * MEDIA_TOKENS
        for turn, number in zip(turns, media, strict=True)
    )
    summaries = sum(turn.metadata.get(KIND) == KIND_SUMMARY for turn in turns)
    counted = (
        ("messages whose reasoning is not carried", reasoned),
        ("pictures and documents that are marks only", sum(media)),
        ("results that answer no call, left out", neutral.orphans),
        ("calls without a result, closed with an error", neutral.closed),
        ("calls under another id", neutral.renamed),
        ("calls whose arguments could not be read", neutral.unread),
        ("summaries that are user messages like any other", summaries),
    )
    return [Loss(what, number) for what, number in counted if number]


def _openai_chat(messages: Sequence[NeutralMessage]) -> Document:
    written: list[dict[str, Any]] = []
    for message in messages:
        if not message.calls:
            written.append({"role": message.role.value, "content": message.text})
            continue
        calls = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
        written.append({"role": "assistant", "content": message.text or None, "tool_calls": calls})
        written += [
            {"role": "tool", "tool_call_id": call.call_id, "content": call.result}
            for call in message.calls
            if call.result is not None
        ]
    return written


def _openai_responses(messages: Sequence[NeutralMessage]) -> Document:
    written: list[dict[str, Any]] = []
    for message in messages:
        if message.text or not message.calls:
            written.append({"role": message.role.value, "content": message.text})
        written += [
            {
                "type": "function_call",
                "call_id": call.call_id,
                "name": call.name,
                "arguments": call.arguments,
            }
            for call in message.calls
        ]
        written += [
            {"type": "function_call_output", "call_id": call.call_id, "output": call.result}
            for call in message.calls
            if call.result is not None
        ]
    return written


def _anthropic_messages(messages: Sequence[NeutralMessage]) -> Document:
    written: list[dict[str, Any]] = []
    for role, blocks in _alternating(messages, _anthropic_blocks):
        written.append({"role": role, "content": blocks})
    if written[0]["role"] != "user":
        written.insert(0, {"role": "user", "content": [{"type": "text", "text": BRIDGE}]})
    system = _instructions(messages)
    return {"system": system, "messages": written} if system else {"messages": written}


def _anthropic_blocks(message: NeutralMessage) -> tuple[list[Any], list[Any]]:
    """Return the blocks of a message, and those of the results that answer it."""
    words = [{"type": "text", "text": message.text}] if message.text.strip() else []
    calls = [
        {"type": "tool_use", "id": call.call_id, "name": call.name, "input": _object_of(call)}
        for call in message.calls
    ]
    results = []
    for call in message.calls:
        if call.result is not None:
            block = {"type": "tool_result", "tool_use_id": call.call_id, "content": call.result}
            results.append({**block, "is_error": True} if call.failed else block)
    return [*words, *calls], results


def _gemini_contents(messages: Sequence[NeutralMessage]) -> Document:
    written: list[dict[str, Any]] = [
        {"role": "model" if role == "assistant" else "user", "parts": parts}
        for role, parts in _alternating(messages, _gemini_parts)
    ]
    if written[0]["role"] != "user":
        written.insert(0, {"role": "user", "parts": [{"text": BRIDGE}]})
    system = _instructions(messages)
    document: dict[str, Any] = {"contents": written}
    if system:
        document = {"systemInstruction": {"parts": [{"text": system}]}, **document}
    return document


def _gemini_parts(message: NeutralMessage) -> tuple[list[Any], list[Any]]:
    words = [{"text": message.text}] if message.text.strip() else []
    calls = [
        {"functionCall": {"id": call.call_id, "name": call.name, "args": _object_of(call)}}
        for call in message.calls
    ]
    results = [
        {
            "functionResponse": {
                "id": call.call_id,
                "name": call.name,
                "response": {"error" if call.failed else "output": call.result},
            }
        }
        for call in message.calls
        if call.result is not None
    ]
    return [*words, *calls], results


_Blocks = Callable[[NeutralMessage], tuple[list[Any], list[Any]]]


def _alternating(
    messages: Sequence[NeutralMessage], blocks_of: _Blocks
) -> list[tuple[str, list[Any]]]:
    """Return runs of one role with their blocks; results are a user's, and instructions stay out.

    What a model says before a call is of one run with it, as providers want it; a message of no
    words at all is no run.
    """
    runs: list[tuple[str, list[Any]]] = []
    for message in messages:
        if message.role is Role.SYSTEM:
            continue
        blocks, results = blocks_of(message)
        for role, listed in ((message.role.value, blocks), ("user", results)):
            if not listed:
                continue
            if runs and runs[-1][0] == role:
                runs[-1][1].extend(listed)
            else:
                runs.append((role, list(listed)))
    return runs


def _instructions(messages: Sequence[NeutralMessage]) -> str:
    return "\n\n".join(each.text for each in messages if each.role is Role.SYSTEM and each.text)


def _object_of(call: NeutralCall) -> dict[str, Any]:
    """Return arguments as an object; what is none stands under `input`."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        value = call.arguments
    return value if isinstance(value, dict) else {"input": value}


def _plain_text(messages: Sequence[NeutralMessage]) -> str:
    names = {Role.SYSTEM: "System", Role.USER: "User", Role.ASSISTANT: "Assistant"}
    written = []
    for message in messages:
        calls = [f"[call {call.name}] {call.arguments}" for call in message.calls]
        said = "\n".join(filter(None, (message.text, *calls)))
        written.append(f"{names[message.role]}: {said}")
        written += [f"Tool: {call.result}" for call in message.calls if call.result is not None]
    return "\n\n".join(written) + "\n"


_Target = Callable[[Sequence[NeutralMessage]], Document | str]

TARGETS: Final[Mapping[str, _Target]] = MappingProxyType(
    {
        "openai-chat": _openai_chat,
        "openai-responses": _openai_responses,
        "anthropic-messages": _anthropic_messages,
        "gemini-contents": _gemini_contents,
        "plain-text": _plain_text,
    }
)
"""What can be converted to, by the name of the format."""
