"""Values by what they belong to: a thing told with another value, or without any.

A sentence of a summary is bound to what users and assistants said by its words without the value.
Only where everything that was said so has values that the summary lost is something wrong.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.audit._binding import Content, Said, Spoken, content_of
from turnfold.audit._evidence import Assertion, Evidence
from turnfold.audit._finding import Place
from turnfold.audit._sentences import Sentences, plain_words, words_beside
from turnfold.facts import Fact, Kind, outermost
from turnfold.transcript import Role

_NAMED: Final = frozenset(
    (
        *(Kind.PATH, Kind.URL, Kind.ENVIRONMENT, Kind.FLAG, Kind.IDENTIFIER, Kind.ADDRESS),
        *(Kind.VERSION, Kind.EMAIL, Kind.HASH, Kind.UUID, Kind.TICKET),
    )
)
_FILES: Final = _NAMED
_SPEAKERS: Final = (Role.USER, Role.ASSISTANT)
_NEAR: Final = 150
"""What stands so many characters before or after a value may be said of it, as `Then X` may."""

_LONGEST: Final = 300
_LOOSE: Final = 0.3
_FEWEST: Final = 2
_OF_OTHERS: Final = 0.6
_OF_THEIRS: Final = 0.5
_OF_STAND_INS: Final = 0.65

_STANDS_IN: Final = re.compile(
    r"(?<![\w-])(?:the|that|this|a|an|some|its|our|one|another|such an?)(?: [a-z-]{3,15}){0,2}? "
    r"(?:file|module|script|directory|folder|path|location|place|source|document|variable|setting"
    r"|option|flag|switch|argument|parameter|function|method|helper|class|routine|symbol"
    r"|identifier|component|address|host|endpoint|port|server|machine|version|release|value|tool"
    r"|command|package|library|service|name|key|one|thing)(?![\w-])"
    r"|(?<![\w-])(?:something|somewhere|elsewhere|somehow)(?![\w-])",
    re.IGNORECASE,
)
"""A common noun where a name was: `that file`, `the agreed version`."""


class Rival(NamedTuple):
    """A value of a summary, and the one that was said of the same thing."""

    assertion: Assertion
    name: str


class LeftOut(NamedTuple):
    """A value that a sentence of a summary tells all but."""

    fact: Fact
    place: Place


def rivals(assertions: Iterable[Assertion], evidence: Evidence) -> Iterator[Rival]:
    """Yield files that stand where what was said has another one, which the summary lost."""
    tried = [(each, _without(each)) for each in assertions if _is_of_another(each, evidence)]
    tried = [(each, words) for each, words in tried if len(words.plain) >= _FEWEST]
    if not tried:
        return
    spoken = Spoken(evidence.speech, [words for _, words in tried])
    lost = _Lost(evidence)
    for assertion, words in tried:
        kind, name = assertion.fact
        told = _bound(spoken, words, _OF_OTHERS, _OF_THEIRS)
        held = [each.text for said in told for each in lost.values(said) if each.kind is kind]
        if held and not any(lost.stands(each) or name in each or each in name for each in held):
            yield Rival(assertion, held[0])


def left_out(evidence: Evidence) -> Iterator[LeftOut]:
    """Yield what sentences with a common noun tell nearly word for word, but for its value."""
    tried = list(_standing_in(evidence))
    if not tried:
        return
    spoken = Spoken(evidence.speech, [words for _, words in tried])
    lost = _Lost(evidence)
    found: set[str] = set()
    for place, words in tried:
        told = _bound(spoken, words, _OF_STAND_INS, _OF_STAND_INS)
        held = [each for said in told for each in lost.values(said) if each.kind in _NAMED]
        if held and not any(lost.stands(each.text) for each in held) and held[0].text not in found:
            found.add(held[0].text)
            yield LeftOut(held[0], place)


def _is_of_another(assertion: Assertion, evidence: Evidence) -> bool:
    """Whether all that is said with a name is known, and none of it stands in the sentence."""
    kind, name = assertion.fact
    known = evidence.originals.seen(name)
    if kind not in _FILES or known is None or known.turns > len(known.positions()):
        return False
    words = words_beside(name, assertion.sentence)
    said = frozenset().union(*evidence.originals.contexts(name))
    if len(words) < _FEWEST or not words.isdisjoint(said):
        return False
    return len(words & _around(name, evidence)) < _FEWEST


def _around(name: str, evidence: Evidence) -> frozenset[str]:
    """Return the words that users and assistants say shortly before and after a name."""
    known = evidence.originals.seen(name)
    found: frozenset[str] = frozenset()
    for at in known.positions() if known else ():
        turn = evidence.leaves[at]
        place = turn.content.find(name)
        if turn.role in _SPEAKERS and place >= 0:
            end = place + len(name)
            around = turn.content[max(0, place - _NEAR) : place], turn.content[end : end + _NEAR]
            found = found.union(*map(plain_words, around))
    return found


def _without(assertion: Assertion) -> Content:
    return _plain(assertion.sentence.replace(assertion.fact.text, " "))


def _plain(sentence: str) -> Content:
    content = content_of(" ".join(sentence.split()))
    return Content(content.plain, frozenset(), float(len(content.plain)))


def _standing_in(evidence: Evidence) -> Iterator[tuple[Place, Content]]:
    """Yield the sentences without a value that have a common noun, without that noun."""
    valued = {
        (each.place.turn_id, each.sentence)
        for each in evidence.assertions
        if each.fact.kind in _NAMED
    }
    for summary in evidence.summaries:
        sentences = Sentences(summary.text)
        for number, text in enumerate(sentences):
            if len(text) > _LONGEST or not _STANDS_IN.search(text):
                continue
            words = _plain(_STANDS_IN.sub(" ", text))
            if (summary.turn_id, text) not in valued and len(words.plain) >= _FEWEST:
                yield Place(*sentences.span(number), summary.turn_id), words


def _bound(spoken: Spoken, wanted: Content, of_wanted: float, of_said: float) -> Sequence[Said]:
    """Return what was said in so many of the words, the nearest first; questions say nothing."""
    found = []
    for said, _ in spoken.like(wanted, _LOOSE):
        plain = said.content.plain
        whole = plain | (content_of(said.after).plain if said.text.endswith(";") else frozenset())
        shared, told = len(wanted.plain & plain), len(wanted.plain & whole)
        if min(shared, told) < _FEWEST or shared < of_said * len(plain):
            continue
        if told >= of_wanted * len(wanted.plain):
            found.append((-told / len(wanted.plain | whole), -said.position, said))
    found.sort(key=lambda one: one[:2])
    return [said for _, _, said in found if not said.is_asked]


class _Lost:
    """What of the values that were said stands in the summaries."""

    def __init__(self, evidence: Evidence) -> None:
        self._reader = evidence.originals.reader
        self._text = "\n".join(each.text for each in evidence.summaries).casefold()

    def values(self, said: Said) -> Iterator[Fact]:
        """Yield the values of a spoken sentence."""
        for fact, _, is_part in outermost(self._reader.located(said.text)):
            if not is_part:
                yield fact

    def stands(self, name: str) -> bool:
        """Whether a summary has a value, or the last part of it."""
        low = name.casefold()
        return low in self._text or low.rstrip("/").rpartition("/")[2] in self._text
