"""What a session is made of, in figures."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any, Final

from turnfold._columns import IS_PROTECTED, PINNED, SYSTEM, TAIL
from turnfold._metadata import (
    CALL_IDS,
    KIND,
    KIND_INJECTED,
    KIND_MASKED,
    KIND_SUMMARY,
    STATUS,
    STATUS_DEAD,
    STATUS_ERROR,
    STATUS_PENDING,
    TOOL_NAME,
)
from turnfold.budget import CompactionBudget
from turnfold.cli._tokens import BY_RATIO, Sizes
from turnfold.formats import Session
from turnfold.policies import DEFAULT_PLACEHOLDER
from turnfold.tokens._inputs import input_spans
from turnfold.transcript import Role, Transcript, TranscriptTurn

_UNNAMED: Final = "(unnamed)"
_TAIL: Final = CompactionBudget(0).protected_recent_turns


def measure(
    file: str, scope: str, session: Session, whole: Session, *, sizes: Sizes = BY_RATIO
) -> dict[str, Any]:
    """Return what a session is made of, as plain JSON values.

    Args:
        file: Its name.
        scope: What `session` holds: `live` or `full`.
        session: The session in that scope, with the pins that a loader sets.
        whole: The session with all of its history.
        sizes: What both were sized by.
    """
    transcript = session.transcript
    kinds = Counter(turn.metadata.get(KIND) for turn in transcript)
    pinned = [turn for turn in transcript if turn.pinned]
    compactions = sum(turn.metadata.get(KIND) == KIND_SUMMARY for turn in whole.transcript)
    return {
        "file": file,
        "format": session.format,
        "scope": scope,
        "turns": len(transcript),
        "tokens": transcript.token_estimate(),
        "whole": {
            "turns": len(whole.transcript),
            "tokens": whole.transcript.token_estimate(),
        },
        "compactions": compactions,
        "kinds": {kind: kinds[kind] for kind in (KIND_INJECTED, KIND_MASKED, KIND_SUMMARY)},
        "exchanges": _exchanges(transcript),
        "pending": _with_status(transcript, STATUS_PENDING),
        "dead": _with_status(transcript, STATUS_DEAD),
        "pins": {
            "turns": len(pinned),
            "tokens": sum(turn.token_estimate for turn in pinned),
            "turn_ids": [turn.turn_id for turn in pinned],
        },
        "floor": _floor(transcript),
        "by_role": _largest_first((turn.role.value, turn) for turn in transcript),
        "by_tool": _largest_first(
            (turn.metadata.get(TOOL_NAME, _UNNAMED), turn)
            for turn in transcript
            if turn.role is Role.TOOL
        ),
        "by_class": by_class(transcript, sizes),
        "ledger": session.ledger is not None,
        "usage": _usage(session) if scope == "live" or not compactions else None,
        "damage": [
            {"place": each.place, "code": each.code, "message": each.message}
            for each in session.damage
        ],
    }


def by_class(transcript: Transcript, sizes: Sizes = BY_RATIO) -> list[dict[str, Any]]:
    """Return what the tokens of a session are spent on, the most first (known failure G2)."""
    rows: dict[str, dict[str, Any]] = {}
    for turn in transcript:
        for name, tokens in _parts_of(turn, sizes):
            row = rows.setdefault(name, {"name": name, "turns": 0, "tokens": 0})
            row["turns"] += 1
            row["tokens"] += tokens
    return sorted(rows.values(), key=lambda row: (-row["tokens"], row["name"]))


def _parts_of(turn: TranscriptTurn, sizes: Sizes) -> Iterator[tuple[str, int]]:
    kind, tokens = turn.metadata.get(KIND), turn.token_estimate
    if kind == KIND_SUMMARY:
        yield "summaries", tokens
    elif turn.role is Role.TOOL:
        is_stub = kind == KIND_MASKED or turn.content.startswith(DEFAULT_PLACEHOLDER)
        yield ("stubs" if is_stub else "results"), tokens
    elif turn.role is Role.ASSISTANT:
        spans = list(input_spans(turn.content)) if CALL_IDS in turn.metadata else []
        inputs = min(tokens, sum(sizes.count(turn.content[start:end]) for start, end in spans))
        if spans:
            yield "call inputs", inputs
        yield "model's words", tokens - inputs
    else:
        yield ("instructions" if turn.role is Role.SYSTEM else "users' words"), tokens


def _usage(session: Session) -> dict[str, Any] | None:
    """Return what the provider counted last, and what the turns up to there are estimated at.

    It counts a context, which a whole history is only as long as nothing was compacted.
    """
    usage, turns = session.usage, session.transcript
    if usage is None:
        return None
    upto = turns.turns[: turns.position(usage.turn_id) + 1]
    return {
        "turn_id": usage.turn_id,
        "context_tokens": usage.context_tokens,
        "estimated": sum(turn.token_estimate for turn in upto),
    }


def _exchanges(transcript: Transcript) -> dict[str, int]:
    widths = [
        len(json.loads(turn.metadata[CALL_IDS]))
        for turn in transcript
        if turn.role is Role.ASSISTANT and CALL_IDS in turn.metadata
    ]
    return {
        "all": len(set(transcript.columns().exchanges)),
        "with_calls": len(widths),
        "parallel": sum(width > 1 for width in widths),
        "widest": max(widths, default=0),
    }


def _with_status(transcript: Transcript, status: str) -> list[str]:
    return [turn.turn_id for turn in transcript if turn.metadata.get(STATUS) == status]


def _floor(transcript: Transcript) -> dict[str, Any]:
    """Return what no compaction with the default tail goes below (contract B4)."""
    columns = transcript.columns()
    protections = columns.protections(_TAIL)
    causes = {"system": SYSTEM, "pinned": PINNED, "tail": TAIL}
    return {
        "tokens": sum(compress(columns.tokens, protections.translate(IS_PROTECTED))),
        "protected_recent_turns": _TAIL,
        "by_cause": {
            name: sum(compress(columns.tokens, map(code.__eq__, protections)))
            for name, code in causes.items()
        },
    }


def _largest_first(named: Iterable[tuple[str, TranscriptTurn]]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for name, turn in named:
        blank = {"name": name, "turns": 0, "tokens": 0, "largest": 0, "failed": 0}
        row = rows.setdefault(name, blank)
        row["turns"] += 1
        row["tokens"] += turn.token_estimate
        row["largest"] = max(row["largest"], turn.token_estimate)
        row["failed"] += turn.metadata.get(STATUS) == STATUS_ERROR
    return sorted(rows.values(), key=lambda row: (-row["tokens"], row["name"]))
