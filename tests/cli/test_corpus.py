"""Every recorded Claude Code session goes through `turnfold compact`."""

import json
from pathlib import Path

import pytest

from tests.cli.console import turnfold
from tests.conftest import corpus_root

ROOT = corpus_root()
SESSIONS = sorted((ROOT / "claude_code").glob("*.jsonl")) if ROOT else []


@pytest.mark.skipif(not SESSIONS, reason="no corpus of recorded sessions")
@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize("share", [50, 30, 15])
@pytest.mark.parametrize("file", SESSIONS, ids=lambda path: str(path.stem))
def test_a_recorded_session(tmp_path: Path, file: Path, share: int, scope: str) -> None:
    out = tmp_path / "out.jsonl"
    options = ("--max-tokens", f"{share}%", "--scope", scope, "-o", out, "--json")
    done = turnfold("compact", file, *options)
    assert "internal_error" not in done.err
    if done.code == 2:
        error = json.loads(done.err.splitlines()[-1])["error"]
        assert error["code"] == "budget_unsatisfiable"
        assert error["details"]["floor_tokens"] > error["details"]["limit"]
        assert not out.exists()
        return
    report = json.loads(done.stdout)
    limit = json.loads(Path(f"{out}.plan.json").read_bytes())["budget"]["max_tokens"]
    assert done.code == int(report["tokens_after"] > limit)
    if done.code:
        assert f"over the budget by {report['tokens_after'] - limit:,} tokens" in done.err
    again = turnfold("inspect", out, "--json")
    (session,) = json.loads(again.stdout)["sessions"]
    assert (again.code, session["ledger"]) == (0, True)
    assert session["tokens"] <= report["tokens_after"]
    assert [each for each in session["damage"] if each["code"] == "orphan_result"] == []
    assert session["dead"] == [] or set(session["dead"]) <= set(report["kept_turn_ids"])
