"""Statements: who said something, and whether it is done; as the latest such turn has it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.audit._binding import Bound, Content, Said, Spoken, content_of
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome, SummaryText
from turnfold.audit._finding import Axis, Finding, Place, Severity, Status
from turnfold.audit._hedges import is_hedged
from turnfold.audit._instructions._orders import is_ordered, prescribes
from turnfold.audit._instructions._standing import is_rule
from turnfold.audit._items import is_decision
from turnfold.audit._sentences import Sentences
from turnfold.audit._speakers import speaker_of, voice_of
from turnfold.audit._states import State, denied_in, denies_another, replaced_in, state_of
from turnfold.audit._telling import talk_of, unmarked
from turnfold.audit._undone import uncounted, undone
from turnfold.facts import Kind, redact
from turnfold.transcript import Role

_LONGEST: Final = 300
_SAME: Final = 0.55
_VERY_SAME: Final = 0.7
_SURE: Final = 0.6
_HEARD: Final = 0.6
_VERY_SURE: Final = 0.8
_FEWEST: Final = 4
_SHORT: Final = 2
_FENCE: Final = "```"


class _Statement(NamedTuple):
    """A sentence of a summary that can be turned around."""

    text: str
    place: Place
    content: Content


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Hold what the summaries say was done, decided, and by whom, against the turns that say it.

    A statement is bound to sentences of user and assistant turns by its words and names. One that
    turns all of them around is `negated`, HIGH where they decide; one that is ascribed to the
    other side is `exchanged`. Others are MEDIUM, because words can bind wrongly.
    """
    del config
    stated = [each for summary in evidence.summaries for each in _statements(summary)]
    spoken = talk_of(evidence).spoken
    findings = []
    for each in stated:
        bound = spoken.like(each.content, _SAME)
        if not bound:
            continue
        if _is_ascribed_wrongly(each, bound, spoken):
            findings.append(_finding(each, bound[-1].said, evidence, "attribution"))
        elif turned := _turned(each, bound, spoken, evidence):
            kind = "decision" if is_decision(turned.text) else "status"
            findings.append(_finding(each, turned, evidence, kind))
    findings += _untraced(evidence)
    return Outcome(findings, len(stated))


def _untraced(evidence: Evidence) -> Iterator[Finding]:
    """Find deeds that nobody did or spoke of, and results that nobody counted."""
    told = [
        *(("status", "nobody did or spoke of it", each) for each in undone(evidence)),
        *((Kind.NUMBER.value, "no turn counts so many", each) for each in uncounted(evidence)),
    ]
    for kind, rule, each in told:
        yield Finding(
            *(Axis.FIDELITY, kind, Status.UNVERIFIED, Severity.MEDIUM, each.what, ()),
            *(each.place, None, rule),
        )


def _statements(summary: SummaryText) -> Iterator[_Statement]:
    sentences = Sentences(summary.text)
    for number in range(len(sentences)):
        start, end = sentences.span(number)
        text = sentences.text[start:end]
        stripped = text.strip()
        if (
            stripped
            and len(stripped) <= _LONGEST
            and not stripped.endswith("?")
            and _FENCE not in stripped
        ):
            start += text.find(stripped)
            place = Place(start, start + len(stripped), summary.turn_id)
            said = unmarked(stripped)
            content = content_of(said)
            if content.words:
                yield _Statement(said, place, content)


def _is_ascribed_wrongly(stated: _Statement, bound: Sequence[Bound], spoken: Spoken) -> bool:
    """Whether a statement names a party that said nothing of the kind, while the other did."""
    speaker = speaker_of(stated.text)
    if speaker is None or any(
        voice_of(each.said.text, each.said.role) is speaker for each in bound
    ):
        return False
    best = max(each.share for each in bound)
    is_telling = bool(stated.content.names) or len(stated.content.words) >= _FEWEST
    is_sure = best >= (_SURE if stated.content.names else _VERY_SURE)
    return is_telling and is_sure and spoken.heard(speaker, stated.content) < _HEARD


def _turned(
    stated: _Statement, bound: Sequence[Bound], spoken: Spoken, evidence: Evidence
) -> Said | None:
    """Return the latest sentence that a statement turns around, where no other agrees with it."""
    state = state_of(stated.text)
    if not (state.progress or state.choice or any(_is_one(stated, each) for each in bound)):
        return None
    if state.is_mixed:
        return None
    if is_ordered(stated.text) and not (state.progress or state.choice):
        return None  # What is to be done says nothing of what can be.
    told = [each for each in bound if not each.said.is_asked]
    states = [(each, _with_after(each.said)) for each in told]
    contrary = [each for each, other in states if _contradicts(stated, each, (state, other))]
    if not contrary or any(_agrees(state, other) for each, other in states if each not in contrary):
        return None
    last = contrary[-1].said
    if state.progress and _may_have_changed(stated, last, spoken, evidence):
        return None
    return last


