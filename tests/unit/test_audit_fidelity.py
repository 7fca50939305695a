"""What a summary may say of a fact, and what is found where it says something else."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import AuditReport, Axis, Finding, Severity, Status, audit
from turnfold.audit._wrapping import unwrapped

SAID = (
    "Serve the API on port 8443 with a timeout of 250 ms.",
    "The admin console listens on port 9090.",
    "The loader is /home/ana/proj/src/etl/loader.py:88, commit 3f2a9bc1d4e5.",
    "Limit 12345 rows, version v2.14.3, see https://docs.example.org/a/b and PROJ-412.",
    'The check said "rows out of order" in validate_rows with ENOENT.',
    "Trace 123e4567-e89b-12d3-a456-426614174000 at 2026-03-04, flag --dry-run, $MAX_ROWS.",
    "Colours: \x1b[31mred_alert\x1b[0m and a path\\nwith src\\\\win\\\\app.cs",
)
ORIGINAL = Transcript(TranscriptTurn(f"u{n}", "user", text, 20) for n, text in enumerate(SAID))


def about(summary: str, *axes: Axis) -> list[Finding]:
    wanted = axes or (Axis.FIDELITY,)
    return [each for each in audit(ORIGINAL, summary).findings if each.axis in wanted]


def slips(original: Transcript, summary: str) -> list[tuple[str, str | None]]:
    found = audit(original, summary).findings
    return [(each.literal, each.nearest) for each in found if each.place]


@pytest.mark.parametrize(
    "summary",
    [
        *SAID,
        "The limit is 12,345 rows.",
        "timeout 250ms",
        "in ~/proj/src/etl/loader.py",
        "in src/etl/loader.py, line left off",
        "loader.py",
        "commit 3f2a9bc",
        "**`validate_rows`** | `--dry-run` |",
        "version 2.14.3",
        "port\n8443",
        "red_alert",
        "`src/win/app.cs`",
        "the check said \u201crows out of order\u201d",
        "123E4567-E89B-12D3-A456-426614174000",
        "docs.example.org",
        "in src/etl/",
        "below ~/proj/src",
        "",
        "nothing that can be verified",
    ],
)
def test_a_legal_form_of_a_fact_is_no_finding(summary: str) -> None:
    """Would catch: a shortening, a spelling or a wrapping that is taken for another value."""
    assert about(summary) == []


@pytest.mark.parametrize(
    ("summary", "literal", "nearest"),
    [
        ("The API is on port 8444.", "8444", "8443"),
        ("commit 3f2a9bd1d4e5", "3f2a9bd1d4e5", "3f2a9bc1d4e5"),
        ("see src/etl/loaders.py", "src/etl/loaders.py", "/home/ana/proj/src/etl/loader.py"),
        ("version v2.14.8", "v2.14.8", "v2.14.3"),
        ("validate_row is wrong", "validate_row", "validate_rows"),
        ("rows_validate is wrong", "rows_validate", "validate_rows"),
        ("123e4567-e89b-12d3-a456-426614174001", "123e4567-e89b-12d3-a456-426614174001", None),
    ],
)
def test_a_slip_is_named_with_what_it_was(summary: str, literal: str, nearest: str | None) -> None:
    """Would catch: a changed value that is called kept."""
    (found,) = about(summary)
    assert (found.literal, found.status, found.severity) == (
        literal,
        Status.MUTATED,
        Severity.HIGH,
    )
    assert nearest in (None, found.nearest)
    assert found.leaf_turn_ids
    assert found.place is not None
    assert summary[found.place.start : found.place.end] == literal


@pytest.mark.parametrize(
    "literal", ["src/billing/tax.go", "7777", "https://evil.example.com/x", "--force-with-lease"]
)
def test_what_no_turn_says_is_unverified_and_not_called_a_lie(literal: str) -> None:
    (found,) = about(f"It uses {literal} now.")
    assert (found.literal, found.status, found.severity, found.nearest) == (
        literal,
        Status.UNVERIFIED,
        Severity.MEDIUM,
        None,
    )


def test_a_longer_or_shorter_number_is_no_form_of_it() -> None:
    """Would catch: support by substring: 250 ms does not stand in 2500 ms."""
    for summary in ("timeout 2500 ms", "timeout 25 ms", "timeout 250 s", "port 443", "port 84431"):
        assert about(summary), summary


def test_a_unit_may_be_added_where_there_was_none_and_never_exchanged() -> None:
    """Would catch: one slip reported twice, and a bare figure held against its unit."""
    said = Transcript([TranscriptTurn("u", "user", "took=33.07 and a timeout of 250 ms", 9)])

    def found(summary: str) -> list[tuple[str, str | None]]:
        return [
            (each.literal, each.nearest) for each in audit(said, summary).findings if each.place
        ]

    assert slips(said, "it took 33.07 s") == []
    assert slips(said, "a timeout of 250 s") == [("250 s", "250 ms")]
    assert slips(said, "a timeout of 350 ms") == [("350 ms", "250 ms")]


def test_a_time_may_leave_off_its_date_and_its_seconds() -> None:
    """Audit, how to match 2. Would catch: a time of a log that a summary may not say shorter."""
    log = Transcript(
        [TranscriptTurn("t", "tool", "2024-05-01T09:05:12Z up; window 14:00-15:30", 9)]
    )
    for summary in ("It was up at 9:05.", "It was up at 09:05:12.", "The window begins at 14:00."):
        assert not [each for each in audit(log, summary).findings if each.place], summary
    for summary in ("It was up at 9:06.", "It was up at 09:05:13.", "It was up at 19:05."):
        assert [each for each in audit(log, summary).findings if each.place], summary


def test_support_is_asymmetric() -> None:
    """Would catch: a summary that spells out more than the original said."""
    short = Transcript([TranscriptTurn("u", "user", "look at loader.py, commit 3f2a9bc", 9)])
    for summary in ("src/etl/loader.py", "3f2a9bc1d4e5"):
        assert [each.status for each in audit(short, summary).findings if each.place]


def test_two_values_that_changed_places_are_found() -> None:
    (found,) = about("The API is served on port 9090. The admin console listens on port 8443.")
    assert found.status is Status.EXCHANGED
    assert {found.literal, found.nearest} == {"9090", "8443"}
    assert about("The API is served on port 8443. The admin console listens on port 9090.") == []


def test_case_is_told_from_another_name() -> None:
    (found,) = about("Validate_Rows")
    assert (found.status, found.severity) == (Status.CASE_ONLY, Severity.MEDIUM)


def test_an_earlier_summary_is_no_evidence() -> None:
    """Would catch: an invention that proves itself in the second round."""
    earlier = TranscriptTurn(
        "s", "user", "It uses port 7777.", 9, metadata={"turnfold.kind": "summary"}
    )
    report = audit(Transcript((earlier, *ORIGINAL)), "It uses port 7777.")
    assert report.ledger_incomplete is False or report.count(Axis.FIDELITY)
    assert [each.literal for each in report.findings if each.place] == ["7777"]


def test_credentials_are_neither_printed_nor_asked_for() -> None:
    secret = "ghp_" + "aB3" * 12
    original = Transcript([TranscriptTurn("u", "user", f"token={secret} for db_main_1", 9)])
    for summary in ("nothing", f"The token is {secret}.", f"token={secret[:-1]}x"):
        report: AuditReport = audit(original, summary)
        assert secret[:20] not in str(report.to_dict())


def test_facts_within_a_larger_one_are_not_counted_twice() -> None:
    found = about("src/other/thing.py")
    assert [each.literal for each in found] == ["src/other/thing.py"]


def test_only_the_fact_is_printed_of_a_turn() -> None:
    report = audit(ORIGINAL, "port 8444")
    assert "Serve the API" not in str(report.to_dict())


def test_what_was_not_examined_is_said() -> None:
    """Would catch: a cap that bites in silence."""
    long = "a_" + "b" * 300
    notes = audit(ORIGINAL, f"see {long}").notes
    assert notes == ("1 tokens over 256 characters were not examined",)
    phrases = " ".join(f'"rows nobody {number} saw"' for number in range(600))
    (note,) = audit(ORIGINAL, phrases).notes
    assert "phrases over the first" in note


def test_a_name_without_its_capitals_is_found_where_it_is_no_word() -> None:
    said = Transcript([TranscriptTurn("u", "user", "parseOrder and readLines, no readlines", 9)])

    def found(summary: str) -> list[tuple[str, str | None]]:
        return [
            (each.literal, each.nearest) for each in audit(said, summary).findings if each.place
        ]

    assert slips(said, "it calls parseorder") == [("parseorder", "parseOrder")]
    assert slips(said, "it calls readlines and something") == []


OWNERS = Transcript(
    [
        TranscriptTurn("s", "system", "You are a coding agent.", 5),
        TranscriptTurn(
            "u1", "user", "The handler of the cart page was moved to src/web/cart.py.", 20
        ),
        TranscriptTurn("a1", "assistant", "The mail queue is drained by src/mail/drain.py.", 20),
        TranscriptTurn("u2", "user", "Do all deployments of the mail queue from ops/mail.sh.", 20),
        TranscriptTurn("u3", "user", "Point the coupon check at src/old/check.py.", 20),
        TranscriptTurn(
            "u4", "user", "No, the coupon check is elsewhere. Take src/new/check.py.", 20
        ),
    ]
)


def told_otherwise(summary: str) -> list[tuple[str, str | None]]:
    found = [each for each in audit(OWNERS, summary).findings if each.axis is Axis.FIDELITY]
    rules = ("another value was said of this", "value left out")
    return [(each.literal, each.rule) for each in found if each.rule in rules and each.place]


def test_another_file_for_a_thing_is_found_in_other_words() -> None:
    """Would catch: a true path in another thing's place passing because the words differ."""
    summary = "The cart page handler now lives under src/mail/drain.py."
    assert told_otherwise(summary) == [("src/mail/drain.py", "another value was said of this")]


