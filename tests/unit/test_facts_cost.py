"""Hostile texts cost what long texts cost (contract U3, known failure J13)."""

import time
from collections.abc import Callable

import pytest

from turnfold.facts import Fact, NameReader, _tokens, critical_lines, find, redact
from turnfold.facts._atoms import facts_of_atom

HOSTILE = (
    *("A", "A-", "A-A-A-", "1.1.1.", "a@a@", "/", "-", "([{", "a_", "a.", "://a:", "http://"),
    *('{"k": "v", ', "password=", "key=A1", "token: ", "sk-", "sk-a1", "ghp_", "eyJaaaaaaaaa."),
    *("-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----\n", "Bearer ", '"', "` ", "1 ", "不", "\\n"),
    *("use x ", "keep x ", "stop x", "exit code ", "no,", "aError", "C:\\", "$A"),
    *("a.a.", " ", "error error ", "exit code     ", '"a "a', "\\", "%41%41", "://://", "$$$"),
    *(",1,1,1", "token=token=", "a:a:", "1 ms "),
    *('"/a A/', '"/a A/b" ', "C:\\A ", "C:\\A B\\", "/a\\ ", "/a\\ b ", "cd '/a b/"),
    *("$10 ", "\u20ac", "1 000 000 \u20ac", "1\u5143", "[::1]:", "]:1", "a:1::", "1,5", "1/20 "),
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


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The atoms that were examined, in order."""
    seen: list[str] = []

    def counted(atom: str, known: dict[str, tuple[Fact, ...]]) -> tuple[Fact, ...]:
        seen.append(atom)
        return facts_of_atom(atom, known)

    monkeypatch.setattr(_tokens, "facts_of_atom", counted)
    return seen


def test_an_atom_is_examined_once_whatever_stands_around_it(examined: list[str]) -> None:
    """Would catch: work that grows with the text and not with what is new in it."""
    reader = NameReader()
    for text in ["see a_b", '("a_b",', "f(a_b) a_b."] * 50:
        reader.facts(text)
    assert examined == ["a_b"]


def test_plain_words_are_not_examined(examined: list[str]) -> None:
    """Would catch: patterns run over the words that most texts are made of."""
    NameReader().facts('Nothing "here", (really) is any name: so.')
    assert examined == []


def test_what_has_no_fact_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Would catch: memory that grows with what was read rather than with what was found."""
    monkeypatch.setattr(_tokens, "_MOST_REMEMBERED", 100)
    reader = NameReader()
    for number in range(50):
        reader.facts(" ".join(f"{chr(97 + number % 26)}{'x' * number}{'y' * k}" for k in range(50)))
        reader.facts(f"name_{number}")
    known = reader._known  # noqa: SLF001  Memory has no other face.
    assert len(known) < 100 + 50 + 50 + 1
    assert [token for token, facts in known.items() if facts] == [f"name_{n}" for n in range(50)]


def test_a_long_token_without_a_fact_is_counted_once_and_not_kept() -> None:
    """Would catch: a file of embedded images that stays in memory."""
    reader = NameReader()
    for _ in range(2):
        assert reader.facts("QUJD" * 10_000) == {}
    assert reader.not_examined == 1
    assert len(reader._known) == 0  # noqa: SLF001
