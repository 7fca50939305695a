"""Telling what became of a rule in the sentence of a summary that speaks of it."""

import re
from typing import Final

from turnfold.audit._finding import Status
from turnfold.audit._instructions._asides import TOLD
from turnfold.audit._instructions._limits import (
    LOWER,
    UPPER,
    Comparator,
    implied_by,
    opposite,
)
from turnfold.audit._instructions._modes import (
    Mode,
    Polarity,
    Strength,
    is_hedged,
    is_softened,
    mode_of,
    without_reasons,
)
from turnfold.audit._instructions._prose import Sentence
from turnfold.audit._instructions._scopes import Scope, scopes_of, tail_of
from turnfold.audit._instructions._standing import Rule, is_number
from turnfold.audit._instructions._strengths import MAY, SHOULD, is_as_binding
from turnfold.audit._instructions._vocabulary import ASKING
from turnfold.audit._terms import listed_terms, terms, total
from turnfold.audit.rules._index import Candidate
from turnfold.audit.rules._opposites import is_turned
from turnfold.audit.rules._turned import Judgement, polarity

_FULL: Final = 0.8
_FULL_BUT: Final = 0.9
_MOST: Final = 0.6
_CLAUSE: Final = re.compile(
    r"(?<![Nn]ever)[;,\u2013\u2014\uff0c\uff1b]\s?|\s-\s|(?<!body)(?<!thing)(?<!one)\s(?:but|while|whereas)\s"
    r"|\u4f46"
)
_NAME: Final = re.compile(r"[^\W\d]\w*[._/@:]\w")
_CONTINUED: Final = re.compile(
    r"\s*(?:[-*]\s)?\W{0,4}(?:except|unless|exception|only|but|applies|除)", re.IGNORECASE
)
_ORDERS: Final = re.compile(
    r"\W{0,8}(?:(?:please|now|then|also|just|feel free to|go ahead and|you can|you may) )?"
    r"(?:add|allow|apply|bump|call|change|commit|copy|delete|deploy|disable|drop|edit|enable"
    r"|expose"
    r"|import|include|install|keep|leave|log|make|merge|mock|modify|move|publish|push|put|read"
    r"|release|remove|rename|replace|rewrite|run|save|send|set|ship|store|touch|turn|upgrade|use"
    r"|write)(?!\w)(?! (?:is|are|was|must|may)(?!\w))",
    re.IGNORECASE,
)
_PLACE_WORDS: Final = (
    "product stag test ci local dev weekend weekday monday tuesday wednesday thursday friday "
    "saturday sunday 生产 测试 预发 周末 周五 main master releas"
)
_PLACES: Final = frozenset(_PLACE_WORDS.split())


def judge(rule: Rule, candidate: Candidate) -> Judgement | None:
    """Return what became of a rule in a sentence that speaks of it; None where it is kept."""
    sentence = candidate.sentence
    clause = _clause(rule, sentence.text)
    mode = _mode(rule, clause, sentence)
    if mode is None:
        return _without_words(rule, clause) or _names(rule, candidate) or _scope(rule, candidate)
    return (
        _freed(rule, mode)
        or _limit(rule, mode, candidate)
        or polarity(rule, mode, sentence.text)
        or _strength(rule, mode, sentence.text)
        or _exclusive(rule, sentence.text, mode)
        or _names(rule, candidate)
        or _scope(rule, candidate)
    )


def _without_words(rule: Rule, clause: str) -> Judgement | None:
    """Judge a sentence that neither asks nor forbids nor allows in words."""
    if is_turned(rule.text, clause):
        return Judgement(Status.NEGATED, "the opposite")
    forbids = Polarity.FORBIDS in rule.mode.polarities
    if forbids and (_orders(rule, clause) or _ORDERS.match(clause)):
        return Judgement(Status.NEGATED, "negation left out")
    if rule.mode.is_exclusive and mode_of(clause).is_exclusive:
        return None
    is_told = TOLD.search(clause.lower()) or is_hedged(clause)
    if not forbids and not rule.mode.is_exclusive and not is_told:
        return None
    return Judgement(Status.UNVERIFIED, "no rule word")


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
    if SHOULD.search(sentence.text.lower()):
        return Mode(rule.mode.polarities, Strength.SHOULD, frozenset(), is_exclusive=False)
    requires = Polarity.REQUIRES in rule.mode.polarities
    is_plain = rule.is_plain and not is_turned(rule.text, clause)
    orders = _orders(rule, clause) or _ORDERS.match(clause)
    if requires and (is_plain or (orders and not is_turned(rule.text, clause))):
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
        is_turned_round = opposite(implied_by(rule.text.lower()), stated)
        return Judgement(Status.NEGATED, "limit turned round") if is_turned_round else None
    if opposite(limits, stated):
        return Judgement(Status.NEGATED, "limit turned round")
    numbers = frozenset(filter(is_number, candidate.terms))
    if rule.numbers and not rule.numbers & numbers:
        if numbers:
            return Judgement(Status.MUTATED, "another number")
        return Judgement(Status.NARROWED, "number left out")
    if stated == frozenset({Comparator.EXACTLY}) or _is_same_side(limits, stated):
        return None
    return Judgement(Status.NARROWED, "limit changed" if stated else "limit left out")


def _is_same_side(limits: frozenset[Comparator], stated: frozenset[Comparator]) -> bool:
    return bool(limits & stated) or any(limits & side and stated & side for side in (UPPER, LOWER))


