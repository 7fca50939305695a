"""Observation masking (contracts M1, M2)."""

import math
import re
from typing import Any

import pytest

from tests.strategies import five, session, turn
from turnfold import (
    Action,
    CharRatioEstimator,
    CompactionBudget,
    CompactionPlan,
    ObservationMaskingPolicy,
    Reason,
    Transcript,
    TranscriptTurn,
)
from turnfold.errors import InvalidConfiguration

SECRET = "password hunter2 " * 30


def result(
    turn_id: str, tokens: int = 100, *, content: str = SECRET, **metadata: str
) -> TranscriptTurn:
    named = {f"turnfold.{key}": value for key, value in metadata.items()}
    return TranscriptTurn(
        turn_id, "tool", content, tokens, tool_call_id=f"x {turn_id}", metadata=named
    )


def masks(plan: CompactionPlan) -> list[str]:
    return [each.turn_id for each in plan.decisions if each.action is Action.MASK]


def stub_of(turn_to_mask: TranscriptTurn, **options: Any) -> str:  # noqa: ANN401  Options.
    plan = ObservationMaskingPolicy(0, **options).decide(
        Transcript((turn_to_mask,)), CompactionBudget(turn_to_mask.token_estimate - 1, 0)
    )
    return str(plan.decisions[0].replacement)


def test_the_oldest_results_are_masked_until_it_fits() -> None:
    """M1."""
    plan = ObservationMaskingPolicy(2).decide(session(rounds=6), CompactionBudget(520))
    assert masks(plan) == ["result0", "result1"]
    assert plan.tokens_after_estimate <= 520
    assert {each.reason for each in plan.decisions if each.action is Action.MASK} == {
        Reason.MASK_OLDEST
    }


def test_the_largest_results_go_first_when_asked_for_and_ties_by_age() -> None:
    """M1."""
    turns = [result("a", 50), result("b", 80), result("c", 90), result("d", 80), turn("end")]
    policy = ObservationMaskingPolicy(0, order="largest", estimator=five)
    assert masks(policy.decide(Transcript(tuple(turns)), CompactionBudget(226, 1))) == ["c"]
    plan = policy.decide(Transcript(tuple(turns)), CompactionBudget(150, 1))
    assert masks(plan) == ["b", "c"]
    assert plan.decisions[1].reason == Reason.MASK_LARGEST


def test_the_newest_results_are_never_masked() -> None:
    """M1."""
    plan = ObservationMaskingPolicy(2, estimator=five).decide(
        session(rounds=3), CompactionBudget(160, 1)
    )
    assert masks(plan) == ["result0"]
    assert plan.budget_unmet
    reasons = {each.turn_id: each.reason for each in plan.decisions}
    assert reasons["result1"] == Reason.KEEP_RECENT_RESULT


def test_more_recent_results_than_there_are_leave_all() -> None:
    """M1."""
    plan = ObservationMaskingPolicy(9).decide(session(rounds=3), CompactionBudget(160, 1))
    assert masks(plan) == []


def test_untouchable_results_and_other_roles_are_never_masked() -> None:
    """M1, B2."""
    turns = (
        turn("sys", "system", 50),
        TranscriptTurn("pinned", "tool", SECRET, 50, pinned=True),
        turn("user", "user", 50),
        turn("agent", "assistant", 50),
        result("free", 50),
        result("tail", 50),
    )
    plan = ObservationMaskingPolicy(0, estimator=five).decide(
        Transcript(turns), CompactionBudget(150, 1)
    )
    assert masks(plan) == ["free"]


def test_results_of_protected_tools_are_never_masked() -> None:
    """M1."""
    turns = (result("a", tool_name="plan"), result("b", tool_name="run"), turn("end"))
    plan = ObservationMaskingPolicy(0, protect_tools=("plan",)).decide(
        Transcript(turns), CompactionBudget(20, 1)
    )
    assert masks(plan) == ["b"]
    assert plan.decisions[0].reason == Reason.KEEP_PROTECTED_TOOL


