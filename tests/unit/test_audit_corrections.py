"""Corrections by their values, and which of two values a sentence gives as the current one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import Finding, Severity, audit
from turnfold.audit._instructions._direction import is_past

BEFORE = "The parcel tracker runs on 3.1.4."


def held(corrected: str, summary: str, before: str = BEFORE) -> list[Finding]:
    """Return what an audit finds of corrections."""
    said = [("user", before), ("assistant", "Noted."), ("user", corrected)]
    turns = [TranscriptTurn(f"t{at}", role, text, 9) for at, (role, text) in enumerate(said)]
    report = audit(Transcript(turns), f"Work went on.\n{summary}\n")
    heavy = (each for each in report.findings if each.severity is not Severity.INFO)
    return [each for each in heavy if each.kind == "correction"]


WORDED = [
    "Scratch that, the parcel tracker runs on 3.2.0.",
    "My mistake. The parcel tracker runs on 3.2.0.",
    "On second thought: 3.2.0 for the parcel tracker.",
    "The parcel tracker runs on 3.2.0; I was looking at the wrong page.",
    "3.1.4 has been retired, the parcel tracker runs on 3.2.0.",
    "The parcel tracker isn't on 3.1.4, it's on 3.2.0.",
    "3.2.0 replaces 3.1.4 in the parcel tracker.",
    "Let me correct myself: the parcel tracker runs on 3.2.0.",
    "That's outdated: the parcel tracker runs on 3.2.0 now.",
    "3.1.4 should read 3.2.0.",
    "3.1.4 won't do. Take 3.2.0 for the parcel tracker.",
    "Don't run the parcel tracker on 3.1.4, run it on 3.2.0.",
]


@pytest.mark.parametrize("corrected", WORDED)
def test_a_stale_value_is_found_however_the_correction_is_worded(corrected: str) -> None:
    """Would catch: a correction that is only known by its words."""
    (stale,) = held(corrected, "The parcel tracker runs on 3.1.4.")
    assert (stale.status, stale.severity) == ("stale", "high")
    assert [each.status for each in held(corrected, "The parcel tracker is slow.")] == ["lost"]
    both = "The parcel tracker runs on 3.1.4. The parcel tracker runs on 3.2.0."
    assert [each.status for each in held(corrected, both)] == ["coexists_review"]


@pytest.mark.parametrize("corrected", WORDED)
@pytest.mark.parametrize(
    "summary",
    [
        "The parcel tracker runs on 3.2.0.",
        "The parcel tracker runs on 3.2.0 (previously 3.1.4).",
        "The parcel tracker was moved from 3.1.4 to 3.2.0.",
        "The parcel tracker needs 3.2.0; 3.1.4 was a mistake.",
    ],
)
def test_a_summary_that_follows_the_correction_is_right(corrected: str, summary: str) -> None:
    """Would catch: a history of the value that is taken for the value."""
    assert held(corrected, summary) == []


@pytest.mark.parametrize(
    "said",
    [
        "The parcel tracker's backup runs on 3.2.0 as well.",
        "Does the parcel tracker run on 3.2.0?",
        "The label printer runs on 3.2.0.",
        "Compare the parcel tracker with 3.2.0.",
        "3.2.0 is pinned for the label printer; don't bump the parcel tracker.",
    ],
)
def test_another_value_is_no_correction(said: str) -> None:
    """Would catch: two values of one class that are taken for one thing."""
    assert held(said, BEFORE) == []


def test_the_next_sentence_corrects_another_thing() -> None:
    """Would catch: a limit that takes the place of a value that the sentence after it corrects."""
    said = "The label printer must not exceed 30 s. The mail relay has 45 s, 20 s was wrong."
    found = held(said, "The mail relay has 45 s.", before="The mail relay has 20 s.")
    assert found == []


def test_a_sentence_that_corrects_is_no_rule_beside_it() -> None:
    """Would catch: a summary that follows a correction said to have lost or turned its rule."""
    said = [
        "Put helpers in `utils.py`.",
        "Noted.",
        "Helpers don't belong in `utils.py`, put them in `text.py`.",
    ]
    turns = [
        TranscriptTurn(f"t{at}", ("user", "assistant")[at % 2], each, 9)
        for at, each in enumerate(said)
    ]
    report = audit(Transcript(turns), "Work went on.\nHelpers go in `text.py`.\n")
    assert not [each for each in report.findings if each.severity is not Severity.INFO]


def test_a_turned_correction_is_stale() -> None:
    """Would catch: both values in a sentence, the wrong one as the current."""
    (found,) = held(WORDED[0], "The parcel tracker runs on 3.1.4, no longer on 3.2.0.")
    assert (found.status, found.rule) == ("stale", "turned round")


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("Use 45 s, not 30 s.", "30 s"),
        ("30 s -> 45 s", "30 s"),
        ("The value went from 30 s to 45 s.", "30 s"),
        ("It reads its limit from 45 s rather than 30 s.", "30 s"),
        ("30 s is too short, let us have 45 s.", "30 s"),
        ("We no longer wait for 30 s, it is 45 s.", "30 s"),
        ("Forget 30 s; take 45 s.", "30 s"),
        ("30 s and 45 s are both fine.", ""),
    ],
)
def test_the_value_of_before_is_told_by_what_stands_beside_it(text: str, past: str) -> None:
    """Would catch: a direction that is read the wrong way."""
    for value, other in (("30 s", "45 s"), ("45 s", "30 s")):
        assert is_past(text, value, other) == (value == past)


@given(st.text(max_size=80), st.text(max_size=12))
def test_a_value_that_does_not_stand_there_is_not_past(text: str, value: str) -> None:
    """Would catch: a text that breaks the reading."""
    if value.lower() not in text.lower():
        assert not is_past(text, value)


NAMED = [
    (
        "I will use `npm` to install.",
        "no, use `pnpm`, not `npm`",
        "Installs with {}.",
        "pnpm",
        "npm",
    ),
    ("Fixed PROJ-132.", "it's PROJ-123 not PROJ-132", "The ticket is {}.", "PROJ-123", "PROJ-132"),
    ("Closed #412.", "it was #421, not #412", "Closed {}.", "#421", "#412"),
    (
        "It is postgres:15.",
        "postgres:16, not postgres:15",
        "It is {}.",
        "postgres:16",
        "postgres:15",
    ),
    ("I push to v-2.3.", "it's v-2.4, not v-2.3", "The branch is {}.", "v-2.4", "v-2.3"),
    (
        *("Uses eslint-config-airbnb.", "eslint-config-standard, please, not eslint-config-airbnb"),
        *("It uses {}.", "eslint-config-standard", "eslint-config-airbnb"),
    ),
]
COUNTED = [
    ("I set 5 retries.", "3 retries, not 5", "It makes {} retries.", "3", "5"),
    ("It runs 3 replicas.", "We need 5 replicas, not 3.", "It runs {} replicas.", "5", "3"),
    ("重试 5 次。", "是 3 次\uff0c不是 5 次", "重试 {} 次。", "3", "5"),
]


@pytest.mark.parametrize("case", [*NAMED, *COUNTED], ids=[each[-2] for each in [*NAMED, *COUNTED]])
def test_names_tickets_images_and_counts_are_corrected_too(case: tuple[str, ...]) -> None:
    """Would catch: a correction that is known by versions and units only."""
    before, said, summary, new, old = case
    assert held(said, summary.format(new), before) == []
    assert held(said, f"{summary.format(new)[:-1]} (not {old}).", before) == []
    (stale,) = held(said, summary.format(old), before)
    assert (stale.status, stale.severity) == ("stale", "high")
    (lost,) = held(said, "Work goes on.", before)
    weight = "medium" if new.isdigit() else "high"
    assert (lost.status, lost.severity) == ("lost", weight)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("No, call it `account-service`.", "The service is `user-service`."),
        ("Wrong branch, it's feature-signin.", "The branch is feature-login."),
        ("I said 3 attempts.", "It gives up after 5 attempts."),
    ],
)
def test_a_correction_that_names_the_new_value_alone_must_be_kept(said: str, wrong: str) -> None:
    """Would catch: a summary that keeps what the user did not even repeat."""
    assert [each.status for each in held(said, wrong)] == ["lost"]
    for right in ("It is `account-service`, on feature-signin, after 3 attempts.",):
        assert held(said, right) == []


@pytest.mark.parametrize(
    "said",
    [
        "It printed 3 rows, not 5.",
        "Why is it on node-18, not node-20?",
        "wrong branch. use the one for login",
    ],
)
def test_what_is_reported_or_asked_corrects_nothing(said: str) -> None:
    """Would catch: an observation that the summary has to keep word for word."""
    assert held(said, "Work goes on.") == []
    assert held(said, "5 rows, node-20.") == []


def test_a_decision_that_the_user_took_back_need_not_be_kept() -> None:
    """Would catch: `npm` asked for in the sentence that tells of `pnpm`."""
    said = [("assistant", "I will use `npm` to install."), ("user", "no, use `pnpm`, not `npm`")]
    turns = [TranscriptTurn(f"t{at}", role, text, 9) for at, (role, text) in enumerate(said)]
    report = audit(Transcript(turns), "Install with pnpm.")
    assert not [each for each in report.findings if each.severity is not Severity.INFO]


TOLD_ANEW = [
    (
        "The release script tags the build as v1.4.0.",
        "It should be v1.5.0.",
        "The release script tags the build as v1.5.0.",
    ),
    (
        "The upload handler calls save_file on the storage backend.",
        "Actually the upload handler must call store_blob.",
        "The upload handler calls store_blob on the storage backend.",
    ),
    (
        "The cache client connects to redis-01:6379 at startup.",
        "Wrong host, use redis-02:6379.",
        "The cache client connects to redis-02:6379 at startup.",
    ),
    (
        "The crash comes from parse_header in the ingest service.",
        "I looked again, it is in read_frame.",
        "The crash comes from read_frame in the ingest service.",
    ),
    (
        "The importer stores rows in table raw_events first.",
        "We moved that to staging_events last week.",
        "The importer stores rows in table staging_events first.",
    ),
    (
        "导出任务把结果写到 out/report.csv。",
        "不对\uff0c应该写到 out/finance.csv。",
        "导出任务把结果写到 out/finance.csv。",
    ),
]


def exchanged(said: list[tuple[str, str]], summary: str) -> list[str]:
    turns = [TranscriptTurn(f"t{at}", role, text, 9) for at, (role, text) in enumerate(said)]
    found = audit(Transcript(turns), summary).findings
    return [each.literal for each in found if each.status == "exchanged"]


@pytest.mark.parametrize(("before", "said", "summary"), TOLD_ANEW)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_new_value_in_the_words_of_the_old_one_is_right(
    before: str, said: str, summary: str, role: str
) -> None:
    """Would catch: a summary that follows a correction said to have exchanged two values."""
    assert exchanged([("assistant", before), (role, said)], summary) == []


def test_a_value_of_another_thing_in_the_words_of_this_one_is_found() -> None:
    """Would catch: every later value taken for a correction of what was said before."""
    before, _, summary = TOLD_ANEW[0]
    other = "The mobile app of our partner was built with v1.5.0 of the toolkit."
    assert exchanged([("assistant", before), ("assistant", other)], summary) == ["v1.5.0"]
    assert exchanged([("assistant", before), ("tool", "v1.5.0")], summary) == ["v1.5.0"]
    earlier = [("user", "It should be v1.5.0."), ("user", before)]
    assert exchanged(earlier, summary) == ["v1.5.0"]


def test_a_corrected_number_may_be_told_without_its_noun() -> None:
    """Would catch: a port that is kept, and said to be lost because nothing calls it a port."""
    assert held("Use port 9443 instead of 8443.", "It listens on 9443, not 8443.", "Hello.") == []
