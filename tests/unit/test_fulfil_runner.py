"""A caller's model writes the summaries, and nothing it does costs the transcript (F1, F3, F5)."""

import asyncio
import math
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import (
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
)
from turnfold.audit import Verdict
from turnfold.decision import SummarizationRequest
from turnfold.errors import FulfilmentFailed, InvalidConfiguration, PlanTranscriptMismatch
from turnfold.fulfil import (
    Answer,
    Fulfilled,
    FulfilOptions,
    InputTooLong,
    SummaryJob,
    Writer,
    fulfil,
    fulfil_async,
    render_prompt,
)
from turnfold.fulfil._clip import clipped
from turnfold.policies import PlanDraft

GOOD = "Serve it on port 8443. Never push to main."
WRONG = "Serve it on port 8444."
SECRET = "sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"  # noqa: S105  No key of anything.


def session() -> Transcript:
    turns = [TranscriptTurn("task", "user", GOOD, 12)]
    turns += [
        TranscriptTurn(f"a{n}", "assistant", f"Step {n} is done in src/step_{n}.py. " * 30, 240)
        for n in range(6)
    ]
    return Transcript(turns)


def planned(transcript: Transcript, prompt: str = "turnfold.brief/1") -> CompactionPlan:
    budget = CompactionBudget(900, protected_recent_turns=2)
    return SummarizingPolicy(prompt).decide(transcript, budget)


class TwoGroups:
    """A policy that asks for two summaries."""

    name = "two_groups"
    version = "1"

    def decide(self, transcript: Transcript, budget: CompactionBudget) -> CompactionPlan:
        draft = PlanDraft(transcript, budget)
        for positions in ((1, 2), (3, 4)):
            draft.summarize(positions, 60, "turnfold.brief/1", reason="summarize: a_half")
        return draft.seal(self.name, self.version)


def one(done: Fulfilled) -> Any:  # noqa: ANN401
    (fulfilment,) = done.fulfilments
    return fulfilment


def codes(done: Fulfilled) -> list[str]:
    return [each.code for each in one(done).rejected]


def run_async(write: Writer, options: FulfilOptions = FulfilOptions()) -> Fulfilled:  # noqa: B008
    transcript = session()
    return asyncio.run(fulfil_async(transcript, planned(transcript), write, options))


def run(write: Writer, options: FulfilOptions = FulfilOptions()) -> Fulfilled:  # noqa: B008
    transcript = session()
    return fulfil(transcript, planned(transcript), write, options)


both = pytest.mark.parametrize("run_it", [run, run_async], ids=["sync", "async"])


@both
def test_a_good_summary_is_taken_as_it_is(run_it: Callable[..., Fulfilled]) -> None:
    done = run_it(lambda job: GOOD)  # noqa: ARG005
    assert one(done).summary.text == GOOD
    assert one(done).source == "writer"
    assert one(done).report.verdict is Verdict.PASS
    assert dict(one(done).seen) == dict.fromkeys(("task", "a0", "a1", "a2", "a3"), "whole")
    transcript = session()
    view = CompactionExecutor().apply(transcript, planned(transcript), done.summaries)
    assert GOOD in view.transcript.turns[0].content


@both
def test_findings_go_back_and_a_mended_summary_is_taken(run_it: Callable[..., Fulfilled]) -> None:
    """F3. Would catch: a second try that is asked without a word of what was wrong."""
    prompts = []

    def write(job: SummaryJob) -> str:
        prompts.append(render_prompt(job))
        return GOOD if job.rejected else WRONG

    done = run_it(write)
    assert codes(done) == ["summary_audit_failed"]
    assert one(done).source == "writer"
    assert "8444" not in prompts[0]
    assert "'8444': mutated; the record has '8443'" in prompts[1]
    assert "Never push to main" in prompts[1].split("problems>")[1]


