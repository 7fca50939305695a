"""Kinds of values in all their spellings: the legal ones are no finding, and a changed one is."""

import pytest

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import Axis, Status, audit


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


class TestAmounts:
    SAID = (
        "The plan costs 1.299,00 \u20ac. Load was 12 % then, the image 1,5 GB. 预算500元。 "
        "The invoice of May says $5,000. And 17/20 tests passed on linux."
    )

    @pytest.mark.parametrize(
        "summary",
        [
            *("The plan costs \u20ac1,299.", "The plan costs 1299 EUR.", "The plan costs 1299."),
            *("Load was 12%.", "Load was 12 percent.", "Load was 12\uff05."),
            *("The image has 1.5 GB.", "The image has 1,5GB.", "预算\u00a5500。"),
            *("The invoice says $5000.", "The invoice says 5,000 dollars.", "It says $5,000.00."),
            *("17/20 tests passed on linux.", "17 of 20 tests passed."),
        ],
    )
    def test_an_amount_in_another_spelling_is_no_finding(self, summary: str) -> None:
        assert slips(self.SAID, summary) == []

    @pytest.mark.parametrize(
        ("summary", "literal", "nearest"),
        [
            ("The plan costs 1.399,00 \u20ac.", "1.399,00 \u20ac", "1.299,00 \u20ac"),
            ("The plan costs $1,299.", "$1,299", "1.299,00 \u20ac"),
            ("Load was 13%.", "13%", "12 %"),
            ("The image has 15 GB.", "15 GB", "1,5 GB"),
            ("预算600元。", "600元", "500元"),
            ("The invoice says \u20ac5,000.", "\u20ac5,000", "$5,000"),
            ("18/20 tests passed on linux.", "18/20", "17/20"),
        ],
    )
    def test_another_amount_or_another_money_is_found(
        self, summary: str, literal: str, nearest: str
    ) -> None:
        """Would catch: a decimal comma read as the mark of a group, so that 15 GB are 1,5 GB."""
        assert slips(self.SAID, summary) == [(literal, nearest)]

    def test_a_count_that_can_be_worked_out_is_no_finding(self) -> None:
        """Would catch: a sum that the summary made of what a test run printed."""
        assert slips("41 passed, 3 failed", "41/44 tests pass") == []


class TestAddresses:
    SAID = "It listens on [::1]:8080; the gateway is 2001:db8::8a2e:370:7334."

    @pytest.mark.parametrize(
        "summary",
        [
            *("It listens on [::1]:8080.", "It listens on ::1, port 8080."),
            *("The gateway: 2001:0DB8:0:0:0:8a2e:0370:7334", "at `2001:db8::8a2e:370:7334`"),
        ],
    )
    def test_an_address_of_version_6_in_another_spelling_is_no_finding(self, summary: str) -> None:
        assert slips(self.SAID, summary) == []

    def test_another_address_is_found(self) -> None:
        summary = "It listens on [::1]:8081; the gateway is 2001:db8::8a2e:370:7335."
        assert slips(self.SAID, summary) == [
            ("[::1]:8081", "[::1]:8080"),
            ("2001:db8::8a2e:370:7335", "2001:db8::8a2e:370:7334"),
        ]


class TestUnits:
    @pytest.mark.parametrize("summary", ["30 s", "30s", "30 sec", "30 seconds"])
    @pytest.mark.parametrize("said", ["30 s", "30s", "30 secs", "30 seconds"])
    def test_a_unit_by_its_name_is_that_unit(self, said: str, summary: str) -> None:
        """Would catch: seconds that are no `s`."""
        assert slips(f"The timeout is {said}.", f"The timeout is {summary}.") == []

    @pytest.mark.parametrize("summary", ["30 ms", "30 min", "30 minutes", "31 s"])
    def test_another_unit_is_found(self, summary: str) -> None:
        assert slips("The timeout is 30 seconds.", f"The timeout is {summary}.") != []


def test_of_many_that_are_near_it_is_what_somebody_said() -> None:
    """Would catch: a port of the user's that is lost among the numbers that a tool counts up."""
    counted = "\n".join(str(number) for number in range(1_000, 9_000) if number != 8444)
    turns = [("user", "Serve it on port 8443."), ("tool", counted)]
    original = Transcript(TranscriptTurn(role, role, text, 20) for role, text in turns)
    (found,) = [
        each
        for each in audit(original, "It listens on port 8444.").findings
        if each.axis is Axis.FIDELITY
    ]
    assert (found.status, found.nearest) == (Status.MUTATED, "8443")
