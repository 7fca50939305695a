"""How agents set out their summaries and name things in them, and what must be found all the same.

Each form that once raised a false alarm stands beside the slip that it must not hide.
"""

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import Severity, audit


def alarms(summary: str, *said: tuple[str, str]) -> set[tuple[str, str]]:
    """Return the literals and statuses that an audit of a bare summary finds above INFO."""
    turns = [TranscriptTurn("t", "user", "We are at the parcel service of the depot.", 9)]
    turns += [TranscriptTurn(f"t{at}", *each, 9) for at, each in enumerate(said)]
    found = audit(Transcript(turns), summary).findings
    return {
        (each.literal, each.status.value) for each in found if each.severity is not Severity.INFO
    }


def test_the_tags_of_sections_are_no_assertions() -> None:
    """Would catch: the tags of a summary's sections, read as names and paths that no turn has."""
    said = ("assistant", "The parcels are weighed in src/scale.py.")
    tagged = "<depot_state>\n<next_plan>\n{}\n</next_plan>\n  </depot_state>"
    assert not alarms(tagged.format("Weighed in src/scale.py."), said)
    assert alarms(tagged.format("Weighed in src/scales.py."), said) == {
        ("src/scales.py", "mutated")
    }
    inline = "The element is <weight_of_parcel> in src/scale.py."
    assert ("weight_of_parcel", "unverified") in alarms(inline, said)
