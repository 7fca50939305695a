"""Fidelity: every verifiable assertion of a summary has an original turn behind it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final, NamedTuple

from turnfold.audit._belonging import rivals
from turnfold.audit._boundaries import stands_in
from turnfold.audit._config import AuditConfig
from turnfold.audit._corrected import may_correct
from turnfold.audit._evidence import Assertion, Evidence, Outcome
from turnfold.audit._finding import SOUND, Axis, Finding, Place, Severity, Status
from turnfold.audit._instructions._collect import collected_of
from turnfold.audit._left_out import left_out
from turnfold.audit._originals import Originals
from turnfold.audit._sentences import words_beside
from turnfold.facts import LONGEST_ATOM, Kind, redact

_NO_ASSERTION: Final = frozenset((Kind.HYPHENATED,))
_VALUES: Final = frozenset(
    (
        *(Kind.NUMBER, Kind.VERSION, Kind.ADDRESS, Kind.DATE, Kind.HASH, Kind.UUID),
        *(Kind.TICKET, Kind.URL, Kind.EMAIL),
    )
)
"""One word is enough to tell which of two values belongs; names need two."""

_WORDS_OF_A_SWAP: Final = 2
_EVEN_WORD: Final = re.compile(
    r"(?<![A-Za-z0-9_./-])(?:[a-z]{8,60}|[A-Z]{8,60})(?![A-Za-z0-9_/-]|\.[A-Za-z0-9_])"
)
"""A word of one case; any character of another script is a boundary."""

_COUNT_OF: Final = re.compile(r"\d{1,2}/\d{1,3}")
_TELLING: Final = 8
_DIGITS: Final = 3
"""Numbers with fewer digits are near to any other."""

_MOST_BOUND: Final = 150
"""So many facts of a kind are compared in pairs; a summary has fewer."""


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Hold every fact of the summaries against the leaves.

    A fact that no leaf has is `mutated` where a near original says the same of something (HIGH),
    else `unverified` (MEDIUM), which is a candidate, not a fabrication. Two true values that
    changed places are `exchanged` (HIGH).
    """
    del config
    originals = evidence.originals
    stated = [
        each
        for each in evidence.assertions
        if not each.is_part
        and each.fact.kind not in _NO_ASSERTION
        and "..." not in each.fact.text
        and not _is_worked_out(each)
    ]
    sound = [each for each in stated if each.relation.status in SOUND]
    whole = [each for each in stated if not each.is_repeated]
    findings = [_finding(each, evidence) for each in whole if each.relation.status not in SOUND]
    pairs, notes = _exchanged([each for each in sound if not each.is_repeated], originals)
    swapped = list(_swapped(sound, evidence))
    swapped += _told_otherwise(sound, evidence, {each.place for each in swapped})
    findings += [*pairs, *_uncorrected(swapped, evidence), *_without_capitals(evidence)]
    findings += _valueless(evidence)
    return Outcome(findings, len(whole), (*notes, *_unexamined(evidence)))


def _is_worked_out(assertion: Assertion) -> bool:
    """Whether a value may be a sum that no turn says: `17/20` of 17 passed and 3 failed."""
    kind, name = assertion.fact
    is_count = kind is Kind.NUMBER and _COUNT_OF.fullmatch(name) is not None
    return is_count and assertion.relation.status not in SOUND and not assertion.relation.nearest


def _without_capitals(evidence: Evidence) -> Iterator[Finding]:
    """Find names that lost the change of case by which they are names, and so look like words."""
    known: set[str] = set()
    for summary in evidence.summaries:
        for found in _EVEN_WORD.finditer(summary.text):
            word = found[0]
            name = evidence.originals.flattened_name(word) if word not in known else None
            known.add(word)
            if name:
                yield Finding(
                    Axis.FIDELITY,
                    Kind.IDENTIFIER.value,
                    Status.CASE_ONLY,
                    Severity.MEDIUM,
                    word,
                    evidence.originals.leaf_ids(name),
                    Place(*found.span(), summary.turn_id),
                    name,
                    "case",
                )


def _unexamined(evidence: Evidence) -> Iterator[str]:
    if evidence.too_long:
        yield f"{evidence.too_long:,} tokens over {LONGEST_ATOM} characters were not examined"
    if more := evidence.originals.not_looked_for:
        yield f"{more:,} phrases over the first were not looked for word for word"


def _finding(assertion: Assertion, evidence: Evidence) -> Finding:
    fact, originals = assertion.fact, evidence.originals
    status, nearest, rule = assertion.relation
    if status is Status.UNVERIFIED and nearest and _says_the_same(assertion, nearest, originals):
        status = Status.MUTATED
    if rule is None and any(stands_in(f" {each} ", fact.text) for each in evidence.earlier):
        rule = "only an earlier summary says so"
    return Finding(
        Axis.FIDELITY,
        fact.kind.value,
        status,
        Severity.HIGH if status is Status.MUTATED else Severity.MEDIUM,
        fact.text,
        originals.leaf_ids(nearest),
        assertion.place,
        nearest,
        rule,
    )


