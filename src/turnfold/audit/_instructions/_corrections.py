"""What users correct: the value that is current, and the one that it takes the place of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from turnfold.audit._instructions._direction import stands
from turnfold.audit._instructions._prose import Sentence
from turnfold.audit._instructions._standing import is_asked_or_told, is_number
from turnfold.audit._instructions._swaps import (
    ALONE,
    ASSIGNED,
    NOT_VALUES,
    ORDERED,
    PATTERNS,
    TRIGGER,
    VERBS,
)
from turnfold.audit._terms import terms


@dataclass(slots=True)
class Correction:
    """A value that a user puts in place of another.

    Args:
        new: The value that is current.
        old: The stale one; None where the user does not name it.
        text: The sentence that says so.
        topic: What it is about, without the values.
        is_edit: Whether it asks for a change, so that it need not be a correction.
        is_of_thing: Whether the topic is what both values were given to, so that it must be named.
        is_marked: Whether the current value is a name by its backticks or its hyphens.
        turn_ids: Who said it.
        is_standing: Whether a turn that stays says it.
    """

    new: str
    old: str | None
    text: str
    topic: frozenset[str]
    is_edit: bool
    is_of_thing: bool = False
    is_marked: bool = False
    turn_ids: list[str] = field(default_factory=list)
    is_standing: bool = False


def corrections_of(said: Sequence[Sentence]) -> Iterator[Correction]:
    """Yield what a user corrects in a turn."""
    for sentence in said:
        text = sentence.text
        if TRIGGER.search(text) and not is_asked_or_told(text):
            yield from _of_sentence(text)


def _of_sentence(text: str) -> Iterator[Correction]:
    for pattern in (*PATTERNS, *ALONE):
        for found in pattern.regex.finditer(text):
            groups = found.groupdict()
            new, old = groups["new"], groups.get("old")
            values = [new] if old is None else [new, old]
            check = is_name if pattern.must_be_names else is_value
            is_fit = all(map(check, values)) or (len(values) > 1 and all(map(_is_joined, values)))
            if is_fit and (old is None or _is_other(new, old)):
                yield _made(text, new, old, is_edit=pattern.is_edit or bool(ORDERED.match(text)))
                return


def _made(text: str, new: str, old: str | None, *, is_edit: bool) -> Correction:
    topic = terms(text) - terms(new) - terms(old or "") - VERBS
    made = Correction(_bare(new), None if old is None else _bare(old), text, topic, is_edit)
    made.is_marked = new[0] == "`" or (_is_joined(new) and (old is None or new.count("-") > 1))
    return made


def _bare(value: str) -> str:
    return value.strip('`"').rstrip(".:")


def _is_other(new: str, old: str) -> bool:
    mine, before = terms(new), terms(old)
    return bool(mine - before) and bool(before - mine)


_LONGEST_ACRONYM: Final = 5
_JOINED: Final = re.compile(r"[A-Za-z0-9]{2,40}(?:-[A-Za-z0-9]{1,40}){1,8}")


def _is_joined(text: str) -> bool:
    """Whether a word has hyphens: a style of one word, a name beside another of its kind."""
    return _JOINED.fullmatch(_bare(text)) is not None


def is_value(text: str) -> bool:
    """Whether a word can be what is exchanged: a name, or a word that says something."""
    return is_name(text) or (_bare(text).lower() not in NOT_VALUES and len(_bare(text)) > 1)


def is_name(text: str) -> bool:
    """Whether a word is a name or a number by its look."""
    bare = _bare(text)
    if bare.lower() in NOT_VALUES or bare.lower() in ("and/or", "e.g", "i.e"):
        return False
    if text[0] in '`"' or any(map(str.isdigit, bare)):
        return True
    if bare.isalpha() and bare.isupper() and len(bare) > _LONGEST_ACRONYM:
        return False
    inner = bare[1:]
    return (
        any(mark in inner for mark in "_./@") or (inner != inner.lower() and bare.isascii())
    ) and len(bare) > 1


def assigned(said: Sequence[Sentence]) -> Iterator[tuple[frozenset[str], str, str]]:
    """Yield what a user gives a value: its noun, the value, the sentence."""
    for sentence in said:
        if is_asked_or_told(sentence.text):
            continue
        for found in ASSIGNED.finditer(sentence.text):
            value = found["new"] or found["value"]
            noun = terms(found["key"] or found["han"] or "")
            if noun and is_name(value) and any(map(str.isdigit, value)):
                yield noun, value, sentence.text


def is_superseded(text: str, corrections: Sequence[Correction]) -> bool:
    """Whether a sentence gives a value that a correction took back, and not the one in its place.

    Such a sentence need not be kept: what holds is the correction.
    """
    for each in corrections:
        if not each.old or not stands(text, each.old) or stands(text, each.new):
            continue
        if is_telling(each.old) or not each.topic or each.topic & terms(text):
            return True
    return False


def is_telling(value: str) -> bool:
    """Whether a value alone says what it is of: a number or a plain word does not."""
    if value[:1] == "#":
        return True
    named = is_name(value) or (value[:1].isupper() and len(value) > 2)  # noqa: PLR2004
    return named and not all(map(is_number, terms(value)))