def test_turns_are_read_once_for_all_summaries_and_tries(names_read: list[str]) -> None:
    """Would catch: a long session that is read again for each try of each summary."""
    transcript = session()
    plan = TwoGroups().decide(transcript, CompactionBudget(900, protected_recent_turns=2))
    done = fulfil(transcript, plan, lambda job: GOOD if job.rejected else WRONG)
    assert [len(each.rejected) for each in done.fulfilments] == [1, 1]
    assert sorted(names_read) == sorted({turn.content for turn in transcript})


@both
@pytest.mark.parametrize("answer", [WRONG, "", Answer("half a", "length"), "x " * 5_000])
def test_the_digest_stands_in_after_the_last_try(
    answer: str | Answer, run_it: Callable[..., Fulfilled]
) -> None:
    """F3, E11. Would catch: a rejected summary that is accepted in the end."""
    asked = []

    def write(job: SummaryJob) -> str | Answer:
        asked.append(job)
        return answer

    done = run_it(write, FulfilOptions(tries=3))
    assert len(asked) == len(codes(done)) == 3
    assert one(done).source == "digest"
    assert "Never push to main." in one(done).summary.text


@both
def test_a_writer_that_raises_costs_nothing(run_it: Callable[..., Fulfilled]) -> None:
    """Its words are not repeated: they could quote a turn."""

    def write(job: SummaryJob) -> str:
        raise RuntimeError(job.turns[0].content)

    done = run_it(write)
    assert codes(done) == ["writer_failed", "writer_failed"]
    assert one(done).rejected[0].problems == ("the writer raised RuntimeError",)
    with pytest.raises(FulfilmentFailed) as failed:
        run_it(write, FulfilOptions(digest="never"))
    assert isinstance(failed.value.__cause__, RuntimeError)
    assert failed.value.details["rejected"] == ["writer_failed", "writer_failed"]
    assert GOOD not in str(failed.value)


@pytest.mark.parametrize("fault", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()])
def test_a_writer_that_wants_to_end_more_than_itself_has_failed(fault: BaseException) -> None:
    """F1. Would catch: an exit that is told as a model that took too long."""

    def write(job: SummaryJob) -> str:  # noqa: ARG001
        raise fault

    done = run(write, FulfilOptions(gate="off"))
    assert codes(done) == ["writer_failed", "writer_failed"]
    assert one(done).rejected[0].problems == (f"the writer raised {type(fault).__name__}",)


def test_a_cancellation_of_a_writers_own_is_a_failed_try() -> None:
    """F1. Would catch: a client's cancelled request that looks like a cancelled compaction."""

    async def write(job: SummaryJob) -> str:  # noqa: ARG001
        raise asyncio.CancelledError

    done = run_async(write, FulfilOptions(gate="off"))
    assert codes(done) == ["writer_failed", "writer_failed"]


@both
def test_a_prompt_that_is_too_long_is_clipped_and_that_is_recorded(
    run_it: Callable[..., Fulfilled],
) -> None:
    """J10, F3. Would catch: turns that nobody saw and that count as summarized all the same."""
    sizes = []

    def write(job: SummaryJob) -> str:
        sizes.append(sum(len(turn.content) for turn in job.turns))
        if len(sizes) == 1:
            raise InputTooLong
        return GOOD

    done = run_it(write)
    assert codes(done) == ["writer_overflowed"]
    assert sizes[1] < 0.6 * sizes[0]
    assert dict(one(done).seen) == {
        "task": "whole",
        **dict.fromkeys(("a0", "a1", "a2", "a3"), "clipped"),
    }


def test_unseen_turns_reach_the_report() -> None:
    """F3. Would catch: a record that stops at the runner."""
    transcript = session()
    plan = planned(transcript)
    for window, answer in ((150, GOOD), (None, Answer(GOOD, None, ("a0", "a1")))):
        options = FulfilOptions(window=window)
        done = fulfil(transcript, plan, lambda job, it=answer: it, options)  # type: ignore[misc]  # noqa: ARG005
        report = CompactionExecutor().apply(transcript, plan, done.summaries).report
        assert report.unseen_turn_ids == ("a0", "a1")


