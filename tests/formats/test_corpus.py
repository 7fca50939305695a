"""Every recorded session: told apart, read, rendered as it was, compacted, still valid (R1-R3)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import corpus_root
from tests.docs.documents import ROOT
from turnfold import BudgetUnsatisfiable, CompactionBudget, CompactionExecutor, default_chain
from turnfold.formats import Session, check, detect, parse, render, to_bytes
from turnfold.formats.convert import TARGETS, convert
from turnfold.formats.detect import Scope
from turnfold.fulfil import fulfil_extractively

NAMES = {
    "adk": {"adk"},
    "claude_code": {"claude-code"},
    "codex": {"codex"},
    "gemini_cli": {"gemini-cli"},
    "inspect": {"inspect-ai"},
    "mini_swe_agent": {"openai-chat"},  # The messages of one, without what stands around them.
    "openai_chat": {"openai-chat"},
    "openai_responses": {"openai-responses"},
    "openhands": {"openhands", "openai-chat"},
    "pi": {"pi"},
    "swe_agent": {"swe-agent"},
    "toolbench": {"toolbench"},
}
SCOPES: tuple[Scope, ...] = ("live", "full")
SHARES = (0.5, 0.3, 0.15)


def _files() -> list[str]:
    root = corpus_root()
    found = [] if root is None else sorted(root.glob("*/*"))
    return [f"{path.parent.name}/{path.name}" for path in found if path.parent.name != "summaries"]


def data_of(name: str) -> bytes:
    root = corpus_root()
    assert root is not None
    return (root / name).read_bytes()


def sessions(data: bytes, scope: Scope) -> list[Session]:
    """Every conversation of a file."""
    try:
        return [parse(data, scope=scope)]
    except ValueError as fault:
        count = int(fault.details["conversations"])  # type: ignore[attr-defined]
    return [parse(data, scope=scope, conversation=number) for number in range(count)]


@pytest.mark.parametrize("name", _files())
def test_a_recorded_session_is_told_from_others(name: str) -> None:
    assert detect(data_of(name)) in NAMES[Path(name).parts[0]]


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", _files())
def test_a_recorded_session_survives_unchanged_and_compacted(name: str, scope: Scope) -> None:
    """R2; would catch: a result that a provider refuses where it took the original."""
    data = data_of(name)
    known = Counter(each.rule for each in check(data, pending_ok=True))
    for session in sessions(data, scope):
        unchanged = render(session.transcript, session)
        if isinstance(unchanged, bytes):
            assert unchanged == data
        else:
            assert unchanged == json.loads(data)
        transcript = session.transcript
        for share in SHARES:
            budget = CompactionBudget(max(1, int(transcript.token_estimate() * share)))
            try:
                plan = default_chain().decide(transcript, budget)
            except BudgetUnsatisfiable:
                continue
            summaries = fulfil_extractively(transcript, plan)
            view = CompactionExecutor().apply(transcript, plan, summaries)
            rendered = to_bytes(render(view, session))
            faults = check(rendered, format=session.format, pending_ok=True)
            assert not Counter(each.rule for each in faults) - known, faults


@pytest.mark.parametrize("name", _files())
def test_a_recorded_session_is_converted_to_what_each_provider_takes(name: str) -> None:
    """Would catch: a conversion that leaves a call open, or that its own format cannot read."""
    for session in sessions(data_of(name), "live")[:3]:
        for target in TARGETS:
            converted: Any = convert(session, target).document
            if target != "plain-text":
                assert check(converted, format=target, pending_ok=True) == ()
            else:
                assert parse(converted, format=target).transcript.turns


def test_the_table_of_the_docs_is_of_this_corpus() -> None:
    """Would catch: a table that was written by hand."""
    root = corpus_root()
    if root is None:
        pytest.skip("no corpus of recorded sessions; TURNFOLD_CORPUS names its folder")
    shown = (ROOT / "docs/reference/formats.md").read_text("utf-8")
    for folder, count in Counter(Path(name).parts[0] for name in _files()).items():
        assert f"| {folder} | {count} |" in shown
