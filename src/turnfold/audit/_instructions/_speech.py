"""What users and assistants speak in their turns, each read once for all who ask."""

from turnfold.audit._evidence import Evidence
from turnfold.audit._instructions._prose import Spoken, spoken


class _Speech(dict[str, Spoken]):
    """What is spoken in texts, by the text, each read when it is first asked for."""

    def __init__(self, _: Evidence) -> None:
        super().__init__()

    def __missing__(self, text: str) -> Spoken:
        found = self[text] = spoken(text)
        return found


def spoken_in(evidence: Evidence, text: str) -> Spoken:
    """Return what is spoken in the text of a turn, as `spoken` does.

    Args:
        evidence: What remembers it.
        text: The content of a turn.
    """
    return evidence.once(_Speech)[text]
