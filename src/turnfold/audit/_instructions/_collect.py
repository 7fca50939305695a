"""Collecting the rules and corrections of all user turns, the later over the earlier."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from turnfold._metadata import KIND, KIND_INJECTED
from turnfold.audit._evidence import Evidence
from turnfold.audit._instructions._corrections import Correction, assigned, corrections_of
from turnfold.audit._instructions._modes import opposite
from turnfold.audit._instructions._prose import Sentence, spoken
from turnfold.audit._instructions._replaced import ValueReader
from turnfold.audit._instructions._standing import Rule, rules_of
from turnfold.audit._terms import terms
from turnfold.transcript import TranscriptTurn


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
    reader = ValueReader(evidence.originals)
    for position, turn in enumerate(evidence.leaves):
        if turn.role == "assistant":
            reader.told(_sentences(evidence, turn.content))
        if not binds(turn):
            continue
        said = evidence.memory.of(spoken, turn.content)
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
    made.rules = _in_force(list(rules.values()))
    made.corrections = list(corrections.values())
    return made


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
    """Add corrections; one that makes a stale value current again takes the earlier one away."""
    for each in found:
        back = (each.new.lower(), (each.old or "").lower())
        corrections.pop((back[1], back[0]), None)
        known = corrections.setdefault(back, each)
        known.turn_ids.append(turn_id)
        known.is_standing |= stays


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
