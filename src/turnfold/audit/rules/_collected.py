"""What the users of an audit's turns rule and correct, read once for all checks that ask."""

from typing import Final
from weakref import WeakKeyDictionary

from turnfold.audit._evidence import Evidence
from turnfold.audit.rules._collect import Collected, collect

_READ: Final[WeakKeyDictionary[Evidence, Collected]] = WeakKeyDictionary()
"""By the evidence itself, and gone with it."""


def collected_of(evidence: Evidence) -> Collected:
    """Return the rules and corrections of the users, from memory where they were read before."""
    found = _READ.get(evidence)
    if found is None:
        found = _READ[evidence] = collect(evidence)
    return found