@pytest.mark.parametrize(
    "summary",
    [
        "The cart page handler now lives under src/web/cart.py.",
        "The mail queue is drained from src/mail/drain.py.",
        "The coupon check points at src/new/check.py.",
        "The cart page handler uses src/mail/drain.py, and src/web/cart.py too.",
        "Both queue and page are covered: src/mail/drain.py.",
    ],
)
def test_a_file_of_a_thing_is_not_another_ones(summary: str) -> None:
    """Would catch: a value corrected in few words, or beside the other, taken for exchanged."""
    assert told_otherwise(summary) == []


@pytest.mark.parametrize(
    "summary",
    [
        "Home of the cart page handler: `src/mail/drain.py`",
        "- handles cart page -> `src/mail/drain.py`",
        "Cart page: handling goes through src/mail/drain.py.",
        "Deployments use ops/mail.sh, the cart page handler src/mail/drain.py.",
    ],
)
def test_few_shared_words_are_enough_where_no_other_words_tell_more(summary: str) -> None:
    """Would catch: a list item that passes because its other words were never said."""
    assert told_otherwise(summary) == [("src/mail/drain.py", "another value was said of this")]


def test_words_that_everything_is_said_with_name_no_thing() -> None:
    """Would catch: two values exchanged because a report says `change` and `index` of both."""
    said = [
        *("Change the index in src/web/cart.py.", "The drain is src/mail/drain.py."),
        *(f"Change number {word} of the index." for word in ("one", "two", "six", "ten")),
    ]
    turns = [TranscriptTurn(f"u{at}", "user", text, 9) for at, text in enumerate(said)]
    found = audit(Transcript(turns), "Layout of the index changed: src/mail/drain.py.").findings
    assert "another value was said of this" not in {each.rule for each in found}


