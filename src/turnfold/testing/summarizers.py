"""Fake summarizers, good ones and bad ones: writers of summaries that call no model.

Each takes a job and returns what a model might have written, the same each time. Give one to
`turnfold.fulfil.fulfil` to see what becomes of it.

Example:
    >>> from turnfold import CompactionBudget, SummarizingPolicy, Transcript, TranscriptTurn
    >>> from turnfold.fulfil import fulfil
    >>> from turnfold.testing import summarizers
    >>> said = ["Never push to main.", "word " * 900, "Use port 8443.", "Go on."]
    >>> turns = [TranscriptTurn(f"t{at}", "user", text, len(text) // 4 + 1)
    ...          for at, text in enumerate(said)]
    >>> transcript = Transcript(turns)
    >>> policy = SummarizingPolicy("turnfold.summary/1", min_span_turns=1)
    >>> plan = policy.decide(transcript, CompactionBudget(600, protected_recent_turns=1))
    >>> made = fulfil(transcript, plan, summarizers.truncating)
    >>> [each.code for each in made.fulfilments[0].rejected]
    ['summary_cut_off', 'summary_cut_off']
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import Final

from turnfold.fulfil import Answer, InputTooLong, SummaryJob, extractive

__all__ = [
    "Summarizer",
    "SummarizerDownError",
    "echoing",
    "failing",
    "good",
    "lying",
    "overflowing",
    "refusing",
    "slow",
    "slow_async",
    "truncating",
]

Summarizer = Callable[[SummaryJob], str | Answer]
"""What writes a summary, as `turnfold.fulfil.fulfil` calls it."""

_NUMBER: Final = re.compile(r"\d{2,12}")
_NEVER: Final = re.compile(r"\bnever ", re.IGNORECASE)


class SummarizerDownError(RuntimeError):
    """What `failing` raises, in the place of a client's error."""


def good(job: SummaryJob) -> str:
    """Return an honest summary: the extractive digest, which keeps what fits word for word."""
    return extractive(job).text


def echoing(job: SummaryJob) -> str:
    """Return the whole input, as a model does that does not do what it is asked."""
    return "\n".join(turn.content for turn in job.turns)


def lying(job: SummaryJob) -> str:
    """Return the good summary with one digit changed and one `never` left out.

    Of the first number of two digits or more the last digit is another. A summary that holds
    neither such a number nor a `never` stays as it is.
    """
    opening, newline, text = good(job).partition("\n")
    number = _NUMBER.search(text)
    if number is not None:
        at = number.end() - 1
        text = f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"
    return opening + newline + _NEVER.sub("", text, count=1)


def failing(job: SummaryJob) -> str:
    """Raise, as a client does whose server is down.

    Raises:
        SummarizerDownError: Always.
    """
    msg = f"no summary of group {job.request.group_id}: the fake summarizer is down"
    raise SummarizerDownError(msg)


def truncating(job: SummaryJob) -> Answer:
    """Return half of the good summary, cut off within a word as at a limit of tokens."""
    text = good(job)
    half = len(text) // 2
    while half > 1 and not (text[half - 1].isalnum() and text[half].isalnum()):
        half -= 1
    return Answer(text[:half], stop_reason="length")


def refusing(job: SummaryJob) -> Answer:  # noqa: ARG001  It refuses whatever it is given.
    """Return a refusal."""
    return Answer("I'm sorry, but I can't help with that.", stop_reason="refusal")


def overflowing(max_chars: int) -> Callable[[SummaryJob], str]:
    """Return a good summarizer whose model takes no more than so many characters.

    Args:
        max_chars: The characters of all turns together. With more of them it raises `InputTooLong`.
    """

    def write(job: SummaryJob) -> str:
        given = len(echoing(job))
        if given > max_chars:
            msg = f"the turns have {given:,} characters, and this model takes {max_chars:,}"
            raise InputTooLong(msg)
        return good(job)

    return write


def slow(seconds: float) -> Callable[[SummaryJob], str]:
    """Return a good summarizer that takes its time, for threads."""

    def write(job: SummaryJob) -> str:
        time.sleep(seconds)
        return good(job)

    return write


def slow_async(seconds: float) -> Callable[[SummaryJob], Awaitable[str]]:
    """Return a good summarizer that takes its time, for an event loop."""

    async def write(job: SummaryJob) -> str:
        await asyncio.sleep(seconds)
        return good(job)

    return write
