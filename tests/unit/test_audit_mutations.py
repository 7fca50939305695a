"""The mutation benchmark makes what it says it makes: its changes change, its harmless ones do not.

The oracles here read texts with their own means and share no code with the generator.
"""

import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote

import pytest

from tests.benchmarks.audit_mutations.cases import SPLITS, Case, case_of, cases, session
from tests.benchmarks.audit_mutations.classes import CLASSES, MUST_FLAG, MUST_NOT_FLAG, Class
from tests.benchmarks.audit_mutations.judge import balanced, judge, wilson
from tests.benchmarks.audit_mutations.sessions import SHAPES
from turnfold.audit import AuditReport, Axis, Finding, Severity, Status, audit

SEEDS = range(900, 906)
BY_NAME = {kind.name: kind for kind in CLASSES}
NEW_VALUE = (
    "one digit changed",
    "path to an invented sibling",
    "unit changed",
    "extended by a character",
    "cut by a character",
    "case of an identifier",
    "parts of an identifier swapped",
    "homoglyph",
    "date shifted",
)
SAME_LETTERS = (
    "markdown wrapped",
    "12345 to 12,345",
    "250 ms to 250ms",
    "quotes and punctuation",
    "\\ for /",
    "NFC and smart quotes",
    "line wrap",
    "JSON escapes",
    "ANSI colours",
    "percent-encoding",
)
UNDONE: dict[str, Callable[[str], object]] = {
    "12345 to 12,345": lambda text: text.replace(",", ""),
    "250 ms to 250ms": lambda text: text.replace(" ", ""),
    "\\ for /": lambda text: text.replace("\\", "/"),
    "line wrap": str.split,
    "ANSI colours": lambda text: re.sub("\x1b[^m]*m", "", text),
    "percent-encoding": unquote,
}
SHORTER = ("home to ~", "hash prefix", "repo-relative", "line number left off")


def made(name: str) -> list[Case]:
    return [case_of(split, BY_NAME[name], seed) for split in SPLITS for seed in SEEDS]


def stands_in(value: str, text: str) -> bool:
    """Whether a value stands in a text with no letter, digit or underscore beside it."""
    at = text.find(value)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(value) : at + len(value) + 1]
        if not re.search("[A-Za-z0-9_]", around):
            return True
        at = text.find(value, at + 1)
    return False


def letters(text: str) -> str:
    """Return the letters and digits of a text, escapes and colours undone."""
    text = re.sub("\x1b\\[[0-9;]*m", "", text).replace("\\n", " ")
    text = unicodedata.normalize("NFC", unquote(text))
    return "".join(each for each in text if each.isalnum())


def is_subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(letter in rest for letter in short)


def transcript_of(case: Case) -> str:
    return "\n".join(turn.content for turn in case.transcript)


@pytest.mark.parametrize("kind", MUST_FLAG, ids=lambda kind: kind.name)
def test_a_change_that_must_be_flagged_changes_the_summary(kind: Class) -> None:
    """Would catch: a case whose right verdict is wrong, because nothing was changed."""
    for case in made(kind.name):
        assert case.changed != case.clean
        assert case.flag
        assert case.changed.split() != case.clean.split()


@pytest.mark.parametrize("name", NEW_VALUE)
def test_a_changed_value_is_new_and_what_it_was_is_true(name: str) -> None:
    """Would catch: a mutation that lands on another true value, which is no mutation."""
    for case in made(name):
        (before,), (after,) = case.before, case.after
        assert before.rpartition("src/")[2] in transcript_of(case)
        assert not stands_in(after, transcript_of(case))
        assert stands_in(after, case.changed)
        assert case.changed.replace(after, before) == case.clean


def test_a_digit_changes_one_place_and_a_cut_or_an_extension_one_length() -> None:
    for case in made("one digit changed"):
        (before,), (after,) = case.before, case.after
        assert sum(a != b for a, b in zip(before, after, strict=True)) == 1
    for name, more in (("cut by a character", -1), ("extended by a character", 1)):
        for case in made(name):
            assert len(case.after[0]) - len(case.before[0]) == more


def test_a_swapped_path_is_another_true_one() -> None:
    for case in made("path swapped with another true one"):
        assert case.after[0] not in case.before[0]
        assert stands_in(case.after[0], transcript_of(case))


def test_two_exchanged_values_are_both_still_there() -> None:
    """Would catch: an exchange that invents or loses a value, which other checks would find."""
    for case in made("two true values exchanged"):
        assert Counter(letters(case.changed)) == Counter(letters(case.clean))
        assert all(stands_in(value, case.changed) for value in case.before[:2])


@pytest.mark.parametrize("name", ["fact deleted", "correction lost"])
def test_a_deleted_fact_is_gone_with_its_value(name: str) -> None:
    for case in made(name):
        told = case.before[1]
        assert told in case.clean
        assert told not in case.changed
        assert len(case.changed) < len(case.clean)


def test_what_only_an_earlier_summary_says_stands_in_no_other_turn() -> None:
    for case in made("supported only by an earlier summary"):
        (value,) = case.after
        holding = [turn for turn in case.transcript if stands_in(value, turn.content)]
        assert [turn.turn_id for turn in holding] == ["earlier"]


