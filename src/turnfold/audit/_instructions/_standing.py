"""The standing rules that users state, and no request of the moment."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Final

from turnfold.audit._instructions._asides import (
    MISREAD,
    MOMENT,
    OTHERS,
    QUESTION,
    TOLD,
    UNSURE,
    without_stress,
)
from turnfold.audit._instructions._constructions import is_construction
from turnfold.audit._instructions._limits import FIRM, KEPT_WITHIN, LIMITED, comparators_of
from turnfold.audit._instructions._modes import Mode, Polarity, Strength, mode_of, without_contrast
from turnfold.audit._instructions._orders import is_ordered, is_stated
from turnfold.audit._instructions._prose import Sentence
from turnfold.audit._instructions._scopes import Scope, scopes_of
from turnfold.audit._instructions._strengths import BINDING, SHOULD
from turnfold.audit._instructions._triggers import ENGLISH, HAN, PLURAL_NEVER
from turnfold.audit._terms import names, terms, total

_QUOTED: Final = re.compile(
    r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|\u201c[^\u201d\n]{1,300}\u201d|「[^」\n]{1,300}」"
)
_PARTS: Final = re.compile(r"[;()\u2014\uff1b\uff08\uff09]|\s-{1,2}\s|\.{3}")
_PRONOUN: Final = re.compile(r"(?<!\w)(?:it|them)(?!\w)", re.IGNORECASE)
_EACH: Final = re.compile(
    r"(?<!\w)(?:(?:every|each|always|whenever)(?!\w)(?! (?:of )?(?:these|this|that))"
    r"|everywhere|throughout|at all times"
    r"|(?:before|after|when|while) (?:you )?\w{3,20} (?:any|anything)(?! (?:more|else)))(?!\w)"
)
_LONG: Final = 160
_AFTER_LEAD: Final = ": *_\uff1a"
_PART_OF_LONG: Final = re.compile(r",\s(?=(?:but|and|so|also|then)\s)")
_BARE_LEAD: Final = 60
_LONGEST_NO: Final = 90
_CONDITION: Final = re.compile(r"(?<!\w)(?:if|unless|whenever) [^,.;]{1,120},(?= \S)")
"""What a rule holds for may be told as if it had happened: `if a hook failed, stop`."""

_BARE_NO: Final = re.compile(r"(?:(?!(?:under|on|in|at|by) )\w{2,12},? |rule: )?no ")
_SEEN: Final = re.compile(
    r"(?<!\w)(?:found|included|provided|returned|made|exists?|available|detected"
    r"|left|given|specified|seen|was|were|is|are|has|had|yet|needed)(?!\w)"
)
_LEAST_WORDS: Final = 3
_LEAST_WEIGHT: Final = 1.2
_NUMERIC: Final = re.compile(
    r"\d|(?<!\w)(?:one|two|three|four|five|six|seven|eight|nine|ten)(?!\w)"
    r"|[一二两三四五六七八九十百千]"
)


class Force(IntEnum):
    """What a sentence is: only a rule that a user says must be kept by a summary.

    A rule of a document that was handed in need not be, and must not be turned round.
    """

    WRITTEN = 0
    STATED = 1
    ORDERED = 2
    RULED = 3


@dataclass(slots=True)
class Rule:
    """A standing rule of a user.

    Args:
        text: The sentence, or the part of it that rules.
        mode: Its polarity, strength and comparators.
        scopes: Where and when it holds.
        terms: What it is about, with its scopes.
        context: What the turn that states it is about.
        turn_ids: Who said it, in order.
        is_standing: Whether a turn that stays says it.
        is_plain: Whether it is said without any word of asking, forbidding or allowing.
        force: Whether it is a rule, an order of the moment, or a statement.
    """

    text: str
    mode: Mode
    scopes: tuple[Scope, ...]
    terms: frozenset[str]
    context: frozenset[str]
    turn_ids: list[str] = field(default_factory=list)
    is_standing: bool = False
    is_plain: bool = False
    force: Force = Force.RULED

    @property
    def core(self) -> frozenset[str]:
        """What it is about, without its scopes; all of it where nothing else is left."""
        scoped = frozenset().union(*(scope.terms for scope in self.scopes))
        scoped -= self.names
        return (self.terms - scoped) or self.terms

    def share(self, said: frozenset[str]) -> float:
        """Return how much of what it is about stands among terms; a name weighs most."""
        core = self.core
        held = total(core & said) + total(core & said & self.names)
        return held / (total(core) + total(core & self.names))

    @property
    def names(self) -> frozenset[str]:
        """What it names: files, flags, functions and the like."""
        return names(self.text)

    @property
    def numbers(self) -> frozenset[str]:
        """Its numbers."""
        return frozenset(term for term in self.terms if is_number(term))


def is_number(term: str) -> bool:
    """Whether a term is a number."""
    return term.lstrip("-").replace(".", "", 1).isdigit()


def rules_of(said: tuple[Sentence, ...]) -> Iterator[Rule]:
    """Yield the standing rules among what a user says in a turn."""
    context: frozenset[str] | None = None
    for sentence in map(_with_antecedent, said, (Sentence("", 0, 0), *said)):
        for text in _readings(sentence):
            force = _force(text)
            if force is None:
                continue
            found = terms(_without_outcome(text))
            if not found or (total(found) < _LEAST_WEIGHT and len(text.split()) < _LEAST_WORDS):
                continue
            if context is None:
                context = frozenset().union(*(terms(each.text) for each in said))
            mode = mode_of(text)
            yield Rule(
                *(
                    text,
                    as_asked(_as_bound(text, mode)),
                    scopes_of(without_contrast(text)),
                    found,
                    context,
                ),
                is_plain=not mode.polarities,
                force=force,
            )


_OUTCOME: Final = re.compile(
    r", (?:(?:otherwise|or else|or (?:it|they|we|the)|else)(?!\w)[^.;:`]{1,120}"
    r"|(?:and |as |for )?(?:[\w-]{1,20} ){1,5}(?:depends?|reli(?:es|y)|hinges?) on (?:it|them|this"
    r"|that)(?!\w)[^.;:`]{0,20})[.!]?\Z",
    re.IGNORECASE,
)


def _without_outcome(text: str) -> str:
    """Return a rule without what it says at its end of what happens otherwise; names stay."""
    found = _OUTCOME.search(text)
    return text[: found.start()] if found and not names(found[0]) else text


def _force(text: str) -> Force | None:
    if is_rule(text):
        return Force.RULED
    if is_of_the_moment(text) or not (is_stated(text) or _states_limit(text.lower())):
        return None
    if not is_ordered(text):
        return Force.STATED
    return Force.RULED if _EACH.search(text.lower()) else Force.ORDERED


def _as_bound(text: str, mode: Mode) -> Mode:
    """Return the mode of a rule, that one clause binds whatever another says of why or how."""
    if mode.strength is not Strength.SHOULD:
        return mode
    clauses = _CLAUSES.split(text.lower())
    if any(BINDING.search(each) and not SHOULD.search(each) for each in clauses):
        return mode._replace(strength=Strength.MUST)
    return mode


_CLAUSES: Final = re.compile(r"[,;:]\s|\s(?:because|since|so that|as it|as they|which)\s")


def as_asked(mode: Mode) -> Mode:
    """Return the mode of a rule: what is said without any rule word is asked for."""
    polarities = mode.polarities or frozenset({Polarity.REQUIRES})
    strength = mode.strength or Strength.MUST
    if strength is Strength.MAY and mode.comparators & FIRM:
        strength = Strength.MUST  # What may take 30 s at most must not take longer.
    return mode._replace(polarities=polarities, strength=strength)


def _readings(sentence: Sentence) -> Iterator[str]:
    """Yield the parts of a sentence that can rule, each with the bare lead of its list."""
    lead = sentence.lead
    if lead and len(lead) < _BARE_LEAD and not terms(lead) and mode_of(lead).polarities:
        yield " ".join((lead.rstrip(_AFTER_LEAD), sentence.text))
        return
    text = _LOOKED_INTO.sub("", sentence.text)
    if is_asked_or_told(text):
        return
    cut = _QUOTED.sub(lambda found: "x" * len(found[0]), text)
    pattern = (
        _PARTS if len(cut) < _LONG else re.compile(f"{_PARTS.pattern}|{_PART_OF_LONG.pattern}")
    )
    at, before = 0, ""
    for found in [*pattern.finditer(cut), None]:
        part = text[at : found.start() if found else len(cut)].strip()
        yield f"{before}, {part}" if _leans(part, before) else part
        before, at = part, found.end() if found else at


_LOOKED_INTO: Final = re.compile(
    "[^\uff0c\u3002\uff1b]{0,60}(?:看看|看下|看一下|确认|检查)[^\uff0c\u3002\uff1b]{0,12}是不是"
    "[^\uff0c\u3002\uff1b]{0,60}\uff0c"
)
"""A clause that looks whether something is so asks nothing of what the next one rules."""


def _with_antecedent(sentence: Sentence, before: Sentence) -> Sentence:
    """Return a sentence with the one that a semicolon cut off, where it says `it` of its name."""
    if not before.text.endswith((";", "\uff1b")) or not _leans(sentence.text, before.text):
        return sentence
    return sentence._replace(text=f"{before.text[:-1]}, {sentence.text}")


def _leans(part: str, before: str) -> bool:
    """Whether a part of a sentence says `it` of what the part before names."""
    return bool(_PRONOUN.search(part)) and bool(names(before)) and not names(part)


@lru_cache(maxsize=4_000)
def is_asked_or_told(text: str) -> bool:
    """Whether a sentence is a question, a guess, or what somebody else says."""
    low = without_stress(text.lower())
    return any(each.search(low) for each in (QUESTION, OTHERS, UNSURE))


def is_of_the_moment(text: str) -> bool:
    """Whether a part of what a user says is a question, or holds for the moment only."""
    low = without_stress(text.lower())
    return any(each.search(low) for each in (QUESTION, MOMENT, MISREAD))


def is_rule(text: str) -> bool:
    """Whether a part of what a user says is a standing rule; precise rather than complete."""
    low = _QUOTED.sub(
        lambda found: f"{found[0][0]}{'x' * (len(found[0]) - 2)}{found[0][-1]}", text.lower()
    )
    if low.count('"') % 2:
        return False
    low = without_stress(low.replace("**", "").replace("__", "").strip(" *_-"))
    low = _with_name(low)
    if any(each.search(low) for each in (QUESTION, MOMENT, MISREAD)):
        return False
    if found := ENGLISH.search(low):
        return not _BARE_NO.match(found[0]) or not (len(low) > _LONGEST_NO or _SEEN.search(low))
    if TOLD.search(_CONDITION.sub(" ", low)):
        return False
    is_worded = PLURAL_NEVER.search(low) or HAN.search(low) or is_construction(low)
    return bool(is_worded) or _is_limit(low)


_NAME_BEFORE: Final = re.compile(
    r"(?:`[^`]{1,300}`|\w[/._]\w)[^;]{1,200}?(?:do not|don['\u2019]t) "
)
_OF_IT: Final = re.compile(
    r"(?<!\w)((?:do not|don['\u2019]t) (?:ever )?[a-z]{2,15} )(?:it|them)(?!\w)"
)


def _with_name(low: str) -> str:
    """Return a sentence in lower case that names what it says `it` of: no order of the moment."""
    if not _NAME_BEFORE.search(low):
        return low
    return _OF_IT.sub(r"\1`x`", low)


_DIGIT: Final = re.compile(r"\d")


def _states_limit(low: str) -> bool:
    """Whether a sentence limits a figure firmly in the present, with no word of a rule."""
    if not _DIGIT.search(low) or TOLD.search(low):
        return False
    return bool(comparators_of(low) & FIRM)


def _is_limit(low: str) -> bool:
    """Whether a sentence limits a number rather than reports one."""
    if not _NUMERIC.search(low):
        return False
    limited, kept = LIMITED.search(low), KEPT_WITHIN.search(low)
    if not (limited or kept):
        return False
    found = comparators_of(low)
    return bool(found and (limited if found & FIRM else kept))
