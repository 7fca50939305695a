"""The digest without a model (contracts F2, F4, F5)."""

import json
from dataclasses import replace
from unittest.mock import patch

import pytest

from turnfold import (
    CompactionBudget,
    CompactionExecutor,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
)
from turnfold.decision import SummarizationRequest
from turnfold.executor import Summary, mark_summary
from turnfold.facts import NameReader
from turnfold.fulfil import SummaryJob, extractive, fulfil_extractively

HEADER = "Verbatim extract of {} turns"


def digest(
    *turns: TranscriptTurn, target: int = 400, staying: tuple[TranscriptTurn, ...] = ()
) -> str:
    ids = [turn.turn_id for turn in turns]
    return extractive(SummaryJob(SummarizationRequest.of(ids, target, "p"), turns, staying)).text


def user(name: str, text: str, **metadata: str) -> TranscriptTurn:
    given = {f"turnfold.{key}": value for key, value in metadata.items()}
    return TranscriptTurn(name, "user", text, 9, metadata=given)


def call(name: str, tool: str, **arguments: object) -> TranscriptTurn:
    text = f"[call {tool}] {json.dumps(arguments)}"
    return TranscriptTurn(name, "assistant", text, 9, tool_call_id=f"x-{name}")


def result(name: str, text: str, of: str, **metadata: str) -> TranscriptTurn:
    given = {f"turnfold.{key}": value for key, value in metadata.items()}
    return TranscriptTurn(name, "tool", text, 9, tool_call_id=f"x-{of}", metadata=given)


def test_lines_stand_under_the_call_that_they_came_from() -> None:
    text = digest(
        call("a", "Read", file_path="src/app.py"), result("b", "def run_all():\n    pass", "a")
    )
    assert text.splitlines()[1:] == ['@ tool Read "src/app.py"', "|def run_all():", "|    pass"]


def test_the_number_of_a_printed_line_is_no_name() -> None:
    lines = "  226\tdef first_one():\n  227\t\n  228\tplain words\n"
    text = digest(result("a", lines, "?"))
    assert text.splitlines()[1:] == ["@ tool", "|226\tdef first_one():", "|228\tplain words"]


def test_parallel_results_stand_under_their_own_calls() -> None:
    calls = "\n".join(f'[call Read] {{"path": "src/{name}.py"}}' for name in ("one", "two"))
    ids = json.dumps(["1", "2"])
    turns = (
        TranscriptTurn(
            "a", "assistant", calls, 9, tool_call_id="x", metadata={"turnfold.call_ids": ids}
        ),
        TranscriptTurn(
            "b", "tool", "of_two", 9, tool_call_id="x", metadata={"turnfold.call_ids": '["2"]'}
        ),
        TranscriptTurn(
            "c", "tool", "of_one", 9, tool_call_id="x", metadata={"turnfold.call_ids": '["1"]'}
        ),
    )
    text = digest(*turns)
    assert '@ tool Read "src/two.py"\n|of_two' in text
    assert '@ tool Read "src/one.py"\n|of_one' in text


def test_a_result_behind_a_masked_one_stands_under_its_own_call() -> None:
    """F2. Would catch: lines of one file under the name of another."""
    calls = "\n".join(f'[call Read] {{"path": "src/{name}.py"}}' for name in ("one", "two"))
    text = digest(
        TranscriptTurn("a", "assistant", calls, 9, tool_call_id="x-a"),
        result("b", "[tool result removed to save space]", "a", kind="masked"),
        result("c", "of_two", "a"),
    )
    assert '@ tool Read "src/two.py"\n|of_two' in text
    assert "src/one.py" not in text


def test_the_users_rules_come_before_names_when_room_is_short() -> None:
    noise = "\n".join(f"name_{number} = value_{number}" for number in range(300))
    rule = "Never touch the config."
    turns = (user("a", f"Please do it.\n{rule}"), result("b", noise, "?"), user("c", "Go on."))
    text = digest(*turns, target=80)
    assert f"|{rule}" in text.splitlines()
    assert "name_" in text


def test_an_injected_turn_is_no_users_word() -> None:
    text = digest(user("a", "Always obey_this reminder.", kind="injected"))
    assert "@ user (injected)" in text


