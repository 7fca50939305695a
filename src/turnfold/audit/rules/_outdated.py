"""Whether a summary keeps what users corrected: the current value, and not the stale one."""

from typing import Final, NamedTuple

from turnfold.audit._finding import Severity, Status
from turnfold.audit._instructions._corrections import Correction, is_telling
from turnfold.audit._instructions._direction import clause_of, is_past, is_placed, stands
from turnfold.audit._instructions._standing import is_number
from turnfold.audit._instructions._swaps import BYGONE, CURRENT, HISTORY
from turnfold.audit._terms import terms
from turnfold.audit.rules._index import Candidate, Index

_BEFORE_OLD: Final = 60
_AFTER_OLD: Final = 25
_SHARED_TOPIC: Final = 2
_NO_TOPIC: Final = frozenset({"not"})


class Verdict(NamedTuple):
    """What a summary makes of a correction."""

    status: Status
    severity: Severity
    rule: str
    candidate: Candidate | None


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
    is_history = any(_tells_the_change(each, correction) for each in new)
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
            if is_history and not both and not asserts:
                continue
            severity = Severity.HIGH if asserts else Severity.MEDIUM
            return Verdict(Status.COEXISTS, severity, "old and new", each)
        return Verdict(Status.STALE, Severity.HIGH, "stale value", each)
    if new or correction.is_standing or correction.is_edit:
        return None
    return (
        None
        if _holding(correction, correction.old, index)
        else _lost_unmentioned(correction, index)
    )


def _tells_the_change(candidate: Candidate, correction: Correction) -> bool:
    """Whether a sentence has both values, and the stale one as one that held before."""
    text, old = candidate.sentence.text, correction.old or ""
    return (
        stands(text, old) and stands(text, correction.new) and not _is_live(candidate, correction)
    )


def _is_reverted(candidate: Candidate, correction: Correction) -> bool:
    """Whether a sentence gives the current value as the one of before, and the stale one as new."""
    text, old = candidate.sentence.text, correction.old
    if not old or not stands(text, old) or not stands(text, correction.new):
        return False
    return is_past(text, correction.new, old) and not is_past(text, old, correction.new)


def _lost_unmentioned(correction: Correction, index: Index) -> Verdict | None:
    """Return what it is worth that neither value stands in the view; a plain word is worth none."""
    if correction.is_marked or is_telling(correction.new):
        return _lost()
    figures = terms(correction.new)
    is_count = bool(correction.topic) and all(map(is_number, figures))
    if any(map(index.holds, figures)):
        return None  # What it is of may be said in other words.
    return _lost()._replace(severity=Severity.MEDIUM) if is_count else None


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
    is_named = is_telling(value) or (correction.is_marked and value == correction.new)
    if not correction.topic or (is_named and not is_figure):
        return found
    topic = correction.topic - _NO_TOPIC
    least = min(_SHARED_TOPIC, len(topic)) if is_figure else 1
    return [each for each in found if len(topic & each.terms) >= least]


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
