"""Sessions that are compacted, go on, and are compacted again (contracts L2, L3)."""

import json
from typing import Any

import pytest

from turnfold import BudgetUnsatisfiable, CompactionBudget, CompactionExecutor, formats
from turnfold.fulfil import fulfil_extractively
from turnfold.ledger import differences
from turnfold.policies import DropOldestPolicy, ObservationMaskingPolicy, default_chain
from turnfold.protocols import CompactionPolicy
from turnfold.tokens import MessageEstimator
from turnfold.transcript import Transcript, TranscriptTurn

SIZES = MessageEstimator()
POLICIES: dict[str, CompactionPolicy] = {
    "default": default_chain(min_target_tokens=64, estimator=SIZES),
    "mask": ObservationMaskingPolicy(0, estimator=SIZES),
    "drop": DropOldestPolicy(),
}


def openai_round(start: int) -> list[dict[str, Any]]:
    """A user's words, a call whose id every round repeats, its result, an answer."""
    call = {"id": "call_0", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    return [
        {"role": "user", "content": f"Look at part {start}, please."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "content": f"src/part_{start}.py\n" * 40},
        {"role": "assistant", "content": f"Part {start} is there. " * 8},
    ]


def anthropic_round(start: int) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": "toolu_0", "name": "ls", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_0", "content": f"part_{start}.py\n" * 40}
    return [
        {"role": "user", "content": f"Look at part {start}, please."},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": f"Part {start} is there. " * 8},
    ]


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("add", [openai_round, anthropic_round])
def test_rounds_resolve_to_the_first_turns(add: Any, policy: str) -> None:  # noqa: ANN401
    """L2, L3. Would catch: an appended turn that takes the id of a turn that is gone."""
    document = [message for number in range(8) for message in add(number)]
    ledger = None
    leaves: dict[str, TranscriptTurn] = {}
    for number in range(3):
        session = formats.parse(document, ledger=ledger)
        assert [each.code for each in session.damage] == []
        assert (session.ledger is None) == (number == 0)
        known: set[str] = set(ledger.view_turn_ids()) if ledger else set()
        new = {turn.turn_id: turn for turn in session.transcript if turn.turn_id not in known}
        assert leaves.keys().isdisjoint(new)
        leaves |= new
        budget = CompactionBudget(session.transcript.token_estimate() * 45 // 100, 2)
        try:
            plan = POLICIES[policy].decide(session.transcript, budget)
        except BudgetUnsatisfiable:
            pytest.fail("the rounds are made so that they can be compacted")
        summaries = fulfil_extractively(session.transcript, plan, estimator=SIZES)
        view = CompactionExecutor().apply(
            session.transcript, plan, summaries, ledger=session.ledger, estimator=SIZES
        )
        ledger = view.ledger
        assert ledger.leaf_ids == tuple(leaves)
        original = Transcript(leaves.values())
        assert differences(original, view.transcript, ledger) == ()
        written = json.loads(formats.to_bytes(formats.render(view, session)))
        document = written + [message for more in range(3) for message in add(100 * number + more)]


@pytest.mark.parametrize("add", [openai_round, anthropic_round])
def test_a_ledger_of_another_session_changes_nothing(add: Any) -> None:  # noqa: ANN401
    """L3, T7. Would catch: ids, kinds or an order that a refused ledger leaves behind."""
    other = formats.parse([message for number in range(6) for message in add(number)])
    budget = CompactionBudget(other.transcript.token_estimate() // 3, 2)
    plan = POLICIES["default"].decide(other.transcript, budget)
    summaries = fulfil_extractively(other.transcript, plan, estimator=SIZES)
    stray = CompactionExecutor().apply(other.transcript, plan, summaries).ledger
    document = [message for number in range(50, 58) for message in add(number)]
    alone = formats.parse(document)
    beside = formats.parse(document, ledger=stray)
    assert beside.ledger is None
    assert [each.code for each in beside.damage] == ["ledger_mismatch"]
    assert beside.transcript == alone.transcript
    assert formats.render(beside.transcript, beside) == document


def test_a_call_is_not_dead_because_an_earlier_one_was_answered_late() -> None:
    """T7."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "ask", "arguments": "{}"}}
        for name in ("c1", "c2")
    ]
    session = formats.parse(
        [
            {"role": "user", "content": "Ask both."},
            {"role": "assistant", "content": None, "tool_calls": calls[:1]},
            {"role": "assistant", "content": None, "tool_calls": calls[1:]},
            {"role": "tool", "tool_call_id": "c1", "content": "late"},
        ]
    )
    second = session.transcript.turn("m2")
    assert second.metadata["turnfold.status"] == "pending"
    assert second.pinned
