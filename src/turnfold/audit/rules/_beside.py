"""What a summary says of a rule in another place than in the one sentence most like it.

A report splits a rule at a semicolon, or has a noun for its verb or its adjective.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from turnfold.audit._instructions._prose import LONGEST_SENTENCE
from turnfold.audit._instructions._standing import Rule
from turnfold.audit._terms import terms
from turnfold.audit.rules._index import Candidate, Index
from turnfold.audit.rules._judge import judge
from turnfold.audit.rules._match import Match

_GOES_ON: Final = (";", "\uff1b")
_LOOKED_AT: Final = 8
_STEM: Final = 5
"""So many letters have to be the same at the start of two forms of a word."""

_ENDING: Final = 4
"""So many letters may be others at their ends."""


class Beside:
    """The sentences of summaries that a semicolon cuts, put together again."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._whole: dict[int, Candidate] = {}
        for group in _groups(index.candidates):
            whole = _joined(group)
            self._whole.update((id(each), whole) for each in group)

    def keeps(self, rule: Rule, match: Match) -> bool:
        """Whether a rule that a sentence does not keep is kept by what stands beside it."""
        if match.candidate is not None:
            whole = self._whole.get(id(match.candidate))
            return whole is not None and judge(rule, whole) is None
        return any(judge(rule, each) is None for each in self._telling(rule))

    def _telling(self, rule: Rule) -> Iterator[Candidate]:
        """Yield sentences that hold all a rule is about, in whatever form of its words."""
        known = [(len(found), found) for each in rule.core if (found := self._index.holds(each))]
        if not known:
            return
        for each in min(known, key=lambda one: one[0])[1][:_LOOKED_AT]:
            whole = self._whole.get(id(each), each)
            if all(_has(term, whole.terms) for term in rule.core):
                yield whole._replace(terms=whole.terms | rule.core)


def _groups(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Yield the runs of sentences that semicolons cut."""
    group: list[Candidate] = []
    for each in candidates:
        if group and each.summary is group[-1].summary and _goes_on(group[-1]):
            group.append(each)
            continue
        if len(group) > 1:
            yield group
        group = [each]
    if len(group) > 1:
        yield group


def _goes_on(candidate: Candidate) -> bool:
    return candidate.sentence.text.rstrip().endswith(_GOES_ON)


def _joined(group: Sequence[Candidate]) -> Candidate:
    first, last = group[0].sentence, group[-1].sentence
    text = " ".join(each.sentence.text for each in group)[:LONGEST_SENTENCE]
    sentence = first._replace(text=text, end=last.end)
    return Candidate(sentence, terms(text), group[0].summary, group[-1].after)


def _has(term: str, told: frozenset[str]) -> bool:
    """Whether a term, or another form of the same word, is among those of a sentence."""
    if term in told:
        return True
    stem = term[: max(_STEM, len(term) - _ENDING)]
    is_word = term.isalpha() and len(term) > _STEM
    return is_word and any(
        each.startswith(stem) and len(each) <= len(term) + _ENDING for each in told
    )
