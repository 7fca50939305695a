"""Actions, reasons, decisions and requests (contracts P2, P4)."""

import re

from turnfold import Action, Reason, SummarizationRequest, TurnDecision
from turnfold.decision import group_id_for


def test_the_actions_are_four_words() -> None:
    """P2."""
    assert [action.value for action in Action] == ["keep", "mask", "summarize", "drop"]


def test_every_reason_of_ours_reads_with_its_action() -> None:
    """P2."""
    reasons = {name: value for name, value in vars(Reason).items() if name.isupper()}
    assert len(set(reasons.values())) == len(reasons) == 13
    for name, value in reasons.items():
        action, _, why = value.partition(": ")
        assert Action(action)
        assert name.startswith(action.upper())
        assert why
        assert why == why.lower()
    assert reasons["KEEP_SYSTEM"] == "keep: system"
    assert reasons["KEEP_TAIL"] == "keep: protected_tail"
    assert reasons["KEEP_LOCKED"] == "keep: exchange_locked"
    assert reasons["MASK_OLDEST"] == "mask: oldest_result"
    assert reasons["DROP_OVER_BUDGET"] == "drop: over_budget"


def test_a_decision_has_no_replacement_and_no_group_unless_it_needs_one() -> None:
    """P2."""
    decision = TurnDecision("a", Action.KEEP, "keep: fits")
    assert (decision.replacement, decision.replacement_tokens, decision.group_id) == (None,) * 3


def test_a_group_id_is_a_digest_of_the_turn_ids_in_order() -> None:
    """P4: never a counter or a random value."""
    assert re.fullmatch("span-[0-9a-f]{16}", group_id_for(["a", "\u00fc"]))
    assert group_id_for(("a", "b")) == group_id_for(["a", "b"])
    different = [
        ["a", "b"],
        ["b", "a"],
        ["ab"],
        ["a,b"],
        ['a","b'],
        ["1:a", ""],
        ["a"],
        [],
        ["\ud83d\ude00"],
        ["\U0001f600"],
    ]
    assert len({group_id_for(ids) for ids in different}) == len(different)


def test_a_request_derives_its_ids_and_holds_no_text() -> None:
    """P4, X4."""
    request = SummarizationRequest.of(["a", "b"], 20, "brief")
    assert request.group_id == group_id_for(["a", "b"])
    assert request.summary_turn_id == f"summary:{request.group_id}"
    assert request.turn_ids == ("a", "b")
    assert request.to_dict() == {
        "group_id": request.group_id,
        "turn_ids": ["a", "b"],
        "target_tokens": 20,
        "prompt_id": "brief",
    }