@both
def test_a_slow_writer_is_given_up(run_it: Callable[..., Fulfilled]) -> None:
    released = threading.Event()

    def write(job: SummaryJob) -> str:  # noqa: ARG001
        released.wait(5)
        return GOOD

    done = run_it(write, FulfilOptions(timeout=0.05, tries=1))
    released.set()
    assert codes(done) == ["writer_timed_out"]
    assert one(done).source == "digest"


@both
@pytest.mark.parametrize("timeout", [math.inf, 1e12])
def test_a_limit_longer_than_any_clock_is_none(
    run_it: Callable[..., Fulfilled], timeout: float
) -> None:
    done = run_it(lambda job: GOOD, FulfilOptions(timeout=timeout, gate="off"))  # noqa: ARG005
    assert one(done).source == "writer"


def test_an_asynchronous_writer_is_cancelled_when_its_time_is_over() -> None:
    ended = []

    async def write(job: SummaryJob) -> str:  # noqa: ARG001
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)
        return GOOD

    assert codes(run_async(write, FulfilOptions(timeout=0.05, tries=1))) == ["writer_timed_out"]
    assert ended == [True]
    assert codes(run(write, FulfilOptions(timeout=0.05, tries=1))) == ["writer_timed_out"]


def test_a_cancelled_call_cancels_its_writers() -> None:
    """Would catch: a model that goes on writing for a caller that has gone."""
    state = []
    begun = asyncio.Event()

    async def write(job: SummaryJob) -> str:  # noqa: ARG001
        state.append("began")
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            state.append("cancelled")
            raise
        return GOOD

    async def main() -> None:
        transcript = session()
        task = asyncio.create_task(fulfil_async(transcript, planned(transcript), write))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert state == ["began", "cancelled"]


STRICT = FulfilOptions(tries=1, digest="never", concurrency=2)


def in_two_groups(write: Writer, options: FulfilOptions, *, is_async: bool) -> Fulfilled:
    transcript = session()
    plan = TwoGroups().decide(transcript, CompactionBudget(900, protected_recent_turns=2))
    if is_async:
        return asyncio.run(fulfil_async(transcript, plan, write, options))
    return fulfil(transcript, plan, write, options)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("failing", ["a0", "a2"])
def test_a_failure_for_good_waits_for_nobody(failing: str, is_async: bool) -> None:  # noqa: FBT001
    """Would catch: a caller that waits minutes for a summary which nobody will use."""
    released, begun = threading.Event(), threading.Event()

    def write(job: SummaryJob) -> str:
        if failing in job.request.turn_ids:
            begun.wait(20)
            raise ConnectionError
        begun.set()
        released.wait(20)
        return GOOD

    started = time.monotonic()
    with pytest.raises(FulfilmentFailed):
        in_two_groups(write, STRICT, is_async=is_async)
    assert time.monotonic() - started < 15
    released.set()


def test_a_failure_for_good_begins_nothing_more() -> None:
    """Would catch: a second bill for a compaction that has failed already."""
    asked = []

    def write(job: SummaryJob) -> str:
        asked.append(job.request.group_id)
        raise ConnectionError

    options = FulfilOptions(tries=1, digest="never", concurrency=1)
    for _ in range(20):
        asked.clear()
        with pytest.raises(FulfilmentFailed):
            in_two_groups(write, options, is_async=False)
        assert len(asked) == 1


