"""From a plan to a compacted session, with summaries from elsewhere."""

import json
from pathlib import Path

import pytest

from tests.cli.console import turnfold
from turnfold import CompactionPlan


@pytest.fixture
def plan_file(chat_file: Path) -> Path:
    path = chat_file.with_name("plan.json")
    arguments = ("--max-tokens", "900", "--policy", "summarize", "-o", path, "-q")
    assert turnfold("plan", chat_file, *arguments).code in (0, 1)
    return path


def group_of(plan_file: Path) -> str:
    (request,) = CompactionPlan.from_dict(json.loads(plan_file.read_bytes())).summarization_requests
    return request.group_id


def test_the_prompt_is_all_there_is_on_standard_output(chat_file: Path, plan_file: Path) -> None:
    group = group_of(plan_file)
    plain = turnfold("requests", chat_file, plan_file)
    record = json.loads(turnfold("requests", chat_file, plan_file, "--json").stdout)
    assert record["schema"] == "turnfold.requests/1"
    (only,) = record["requests"]
    assert only == group
    request = record["requests"][group]
    assert plain.out == request["prompt"].rstrip("\n") + "\n"
    assert "I look at part 3." in plain.out
    assert request["turn_ids"][0] == "m2"
    assert request["target_tokens"] > 0
    assert group in plain.err
    assert turnfold("requests", chat_file, plan_file, "-q", "--group", group).err == ""


def test_a_plan_without_requests_says_so(chat_file: Path) -> None:
    plan = chat_file.with_name("plan.json")
    turnfold("plan", chat_file, "--max-tokens", "50%", "--policy", "mask", "-o", plan)
    done = turnfold("requests", chat_file, plan)
    assert (done.code, done.out) == (0, "")
    assert "no summary" in done.err
    out = chat_file.with_name("out.json")
    assert turnfold("apply", chat_file, plan, "-o", out).code == 0


@pytest.mark.parametrize("from_standard_input", [False, True])
def test_a_supplied_summary_stands_in_the_session(
    chat_file: Path, plan_file: Path, *, from_standard_input: bool
) -> None:
    texts, out = chat_file.with_name("texts.json"), chat_file.with_name("out.json")
    content = json.dumps({group_of(plan_file): "All parts were looked at.", "surplus": 5})
    texts.write_text(content, encoding="utf-8")
    given = "-" if from_standard_input else texts
    stdin = content.encode() if from_standard_input else b""
    done = turnfold("apply", chat_file, plan_file, "--summaries", given, "-o", out, stdin=stdin)
    assert done.code == 0, done.err
    assert "All parts were looked at." in out.read_text("utf-8")
    report = json.loads(Path(f"{out}.report.json").read_bytes())
    assert report["summary_turn_ids"] == [f"summary:{group_of(plan_file)}"]
    assert Path(f"{out}.plan.json").read_bytes() == plan_file.read_bytes()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_summaries_may_come_from_a_shell_of_windows(
    chat_file: Path, plan_file: Path, encoding: str
) -> None:
    texts, out = chat_file.with_name("texts.json"), chat_file.with_name("out.json")
    texts.write_text(json.dumps({group_of(plan_file): "Seen — all."}), encoding=encoding)
    done = turnfold("apply", chat_file, plan_file, "--summaries", texts, "-o", out)
    assert done.code == 0, done.err


def test_a_plan_of_the_whole_history_is_applied_to_it(compacted_file: Path) -> None:
    plan, out = compacted_file.with_name("plan.json"), compacted_file.with_name("out.jsonl")
    options = ("--max-tokens", "70%", "--policy", "mask", "--no-pin-first", "--no-pin-newest")
    turnfold("plan", compacted_file, *options, "--scope", "full", "-o", plan)
    done = turnfold("apply", compacted_file, plan, "-o", out, "--json")
    assert done.code == 0, done.err
    turns = len(json.loads(plan.read_bytes())["turn_ids"])
    assert json.loads(done.stdout)["turns_before"] == turns
    live = turnfold("apply", compacted_file, plan, "-o", out, "--force", "--scope", "live")
    assert live.code == 2


def test_turns_that_came_since_the_plan_are_kept(chat_file: Path) -> None:
    plan, out = chat_file.with_name("plan.json"), chat_file.with_name("out.json")
    turnfold("plan", chat_file, "--max-tokens", "50%", "-o", plan)
    messages = json.loads(chat_file.read_bytes())
    messages.append({"role": "user", "content": "And now push."})
    chat_file.write_text(json.dumps(messages), encoding="utf-8")
    done = turnfold("apply", chat_file, plan, "-o", out)
    assert done.code == 0
    assert "1 appended" in done.out
    assert json.loads(out.read_bytes())[-1] == messages[-1]


def test_a_long_summary_that_misses_the_budget_is_exit_1(chat_file: Path, plan_file: Path) -> None:
    texts, out = chat_file.with_name("texts.json"), chat_file.with_name("out.json")
    texts.write_text(json.dumps({group_of(plan_file): "word " * 900}), encoding="utf-8")
    done = turnfold("apply", chat_file, plan_file, "--summaries", texts, "-o", out)
    assert done.code == 1, done.err
    assert "over the budget by" in done.err
    assert out.exists()
