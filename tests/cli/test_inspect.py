"""What `turnfold inspect` says of a session."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import RECORDED, chat, lines, turnfold


def inspected(*arguments: str | Path, stdin: bytes = b"") -> dict[str, Any]:
    done = turnfold("inspect", *arguments, "--json", stdin=stdin)
    assert done.code == 0, done.err
    record = json.loads(done.stdout)
    assert record["schema"] == "turnfold.inspect/1"
    (session,) = record["sessions"]
    assert isinstance(session, dict)
    return session


def test_it_counts_turns_and_tokens_by_role_and_by_tool(chat_file: Path) -> None:
    session = inspected(chat_file)
    assert (session["format"], session["scope"], session["turns"]) == ("openai-chat", "live", 27)
    by_role = {each["name"]: each["turns"] for each in session["by_role"]}
    assert by_role == {"tool": 12, "assistant": 13, "user": 1, "system": 1}
    assert sum(each["tokens"] for each in session["by_role"]) == session["tokens"]
    (tool,) = session["by_tool"]
    assert (tool["name"], tool["turns"]) == ("read_file", 12)
    sizes = [each["tokens"] for each in session["by_role"]]
    assert sizes == sorted(sizes, reverse=True)


def test_it_tells_the_live_context_from_the_history(compacted_file: Path) -> None:
    live, full = inspected(compacted_file), inspected(compacted_file, "--scope", "full")
    assert live["turns"] < full["turns"] == live["whole"]["turns"]
    assert live["compactions"] == full["compactions"] == 1
    assert live["kinds"]["summary"] == 1


def test_the_floor_is_what_no_budget_goes_below(chat_file: Path) -> None:
    floor = inspected(chat_file)["floor"]["tokens"]
    assert turnfold("plan", chat_file, "--max-tokens", str(floor), "-q").code in (0, 1)
    assert turnfold("plan", chat_file, "--max-tokens", str(floor - 1), "-q").code == 2


def test_pending_and_dead_calls_are_named(tmp_path: Path) -> None:
    messages = chat(4)
    del messages[5]
    file = tmp_path / "chat.json"
    file.write_text(json.dumps(messages[:-2]), encoding="utf-8")
    session = inspected(file)
    assert session["dead"] == ["m4"]
    assert session["pending"] == ["m8"] or session["pending"] == ["m7"]
    said = turnfold("inspect", file)
    assert "dead calls" in said.out
    assert "pending calls" in said.out


def test_damage_stands_before_the_figures_with_its_places(tmp_path: Path) -> None:
    good = lines(4)
    good[4] = b'{"type": "assistant", "mess\n'
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"".join(good))
    done = turnfold("inspect", file)
    assert (done.code, done.err) == (0, "")
    assert "line 5" in done.out
    assert done.out.index("Damage") < done.out.index("Tokens by role")


def test_many_damaged_places_are_cut_unless_all_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"".join([*lines(2), *[b'{"broken\n'] * 40]))
    assert "30 more" in turnfold("inspect", file).out
    assert "more" not in turnfold("inspect", file, "--all").out


def test_it_reads_standard_input_and_several_files(chat_file: Path, code_file: Path) -> None:
    assert inspected("-", stdin=code_file.read_bytes())["turns"] == inspected(code_file)["turns"]
    done = turnfold("inspect", chat_file, "-", stdin=code_file.read_bytes())
    assert done.code == 0
    assert done.out.index("openai-chat") < done.out.index("claude-code")


def test_quiet_is_silent(chat_file: Path) -> None:
    done = turnfold("inspect", chat_file, "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_the_recorded_session() -> None:
    if not RECORDED.exists():
        pytest.skip("the acceptance sessions are not here")
    session = inspected(RECORDED)
    assert session["format"] == "claude-code"
    assert session["compactions"] == 1
    assert session["exchanges"]["parallel"] >= 2
    assert len(session["pending"]) == 1
    assert len(session["dead"]) == 1


def test_what_was_counted_before_a_compaction_is_not_shown(tmp_path: Path) -> None:
    """F4. Would catch: a context of a few tokens, said to be a request of 150,000."""

    def record(number: int, kind: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        above = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}", "sessionId": "s"}
        return {"type": kind, **above, "timestamp": "t", **more}

    def answer(number: int, tokens: int) -> dict[str, Any]:
        usage = {"input_tokens": tokens, "output_tokens": 5}
        content = [{"type": "text", "text": "Done."}]
        message = {"role": "assistant", "id": f"m{number}", "content": content, "usage": usage}
        return record(number, "assistant", message=message)

    marked = {"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}
    summary = {"role": "user", "content": "The tests pass."}
    rounds = [
        record(1, "user", message={"role": "user", "content": "go"}),
        answer(2, 150_000),
        record(3, "system", **marked),
        record(4, "user", message=summary, isCompactSummary=True),
    ]
    file = tmp_path / "session.jsonl"
    file.write_text("\n".join(map(json.dumps, rounds)), encoding="utf-8")
    assert inspected(file)["usage"] is None
    assert "whole request" not in turnfold("inspect", file).out
    asked = record(5, "user", message={"role": "user", "content": "more"})
    rounds += [asked, answer(6, 9_000)]
    file.write_text("\n".join(map(json.dumps, rounds)), encoding="utf-8")
    assert inspected(file)["usage"]["context_tokens"] == 9_005
    assert inspected(file, "--scope", "full")["usage"] is None
