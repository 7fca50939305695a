"""Recorded Claude Code sessions; skipped where there are none."""

import json
import time
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.conftest import corpus_root
from tests.formats.claude_code_sessions import faults_of
from turnfold import BudgetUnsatisfiable, CompactionBudget, CompactionExecutor, default_chain
from turnfold.formats import claude_code
from turnfold.formats._session import repaired

ROOT = corpus_root()
FILES = sorted((ROOT / "claude_code").glob("*.jsonl")) if ROOT else []

pytestmark = pytest.mark.skipif(not FILES, reason="no corpus of recorded sessions")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("scope", ["live", "full"])
def test_a_recorded_session_comes_back_byte_for_byte(path: Path, scope: Any) -> None:  # noqa: ANN401
    """R2."""
    source = path.read_bytes()
    session = claude_code.parse(source, scope=scope)
    assert session.damage == ()
    assert len(session.transcript) > 1
    assert claude_code.render(session.transcript, session) == source


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize("percent", [50, 30, 15])
def test_a_recorded_session_compacts(path: Path, scope: Any, percent: int) -> None:  # noqa: ANN401
    """R3, A1, B4: valid, read again with its ledger, within the budget or said to be over."""
    session = claude_code.parse(path.read_bytes(), scope=scope)
    limit = session.transcript.token_estimate() * percent // 100
    policy = default_chain()
    try:
        plan = policy.decide(session.transcript, CompactionBudget(limit))
    except BudgetUnsatisfiable:
        return
    summaries = {each.group_id: "What was done." for each in plan.summarization_requests}
    view = CompactionExecutor().apply(session.transcript, plan, summaries, estimator=_estimate)
    view = repaired(view, session)
    assert view.transcript.token_estimate() <= limit or view.report.budget_unmet
    data = claude_code.render(view, session)
    assert faults_of(data) == []
    scopes: tuple[Literal["live", "full"], ...] = ("live", "full")
    for each in scopes:
        again = claude_code.parse(data, scope=each, ledger=view.ledger)
        assert again.damage == ()
        assert again.transcript.turn_ids() == view.transcript.turn_ids()
        assert again.transcript.digest() == view.transcript.digest()
        assert again.ledger == view.ledger
    second = policy.decide(again.transcript, CompactionBudget(limit * 9 // 10, 0))
    summaries = {each.group_id: "Then." for each in second.summarization_requests}
    CompactionExecutor().apply(again.transcript, second, summaries, ledger=again.ledger)


def _estimate(text: str) -> int:
    return -(-len(text) // 4)


def test_loading_costs_little_more_than_parsing_the_json() -> None:
    """U3: at most five times as long here, so that a busy machine does not decide."""
    sources = [path.read_bytes() for path in FILES]
    plain = min(_seconds(lambda: list(map(_all_json, sources))) for _ in range(3))
    loading = min(_seconds(lambda: [claude_code.parse(each) for each in sources]) for _ in range(3))
    assert loading < 5 * plain


def _all_json(source: bytes) -> list[Any]:
    return [json.loads(line) for line in source.split(b"\n") if line]


def _seconds(work: Any) -> float:  # noqa: ANN401
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