@pytest.mark.parametrize("reason", ["timeout", "failure"])
def test_an_awaitable_that_nobody_waits_for_is_cancelled(reason: str) -> None:
    """Would catch: a request that runs on, as a plain function returned what is to be awaited."""
    begun, ended = threading.Event(), threading.Event()

    async def later() -> str:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return GOOD

    def write(job: SummaryJob) -> Any:  # noqa: ANN401  A text, or something to await.
        if "a2" in job.request.turn_ids:
            begun.wait(20)
            raise ConnectionError
        return later()

    limit = 0.1 if reason == "timeout" else 60
    options = FulfilOptions(timeout=limit, tries=1, digest="never", concurrency=2)
    with pytest.raises(FulfilmentFailed):
        in_two_groups(write, options, is_async=False)
    assert ended.wait(15)


def test_writers_of_every_kind_are_called() -> None:
    """Would catch: an awaitable from a plain lambda that ends as a summary's text."""

    async def later(job: SummaryJob) -> str:  # noqa: ARG001
        return GOOD

    class Model:
        async def __call__(self, job: SummaryJob) -> str:  # noqa: ARG002
            return GOOD

    for write in (later, lambda job: later(job), Model()):  # noqa: PLW0108  No coroutine function.
        assert one(run(write)).source == "writer"
        assert one(run_async(write)).source == "writer"


def test_an_asynchronous_writer_in_a_running_loop_is_pointed_to_the_other_door() -> None:
    async def write(job: SummaryJob) -> str:  # noqa: ARG001
        return GOOD

    async def main() -> None:
        transcript = session()
        with pytest.raises(InvalidConfiguration, match="fulfil_async"):
            fulfil(transcript, planned(transcript), write)

    asyncio.run(main())


def test_summaries_are_written_at_once_but_not_more_than_allowed() -> None:
    transcript = session()
    plan = TwoGroups().decide(transcript, CompactionBudget(900, protected_recent_turns=2))
    assert len(plan.summarization_requests) == 2
    lock = threading.Lock()
    for allowed in (1, 2):
        present, most = 0, 0

        def write(job: SummaryJob) -> str:
            nonlocal present, most
            with lock:
                present += 1
                most = max(most, present)
            time.sleep(0.05)
            with lock:
                present -= 1
            return job.turns[0].content[:60]

        options = FulfilOptions(concurrency=allowed, gate="off")
        done = fulfil(transcript, plan, write, options)
        asynchronous = asyncio.run(fulfil_async(transcript, plan, write, options))
        assert done == asynchronous
        assert [each.source for each in done.fulfilments] == ["writer", "writer"]
        assert most == allowed


def test_context_variables_reach_the_writer() -> None:
    """Would catch: a trace that ends where the threads begin."""
    trace: ContextVar[str] = ContextVar("trace")
    trace.set("t-1")
    seen = []

    def write(job: SummaryJob) -> str:  # noqa: ARG001
        seen.append(trace.get())
        return GOOD

    run(write)
    assert seen == ["t-1"]


def test_gates() -> None:
    """F3: strict asks once and takes nothing that fails; warn takes it and says so; off is off."""
    asked: list[SummaryJob] = []

    def write(job: SummaryJob) -> str:
        asked.append(job)
        return WRONG

    strict = run(write, FulfilOptions(gate="strict"))
    assert (len(asked), one(strict).source) == (1, "digest")
    warned = one(run(write, FulfilOptions(gate="warn")))
    assert (warned.source, warned.report.verdict) == ("writer", Verdict.FAIL)
    silent = one(run(write, FulfilOptions(gate="off")))
    assert (silent.source, silent.report) == ("writer", None)


def test_a_strict_gate_holds_for_the_digest_too() -> None:
    """Would catch: a fallback that is taken for granted."""
    rules = " ".join(f"Never touch the file src/part_{n}.py again." for n in range(50))
    turns = [TranscriptTurn("task", "user", rules, 2_000)]
    turns += [TranscriptTurn(f"a{n}", "assistant", "Done. " * 40, 60) for n in range(5)]
    transcript = Transcript(turns)
    plan = SummarizingPolicy("turnfold.brief/1", 0.05).decide(
        transcript, CompactionBudget(400, protected_recent_turns=1)
    )
    with pytest.raises(FulfilmentFailed, match="the digest as well"):
        fulfil(transcript, plan, lambda job: "Fine.", FulfilOptions(gate="strict"))  # noqa: ARG005
    repaired = one(fulfil(transcript, plan, lambda job: "Fine."))  # noqa: ARG005
    assert (repaired.source, repaired.report.verdict) == ("digest", Verdict.FAIL)


