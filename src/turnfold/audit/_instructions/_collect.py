"""Collecting the rules and corrections of all user turns, the later over the earlier."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Final

from turnfold._metadata import KIND, KIND_INJECTED
from turnfold.audit._evidence import Evidence
from turnfold.audit._instructions._corrections import Correction, assigned, corrections_of
from turnfold.audit._instructions._modes import opposite
from turnfold.audit._instructions._prose import LONGEST_SENTENCE, Sentence, sentences, spoken
from turnfold.audit._instructions._replaced import ValueReader
from turnfold.audit._instructions._standing import Force, Rule, rules_of
from turnfold.audit._terms import terms
from turnfold.transcript import TranscriptTurn

_MOST_IN_A_ROW: Final = 100
"""A correction takes the place of one of so many before it."""


@dataclass(slots=True)
class Collected:
    """The distinct rules and corrections in force, and what was not examined."""

    rules: list[Rule] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)
    pasted: int = 0
    too_long: int = 0


def collected_of(evidence: Evidence) -> Collected:
    """Return the rules and corrections of the users, read once for all checks that ask."""
    return evidence.once(_collect)


def _collect(evidence: Evidence) -> Collected:
    """Return the rules and corrections that users stated, in the order in which they did."""
    standing = {turn.turn_id for turn in evidence.standing}
    made = Collected()
    rules: dict[tuple[object, ...], Rule] = {}
    corrections: dict[tuple[str, ...], Correction] = {}
    values: dict[frozenset[str], tuple[str, str]] = {}
    written: list[Rule] = []
    told = "\n".join(each.text.lower() for each in evidence.summaries)
    reader = ValueReader(evidence.originals)
    for position, turn in enumerate(evidence.leaves):
        if turn.role == "assistant":
            reader.told(_sentences(evidence, turn.content))
        said = evidence.memory.of(spoken, turn.content) if binds(turn) else None
        if said is None or said.is_pasted:
            written += _written(evidence, turn, told, stays=turn.turn_id in standing)
        if said is None:
            continue
        made.pasted += said.is_pasted
        made.too_long += said.too_long
        stays = turn.turn_id in standing
        _add_rules(rules, said.sentences, turn.turn_id, stays=stays)
        found = list(reader.corrections(position, said.sentences))
        for others in (
            _reassigned(values, said.sentences, turn.turn_id),
            corrections_of(said.sentences),
        ):
            known = {each.text for each in found} | {each.new for each in found}
            found += [each for each in others if not known & {each.text, each.new}]
        _add_corrections(corrections, found, turn.turn_id, stays=stays)
    made.rules = [*_in_force(list(rules.values())), *written]
    made.corrections = list(corrections.values())
    return made


def _written(evidence: Evidence, turn: TranscriptTurn, told: str, *, stays: bool) -> Iterator[Rule]:
    """Yield the rules of a document that was handed in: no summary has to repeat or may turn them.

    Documents are the system's instructions, what was injected, and what a user pasted. What a
    summary does not speak of it does not turn, so that only sentences in its words are read.

    Args:
        evidence: What remembers the sentences of the document.
        turn: The turn; another than a system's or a user's has no such rules.
        told: The summaries, in lower case.
        stays: Whether the turn stays in the view.
    """
    if turn.role not in ("system", "user"):
        return
    for sentence in evidence.memory.of(_sentences_of_a_document, turn.content):
        if not _is_spoken_of(sentence.text, told):
            continue
        for rule in rules_of((sentence,)):
            if rule.force is Force.RULED:
                yield replace(rule, force=Force.WRITTEN, turn_ids=[turn.turn_id], is_standing=stays)


def _sentences_of_a_document(text: str) -> tuple[Sentence, ...]:
    first = islice(sentences(text), _MOST_SENTENCES)
    return tuple(each for each in first if len(each.text) <= LONGEST_SENTENCE)


def _is_spoken_of(text: str, told: str) -> bool:
    """Whether half of the longer words of a sentence begin like words that a summary has."""
    words = _LONGER_WORD.findall(text.lower())
    return 2 * sum(each in told for each in words) >= len(words)


_MOST_SENTENCES: Final = 2_000
"""So many sentences of a document are read."""

_LONGER_WORD: Final = re.compile(r"(?<![a-z])[a-z]{4}(?=[a-z])")
"""The first letters of a word, which its endings leave alone."""


def _sentences(evidence: Evidence, text: str) -> Iterator[Sentence]:
    yield from evidence.memory.of(spoken, text).sentences


def binds(turn: TranscriptTurn) -> bool:
    """Whether a user said it: what was injected does not bind."""
    return turn.role == "user" and turn.metadata.get(KIND) != KIND_INJECTED


def _add_rules(
    rules: dict[tuple[object, ...], Rule], said: tuple[Sentence, ...], turn_id: str, *, stays: bool
) -> None:
    for rule in rules_of(said):
        key = (rule.mode, rule.terms, tuple(scope.terms for scope in rule.scopes))
        known = rules.setdefault(key, rule)
        known.turn_ids.append(turn_id)
        known.is_standing |= stays


def _add_corrections(
    corrections: dict[tuple[str, ...], Correction],
    found: Sequence[Correction],
    turn_id: str,
    *,
    stays: bool,
) -> None:
    """Add corrections; one that makes a stale value current again takes the earlier one away.

    One of a value that was itself a correction takes that one's place: both values are stale.
    """
    for each in found:
        back = (each.new.lower(), (each.old or "").lower())
        corrections.pop((back[1], back[0]), None)
        for key, earlier in [*corrections.items()][-_MOST_IN_A_ROW:]:
            if key[0] == back[1] and _is_of_the_same(earlier, each):
                del corrections[key]
                again = replace(each, old=earlier.old, topic=earlier.topic or each.topic)
                corrections.setdefault((back[0], key[1]), again)
        known = corrections.setdefault(back, each)
        known.turn_ids.append(turn_id)
        known.is_standing |= stays


def _is_of_the_same(earlier: Correction, later: Correction) -> bool:
    return not (earlier.topic and later.topic) or bool(earlier.topic & later.topic)


def _reassigned(
    values: dict[frozenset[str], tuple[str, str]], said: tuple[Sentence, ...], turn_id: str
) -> list[Correction]:
    """Return what has another value than an earlier turn gave it."""
    found = []
    for noun, value, text in assigned(said):
        before, earlier = values.get(noun, (value, turn_id))
        values[noun] = (value, turn_id)
        if earlier != turn_id and not terms(value) & terms(before):
            found.append(
                Correction(value.strip('`"'), before.strip('`"'), text, noun, is_edit=False)
            )
    return found


def _in_force(rules: list[Rule]) -> list[Rule]:
    """Leave out the rules that a later one of the same thing turns round or renumbers."""
    by_words: defaultdict[frozenset[str], list[Rule]] = defaultdict(list)
    for rule in rules:
        by_words[rule.terms - rule.numbers].append(rule)
    dropped: set[int] = set()
    for group in by_words.values():
        for earlier, later in pairwise(group):
            if _replaces(later, earlier):
                dropped.add(id(earlier))
    return [rule for rule in rules if id(rule) not in dropped]


def _replaces(later: Rule, earlier: Rule) -> bool:
    mine, before = later.mode.polarities, earlier.mode.polarities
    turned = bool(mine and before) and not mine & before
    flipped = opposite(later.mode.comparators, earlier.mode.comparators)
    other = bool(later.numbers) and bool(earlier.numbers) and later.numbers != earlier.numbers
    is_limit = later.mode.comparators == earlier.mode.comparators != frozenset()
    return turned or flipped or (other and is_limit)