def test_a_locked_exchange_can_still_be_masked() -> None:
    """B3."""
    turns = (
        turn("call", "assistant", 5, "x"),
        TranscriptTurn("result", "tool", SECRET, 100, tool_call_id="x"),
        turn("end", "assistant", 5, "x"),
    )
    plan = ObservationMaskingPolicy(0).decide(Transcript(turns), CompactionBudget(60, 1))
    assert masks(plan) == ["result"]


def test_a_stub_says_size_digest_name_and_status_and_nothing_of_the_content() -> None:
    """M2."""
    made = result("a", 1234, tool_name="read_file")
    stub = stub_of(made)
    assert stub.startswith("[tool result removed to save space]")
    for part in ("read_file", "1234", made.content_digest()[:16]):
        assert part in stub
    assert made.content_digest()[:17] not in stub
    assert "failed" not in stub
    assert not set(re.findall(r"\w+", SECRET)) & set(re.findall(r"\w+", stub))
    assert "failed" in stub_of(result("b", 1234, status="error"))
    assert "failed" not in stub_of(result("b", 1234, status="pending"))


def test_the_label_of_a_stub_is_the_callers() -> None:
    """M2."""
    assert stub_of(result("a", 100), placeholder="[gone]").startswith("[gone] ")


def test_a_tools_name_cannot_carry_its_output_into_a_stub() -> None:
    """M2: names are short, of one line, and printable."""
    stub = stub_of(result("a", 10_000, tool_name="run\n\ud800\x1b[31m" + "x" * 5000))
    assert "\n" not in stub
    assert stub.isprintable()
    assert len(stub) < 300


def test_results_that_differ_have_stubs_that_differ() -> None:
    """M2: the digest is of the complete content."""
    first = stub_of(result("a", content=SECRET + "1"))
    second = stub_of(result("a", content=SECRET + "2"))
    assert first != second


def test_a_result_is_left_alone_unless_its_stub_is_strictly_smaller() -> None:
    """M2, known failure D4."""
    turns = [result(f"ok{number}", number % 6, content="ok") for number in range(50)]
    turns.append(result("large", 4000, content="x" * 16_000))
    plan = ObservationMaskingPolicy(0).decide(Transcript(tuple(turns)), CompactionBudget(100, 0))
    assert masks(plan) == ["large"]
    assert plan.decisions[0].reason == Reason.KEEP_NOT_SMALLER
    equal = ObservationMaskingPolicy(0, estimator=five)
    assert masks(equal.decide(Transcript((result("a", 5),)), CompactionBudget(4, 0))) == []
    assert masks(equal.decide(Transcript((result("a", 6),)), CompactionBudget(5, 0))) == ["a"]


def test_the_ratio_is_named_when_the_built_in_estimator_sized_a_stub() -> None:
    """P8."""
    transcript, budget = session(rounds=4), CompactionBudget(300)
    assert ObservationMaskingPolicy(0).decide(transcript, budget).estimator_ratio == 4.0
    own = ObservationMaskingPolicy(0, estimator=CharRatioEstimator(3))
    assert own.decide(transcript, budget).estimator_ratio == 3.0
    foreign = ObservationMaskingPolicy(0, estimator=five)
    assert foreign.decide(transcript, budget).estimator_ratio is None
    fits = ObservationMaskingPolicy(0).decide(transcript, CompactionBudget(10**6))
    assert fits.estimator_ratio is None


@pytest.mark.parametrize(
    "options",
    [
        {"keep_recent_results": -1},
        {"keep_recent_results": True},
        {"keep_recent_results": 1.0},
        {"placeholder": ""},
        {"placeholder": " \n"},
        {"placeholder": None},
        {"order": "newest"},
        {"protect_tools": "read_file"},
        {"estimator": 4},
        {"estimator": math},
    ],
    ids=str,
)
def test_an_option_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    """M1, E1."""
    with pytest.raises(InvalidConfiguration):
        ObservationMaskingPolicy(**options)