def test_a_digest_can_stand_behind_the_summary() -> None:
    done = run(lambda job: GOOD, FulfilOptions(digest="append"))  # noqa: ARG005
    text = one(done).summary.text
    assert text.startswith(GOOD)
    assert "src/step_0.py" in text
    assert len(text) // 4 <= planned(session()).summarization_requests[0].target_tokens


def test_a_summary_that_leaves_no_room_for_a_digest_stands_alone_and_says_what_it_did_not_see() -> (
    None
):
    """F3. Would catch: turns that neither the writer saw nor a digest read, told by nobody."""
    target = planned(session()).summarization_requests[0].target_tokens
    text = ("Port 8443 holds. " * 99)[: target * 4 - 80]
    options = FulfilOptions(digest="append", window=150, gate="off", tolerance=1.0)
    done = one(run(lambda job: text, options))  # noqa: ARG005
    assert done.summary.text == text
    assert done.source == "writer"
    assert done.summary.unseen_turn_ids == ("a0", "a1")


@both
def test_no_secret_reaches_a_writer_or_a_summary(run_it: Callable[..., Fulfilled]) -> None:
    """J11, F5: in a tool's output, in an earlier summary, in what the writer gives back."""
    del run_it
    turns = [
        TranscriptTurn("task", "user", GOOD, 12),
        TranscriptTurn(
            "old", "user", f"Key {SECRET} " * 30, 240, metadata={"turnfold.kind": "summary"}
        ),
        TranscriptTurn("env", "tool", f"OPENAI_API_KEY={SECRET}\n" * 30, 300),
        *session().turns[3:],
    ]
    transcript = Transcript(turns)
    plan = planned(transcript)
    seen: list[str] = []

    def write(job: SummaryJob) -> str:
        seen.extend(turn.content for turn in (*job.turns, *job.staying))
        return f"{GOOD} The key is {SECRET}."

    for done in (
        fulfil(transcript, plan, write),
        asyncio.run(fulfil_async(transcript, plan, write)),
    ):
        assert one(done).source == "writer", one(done).rejected
        assert SECRET not in one(done).summary.text
    assert seen
    assert not [each for each in seen if SECRET in each]
    open_door = fulfil(transcript, plan, write, FulfilOptions(redact=None, gate="off"))
    assert SECRET in one(open_door).summary.text


def test_a_redactor_that_fails_lets_nothing_through() -> None:
    """J11. Would catch: a redactor's fault that aborts every compaction, or opens the door."""
    seen: list[str] = []

    def redact(text: str) -> str:
        if "8443" in text:
            raise ValueError(text)
        return text

    def write(job: SummaryJob) -> str:
        seen.extend(turn.content for turn in job.turns)
        return "The steps are done."

    run(write, FulfilOptions(redact=redact, gate="off"))
    assert seen
    assert not [each for each in seen if "8443" in each]


@pytest.mark.parametrize("digest", ["fallback", "append"])
def test_a_redactor_that_fails_lets_nothing_into_a_digest(digest: Any) -> None:  # noqa: ANN401  A literal.
    """F5. Would catch: a digest that a redactor's fault keeps from standing in."""

    def redact(text: str) -> str:
        if "8443" in text:
            raise ValueError(text)
        return text

    def write(job: SummaryJob) -> str:
        if digest == "fallback":
            raise ConnectionError
        return render_prompt(job, redact=redact)[:40]

    text = one(run(write, FulfilOptions(redact=redact, gate="off", digest=digest))).summary.text
    assert "src/step_0.py" in text
    assert "8443" not in text


