"""Rules that a summary softens, and limits that it turns round, beside what keeps them."""

import pytest

from turnfold import Transcript, TranscriptTurn
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import evidence_of
from turnfold.audit._finding import Status
from turnfold.audit.rules import check


def statuses(said: str, told: str) -> list[str]:
    """Return what became of the rules of one turn in a bare summary."""
    transcript = Transcript([TranscriptTurn("u", "user", said, 9)])
    outcome = check(evidence_of(transcript, f"Work went on.\n{told}\n", ()), AuditConfig())
    return [each.status.value for each in outcome.findings]


DUTY = "You must run `make seal` before each tag."


@pytest.mark.parametrize(
    "told",
    [
        "It'd be great to run `make seal` before each tag.",
        "We'd appreciate running `make seal` before each tag.",
        "We like to run `make seal` before each tag.",
        "It's customary to run `make seal` before each tag.",
        "Running `make seal` before each tag is good to have.",
        "Running `make seal` before each tag is left to the author.",
        "Running `make seal` before each tag is voluntary.",
        "Run `make seal` before each tag at your convenience.",
        "Run `make seal` before each tag, time permitting.",
        "Run `make seal` before each tag insofar as possible.",
        "Run `make seal` before each tag if you remember.",
        "Run `make seal` before each tag, with the odd exception.",
        "In general, run `make seal` before each tag.",
        "The advice is to run `make seal` before each tag.",
        "One option is to run `make seal` before each tag.",
        "Keep running `make seal` before each tag in mind.",
        "`make seal` is run before each tag at times.",
        "`make seal` is run before each tag as a matter of routine.",
    ],
)
def test_a_duty_that_is_left_to_taste_is_weakened(told: str) -> None:
    """Would catch: a must that became a wish, a habit, an option or a matter of convenience."""
    assert statuses(DUTY, told) == [Status.WEAKENED]


@pytest.mark.parametrize(
    "told",
    [
        "We'd rather not push to `rel_two`.",
        "Aim to avoid pushing to `rel_two`.",
        "Do not push to `rel_two` without thinking.",
        "Don't push to `rel_two` more than needed.",
        "In principle, don't push to `rel_two`.",
    ],
)
def test_a_ban_that_is_left_to_taste_is_weakened(told: str) -> None:
    """Would catch: a never that became a reluctance."""
    assert statuses("Never push to `rel_two`.", told) == [Status.WEAKENED]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (DUTY, "Do not forget to run `make seal` before each tag."),
        (DUTY, "There is no way around running `make seal` before each tag."),
        ("Don't forget to run `make seal` before each tag.", "Run `make seal` before each tag."),
        ("Under no circumstances add `requirements.txt`.", "Never, ever add `requirements.txt`."),
        ("A call must end in at most 45 s.", "A call may take 45 s, not more."),
        ("A call must end in at most 45 s.", "Keep a call down to 45 s."),
        ("A call needs at least 45 s.", "A call gets 45 s and no less."),
        ("A call needs at least 45 s.", "A call needs 45 s and up."),
        ("Never push to `rel_two`.", "Keep in mind: never push to `rel_two`."),
        ("Never push to `rel_two`.", "The user set it as a rule that nobody pushes to `rel_two`."),
        ("Node 18 or newer is required.", "At least Node 18 is required."),
        ("Locks older than 1 hour must be removed.", "Remove locks that are over 1 hour old."),
    ],
)
def test_a_rule_in_other_words_of_the_same_weight_is_kept(said: str, told: str) -> None:
    """Would catch: `do not forget to` read as a ban, and a stressed rule that counts as another."""
    assert statuses(said, told) == []


def test_what_must_not_be_forgotten_is_asked_for() -> None:
    """Would catch: leniency towards `don't forget` that hides its opposite."""
    said = "Don't forget to seal `rel_note` before each tag."
    assert statuses(said, "Do not seal `rel_note` before each tag.") == [Status.NEGATED]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Up to 45 s for a call.", "A call must take at least 45 s."),
        ("Up to 45 s for a call.", "At least 45 s for a call."),
        ("Call length <= 45 s.", "The call length is at least 45 s."),
        ("A call must stop at 45 s.", "A call must take no less than 45 s."),
        ("A call must reach 45 s.", "A call must not go over 45 s."),
        ("A call gets 45 s and no less.", "A call gets at most 45 s."),
        ("Node 18 or newer is required.", "Node 18 or older is required."),
        ("Logs are kept for a minimum of 90 days.", "Logs are kept for a maximum of 90 days."),
        ("Locks older than 1 hour must be removed.", "Locks younger than 1 hour must be removed."),
    ],
)
def test_a_limit_that_is_turned_round_is_found_though_no_word_makes_it_a_rule(
    said: str, told: str
) -> None:
    """Would catch: a ceiling told as a floor, which no `must` announces."""
    assert statuses(said, told) == [Status.NEGATED]


@pytest.mark.parametrize("said", ["Up to 45 s for a call.", "The nightly run took at most 45 s."])
def test_a_figure_that_is_no_rule_need_not_be_kept(said: str) -> None:
    """Would catch: every figure of a user demanded as if it were a rule."""
    assert statuses(said, "The parser is new.") == []


def test_a_measurement_is_no_limit() -> None:
    """Would catch: what a user saw told apart from what is asked for by its figure alone."""
    assert statuses("The nightly run took at most 45 s.", "Nightly runs get at least 45 s.") == []


@pytest.mark.parametrize(
    "said",
    [
        "Only `a_log`, `b_log` and `c_log` may be deleted.",
        "The only files you may change are `a_log`, `b_log`, `c_log`.",
    ],
)
def test_an_item_of_what_alone_is_allowed_is_missed(said: str) -> None:
    """Would catch: an `only` before names in backticks that counts as no rule."""
    assert statuses(said, said) == []
    assert statuses(said, said.replace("`b_log`", "").replace(", ,", ",")) == [Status.NARROWED]