def test_a_newer_version_of_a_thing_is_not_another_ones() -> None:
    """Would catch: the latest commit of a thing held against the one before."""
    said = ["The parcel label fix is commit 4b7a223.", "Amended: f5532bf now."]
    turns = [TranscriptTurn(f"u{at}", "assistant", text, 9) for at, text in enumerate(said)]
    found = audit(Transcript(turns), "Landed: parcel label fix (f5532bf).").findings
    assert "another value was said of this" not in {each.rule for each in found}


@pytest.mark.parametrize(
    ("said", "summary", "lost"),
    [
        ("The mail feature switch runs on 4.2.1.", "The mail feature switch runs on a release.", 1),
        (
            "The label printer gets 90 seconds per parcel.",
            "The label printer gets the agreed time per parcel.",
            1,
        ),
        ("The label printer gets 90 seconds.", "The label printer gets 90 seconds of the time.", 0),
        ("The label printer prints parcels by 9.", "The limit of the garage door is unknown.", 0),
    ],
)
def test_each_common_noun_may_be_the_one_that_stands_in(said: str, summary: str, lost: int) -> None:
    """Would catch: a thing whose name has a common noun, and quantities that are just agreed."""
    turns = [TranscriptTurn("u", "user", said, 9)]
    rules = [each.rule for each in audit(Transcript(turns), summary).findings]
    assert rules.count("value left out") == lost


def test_a_common_noun_in_place_of_a_value_is_found() -> None:
    """Would catch: `the agreed script` standing for the script that was named."""
    summary = "Deployments of the mail queue are all done from the agreed script."
    assert [rule for _, rule in told_otherwise(summary)] == ["value left out"]
    assert told_otherwise(f"{summary} It is ops/mail.sh.") == []


@pytest.mark.parametrize("width", [28, 36, 44])
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_wrapped_summary_says_the_same(width: int, indent: str) -> None:
    """Would catch: a sentence that a line break cuts judged by one half of it."""
    said = (
        "Never rename USER_ORDER_CURSOR, TOKEN_INVOICE_QUEUE, BATCH_SHARD_TOKEN.",
        "Only TaskRunner may open src/web/connection_pool.py in production.",
        "The cache of the mail queue must stay below 83 MB.",
    )
    turns = [TranscriptTurn(f"u{n}", "user", text, 20) for n, text in enumerate(said)]
    lines = (
        "USER_ORDER_CURSOR, TOKEN_INVOICE_QUEUE, BATCH_SHARD_TOKEN must never be renamed.",
        "In production nothing but TaskRunner may open src/web/connection_pool.py.",
        "The cache of the mail queue must stay below 83 MB.",
    )
    wrapped = [
        textwrap.fill(f"- {each}", width, subsequent_indent=indent, break_long_words=False)
        for each in lines
    ]
    found = audit(Transcript(turns), "\n".join(wrapped)).findings
    assert [each for each in found if each.severity is not Severity.INFO] == []


def test_lines_that_were_not_wrapped_stay_lines() -> None:
    """Would catch: a list without marks read as one sentence."""
    text = "Never push to main\nUse uv for installs\nRun the tests before a commit\nKeep it small"
    assert unwrapped(text) == text


@given(st.text(alphabet="ab -\n.>#|`", max_size=200))
def test_unwrapping_moves_nothing(text: str) -> None:
    """Would catch: a place that points beside what it names in the text as it was given."""
    made = unwrapped(text)
    assert len(made) == len(text)
    assert all(a == b or (b == " " and a in "\n >") for a, b in zip(text, made, strict=True))
