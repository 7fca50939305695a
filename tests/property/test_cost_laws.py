"""What planning and applying cost, counted (U3, known failure F7)."""

import hashlib
import sys
import time
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given

import turnfold.transcript
from tests.strategies import OURS, five, planned, satisfiable_cases, session, summaries_for, turn
from turnfold import (
    CompactionBudget,
    CompactionExecutor,
    ObservationMaskingPolicy,
    PlanDraft,
    SummarizingPolicy,
    Transcript,
    default_chain,
)
from turnfold.ledger import verify


@given(satisfiable_cases())
def test_an_estimator_is_called_at_most_once_for_each_text(
    case: tuple[Transcript, CompactionBudget],
) -> None:
    """U3, F7.

    Would catch: a recount in every step, a stub that is sized again when masks are given back.
    """
    texts: Counter[str] = Counter()

    def spy(text: str) -> int:
        texts[text] += 1
        return 5

    default_chain(keep_recent_results=0, min_span_turns=2, estimator=spy).decide(*case)
    assert set(texts.values()) <= {1}
    assert len(texts) <= len(case[0])


def test_an_estimator_is_called_once_for_equal_results() -> None:
    """U3: a text is a text, however many turns hold it."""
    texts: list[str] = []

    def spy(text: str) -> int:
        texts.append(text)
        return 5

    turns = [turn(f"r{n}", "tool", 50, f"x{n}", "the same") for n in range(4)]
    ObservationMaskingPolicy(0, estimator=spy).decide(
        Transcript(tuple(turns)), CompactionBudget(20, 0)
    )
    assert len(texts) == 1


def test_an_estimator_sizes_each_summary_once() -> None:
    """U3, X5."""
    texts: list[str] = []

    def spy(text: str) -> int:
        texts.append(text)
        return 5

    transcript = session(rounds=6)
    plan = OURS["summarizing"]().decide(transcript, CompactionBudget(300, 1))
    CompactionExecutor().apply(transcript, plan, summaries_for(plan), estimator=spy)
    assert len(texts) == len(plan.summarization_requests) == 1


def test_content_is_hashed_at_most_once_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """U3: through planning, hashing, applying and verifying.

    Would catch: a digest that is derived again for the ledger, the stub or the report.
    """
    real = hashlib.sha256
    hashed: Counter[bytes] = Counter()

    def counting(data: bytes = b"") -> Any:  # noqa: ANN401  What hashlib returns has no name.
        hashed[data] += 1
        return real(data)

    monkeypatch.setattr(turnfold.transcript, "sha256", counting)
    transcript = session(rounds=30)
    plan = default_chain().decide(transcript, CompactionBudget(700))
    plan.plan_hash()
    view = CompactionExecutor().apply(transcript, plan, summaries_for(plan))
    verify(transcript, view.transcript, view.ledger)
    contents = [each.content.encode() for each in transcript]
    assert set(map(contents.count, contents)) == {1}
    assert {hashed[content] for content in contents} <= {0, 1}


def calls_made(action: Callable[[], object]) -> int:
    """Count the calls of functions, Python's and C's, that an action makes."""
    made = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize("name", sorted(OURS))
def test_planning_and_applying_ten_times_the_turns_takes_about_ten_times_the_steps(
    name: str,
) -> None:
    """U3, F7: counted calls, so that a slow machine proves nothing.

    Would catch: a recount or a search in every step of a loop.
    """

    def compact(rounds: int) -> int:
        transcript = session(rounds=rounds)
        policy = OURS[name]()
        budget = CompactionBudget(transcript.token_estimate() // 4)

        def work() -> None:
            plan = policy.decide(transcript, budget)
            plan.plan_hash()
            CompactionExecutor().apply(transcript, plan, summaries_for(plan))

        return calls_made(work)

    assert compact(1000) < 12 * compact(100)


def test_hostile_exchanges_are_planned_in_linear_steps() -> None:
    """U3: exchanges that reach into each other all the way.

    Would catch: a search for spans that starts again at every turn.
    """

    def staggered(count: int) -> Transcript:
        turns = [turn("task", pinned=True)]
        for number in range(count):
            turns.append(turn(f"call{number}", "assistant", 10, f"x{number}"))
            if number:
                turns.append(turn(f"result{number}", "tool", 90, f"x{number - 1}"))
        return Transcript(tuple(turns))

    def steps(count: int) -> int:
        transcript = staggered(count)
        budget = CompactionBudget(transcript.token_estimate() // 4, 1)
        policy = default_chain(estimator=five)
        return calls_made(lambda: policy.decide(transcript, budget))

    assert steps(1000) < 12 * steps(100)


def _fold_between_pins(draft: PlanDraft) -> None:
    SummarizingPolicy("p", extent="until_it_fits").revise(draft)


def _drop_one_by_one(draft: PlanDraft) -> None:
    for head, _ in list(draft.units()):
        draft.drop([head], "drop: one")


def _mask_one_by_one(draft: PlanDraft) -> None:
    for position in range(len(draft.transcript)):
        draft.mask(position, ("-", 1, None), "mask: one")


@pytest.mark.parametrize("revise", [_fold_between_pins, _drop_one_by_one, _mask_one_by_one])
def test_many_decisions_of_a_draft_take_linear_time(revise: Callable[[PlanDraft], None]) -> None:
    """U3. Would catch: a pass over the whole transcript for each summary, drop or mask."""

    def seconds(count: int) -> float:
        turns = tuple(turn(f"t{n}", "user", 90, pinned=n % 6 == 0) for n in range(count))
        transcript = Transcript(turns)
        draft = PlanDraft(transcript, CompactionBudget(transcript.token_estimate() // 3, 1))
        start = time.process_time()
        revise(draft)
        return time.process_time() - start

    assert min(seconds(16_000) for _ in range(3)) < 9 * min(seconds(4_000) for _ in range(3)) + 0.05


@given(planned())
def test_reading_a_plan_does_not_change_it(case: tuple[Transcript, Any]) -> None:
    """P5, P6: what is derived late is derived once and is equal.

    Would catch: a cached figure that shows in comparison, hash or bytes.
    """
    transcript, plan = case
    before = plan.canonical_json()
    fresh = type(plan).from_dict(plan.to_dict())
    _ = plan.decisions, plan.tokens_before, plan.tokens_after_estimate, plan.edit_cost
    CompactionExecutor().apply(transcript, plan, summaries_for(plan))
    assert plan.plan_hash() == fresh.plan_hash()
    assert plan == fresh
    assert hash(plan) == hash(fresh)
    assert plan.canonical_json() == before
