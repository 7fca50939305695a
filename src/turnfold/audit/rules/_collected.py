"""What the users of an audit's turns rule and correct, read once for all checks that ask."""

from typing import Final

from turnfold.audit._evidence import Evidence
from turnfold.audit.rules._collect import Collected, collect

_NAME: Final = "rules and corrections"


def collected_of(evidence: Evidence) -> Collected:
    """Return the rules and corrections of the users, from memory where they were read before."""
    if _NAME not in evidence.shared:
        evidence.shared[_NAME] = collect(evidence)
    found: Collected = evidence.shared[_NAME]
    return found
