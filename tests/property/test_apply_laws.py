"""Applying a plan: appended turns, late results, storage in between, other turns (section 5)."""

import json
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.strategies import five, planned, summaries_for
from turnfold import (
    Action,
    CompactionExecutor,
    CompactionPlan,
    PlanTranscriptMismatch,
    Role,
    Transcript,
    TranscriptTurn,
)
from turnfold.view import CompactionReport

Planned = tuple[Transcript, CompactionPlan]
apply = CompactionExecutor().apply

APPENDED = (
    TranscriptTurn("new call", Role.ASSISTANT, "", 3, tool_call_id="new"),
    TranscriptTurn("new result", Role.TOOL, "fresh", 4, tool_call_id="new"),
)


def expected_view(transcript: Transcript, plan: CompactionPlan) -> list[tuple[str, str, int]]:
    """Return (id, what stands there, tokens) of each turn of the view, from the decisions."""
    targets = {each.group_id: each.target_tokens for each in plan.summarization_requests}
    rows = []
    for turn, decision in zip(transcript, plan.decisions, strict=True):
        if decision.action is Action.KEEP:
            rows.append((turn.turn_id, turn.content, turn.token_estimate))
        elif decision.action is Action.MASK:
            rows.append(
                (turn.turn_id, str(decision.replacement), int(decision.replacement_tokens or 0))
            )
        elif decision.action is Action.SUMMARIZE and decision.group_id in targets:
            group = str(decision.group_id)
            rows.append((f"summary:{group}", group, targets.pop(group)))
    return rows


@given(planned())
def test_the_view_is_what_the_decisions_say(case: Planned) -> None:
    """X1, X4, H3.

    Would catch: a summary at another place, a masked turn that loses its place or its exchange.
    """
    transcript, plan = case
    groups = {each.group_id: each.group_id for each in plan.summarization_requests}
    view = apply(transcript, plan, groups)
    rows = []
    originals = {turn.turn_id: turn for turn in transcript}
    for turn in view.transcript:
        is_summary = turn.metadata.get("turnfold.kind") == "summary"
        text = turn.turn_id.removeprefix("summary:") if is_summary else turn.content
        rows.append((turn.turn_id, text, turn.token_estimate))
        if is_summary:
            assert (turn.role, turn.pinned, turn.tool_call_id) == (Role.USER, False, None)
            assert text in turn.content
            continue
        original = originals[turn.turn_id]
        if turn.metadata.get("turnfold.kind") == "masked":
            same = replace(
                turn,
                content=original.content,
                token_estimate=original.token_estimate,
                metadata=original.metadata,
            )
            assert same == original
        else:
            assert turn == original
    assert rows == expected_view(transcript, plan)


@given(planned())
def test_applying_twice_gives_equal_results_and_changes_no_input(case: Planned) -> None:
    """X1, X4, known failure L5.

    Would catch: a counter in an id, an input that is changed on the way.
    """
    transcript, plan = case
    before = deepcopy((transcript, plan))
    first = apply(transcript, plan, summaries_for(plan))
    second = apply(transcript, plan, summaries_for(plan))
    assert first == second
    assert hash(first) == hash(second)
    assert (transcript, plan) == before


@given(planned())
def test_no_exchange_is_left_in_part(case: Planned) -> None:
    """P3, known failures A1 and A4.

    Would catch: a result without its call, or a call without its results, in any view.
    """
    transcript, plan = case
    view = apply(transcript, plan, summaries_for(plan)).transcript
    present = {turn.turn_id for turn in view}
    for position in range(len(transcript)):
        members = {
            transcript.turn_ids()[each] for each in oracles.exchange(transcript.turns, position)
        }
        assert members <= present or not members & present


@given(planned())
def test_the_report_says_what_the_view_is(case: Planned) -> None:
    """X5.

    Would catch: a turn listed twice or nowhere, a size that is not the view's.
    """
    transcript, plan = case
    view = apply(transcript, plan, summaries_for(plan))
    report = view.report
    by_action = {
        Action.KEEP: report.kept_turn_ids,
        Action.MASK: report.masked_turn_ids,
        Action.SUMMARIZE: report.summarized_turn_ids,
        Action.DROP: report.dropped_turn_ids,
    }
    for action, listed in by_action.items():
        assert listed == tuple(each.turn_id for each in plan.decisions if each.action is action)
    assert report.tokens_before == oracles.size(transcript.turns)
    assert report.tokens_after == oracles.size(view.transcript.turns)
    assert report.tokens_after_estimate == report.tokens_after
    assert report.budget_unmet is (report.tokens_after > oracles.limit_of(plan.budget))
    assert (report.turns_before, report.turns_after) == (len(transcript), len(view.transcript))
    assert report.plan_hash == plan.plan_hash()
    assert (report.appended_turn_ids, report.unseen_turn_ids) == ((), ())
    assert CompactionReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report


@given(planned())
def test_appended_turns_stand_verbatim_behind_the_view(case: Planned) -> None:
    """X3, T4.

    Would catch: a tail that is decided about, or that changes what the plan does before it.
    """
    transcript, plan = case
    without = apply(transcript, plan, summaries_for(plan))
    longer = Transcript(transcript.turns + APPENDED)
    view = apply(longer, plan, summaries_for(plan))
    assert view.transcript.turns == without.transcript.turns + APPENDED
    assert view.report.appended_turn_ids == ("new call", "new result")
    assert view.report.kept_turn_ids == without.report.kept_turn_ids
    assert view.report.tokens_after == without.report.tokens_after + 7
    assert view.report.budget_unmet is (view.report.tokens_after > oracles.limit_of(plan.budget))