def test_what_stands_elsewhere_in_the_view_gives_way() -> None:
    lines = [f"alpha_{number} is here" for number in range(40)]
    turns = (result("a", "\n".join(lines), "?"),)
    stays = (user("s", "\n".join(lines[:39])),)
    assert "alpha_39" in digest(*turns, target=60, staying=stays)


def test_an_earlier_model_summary_is_labelled() -> None:
    earlier = '<conversation_summary turns="3">\nWe must keep app_config.\n</conversation_summary>'
    text = digest(user("a", earlier, kind="summary"))
    assert "@ earlier summary (written by a model)\n|We must keep app_config." in text
    assert "<conversation_summary" not in text


def test_a_failed_result_says_so() -> None:
    text = digest(
        call("a", "Bash", command="make all"), result("b", "no_rule to make", "a", status="error")
    )
    assert '@ failed tool Bash "make all"' in text


def test_an_input_of_several_lines_is_no_word_of_the_assistant() -> None:
    """F2. Would catch: what a patch takes away, quoted as what the assistant says."""
    patch = "*** Begin Patch\n*** Update File: src/a.py\n-old_name = 1\n+We must use new_name."
    said = TranscriptTurn("a", "assistant", f"I patch it.\n[call apply_patch] {patch}", 9)
    lines = digest(said).splitlines()
    assert lines[1:3] == ["@ assistant", "|I patch it."]
    assert lines[3] == '@ call apply_patch "*** Begin Patch"'
    assert "|+We must use new_name." in lines[4:]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_input_is_read_whatever_its_line_breaks(indent: int | None) -> None:
    """F2."""
    given = json.dumps(
        {"path": "src/a.py", "text": "use new_name\u2028and no_other"},
        indent=indent,
        ensure_ascii=False,
    )
    text = digest(TranscriptTurn("a", "assistant", f"[call write] {given}\nDone in b.py.", 9))
    assert text.splitlines()[1:] == [
        "@ assistant",
        "|Done in b.py.",
        '@ call write "src/a.py" text',
        "|use new_name",
        "|and no_other",
    ]


def test_what_an_edit_replaced_is_not_carried() -> None:
    edit = call("a", "Edit", file_path="x.py", old_string="old_name = 1", new_string="new_name = 1")
    text = digest(edit)
    assert "old_name" not in text
    assert '@ call Edit "x.py" new_string\n|new_name = 1' in text


def test_parts_of_a_long_line_are_marked() -> None:
    line = " ".join(f"word_{number}" for number in range(100))
    text = digest(result("a", line, "?"), target=100)
    parts = [each for each in text.splitlines() if each.startswith(":")]
    assert parts
    assert all(each[1:] in line for each in parts)
    assert not any(each.startswith("|") for each in text.splitlines())


def test_a_part_of_a_line_is_a_part_in_the_next_round_too() -> None:
    """F2. Would catch: a digest that calls a part of a line of an earlier digest a whole one."""
    line = " ".join(f"word_{number}" for number in range(100))
    first = mark_summary(digest(result("a", line, "?"), user("b", "Keep it.")), 2)
    text = digest(user("s", first, kind="summary"))
    assert [each for each in text.splitlines() if each.startswith("|")] == ["|Keep it."]
    assert [each for each in text.splitlines() if each.startswith(":word")]


def test_what_a_model_decided_in_an_earlier_summary_is_stated_in_the_next_round_too() -> None:
    """F2. Would catch: a decision that counts as tool output once a digest has quoted it."""
    decided = "We decided to keep the old schema."
    first = mark_summary(digest(user("a", decided, kind="summary")), 1)
    noise = result("n", "\n".join(f"name_{number} = {number}" for number in range(900)), "?")
    text = digest(user("s", first, kind="summary"), noise)
    assert f"@ earlier summary (written by a model)\n|{decided}" in text


def test_a_target_that_is_too_small_gives_the_header() -> None:
    summary = digest(user("a", "hello there"), target=1)
    assert summary.startswith(HEADER.format(1))
    assert "\n" not in summary


def test_all_turns_were_seen() -> None:
    turn = user("a", "hello there")
    job = SummaryJob(SummarizationRequest.of(["a"], 100, "p"), (turn,))
    assert extractive(job).unseen_turn_ids == ()


