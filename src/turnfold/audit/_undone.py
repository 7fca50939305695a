"""What a summary says was done or counted, of which no turn has a trace."""

import re
from collections.abc import Iterator
from itertools import chain, combinations
from typing import Final, NamedTuple

from turnfold.audit._evidence import Evidence
from turnfold.audit._finding import Place
from turnfold.audit._hedges import is_hedged
from turnfold.audit._instructions._orders import prescribes
from turnfold.audit._sentences import Sentences
from turnfold.audit._states import state_of
from turnfold.transcript import Role

_TRACES: Final = {
    "committed": re.compile(r"(?<!to be )commit|提交", re.IGNORECASE),
    "pushed": re.compile(r"(?<![a-z])push|推送|推到", re.IGNORECASE),
    "deployed": re.compile(r"deploy|roll(?:ed|ing)? ?out|部署|上线", re.IGNORECASE),
    "published": re.compile(r"publish|releas|发布", re.IGNORECASE),
}
"""What shows that somebody did it, or spoke of it at least."""

_DEED: Final = re.compile(
    r"(?<![\w-])(?:was|were|been|is|are|got|and|has|have|i|we)(?: (?:also|now|already|then"
    rf"|successfully|both|all|since))* (?P<deed>{'|'.join(_TRACES)})(?![\w-])",
    re.IGNORECASE,
)
_OUTCOMES: Final = r"pass(?:e[sd]|ing)?|fail(?:s|ed|ing)?|succeed(?:s|ed)?|(?:is|are|were) green"
_AT_ONCE: Final = (
    r"(?:\A|[,;:(|*=\u2013\u2014-]\s?|(?<!\w)(?:all|now|with|and|only|of|got|had|has|were|are|is|shows?"
    r"|showed|reports?|reported|gave|gives?|still|then|the|its) )"
)
"""What may stand before a bare count: `step 4 failed` counts nothing."""

_COUNTED: Final = re.compile(
    r"(?<![\w.,#/:-])(?P<count>\d{1,3}(?:,\d{3})+|\d{1,7})(?! ?[:/])"
    rf"(?: (?:[a-z]{{2,14}} )?(?:tests?|specs?)(?: (?:all|now|still|also))? (?:{_OUTCOMES})(?!\w)"
    r"|(?= ?个(?:测试)?(?:全部)?(?:通过|失败)))"
    rf"|{_AT_ONCE}(?P<bare>\d{{1,7}}) (?:passed|failed)(?!\w)",
    re.IGNORECASE,
)
_RESULTS: Final = (
    r"tests?|specs?|examples?|assertions?|suites?|cases?|checks?|pass\w{0,3}|fail\w{0,4}|ok|skipped"
    r"|errors?|xfailed|total|ran"
)
_COUNTS: Final = re.compile(
    rf"(?<![\w.])(\d[\d,]{{0,8}})(?: [a-z]{{2,14}})?[ 个]{{1,2}}(?:{_RESULTS}|测试|通过|失败)"
    rf"|(?<!\w)(?:{_RESULTS})\W{{1,12}}(\d[\d,]{{0,8}})(?![\w.])"
    r"|(?<![\w./])(\d{1,6}) ?/ ?(\d{1,6})(?![\w./])",
    re.IGNORECASE,
)
_LEAST: Final = 3
"""Fewer are counted by whoever reads them."""

_MOST_COUNTS: Final = 60
"""So many counts are added up with one another; a session has fewer."""


class Untraced(NamedTuple):
    """What a summary says of which no turn has a trace, and the sentence that says it."""

    what: str
    place: Place


def undone(evidence: Evidence) -> Iterator[Untraced]:
    """Yield the sentences that tell of a deed that no user and no assistant names."""
    for text, place in _told(evidence):
        for found in _DEED.finditer(text):
            deed = found["deed"].lower()
            if deed not in evidence.once(_traced) and _is_stated(text):
                yield Untraced(deed, place)
                break


def uncounted(evidence: Evidence) -> Iterator[Untraced]:
    """Yield the counts of passed or failed tests that no turn has, nor two of its counts make."""
    for text, place in _told(evidence):
        for found in _COUNTED.finditer(text):
            group = "count" if found["count"] else "bare"
            count = int(found[group].replace(",", ""))
            if count >= _LEAST and count not in evidence.once(_counts):
                start, end = (place.start + at for at in found.span(group))
                yield Untraced(found[group], Place(start, end, place.turn_id))


def _told(evidence: Evidence) -> Iterator[tuple[str, Place]]:
    for summary in evidence.summaries:
        sentences = Sentences(summary.text)
        for number, text in enumerate(sentences):
            yield text, Place(*sentences.span(number), summary.turn_id)


def _is_stated(text: str) -> bool:
    state = state_of(text)
    is_plain = state.progress > 0 and not state.is_mixed
    return is_plain and not is_hedged(text) and not prescribes(text)


def _traced(evidence: Evidence) -> frozenset[str]:
    """Return the deeds that a user or an assistant names."""
    said = (turn.content for turn in evidence.leaves if turn.role in (Role.USER, Role.ASSISTANT))
    return frozenset().union(*(evidence.memory.of(_traces_in, text) for text in said))


def _traces_in(text: str) -> frozenset[str]:
    return frozenset(deed for deed, trace in _TRACES.items() if trace.search(text))


def _counts(evidence: Evidence) -> frozenset[int]:
    """Return the counts of results that turns have, and what two of them make together."""
    texts = (turn.content for turn in evidence.leaves)
    found = frozenset().union(*(evidence.memory.of(_counts_in, text) for text in texts))
    few = sorted(found)[:_MOST_COUNTS]
    sums = {one + other for one, other in combinations(few, 2)}
    return found | sums | {other - one for one, other in combinations(few, 2)}


def _counts_in(text: str) -> frozenset[int]:
    groups = chain.from_iterable(_COUNTS.findall(text))
    return frozenset(int(each.replace(",", "")) for each in groups if each.strip(","))
