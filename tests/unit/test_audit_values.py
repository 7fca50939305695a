"""Kinds of values in all their spellings: the legal ones are no finding, and a changed one is."""

import pytest

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import Axis, audit


def slips(said: str, summary: str) -> list[tuple[str, str | None]]:
    """What is wrong with the facts of a summary: each with the original that it is near to."""
    original = Transcript([TranscriptTurn("u", "user", said, 20)])
    found = audit(original, summary).findings
    return [(each.literal, each.nearest) for each in found if each.axis is Axis.FIDELITY]


class TestPathsWithBlanks:
    SAID = (
        'Look at "/Users/me/My Project/app.py" and `C:\\Program Files\\Acme Tool\\run.exe`; '
        "then cd /Users/me/Other\\ Place/src and go on."
    )

    @pytest.mark.parametrize(
        "summary",
        [
            *("Look at `/Users/me/My Project/app.py`.", "Look at /Users/me/My Project/app.py."),
            *("It is `~/My Project/app.py`.", "In `My Project/app.py`.", "See app.py."),
            *("All in `/Users/me/My Project`.", "Go to `/Users/me/Other Place/src`."),
            *("Run C:\\Program Files\\Acme Tool\\run.exe.", "In `C:/Program Files/Acme Tool`."),
        ],
    )
    def test_a_legal_form_is_no_finding(self, summary: str) -> None:
        assert slips(self.SAID, summary) == []

    @pytest.mark.parametrize(
        ("literal", "nearest"),
        [
            ("/Users/me/My Projects/app.py", "/Users/me/My Project/app.py"),
            ("/Users/me/My Project/api.py", "/Users/me/My Project/app.py"),
            ("/Users/me/Other Places/src", r"/Users/me/Other\ Place/src"),
            ("C:/Program Files/Acme Tool/ran.exe", r"C:\Program Files\Acme Tool\run.exe"),
        ],
    )
    def test_another_path_is_found_whole(self, literal: str, nearest: str) -> None:
        """Would catch: two halves of a path, of which one may be true."""
        assert slips(self.SAID, f"Look at `{literal}`.") == [(literal, nearest)]
