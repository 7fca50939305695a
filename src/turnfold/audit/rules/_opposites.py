"""Pairs of words that turn a sentence round without a negation: keep and drop, with and without."""

import re
from typing import Final

from turnfold.audit._instructions._vocabulary import CASE, NEGATES, plainly

_SET: Final = (
    r"(?:turn(?:s|ed|ing)?|switch(?:es|ed)?|is|are|be|stays?|remains?|stay|remain|leave|left|set)"
    r"(?: [^\s,;]{1,60}){0,4}?"
)
_MADE: Final = (
    r"(?:is|are|be|being|becomes?|become|stays?|remains?|kept|keep|made|make|left|leave|marked"
    r"|mark|declared)"
    r"(?: [^\s,;]{1,60}){0,5}?"
)
_ALONE: Final = (
    r"(?=[.,;:)]|\Z| (?:until|till|for|while|to|in|on|at|from|unless|and|but|by|after|before|during"
    r"|throughout|as|only|once)(?!\w))"
)
"""What stands behind an adjective that says how something is; `the public API` has a noun there."""

_PAIRS: Final = (
    (rf"enabl(?:e|es|ed|ing)|activat(?:e|es|ed)|{_SET} on",
     rf"disabl(?:e|es|ed|ing)|deactivat(?:e|es|ed)|{_SET} off(?! limits)"),
    ((r"includ(?:e|es|ed|ing)|add(?:s|ed|ing)?|put(?:s|ting)?(?! off)|inserts?|introduc(?:e|es|ed"
    r"|ing)"),
     (r"exclud(?:e|es|ed|ing)|remov(?:e|es|ed|ing|al)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?"
     r"|strip(?:s|ped)?|leave out|left out|tak(?:e|es|en) out")),
    ((r"keep(?:s|ing)?(?! (?:out|off|away))|kept(?! (?:out|off|away))|retain(?:s|ed|ing)?"
     r"|preserv(?:e|es|ed|ing)|stay(?:s|ing)?(?! (?:away|out|off|clear))|stick(?:s|ing)? (?:to"
     r"|with)"
     r"|in place|remains?|maintain(?:s|ed)?"),
     (r"remov(?:e|es|ed|ing|al)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|discard(?:s|ed)?"
     r"|replac(?:e|es|ed|ing)|mov(?:e|es|ed|ing) (?:away|off)|abandon(?:s|ed)?|get(?:s|ting)? rid"
     r"|migrat(?:e|es|ed|ing) (?:away|off)|rewrit(?:e|es|ten)")),
    ((r"respect(?:s|ed|ing)?|hono[u]?r(?:s|ed)?|follow(?:s|ed|ing)?|obey(?:s|ed)?|observ(?:e|es|ed)"
     r"|compl(?:y|ies) with|adher(?:e|es) to"),
     (r"ignor(?:e|es|ed|ing)|disregard(?:s|ed)?|violat(?:e|es|ed)|overrid(?:e|es|den)|flout(?:s"
     r"|ed)?")),
    ((r"run(?:s|ning)?|execut(?:e|es|ed)|use[sd]?|using|call(?:s|ed)?|go(?:es)? through"
    r"|pass(?:es)?(?: through)?"
     r"|goes via|verif(?:y|ies|ied)|check(?:s|ed)?"),
     (r"skip(?:s|ped|ping)?|bypass(?:es|ed|ing)?|omit(?:s|ted)?|circumvent(?:s|ed)?"
     r"|go(?:es)? around"
     r"|forgo(?:es)?|leave out")),
    (r"(?<!keep )inside|within", r"outside"),
    (r"rais(?:e|es|ed|ing)|increas(?:e|es|ed)", (r"lower(?:s|ed|ing)?|decreas(?:e|es|ed)|reduc(?:e"
    r"|es|ed)")),
    (r"show(?:s|n)?|expos(?:e|es|ed|ing)|reveal(?:s|ed)?|print(?:s|ed)?|log(?:s|ged|ging)?",
     r"hid(?:e|es|den)|mask(?:s|ed|ing)?|redact(?:s|ed)?|conceal(?:s|ed)?"),
    (r"trust(?:s|ed)?", r"distrust(?:s|ed)?|mistrust(?:s|ed)?"),
    (rf"{_MADE} (?:locked|closed|private|internal|immutable|frozen|read[- ]only){_ALONE}",
     rf"{_MADE} (?:unlocked|open|public|external|mutable|writable){_ALONE}"),
    (r"encrypt(?:s|ed)?", r"decrypt(?:s|ed)?|unencrypted|plain ?text"),
    (r"(?<!a)synchronous(?:ly)?", r"asynchronous(?:ly)?"),
)  # fmt: skip
_OPPOSITES: Final = tuple(
    (re.compile(rf"(?<![\w-])(?:{one})(?![\w-])"), re.compile(rf"(?<![\w-])(?:{other})(?![\w-])"))
    for one, other in _PAIRS
)


_WITH: Final = re.compile(
    r"(?<![\w-])with(?P<out>out)? (?:(?:an?|the|any|its|their) )?(?P<what>[^\s,;]{1,60})"
)


def is_turned(said: str, told: str) -> bool | None:
    """Whether a text says the opposite of another by its verbs and negations; None if unknown.

    Args:
        said: The sentence of a user.
        told: The sentence of a summary that speaks of the same thing.
    """
    said, told = _plain(said), _plain(told)
    crossed = _with_and_without(said, told)
    for pair in _OPPOSITES:
        mine = [bool(each.search(said)) for each in pair]
        theirs = [bool(each.search(told)) for each in pair]
        if sum(mine) == sum(theirs) == 1:
            if mine != theirs:
                crossed = True
                break
            crossed = crossed if crossed is not None or not mine[1] else False
    if crossed is None and _undone(said, told):
        crossed = True
    if crossed is None:
        return None
    return crossed != (bool(NEGATES.search(said)) != bool(NEGATES.search(told)))


_WORD: Final = re.compile(r"(?<![\w-])[a-z]{3,20}(?![\w-])")
_NO_OPPOSITES: Final = frozenset(("less", "til", "der", "ion", "it", "ique", "iform"))


def _undone(said: str, told: str) -> bool:
    """Whether one has a word that the other has with un-: set and unset, tested and untested."""
    mine, theirs = (set(_WORD.findall(each)) - _NO_OPPOSITES for each in (said, told))
    return any(
        f"un{word}" in other and f"un{word}" not in one and word not in other
        for one, other in ((mine, theirs), (theirs, mine))
        for word in one
    )


def _with_and_without(said: str, told: str) -> bool | None:
    """Whether one is with what the other is without; None where they have nothing in common."""
    mine = {each["what"].strip(".`"): each["out"] for each in _WITH.finditer(said)}
    theirs = {each["what"].strip(".`"): each["out"] for each in _WITH.finditer(told)}
    both = mine.keys() & theirs.keys()
    if not both or not any(mine[each] or theirs[each] for each in both):
        return None
    return any(mine[each] != theirs[each] for each in both)


_BEFORE_STOP: Final = re.compile(r"\s+(?=[.,;:!]|\Z)")


def _plain(text: str) -> str:
    return _BEFORE_STOP.sub("", CASE.sub(" ", plainly(text.lower())))
