"""What a writer gives is a summary, or is rejected with its own code (contract F1)."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import pytest

from turnfold.decision import SummarizationRequest
from turnfold.executor import Summary, mark_summary
from turnfold.fulfil import Answer, Rejection
from turnfold.fulfil._answer import answer_of, fault_of

REQUEST = SummarizationRequest.of(["a", "b"], 100, "turnfold.summary/1")
TEXT = "The parser was ported; src/parser.py is done."


def judged(
    answer: Answer | str,
    *,
    replaced: int = 1_000,
    tolerance: float = 0.0,
    count: Callable[[str], int] = lambda text: len(text) // 4,
) -> str | None:
    given = answer if isinstance(answer, Answer) else Answer(answer)
    fault = fault_of(given, REQUEST, replaced=replaced, count=count, tolerance=tolerance)
    return None if fault is None else fault.code


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (TEXT, None),
        (Answer(TEXT, "stop"), None),
        (Answer(TEXT, "end_turn"), None),
        ("", "summary_blank"),
        (" \n\t ", "summary_blank"),
        (Answer("", "length"), "summary_cut_off"),
        (Answer(TEXT, "length"), "summary_cut_off"),
        (Answer(TEXT, "MAX_TOKENS"), "summary_cut_off"),
        (Answer(TEXT, "max_output_tokens"), "summary_cut_off"),
        (Answer("", "refusal"), "summary_refused"),
        (Answer(TEXT, "content_filter"), "summary_refused"),
        (Answer("", "SAFETY"), "summary_refused"),
        ("I'm sorry, but I can't help with that.", "summary_refused"),
        ("I cannot assist with this request.", "summary_refused"),
        ("As an AI language model, I am unable to process that.", "summary_refused"),
        ("抱歉\uff0c我无法提供这个摘要。", "summary_refused"),
        ("非常抱歉\uff0c我无法提供这个摘要。", "summary_refused"),
        ("I apologize, but I cannot summarize that.", "summary_refused"),
        ("I'm sorry; I can't continue.", "summary_refused"),
        (Answer(TEXT, "tool_calls"), "summary_tool_call"),
        (Answer("", "tool_use"), "summary_tool_call"),
        ('{"name": "read_file", "arguments": {"path": "a.py"}}', "summary_tool_call"),
        ('<tool_call>{"name": "ls"}</tool_call>', "summary_tool_call"),
    ],
)
def test_a_wrong_answer_has_its_own_code(answer: Answer | str, code: str | None) -> None:
    """F1, E11. Would catch: a refusal, a call or half a text that stands in for the turns."""
    assert judged(answer) == code


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry the build broke; the user asked to revert src/app.py.",
        "The user cannot help with the deploy before Monday.",
        '{"task": "port the parser", "name": "turnfold"}',
        "{the task is open",
        "I can't reproduce the error on 3.11, so the test stays skipped.",
        "抱歉的是测试没有通过,需要修复 src/app.py。",
    ],
)
def test_what_only_sounds_like_it_is_a_summary(text: str) -> None:
    """Would catch: a list of words that rejects an honest summary."""
    assert judged(text) is None


def test_the_target_counts_with_the_marks_and_a_tolerance() -> None:
    """E11: both numbers are named, and what may be exceeded is the caller's choice."""
    text = "x" * 400
    measured = len(mark_summary(text, 2)) // 4
    assert measured > REQUEST.target_tokens
    assert judged(text) == "summary_over_target"
    assert judged(text, tolerance=0.5) is None
    fault = fault_of(Answer(text), REQUEST, replaced=1_000, count=len, tolerance=0)
    assert fault is not None
    assert f"{len(mark_summary(text, 2)):,}" in fault.problems[0]
    assert "100" in fault.problems[0]


def test_a_summary_that_is_not_smaller_is_never_accepted() -> None:
    """E11. Would catch: a tolerance that lets a summary through that saves nothing."""
    assert judged(TEXT, replaced=5, tolerance=1.0) == "summary_not_smaller"


@pytest.mark.parametrize("given", [None, 3, b"text", ["text"], Answer(b"x"), Summary(None)])  # type: ignore[arg-type]
def test_what_is_no_text_is_named(given: object) -> None:
    """Would catch: a None from a client library that raises deep inside."""
    answer = answer_of(given)
    assert isinstance(answer, Rejection)
    assert answer.code == "writer_gave_no_text"


def test_a_summary_brings_what_its_writer_did_not_see() -> None:
    assert answer_of(Summary("text", ("a",))) == Answer("text", None, ("a",))


class FinishReason(IntEnum):
    """How the older Gemini client says why a model stopped."""

    STOP = 1
    MAX_TOKENS = 2


@pytest.mark.parametrize(
    ("given", "stop_reason"),
    [(FinishReason.MAX_TOKENS, "MAX_TOKENS"), (FinishReason.STOP, "STOP"), (2, None)],
)
def test_a_stop_reason_that_is_no_word_goes_by_its_name(
    given: Any,  # noqa: ANN401  What a client gives.
    stop_reason: str | None,
) -> None:
    """F1. Would catch: an enumeration that aborts the compaction, or half a summary that passes."""
    answer = answer_of(Answer("Half a", given))
    assert isinstance(answer, Answer)
    assert answer.stop_reason == stop_reason
