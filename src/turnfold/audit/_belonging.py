"""Values by what they belong to: a thing that is told with another value than it was said with.

A sentence of a summary is bound to what users and assistants said by its words without the value.
Only where everything that was said so has values that the summary lost is something wrong.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from turnfold.audit._binding import Content
from turnfold.audit._evidence import Assertion, Evidence
from turnfold.audit._sentences import Sentences, plain_words
from turnfold.audit._telling import FEWEST, Lost, Told, plain_content, roots, talk_of
from turnfold.audit._terms import term_of
from turnfold.facts import Kind
from turnfold.transcript import Role

NAMED: Final = frozenset(
    (
        *(Kind.PATH, Kind.URL, Kind.ENVIRONMENT, Kind.FLAG, Kind.IDENTIFIER, Kind.ADDRESS),
        *(Kind.VERSION, Kind.EMAIL, Kind.HASH, Kind.UUID, Kind.TICKET),
    )
)
_SPEAKERS: Final = (Role.USER, Role.ASSISTANT)
_NEAR: Final = 150
"""What stands so many characters before or after a value may be said of it, as `Then X` may."""

_SHARED: Final = (0.6, 0.5)
"""What part of the words of a sentence, and of what was said, are the same."""

_CHANGING: Final = frozenset((Kind.VERSION, Kind.HASH, Kind.UUID, Kind.TICKET, Kind.URL))
"""Of these a thing gets new ones in time, so that only what was said later is another's."""


class Rival(NamedTuple):
    """A value of a summary, and the one that was said of the same thing."""

    assertion: Assertion
    name: str


class _About(NamedTuple):
    """Words that may be said of a value, and the roots of all that stand as near to it."""

    words: Content
    around: frozenset[str]


def rivals(assertions: Iterable[Assertion], evidence: Evidence) -> Iterator[Rival]:
    """Yield values that stand where what was said has another one, which the summary lost."""
    beside = _Beside(evidence.assertions)
    tried = [
        (each, said_of)
        for each in assertions
        if _is_known(each, evidence) and (said_of := list(beside.said_of(each)))
    ]
    if not tried:
        return
    lost = Lost(evidence)
    for assertion, said_of in tried:
        if name := _rival(assertion, said_of, lost, evidence):
            yield Rival(assertion, name)


def _rival(assertion: Assertion, said_of: Iterable[_About], lost: Lost, evidence: Evidence) -> str:
    """Return the lost value that everything like the words about a value has; or none."""
    kind, name = assertion.fact
    talk = talk_of(evidence)
    own: _Own | None = None
    found = ""
    for words, around in said_of:
        told = talk.loosely(words, *_SHARED)
        values = chain.from_iterable(lost.values(each.said) for each in told)
        held = [each.text for each in values if each.kind is kind]
        if any(name in each or each in name for each in held):
            return ""
        if found or not held or any(map(lost.stands, held)):
            continue
        own = own or _own_words(name, kind, evidence)
        if kind in _CHANGING and _first(name, evidence) > told[0].said.position:
            continue
        if own.leaves(around, told[0], talk.rare(words)):
            found = held[0]
    return found


def _first(name: str, evidence: Evidence) -> int:
    known = evidence.originals.seen(name)
    return known.first if known else -1


def _is_known(assertion: Assertion, evidence: Evidence) -> bool:
    """Whether all the turns that have a name are known, so that all that is said of it is."""
    kind, name = assertion.fact
    known = evidence.originals.seen(name)
    return kind in NAMED and known is not None and known.turns <= len(known.positions())


class _Beside:
    """The words about each of the values of a sentence."""

    def __init__(self, assertions: Iterable[Assertion]) -> None:
        self._names: dict[str, set[str]] = {}
        for each in assertions:
            if not each.is_part and each.fact.kind in NAMED:
                self._names.setdefault(each.sentence, set()).add(each.fact.text)

    def said_of(self, assertion: Assertion) -> Iterator[_About]:
        """Yield the words of a sentence without a value; then those up to the values beside it."""
        name, sentence = assertion.fact.text, assertion.sentence
        whole = plain_content(sentence.replace(name, " "))
        others = self._names.get(sentence, set()) - {name}
        marked = sentence.replace(name, _HERE)
        for other in sorted(others, key=len, reverse=True):
            marked = marked.replace(other, _THERE)
        sides = [piece.partition(_HERE) for piece in marked.split(_THERE) if _HERE in piece]
        around = roots(whole.plain)
        if others:
            near = " ".join(chain.from_iterable(sides))
            around = roots(map(term_of, plain_words(near)))
        parts = [plain_content(side) for before, _, after in sides for side in (before, after)]
        for words in (whole, *parts) if others else (whole,):
            if len(words.plain) >= FEWEST:
                yield _About(words, around)


_HERE: Final = " \x01 "
_THERE: Final = " \x02 "


class _Own(NamedTuple):
    """The words that are said of a name, and those that stand near it, by their roots."""

    sure: frozenset[str]
    near: frozenset[str]

    def leaves(self, around: frozenset[str], told: Told, rare: frozenset[str]) -> bool:
        """Whether what is said of another thing explains more than what is said of this one."""
        mine = around - told.shared
        if mine & self.sure or len(mine & self.near) >= FEWEST:
            return False
        more = told.shared - self.sure - self.near
        if not more & rare:
            return False
        return len(more) >= FEWEST or bool(more and told.is_whole)


def _own_words(name: str, kind: Kind, evidence: Evidence) -> _Own:
    """Return what is said of a name, and shortly before and after it where that names no other."""
    sure = frozenset().union(*evidence.originals.contexts(name))
    near: set[str] = set()
    known = evidence.originals.seen(name)
    for at in known.positions() if known else ():
        turn = evidence.leaves[at]
        place = turn.content.find(name)
        if turn.role in _SPEAKERS and place >= 0:
            end = place + len(name)
            around = turn.content[max(0, place - _NEAR) : place], turn.content[end : end + _NEAR]
            for each in chain.from_iterable(map(Sentences, around)):
                facts = evidence.originals.reader.facts(each)
                if kind not in facts.values():
                    near |= plain_words(each)
    return _Own(roots(map(term_of, sure)), roots(map(term_of, near)))
