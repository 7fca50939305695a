"""The fake summarizers do what their names say, and `fulfil` treats them as it should."""

import asyncio
import inspect
import re
import time

import pytest

from turnfold import CompactionBudget, CompactionPlan, SummarizingPolicy, Transcript, TranscriptTurn
from turnfold.fulfil import Answer, InputTooLong, SummaryJob, fulfil, jobs
from turnfold.testing import summarizers

_SAID = [
    "Never push to main. The port is 8443.",
    "word " * 900,
    "The limit is 250 MB, and it never changes.",
    "Go on.",
]


def planned() -> tuple[Transcript, CompactionPlan]:
    turns = [
        TranscriptTurn(f"t{at}", "user", text, len(text) // 4 + 1) for at, text in enumerate(_SAID)
    ]
    transcript = Transcript(turns)
    policy = SummarizingPolicy("turnfold.summary/1", min_span_turns=1)
    return transcript, policy.decide(transcript, CompactionBudget(600, protected_recent_turns=1))


def job() -> SummaryJob:
    (only,) = jobs(*planned())
    return only


def test_a_good_summary_keeps_what_the_user_said() -> None:
    text = summarizers.good(job())
    assert _SAID[0] in text
    assert _SAID[2] in text


def test_an_echo_is_the_whole_input() -> None:
    assert summarizers.echoing(job()) == "\n".join(_SAID[:3])


def test_a_lie_is_one_digit_and_one_never() -> None:
    """Would catch: a lie that is told in the digest's own opening, where nobody looks."""
    good, lie = summarizers.good(job()), summarizers.lying(job())
    assert "The port is 8444." in lie
    assert "250 MB" in lie
    assert len(re.findall("never", lie, re.IGNORECASE)) == 1
    assert lie.splitlines()[0] == good.splitlines()[0]


def test_a_truncated_summary_ends_within_a_word_and_says_why() -> None:
    answer = summarizers.truncating(job())
    good = summarizers.good(job())
    assert good.startswith(answer.text)
    assert answer.text[-1].isalnum()
    assert good[len(answer.text)].isalnum()
    assert answer.stop_reason == "length"


def test_one_that_fails_names_the_group() -> None:
    with pytest.raises(summarizers.SummarizerDownError, match=job().request.group_id):
        summarizers.failing(job())


def test_one_that_overflows_takes_what_fits() -> None:
    with pytest.raises(InputTooLong, match=r"have 4,581 characters, and this model takes 4,000"):
        summarizers.overflowing(4000)(job())
    assert summarizers.overflowing(5000)(job()) == summarizers.good(job())


def test_a_slow_one_takes_its_time_in_either_form() -> None:
    started = time.monotonic()
    assert summarizers.slow(0.05)(job()) == summarizers.good(job())
    waiting = summarizers.slow_async(0.05)(job())
    assert inspect.isawaitable(waiting)

    async def wait() -> str:
        return await waiting

    assert asyncio.run(wait()) == summarizers.good(job())
    assert time.monotonic() - started >= 0.1


@pytest.mark.parametrize(
    ("writer", "code"),
    [
        (summarizers.echoing, "summary_not_smaller"),
        (summarizers.failing, "writer_failed"),
        (summarizers.truncating, "summary_cut_off"),
        (summarizers.refusing, "summary_refused"),
    ],
)
def test_a_bad_one_is_rejected_for_what_it_is(writer: summarizers.Summarizer, code: str) -> None:
    (made,) = fulfil(*planned(), writer).fulfilments
    assert {each.code for each in made.rejected} == {code}


def test_a_good_one_is_accepted() -> None:
    (made,) = fulfil(*planned(), summarizers.good).fulfilments
    assert made.rejected == ()
    assert isinstance(summarizers.refusing(job()), Answer)
