"""Plans that were edited by somebody else never take effect (P6)."""

import json
from dataclasses import fields
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests import oracles
from tests.strategies import planned, summaries_for
from turnfold import (
    Action,
    CompactionExecutor,
    CompactionPlan,
    InvalidPlan,
    PlanTranscriptMismatch,
    Transcript,
)

Planned = tuple[Transcript, CompactionPlan]


def take_effect(transcript: Transcript, record: dict[str, Any]) -> CompactionPlan | None:
    """Return the plan that a record makes, or None where it is refused, here or by `apply`."""
    try:
        plan = CompactionPlan.from_dict(json.loads(json.dumps(record)))
        CompactionExecutor().apply(transcript, plan, summaries_for(plan))
    except (InvalidPlan, PlanTranscriptMismatch):
        return None
    return plan


def with_figures(record: dict[str, Any]) -> dict[str, Any]:
    """Make the derived figures agree with the edited columns, as a careful forger would."""
    sizes = record["token_estimates"]
    kept = sum(n for n, code in zip(sizes, record["actions"], strict=False) if code == "K")
    targets = sum(each["target_tokens"] for each in record["summarization_requests"])
    after = kept + sum(record["replacement_tokens"]) + targets
    budget = record["budget"]
    limit = budget["max_tokens"] - budget["reserved_tokens"]
    return {
        **record,
        "tokens_before": sum(sizes),
        "tokens_after_estimate": after,
        "budget_unmet": after > limit,
    }


@given(planned(), st.data())
def test_a_plan_with_forged_exchanges_is_refused(case: Planned, data: st.DataObject) -> None:
    """P6.

    Would catch: an exchange that is declared apart so that it can be split.
    """
    transcript, plan = case
    record = plan.to_dict()
    if not len(transcript):
        return
    position = data.draw(st.integers(0, len(transcript) - 1))
    leader = data.draw(st.integers(0, position))
    record["exchanges"][position] = leader
    honest = oracles.exchange(transcript.turns, position)[0] == leader
    assert (take_effect(transcript, record) is not None) is honest


@given(planned(), st.data())
def test_a_plan_with_forged_protections_and_actions_touches_nothing_untouchable(
    case: Planned, data: st.DataObject
) -> None:
    """P6, B2, B3: refused, or lawful all the same.

    Would catch: a SYSTEM turn or a pin that is declared free and then dropped.
    """
    transcript, plan = case
    if not len(transcript):
        return
    record = plan.to_dict()
    for column, codes in (("protections", "SPT-"), ("actions", "KMSD")):
        for position in data.draw(st.lists(st.integers(0, len(transcript) - 1), max_size=3)):
            text = record[column]
            code = data.draw(st.sampled_from(codes))
            record[column] = text[:position] + code + text[position + 1 :]
    forged = take_effect(transcript, with_figures(record))
    if forged is None:
        return
    untouchable = oracles.untouchable(transcript.turns, forged.budget)
    for position, decision in enumerate(forged.decisions):
        if position in untouchable:
            assert decision.action is Action.KEEP
        fates = {
            forged.decisions[each].action in (Action.KEEP, Action.MASK)
            for each in oracles.exchange(transcript.turns, position)
        }
        assert len(fates) == 1


@given(planned(), st.data())
def test_a_plan_that_drops_a_system_turn_never_takes_effect(
    case: Planned, data: st.DataObject
) -> None:
    """P6, B2.

    Would catch: a claim about roles that nobody holds against the transcript.
    """
    transcript, plan = case
    systems = [each for each, turn in enumerate(transcript) if turn.role == "system"]
    if not systems:
        return
    record = plan.to_dict()
    gone = set(oracles.exchange(transcript.turns, data.draw(st.sampled_from(systems))))
    rows = range(len(transcript))
    record["protections"] = "".join("-" if n in gone else record["protections"][n] for n in rows)
    record["actions"] = "".join("D" if n in gone else record["actions"][n] for n in rows)
    record["budget"]["protected_recent_turns"] = 0
    record["protections"] = record["protections"].replace("T", "-")
    assert take_effect(transcript, with_figures(record)) is None


@given(planned(), st.sampled_from(("tokens_before", "tokens_after_estimate")), st.integers(1, 9))
def test_figures_that_do_not_follow_from_the_decisions_are_refused(
    case: Planned, figure: str, more: int
) -> None:
    """P5.

    Would catch: a figure that is stored and believed.
    """
    transcript, plan = case
    record = plan.to_dict()
    record[figure] += more
    assert take_effect(transcript, record) is None
    unmet = {**plan.to_dict(), "budget_unmet": not plan.budget_unmet}
    assert take_effect(transcript, unmet) is None


COLUMNS = sorted(column.name for column in fields(CompactionPlan))
NONSENSE: tuple[Any, ...] = (
    None,
    5,
    "x",
    "\u2603",
    [],
    [1],
    [None],
    {},
    [[]],
    {"a": 1},
    True,
    10**400,
    -1.5,
)


@given(planned(), st.sampled_from(COLUMNS), st.sampled_from(NONSENSE))
def test_a_record_with_a_nonsensical_column_is_an_invalid_plan_and_nothing_worse(
    case: Planned, column: str, nonsense: object
) -> None:
    """P6, E1.

    Would catch: a TypeError, an OverflowError or a UnicodeError that reaches the caller.
    """
    transcript, plan = case
    if column in ("policy_name", "policy_version") and isinstance(nonsense, str):
        return
    if column == "estimator_ratio" and nonsense in (None, 5):
        return
    record = plan.to_dict()
    if record[column] == nonsense or not len(transcript):
        return
    record[column] = nonsense
    assert take_effect(transcript, record) is None


@given(planned(), st.sampled_from(COLUMNS))
def test_a_record_without_a_column_is_an_invalid_plan(case: Planned, column: str) -> None:
    """P6. Would catch: a column that has a default when it is read back."""
    transcript, plan = case
    record = plan.to_dict()
    del record[column]
    assert take_effect(transcript, record) is None
