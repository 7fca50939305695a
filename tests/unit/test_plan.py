"""Plans: what they say, and every way in which one is refused (contracts P1 to P10)."""

import json
import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest

from tests.oracles import content_sha256
from tests.strategies import turn
from turnfold import (
    Action,
    CompactionBudget,
    CompactionPlan,
    InvalidPlan,
    PlanDraft,
    SummarizationRequest,
    Transcript,
)
from turnfold.plan import diff

TRANSCRIPT = Transcript(
    (
        turn("sys", "system", 10),
        turn("pin", "user", 10, pinned=True),
        turn("old", "user", 50),
        turn("call1", "assistant", 20, "x1"),
        turn("result1", "tool", 60, "x1"),
        turn("call2", "assistant", 20, "x2"),
        turn("result2", "tool", 100, "x2"),
        turn("mid", "user", 40),
        turn("call3", "assistant", 20, "x3"),
        turn("result3", "tool", 40, "x3"),
        turn("late", "assistant", 10),
        turn("tail", "user", 10),
    )
)
BUDGET = CompactionBudget(200, 1)


@pytest.fixture(scope="module")
def plan() -> CompactionPlan:
    draft = PlanDraft(TRANSCRIPT, BUDGET)
    draft.mask(6, ("[stub]", 20, 4.0), "mask: because")
    draft.summarize([2, 3, 4], 20, "brief", reason="summarize: because")
    draft.drop([7, 8], "drop: because")
    return draft.seal("hand", "1")


def test_a_plan_decides_about_every_turn_in_order(plan: CompactionPlan) -> None:
    """P1, P2."""
    assert [each.turn_id for each in plan.decisions] == list(TRANSCRIPT.turn_ids())
    letters = "".join(each.action.value[0] for each in plan.decisions)
    assert letters == "kkssskmdddkk"
    stub = plan.decisions[6]
    assert (stub.replacement, stub.replacement_tokens) == ("[stub]", 20)
    group = plan.summarization_requests[0].group_id
    assert {each.group_id for each in plan.decisions[2:5]} == {group}
    assert all(each.reason for each in plan.decisions)
    keeps = [each for each in plan.decisions if each.action is Action.KEEP]
    assert {(each.replacement, each.replacement_tokens, each.group_id) for each in keeps} == {
        (None, None, None)
    }


def test_the_figures_are_derived(plan: CompactionPlan) -> None:
    """P5, P10."""
    assert plan.tokens_before == 390
    assert plan.tokens_after_estimate == 10 + 10 + 20 + 20 + 20 + 10 + 10
    assert not plan.budget_unmet
    cost = plan.edit_cost
    assert cost.first_changed_turn_id == "old"
    assert (cost.tokens_before_edit, cost.tokens_after_edit) == (20, 370)


def test_a_plan_that_changes_nothing_costs_nothing() -> None:
    """P10."""
    plan = PlanDraft(TRANSCRIPT, CompactionBudget(390)).seal("hand", "1")
    cost = plan.edit_cost
    assert cost.first_changed_turn_id is None
    assert (cost.tokens_before_edit, cost.tokens_after_edit) == (390, 0)


def test_a_plan_over_the_limit_says_so() -> None:
    """B4."""
    plan = PlanDraft(TRANSCRIPT, CompactionBudget(389)).seal("hand", "1")
    assert plan.changes_nothing
    assert plan.budget_unmet


def test_an_empty_transcript_has_an_empty_plan() -> None:
    """P1, B5."""
    plan = PlanDraft(Transcript(), CompactionBudget(0)).seal("hand", "1")
    assert plan.decisions == ()
    assert CompactionPlan.from_dict(json.loads(plan.canonical_json())) == plan


