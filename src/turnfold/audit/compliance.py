"""Compliance: the vocabulary's terms, literally (a paraphrase is out of reach)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from turnfold.audit._config import AuditConfig, Vocabulary
from turnfold.audit._evidence import Evidence, Outcome
from turnfold.audit._finding import Axis, Finding, Place, Severity, Status
from turnfold.facts import redact
from turnfold.transcript import TranscriptTurn

_FIRST_WITHOUT_SPACES: Final = "\u2e80"
"""From here on scripts have no spaces between words, so a term needs no boundary."""


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Hold the summaries to the vocabulary.

    A keep term that the replaced turns have and the view has not is `missing` (HIGH); a drop term
    in a summary is `superseded` (HIGH); a scope term that got lost is `scope_lost` (MEDIUM); a
    keep and a drop term together in one summary are `coexists_review` (MEDIUM).
    """
    vocabulary = config.compliance_vocabulary
    if not config.check_compliance or vocabulary.is_empty:
        return Outcome([])
    findings = [*_lost(vocabulary, evidence), *_superseded(vocabulary, evidence)]
    count = len(vocabulary.keep) + len(vocabulary.drop) + len(vocabulary.scope)
    return Outcome(findings, count)


def _lost(vocabulary: Vocabulary, evidence: Evidence) -> Iterator[Finding]:
    view = [each.text.casefold() for each in evidence.summaries]
    view += [turn.content.casefold() for turn in evidence.standing]
    view += [text.casefold() for text in evidence.beside]
    for terms, status, severity in (
        (vocabulary.keep, Status.MISSING, Severity.HIGH),
        (vocabulary.scope, Status.SCOPE_LOST, Severity.MEDIUM),
    ):
        for term in terms:
            if any(_find(text, term.casefold()) >= 0 for text in view):
                continue
            homes = _turns_with(evidence.replaced, term)
            if homes:
                yield Finding(
                    Axis.COMPLIANCE, "term", status, severity, redact(term), homes, rule="literal"
                )


def _superseded(vocabulary: Vocabulary, evidence: Evidence) -> Iterator[Finding]:
    for summary in evidence.summaries:
        text = summary.text.casefold()
        kept = next((term for term in vocabulary.keep if _find(text, term.casefold()) >= 0), None)
        for term in vocabulary.drop:
            at = _find(text, term.casefold())
            if at < 0:
                continue
            found = Finding(
                Axis.COMPLIANCE,
                "term",
                Status.SUPERSEDED,
                Severity.HIGH,
                redact(term),
                place=Place(*_span(summary.text, at, len(term.casefold())), summary.turn_id),
                rule="literal",
            )
            yield found
            if kept:
                yield replace(
                    found, status=Status.COEXISTS, severity=Severity.MEDIUM, nearest=redact(kept)
                )


def _span(text: str, at: int, length: int) -> tuple[int, int]:
    """Return where a part of a folded text stands in the text, which may be shorter (`ss`)."""
    ends = list(accumulate(len(each.casefold()) for each in text))
    if not ends or ends[-1] == len(text):
        return at, at + length
    return bisect_right(ends, at), bisect_left(ends, at + length) + 1


def _turns_with(turns: Sequence[TranscriptTurn], term: str) -> tuple[str, ...]:
    """Return the first and the last turn that has a term."""
    sought = term.casefold()
    homes = [turn.turn_id for turn in turns if _find(turn.content.casefold(), sought) >= 0]
    return tuple(dict.fromkeys((homes[0], homes[-1]))) if homes else ()


def _find(text: str, term: str) -> int:
    """Return where a term stands with boundaries on both sides, or -1."""
    at = text.find(term)
    while at >= 0:
        end = at + len(term)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (_joins(before, term[0]) or _joins(term[-1], after)):
            return at
        at = text.find(term, at + 1)
    return -1


def _joins(left: str, right: str) -> bool:
    """Whether two characters are of one word."""
    return bool(left and right) and all(
        (each.isalnum() or each == "_") and each < _FIRST_WITHOUT_SPACES for each in (left, right)
    )
