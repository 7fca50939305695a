"""Decisions that a summary turns round, or whose value it leaves out.

User and assistant decide. A decision that nothing in the view speaks of is the matter of
`turnfold.audit.critical`; here only a sentence that speaks of the same thing counts.
"""

import re
from collections.abc import Iterator
from typing import Final

from turnfold._metadata import KIND, KIND_INJECTED
from turnfold.audit._evidence import Evidence
from turnfold.audit._finding import Status
from turnfold.audit._instructions._orders import prescribes
from turnfold.audit._instructions._prose import spoken
from turnfold.audit._instructions._scopes import scopes_of
from turnfold.audit._instructions._standing import is_asked_or_told
from turnfold.audit._instructions._vocabulary import NEGATES
from turnfold.audit._terms import names, terms, total
from turnfold.audit.rules._index import Candidate, Index, plain
from turnfold.audit.rules._opposites import is_turned
from turnfold.audit.rules._turned import Judgement

_CHOSEN: Final = (
    r"decid(?:e|ed|es|ing)|decision|agreed?|agreement|settl(?:e|ed|es|ing)|chosen|chose|choos(?:e"
    r"|es"
    r"|ing)|pick(?:ed|s|ing)?|opt(?:ed|s|ing)? (?:for|in|to)|select(?:ed|s)|adopt(?:ed|s|ing)?"
    r"|approved|consensus|conclu(?:ded|sion)|verdict|resolved to|voted|signed off on"
    r"|(?<!get )(?<!gets )(?<!be )(?<!is )(?<!are )(?<!was )committed to"
    r"|locked in|landed on|final (?:call|answer|word|choice)|green[- ]?lit"
)
_GOING: Final = (
    r"(?:going|go|went|run|running|stick|sticking|stay|staying|stuck) with|let['\u2019]?s"
    r" (?:go|use|do|keep|stay|stick|take|make|move|switch)|we (?:will|are going to|are to|shall)"
    r"|we['\u2019]ll|(?:the )?plan is|will be (?:\w{2,15}ly )?\w{2,15}(?:ed|en|t)"
    r"|we(?:['\u2019]re| are) (?:\w{2,15}ing)|i(?:['\u2019]ll| will) (?:use|go|keep|take)"
    r"|\S{1,60} it is|standardi[sz]e[sd]? on|is the (?:way|one|pick|choice|plan)"
)
_DECIDES: Final = re.compile(rf"(?<![\w-])(?:{_CHOSEN}|{_GOING})(?![\w-])")
_HAN_DECIDES: Final = re.compile("决定|选定|敲定|商定|我们用|改用|采用")
_DROPPED: Final = re.compile(
    r"(?<![\w-])(?:reject(?:ed|s|ing)?|(?:decid|opt|vot|rul|argu|settl)(?:e|ed|es"
    r"|ing)? (?:against|out)"
    r"|(?:is|are|was|were) out(?= (?:for|in|on)(?!\w))"
    r"|(?:is|was|were|are|been|be) (?:\w{1,12} )?(?:dropped|abandoned|scrapped|discarded|shelved"
    r"|vetoed|declined|dismissed|cancelled|canceled|turned down|ruled out|off the table|reverted)"
    r"|against (?:using|going|keeping|moving|the)|(?:moving|mov(?:e|es|ed)|stepp?(?:ed|ing)?|switch"
    r"(?:ed|ing)?|migrat(?:e|ed|ing)|back(?:ed|ing)?) (?:away|off|out|back) (?:from|of)"
    r"|(?<!to )(?:drop|scrap|abandon|discard|ditch|shelve|reject)s?|stop(?:ped)? using"
    r"|(?:chose|chosen|picked|preferred|used) (?:over|instead of)|no longer)(?![\w-])"
)
_THINGS: Final = frozenset(
    terms(
        "decide decided decision agree agreed settle settled choose chosen pick picked opt opted "
        "plan final call consensus approved select selected adopt adopted go going stay staying "
        "stick standardise standardised standardize run runs running"
    )
)
_ENOUGH: Final = 0.7
_LEAST_WEIGHT: Final = 2.0
_MOST: Final = 500
_LOOKED_AT: Final = 3
_VOICES: Final = ("user", "assistant")
Found = tuple[str, str, Candidate, Judgement]


