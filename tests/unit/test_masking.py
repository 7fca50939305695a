"""Observation masking (contracts M1, M2)."""

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest

from tests.strategies import five, session, turn
from turnfold import (
    Action,
    CharRatioEstimator,
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    ObservationMaskingPolicy,
    Reason,
    Transcript,
    TranscriptTurn,
    default_chain,
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


def write(number: int, *, result: str = "ok", size: int = 2_000) -> list[TranscriptTurn]:
    """A call that writes a file, and its result, as a loader reads them."""
    exchange = f"call{number}"
    arguments = json.dumps({"path": f"src/{number}.py", "content": "w" * size})
    content = f"I write {number}.\n[call write] {arguments}"
    ids = {"turnfold.call_ids": f'["c{number}"]'}
    count = CharRatioEstimator().estimate_tokens
    return [
        TranscriptTurn(
            exchange, "assistant", content, count(content), tool_call_id=exchange, metadata=ids
        ),
        TranscriptTurn(
            f"result{number}",
            "tool",
            result,
            count(result),
            tool_call_id=exchange,
            metadata={**ids, "turnfold.tool_name": "write"},
        ),
    ]


def writes(number: int, **options: Any) -> Transcript:  # noqa: ANN401  Options.
    turns = [each for count in range(number) for each in write(count, **options)]
    return Transcript((turn("task"), *turns, turn("last")))


def test_a_hundred_written_files_are_masked_with_their_results() -> None:
    """G2: results of 10 characters save nothing, inputs of 2 kB nearly all."""
    transcript = writes(100, result="written ok")
    budget = CompactionBudget(transcript.token_estimate() // 10)
    assert ObservationMaskingPolicy().decide(transcript, budget).budget_unmet
    plan = ObservationMaskingPolicy(mask_inputs=True).decide(transcript, budget)
    assert not plan.budget_unmet
    assert {each.reason for each in plan.decisions if each.action is Action.MASK} == {
        Reason.MASK_CALL_INPUT
    }
    masked = plan.decisions[1]
    assert masked.replacement == (
        'I write 0.\n[call write] {"path": "src/0.py", '
        '"content": "[2000 characters removed to save space]"}'
    )
    assert masked.replacement_tokens == CharRatioEstimator().estimate_tokens(masked.replacement)


def test_eight_hundred_small_results_cost_no_stub() -> None:
    """G2, D4. Would catch: a stub that is longer than what it stands for, or over 30 tokens."""
    transcript = writes(800, result="x" * 60, size=0)
    budget = CompactionBudget(transcript.token_estimate() // 2)
    plan = ObservationMaskingPolicy(mask_inputs=True).decide(transcript, budget)
    assert masks(plan) == []
    assert plan.tokens_after_estimate == plan.tokens_before
    assert CharRatioEstimator().estimate_tokens(stub_of(result("a", tool_name="read_file"))) <= 30


def test_results_go_first_and_inputs_only_where_that_is_not_enough() -> None:
    transcript = writes(6, result="y" * 4_000)
    tokens = transcript.token_estimate()
    policy = ObservationMaskingPolicy(0, mask_inputs=True)
    some = policy.decide(transcript, CompactionBudget(tokens - 900))
    assert masks(some) == ["result0"]
    more = masks(policy.decide(transcript, CompactionBudget(tokens - 4_000)))
    assert more == ["call0", "result0", "result1", "result2", "result3"]


def test_the_calls_of_results_that_stay_are_not_masked() -> None:
    """M1: the newest results, protected tools, pinned turns, and whatever is untouchable."""
    turns = [*write(0), *write(1), *write(2), *write(3), *write(4), turn("last")]
    turns[0] = replace(turns[0], pinned=True)
    turns[3] = replace(turns[3], pinned=True)
    protected = {**turns[5].metadata, "turnfold.tool_name": "load_skill"}
    turns[5] = replace(turns[5], content="s" * 400, token_estimate=100, metadata=protected)
    policy = ObservationMaskingPolicy(1, mask_inputs=True, protect_tools=("load_skill",))
    plan = policy.decide(Transcript(tuple(turns)), CompactionBudget(1_100, 1))
    assert masks(plan) == ["call3"]


@pytest.mark.parametrize("content", ["I call.", "[call a] {}\n[call b] {}", "[call a] " + "x" * 90])
def test_calls_that_cannot_be_told_or_are_short_stay(content: str) -> None:
    caller, answer = write(0)
    transcript = Transcript((replace(caller, content=content), answer, turn("last")))
    budget = CompactionBudget(300, 1)
    plan = ObservationMaskingPolicy(0, mask_inputs=True).decide(transcript, budget)
    assert masks(plan) == []


def test_what_a_turn_costs_beside_its_words_stays_counted() -> None:
    """D5. Would catch: reasoning that is counted as saved and stays in the message."""
    caller, answer = write(0)
    count = CharRatioEstimator().estimate_tokens
    reasoned = replace(caller, token_estimate=caller.token_estimate + 700)
    transcript = Transcript((reasoned, answer, turn("last")))
    policy = ObservationMaskingPolicy(0, mask_inputs=True)
    decision = policy.decide(transcript, CompactionBudget(900, 1)).decisions[0]
    assert decision.replacement is not None
    assert decision.replacement_tokens == count(decision.replacement) + 700


def test_inputs_are_given_back_before_results() -> None:
    """H2. Would catch: a call without its input whose result is there again."""
    transcript = writes(8, result="y" * 4_000)
    chain = default_chain(keep_recent_results=0, mask_inputs=True, min_span_turns=2)
    for tokens in range(300, transcript.token_estimate(), 97):
        plan = chain.decide(transcript, CompactionBudget(tokens, 1))
        actions = {each.turn_id: each.action for each in plan.decisions}
        for number in range(8):
            if actions[f"call{number}"] is Action.MASK:
                assert actions[f"result{number}"] is Action.MASK


def test_a_stub_of_an_earlier_round_is_left_alone() -> None:
    """M2. Would catch: a stub with the size and the digest of a stub, for one token less."""
    large = result("a", 10_000, content="x" * 40_000, tool_name="bash")
    transcript = Transcript((large, turn("end")))
    first = ObservationMaskingPolicy(0).decide(transcript, CompactionBudget(1_000, 1))
    view = CompactionExecutor().apply(transcript, first).transcript
    grown = Transcript((*view.turns, TranscriptTurn("more", "user", "m", 100)))
    again = ObservationMaskingPolicy(0).decide(grown, CompactionBudget(120, 1))
    assert masks(first) == ["a"]
    assert masks(again) == []
    assert again.decisions[0].reason == Reason.KEEP_NOT_SMALLER


def test_the_inputs_of_a_result_that_an_earlier_round_masked_can_go() -> None:
    """G2."""
    caller, answer = write(0)
    stub = answer.masked("[tool result removed to save space] (write, ok, 900 tokens)", 25)
    transcript = Transcript((caller, stub, turn("last")))
    plan = ObservationMaskingPolicy(0, mask_inputs=True).decide(
        transcript, CompactionBudget(300, 1)
    )
    assert masks(plan) == ["call0"]


@pytest.mark.parametrize("ids", ["call_1", "5", "[" * 100_000, '{"a": 1}', ""])
def test_call_ids_that_are_no_list_leave_the_inputs(ids: str) -> None:
    """T6. Would catch: a crash over metadata that no loader wrote."""
    caller, answer = write(0)
    caller = replace(caller, metadata={"turnfold.call_ids": ids})
    transcript = Transcript((caller, answer, turn("last")))
    plan = ObservationMaskingPolicy(0, mask_inputs=True).decide(
        transcript, CompactionBudget(300, 1)
    )
    assert masks(plan) == []
