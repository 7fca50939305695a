"""What `turnfold plan` shows and writes."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.console import chat, turnfold
from turnfold import CompactionPlan


def planned(*arguments: str | Path) -> CompactionPlan:
    done = turnfold("plan", *arguments, "--json")
    assert done.code in (0, 1), done.err
    plan = CompactionPlan.from_dict(json.loads(done.stdout))
    assert plan.canonical_json().encode() == done.stdout
    return plan


def test_every_turn_has_an_action_and_a_reason(chat_file: Path) -> None:
    done = turnfold("plan", chat_file, "--max-tokens", "50%", "--all")
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines() if line.strip()[:1].isdigit()]
    assert [row[1] for row in rows] == [f"m{place}" for place in range(27)]
    assert {row[-2] for row in rows} == {"keep", "mask"}
    assert rows[0][2:] == ["system", "10", "10", "keep", "system"]


def test_a_long_plan_is_cut_in_the_middle(tmp_path: Path) -> None:
    file = tmp_path / "long.json"
    file.write_text(json.dumps(chat(200)), encoding="utf-8")
    short = turnfold("plan", file, "--max-tokens", "50%")
    assert "379 more (keep " in short.out
    assert len(short.out.splitlines()) < 50
    assert len(turnfold("plan", file, "--max-tokens", "50%", "--all").out.splitlines()) > 400


def test_the_figures_are_those_of_the_plan(chat_file: Path) -> None:
    plan = planned(chat_file, "--max-tokens", "40%")
    said = turnfold("plan", chat_file, "--max-tokens", "40%").out
    for number in (plan.tokens_before, plan.tokens_after_estimate, plan.budget.limit):
        assert f"{number:,}" in said
    assert f"{plan.edit_cost.tokens_before_edit:,} tokens" in said


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("1200", 1200), ("1_200", 1200), ("1,200", 1200), ("1.2k", 1200), ("1K", 1000)],
)
def test_numbers_are_written_as_people_write_them(chat_file: Path, text: str, tokens: int) -> None:
    assert planned(chat_file, "--max-tokens", text).budget.max_tokens == tokens


def test_shares_are_of_the_scope_and_rounded_down(compacted_file: Path) -> None:
    for scope in ("live", "full"):
        plan = planned(compacted_file, "--scope", scope, "--max-tokens", "57.5%")
        assert plan.budget.max_tokens == plan.tokens_before * 575 // 1000


def test_the_options_reach_the_budget(chat_file: Path) -> None:
    options = ("--target-tokens", "1k", "--reserved-tokens", "100", "--protect-recent", "2")
    budget = planned(chat_file, "--max-tokens", "2000", *options).budget
    assert (budget.max_tokens, budget.target_tokens, budget.reserved_tokens) == (2000, 1000, 100)
    assert budget.protected_recent_turns == 2


@pytest.mark.parametrize(
    ("policy", "name", "action"),
    [
        ("default", "chain(", "M"),
        ("mask", "observation_masking", "M"),
        ("mask-largest", "observation_masking", "M"),
        ("digest", "chain(summarizing", "S"),
        ("summarize", "summarizing", "S"),
        ("drop", "drop_oldest", "D"),
    ],
)
def test_the_policies(chat_file: Path, policy: str, name: str, action: str) -> None:
    plan = planned(chat_file, "--max-tokens", "50%", "--policy", policy)
    assert plan.policy_name.startswith(name)
    assert action in plan.actions.decode()


def test_the_name_of_the_prompt_stands_in_the_requests(chat_file: Path) -> None:
    options = ("--max-tokens", "50%", "--policy", "summarize", "--prompt-id", "mine/2")
    (request,) = planned(chat_file, *options).summarization_requests
    assert request.prompt_id == "mine/2"
    said = turnfold("plan", chat_file, *options).out
    assert request.group_id in said
    assert "mine/2" in said


def test_pins_can_be_turned_off(chat_file: Path) -> None:
    options = ("--max-tokens", "50%", "--policy", "drop")
    assert planned(chat_file, *options).decisions[1].action == "keep"
    dropped = planned(chat_file, *options, "--no-pin-first", "--no-pin-last")
    assert dropped.decisions[1].action == "drop"


def test_the_file_is_the_plan_and_nothing_else(chat_file: Path) -> None:
    out = chat_file.with_name("plan.json")
    done = turnfold("plan", chat_file, "--max-tokens", "50%", "-o", out)
    assert done.code == 0
    assert str(out) in done.out
    content = out.read_bytes()
    plan = CompactionPlan.from_dict(json.loads(content))
    assert sha256(content).hexdigest() == plan.plan_hash()


def test_a_dash_writes_the_plan_to_standard_output(chat_file: Path) -> None:
    done = turnfold("plan", chat_file, "--max-tokens", "50%", "-o", "-")
    assert done.out == planned(chat_file, "--max-tokens", "50%").canonical_json()
    assert "prompt cache" in done.err


def test_what_fits_is_not_touched(chat_file: Path) -> None:
    done = turnfold("plan", chat_file, "--max-tokens", "100%")
    assert done.code == 0
    assert "nothing is changed" in done.out


def test_an_unmet_budget_is_exit_1_with_both_numbers(chat_file: Path) -> None:
    out = chat_file.with_name("plan.json")
    arguments = ("plan", chat_file, "--max-tokens", "600", "--policy", "mask", "-o", out)
    done = turnfold(*arguments)
    plan = CompactionPlan.from_dict(json.loads(out.read_bytes()))
    assert done.code == 1
    over = plan.tokens_after_estimate - 600
    assert f"over the budget by {over:,} tokens" in done.err
    told = turnfold(*arguments, "--json", "--force")
    assert told.code == 1
    assert json.loads(told.err)["warning"]["details"]["over_by"] == over


def test_an_empty_transcript_fits_every_share(tmp_path: Path) -> None:
    file = tmp_path / "system.json"
    file.write_text('[{"role": "system", "content": ""}]', encoding="utf-8")
    assert turnfold("plan", file, "--max-tokens", "100%").code == 0


@pytest.fixture
def writing_file(tmp_path: Path) -> Path:
    """A chat that writes files of 2 kB, each answered by a few words."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Write them."}]
    for number in range(20):
        arguments = json.dumps({"path": f"{number}.py", "content": "w" * 2_000})
        function = {"name": "write", "arguments": arguments}
        call = {"id": "c", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "c", "content": "written ok"})
    file = tmp_path / "writing.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    return file


@pytest.mark.parametrize("policy", ["mask", "mask-largest", "default"])
def test_the_inputs_of_calls_are_masked_on_demand(writing_file: Path, policy: str) -> None:
    """G2."""
    options = ("--max-tokens", "40%", "--policy", policy, "--mask-inputs")
    reasons = [each.reason for each in planned(writing_file, *options).decisions]
    assert reasons.count("mask: call_input") > 8
    assert turnfold("plan", writing_file, *options, "-q").code == 0


@pytest.mark.parametrize("policy", ["digest", "summarize", "drop"])
def test_a_policy_that_masks_nothing_masks_no_inputs(writing_file: Path, policy: str) -> None:
    options = ("--max-tokens", "40%", "--policy", policy, "--mask-inputs")
    done = turnfold("plan", writing_file, *options)
    assert done.code == 2
    assert f"{policy} masks nothing" in done.err