def request_with(plan: CompactionPlan, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    (request,) = plan.summarization_requests
    return {"summarization_requests": (replace(request, **changes),)}


def with_code(column: bytes, position: int, code: str) -> bytes:
    return column[:position] + code.encode() + column[position + 1 :]


Edit = Callable[[CompactionPlan], dict[str, Any]]
EDITS: list[tuple[str, str, Edit]] = [
    ("budget is none", "P6", lambda _: {"budget": None}),
    ("the floor exceeds the budget", "B4", lambda _: {"budget": CompactionBudget(29, 1)}),
    ("the transcript fits", "B5", lambda _: {"budget": CompactionBudget(390, 1)}),
    ("a longer tail", "B2", lambda _: {"budget": CompactionBudget(200, 3)}),
    ("a shorter tail", "B2", lambda _: {"budget": CompactionBudget(200, 0)}),
    ("no name", "P8", lambda _: {"policy_name": ""}),
    ("no version", "P8", lambda _: {"policy_version": ""}),
    ("a name of another kind", "P6", lambda _: {"policy_name": 5}),
    ("a version of another kind", "P6", lambda _: {"policy_version": None}),
    ("ids in a list", "P6", lambda p: {"turn_ids": list(p.turn_ids)}),
    ("ids of another kind", "P6", lambda p: {"turn_ids": (5, *p.turn_ids[1:])}),
    ("an empty id", "P1", lambda p: {"turn_ids": ("", *p.turn_ids[1:])}),
    ("a repeated id", "P1", lambda p: {"turn_ids": (p.turn_ids[1], *p.turn_ids[1:])}),
    ("an id too few", "P1", lambda p: {"turn_ids": p.turn_ids[:-1]}),
    ("an id too many", "P1", lambda p: {"turn_ids": (*p.turn_ids, "more")}),
    ("a digest too short", "P1", lambda p: {"digests": p.digests[:-1]}),
    ("a digest too many", "P1", lambda p: {"digests": p.digests + b"12345678"}),
    ("digests as text", "P6", lambda p: {"digests": p.digests.hex()}),
    ("a negative size", "P6", lambda p: {"token_estimates": (-1, *p.token_estimates[1:])}),
    ("a size of true", "P6", lambda p: {"token_estimates": (True, *p.token_estimates[1:])}),
    ("a size in parts", "P6", lambda p: {"token_estimates": (1.0, *p.token_estimates[1:])}),
    ("a size too few", "P1", lambda p: {"token_estimates": p.token_estimates[1:]}),
    ("a leader behind", "P6", lambda p: {"exchanges": (3, *p.exchanges[1:])}),
    ("a leader before", "P6", lambda p: {"exchanges": (-1, *p.exchanges[1:])}),
    ("a leader that follows", "P6", lambda p: {"exchanges": (*p.exchanges[:-1], 4)}),
    ("an exchange too few", "P1", lambda p: {"exchanges": p.exchanges[:-1]}),
    ("a kept turn joins a dropped one", "P3", lambda p: {"exchanges": (*p.exchanges[:10], 7, 11)}),
    ("an unknown protection", "P6", lambda p: {"protections": with_code(p.protections, 0, "X")}),
    ("an unprotected tail", "B2", lambda p: {"protections": with_code(p.protections, 11, "-")}),
    ("a tail before the tail", "B2", lambda p: {"protections": with_code(p.protections, 5, "T")}),
    ("a dropped pin", "B2", lambda p: {"protections": with_code(p.protections, 7, "P")}),
    ("a masked pin", "B2", lambda p: {"protections": with_code(p.protections, 6, "P")}),
    ("a dropped system turn", "B2", lambda p: {"protections": with_code(p.protections, 7, "S")}),
    ("a protection too few", "P1", lambda p: {"protections": p.protections[:-1]}),
    ("an unknown action", "P2", lambda p: {"actions": with_code(p.actions, 10, "X")}),
    ("an action in small", "P2", lambda p: {"actions": with_code(p.actions, 10, "k")}),
    ("an action too many", "P1", lambda p: {"actions": p.actions + b"K"}),
    ("actions as text", "P6", lambda p: {"actions": p.actions.decode()}),
    ("a dropped system", "B2", lambda p: {"actions": with_code(p.actions, 0, "D")}),
    ("a dropped tail", "B2", lambda p: {"actions": with_code(p.actions, 11, "D")}),
    ("a call without its result", "P3", lambda p: {"actions": with_code(p.actions, 9, "K")}),
    ("a result without its call", "P3", lambda p: {"actions": with_code(p.actions, 8, "K")}),
    ("a mask without a text", "P2", lambda p: {"actions": with_code(p.actions, 10, "M")}),
    ("a text without a mask", "P2", lambda p: {"actions": with_code(p.actions, 6, "K")}),
    ("a summary not asked for", "P4", lambda p: {"actions": with_code(p.actions, 7, "S")}),
    ("a summary of a kept turn", "P4", lambda p: {"actions": with_code(p.actions, 2, "K")}),
    ("an empty reason", "P2", lambda p: {"reasons": ("", *p.reasons[1:])}),
    ("a reason too few", "P1", lambda p: {"reasons": p.reasons[:-1]}),
    ("a reason of another kind", "P6", lambda p: {"reasons": (None, *p.reasons[1:])}),
    ("a blank stand-in", "M2", lambda _: {"replacements": (" \n",)}),
    ("a stand-in too many", "P2", lambda _: {"replacements": ("[a]", "[b]")}),
    ("a stand-in of bytes", "P6", lambda _: {"replacements": (b"x",)}),
    ("a larger stand-in", "M2", lambda _: {"replacement_tokens": (101,)}),
    ("a negative stand-in", "P6", lambda _: {"replacement_tokens": (-1,)}),
    ("a stand-in of true", "P6", lambda _: {"replacement_tokens": (True,)}),
    ("a stand-in without size", "P2", lambda _: {"replacement_tokens": ()}),
    ("no request", "P4", lambda _: {"summarization_requests": ()}),
    ("a request of none", "P6", lambda _: {"summarization_requests": (None,)}),
    ("requests in a list", "P6", lambda p: {"summarization_requests": [*p.summarization_requests]}),
    ("a request twice", "P4", lambda p: {"summarization_requests": p.summarization_requests * 2}),
    ("a group that is not derived", "P4", lambda p: request_with(p, group_id="span-1")),
    ("a group of another kind", "P4", lambda p: request_with(p, group_id=5)),
    (
        "turns in another order",
        "P4",
        lambda p: request_with(p, turn_ids=("call1", "old", "result1")),
    ),
    ("an unknown turn", "P4", lambda p: request_with(p, turn_ids=("who",))),
    ("no turns", "P4", lambda p: request_with(p, turn_ids=())),
    ("turns in a list", "P4", lambda p: request_with(p, turn_ids=["old", "call1", "result1"])),
    ("turns of none", "P4", lambda p: request_with(p, turn_ids=None)),
    ("turns that cannot be hashed", "P4", lambda p: request_with(p, turn_ids=([],))),
    ("a target of nothing", "S1", lambda p: request_with(p, target_tokens=0)),
    ("a target as large as the span", "S1", lambda p: request_with(p, target_tokens=130)),
    ("a target of true", "P4", lambda p: request_with(p, target_tokens=True)),
    ("a target of none", "P4", lambda p: request_with(p, target_tokens=None)),
    ("a blank prompt", "P4", lambda p: request_with(p, prompt_id=" ")),
    ("a prompt of none", "P4", lambda p: request_with(p, prompt_id=None)),
    ("a ratio of nothing", "P8", lambda _: {"estimator_ratio": 0.0}),
    ("a negative ratio", "P8", lambda _: {"estimator_ratio": -1.0}),
    ("an endless ratio", "P8", lambda _: {"estimator_ratio": math.inf}),
    ("a ratio that is no number", "P8", lambda _: {"estimator_ratio": math.nan}),
    ("a ratio of text", "P8", lambda _: {"estimator_ratio": "4"}),
    ("a ratio of true", "P8", lambda _: {"estimator_ratio": True}),
]


@pytest.mark.parametrize(("number", "edit"), [pytest.param(n, e, id=i) for i, n, e in EDITS])
def test_no_plan_exists_with(number: str, edit: Edit, plan: CompactionPlan) -> None:
    """P6: construction and `replace` validate the whole."""
    with pytest.raises(InvalidPlan) as refused:
        replace(plan, **edit(plan))
    assert refused.value.violations
    assert number in {each.split()[0].rstrip(",") for each in refused.value.violations}
    assert all(each in refused.value.message for each in refused.value.violations)


def test_every_column_of_a_plan_is_edited_above() -> None:
    """P6: a new column needs its own edits."""
    plan = PlanDraft(TRANSCRIPT, CompactionBudget(390)).seal("hand", "1")
    built = PlanDraft(TRANSCRIPT, BUDGET)
    built.mask(6, ("[stub]", 20, None), "mask: because")
    built.summarize([2, 3, 4], 20, "brief", reason="summarize: because")
    edited = {name for _, _, edit in EDITS for name in edit(built.seal("hand", "1"))}
    assert edited == {column.name for column in fields(plan)}


def test_all_violations_are_reported_at_once(plan: CompactionPlan) -> None:
    """P6."""
    actions = with_code(with_code(plan.actions, 0, "D"), 9, "K")
    with pytest.raises(InvalidPlan) as refused:
        replace(
            plan,
            actions=actions,
            reasons=("", *plan.reasons[1:]),
            replacements=(" ",),
            **request_with(plan, target_tokens=0, prompt_id=""),
        )
    numbers = [each.split()[0] for each in refused.value.violations]
    assert {"P2", "B2", "P3", "M2", "P4", "S1"} <= set(numbers)
    assert "'sys'" in refused.value.message
    assert "'result3'" in refused.value.message


def test_several_columns_of_another_kind_are_reported_at_once(plan: CompactionPlan) -> None:
    """P6."""
    columns: dict[str, Any] = {"actions": "K", "reasons": [], "policy_name": ""}
    with pytest.raises(InvalidPlan) as refused:
        replace(plan, **columns)
    assert len(refused.value.violations) == 3


def test_a_violation_names_at_most_ten_turns() -> None:
    """E1."""
    transcript = Transcript(tuple(turn(f"t{number}") for number in range(30)))
    plan = PlanDraft(transcript, CompactionBudget(200, 0)).seal("hand", "1")
    with pytest.raises(InvalidPlan) as refused:
        replace(plan, reasons=("",) * 30)
    assert refused.value.message.count("'t") == 10
    assert "20 more" in refused.value.message


def test_a_ratio_without_a_figure_of_it_is_refused() -> None:
    """P8: only when the built-in ratio produced a figure of this plan."""
    plan = PlanDraft(TRANSCRIPT, CompactionBudget(389)).seal("hand", "1")
    with pytest.raises(InvalidPlan, match="P8"):
        replace(plan, estimator_ratio=4.0)


def test_a_group_may_not_take_an_id_that_is_taken() -> None:
    """P4: a derived id that is taken is refused."""
    taken = SummarizationRequest.of(["a", "b"], 5, "brief").summary_turn_id
    transcript = Transcript((turn("a", tokens=50), turn("b", tokens=50), turn(taken)))
    draft = PlanDraft(transcript, CompactionBudget(60, 1))
    draft.summarize([0, 1], 5, "brief", reason="summarize: because")
    with pytest.raises(InvalidPlan, match="taken"):
        draft.seal("hand", "1")


def two_groups() -> CompactionPlan:
    turns = [turn(f"t{number}", tokens=50) for number in range(6)]
    draft = PlanDraft(Transcript(tuple(turns)), CompactionBudget(200, 1))
    draft.summarize([0, 1], 5, "brief", reason="summarize: because")
    draft.summarize([3, 4], 6, "brief", reason="summarize: because")
    return draft.seal("hand", "1")


def test_requests_are_ordered_by_their_earliest_turn() -> None:
    """P4."""
    plan = two_groups()
    assert [each.target_tokens for each in plan.summarization_requests] == [5, 6]
    with pytest.raises(InvalidPlan, match="P4 requests must be ordered"):
        replace(plan, summarization_requests=plan.summarization_requests[::-1])


def test_a_draft_may_fold_newer_turns_first() -> None:
    """P4: the order of the requests is the transcript's, not that of the folding."""
    turns = [turn(f"t{number}", tokens=50) for number in range(6)]
    draft = PlanDraft(Transcript(tuple(turns)), CompactionBudget(200, 1))
    draft.summarize([3, 4], 6, "brief", reason="summarize: because")
    draft.summarize([0, 1], 5, "brief", reason="summarize: because")
    assert draft.seal("hand", "1") == two_groups()


def test_an_exchange_is_not_split_between_two_groups() -> None:
    """P3."""
    plan = two_groups()
    with pytest.raises(InvalidPlan, match="P3"):
        replace(plan, exchanges=(0, 1, 2, 0, 4, 5))


def test_a_turn_stands_in_one_group_only() -> None:
    """P4."""
    plan = two_groups()
    overlapping = SummarizationRequest.of(["t1", "t3", "t4"], 6, "brief")
    with pytest.raises(InvalidPlan, match="P4"):
        replace(plan, summarization_requests=(plan.summarization_requests[0], overlapping))


def test_a_plan_has_one_spelling(plan: CompactionPlan) -> None:
    """P7."""
    text = plan.canonical_json()
    assert text.isascii()
    record = json.loads(text)
    assert record["schema"] == "turnfold.plan/1"
    assert text == json.dumps(record, sort_keys=True, separators=(",", ":"))
    assert record == plan.to_dict()
    again = CompactionPlan.from_dict(record)
    assert again == plan
    assert again.plan_hash() == plan.plan_hash()


def test_the_hash_is_the_sha256_of_the_spelling(plan: CompactionPlan) -> None:
    """P7."""
    assert plan.plan_hash() == content_sha256(plan.canonical_json())


def test_every_column_counts_for_the_hash(plan: CompactionPlan) -> None:
    """P7."""
    others = [
        replace(plan, budget=CompactionBudget(201, 1)),
        replace(plan, policy_name="other"),
        replace(plan, policy_version="2"),
        replace(plan, digests=plan.digests[::-1]),
        replace(plan, reasons=("other", *plan.reasons[1:])),
        replace(plan, replacements=("[other]",)),
        replace(plan, replacement_tokens=(21,)),
        replace(plan, estimator_ratio=5.0),
        replace(plan, **request_with(plan, target_tokens=21)),
    ]
    assert len({each.plan_hash() for each in (plan, *others)}) == len(others) + 1


@pytest.mark.parametrize("record", [None, [], {}, {"schema": "turnfold.plan/99"}], ids=str)
def test_a_record_of_another_schema_is_refused(record: Any) -> None:  # noqa: ANN401  Anything.
    """P7, P9."""
    with pytest.raises(InvalidPlan, match="P7"):
        CompactionPlan.from_dict(record)


def test_two_plans_are_compared_turn_by_turn(plan: CompactionPlan) -> None:
    """P9."""
    assert diff(plan, plan) == ()
    untouched = PlanDraft(TRANSCRIPT, BUDGET).seal("hand", "1")
    changes = diff(untouched, plan)
    assert [each.turn_id for each in changes] == [
        each.turn_id for each in plan.decisions if each.action is not Action.KEEP
    ]
    first = changes[0]
    assert first.before is not None
    assert first.after is not None
    assert (first.before.action, first.after.action) == (Action.KEEP, Action.SUMMARIZE)


def test_turns_that_only_one_plan_has_are_changes() -> None:
    """P9."""
    short = PlanDraft(Transcript((turn("a"), turn("b"))), CompactionBudget(50)).seal("hand", "1")
    other = PlanDraft(Transcript((turn("b"), turn("c"))), CompactionBudget(50)).seal("hand", "1")
    changes = diff(short, other)
    assert [(each.turn_id, each.before is None, each.after is None) for each in changes] == [
        ("a", False, True),
        ("c", True, False),
    ]


def test_other_reasons_are_a_change(plan: CompactionPlan) -> None:
    """P9, P2."""
    (change,) = diff(plan, replace(plan, reasons=("other", *plan.reasons[1:])))
    assert change.turn_id == "sys"


def test_a_description_names_policy_figures_groups_and_reasons(plan: CompactionPlan) -> None:
    """P9."""
    text = plan.describe()
    for part in ("hand 1", "390", "100", "200", "'old'", "'brief'", "mask: because", "fits"):
        assert part in text
    assert "over" in PlanDraft(TRANSCRIPT, CompactionBudget(389)).seal("hand", "1").describe()


@pytest.mark.parametrize("column", ["turn_ids", "token_estimates", "exchanges"])
def test_columns_that_a_plan_does_not_share_prove_nothing(column: str) -> None:
    """P6: a column that is not the very one of the transcript is checked."""
    plan = PlanDraft(TRANSCRIPT, CompactionBudget(390)).seal("hand", "1")
    broken = {"turn_ids": ("",), "token_estimates": (-1,), "exchanges": (-1,)}[column]
    forged = getattr(plan, column)[:-1] + broken
    with pytest.raises(InvalidPlan):
        replace(plan, **{column: forged, "columns": TRANSCRIPT.columns()})
