"""What users and assistants speak in their turns, each read once for all who ask."""

from typing import Final

from turnfold.audit._evidence import Evidence
from turnfold.audit._instructions._prose import Spoken, spoken

_SPOKEN: Final = "spoken"


def spoken_in(evidence: Evidence, text: str) -> Spoken:
    """Return what is spoken in the text of a turn, as `spoken` does.

    Args:
        evidence: What remembers it.
        text: The content of a turn.
    """
    read = evidence.shared.setdefault(_SPOKEN, {})
    found: Spoken | None = read.get(text)
    if found is None:
        found = read[text] = spoken(text)
    return found