def _with_after(said: Said) -> State:
    """Return the state that a sentence tells, mixed where the next one takes it back."""
    state = state_of(said.text)
    if not state.progress or len(said.after) >= _LONGEST or not _leans(said.after):
        return state
    if state_of(said.after).progress != -state.progress:
        return state
    names = content_of(said.after).names
    is_back = not names or names & said.content.names
    return state._replace(is_mixed=True) if is_back else state


def _leans(text: str) -> bool:
    first = text.lower().lstrip("-* ").split(" ", 1)[0].strip(",.:")
    return first in _LEANING


_LEANING: Final = frozenset(
    {"it", "they", "that", "this", "now", "then", "after", "but", "and", "so", "all", "second"}
    | {"fixed", "confirmed", "done", "update", "edit"}
)


def _contradicts(stated: _Statement, bound: Bound, states: tuple[State, State]) -> bool:
    state, other = states
    texts = stated.text, bound.said.text
    if other.is_mixed or _is_unsure(*texts) or _is_unsure(*reversed(texts)):
        return False
    is_turned = state.progress * other.progress < 0 or state.choice * other.choice < 0
    is_plain = state.progress >= 0 and other.progress >= 0
    if not is_turned and is_plain and state.polarity * other.polarity < 0:
        is_turned = _is_denied(stated, bound)
    return is_turned and not _is_of_rules(stated, bound)


def _is_unsure(text: str, other: str) -> bool:
    """Whether a text guesses; that something is unchecked is no guess where the other checks it."""
    if not is_hedged(text):
        return False
    return not _CHECKS.search(other) or is_hedged(_UNCHECKED.sub(" ", text))


_UNCHECKED: Final = re.compile(
    r"(?<!\w)(?:un|not (?:yet )?(?:been )?)(?:verified|confirmed|checked|tested|proven)(?!\w)",
    re.IGNORECASE,
)
_CHECKS: Final = re.compile(
    r"(?<!\w)(?:verif|confirm|check|test|prove)\w{0,6}(?!\w)", re.IGNORECASE
)


def _is_of_rules(stated: _Statement, bound: Bound) -> bool:
    """Whether a user rules or orders what the statement prescribes: `rules` judges those words."""
    said = bound.said
    if said.role is not Role.USER:
        return False
    return _rules(said.text) or (is_ordered(said.text) and prescribes(stated.text))


@lru_cache(maxsize=4_000)
def _rules(text: str) -> bool:
    return is_rule(text) and not is_decision(text)


def _is_denied(stated: _Statement, bound: Bound) -> bool:
    """Whether one of two sentences of the same things denies what the other says of them."""
    if not _is_one(stated, bound):
        return False
    mine, said = stated.content, bound.said.content
    texts = stated.text, bound.said.text
    denied = frozenset().union(*(content_of(denied_in(each)).words for each in texts))
    replaced = frozenset().union(*(content_of(replaced_in(each)).words for each in texts))
    if not denied and (any(map(replaced_in, texts)) or any(map(denies_another, texts))):
        return False
    about = denied - mine.names - said.names or denied
    return not denied or bool((about - replaced) & mine.words & said.words)


def _is_one(stated: _Statement, bound: Bound) -> bool:
    """Whether two sentences surely speak of one thing, so that either can deny the other."""
    mine, said = stated.content, bound.said.content
    is_named_alike = mine.names == said.names and len(mine.names) <= 1
    return bound.share >= _VERY_SAME and is_named_alike and bool(mine.plain & said.plain)


def _agrees(state: State, other: State) -> bool:
    return other.is_mixed or (
        state.progress * other.progress > 0 or state.choice * other.choice > 0
    )


def _may_have_changed(stated: _Statement, last: Said, spoken: Spoken, evidence: Evidence) -> bool:
    """Whether a later turn may have made of the thing what the summary says it is."""
    progress = state_of(stated.text).progress
    originals = evidence.originals
    if progress > 0:
        seen = filter(None, map(originals.seen, originals.reader.facts(stated.text)))
        if any(each.last > last.position for each in seen):
            return True
    words = stated.content.words
    fewest = min(_SHORT, len(words))
    for said in spoken.sentences:
        if said.position > last.position:
            is_short = not said.content.names and len(said.content.words) < _SHORT
            if (is_short or len(said.content.words & words) >= fewest) and (
                state_of(said.text).progress == progress
            ):
                return True
    return False


def _finding(stated: _Statement, said: Said, evidence: Evidence, kind: str) -> Finding:
    is_who = kind == "attribution"
    return Finding(
        Axis.FIDELITY,
        kind,
        Status.EXCHANGED if is_who else Status.NEGATED,
        Severity.HIGH if kind == "decision" else Severity.MEDIUM,
        redact(stated.text),
        (evidence.leaves[said.position].turn_id,),
        stated.place,
        redact(said.text),
        "who said it" if is_who else "turned around",
    )
