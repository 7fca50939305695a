"""What users correct, and whether a summary keeps the stale value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from turnfold.audit._finding import Severity, Status
from turnfold.audit._terms import terms
from turnfold.audit.rules._direction import clause_of, is_past, is_placed, stands
from turnfold.audit.rules._match import Candidate, Index
from turnfold.audit.rules._prose import Sentence
from turnfold.audit.rules._standing import is_asked_or_told, is_number
from turnfold.audit.rules._swaps import (
    ALONE,
    ASSIGNED,
    BYGONE,
    CURRENT,
    HISTORY,
    NOT_VALUES,
    ORDERED,
    PATTERNS,
    TRIGGER,
    VERBS,
)


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
        turn_ids: Who said it.
        is_standing: Whether a turn that stays says it.
    """

    new: str
    old: str | None
    text: str
    topic: frozenset[str]
    is_edit: bool
    is_of_thing: bool = False
    turn_ids: list[str] = field(default_factory=list)
    is_standing: bool = False


class Verdict(NamedTuple):
    """What a summary makes of a correction."""

    status: Status
    severity: Severity
    rule: str
    candidate: Candidate | None


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
            if all(map(check, values)) and (old is None or _is_other(new, old)):
                yield _made(text, new, old, is_edit=pattern.is_edit or bool(ORDERED.match(text)))
                return


def _made(text: str, new: str, old: str | None, *, is_edit: bool) -> Correction:
    topic = terms(text) - terms(new) - terms(old or "") - VERBS
    return Correction(_bare(new), None if old is None else _bare(old), text, topic, is_edit)


def _bare(value: str) -> str:
    return value.strip('`"').rstrip(".:")


def _is_other(new: str, old: str) -> bool:
    mine, before = terms(new), terms(old)
    return bool(mine - before) and bool(before - mine)


_BEFORE_OLD: Final = 60
_AFTER_OLD: Final = 25
_SHARED_TOPIC: Final = 2
_LONGEST_ACRONYM: Final = 5


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
        if _is_telling(each.old) or not each.topic or each.topic & terms(text):
            return True
    return False


def weigh(correction: Correction, index: Index) -> Verdict | None:
    """Return what is wrong with a summary by a correction; None where nothing is."""
    new = _holding(correction, correction.new, index)
    if reverted := next((each for each in new if _is_reverted(each, correction)), None):
        return Verdict(Status.STALE, Severity.HIGH, "turned round", reverted)
    if correction.old is None:
        return None if new or correction.is_standing else _lost()
    old = [
        each for each in _holding(correction, correction.old, index) if _is_live(each, correction)
    ]
    for each in old:
        both = each in new
        if new and not both and correction.is_edit:
            continue
        if both or new:
            asserts = (
                not both
                and bool(CURRENT.search(each.sentence.text.lower()))
                and bool(correction.topic & each.terms)
            )
            severity = Severity.HIGH if asserts else Severity.MEDIUM
            return Verdict(Status.COEXISTS, severity, "old and new", each)
        return Verdict(Status.STALE, Severity.HIGH, "stale value", each)
    if new or correction.is_standing or correction.is_edit or not _is_telling(correction.new):
        return None
    mentioned = _holding(correction, correction.old, index)
    return None if mentioned else _lost()


def _is_reverted(candidate: Candidate, correction: Correction) -> bool:
    """Whether a sentence gives the current value as the one of before, and the stale one as new."""
    text, old = candidate.sentence.text, correction.old
    if not old or not stands(text, old) or not stands(text, correction.new):
        return False
    return is_past(text, correction.new, old) and not is_past(text, old, correction.new)


def _lost() -> Verdict:
    return Verdict(Status.LOST, Severity.HIGH, "not in the view", None)


def _holding(correction: Correction, value: str, index: Index) -> list[Candidate]:
    """Return the sentences that hold a value; what is said of other things with it is not meant."""
    wanted = terms(value)
    if not wanted:
        return []
    rarest = min(wanted, key=lambda term: (len(index.holds(term)), term))
    found = [each for each in index.holds(rarest) if wanted <= each.terms]
    if correction.is_of_thing and correction.topic:
        return [
            each for each in found if correction.topic & (each.terms | terms(each.sentence.lead))
        ]
    is_figure = any(map(is_number, wanted))
    if not correction.topic or (_is_telling(value) and not is_figure):
        return found
    topic = correction.topic - _NO_TOPIC
    least = min(_SHARED_TOPIC, len(topic)) if is_figure else 1
    return [each for each in found if len(topic & each.terms) >= least]


_NO_TOPIC: Final = frozenset({"not"})


def _is_telling(value: str) -> bool:
    """Whether a value alone says what it is of: a number or a plain word does not."""
    named = is_name(value) or (value[:1].isupper() and len(value) > 2)  # noqa: PLR2004
    return named and not all(map(is_number, terms(value)))


def _is_live(candidate: Candidate, correction: Correction) -> bool:
    """Whether a sentence gives the old value as one that holds."""
    text, old = candidate.sentence.text, correction.old or ""
    if correction.text.rstrip(".") in text:
        return False  # It repeats the user.
    if stands(text, old) and is_past(text, old, correction.new):
        return False
    near, history = text, HISTORY
    if stands(text, old) and stands(text, correction.new):
        at = text.lower().find(old.lower())
        near = text[max(0, at - _BEFORE_OLD) : at + len(old) + _AFTER_OLD]
    elif stands(text, old):
        if is_placed(text, old):
            return True
        near, history = clause_of(text, old), BYGONE
    said = " ".join(word for word in near.split() if not terms(word) & correction.topic)
    if history.search(said.lower()):
        return False
    return not old.isalpha() or stands(text, old)
