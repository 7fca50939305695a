"""Whether the sentence of a summary says the opposite of a rule."""

import re
from typing import Final, NamedTuple

from turnfold.audit._finding import Status
from turnfold.audit._instructions._modes import Mode, Polarity, Strength
from turnfold.audit._instructions._standing import Rule
from turnfold.audit._instructions._vocabulary import CONTRAST, NEGATES
from turnfold.audit._terms import terms
from turnfold.audit.rules._opposites import is_turned

_INVERTED: Final = re.compile(
    r"(?<!\w)(?:without|unless|until|till|except|outside|other than|before|but|only"
    r"|nothing|from(?! (?:now|here|today) on)|instead|rather|solely|stop)(?!\w)|除|直到|只|仅"
)
_UNLESS: Final = re.compile(
    r"(?<!\w)(?:without|unless|until|till|except|other than|before|but)(?!\w)|除非|除了|直到"
)


class Judgement(NamedTuple):
    """What became of a rule, and how in a word or two."""

    status: Status
    rule: str


def _is_otherwise_said(rule: Rule, text: str) -> bool:
    """Whether a sentence has other verbs than a rule, so that a negation may be part of them."""
    said = frozenset(term for term in terms(text) if term.isalpha())
    wanted = frozenset(term for term in rule.terms - rule.names if term.isalpha())
    return bool(said - rule.terms) and bool(wanted - said)


def polarity(rule: Rule, mode: Mode, text: str) -> Judgement | None:
    """Judge whether a sentence asks for what a rule forbids, or the other way; None if not."""
    if rule.mode.comparators and mode.comparators:
        return None
    if (
        rule.mode.is_exclusive
        and _ALL_BUT.search(text.lower())
        and not (_ALL_BUT.search(rule.text.lower()) or Polarity.FORBIDS in mode.polarities)
    ):
        return Judgement(Status.NEGATED, "all but it")
    turned = is_turned(rule.text, text)
    if turned and set(_UNLESS.findall(rule.text.lower())) != set(_UNLESS.findall(text.lower())):
        turned = None
    if turned is not None and mode.strength is not Strength.SHOULD:
        return Judgement(Status.NEGATED, "the opposite") if turned else None
    return None if rule.mode.polarities & mode.polarities else _crossed(rule, mode, text)


_ALL_BUT: Final = re.compile(
    r"(?<!\w)(?:any|every)(?:thing|one|body|where)? (?:but|except|other than|besides"
    r"|apart from)(?!\w)"
)


def _crossed(rule: Rule, mode: Mode, text: str) -> Judgement | None:
    """Judge a sentence that forbids where the rule asks, or asks where it forbids."""
    said, told = rule.text.lower(), text.lower()
    forbids = Polarity.FORBIDS in rule.mode.polarities
    forbidding, asking = (said, told) if forbids else (told, said)
    is_exclusive = rule.mode.is_exclusive or not NEGATES.search(said)
    is_conditional = set(_UNLESS.findall(forbidding)) - set(_UNLESS.findall(asking))
    if (mode.is_exclusive and is_exclusive) or is_conditional:
        return None
    if bool(_INVERTED.search(told)) != bool(_INVERTED.search(said)):
        is_changed = mode.is_exclusive != rule.mode.is_exclusive and mode.strength is Strength.MUST
        return Judgement(Status.UNVERIFIED, "other wording") if is_changed else None
    is_plain = not forbids and _denies_verb_of(rule, told)
    if mode.strength is Strength.MUST and _is_otherwise_said(rule, text) and not is_plain:
        return None
    if _denies_elsewhere(said, told) if forbids else _denies_another(rule, told):
        return None
    return Judgement(Status.NEGATED, "negation left out" if forbids else "negation added")


_NOT_TO: Final = re.compile(r"\W{0,8}(?:do not|don['\u2019]t|never|must not) (?:\w{2,15}ly )?(\w+)")


def _denies_verb_of(rule: Rule, told: str) -> bool:
    """Whether a sentence begins with an order not to do just what a rule asks for."""
    found = _NOT_TO.match(told)
    return found is not None and bool(terms(found[1]) & rule.terms)


def _denies_another(rule: Rule, told: str) -> bool:
    """Whether what a sentence rules out is something else than what a rule asks for."""
    aside = CONTRAST.search(rule.text.lower().rstrip(" .!"))
    wanted = rule.core - (terms(aside[0]) if aside else frozenset())
    denying = [terms(each) for each in _PREDICATES.split(told) if NEGATES.search(each)]
    return bool(denying) and all(each and not each & wanted for each in denying)


def _denies_elsewhere(said: str, told: str) -> bool:
    """Whether what a rule rules out is said of other things than a sentence speaks of."""
    denying = [terms(each) for each in _PREDICATES.split(said) if NEGATES.search(each)]
    return bool(denying) and all(each and not each & terms(told) for each in denying)


_PREDICATES: Final = re.compile(
    r"[;,:]\s|\s(?:and|but|while|whereas)\s(?=(?:\S{1,40} ){0,3}?(?:must|should|shall|may|can"
    r"|is|are"
    r"|not|never|ha(?:s|ve)|do|does|nothing|no|needs?)(?!\w))"
)
