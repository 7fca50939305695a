"""The built-in estimator, and what a caller may bring instead (contracts P8, T5)."""

import math
from typing import Any

import pytest

from turnfold import CharRatioEstimator, TokenEstimator
from turnfold.errors import InvalidConfiguration
from turnfold.tokens import counter_of, ratio_of


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("\ud800" * 8, 2)]
)
def test_a_text_is_its_code_points_by_the_ratio_rounded_up(text: str, tokens: int) -> None:
    assert CharRatioEstimator().estimate_tokens(text) == tokens


def test_another_ratio_gives_another_size() -> None:
    assert CharRatioEstimator(2).estimate_tokens("abcde") == 3
    assert CharRatioEstimator(0.5).estimate_tokens("ab") == 4


@pytest.mark.parametrize(
    "ratio",
    [0, -1, math.inf, math.nan, True, "4", None, pytest.param(10**400, id="huge"), 5e-324],
    ids=str,
)
def test_a_ratio_is_a_finite_number_above_zero(ratio: Any) -> None:  # noqa: ANN401  Anything.
    with pytest.raises(InvalidConfiguration):
        CharRatioEstimator(ratio)


def test_a_function_or_an_object_will_do() -> None:
    class Words:
        def estimate_tokens(self, text: str) -> int:
            return len(text.split())

    assert isinstance(Words(), TokenEstimator)
    assert counter_of(Words())("a b c") == 3
    assert counter_of(len)("abc") == 3
    assert counter_of(None)("abcde") == 2


@pytest.mark.parametrize("stranger", [5, "text", object(), CharRatioEstimator])
def test_anything_else_is_refused(stranger: Any) -> None:  # noqa: ANN401  Anything.
    with pytest.raises(InvalidConfiguration):
        counter_of(stranger)


def test_the_ratio_is_known_of_the_built_in_estimator_only() -> None:
    """P8."""
    assert ratio_of(None) == 4.0
    assert ratio_of(CharRatioEstimator(3)) == 3.0
    assert ratio_of(len) is None
