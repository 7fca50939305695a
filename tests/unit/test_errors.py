"""The errors (contract E1)."""

import pickle
from collections.abc import Iterator

import pytest

from tests.strategies import unpickle
from turnfold import errors
from turnfold.errors import CompactionOutcome, InvalidPlan, TurnfoldDefect, TurnfoldError, name_some


def every_error() -> Iterator[type[TurnfoldError]]:
    waiting = [TurnfoldError]
    while waiting:
        found = waiting.pop()
        waiting.extend(found.__subclasses__())
        if found.__module__.startswith("turnfold."):
            yield found


ALL = sorted(every_error(), key=lambda each: each.__name__)


@pytest.mark.parametrize("error", ALL, ids=lambda each: each.__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_error_pickles_with_message_code_and_details(
    error: type[TurnfoldError], protocol: int
) -> None:
    """E1."""
    made = error("what happened", {"ids": ["a"], "violations": ["P1"]}, "own_code")
    read = unpickle(pickle.dumps(made, protocol))
    assert type(read) is error
    assert str(read) == read.message == "what happened"
    assert (read.code, read.details) == ("own_code", {"ids": ["a"], "violations": ["P1"]})
    assert read.to_dict() == {
        "code": "own_code",
        "message": "what happened",
        "details": {"ids": ["a"], "violations": ["P1"]},
    }


def test_codes_are_stable_and_unique() -> None:
    """E1."""
    codes = {error.__name__: error("").code for error in ALL if error.__module__ == errors.__name__}
    assert codes == {
        "BudgetUnsatisfiable": "budget_unsatisfiable",
        "CompactionOutcome": "compaction_outcome",
        "InvalidConfiguration": "invalid_configuration",
        "InvalidPlan": "invalid_plan",
        "InvalidTranscript": "invalid_transcript",
        "LedgerMismatch": "ledger_mismatch",
        "PlanTranscriptMismatch": "plan_transcript_mismatch",
        "SummaryMissing": "summary_missing",
        "SummaryRejected": "summary_rejected",
        "FulfilmentFailed": "fulfilment_failed",
        "TurnfoldDefect": "defect",
        "TurnfoldError": "turnfold_error",
        "UnreadableTranscript": "unreadable_transcript",
        "UnrenderableView": "unrenderable_view",
    }


def test_outcomes_and_defects_are_apart() -> None:
    """E1."""
    for name in ("BudgetUnsatisfiable", "SummaryMissing", "SummaryRejected"):
        assert issubclass(getattr(errors, name), CompactionOutcome)
    assert issubclass(errors.PlanTranscriptMismatch, CompactionOutcome)
    for name in ("InvalidPlan", "InvalidTranscript", "UnreadableTranscript", "LedgerMismatch"):
        assert issubclass(getattr(errors, name), TurnfoldDefect)
    assert not issubclass(CompactionOutcome, ValueError)
    assert issubclass(TurnfoldDefect, ValueError)


def test_the_tree_in_the_docstring_names_every_error() -> None:
    """E1."""
    assert errors.__doc__ is not None
    for error in ALL:
        if error.__module__ == errors.__name__:
            assert error.__name__ in errors.__doc__


def test_details_are_a_copy() -> None:
    """E1."""
    given = {"a": 1}
    made = TurnfoldError("", given)
    given["a"] = 2
    assert made.details == {"a": 1}
    assert TurnfoldError("").details == {}


def test_an_invalid_plan_lists_its_violations() -> None:
    """P6."""
    made = InvalidPlan.from_violations(["P1 one", "P2 two"])
    assert made.violations == ("P1 one", "P2 two")
    assert "2 rule(s)" in made.message
    assert InvalidPlan("by hand").violations == ()


def test_at_most_ten_ids_are_named() -> None:
    """E1."""
    assert name_some([]) == ""
    assert name_some(["a", "b"]) == "'a', 'b'"
    assert name_some(map(str, range(10))).count("'") == 20
    assert name_some(map(str, range(12))).endswith("'9' and 2 more")
