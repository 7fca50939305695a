"""Coverage: how much of what mattered in the replaced turns stands in the view."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome
from turnfold.audit._finding import SOUND, Axis, Finding, Severity, Status
from turnfold.audit._originals import Originals
from turnfold.audit._report import CoverageShare
from turnfold.audit._seen import SPOKEN, VOICES, Seen
from turnfold.audit._spelling import canonical, ends_of
from turnfold.facts import SIGNS_BEFORE, Fact, Kind
from turnfold.transcript import Role

_USER: Final = VOICES[Role.USER]
_ASSISTANT: Final = VOICES[Role.ASSISTANT]
_MOST_TURNS: Final = 8
_IN_TURNS: Final = 2

# A member of an enumeration is looked up slowly.
_NUMBER: Final = Kind.NUMBER
_PATH: Final = Kind.PATH
_NO_KEY: Final = Kind.HYPHENATED
_UNSAID: Final = frozenset((Kind.QUOTED, Kind.DATE))
"""Of these tools print more than anybody needs: only what is said of them is a key fact."""


class _Lost(NamedTuple):
    """A lost name; the worst comes first in order."""

    lightness: float
    name: str
    seen: Seen


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Weigh the key facts of the replaced turns that stand nowhere in the view.

    A key fact is one that the user or the assistant names, or that several turns have; a number
    needs a unit, or `critical_number_count` occurrences, and a date or a time has to be said.
    Losing one is INFO: a summary is there to leave out; the share by class says how much it left
    out.
    """
    totals: dict[Kind, float] = {}
    lost: dict[Kind, list[_Lost]] = {}
    mentioned = _Mentioned(evidence)
    standing = evidence.originals.standing
    weights = {kind: config.weight_of(kind.value) for kind in Kind}
    keys = _keys(evidence.originals, config.critical_number_count)
    for name, seen in keys:
        kind = seen.kind
        weight = _weight(seen, weights[kind], len(evidence.leaves))
        totals[kind] = totals.get(kind, 0.0) + weight
        if name not in standing and not mentioned.has(name, kind):
            lost.setdefault(kind, []).append(_Lost(-weight, name, seen))
    shares = tuple(
        CoverageShare(
            kind.value,
            total + sum(each.lightness for each in lost.get(kind, ())),
            total,
            len(lost.get(kind, ())),
        )
        for kind, total in sorted(totals.items())
    )
    kept: list[_Lost] = []
    notes = []
    for kind in sorted(lost):
        kept += sorted(lost[kind])[: config.max_facts_per_category]
        if (more := len(lost[kind]) - config.max_facts_per_category) > 0:
            notes.append(f"{more:,} more lost facts of class {kind} are not listed")
    findings = list(_findings(sorted(kept), evidence.originals))
    return Outcome(findings, len(keys), tuple(notes), shares)


class _Mentioned:
    """The names that the summaries state, with the original where it is another form."""

    def __init__(self, evidence: Evidence) -> None:
        names = set()
        for each in evidence.assertions:
            if each.relation.status in SOUND:
                names.add(canonical(each.fact))
                names.add(each.fact.text)
                names.add(each.relation.nearest or each.fact.text)
        for text in evidence.beside:
            names.update(evidence.originals.reader.facts(text))
        self._names = names
        self._ends = {name.rpartition("/")[2] for name in names}

    def has(self, name: str, kind: Kind) -> bool:
        """Whether a name is stated in any form: a path also by its end."""
        if name in self._names:
            return True
        spelled = canonical(Fact(kind, name))
        if kind is not _PATH:
            return spelled in self._names
        is_near = spelled.rpartition("/")[2] in self._ends
        return is_near and not self._names.isdisjoint(ends_of(spelled))


def _keys(originals: Originals, number_count: int) -> list[tuple[str, Seen]]:
    return [
        (name, seen)
        for name, seen in originals.replaced.items()
        if (
            (seen.count >= number_count and "/" not in name)
            or (seen.voice & SPOKEN and _has_unit(name))
            if seen.kind is _NUMBER
            else seen.kind is not _NO_KEY
            and (seen.voice & SPOKEN or (seen.turns >= _IN_TURNS and seen.kind not in _UNSAID))
        )
    ]


def _has_unit(number: str) -> bool:
    return not number[-1].isdigit() or number[0] in SIGNS_BEFORE


def _weight(seen: Seen, by_class: float, leaves: int) -> float:
    """Return the weight by class, by who names it, by how many turns, and by how lately."""
    voice = 3.0 if seen.voice & _USER else 2.0 if seen.voice & _ASSISTANT else 1.0
    frequency = 1 + min(seen.turns, _MOST_TURNS) / 4
    recency = 0.5 + 0.5 * (seen.last + 1) / leaves
    return by_class * voice * frequency * recency


def _findings(lost: Iterable[_Lost], originals: Originals) -> Iterator[Finding]:
    for _, name, seen in lost:
        if not originals.is_credential(name):
            yield Finding(
                Axis.COVERAGE,
                seen.kind.value,
                Status.LOST,
                Severity.INFO,
                name,
                tuple(originals.leaves[at].turn_id for at in seen.positions()),
            )
