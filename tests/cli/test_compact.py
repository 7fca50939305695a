"""`turnfold compact`, from a session to a smaller session."""

import json
from pathlib import Path

import pytest

from tests.cli.console import RECORDED, chat, lines, turnfold
from turnfold import CompactionPlan, Ledger

SUFFIXES = ("", ".audit.json", ".ledger.json", ".plan.json", ".report.json")


@pytest.fixture(params=["chat_file", "code_file", "compacted_file"])
def session_file(request: pytest.FixtureRequest) -> Path:
    path = request.getfixturevalue(request.param)
    assert isinstance(path, Path)
    return path


@pytest.mark.parametrize("share", ["80%", "65%", "50%"])
def test_the_result_is_within_its_budget_when_it_is_read_again(
    session_file: Path, share: str
) -> None:
    out = session_file.with_name(f"out{session_file.suffix}")
    before = session_file.read_bytes()
    done = turnfold("compact", session_file, "--max-tokens", share, "-o", out, "--json")
    assert (done.code, done.err) == (0, "")
    report = json.loads(done.stdout)
    plan = CompactionPlan.from_dict(json.loads(Path(f"{out}.plan.json").read_bytes()))
    (session,) = json.loads(turnfold("inspect", out, "--json").stdout)["sessions"]
    assert session["tokens"] == report["tokens_after"] <= plan.budget.limit
    assert session["ledger"] is True
    assert session["damage"] == []
    assert session_file.read_bytes() == before


def test_four_files_and_nothing_else_stand_there_in_the_end(code_file: Path) -> None:
    out = code_file.with_name("out.jsonl")
    assert turnfold("compact", code_file, "--max-tokens", "50%", "-o", out).code == 0
    expected = {code_file, *(Path(f"{out}{suffix}") for suffix in SUFFIXES)}
    assert set(code_file.parent.iterdir()) == expected
    report = json.loads(Path(f"{out}.report.json").read_bytes())
    assert report["schema"] == "turnfold.report/1"
    assert (report["repairs"], report["damage"]) == ([], [])
    Ledger.from_dict(json.loads(Path(f"{out}.ledger.json").read_bytes()))


def test_a_second_round_finds_the_ledger_of_the_first(code_file: Path) -> None:
    first, second = code_file.with_name("first.jsonl"), code_file.with_name("second.jsonl")
    assert turnfold("compact", code_file, "--max-tokens", "60%", "-o", first).code == 0
    done = turnfold("compact", first, "--max-tokens", "75%", "-o", second)
    assert (done.code, done.err) == (0, "")
    ledgers = [json.loads(Path(f"{each}.ledger.json").read_bytes()) for each in (first, second)]
    assert ledgers[0]["leaf_ids"] == ledgers[1]["leaf_ids"]


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"schema": "turnfold.ledger/1"}'])
def test_a_broken_ledger_is_a_warning(code_file: Path, content: str) -> None:
    Path(f"{code_file}.ledger.json").write_text(content, encoding="utf-8")
    out = code_file.with_name("out.jsonl")
    done = turnfold("compact", code_file, "--max-tokens", "50%", "-o", out)
    assert done.code == 0
    assert done.err.startswith("Warning: ")
    assert f"{code_file}.ledger.json" in done.err


def test_a_ledger_of_another_session_is_a_warning(code_file: Path) -> None:
    first, other = code_file.with_name("first.jsonl"), code_file.with_name("other.jsonl")
    turnfold("compact", code_file, "--max-tokens", "60%", "-o", first)
    other.write_bytes(b"".join(lines(3)))
    Path(f"{first}.ledger.json").rename(f"{other}.ledger.json")
    done = turnfold("inspect", other, "--json")
    (session,) = json.loads(done.stdout)["sessions"]
    assert (done.code, session["ledger"]) == (0, False)
    assert "ledger_mismatch" in {each["code"] for each in session["damage"]}
    out = code_file.with_name("out.jsonl")
    done = turnfold("compact", other, "--max-tokens", "75%", "-o", out)
    assert done.code == 0
    assert "ledger" in done.err


def test_an_unmet_budget_is_written_all_the_same(chat_file: Path) -> None:
    out = chat_file.with_name("out.json")
    arguments = ("compact", chat_file, "--max-tokens", "600", "--policy", "mask", "-o", out)
    done = turnfold(*arguments)
    report = json.loads(Path(f"{out}.report.json").read_bytes())
    assert (done.code, report["budget_unmet"]) == (1, True)
    assert f"over the budget by {report['tokens_after'] - 600:,} tokens" in done.err
    assert json.loads(out.read_bytes())


