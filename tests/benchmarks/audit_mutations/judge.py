"""What counts: flagged, falsely certified, and how sure a rate is. Defined here and nowhere else.

**Flagged**: the audit of the changed summary has a finding above INFO that the audit of the clean
summary of the same session does not have; findings are the same if axis, kind, status and literal
are. Two classes count findings of any severity that name the change: `supported only by an earlier
summary`, because a transcript that holds a summary misses the turns behind it, so that the audit
weighs every finding less by its own rule; and the one that is reported apart. The class `clean`
has nothing to compare with: any finding above INFO flags it.

**False positive**: a case flagged that must not be.

**False certification**: a changed value that the audit treats as kept. No new finding, of whatever
severity, names it: neither the literal that now stands there, nor the value or sentence it came
from. A finding names a text if its literal or its `nearest` holds the text or is held by it; to be
held it needs three characters, or half of the text's length.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tests.benchmarks.audit_mutations.cases import Case
from turnfold.audit import AuditReport, Finding, Severity

_SHORTEST: Final = 3


@dataclass(frozen=True)
class Verdict:
    """What the audit made of a case."""

    flagged: bool
    certified: bool


def new_findings(clean: AuditReport | None, changed: AuditReport) -> list[Finding]:
    """Return what the audit finds in the changed summary and not in the clean one."""
    known = {_key(each) for each in clean.findings} if clean else set()
    return [each for each in changed.findings if _key(each) not in known]


def _key(finding: Finding) -> tuple[str, str, str, str]:
    return finding.axis.value, finding.kind, finding.status.value, finding.literal


def judge(case: Case, clean: AuditReport | None, changed: AuditReport) -> Verdict:
    """Say whether a case is flagged, and whether its change was taken for kept."""
    new = new_findings(clean, changed)
    about = (*case.before, *case.after)
    named = any(names(finding, text) for finding in new for text in about)
    heavy = any(finding.severity is not Severity.INFO for finding in new)
    flagged = named if case.any_severity else heavy
    return Verdict(flagged, certified=case.value and not named)


def names(finding: Finding, text: str) -> bool:
    """Whether a finding is about a text."""
    return any(_touch(said, text) for said in (finding.literal, finding.nearest) if said)


def _touch(said: str, text: str) -> bool:
    said, text = said.casefold(), text.casefold()
    if text in said:
        return True
    return said in text and len(said) >= min(_SHORTEST, len(text) / 2)


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate after Wilson; all of it where nothing was seen."""
    if not of:
        return 0.0, 1.0
    z = 1.959964
    rate, square = hits / of, z * z / of
    centre = (rate + square / 2) / (1 + square)
    margin = z * math.sqrt(rate * (1 - rate) / of + square / of / 4) / (1 + square)
    return max(0.0, centre - margin), min(1.0, centre + margin)


def balanced(recalls: Iterable[float], wrong: Iterable[float]) -> float:
    """Return the mean of the mean recall and of 1 minus the mean rate of false positives."""
    found, false = list(recalls), list(wrong)
    return (sum(found) / len(found) + 1 - sum(false) / len(false)) / 2
