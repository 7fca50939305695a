"""How a sentence says that it is not sure."""

import re
from functools import lru_cache
from typing import Final

_ADVERBS: Final = (
    r"maybe|perhaps|possibly|probably|likely|unlikely|presumably|apparently|seemingly"
    r"|supposedly|allegedly"
    r"|(?:a|an|one|another|other|two|three|most|only) (?:possible|plausible|potential|probable)"
    r"|(?:is|are|seems?) (?:\w{1,12} )?(?:possible|plausible|conceivable|probable)(?! to)"
    r"|arguably|conceivably|potentially|plausibl[ey]|tentative(?:ly)?"
)
_MODALS: Final = (
    r"might|may(?= (?:be(?! (?:(?!caus|relat|link|expir|outdat|corrupt|affect|connect|mis"
    r"|stuck|trigger)\w{2,20}ed(?!\w)|sent|read|built|written|kept|run|set|put|used|changed|no|at|only))|have|well|come|stem|cause|explain|lead)"
    r"(?!\w))"
    r"|could(?! not(?!\w)|n['\u2019]t)"
    r"|would (?:explain|guess|bet|assume|suspect)|should be (?:the|because)"
)
_SEEMING: Final = (
    r"seems?|seemed|appears? to|appeared to|looks? (?:like|as if|as though|to be|suspicious"
    r"|quadratic|related)"
    r"|looks(?= \w+(?:[.,;]|\Z))|smells? (?:like|of)|feels like|sounds like"
    r"|points? to(?:wards?)?|hints? at"
    r"|suggests? that|consistent with|as if|as though"
)
_BELIEF: Final = (
    r"(?:i|we|user|assistant)(?:['\u2019]?d| would)?(?: also| still)? (?:think|thinks|guess"
    r"|suspect|believe|assume|bet"
    r"|suppose|imagine|wonder|reckon|expect|fear|speculate)s?|is (?:believed|thought|suspected"
    r"|assumed|presumed"
    r"|said|supposed|rumou?red)|suspect(?:s|ed|ing)?|wonder(?:s|ed|ing)? (?:if|whether)"
    r"|believed|assumed"
    r"|if (?:i|we) had to (?:bet|guess)|reckon(?:s|ed)?"
)
_NOUNS: Final = (
    r"hunch(?:es)?|theor(?:y|ies)|hypothes[ie]s|guess(?:es|ed|ing)?|suspicions?|assumptions?"
    r"|conjectures?"
    r"|speculat\w{1,5}|possibilit(?:y|ies)|chance|bet|odds|candidates?|suspects?|impression"
    r"|feeling|likelihood"
    r"|open question|undecided|to be decided|tbd|lead"
    r"|explanation(?= (?:is|would|could|may|might))"
)
_UNCHECKED: Final = (
    r"un(?:confirmed|verified|proven|proved|clear|certain|sure|tested theory|checked)"
    r"|not (?:yet )?(?:confirmed"
    r"|verified|proven|proved|certain|sure|clear|checked|established|100 ?%)|no (?:proof"
    r"|evidence|confirmation)"
    r"|(?:have|has)(?: not|n['\u2019]t) (?:\w{1,12} )?(?:checked|confirmed|verified|proven"
    r"|proved|tested)"
    r"|needs? (?:checking|confirm\w{0,6}|verif\w{1,10}|to be (?:checked|confirmed|verified))"
    r"|to be confirmed|tbc"
    r"|can(?:not|['\u2019]t| not) (?:prove|rule out|be ruled out|confirm|say for sure)"
    r"|worth (?:checking|verifying)"
    r"|not ruled out|if (?:i|we)(?:['\u2019]m|['\u2019]re| am| are) (?:right|not mistaken)"
    r"|(?<!\w)\?\?+"
)
_HEDGES: Final = re.compile(
    rf"(?<![\w-])(?:{_ADVERBS}|{_MODALS}|{_SEEMING}|{_BELIEF}|{_NOUNS}|{_UNCHECKED})(?![\w-])"
    "|可能|也许|或许|大概|猜测|怀疑|似乎|估计|应该是|不确定|假设|好像"
)
_MAY: Final = re.compile(r"(?<!\w)may(?! not(?!\w))(?!\w)")
"""Alone it is as often a permission, which is no guess."""

_PROPOSED: Final = re.compile(
    r"(?<![\w-])(?:(?:we|you|i|one) (?:could|might|may|can|should)(?!['\u2019]t)(?: also| just"
    r"| then| even| well)?(?! have(?!\w))"
    r"|could (?:you|we)|(?:suggest|propos|recommend)\w{0,3}|maybe (?:we|you|i|later|let|try"
    r"|add|use|look|do|next)"
    r"|perhaps (?:we|you|i|later|let|try|add|use)|(?:may|might) want to|worth (?:trying|adding"
    r"|doing))(?![\w-])"
    "|建议|提议",
    re.IGNORECASE,
)


@lru_cache(maxsize=8_000)
def is_hedged(sentence: str) -> bool:
    """Whether a sentence says that it is not sure."""
    return _has_hedge(sentence) or _MAY.search(sentence.lower()) is not None


@lru_cache(maxsize=8_000)
def _has_hedge(sentence: str) -> bool:
    return _HEDGES.search(sentence.lower()) is not None


def is_guess(sentence: str) -> bool:
    """Whether a sentence guesses what is; a proposal is no guess, and neither is a question."""
    is_question = sentence.rstrip(" *_\"')").endswith("?")
    return not is_question and _has_hedge(sentence) and not _PROPOSED.search(sentence)


VOCABULARY: Final = (_ADVERBS, _MODALS, _BELIEF, _NOUNS, "looks|smells|feels|appears|proof|proven")
"""The patterns whose words say that something is not sure."""