@pytest.mark.parametrize("name", SAME_LETTERS)
def test_another_form_keeps_every_letter_and_digit(name: str) -> None:
    """Would catch: a harmless change that loses or alters something."""
    for case in made(name):
        changed = re.sub(r"\\u([0-9a-f]{4})", lambda at: chr(int(at[1], 16)), case.changed)
        assert case.changed != case.clean
        assert letters(changed) == letters(case.clean)


@pytest.mark.parametrize(("name", "undo"), UNDONE.items())
def test_another_form_can_be_undone_to_the_last_character(
    name: str, undo: Callable[[str], object]
) -> None:
    """Would catch: punctuation of a value that gets lost with its new form."""
    for case in made(name):
        assert undo(case.changed) == undo(case.clean)


@pytest.mark.parametrize("name", SHORTER)
def test_a_short_form_only_leaves_letters_out(name: str) -> None:
    for case in made(name):
        assert letters(case.changed) != letters(case.clean)
        assert is_subsequence(letters(case.changed), letters(case.clean))


@pytest.mark.parametrize("name", ["reordered", "mentioned twice"])
def test_reordering_and_repeating_lose_no_word(name: str) -> None:
    for case in made(name):
        missing = Counter(case.clean.split()) - Counter(case.changed.split())
        assert set(missing) <= {"-"}
        assert case.changed != case.clean


@pytest.mark.parametrize("name", ["paraphrase with the value verbatim", "table cell"])
def test_other_words_keep_every_value(name: str) -> None:
    for case in made(name):
        assert case.changed != case.clean
        for line in case.session.lines:
            assert line.value in case.changed


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_clean_summary_is_of_the_promised_size_and_true(split: str, shape: str) -> None:
    for seed in SEEDS:
        session_ = session(split, shape, seed)
        assert 10 <= len(session_.transcript) <= 40
        assert 8 <= len(session_.lines) <= 20
        for line in session_.lines:
            assert line.text in session_.clean
            if line.value:
                assert line.value.rpartition("src/")[2] in transcript_text(session_)
                assert line.value in line.text


def transcript_text(session_: object) -> str:
    return "\n".join(turn.content for turn in session_.transcript)  # type: ignore[attr-defined]


def test_every_class_has_a_case_for_every_seed_and_no_name_twice() -> None:
    assert len(BY_NAME) == len(CLASSES)
    found = Counter(case.name for case in cases("own", range(3)))
    assert found == Counter(dict.fromkeys(BY_NAME, 3))


def test_the_unseen_wording_is_as_rich_as_promised() -> None:
    """Would catch: a split so small that its score is an accident."""
    words = SPLITS["unseen"]
    rules = {rule.said for rule in (*words.rules, *words.limits, *words.lists)}
    neutral = {each.told for several in words.neutral.values() for each in several}
    assert len(rules) >= 40
    assert len({each.said for each in words.corrections}) >= 20
    assert len({each.said for each in words.decisions}) >= 20
    assert len(neutral) >= 30
    own = {rule.said for rule in (*SPLITS["own"].rules, *SPLITS["own"].limits)}
    assert not own & rules


def test_cases_are_the_same_in_another_process() -> None:
    """Would catch: a draw that depends on the order of a set or on the time."""
    code = (
        "from hashlib import sha256\n"
        "from tests.benchmarks.audit_mutations.cases import cases\n"
        "print(sha256(''.join(c.changed + ''.join(t.content for t in c.transcript)"
        " for c in cases('own', range(2))).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == 64


def report_of(*findings: Finding) -> AuditReport:
    case = case_of("own", BY_NAME["clean"], SEEDS[0])
    return replace(audit(case.transcript, case.clean), findings=findings)


def finding(literal: str, severity: Severity) -> Finding:
    return Finding(Axis.FIDELITY, "number", Status.UNVERIFIED, severity, literal)


def test_a_verdict_counts_what_is_new_above_info() -> None:
    """Would catch: noise on the clean summary that counts as a hit on the changed one."""
    case = case_of("own", BY_NAME["one digit changed"], SEEDS[0])
    noise = finding("noise", Severity.HIGH)
    about = finding(case.after[0], Severity.INFO)
    nothing = judge(case, report_of(noise), report_of(noise))
    assert (nothing.flagged, nothing.certified) == (False, True)
    light = judge(case, report_of(noise), report_of(noise, about))
    assert (light.flagged, light.certified) == (False, False)
    heavy = judge(case, report_of(noise), report_of(finding(case.after[0], Severity.MEDIUM)))
    assert (heavy.flagged, heavy.certified) == (True, False)


def test_intervals_and_balance_are_those_of_the_books() -> None:
    """Wilson's interval for 0 of 10 ends at .278, and for 8 of 10 it is .490 to .943."""
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert balanced([1.0, 0.5], [0.0, 0.5]) == pytest.approx(0.75)
    assert len(MUST_FLAG) == 28
    assert len(MUST_NOT_FLAG) == 19
