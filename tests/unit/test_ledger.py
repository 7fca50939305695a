"""The ledger (contract section 6)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.oracles import content_sha256
from tests.strategies import session, summaries_for, turn
from turnfold import (
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    DropOldestPolicy,
    Ledger,
    ObservationMaskingPolicy,
    PlanDraft,
    SummarizingPolicy,
    Transcript,
)
from turnfold.errors import LedgerMismatch
from turnfold.ledger import Fate, differences, verify

apply = CompactionExecutor().apply
TRANSCRIPT = session(rounds=4)


def first_round() -> CompactedView:
    draft = PlanDraft(TRANSCRIPT, CompactionBudget(400, 1))
    draft.drop([1], "drop: because")
    draft.summarize([2, 3, 4, 5], 40, "p", reason="summarize: because")
    draft.mask(7, ("[stub]", 5, None), "mask: because")
    plan = draft.seal("hand", "1")
    return apply(TRANSCRIPT, plan, summaries_for(plan))


def test_every_leaf_has_a_fate_and_a_home() -> None:
    """L1."""
    view = first_round()
    summary = view.report.summary_turn_ids[0]
    rows = [(entry.turn_id, entry.fate, entry.view_turn_id) for entry in view.ledger.entries()]
    assert rows == [
        ("sys", Fate.KEPT, "sys"),
        ("task", Fate.DROPPED, None),
        ("call0", Fate.SUMMARIZED, summary),
        ("result0", Fate.SUMMARIZED, summary),
        ("call1", Fate.SUMMARIZED, summary),
        ("result1", Fate.SUMMARIZED, summary),
        ("call2", Fate.KEPT, "call2"),
        ("result2", Fate.MASKED, "result2"),
        ("call3", Fate.KEPT, "call3"),
        ("result3", Fate.KEPT, "result3"),
        ("last", Fate.KEPT, "last"),
    ]
    for entry in view.ledger.entries():
        content = TRANSCRIPT.turn(entry.turn_id).content
        assert entry.content_digest == content_sha256(content)
        assert len(entry.turn_digest) == 64


def test_a_view_turn_names_its_leaves() -> None:
    """L1, L2."""
    view = first_round()
    (summary,) = view.report.summary_turn_ids
    assert view.ledger.leaves_of(summary) == ("call0", "result0", "call1", "result1")
    assert view.ledger.leaves_of("result2") == ("result2",)
    for gone in ("task", "call0", "nobody"):
        with pytest.raises(KeyError):
            view.ledger.leaves_of(gone)


def test_a_summary_of_a_summary_resolves_to_leaves() -> None:
    """L2."""
    view = first_round()
    fresh = turn("fresh", tokens=500)
    transcript = Transcript((*view.transcript.turns, fresh))
    plan = SummarizingPolicy("p").decide(transcript, CompactionBudget(600, 1))
    second = apply(transcript, plan, summaries_for(plan), ledger=view.ledger)
    (summary,) = second.report.summary_turn_ids
    assert second.ledger.leaves_of(summary) == (
        *("call0", "result0", "call1", "result1", "call2", "result2", "call3", "result3"),
        "last",
    )
    fates = {entry.turn_id: entry.fate for entry in second.ledger.entries()}
    assert fates["task"] is Fate.DROPPED
    assert fates["fresh"] is Fate.KEPT
    verify(Transcript((*TRANSCRIPT.turns, fresh)), second.transcript, second.ledger)


def test_a_summary_that_is_dropped_later_drops_its_leaves() -> None:
    """L2."""
    view = first_round()
    plan = DropOldestPolicy().decide(view.transcript, CompactionBudget(140, 1))
    second = apply(view.transcript, plan, ledger=view.ledger)
    fates = {entry.turn_id: entry.fate for entry in second.ledger.entries()}
    assert {fates[leaf] for leaf in ("call0", "result0", "call1", "result1")} == {Fate.DROPPED}
    assert second.ledger.groups == ()


def test_a_masked_turn_stays_masked_when_it_is_seen_again() -> None:
    """L1, L2."""
    view = first_round()
    plan = DropOldestPolicy().decide(view.transcript, CompactionBudget(10**6))
    second = apply(view.transcript, plan, ledger=view.ledger)
    fates = {entry.turn_id: entry.fate for entry in second.ledger.entries()}
    assert fates["result2"] is Fate.MASKED


def test_a_summary_that_is_masked_still_stands_for_its_leaves() -> None:
    """L1, L2: a stranger's policy may put a stub in the place of a summary's text."""
    view = first_round()
    (summary,) = view.report.summary_turn_ids
    draft = PlanDraft(view.transcript, CompactionBudget(150, 1))
    draft.mask(view.transcript.position(summary), ("[stub]", 5, None), "mask: because")
    second = apply(view.transcript, draft.seal("hand", "1"), ledger=view.ledger)
    assert second.ledger.leaves_of(summary) == view.ledger.leaves_of(summary)
    fates = {entry.turn_id: entry.fate for entry in second.ledger.entries()}
    assert fates["call0"] is Fate.SUMMARIZED
    verify(TRANSCRIPT, second.transcript, second.ledger)


def test_without_the_earlier_ledger_a_view_starts_anew() -> None:
    """L1."""
    view = first_round()
    plan = DropOldestPolicy().decide(view.transcript, CompactionBudget(10**6))
    assert apply(view.transcript, plan).ledger.leaf_ids == view.transcript.turn_ids()


def test_a_turn_left_out_as_a_repair_is_accounted_for() -> None:
    """L1, T7."""
    plan = ObservationMaskingPolicy(0).decide(TRANSCRIPT, CompactionBudget(400, 1))
    view = apply(TRANSCRIPT, plan)
    left = Transcript(tuple(each for each in view.transcript if each.turn_id != "result3"))
    ledger = view.ledger.with_repairs(["result3"], left)
    fates = {entry.turn_id: (entry.fate, entry.view_turn_id) for entry in ledger.entries()}
    assert fates["result3"] == (Fate.REPAIRED, None)
    assert fates["result0"] == (Fate.MASKED, "result0")
    assert ledger.view_turn_ids() == left.turn_ids()
    verify(TRANSCRIPT, left, ledger)


def test_a_ledger_names_its_schema_and_survives_json() -> None:
    """L3, P7."""
    ledger = first_round().ledger
    record = json.loads(json.dumps(ledger.to_dict()))
    assert record["schema"] == "turnfold.ledger/1"
    assert Ledger.from_dict(record) == ledger


def edited(**columns: Any) -> dict[str, Any]:  # noqa: ANN401  Anything.
    return {**first_round().ledger.to_dict(), **columns}


SUMMARY = first_round().report.summary_turn_ids[0]
GOOD = first_round().ledger.to_dict()


@pytest.mark.parametrize(
    "wrong",
    [
        {"schema": "turnfold.ledger/99"},
        {"leaf_ids": GOOD["leaf_ids"][:-1]},
        {"leaf_ids": ["sys", "sys", *GOOD["leaf_ids"][2:]]},
        {"leaf_ids": [5, *GOOD["leaf_ids"][1:]]},
        {"leaf_ids": None},
        {"leaf_digests": GOOD["leaf_digests"][:-1]},
        {"leaf_digests": ["00", *GOOD["leaf_digests"][1:]]},
        {"leaf_digests": ["zz" * 64, *GOOD["leaf_digests"][1:]]},
        {"fates": GOOD["fates"][:-1]},
        {"fates": "X" + GOOD["fates"][1:]},
        {"fates": "\u2603" + GOOD["fates"][1:]},
        {"fates": GOOD["fates"].replace("S", "K")},
        {"fates": "S" + GOOD["fates"][1:]},
        {"fates": 5},
        {"groups": []},
        {"groups": [[SUMMARY, [2, 3, 4]]]},
        {"groups": [[SUMMARY, [2, 3, 4, 5, 99]]]},
        {"groups": [[SUMMARY, [5, 4, 3, 2]]]},
        {"groups": [[SUMMARY, [2, 3]], [SUMMARY, [4, 5]]]},
        {"groups": [[SUMMARY, [2, 3, 4, 5]], ["summary:x", []]]},
        {"groups": [[SUMMARY, [2, 3, 4, 5]], ["summary:x", [2]]]},
        {"groups": [[5, [2, 3, 4, 5]]]},
        {"groups": [[SUMMARY, ["2", "3", "4", "5"]]]},
        {"groups": None},
        {"view_digest": None},
        {"view_digest": 5},
    ],
    ids=lambda wrong: str(wrong)[:60],
)
def test_a_ledger_that_accounts_wrongly_is_refused(wrong: dict[str, Any]) -> None:
    """L1, L3."""
    with pytest.raises(LedgerMismatch):
        Ledger.from_dict(edited(**wrong))


@pytest.mark.parametrize("record", [None, [], {}, "text"], ids=str)
def test_a_record_that_is_no_ledger_is_refused(record: Any) -> None:  # noqa: ANN401  Anything.
    """L3, P7."""
    with pytest.raises(LedgerMismatch):
        Ledger.from_dict(record)


@pytest.mark.parametrize("column", ["leaf_ids", "leaf_digests", "fates", "groups", "view_digest"])
def test_a_ledger_without_a_column_is_refused(column: str) -> None:
    """L3."""
    record = edited()
    del record[column]
    with pytest.raises(LedgerMismatch):
        Ledger.from_dict(record)


def test_a_difference_says_which_turns_of_which_side() -> None:
    """L3, E1."""
    view = first_round()
    turns = TRANSCRIPT.turns
    original = Transcript((*turns[:3], replace(turns[3], content="secret!"), *turns[4:]))
    (found,) = differences(original, view.transcript, view.ledger)
    assert "original" in found
    assert "'result0'" in found
    assert "secret" not in found
    shorter = Transcript(view.transcript.turns[1:])
    (found,) = differences(TRANSCRIPT, shorter, view.ledger)
    assert "view" in found
    assert "'sys'" in found
    assert len(differences(original, shorter, view.ledger)) == 2


def test_a_ledger_of_another_view_is_not_continued() -> None:
    """L2, E1."""
    plan = DropOldestPolicy().decide(TRANSCRIPT, CompactionBudget(10**6))
    with pytest.raises(LedgerMismatch, match="another view"):
        apply(TRANSCRIPT, plan, ledger=first_round().ledger)
