"""Finding the sentence of a summary that speaks of a rule, and telling what became of the rule."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Final, NamedTuple

from turnfold.audit._evidence import SummaryText
from turnfold.audit._finding import Status
from turnfold.audit.rules._modes import (
    Mode,
    Polarity,
    Strength,
    is_softened,
    mode_of,
    opposite,
    scopes_of,
)
from turnfold.audit.rules._prose import LONGEST_SENTENCE, Sentence, sentences
from turnfold.audit.rules._standing import Rule, is_number
from turnfold.audit.rules._terms import listed_terms, terms, total

_SAME: Final = 0.5
_NEAR: Final = 0.34
_FULL: Final = 0.8
_TIE: Final = 0.15
_SEEDS: Final = 32
_MOST_SEEDS: Final = 96
_MOST_HOLDING: Final = 600
_LOOKED_AT: Final = 8
_CLAUSE: Final = re.compile(
    r"[;,\u2013\u2014\uff0c\uff1b]\s?|\s-\s|(?<!body)(?<!thing)(?<!one)\s(?:but|while|whereas)\s|\u4f46"
)
_INVERTED: Final = re.compile(
    r"(?<!\w)(?:without|unless|until|till|except|outside|other than|before|but|only"
    r"|nothing|from|instead|rather|solely|stop)(?!\w)|除|直到|只|仅"
)
_NAME: Final = re.compile(r"[^\W\d]\w*[._/@:]\w")
_CONTINUED: Final = re.compile(
    r"\s*(?:[-*]\s)?\W{0,4}(?:except|unless|exception|only|but|applies|除)", re.IGNORECASE
)
_PLACES: Final = frozenset(
    [
        "product",
        "stag",
        "test",
        "ci",
        "local",
        "dev",
        "weekend",
        "weekday",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "生产",
        "测试",
        "预发",
        "周末",
        "周五",
        "main",
        "master",
        "releas",
    ]
)


class Judgement(NamedTuple):
    """What became of a rule, and how in a word or two."""

    status: Status
    rule: str


class Candidate(NamedTuple):
    """A sentence of a summary, with what it is about, the one after it, and its summary."""

    sentence: Sentence
    terms: frozenset[str]
    summary: SummaryText
    after: str


class Match(NamedTuple):
    """A rule beside the sentence that speaks of it; None of it where it stands as it was."""

    candidate: Candidate | None
    judgement: Judgement | None


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
        self.verbatim.add(_plain(candidate.sentence.text))
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


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .!*_`")


def find(rule: Rule, index: Index) -> Match:
    """Return the sentence that speaks of the rule, with what became of it there."""
    if _plain(rule.text) in index.verbatim:
        return Match(None, None)
    core = (rule.core - rule.numbers) or rule.core
    ranked = [
        (len(core & each.terms) / len(core), share, each) for share, each in index.near(rule.terms)
    ]
    ranked.sort(key=lambda one: (-one[0], -one[1]))
    same = [one for one in ranked if one[0] >= _SAME and _is_enough(rule, one[2])]
    if not same:
        near = [one for one in ranked if one[0] >= _NEAR and _is_enough(rule, one[2])]
        if near and mode_of(near[0][2].sentence.text).strength is not None:
            return Match(near[0][2], Judgement(Status.UNVERIFIED, "other wording"))
        return Match(None, Judgement(Status.LOST, "not in the view"))
    judged = []
    for score, _, each in same:
        if score >= same[0][0] - _TIE:
            judged.append((each, judge(rule, each)))
    kept = next((each for each, judgement in judged if judgement is None), None)
    return Match(kept, None) if kept else Match(*judged[0])


def _is_enough(rule: Rule, candidate: Candidate) -> bool:
    shared = rule.terms & candidate.terms
    return len(shared) > 1 or len(rule.core) == 1 or total(shared) >= 2  # noqa: PLR2004


def judge(rule: Rule, candidate: Candidate) -> Judgement | None:
    """Return what became of a rule in a sentence that speaks of it; None where it is kept."""
    sentence = candidate.sentence
    clause = _clause(rule, sentence.text)
    mode = _mode(rule, clause, sentence)
    if mode is None:
        if Polarity.FORBIDS in rule.mode.polarities and _orders(rule, clause):
            return Judgement(Status.NEGATED, "negation left out")
        return Judgement(Status.UNVERIFIED, "no rule word")
    return (
        _limit(rule, mode, candidate)
        or _polarity(rule, mode, sentence.text)
        or _strength(rule, mode)
        or _exclusive(rule, sentence.text, mode)
        or _names(rule, candidate)
        or _scope(rule, candidate)
    )


def _clause(rule: Rule, text: str) -> str:
    """Return the smallest clause that says of the rule as much as the whole sentence does."""
    wanted = rule.core & terms(text)
    if not wanted:
        return text
    at = 0
    for found in [*_CLAUSE.finditer(text), None]:
        piece = text[at : found.start() if found else len(text)]
        if wanted <= terms(piece):
            return piece
        at = found.end() if found else at
    return text


def _mode(rule: Rule, clause: str, sentence: Sentence) -> Mode | None:
    """Return how a clause rules; the whole sentence, or the lead of its list, may say it."""
    strength = Strength.SHOULD if is_softened(sentence.text) else Strength.MUST
    for text in (clause, sentence.text, sentence.lead):
        mode = mode_of(text)
        if mode.polarities:
            return mode._replace(strength=min(strength, mode.strength or strength))
    if Polarity.REQUIRES in rule.mode.polarities and _orders(rule, clause):
        return Mode(frozenset({Polarity.REQUIRES}), strength, frozenset(), is_exclusive=False)
    return None


def _orders(rule: Rule, clause: str) -> bool:
    """Whether a clause starts with a verb of the rule, as it stands there: an order."""
    first = next(iter(listed_terms(clause)), None)
    if first is None or first[0] not in rule.terms:
        return False
    word = re.match(r"\W{0,8}([^\W\d_]+)", clause)
    if word is None:
        return False
    return word[1].lower() in {each.lower() for each in re.findall(r"[^\W\d_]+", rule.text)} or (
        "\u3400" <= word[1][0] <= "\u9fff"
    )


def _limit(rule: Rule, mode: Mode, candidate: Candidate) -> Judgement | None:
    limits = rule.mode.comparators
    stated = mode.comparators or mode_of(candidate.sentence.text).comparators
    if not limits:
        return None
    if opposite(limits, stated):
        return Judgement(Status.NEGATED, "limit turned round")
    numbers = frozenset(filter(is_number, candidate.terms))
    if rule.numbers and not rule.numbers & numbers:
        if numbers:
            return Judgement(Status.MUTATED, "another number")
        return Judgement(Status.NARROWED, "number left out")
    if limits & stated:
        return None
    return Judgement(Status.NARROWED, "limit changed" if stated else "limit left out")


def _polarity(rule: Rule, mode: Mode, text: str) -> Judgement | None:
    wanted, stated = rule.mode.polarities, mode.polarities
    forbids = Polarity.FORBIDS in wanted
    if Polarity.FREES in stated and Polarity.FREES not in wanted:
        return Judgement(Status.WEAKENED if forbids else Status.NEGATED, "left free")
    if wanted & stated or not wanted or (rule.mode.comparators and mode.comparators):
        return None
    if rule.mode.is_exclusive and mode.is_exclusive:
        return None
    is_odd = bool(_INVERTED.search(text.lower())) != bool(_INVERTED.search(rule.text.lower()))
    if is_odd:
        return Judgement(Status.UNVERIFIED, "other wording")
    return Judgement(Status.NEGATED, "negation left out" if forbids else "negation added")


def _strength(rule: Rule, mode: Mode) -> Judgement | None:
    wanted, stated = rule.mode.strength, mode.strength
    if wanted is None or stated is None or stated >= wanted:
        return None
    return Judgement(Status.WEAKENED, f"{wanted.name.lower()} to {stated.name.lower()}")


def _exclusive(rule: Rule, text: str, mode: Mode) -> Judgement | None:
    if not rule.mode.is_exclusive or mode.is_exclusive or mode_of(text).is_exclusive:
        return None
    if Polarity.FORBIDS in mode.polarities:
        return None
    return Judgement(Status.NARROWED, "only left out")


def _names(rule: Rule, candidate: Candidate) -> Judgement | None:
    """Find a name or number of the rule in whose place another stands, or that was left out."""
    mine = frozenset(term for term in rule.terms if not term.isalpha())
    missing = mine - candidate.terms
    others = frozenset(term for term in candidate.terms - rule.context if not term.isalpha())
    words = (rule.terms - mine) - candidate.terms
    for term in sorted(missing):
        if not words and any(is_number(term) == is_number(other) for other in others):
            return Judgement(Status.EXCHANGED, "another value")
    items = frozenset(filter(_NAME.search, rule.core))
    if items - candidate.terms and items & candidate.terms:
        return Judgement(Status.NARROWED, "item left out")
    return None


def _scope(rule: Rule, candidate: Candidate) -> Judgement | None:
    said = candidate.terms
    if _CONTINUED.match(candidate.after):
        said |= terms(candidate.after)
    said |= terms(candidate.sentence.lead)
    core = rule.core
    is_full = total(core & said) >= _FULL * total(core)
    for scope in rule.scopes:
        missing = total(scope.terms - said)
        if missing > total(scope.terms) / 2 and core != rule.terms and (is_full or scope.is_strict):
            return Judgement(Status.NARROWED, "scope left out")
    for scope in scopes_of(candidate.sentence.text):
        is_new = not scope.terms & rule.context
        if is_full and is_new and (scope.is_strict or scope.terms & _PLACES):
            return Judgement(Status.NARROWED, "scope added")
    return None
