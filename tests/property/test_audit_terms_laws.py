"""Laws of terms: what is read piece by piece is what the whole text says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.audit import _binding, _terms
from turnfold.audit._binding import content_of
from turnfold.audit._spelling import readable
from turnfold.audit._terms import listed_terms, terms, without_idioms

PIECES = (
    *(
        "the",
        "Deleted",
        "src/app.py",
        "--no-verify",
        "30 seconds",
        "5 GB",
        "30s",
        "1,024",
        "retries.",
    ),
    *(
        "maxRetries",
        "DB_URL",
        "(user's",
        "don't",
        "out of the question",
        "in place",
        "in place.py",
    ),
    *(
        "off-limits",
        "Off-limits.md",
        "as it is",
        "不要提交",
        "caf\u00e9",
        "e\u0301t\u00e9",
        "\x1b[31mred\x1b[0m",
    ),
    *(
        "a/b:c",
        "x=1",
        "-5..",
        "v1.2.3",
        "50 %",
        "12 MB",
        "\u2019s",
        "`json.Unmarshal(data,`",
        "\u00a0",
        "\n",
    ),
)
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=12).map(" ".join)


@given(TEXTS)
def test_the_terms_of_a_text_are_its_listed_terms(text: str) -> None:
    """Would catch: a set phrase or an ending that goes over the piece it is looked for in."""
    assert terms(text) == frozenset(term for term, _ in listed_terms(readable(text)))


ASCII = st.lists(st.sampled_from([each for each in PIECES if each.isascii()]), max_size=8)


@given(ASCII.map(" ".join))
def test_what_a_sentence_is_about_is_the_same_as_a_whole(text: str) -> None:
    """Would catch: a quantity or a set phrase that is cut at its space."""
    plain, named, short = _binding._read(text, terms)  # noqa: SLF001  The slow way.
    found = content_of(text)
    assert (found.words, found.names) == (plain | named, named - short)


IDIOMS = (
    *(
        "out of the question",
        "Off the table",
        "on the table",
        "not an option",
        "off-limits",
    ),
    *(
        "up for debate",
        "fair game",
        "last resort",
        "red line",
        "hard rule",
        "firm cap",
        "a must",
    ),
    *(
        "set in stone",
        "grey area",
        "good idea",
        "nice-to-have",
        "steer clear",
        "steering clear",
    ),
    *(
        "I mean it",
        "whatever you do",
        "no matter what",
        "as it is",
        "as they are",
        "in place",
    ),
    *(
        "is part of",
        "soft limit",
        "strict ceiling",
        "out of bounds",
        "gray area",
        "great idea",
    ),
)


@pytest.mark.parametrize("idiom", IDIOMS)
def test_a_set_phrase_is_blanked_wherever_it_stands(idiom: str) -> None:
    """Would catch: a phrase that none of the marks that are looked for first is in."""
    assert _terms._IDIOMS.fullmatch(idiom)  # noqa: SLF001  The pattern itself.
    assert without_idioms(f"so {idiom}, yes") == f"so {' ' * len(idiom)}, yes"
