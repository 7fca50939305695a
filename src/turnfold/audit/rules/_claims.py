"""What a summary claims and the transcript does not: guesses made facts, rules that nobody made."""

import re
from collections.abc import Iterator
from typing import Final

from turnfold.audit._binding import Content, Said, Spoken, content_of
from turnfold.audit._evidence import Evidence
from turnfold.audit._hedges import is_guess, is_hedged
from turnfold.audit._instructions._modes import Strength, mode_of
from turnfold.audit._terms import terms, total
from turnfold.audit.rules._match import Candidate, Index

_ATTRIBUTED: Final = re.compile(
    r"(?<!\w)user (?:\w{1,15} ){0,2}?(?:says|wants|requires?|required|insists?|insisted|forbids?"
    r"|forbade|demands?|demanded)(?!\w)|用户(?:要求|强调|禁止|规定)",
    re.IGNORECASE,
)
_CONFIRMED: Final = re.compile(
    r"(?<![\w-])(?<!not )(?<!un)(?:confirmed|verified|indeed|proved|proven|that was it|bingo"
    r"|reproduced)(?!\w)",
    re.IGNORECASE,
)
_IS_OPEN: Final = re.compile(r"(?<!\w)(?:is|are|still|left) open(?=[.,;:)]|\Z)", re.IGNORECASE)
_MOST_CLAIMS: Final = 50
_HALF: Final = 0.5
_LEAST_TERMS: Final = 3
_SPOKEN_OF: Final = 0.45
_SAME: Final = 0.6


def guesses_made_facts(evidence: Evidence, index: Index) -> Iterator[tuple[str, str, Candidate]]:
    """Yield guesses that a summary states without a hedge and that no leaf ever asserts.

    All spoken sentences that speak of it have to be guesses, and one of them nearly the same.
    """
    stated = [(each, content_of(each.sentence.text)) for each in index.candidates if _states(each)]
    stated = [each for each in stated if len(each[1].words) >= _FEWEST]
    spoken = Spoken(evidence.speech, [content for _, content in stated])
    for candidate, content in stated:
        found = _guess(content, spoken)
        if found:
            yield found.text, evidence.leaves[found.position].turn_id, candidate


_FEWEST: Final = 2


def _states(candidate: Candidate) -> bool:
    text = candidate.sentence.text
    if _IS_OPEN.search(text) or text[-1:] == "?":
        return False
    return not is_hedged(text) and not is_hedged(candidate.sentence.lead)


def _guess(content: Content, spoken: Spoken) -> Said | None:
    """Return the guess that a statement makes a fact, if there is one."""
    same = [
        each.said
        for each in spoken.like(content, _SAME)
        if content.names <= each.said.content.names
        and not each.said.is_asked
        and is_guess(each.said.text)
    ]
    if not same:
        return None
    told = [each.said for each in spoken.like(content, _SPOKEN_OF) if not each.said.is_asked]
    if not all(is_hedged(each.text) for each in told):
        return None
    is_settled = any(_CONFIRMED.search(each.after) for each in told if is_guess(each.text))
    return None if is_settled else same[-1]


def unsaid_rules(evidence: Evidence, index: Index) -> Iterator[Candidate]:
    """Yield rules that a summary attributes to the user and of which nobody but an assistant spoke.

    Lenient: half of a rule's words anywhere in what users, systems or tools say is enough.
    """
    claims = [each for each in index.candidates if _is_claim(each)][:_MOST_CLAIMS]
    if not claims:
        return
    wanted = frozenset().union(*(each.terms for each in claims))
    heard: set[str] = set()
    for turn in evidence.leaves:
        if turn.role != "assistant":
            text = turn.content.lower()
            heard.update(term for term in wanted - heard if term in text)
            if turn.role == "user":
                heard |= wanted & terms(turn.content)
    for each in claims:
        if total(each.terms & heard) < _HALF * total(each.terms):
            yield each


def _is_claim(candidate: Candidate) -> bool:
    text = candidate.sentence.text
    is_rule = len(candidate.terms) >= _LEAST_TERMS and _ATTRIBUTED.search(text) is not None
    return is_rule and mode_of(text).strength is Strength.MUST