def decisions_changed(evidence: Evidence, index: Index) -> Iterator[Found]:
    """Yield decisions that a summary turns round: the text, its turn, the sentence, what changed.

    The latest turn that speaks of the same thing decides.
    """
    latest: dict[frozenset[str], tuple[str, str]] = {}
    standing = {turn.turn_id for turn in evidence.standing}
    for text, turn_id in _decisions(evidence):
        about = terms(text) - _THINGS
        if total(about) >= _LEAST_WEIGHT:
            latest.pop(about, None)
            latest[about] = text, turn_id
    for about, (text, turn_id) in list(latest.items())[-_MOST:]:
        if turn_id in standing or plain(text) in index.verbatim:
            continue
        named = about & names(text)
        for _, candidate in index.near(about)[:_LOOKED_AT]:
            changed = None
            if _is_of(about, named, candidate.terms):
                changed = _turned(text, candidate)
            elif named and _is_without(about - named, candidate) and not _any(index, named):
                changed = Judgement(Status.NARROWED, "value left out")
            if changed and not _said_later(evidence, about, candidate, text):
                yield text, turn_id, candidate, changed
                break


def _decisions(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for turn in evidence.leaves:
        if turn.role not in _VOICES or turn.metadata.get(KIND) == KIND_INJECTED:
            continue
        # Calls are never prose, and far longer than what is said beside them.
        lines = [line for line in turn.content.splitlines() if not line.startswith("[")]
        if not _decides(" ".join(" ".join(lines).split())):
            continue
        said = [each.text for each in evidence.memory.of(spoken, turn.content).sentences]
        deciding = [text for text in said if _decides(text) and not is_asked_or_told(text)]
        if deciding and _decides(turn.content):
            for text in deciding:
                yield text, turn.turn_id


def _decides(text: str) -> bool:
    low = text.lower()
    return _DECIDES.search(low) is not None or _HAN_DECIDES.search(low) is not None


def _is_of(about: frozenset[str], named: frozenset[str], told: frozenset[str]) -> bool:
    """Whether a sentence speaks of the same thing: most of its words, or all names and a word."""
    if total(about & told) >= _ENOUGH * total(about):
        return True
    return bool(named) and named <= told and bool((about - named) & told)


def _is_without(words: frozenset[str], candidate: Candidate) -> bool:
    """Whether a sentence decides of the same thing, whatever it is called there."""
    told = candidate.sentence.text
    decides = _DECIDES.search(told.lower()) or prescribes(told)
    return bool(words) and words <= candidate.terms and bool(decides)


def _any(index: Index, named: frozenset[str]) -> bool:
    return any(index.holds(name) for name in named)


def _turned(text: str, candidate: Candidate) -> Judgement | None:
    told = candidate.sentence.text
    if set(_UNLESS.findall(text.lower())) != set(_UNLESS.findall(told.lower())):
        return None
    turned = is_turned(_bare(text), _bare(told))
    if turned is None:
        turned = _denies(text) != (_denies(told) or _sets_aside(told, text))
    return Judgement(Status.NEGATED, "decided the other way") if turned else None


_UNLESS: Final = re.compile(
    r"(?<!\w)(?:without|unless|until|till|before|except|other than|only|wait\w{0,3})(?!\w)"
)
_ASIDE: Final = re.compile(
    r",? (?:(?:and|but) )?(?:not|no|never|instead of|rather than|over|in (?:favou?r|place) of"
    r"|in preference to) [^,;:.]{1,60}(?=[,;:.]|\Z)"
)
"""What a choice is set off against; a report may leave it out or turn it."""


def _bare(text: str) -> str:
    """Return a sentence without the phrases that say where or when it holds."""
    low = _ASIDE.sub(" ", text.lower())
    for scope in scopes_of(text):
        low = low.replace(scope.text, " ")
    return low


def _sets_aside(told: str, text: str) -> bool:
    """Whether a sentence sets something off against just what another decides for."""
    aside = terms(" ".join(_ASIDE.findall(told.lower())))
    chosen = terms(_bare(text)) - _THINGS - terms(_bare(told))
    return bool(aside & chosen)


def _denies(text: str) -> bool:
    return bool(_DROPPED.search(_ASIDE.sub(" ", text.lower()))) or bool(NEGATES.search(_bare(text)))


def _said_later(evidence: Evidence, about: frozenset[str], candidate: Candidate, text: str) -> bool:
    """Whether somebody says the same as the summary does, of the same thing."""
    named = [term for term in about if not term.isalpha()]
    for turn in evidence.leaves:
        low = turn.content.lower()
        if turn.role not in _VOICES or not all(name in low for name in named):
            continue
        for sentence in evidence.memory.of(spoken, turn.content).sentences:
            found = terms(sentence.text)
            is_same = total(found & about) >= _ENOUGH * total(about)
            if (
                is_same
                and sentence.text != text
                and _denies(sentence.text) == _denies(candidate.sentence.text)
            ):
                return True
    return False
