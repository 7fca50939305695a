"""What a text asserts, found without a model: names, critical lines, secrets.

Everything here is pure and linear in the text: a text is split on white space first, patterns run
over its distinct tokens, and an atom over `LONGEST_ATOM` characters is counted and not examined.
"""

from turnfold.facts._amounts import SIGNS_BEFORE
from turnfold.facts._lines import CriticalLine, Trigger, critical_lines, triggers
from turnfold.facts._names import (
    LONGEST_ATOM,
    Fact,
    Facts,
    Kind,
    NameReader,
    Telling,
    find,
    names,
    outermost,
)
from turnfold.facts._secrets import SECRET, redact, secrets

__all__ = [
    "LONGEST_ATOM",
    "SECRET",
    "SIGNS_BEFORE",
    "CriticalLine",
    "Fact",
    "Facts",
    "Kind",
    "NameReader",
    "Telling",
    "Trigger",
    "critical_lines",
    "find",
    "names",
    "outermost",
    "redact",
    "secrets",
    "triggers",
]
