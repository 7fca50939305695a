"""Whether the users' standing rules and corrections are kept as they were said.

Precise rather than complete: a rule that is not recognised is not checked. Only user turns bind;
questions, quotations, third parties, code and pasted documents do not. What a document rules, the
system's instructions among them, may be left out, but not turned round.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome
from turnfold.audit._finding import Axis, Finding, Place, Severity, Status
from turnfold.audit._instructions._collect import Collected, binds, collected_of
from turnfold.audit._instructions._corrections import Correction, is_superseded
from turnfold.audit._instructions._limits import FIRM
from turnfold.audit._instructions._modes import mode_of
from turnfold.audit._instructions._orders import prescribes
from turnfold.audit._instructions._standing import Force, Rule
from turnfold.audit._instructions._strengths import SHOULD
from turnfold.audit._spelling import canonical
from turnfold.audit.rules._beside import Beside
from turnfold.audit.rules._claims import guesses_made_facts, unsaid_rules
from turnfold.audit.rules._decided import decisions_changed
from turnfold.audit.rules._language import is_foreign, unknown_languages
from turnfold.audit.rules._match import Candidate, Index, Judgement, Match, find
from turnfold.audit.rules._outdated import weigh
from turnfold.facts import SIGNS_BEFORE, Fact, Kind, redact
from turnfold.facts import find as facts_of

__all__ = ["check"]

_MOST_TURNS: Final = 10
_SAMPLE: Final = 2_000
_MOST_RULES: Final = 5_000
"""So many rules are examined; a report says how many more there are."""
_LESS: Final = frozenset({Status.UNVERIFIED})
_OF_VALUES: Final = frozenset({Status.LOST, Status.EXCHANGED, Status.MUTATED, Status.NEGATED})
"""What a rule comes to whose value was taken back."""

_OF_ITEMS: Final = ("item left out", "value left out")
_NO_VALUES: Final = (Kind.QUOTED, Kind.HYPHENATED, Kind.ERROR)
_MARKED: Final = re.compile(r"(?<!`)`([^`\s]{1,80})`(?!`)")
_MOST: Final = 0.6
_OF_STATEMENTS: Final = frozenset({Status.NEGATED, Status.WEAKENED})
_OF_ORDERS: Final = _OF_STATEMENTS | {Status.NARROWED}
_EVEN: Final = str.maketrans("\\", "/", ", \u00a0")


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Return the users' rules and corrections that the summaries lost or changed.

    Args:
        evidence: The original turns and the texts under audit.
        config: `check_compliance` turns this off.
    """
    if not config.check_compliance or not evidence.summaries:
        return Outcome([])
    collected = collected_of(evidence)
    index = Index(evidence.summaries)
    summary = "\n".join(each.text for each in evidence.summaries)
    findings = [
        *_of_rules(collected, index, summary),
        *_of_corrections(collected.corrections, index),
    ]
    findings += _of_decisions(evidence, index, collected.corrections)
    findings += _of_guesses(evidence, index)
    findings += _of_unsaid(evidence, index, summary)
    return Outcome(
        findings,
        checked=sum(each.force is not Force.WRITTEN for each in collected.rules)
        + len(collected.corrections),
        notes=_notes(evidence, collected),
    )


def _of_rules(collected: Collected, index: Index, summary: str) -> Iterator[Finding]:
    told = (each for each in index.candidates if _advises(each.sentence.text))
    prescribed = frozenset().union(*(each.terms for each in told))
    beside = Beside(index)
    gone = frozenset(each.old for each in collected.corrections if each.old)
    corrected = frozenset(each.text for each in collected.corrections if each.old)
    for rule in collected.rules[:_MOST_RULES]:
        is_idle = rule.force is not Force.RULED and not rule.core & prescribed
        if rule.is_standing or is_idle:
            continue
        match = find(rule, index)
        judgement = match.judgement
        if rule.force is not Force.RULED and not _is_certain(rule, match):
            continue
        if judgement is None and match.candidate is not None and _left_out(rule, summary, gone):
            judgement = Judgement(Status.NARROWED, "value left out")
        if judgement is None or beside.keeps(rule, match):
            continue
        if judgement.rule in _OF_ITEMS and rule.text in corrected:
            continue
        is_taken_back = rule.text in corrected or is_superseded(rule.text, collected.corrections)
        if judgement.status in _OF_VALUES and is_taken_back:
            continue
        if judgement.status is Status.UNVERIFIED and rule.text in corrected:
            continue  # Whether its value is told is asked of the correction.
        status, is_written = judgement.status, rule.force is Force.WRITTEN
        if status is Status.LOST and is_foreign(rule.text, summary):
            status = Status.UNVERIFIED
        yield _finding(
            "constraint",
            status,
            Severity.MEDIUM if status in _LESS or is_written else Severity.HIGH,
            rule.text,
            rule.turn_ids,
            match.candidate,
            judgement.rule,
        )


