"""Values that were left out: a sentence tells all of what was said but for a common noun."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from turnfold.audit._belonging import NAMED
from turnfold.audit._binding import Content
from turnfold.audit._evidence import Evidence
from turnfold.audit._finding import Place
from turnfold.audit._sentences import Sentences
from turnfold.audit._telling import FEWEST, Lost, plain_content, talk_of
from turnfold.audit._terms import term_of
from turnfold.facts import Fact, Kind

_MEASURED: Final = frozenset((Kind.NUMBER, Kind.DATE))
_LONGEST: Final = 300
_SHARED: Final = 0.65
"""What part of the words of a sentence, and of what was said, are the same."""

_COMMON: Final = (
    r"file|module|script|directory|folder|path|location|place|source|document|variable|setting"
    r"|option|flag|switch|argument|parameter|function|method|helper|class|routine|symbol"
    r"|identifier|component|address|host|endpoint|port|server|machine|version|release|value|tool"
    r"|command|package|library|service|name|key|one|thing"
)
_REFERRING: Final = (
    r"agreed|certain|specific|particular|given|specified|designated|named|chosen|fixed"
    r"|corresponding|relevant|appropriate|respective|aforementioned|mentioned|stated|dedicated"
)
_QUANTITY: Final = (
    r"time|amount|limit|budget|size|duration|number|period|threshold|quota|delay|interval|length"
    r"|rate|count|percentage|maximum|minimum|timeout|date|day|deadline|quantity|cap|ceiling|floor"
)
_STANDS_IN: Final = re.compile(
    r"(?<![\w-])(?:"
    r"(?:the|that|this|a|an|some|its|our|one|another|such an?)(?: [a-z-]{3,15}){0,2}? "
    rf"(?:{_COMMON})"
    rf"|(?:the|that|this|an?|its|our|their|some) (?:[a-z]{{4,12}}ly[ -])?(?:{_REFERRING}) "
    r"(?P<noun>[a-z]{3,15})"
    rf"|(?:the|an?|some|its) (?:[a-z]{{3,12}} )?(?P<measure>{_QUANTITY})|that (?:much|many|long)"
    r"|something|somewhere|elsewhere|somehow)(?![\w-])",
    re.IGNORECASE,
)
"""A common noun where a name was: `that file`, `the agreed version`."""

_MEASURES: Final = frozenset(_QUANTITY.split("|"))
"""What stands for a number or a date."""


class _StandIn(NamedTuple):
    """A sentence with a common noun, without it, and what may have stood in its place.

    Args:
        place: Where it stands.
        words: What it says.
        noun: What what was said must not say as well; empty for what is common anyway.
        kinds: What the noun can be common for.
    """

    place: Place
    words: Content
    noun: str
    kinds: frozenset[Kind]


class LeftOut(NamedTuple):
    """A value that a sentence of a summary tells all but."""

    fact: Fact
    place: Place


def left_out(evidence: Evidence) -> Iterator[LeftOut]:
    """Yield what sentences with a common noun tell nearly word for word, but for its value."""
    tried = list(_standing_in(evidence))
    if not tried:
        return
    talk = talk_of(evidence)
    lost = Lost(evidence)
    found: set[str] = set()
    for place, words, noun, kinds in tried:
        held = [
            each
            for told in talk.nearly(words, _SHARED, _SHARED)
            for each in lost.values(told.said)
            if each.kind in kinds and noun not in told.said.content.plain
        ]
        if held and not any(lost.stands(each.text) for each in held) and held[0].text not in found:
            found.add(held[0].text)
            yield LeftOut(held[0], place)


def _standing_in(evidence: Evidence) -> Iterator[_StandIn]:
    """Yield the sentences that have a common noun and no value for which it stands."""
    valued: dict[tuple[str | None, str], set[Kind]] = {}
    for each in evidence.assertions:
        valued.setdefault((each.place.turn_id, each.sentence), set()).add(each.fact.kind)
    for summary in evidence.summaries:
        sentences = Sentences(summary.text)
        for number, text in enumerate(sentences):
            if len(text) <= _LONGEST:
                place = Place(*sentences.span(number), summary.turn_id)
                stated = valued.get((summary.turn_id, text), set())
                yield from _stand_ins(text, place, stated)


def _stand_ins(text: str, place: Place, stated: set[Kind]) -> Iterator[_StandIn]:
    """Yield a sentence without each of its common nouns whose kinds of values it does not state."""
    for found in _STANDS_IN.finditer(text):
        noun = (found["noun"] or found["measure"] or "").lower()
        kinds = _MEASURED if found["measure"] else NAMED
        if noun in _MEASURES:
            kinds |= _MEASURED
        words = plain_content(f"{text[: found.start()]} {text[found.end() :]}")
        if not stated & kinds and len(words.plain) >= FEWEST:
            yield _StandIn(place, words, term_of(noun), kinds)