def _says_the_same(assertion: Assertion, nearest: str, originals: Originals) -> bool:
    """Whether an original says of the nearest fact what the summary says of this one.

    A name that is long enough is no other thing's; short ones and numbers need a word in common.
    """
    kind, name = assertion.fact
    if kind not in (Kind.NUMBER, Kind.DATE) and len(name) >= _TELLING:
        return True
    if kind is Kind.NUMBER and sum(map(str.isdigit, name)) < _DIGITS:
        return False
    words = words_beside(name, assertion.sentence)
    if not words:
        return False
    return any(words & about for about in originals.contexts(nearest))


def _exchanged(
    assertions: Sequence[Assertion], originals: Originals
) -> tuple[list[Finding], tuple[str, ...]]:
    """Find pairs of true values of which each stands where the originals have the other."""
    findings: list[Finding] = []
    by_kind: dict[Kind, list[Assertion]] = {}
    for assertion in assertions:
        by_kind.setdefault(assertion.fact.kind, []).append(assertion)
    capped = [kind.value for kind, group in by_kind.items() if len(group) > _MOST_BOUND]
    for group in by_kind.values():
        about = {each.fact.text: _about(each, originals) for each in group[:_MOST_BOUND]}
        for one, other in combinations(group[:_MOST_BOUND], 2):
            least = 1 if one.fact.kind in _VALUES else 2
            if _is_exchange(about[one.fact.text], about[other.fact.text], least):
                if any(originals.has_sentence(each.sentence) for each in (one, other)):
                    continue
                name = other.fact.text
                findings.append(_exchange(one, name, "two values changed places", originals))
    notes = tuple(
        f"only the first {_MOST_BOUND} facts of class {kind} were compared in pairs"
        for kind in capped
    )
    return findings, notes


class _About(NamedTuple):
    """The words that stand with a fact in the summary, and in the originals."""

    here: frozenset[str]
    there: frozenset[str]


def _about(assertion: Assertion, originals: Originals) -> _About:
    text = assertion.fact.text
    contexts = originals.contexts(text)
    return _About(words_beside(text, assertion.sentence), frozenset().union(*contexts))


def _is_exchange(one: _About, other: _About, least: int) -> bool:
    """Whether each has at least so many of the other's words and none of its own."""
    own_one, own_other = one.there - other.there, other.there - one.there
    return (
        len(one.here & own_other) >= least
        and len(other.here & own_one) >= least
        and not one.here & own_one
        and not other.here & own_other
    )


def _swapped(assertions: Sequence[Assertion], evidence: Evidence) -> Iterator[Finding]:
    """Find true values that stand where the originals have another one, which the view lost."""
    originals = evidence.originals
    stated = {each.fact.text for each in evidence.assertions}
    for assertion in assertions:
        kind, name = assertion.fact
        known = originals.seen(name)
        words = words_beside(name, assertion.sentence)
        if known is None or known.turns > len(known.positions()) or len(words) < _WORDS_OF_A_SWAP:
            continue
        unsaid = words.difference(*originals.contexts(name))
        if len(unsaid) < _WORDS_OF_A_SWAP:
            continue
        rivals = originals.saying(kind, words)
        rival = next((each for each in rivals if each not in stated and name not in each), None)
        if not rival or may_correct(name, rival, words, originals):
            continue
        if not originals.has_sentence(assertion.sentence):
            yield _exchange(assertion, rival, "the original has another value here", originals)


def _told_otherwise(
    assertions: Sequence[Assertion], evidence: Evidence, known: set[Place | None]
) -> Iterator[Finding]:
    """Find things that are told with another value than was said of them."""
    originals = evidence.originals
    for assertion, name in rivals(assertions, evidence):
        words = words_beside(assertion.fact.text, assertion.sentence)
        if may_correct(assertion.fact.text, name, words, originals):
            continue
        if assertion.place not in known:
            found = _exchange(assertion, name, "another value was said of this", originals)
            yield replace(found, severity=Severity.MEDIUM)


def _uncorrected(found: Sequence[Finding], evidence: Evidence) -> Iterator[Finding]:
    """Leave out the values that a user put in the place of the ones that stood there."""
    corrections = collected_of(evidence).corrections if found else []
    for each in found:
        taken_back = {each.literal}
        for correction in reversed(corrections):
            if correction.new in taken_back and correction.old:
                taken_back.add(correction.old)
        if each.nearest not in taken_back:
            yield each


def _valueless(evidence: Evidence) -> Iterator[Finding]:
    """Find things that are told without the value that was said of them."""
    for (kind, name), place in left_out(evidence):
        yield Finding(
            *(Axis.FIDELITY, kind.value, Status.LOST, Severity.MEDIUM, redact(name)),
            *(evidence.originals.leaf_ids(name), place, None, "value left out"),
        )


def _exchange(one: Assertion, other: str, rule: str, originals: Originals) -> Finding:
    return Finding(
        Axis.FIDELITY,
        one.fact.kind.value,
        Status.EXCHANGED,
        Severity.HIGH,
        one.fact.text,
        originals.leaf_ids(one.fact.text),
        one.place,
        other,
        rule,
    )
