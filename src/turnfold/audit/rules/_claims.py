"""What a summary claims and the transcript does not: guesses made facts, rules that nobody made."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from turnfold.audit._evidence import Evidence
from turnfold.audit.rules._match import Candidate, Index
from turnfold.audit.rules._modes import Strength, is_hedged, mode_of
from turnfold.audit.rules._prose import LONGEST_SENTENCE, Sentence, sentences
from turnfold.audit.rules._terms import terms, total
from turnfold.transcript import TranscriptTurn

_ATTRIBUTED: Final = re.compile(
    r"(?<!\w)user (?:\w{1,15} ){0,2}?(?:says|wants|requires?|required|insists?|insisted|forbids?"
    r"|forbade|demands?|demanded)(?!\w)|用户(?:要求|强调|禁止|规定)",
    re.IGNORECASE,
)
_MOST_CLAIMS: Final = 50
_HALF: Final = 0.5
_FULL: Final = 0.85
_LEAST_TERMS: Final = 3
_LOOKED_AT: Final = 2
_VOICES: Final = ("user", "assistant")


def guesses_made_facts(evidence: Evidence, index: Index) -> Iterator[tuple[str, str, Candidate]]:
    """Yield guesses that a summary states without a hedge and that no leaf ever asserts.

    A guess is only what has the very words of the summary's sentence.
    """
    guesses = dict(_guesses(evidence, index))
    if not guesses:
        return
    about: defaultdict[str, list[int]] = defaultdict(list)
    for number, (_, _, candidate) in guesses.items():
        about[max(candidate.terms, key=lambda term: (len(term), term))].append(number)
    for _, sentence in _said(evidence):
        if is_hedged(sentence.text):
            continue
        found = terms(sentence.text)
        for number in [each for term in found & about.keys() for each in about[term]]:
            known = guesses.get(number)
            if known and total(found & known[2].terms) >= _FULL * total(known[2].terms):
                del guesses[number]
    yield from guesses.values()


def _guesses(evidence: Evidence, index: Index) -> Iterator[tuple[int, tuple[str, str, Candidate]]]:
    """Yield what leaves only guess and a summary states, by the summary's sentence."""
    for turn, sentence in _said(evidence, hedged=True):
        if not is_hedged(sentence.text) or sentence.text.endswith("?"):
            continue
        found = terms(sentence.text)
        for share, candidate in index.near(found)[:_LOOKED_AT]:
            wanted = total(candidate.terms)
            is_same = share >= _FULL and total(found & candidate.terms) >= _FULL * wanted
            if is_same and len(found) >= _LEAST_TERMS and not is_hedged(candidate.sentence.text):
                yield id(candidate), (sentence.text, turn.turn_id, candidate)


def _said(evidence: Evidence, *, hedged: bool = False) -> Iterator[tuple[TranscriptTurn, Sentence]]:
    """Yield the sentences of spoken turns; only of those that hedge somewhere, if asked."""
    for turn in evidence.leaves:
        if turn.role in _VOICES and (not hedged or is_hedged(turn.content)):
            for sentence in sentences(turn.content):
                if len(sentence.text) <= LONGEST_SENTENCE:
                    yield turn, sentence


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
