"""The records that applying gives (contract X5)."""

import json
from typing import Any

import pytest

from tests.strategies import session, summaries_for
from turnfold import (
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    CompactionReport,
    SummarizingPolicy,
    TurnfoldError,
)
from turnfold.errors import TurnfoldDefect


@pytest.fixture(scope="module")
def view() -> CompactedView:
    transcript = session(rounds=4)
    plan = SummarizingPolicy("p").decide(transcript, CompactionBudget(200, 1))
    return CompactionExecutor().apply(transcript, plan, summaries_for(plan))


def test_a_report_has_the_fields_of_the_contract() -> None:
    """X5."""
    assert list(CompactionReport.__dataclass_fields__) == [
        "plan_hash",
        "policy_name",
        "policy_version",
        "tokens_before",
        "tokens_after_estimate",
        "tokens_after",
        "budget_unmet",
        "estimator_ratio",
        "turns_before",
        "turns_after",
        "kept_turn_ids",
        "masked_turn_ids",
        "summarized_turn_ids",
        "dropped_turn_ids",
        "appended_turn_ids",
        "unseen_turn_ids",
        "summary_turn_ids",
    ]


def test_a_report_survives_json(view: CompactedView) -> None:
    """X5, P7."""
    record = json.loads(json.dumps(view.report.to_dict()))
    assert CompactionReport.from_dict(record) == view.report


@pytest.mark.parametrize("record", [None, [], {}, {"schema": "turnfold.report/99"}], ids=str)
def test_a_record_that_is_no_report_is_refused(record: Any) -> None:  # noqa: ANN401  Anything.
    """X5, P7, E1."""
    with pytest.raises(TurnfoldDefect):
        CompactionReport.from_dict(record)


def test_a_report_that_lacks_a_figure_is_refused_and_says_which(view: CompactedView) -> None:
    """X5, E1."""
    record = view.report.to_dict()
    del record["tokens_after"]
    with pytest.raises(TurnfoldError, match="tokens_after"):
        CompactionReport.from_dict(record)


def test_views_are_equal_by_value(view: CompactedView) -> None:
    """X4."""
    same = CompactedView(view.transcript, view.report, view.ledger)
    assert same == view
    assert hash(same) == hash(view)