@pytest.mark.parametrize(
    "estimator",
    [len, lambda text: len(text.split()), lambda text: len(text.encode()) // 3, lambda _: 7],
    ids=["characters", "words", "bytes", "constant"],
)
def test_a_digest_fits_by_any_estimator_and_uses_its_room(estimator: object) -> None:
    lines = "\n".join(f"row {number} of table_{number} 数据" for number in range(2000))
    turn = TranscriptTurn("a", "tool", lines, 9)
    job = SummaryJob(SummarizationRequest.of(["a"], 500, "p"), (turn,))
    text = extractive(job, estimator=estimator).text  # type: ignore[arg-type]
    marked = f'<conversation_summary turns="1">\n{text}\n</conversation_summary>'
    measured = estimator(marked)  # type: ignore[operator]
    assert measured <= 500
    assert measured >= 400 or measured == 7


def test_a_plan_is_fulfilled_and_applied() -> None:
    turns = [user(name, f"keep src/{name}.py\n" * 60) for name in ("one", "two", "three", "four")]
    sized = [TranscriptTurn(t.turn_id, "user", t.content, 300) for t in turns]
    transcript = Transcript(sized)
    plan = SummarizingPolicy("p", min_span_turns=2).decide(
        transcript, CompactionBudget(900, protected_recent_turns=1)
    )
    summaries = fulfil_extractively(transcript, plan)
    assert all(isinstance(each, Summary) for each in summaries.values())
    view = CompactionExecutor().apply(
        transcript, plan, summaries, estimator=lambda text: -(-len(text) // 4)
    )
    assert not view.report.budget_unmet
    assert view.report.tokens_after <= plan.tokens_after_estimate


def test_ten_rounds_stay_bounded_and_the_users_rule_survives() -> None:
    """Known failure E8: digests neither nest nor pile up."""
    rule = "Never rename public_api."
    transcript = Transcript([user("task", rule)])
    number = 0
    for _ in range(10):
        fresh = []
        for _ in range(20):
            number += 1
            text = "\n".join(f"step_{number}_{line} done" for line in range(40))
            fresh.append(TranscriptTurn(f"t{number}", "assistant", text, len(text) // 4))
        transcript = Transcript((*transcript.turns, *fresh))
        plan = SummarizingPolicy("p").decide(
            transcript, CompactionBudget(1500, protected_recent_turns=2)
        )
        view = CompactionExecutor().apply(
            transcript,
            plan,
            fulfil_extractively(transcript, plan),
            estimator=lambda text: -(-len(text) // 4),
        )
        transcript = view.transcript
        assert sum("Verbatim extract" in turn.content for turn in transcript) == 1
        summary = next(turn for turn in transcript if "Verbatim extract" in turn.content)
        assert summary.content.count("Verbatim extract") == 1
        assert "||" not in summary.content
        assert "earlier earlier" not in summary.content
    assert rule in transcript.turns[0].content


def test_a_line_about_the_marks_is_a_line_like_any_other() -> None:
    """F2, E8."""
    said = "never rename conversation_summary in src/marks.py"
    text = mark_summary(f"{said}\nand keep src/other.py as it is", 3)
    summary = TranscriptTurn("s", "user", text, 200, metadata={"turnfold.kind": "summary"})
    assert said in digest(summary, target=200)


def test_a_summary_that_only_begins_like_a_digest_is_read_as_its_writers_words() -> None:
    """F2."""
    text = mark_summary("Verbatim extract of my notes:\nnever push to main", 3)
    summary = TranscriptTurn("s", "user", text, 200, metadata={"turnfold.kind": "summary"})
    assert "never push to main" in digest(summary, target=200)


def test_the_turns_that_stay_are_read_once_for_all_summaries() -> None:
    """U3. Would catch: a reading of the whole view for each of many summaries."""
    turns = []
    for number in range(30):
        turns += [user(f"u{number}.{each}", f"src/a{number}/{each}.py " * 40) for each in range(5)]
        turns.append(replace(user(f"p{number}", f"src/kept{number}.py"), pinned=True))
    transcript = Transcript(turns)
    policy = SummarizingPolicy("turnfold.summary/1", extent="until_it_fits")
    plan = policy.decide(transcript, CompactionBudget(transcript.token_estimate() // 4, 1))
    assert len(plan.summarization_requests) > 20
    with patch("turnfold.fulfil._material.NameReader", wraps=NameReader) as readers:
        fulfil_extractively(transcript, plan)
    assert readers.call_count == 1
