"""The sentences of summaries by what they are about."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Final, NamedTuple

from turnfold.audit._evidence import SummaryText
from turnfold.audit._instructions._prose import LONGEST_SENTENCE, Sentence, sentences
from turnfold.audit._terms import terms, total

_SEEDS: Final = 32
_MOST_SEEDS: Final = 96
_MOST_HOLDING: Final = 600
_LOOKED_AT: Final = 8


class Candidate(NamedTuple):
    """A sentence of a summary, with what it is about, the one after it, and its summary."""

    sentence: Sentence
    terms: frozenset[str]
    summary: SummaryText
    after: str


class Index:
    """The sentences of texts by what they are about; a look-up is bounded."""

    def __init__(self, summaries: Sequence[SummaryText]) -> None:
        self.candidates: list[Candidate] = []
        self.verbatim: set[str] = set()
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        for summary in summaries:
            listed = [part for each in sentences(summary.text) for part in _bounded(each)]
            for at, each in enumerate(listed):
                after = listed[at + 1].text if at + 1 < len(listed) else ""
                self._add(Candidate(each, terms(each.text), summary, after))

    def _add(self, candidate: Candidate) -> None:
        number = len(self.candidates)
        self.verbatim.add(plain(candidate.sentence.text))
        self.candidates.append(candidate)
        for term in candidate.terms:
            self._postings[term].append(number)

    def near(self, wanted: frozenset[str]) -> list[tuple[float, Candidate]]:
        """Return the sentences that share most with what is wanted, the best first."""
        known = [self._postings[term] for term in sorted(wanted) if term in self._postings]
        seeds: dict[int, None] = {}
        for numbers in sorted(known, key=len):
            seeds.update(dict.fromkeys(numbers[:_SEEDS]))
            if len(seeds) >= _MOST_SEEDS:
                break
        whole = total(wanted) or 1.0
        found = ((total(wanted & self.candidates[each].terms) / whole, each) for each in seeds)
        best = nsmallest(
            _LOOKED_AT, found, key=lambda one: (-one[0], len(self.candidates[one[1]].terms), one[1])
        )
        return [(share, self.candidates[number]) for share, number in best]

    def holds(self, term: str) -> list[Candidate]:
        """Return the first sentences that hold a term."""
        return [self.candidates[number] for number in self._postings.get(term, ())[:_MOST_HOLDING]]


def _bounded(sentence: Sentence) -> Iterator[Sentence]:
    """Cut what has no stops, so that a sentence is never longer than what is examined."""
    for at in range(0, len(sentence.text), LONGEST_SENTENCE):
        start = sentence.start + at
        text = sentence.text[at : at + LONGEST_SENTENCE]
        yield Sentence(text, start, start + len(text), sentence.lead)


def plain(text: str) -> str:
    """Return a sentence without case, marks at its ends and runs of space."""
    return " ".join(text.lower().split()).strip(" .!*_`")
