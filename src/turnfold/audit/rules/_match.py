"""Finding the sentence of a summary that speaks of a rule."""

from typing import Final, NamedTuple

from turnfold.audit._finding import Status
from turnfold.audit._instructions._modes import mode_of
from turnfold.audit._instructions._standing import Rule
from turnfold.audit._terms import total
from turnfold.audit.rules._index import Candidate, Index, plain
from turnfold.audit.rules._judge import judge
from turnfold.audit.rules._turned import Judgement

__all__ = ["Candidate", "Index", "Judgement", "Match", "find"]

_SAME: Final = 0.5
_NEAR: Final = 0.34
_MOST: Final = 0.6
_OF_NAMES: Final = 2
"""A name tells more than two words of what a sentence is about."""
_TIE: Final = 0.15


class Match(NamedTuple):
    """A rule beside the sentence that speaks of it; None of it where it stands as it was."""

    candidate: Candidate | None
    judgement: Judgement | None


def find(rule: Rule, index: Index) -> Match:
    """Return the sentence that speaks of the rule, with what became of it there."""
    if plain(rule.text) in index.verbatim:
        return Match(None, None)
    core = (rule.core - rule.numbers) or rule.core
    named = rule.names
    whole = _weight(core, named)
    ranked = [
        (
            max(
                _weight(core & each.terms, named) / whole,
                len(core & each.terms) / len(core),
                share if share >= _MOST else 0,
            ),
            *(share, each),
        )
        for share, each in index.near(rule.terms)
    ]
    ranked.sort(key=lambda one: (-one[0], -one[1]))
    same = [one for one in ranked if one[0] >= _SAME and _is_enough(rule, one[2])]
    if not same:
        near = [one for one in ranked if one[0] >= _NEAR and _is_enough(rule, one[2])]
        is_spaced = rule.text.isascii()  # Han terms are single characters: too few tell a scope.
        if near and is_spaced and near[0][2].terms & named and judge(rule, near[0][2]) is None:
            return Match(near[0][2], None)
        if near and mode_of(near[0][2].sentence.text).strength is not None:
            return Match(near[0][2], Judgement(Status.UNVERIFIED, "other wording"))
        return Match(None, Judgement(Status.LOST, "not in the view"))
    judged = []
    for score, _, each in same:
        if score >= same[0][0] - _TIE:
            judged.append((each, judge(rule, each)))
    kept = next((each for each, judgement in judged if judgement is None), None)
    return Match(kept, None) if kept else Match(*judged[0])


def _weight(found: frozenset[str], named: frozenset[str]) -> float:
    return len(found) + _OF_NAMES * len(found & named)


def _is_enough(rule: Rule, candidate: Candidate) -> bool:
    shared = rule.terms & candidate.terms
    return bool(shared & rule.names) or len(shared) > 1 or len(rule.core) == 1 or total(shared) >= 2  # noqa: PLR2004
