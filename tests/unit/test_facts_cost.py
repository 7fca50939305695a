"""Hostile texts cost what long texts cost (contract U3, known failure J13)."""

import time
from collections.abc import Callable

import pytest

from turnfold.facts import critical_lines, find, redact

HOSTILE = (
    *("A", "A-", "A-A-A-", "1.1.1.", "a@a@", "/", "-", "([{", "a_", "a.", "://a:", "http://"),
    *('{"k": "v", ', "password=", "key=A1", "token: ", "sk-", "sk-a1", "ghp_", "eyJaaaaaaaaa."),
    *("-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----\n", "Bearer ", '"', "` ", "1 ", "不", "\\n"),
    *("use x ", "keep x ", "stop x", "exit code ", "no,", "aError", "C:\\", "$A"),
)
LENGTH = 25_000


def seconds(work: Callable[[str], object], text: str) -> float:
    """Return the least time of the process over three runs."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("work", [find, redact, critical_lines])
@pytest.mark.parametrize("unit", HOSTILE)
def test_four_times_the_text_costs_about_four_times(
    work: Callable[[str], object], unit: str
) -> None:
    """A pattern that goes back would cost sixteen times; half of that is slack."""
    small = unit * (LENGTH // len(unit))
    assert seconds(work, small * 4) < 8 * seconds(work, small) + 0.02