def _advises(text: str) -> bool:
    """Whether a sentence tells what is to be done, what had better be, or a limit."""
    return prescribes(text) or SHOULD.search(text.lower()) is not None or _limits(text)


def _limits(text: str) -> bool:
    return bool(mode_of(text).comparators & FIRM)


def _is_certain(rule: Rule, match: Match) -> bool:
    """Whether a sentence prescribes otherwise what a user only ordered or stated."""
    is_order = rule.force is Force.ORDERED
    if match.candidate is None:
        return False
    text = match.candidate.sentence.text
    is_told = _advises(text) if is_order else prescribes(text)
    if not is_told and not (rule.mode.comparators and _limits(text)):
        return False
    share = rule.share(match.candidate.terms)
    if match.judgement is None:
        return is_order and share >= _MOST
    wrong = _OF_ORDERS if is_order else _OF_STATEMENTS
    return match.judgement.status in wrong and share >= _MOST


def _left_out(rule: Rule, summary: str, gone: frozenset[str]) -> bool:
    """Whether a name or value of a rule stands nowhere in the summary, in any short form.

    What a correction took back may be gone.
    """
    summary = " ".join(summary.split())
    low = summary.casefold()
    marked = (each[1].strip("/.").casefold() for each in _MARKED.finditer(rule.text))
    return any(each and each not in low for each in marked) or any(
        kind not in _NO_VALUES
        and name not in gone
        and name not in summary
        and canonical(Fact(kind, name)).rstrip(SIGNS_BEFORE) not in summary.translate(_EVEN)
        and name[0] != "["
        and name.rpartition("/")[2] not in summary
        for kind, name in facts_of(rule.text).facts
    )


def _of_corrections(corrections: Sequence[Correction], index: Index) -> Iterator[Finding]:
    for each in corrections:
        if found := weigh(each, index):
            yield _finding(
                "correction",
                found.status,
                found.severity,
                each.text,
                each.turn_ids,
                found.candidate,
                found.rule,
            )


def _of_decisions(
    evidence: Evidence, index: Index, corrections: Sequence[Correction]
) -> Iterator[Finding]:
    for text, turn_id, candidate, changed in decisions_changed(evidence, index):
        if is_superseded(text, corrections):
            continue
        severity = Severity.HIGH if changed.status is Status.NEGATED else Severity.MEDIUM
        yield _finding(
            "decision", changed.status, severity, text, [turn_id], candidate, changed.rule
        )


def _of_guesses(evidence: Evidence, index: Index) -> Iterator[Finding]:
    for text, turn_id, candidate in guesses_made_facts(evidence, index):
        yield _finding(
            "decision",
            Status.UNVERIFIED,
            Severity.MEDIUM,
            text,
            [turn_id],
            candidate,
            "guess made a fact",
        )


def _of_unsaid(evidence: Evidence, index: Index, summary: str) -> Iterator[Finding]:
    said = " ".join(turn.content[:_SAMPLE] for turn in evidence.leaves if binds(turn))
    if evidence.incomplete or is_foreign(said, summary):
        return
    for each in unsaid_rules(evidence, index):
        text = each.sentence.text
        yield _finding(
            "constraint", Status.UNVERIFIED, Severity.MEDIUM, text, (), each, "no user said it"
        )


def _finding(  # noqa: PLR0917  One record, spelled once.
    kind: str,
    status: Status,
    severity: Severity,
    text: str,
    turn_ids: Sequence[str],
    candidate: Candidate | None,
    rule: str,
) -> Finding:
    place = nearest = None
    if candidate is not None:
        sentence = candidate.sentence
        place = Place(sentence.start, sentence.end, candidate.summary.turn_id)
        nearest = _line(sentence.text)
    literal = _line(text)
    return Finding(
        Axis.COMPLIANCE,
        kind,
        status,
        severity,
        literal,
        tuple(dict.fromkeys(turn_ids))[:_MOST_TURNS],
        place,
        nearest if nearest != literal else None,
        rule,
    )


def _line(text: str) -> str:
    return redact(" ".join(text.split()))


def _notes(evidence: Evidence, collected: Collected) -> tuple[str, ...]:
    notes = []
    users = (turn.content for turn in evidence.leaves if binds(turn))
    texts = [*users, *(each.text for each in evidence.summaries)]
    if languages := unknown_languages(texts):
        listed = ", ".join(languages)
        notes.append(f"no rules are known for this language: {listed}: rules were not checked")
    if collected.pasted:
        notes.append(
            f"{collected.pasted} user turns are pasted documents: their rules may be left out"
        )
    if (more := len(collected.rules) - _MOST_RULES) > 0:
        notes.append(f"{more} rules over the first {_MOST_RULES}: not examined")
    if collected.too_long:
        notes.append(f"{collected.too_long} sentences of users are too long: rules not examined")
    return tuple(notes)