def test_what_fits_is_written_as_it_is(code_file: Path) -> None:
    out = code_file.with_name("out.jsonl")
    done = turnfold("compact", code_file, "--max-tokens", "100%", "-o", out)
    assert done.code == 0
    assert "it fits as it is" in done.out
    assert out.read_bytes() == code_file.read_bytes()


def test_standard_input_to_standard_output(code_file: Path) -> None:
    out = code_file.with_name("out.jsonl")
    arguments = ("--max-tokens", "50%", "-o")
    turnfold("compact", code_file, *arguments, out)
    piped = turnfold("compact", "-", *arguments, "-", stdin=code_file.read_bytes())
    assert (piped.code, piped.stdout) == (0, out.read_bytes())
    assert "tokens" in piped.err
    told = turnfold("compact", "-", *arguments, "-", "--json", stdin=code_file.read_bytes())
    assert told.stdout == piped.stdout
    assert json.loads(told.err)["schema"] == "turnfold.report/1"
    quiet = turnfold("compact", "-", *arguments, "-", "-q", stdin=code_file.read_bytes())
    assert (quiet.stdout, quiet.err) == (piped.stdout, "")


def test_results_that_no_call_asked_for_are_listed_as_repairs(tmp_path: Path) -> None:
    messages = chat(6)
    del messages[2]
    file, out = tmp_path / "chat.json", tmp_path / "out.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    done = turnfold("compact", file, "--max-tokens", "80%", "--policy", "mask", "-o", out)
    assert done.code in (0, 1)
    assert json.loads(Path(f"{out}.report.json").read_bytes())["repairs"] == ["m2"]
    assert "1 result that no call asked for" in done.out
    ledger = Ledger.from_dict(json.loads(Path(f"{out}.ledger.json").read_bytes()))
    assert {each.turn_id for each in ledger.entries() if each.fate == "repaired"} == {"m2"}


def test_lone_surrogates_go_through(tmp_path: Path) -> None:
    messages = chat(6)
    messages[1]["content"] = "half \ud800 a pair"
    file, out = tmp_path / "chat.json", tmp_path / "out.json"
    file.write_text(json.dumps(messages), encoding="ascii")
    assert turnfold("compact", file, "--max-tokens", "60%", "-o", out).code == 0
    assert json.loads(out.read_bytes())[1] == messages[1]


def test_the_recorded_session(tmp_path: Path) -> None:
    if not RECORDED.exists():
        pytest.skip("the acceptance sessions are not here")
    out = tmp_path / "out.jsonl"
    assert turnfold("compact", RECORDED, "--max-tokens", "40%", "-o", out).code == 0
    assert turnfold("inspect", out).code == 0


def test_the_report_says_what_the_tokens_are_spent_on(chat_file: Path) -> None:
    """G2."""
    out = chat_file.with_name("out.json")
    turnfold("compact", chat_file, "--max-tokens", "60%", "--policy", "mask", "-o", out)
    report = json.loads(Path(f"{out}.report.json").read_bytes())
    by_class = {each["name"]: each["tokens"] for each in report["by_class"]}
    assert sum(by_class.values()) == report["tokens_after"]
    assert by_class["stubs"] <= 30 * len(report["masked_turn_ids"])
    (session,) = json.loads(turnfold("inspect", out, "--json").stdout)["sessions"]
    assert session["by_class"] == report["by_class"]
    assert "stubs" in turnfold("inspect", out).out


def test_speakers_alternate_on_demand(tmp_path: Path) -> None:
    """C4."""
    prose = "We looked at the log of the deploy. " * 40
    said = [("user", prose), ("assistant", prose)] * 2
    said += [("user", prose), ("assistant", "a"), ("user", "b")]
    file, out = tmp_path / "chat.json", tmp_path / "out.json"
    file.write_text(json.dumps([{"role": role, "content": text} for role, text in said]))
    sizes = ("--max-tokens", "60%", "--protect-recent", "3")
    options = (*sizes, "--policy", "digest", "--no-pin-first")
    asked = ("--alternation", "strict", "-o", out)
    assert turnfold("compact", file, *options, *asked).code == 0
    assert [each["role"] for each in json.loads(out.read_bytes())] == ["user", "assistant", "user"]
    assert turnfold("check", out, "--alternation", "strict").code == 0
    plain = tmp_path / "plain.json"
    assert turnfold("compact", file, *options, "-o", plain).code == 0
    assert turnfold("check", plain).code == 0
    assert turnfold("check", plain, "--alternation", "strict").code == 1


def test_a_format_whose_speakers_do_not_alternate_says_so(code_file: Path) -> None:
    out = code_file.with_name("out.jsonl")
    options = ("--max-tokens", "50%", "--alternation", "strict", "-o", out)
    done = turnfold("compact", code_file, *options)
    assert done.code == 2
    assert "claude-code has no alternation" in done.err
    assert not out.exists()