def _freed(rule: Rule, mode: Mode) -> Judgement | None:
    wanted = rule.mode.polarities
    if Polarity.FREES not in mode.polarities or Polarity.FREES in wanted:
        return None
    if _ALLOWS.search(rule.text.lower()):
        return None
    forbids = Polarity.FORBIDS in wanted
    return Judgement(Status.WEAKENED if forbids else Status.NEGATED, "left free")


_ALLOWS: Final = re.compile(r"(?<![\w-])(?:may|can|free to|allowed to|fine to|ok to)(?! not)(?!\w)")


def _strength(rule: Rule, mode: Mode, text: str) -> Judgement | None:
    wanted, stated = rule.mode.strength, mode.strength
    if wanted is None or stated is None or stated >= wanted:
        return None
    is_limit = mode.comparators or mode_of(text).comparators
    if stated is Strength.MAY and rule.mode.comparators and is_limit:
        return None
    said, told = rule.text.lower(), without_reasons(text.lower())
    if stated is Strength.SHOULD and not SHOULD.search(f"{said} {told}"):
        return None
    is_left_open = stated is Strength.MAY and MAY.search(_SUBORDINATE.sub("", told))
    if not is_left_open and is_as_binding(said, told, is_exclusive=rule.mode.is_exclusive):
        return None
    return Judgement(Status.WEAKENED, f"{wanted.name.lower()} to {stated.name.lower()}")


_SUBORDINATE: Final = re.compile(
    r"(?<!\w)(?:so|that|which|who|whose|where|because|since|when|whenever|while|if|unless|until"
    r"|in order|how|what|as)(?!\w).*",
    re.DOTALL,
)
"""What may or can be in a clause of its own leaves the main one as binding as it is."""


def _exclusive(rule: Rule, text: str, mode: Mode) -> Judgement | None:
    if not rule.mode.is_exclusive or mode.is_exclusive or mode_of(text).is_exclusive:
        return None
    if Polarity.FORBIDS in mode.polarities or _FIXED.search(text.lower()):
        return None
    return Judgement(Status.NARROWED, "only left out")


_FIXED: Final = re.compile(
    r"(?<!\w)(?:(?:must|shall|ha(?:s|ve) to|needs? to) (?:be|stay|remain)|pinned|locked|fixed"
    r"|stays?|sticks?|remains?) (?:(?:at|on|to|with|in) )?`?(?=v?\d)"
)
"""What leaves room for no other value than the one that follows, without an `only`."""


def _names(rule: Rule, candidate: Candidate) -> Judgement | None:
    """Find a name or number of the rule in whose place another stands, or that was left out."""
    mine = frozenset(term for term in rule.terms if not term.isalpha())
    missing = frozenset(each for each in mine if not _is_told(each, candidate.terms))
    others = frozenset(term for term in candidate.terms - rule.context if not term.isalpha())
    words = (rule.terms - mine) - candidate.terms
    for term in sorted(missing):
        if not words and any(is_number(term) == is_number(other) for other in others):
            return Judgement(Status.EXCHANGED, "another value")
    items = frozenset(filter(_NAME.search, rule.core))
    if items - candidate.terms - terms(candidate.after) and items & candidate.terms:
        return Judgement(Status.NARROWED, "item left out")
    return None


def _is_told(name: str, told: frozenset[str]) -> bool:
    """Whether a name stands among terms as it is, or bent as a verb: force-push, force-pushing."""
    if name in told:
        return True
    return "-" in name and any(f"{name}{ending}" in told for ending in _VERB_ENDINGS)


_VERB_ENDINGS: Final = ("s", "ed", "d", "ing", "es", "er")


def _says_where(scope: Scope, said: frozenset[str]) -> bool:
    """Whether a phrase says where alone a rule holds, and stands there; no wider one need."""
    return _ONLY_IN.match(scope.text) is not None and scope.terms <= said


_ONLY_IN: Final = re.compile(r"only (?:in|on|at|inside|within)\s|只在|仅在|仅限")


def _scope(rule: Rule, candidate: Candidate) -> Judgement | None:
    said = candidate.terms
    if _CONTINUED.match(candidate.after):
        said |= terms(candidate.after)
    said |= terms(candidate.sentence.lead)
    share = rule.share(said)
    tail = tail_of(rule.text) - rule.names
    if tail and not tail & said and share >= _FULL_BUT * (1 - total(tail) / total(rule.terms)):
        return Judgement(Status.NARROWED, "scope left out")
    for scope in rule.scopes:
        missing = total(scope.terms - said)
        is_lost = missing > total(scope.terms) / 2 and scope.terms != rule.terms
        if ASKING.search(scope.text) and ASKING.search(candidate.sentence.text.lower()):
            continue
        is_bound = share >= _FULL or (share >= _MOST and missing == total(scope.terms))
        if not scope.is_strict and any(_says_where(each, said) for each in rule.scopes):
            continue
        if is_lost and (is_bound or scope.is_strict):
            return Judgement(Status.NARROWED, "scope left out")
    for scope in scopes_of(candidate.sentence.text):
        is_new = not scope.terms & rule.context
        if share >= _FULL and is_new and (scope.is_strict or scope.terms & _PLACES):
            return Judgement(Status.NARROWED, "scope added")
    return None
