"""Applying plans (contract section 5)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.strategies import five, session, summaries_for, turn
from turnfold import (
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    PlanDraft,
    PlanTranscriptMismatch,
    Role,
    SummarizingPolicy,
    Summary,
    SummaryMissing,
    SummaryRejected,
    Transcript,
)

apply = CompactionExecutor().apply

TRANSCRIPT = session(rounds=4)


def summarizing() -> CompactionPlan:
    return SummarizingPolicy("brief").decide(TRANSCRIPT, CompactionBudget(200, 1))


def group(plan: CompactionPlan) -> str:
    return plan.summarization_requests[0].group_id


def test_a_plan_that_keeps_everything_gives_the_same_transcript() -> None:
    """X1, B5."""
    plan = DropOldestPolicy().decide(TRANSCRIPT, CompactionBudget(10**6))
    assert apply(TRANSCRIPT, plan).transcript is TRANSCRIPT


def test_a_masked_turn_keeps_all_but_content_and_size() -> None:
    """X4, T6."""
    plan = ObservationMaskingPolicy(0).decide(TRANSCRIPT, CompactionBudget(400, 1))
    before = TRANSCRIPT.turn("result0")
    masked = apply(TRANSCRIPT, plan).transcript.turn("result0")
    assert masked.content == plan.replacements[0]
    assert masked.token_estimate == plan.replacement_tokens[0]
    assert (masked.turn_id, masked.role, masked.tool_call_id) == ("result0", Role.TOOL, "x0")
    assert masked.pinned is before.pinned is False
    assert masked.metadata["turnfold.kind"] == "masked"


def test_a_masked_turn_keeps_its_metadata() -> None:
    """X4."""
    named = replace(TRANSCRIPT.turn("result0"), metadata={"turnfold.tool_name": "run", "a": "b"})
    transcript = Transcript((named, turn("end")))
    plan = ObservationMaskingPolicy(0).decide(transcript, CompactionBudget(100, 1))
    assert dict(apply(transcript, plan).transcript.turns[0].metadata) == {
        "turnfold.tool_name": "run",
        "a": "b",
        "turnfold.kind": "masked",
    }


def test_a_summary_stands_at_the_place_of_its_earliest_turn() -> None:
    """X4."""
    plan = summarizing()
    view = apply(TRANSCRIPT, plan, {group(plan): "what happened"})
    summary = view.transcript.turns[1]
    assert view.transcript.turn_ids() == ("sys", f"summary:{group(plan)}", "last")
    assert (summary.role, summary.pinned, summary.tool_call_id) == (Role.USER, False, None)
    assert summary.metadata == {"turnfold.kind": "summary"}
    assert summary.token_estimate == plan.summarization_requests[0].target_tokens
    assert "what happened" in summary.content
    assert summary.content != "what happened"
    assert view.report.summary_turn_ids == (summary.turn_id,)


def test_a_group_that_is_not_contiguous_stands_at_its_earliest_turn_too() -> None:
    """X4, T4."""
    turns = [turn("a", tokens=50), turn("call", "assistant", 50, "x"), turn("between", tokens=50)]
    turns += [turn("result", "tool", 50, "x"), turn("end", tokens=5)]
    transcript = Transcript(tuple(turns))
    draft = PlanDraft(transcript, CompactionBudget(150, 1))
    draft.summarize([1, 3], 10, "p", reason="summarize: because")
    plan = draft.seal("hand", "1")
    view = apply(transcript, plan, summaries_for(plan)).transcript
    assert view.turn_ids() == ("a", f"summary:{group(plan)}", "between", "end")


def test_a_summary_cannot_close_its_own_mark() -> None:
    """X4, F4."""
    plan = summarizing()
    text = "before </conversation_summary> after </conversation_summary\n>"
    content = apply(TRANSCRIPT, plan, {group(plan): text}).transcript.turns[1].content
    assert content.count("</conversation_summary") == 1
    assert content.endswith("</conversation_summary>")


@pytest.mark.parametrize(
    "mark",
    [
        "</conversation_summary>",
        "</Conversation_Summary >",
        "< / conversation_summary>",
        '<conversation_summary turns="9">',
    ],
)
def test_no_mark_stands_in_a_summary(mark: str) -> None:
    """F4, X4."""
    plan = summarizing()
    view = apply(TRANSCRIPT, plan, {group(plan): f"so {mark} and on"})
    content = view.transcript.turn(view.report.summary_turn_ids[0]).content
    opening, body, closing = content.splitlines()
    assert opening.startswith("<conversation_summary turns=")
    assert closing == "</conversation_summary>"
    assert "<" not in body


def test_a_missing_summary_is_named_with_its_turns_and_target() -> None:
    """X2, E1."""
    plan = summarizing()
    for given in (None, {}, {"another": "text"}):
        with pytest.raises(SummaryMissing) as missing:
            apply(TRANSCRIPT, plan, given)
        details = missing.value.details
        assert details["group_id"] == group(plan)
        assert details["turn_ids"] == list(plan.summarization_requests[0].turn_ids)
        assert details["target_tokens"] == plan.summarization_requests[0].target_tokens
        assert details["prompt_id"] == "brief"
        assert group(plan) in missing.value.message
        assert "output" not in missing.value.message


def test_a_missing_summary_of_many_turns_names_ten() -> None:
    """E1."""
    transcript = session(rounds=30)
    plan = SummarizingPolicy("p").decide(transcript, CompactionBudget(800))
    with pytest.raises(SummaryMissing) as missing:
        apply(transcript, plan)
    assert len(missing.value.details["turn_ids"]) == 10
    assert "more" in missing.value.message


def test_surplus_summaries_are_ignored() -> None:
    """X2."""
    plan = summarizing()
    exact = apply(TRANSCRIPT, plan, {group(plan): "text"})
    assert apply(TRANSCRIPT, plan, {group(plan): "text", "span-0": "other"}) == exact


@pytest.mark.parametrize("blank", ["", " \n\t", "\u2003", None, 5, b"text"], ids=repr)
def test_a_blank_summary_is_rejected_with_its_code(blank: Any) -> None:  # noqa: ANN401  Anything.
    """X2, known failure E5."""
    plan = summarizing()
    with pytest.raises(SummaryRejected) as rejected:
        apply(TRANSCRIPT, plan, {group(plan): blank})
    assert rejected.value.code == "summary_blank"
    assert rejected.value.details["group_id"] == group(plan)
    with pytest.raises(SummaryRejected):
        apply(TRANSCRIPT, plan, {group(plan): Summary(blank)})


def test_with_an_estimator_a_summary_must_be_smaller_than_what_it_replaces() -> None:
    """X2, X5."""
    plan = summarizing()
    replaced = 430

    def measured(size: int) -> int:
        view = apply(TRANSCRIPT, plan, {group(plan): "text"}, estimator=lambda _: size)
        return view.report.tokens_after

    assert measured(replaced - 1) == 20 + replaced - 1
    with pytest.raises(SummaryRejected) as rejected:
        measured(replaced)
    assert rejected.value.code == "summary_not_smaller"
    assert rejected.value.details["summary_tokens"] == 430
    assert rejected.value.details["replaced_tokens"] == 430


def test_the_marks_of_a_summary_count() -> None:
    """X4."""
    seen = []

    def spy(text: str) -> int:
        seen.append(text)
        return 5

    plan = summarizing()
    view = apply(TRANSCRIPT, plan, {group(plan): "text"}, estimator=spy)
    assert seen == [view.transcript.turns[1].content]


def test_a_measured_summary_over_the_limit_leaves_the_budget_unmet() -> None:
    """X5, B4."""
    plan = summarizing()
    assert not plan.budget_unmet
    view = apply(TRANSCRIPT, plan, {group(plan): "text"}, estimator=lambda _: 300)
    assert view.report.budget_unmet
    assert view.report.tokens_after == 320
    assert view.report.tokens_after_estimate == plan.tokens_after_estimate


def test_turns_that_the_summariser_did_not_see_are_reported() -> None:
    """X1, X5: in transcript order; turns of no group are ignored."""
    plan = summarizing()
    summary = Summary("text", ("result1", "call0", "sys", "nobody"))
    report = apply(TRANSCRIPT, plan, {group(plan): summary}).report
    assert report.unseen_turn_ids == ("call0", "result1")


def test_a_report_holds_no_content_and_is_an_event_body() -> None:
    """X5."""
    plan = ObservationMaskingPolicy(1).decide(TRANSCRIPT, CompactionBudget(400, 1))
    record = apply(TRANSCRIPT, plan).report.to_dict()
    text = json.dumps(record)
    assert "output" not in text
    assert "time" not in text
    assert record["schema"] == "turnfold.report/1"
    assert record["estimator_ratio"] == 4.0
    assert record["masked_turn_ids"] == ["result0"]


def test_a_mismatch_names_ten_of_each_kind_and_no_content() -> None:
    """X3, E1."""
    turns = tuple(turn(f"t{number}", content="secret") for number in range(30))
    plan = DropOldestPolicy().decide(Transcript(turns), CompactionBudget(100))
    changed = Transcript(tuple(replace(each, content="secrets") for each in turns))
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        apply(changed, plan)
    assert mismatch.value.details["changed"] == [f"t{number}" for number in range(10)]
    assert mismatch.value.message.count("'t") == 10
    assert "secret" not in mismatch.value.message
    strangers = Transcript(tuple(replace(each, turn_id=f"u{each.turn_id}") for each in turns))
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        apply(strangers, plan)
    assert len(mismatch.value.details["unknown"]) == 10
    assert len(mismatch.value.details["unplanned"]) == 10


def test_a_late_result_of_a_removed_call_is_refused() -> None:
    """X3, known failure A10."""
    turns = (turn("u"), turn("confirm", "assistant", 10, "c1"), *session(rounds=5).turns[2:])
    transcript = Transcript(turns)
    plan = DropOldestPolicy().decide(transcript, CompactionBudget(300, 1))
    late = Transcript((*turns, turn("answer", "tool", 5, "c1")))
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        apply(late, plan)
    assert mismatch.value.details["calls"] == ["confirm"]
    pinned = replace(turns[1], pinned=True)
    kept = Transcript((turns[0], pinned, *turns[2:]))
    plan = DropOldestPolicy().decide(kept, CompactionBudget(300, 1))
    late = Transcript((*kept.turns, turn("answer", "tool", 5, "c1")))
    assert apply(late, plan).transcript.turn_ids()[-1] == "answer"


def test_the_estimator_is_not_asked_about_anything_but_summaries() -> None:
    """T5, U3."""
    plan = ObservationMaskingPolicy(0, estimator=five).decide(TRANSCRIPT, CompactionBudget(300, 1))

    def never(_text: str) -> int:
        raise AssertionError

    assert apply(TRANSCRIPT, plan, estimator=never).report.tokens_after <= 300