def test_a_plan_without_summaries_asks_nobody() -> None:
    """E5. Would catch: a summary of nothing that replaces a history."""
    transcript = session()
    plan = SummarizingPolicy("turnfold.brief/1").decide(transcript, CompactionBudget(90_000))

    def write(job: SummaryJob) -> str:
        raise AssertionError(job)

    assert fulfil(transcript, plan, write) == Fulfilled(())
    assert asyncio.run(fulfil_async(transcript, plan, write)) == Fulfilled(())


def test_a_plan_for_other_turns_is_refused_before_anybody_is_asked() -> None:
    plan = planned(session())
    other = Transcript([*session().turns[1:], TranscriptTurn("x", "user", "y", 1)])
    with pytest.raises(PlanTranscriptMismatch):
        fulfil(other, plan, lambda job: GOOD)  # noqa: ARG005


@pytest.mark.parametrize(
    "options",
    [
        {"tries": 0},
        {"tries": 11},
        {"tries": True},
        {"concurrency": 0},
        {"timeout": 0},
        {"timeout": "1"},
        {"window": 0},
        {"tolerance": 2},
        {"tolerance": -0.1},
        {"gate": "maybe"},
        {"digest": "always"},
    ],
)
def test_impossible_options_are_refused_by_name(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(InvalidConfiguration, match=name):
        FulfilOptions(**options)


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "tool", "assistant"]), st.integers(1, 4_000)),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 3_000),
)
def test_clipping_keeps_every_turn_and_says_what_is_left(
    spans: list[tuple[str, int]], window: int
) -> None:
    """F3. Would catch: a clipped turn that counts as whole, a window not kept, a lost turn."""
    turns = tuple(
        TranscriptTurn(f"t{n}", role, "word " * size, size) for n, (role, size) in enumerate(spans)
    )
    request = SummarizationRequest.of([turn.turn_id for turn in turns], 10, "p")
    job, seen = clipped(SummaryJob(request, turns), window, lambda text: len(text) // 5)
    assert [turn.turn_id for turn in job.turns] == [turn.turn_id for turn in turns]
    assert list(seen) == [turn.turn_id for turn in turns]
    shown = 0
    for before, after in zip(turns, job.turns, strict=True):
        held = sum(map(str.isalpha, after.content)) >= 4 and "word" in after.content
        if seen[before.turn_id] == "whole":
            assert after == before
        else:
            assert len(after.content) < len(before.content) + 60
            assert held == (seen[before.turn_id] == "clipped")
        if seen[before.turn_id] != "unseen":
            shown += after.content.count("word")
    # A turn that is no longer than the line that would say that it is missing is shown.
    least = sum(min(size, len("[not shown: 100,000 characters]") // 5) for _, size in spans)
    assert shown <= max(window, least) or all(state == "whole" for state in seen.values())


@pytest.mark.parametrize("window", [200, 300, 1_000, 3_000])
@pytest.mark.parametrize(("turns", "words"), [(4, 1_000), (40, 100), (300, 40), (500, 1)])
def test_the_marks_of_what_is_left_out_count(turns: int, words: int, window: int) -> None:
    """F3. Would catch: small turns that make room for lines twice as long."""
    listed = tuple(TranscriptTurn(f"t{n}", "user", "word " * words, 1) for n in range(turns))
    request = SummarizationRequest.of([turn.turn_id for turn in listed], 10, "p")

    def size(text: str) -> int:
        return -(-len(text) // 4)

    job, _ = clipped(SummaryJob(request, listed), window, size)
    shown = sum(size(turn.content) for turn in job.turns)
    marks = turns * min(size("word " * words), size("[not shown: 100,000 characters]"))
    assert shown <= max(window, marks)