@given(planned(), st.data())
def test_a_late_result_is_kept_or_its_call_is_named(case: Planned, data: st.DataObject) -> None:
    """X3, known failure A10.

    Would catch: a result that arrives behind a call which the plan has removed.
    """
    transcript, plan = case
    calls = sorted({turn.tool_call_id for turn in transcript if turn.tool_call_id})
    call = data.draw(st.sampled_from(calls)) if calls else "of its own"
    late = TranscriptTurn("late", Role.TOOL, "late", 1, tool_call_id=call)
    longer = Transcript((*transcript.turns, late))
    decisions = {each.turn_id: each.action for each in plan.decisions}
    owners = [turn.turn_id for turn in transcript if turn.tool_call_id == call]
    removed = any(decisions[each] in (Action.DROP, Action.SUMMARIZE) for each in owners)
    if not removed:
        assert apply(longer, plan, summaries_for(plan)).transcript.turns[-1] == late
        return
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        apply(longer, plan, summaries_for(plan))
    assert mismatch.value.details["unplanned"] == ["late"]
    assert mismatch.value.details["calls"] == [owners[0]]
    assert repr(owners[0]) in mismatch.value.message


@given(planned())
def test_a_plan_and_a_transcript_that_were_stored_in_between_give_the_same_view(
    case: Planned,
) -> None:
    """P9, X3, known failure L4.

    Would catch: an identity of objects where ids and digests should decide.
    """
    transcript, plan = case
    stored = Transcript.from_dict(json.loads(json.dumps(transcript.to_dict())))
    read = CompactionPlan.from_dict(json.loads(plan.canonical_json()))
    assert read == plan
    assert apply(stored, read, summaries_for(plan)) == apply(transcript, plan, summaries_for(plan))


@given(planned(), st.integers(0, 50))
def test_estimates_and_metadata_may_change_in_between(case: Planned, more: int) -> None:
    """T3, X5.

    Would catch: a digest over more than id, role, content and call, or a view counted by the
    plan's old estimates.
    """
    transcript, plan = case
    changed = Transcript(
        tuple(
            replace(turn, token_estimate=turn.token_estimate + more, metadata={"note": "new"})
            for turn in transcript
        )
    )
    assert changed.digest() == transcript.digest()
    view = apply(changed, plan, summaries_for(plan))
    assert (
        view.transcript.turn_ids()
        == apply(transcript, plan, summaries_for(plan)).transcript.turn_ids()
    )
    assert view.report.tokens_after == oracles.size(view.transcript.turns)
    assert view.report.tokens_before == plan.tokens_before


@given(planned(), st.data())
def test_a_turn_that_was_pinned_since_is_never_changed(case: Planned, data: st.DataObject) -> None:
    """T3, B2: a plan that did not know a pin does not touch the turn.

    Would catch: a pin that comes between plan and apply and is ignored.
    """
    transcript, plan = case
    if not len(transcript):
        return
    position = data.draw(st.integers(0, len(transcript) - 1))
    turns = list(transcript.turns)
    turns[position] = replace(turns[position], pinned=True)
    later = Transcript(tuple(turns))
    if plan.decisions[position].action is Action.KEEP:
        assert (
            apply(later, plan, summaries_for(plan)).transcript.turn(turns[position].turn_id)
            == turns[position]
        )
    else:
        with pytest.raises(PlanTranscriptMismatch):
            apply(later, plan, summaries_for(plan))


CHANGES = ("content", "role", "id", "call", "swap", "remove_first", "insert_first", "remove_last")


@given(planned(), st.sampled_from(CHANGES), st.data())
def test_a_plan_for_other_turns_is_refused_and_names_them(
    case: Planned, change: str, data: st.DataObject
) -> None:
    """X3, T3.

    Would catch: a plan that is applied by position, a change of any digested field that passes.
    """
    transcript, plan = case
    turns = list(transcript.turns)
    if len(turns) < 2:
        return
    position = data.draw(st.integers(0, len(turns) - 2))
    turn = turns[position]
    kind = "changed"
    named = turn.turn_id
    if change == "content":
        turns[position] = replace(turn, content=turn.content + " ")
    elif change == "role":
        other = Role.USER if turn.role is not Role.USER else Role.ASSISTANT
        turns[position] = replace(turn, role=other)
    elif change == "call":
        turns[position] = replace(turn, tool_call_id="another")
    elif change == "id":
        turns[position], kind = replace(turn, turn_id="renamed"), "unknown"
    elif change == "swap":
        turns[position], turns[position + 1], kind = turns[position + 1], turn, "reordered"
    elif change == "remove_first":
        kind, named = "unknown", turns.pop(0).turn_id
    elif change == "remove_last":
        kind, named = "unknown", turns.pop().turn_id
    else:
        turns.insert(0, TranscriptTurn("stranger", Role.USER, "", 0))
        kind, named = "unplanned", "stranger"
    with pytest.raises(PlanTranscriptMismatch) as mismatch:
        apply(Transcript(tuple(turns)), plan, summaries_for(plan))
    assert named in mismatch.value.details[kind]
    assert len(mismatch.value.details[kind]) <= 10


@given(planned())
def test_with_an_estimator_summaries_are_measured(case: Planned) -> None:
    """X5, X2: what the estimator says counts, marks included; the rest is unchanged.

    Would catch: a measured summary that is counted at its target.
    """
    transcript, plan = case
    sizes = {turn.turn_id: turn.token_estimate for turn in transcript}
    if any(sum(sizes[t] for t in r.turn_ids) <= 5 for r in plan.summarization_requests):
        return
    view = apply(transcript, plan, summaries_for(plan), estimator=five)
    targets = sum(request.target_tokens for request in plan.summarization_requests)
    measured = 5 * len(plan.summarization_requests)
    assert view.report.tokens_after == plan.tokens_after_estimate - targets + measured
