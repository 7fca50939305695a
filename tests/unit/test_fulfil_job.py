"""What a summariser is handed (contract F1)."""

import pickle
from dataclasses import replace

import pytest

from turnfold import (
    Action,
    CompactionBudget,
    InvalidTranscript,
    PlanTranscriptMismatch,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
    default_chain,
)
from turnfold.decision import SummarizationRequest
from turnfold.fulfil import SummaryJob, jobs


def session(rounds: int) -> Transcript:
    turns = [TranscriptTurn("task", "user", "the task " * 20, 45, pinned=True)]
    for number in range(rounds):
        call = f"c{number}"
        turns += [
            TranscriptTurn(f"a{number}", "assistant", "thinking " * 20, 45, tool_call_id=call),
            TranscriptTurn(f"r{number}", "tool", "result " * 200, 350, tool_call_id=call),
        ]
    return Transcript(turns)


def test_a_job_holds_the_turns_of_its_request_and_those_that_stay() -> None:
    transcript = session(12)
    plan = SummarizingPolicy("p", extent="until_it_fits").decide(transcript, CompactionBudget(3000))
    (job,) = jobs(transcript, plan)
    assert tuple(turn.turn_id for turn in job.turns) == plan.summarization_requests[0].turn_ids
    assert job.staying == tuple(
        transcript.turn(each.turn_id) for each in plan.decisions if each.action is Action.KEEP
    )


def test_a_masked_turn_stays_as_its_stub() -> None:
    transcript = session(12)
    plan = default_chain().decide(transcript, CompactionBudget(900))
    stubs = {each.turn_id: each for each in plan.decisions if each.action is Action.MASK}
    assert plan.summarization_requests
    for job in jobs(transcript, plan):
        for turn in job.staying:
            if turn.turn_id in stubs:
                assert turn.content == stubs[turn.turn_id].replacement
                assert turn.token_estimate == stubs[turn.turn_id].replacement_tokens
                assert turn.metadata["turnfold.kind"] == "masked"
        assert all("removed to save space" not in turn.content for turn in job.turns)


def test_appended_turns_stay() -> None:
    transcript = session(12)
    plan = SummarizingPolicy("p").decide(transcript, CompactionBudget(3000))
    late = TranscriptTurn("late", "user", "go on", 2)
    (job,) = jobs(Transcript((*transcript.turns, late)), plan)
    assert job.staying[-1] == late


def test_a_plan_without_summaries_has_no_jobs() -> None:
    transcript = session(2)
    assert jobs(transcript, default_chain().decide(transcript, CompactionBudget(10_000))) == ()


def test_a_plan_for_other_turns_has_no_jobs() -> None:
    transcript = session(12)
    plan = SummarizingPolicy("p").decide(transcript, CompactionBudget(3000))
    changed = [replace(turn, content="other") for turn in transcript]
    with pytest.raises(PlanTranscriptMismatch):
        jobs(Transcript(changed), plan)


def test_a_job_is_pickled_through_its_checks() -> None:
    turn = TranscriptTurn("a", "user", "hello", 2)
    job = SummaryJob(SummarizationRequest.of(["a"], 1, "p"), (turn,))
    assert pickle.loads(pickle.dumps(job)) == job  # noqa: S301  Our own bytes.
    with pytest.raises(InvalidTranscript, match="0 turns"):
        SummaryJob(job.request, ())
