"""The phrases that say where, when, for whom or but for what a sentence holds."""

import re
from typing import Final, NamedTuple

from turnfold.audit._instructions._strengths import POSSIBLE
from turnfold.audit._terms import terms, without_idioms

_STRICT_WORDS: Final = (
    r"except(?:ing|ion)?(?: (?:for|in|on|when|if|during|that|to|by))?|unless|until"
    r"|till|outside(?: of)?|excluding|other than|apart from|barring|short of|save for"
    r"|only (?:on|in|for|when|if|during|after|before|with|at|inside|within|from|by|while)"
    r"|as long as|so long as|provided(?: that)?|besides|aside from|but not|if and only if|in case"
    r"|pending|ahead of|prior to|(?:even|just|not even) (?:in|on|for|during|when|if|while|at|by)"
)
_PLACES: Final = (
    r"in(?:side| the case of| case of)?|on(?:ce)?(?! no account)|for|during|throughout"
    r"|when(?:ever)?|wherever"
    r"|(?<!, )where|while|whilst|if|at(?! (?:most|least|all|no|the (?:most|least))\b)|after|before"
    r"|since|under(?! no)|within|without|against|across|upon|between|among|per|behind|as of"
)
_OPENING: Final = re.compile(
    rf"(?<![\w-])(?:(?P<strict>{_STRICT_WORDS})|{_PLACES})(?! ?[~$\u20ac]?\d)\s"
)
_END: Final = re.compile(
    r"\.(?=\s|\Z)|[;:()\u3002\uff1b\uff0c\uff1a\n]|,(?=\s)|\s(?:and|but|or)\s"
    r"|\s[-\u2013\u2014]\s|\s(?:must|shall|should|may|can|never|always|do not|don['\u2019]t|only)\s"
    r"|\Z"
)
_HAN: Final = re.compile(
    "(?P<strict>除非|除了|除|直到|仅在|只在"
    "|仅限)(?P<rest>[^\uff0c。\uff1b\uff1a、,;]{1,24}?)(?:以外|之外|外|时|前|后"
    "|(?=[\uff0c。\uff1b\uff1a,;])|$)"
    "|(?:^|(?<=[\uff0c\u3002\uff1b\uff1a,;\\s-]))"
    "(?P<bare>[^\uff0c\u3002\uff1b\uff1a\u3001,;\\s]{1,14}?)"
    "(?:期间|之前|之后|以前|以后|之内|的时候|环境下|环境中)(?=[\uff0c,\\s])"
    "|(?:在|对于|对|当)(?P<plain>[^\uff0c。\uff1b\uff1a、,;]{1,16}?)(?:上|中|里|内"
    "|时|期间|环境|之前|之后|前|后)"
)


_CLAUSE: Final = re.compile(
    r"(?:when|while|whilst|if|until|till|unless|after|before|once|as long|so long|provided|where"
    r"|in case)"
)
_VERB: Final = re.compile(
    r"\s(?:is|are|has|have|needs?|gets?|applies|apply|stays?|remains?|go|goes|requires?)(?=\s)"
)
_TAIL: Final = re.compile(
    r"\s(?:from|behind|(?:to|of|by|with|against|through|via|under|over) (?:the|our|all|every|each"
    r"|any|a|an"
    r"|its|their|this|that|these|those))(?P<tail>(?: [^\s,;:()`]{1,40}){1,5})\Z"
)


_PURPOSE: Final = re.compile(
    r"\s(?:to (?:make sure|ensure|check|verify|see)|in order to|so (?:that|as to))(?!\w).*",
    re.DOTALL,
)
"""What a thing is done for is no part of where or when."""


class Scope(NamedTuple):
    """A phrase that says where or when a rule holds: its words, and whether it must be kept."""

    text: str
    terms: frozenset[str]
    is_strict: bool


def scopes_of(text: str) -> tuple[Scope, ...]:
    """Return the phrases that say where, when or for what a sentence holds."""
    low = without_idioms(POSSIBLE.sub(lambda found: " " * len(found[0]), text.lower()))
    found = []
    starts = list(_OPENING.finditer(low))
    for at, opening in enumerate(starts):
        limit = starts[at + 1].start() if at + 1 < len(starts) else len(low)
        end = _END.search(low, opening.end(), limit)
        phrase = low[opening.end() : end.start() if end else limit]
        phrase = _PURPOSE.sub("", phrase)
        if not _CLAUSE.match(opening[0]) and (verb := _VERB.search(phrase)):
            phrase = phrase[: verb.start()]
        if words := terms(phrase):
            found.append(Scope(opening[0] + phrase.strip(), words, bool(opening["strict"])))
    for opening in _HAN.finditer(low):
        words = terms(opening["rest"] or opening["bare"] or opening["plain"] or "")
        found += [Scope(opening[0], words, bool(opening["strict"]))] if words else []
    return tuple(found)


def tail_of(text: str) -> frozenset[str]:
    """Return the words at the end of a sentence that say from, to or of whom it speaks."""
    found = _TAIL.search(text.lower().rstrip(" .!"))
    return terms(found["tail"]) if found else frozenset()
