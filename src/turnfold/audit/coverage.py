"""Coverage: how much of what mattered in the replaced turns stands in the view."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome
from turnfold.audit._finding import SOUND, Axis, Finding, Severity, Status
from turnfold.audit._report import CoverageShare
from turnfold.audit._seen import VOICES, Seen
from turnfold.audit._spelling import canonical, ends_of
from turnfold.facts import Fact, Kind
from turnfold.transcript import Role

_USER: Final = VOICES[Role.USER]
_ASSISTANT: Final = VOICES[Role.ASSISTANT]
_SPOKEN: Final = _USER | _ASSISTANT
_NO_KEY: Final = (Kind.HYPHENATED,)
_MOST_TURNS: Final = 8
_IN_TURNS: Final = 2


class _Lost(NamedTuple):
    weight: float
    name: str
    seen: Seen


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Weigh the key facts of the replaced turns that stand nowhere in the view.

    A key fact is one that the user or the assistant names, or that several turns have; a number
    needs a unit, or `critical_number_count` occurrences. Losing one is INFO: a summary is there
    to leave out; the share by class says how much it left out.
    """
    mentioned = _mentioned(evidence)
    weights = {kind: config.weight_of(kind.value) for kind in Kind}
    totals: dict[Kind, float] = {}
    lost: dict[Kind, list[_Lost]] = {}
    count = 0
    for name, seen in evidence.originals.replaced.items():
        if not _is_key(name, seen, config):
            continue
        count += 1
        kind = seen.kind
        weight = _weight(seen, weights[kind], len(evidence.leaves))
        totals[kind] = totals.get(kind, 0.0) + weight
        if name in mentioned or name in evidence.originals.standing:
            continue
        if mentioned.isdisjoint(_forms(name, seen)):
            lost.setdefault(kind, []).append(_Lost(weight, name, seen))
    shares = tuple(
        CoverageShare(
            kind.value,
            total - sum(each.weight for each in lost.get(kind, ())),
            total,
            len(lost.get(kind, ())),
        )
        for kind, total in sorted(totals.items())
    )
    kept: list[_Lost] = []
    notes = []
    for kind in sorted(lost):
        listed = sorted(lost[kind], key=_worst_first)
        kept += listed[: config.max_facts_per_category]
        if (more := len(listed) - config.max_facts_per_category) > 0:
            notes.append(f"{more:,} more lost facts of class {kind} are not listed")
    findings = list(_findings(sorted(kept, key=_worst_first), evidence))
    return Outcome(findings, count, tuple(notes), shares)


def _worst_first(lost: _Lost) -> tuple[float, str]:
    return -lost.weight, lost.name


def _mentioned(evidence: Evidence) -> frozenset[str]:
    """Return every name that the summaries state, with the original where it is another form."""
    names = set()
    for each in evidence.assertions:
        if each.relation.status in SOUND:
            names.add(canonical(each.fact))
            names.add(each.fact.text)
            names.add(each.relation.nearest or each.fact.text)
    for text in evidence.beside:
        names.update(evidence.originals.reader.facts(text))
    return frozenset(names)


def _forms(name: str, seen: Seen) -> Iterator[str]:
    """Yield the forms in which a summary may state a name: also the ends of a path."""
    yield name
    spelled = canonical(Fact(seen.kind, name))
    yield from ends_of(spelled) if seen.kind is Kind.PATH else (spelled,)


def _is_key(name: str, seen: Seen, config: AuditConfig) -> bool:
    if seen.kind in _NO_KEY:
        return False
    if seen.kind is Kind.NUMBER:
        has_unit = not name[-1].isdigit()
        return seen.count >= config.critical_number_count or bool(has_unit and seen.voice & _SPOKEN)
    return bool(seen.voice & _SPOKEN) or (seen.turns >= _IN_TURNS and seen.kind is not Kind.QUOTED)


def _weight(seen: Seen, by_class: float, leaves: int) -> float:
    """Return the weight by class, by who names it, by how many turns, and by how lately."""
    voice = 3.0 if seen.voice & _USER else 2.0 if seen.voice & _ASSISTANT else 1.0
    frequency = 1 + min(seen.turns, _MOST_TURNS) / 4
    recency = 0.5 + 0.5 * (seen.last + 1) / leaves
    return by_class * voice * frequency * recency


def _findings(lost: Iterable[_Lost], evidence: Evidence) -> Iterator[Finding]:
    originals = evidence.originals
    for _, name, seen in lost:
        if not originals.is_credential(name):
            yield Finding(
                Axis.COVERAGE,
                seen.kind.value,
                Status.LOST,
                Severity.INFO,
                name,
                originals.leaf_ids(name),
            )
