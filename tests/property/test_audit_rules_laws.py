"""Laws of the rules check: by construction, for any text, and in linear time."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Transcript, TranscriptTurn
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Outcome, evidence_of
from turnfold.audit._finding import Severity, Status
from turnfold.audit._instructions._alternatives import any_of
from turnfold.audit.rules import check

_VERBS = ("rename", "archive", "mirror", "publish", "inline", "sort", "truncate")
_OBJECTS = ("the ledger", "`src/queue.py`", "invoices", "the retry_budget field", "old snapshots")
_PLACES = ("", " in production", " on weekends", " outside the sandbox")
_FORBIDDING = ("Never {}.", "Do not {}.", "You must not {}.", "don't {}")
_SAME = ("- never {}", "The user said: must not {}.", "* **Do not** {}", "It is forbidden to {}.")
_FREED = ("You may {}.", "Always {}.", "You should {}.", "Prefer to {} where possible.", "{}")
_ELSEWHERE = "The parser was rewritten and its tables were measured.\n"

subjects = st.builds(
    lambda verb, thing, place: f"{verb} {thing}{place}",
    st.sampled_from(_VERBS),
    st.sampled_from(_OBJECTS),
    st.sampled_from(_PLACES),
)
WORDINGS = (
    r"(?<!\w)(?:never|not) ever|(?<!\w)always",
    r"(?<!\w)keep [|()] out(?!\w)",
    r"(?:^|, )only \S{1,3}|\(not\|\)",
    r"(?:^|, )(?:do|don't) (?!it)\w|x(?:a|b)|[]|)(]x",
)
wordings = st.lists(
    st.sampled_from(
        [
            *("never", "not", "ever", "always", "keep", "out", "only", "do", "don't", "it", "x"),
            *(" ", ", ", "|", "(", ")", "]", "a", "not|", "xb"),
        ]
    ),
    max_size=8,
).map("".join)
fragments = st.lists(
    st.sampled_from(
        [
            *("never ", "only ", "must ", "not ", "at most ", "3 ", "unless ", "\n", "- ", ": "),
            *("instead of ", "use ", "`", '"', "<a>", "</a>", "```", ". ", "不要", "必须", "改成"),
            *("src/a.py ", "8080 ", "is ", "from ", "to ", "maybe ", "?", "é", "\x1b[1m", "|"),
        ]
    ),
    max_size=40,
).map("".join)


def held(texts: list[str], summary: str) -> Outcome:
    """Return the outcome for users' turns and a bare summary."""
    turns = [TranscriptTurn(f"u{at}", "user", text, 9) for at, text in enumerate(texts)]
    return check(evidence_of(Transcript(turns), summary), AuditConfig())


@given(subjects, st.sampled_from(_FORBIDDING), st.sampled_from(_SAME))
def test_a_rule_in_other_words_is_kept(subject: str, said: str, again: str) -> None:
    """Would catch: a form of forbidding that is not recognised on one of the sides."""
    outcome = held([said.format(subject)], _ELSEWHERE + again.format(subject))
    assert outcome.checked == 1
    assert outcome.findings == []


@given(subjects, st.sampled_from(_FORBIDDING), st.sampled_from(_FREED))
def test_a_rule_that_no_longer_forbids_is_never_kept(subject: str, said: str, freed: str) -> None:
    """Would catch: a false certification, the words there and the rule gone."""
    (finding,) = held([said.format(subject)], _ELSEWHERE + freed.format(subject)).findings
    assert finding.severity is Severity.HIGH
    assert finding.status in {Status.NEGATED, Status.WEAKENED}


@given(st.lists(subjects, unique=True, min_size=1, max_size=5), st.sampled_from(_FORBIDDING))
def test_what_stands_nowhere_is_lost_once_for_each_rule(said: list[str], form: str) -> None:
    """Would catch: rules that shadow each other."""
    outcome = held([form.format(each) for each in said], _ELSEWHERE)
    assert [finding.status for finding in outcome.findings] == [Status.LOST] * len(said)
    assert outcome.checked == len(said)


@given(st.integers(2, 98), st.integers(2, 98))
def test_another_number_or_the_other_direction_is_never_kept(limit: int, other: int) -> None:
    """Would catch: a limit whose number or direction is not compared."""
    said = [f"A batch may hold at most {limit} jobs."]
    outcome = held(said, f"A batch may hold at most {other} jobs.")
    assert bool(outcome.findings) == (limit != other)
    assert held(said, f"A batch may hold at least {limit} jobs.").findings


@given(st.lists(fragments, max_size=4), fragments)
def test_any_text_is_read_and_every_place_is_in_the_summary(said: list[str], summary: str) -> None:
    """Would catch: a text that makes the check fail, or a report that differs from run to run."""
    outcome = held(said, summary)
    assert outcome == held(said, summary)
    for finding in outcome.findings:
        assert "\n" not in finding.literal
        assert finding.leaf_turn_ids
        if finding.place is not None:
            assert 0 <= finding.place.start < finding.place.end <= len(summary)


@pytest.mark.parametrize(
    "piece",
    [
        "never never ",
        "only only ",
        "must not exceed the limit of five and ",
        "never push x\n",
        "use a1 instead of b2 ",
        "change from a1 to b2 ",
        "不要修改配置",
        "在",
        "`",
        '"',
        "(",
        ". ",
        "1,",
        "'s",
        "<t>\n",
    ],
)
def test_time_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    """Would catch: a pattern that goes back; the square of eight times the text is 64 times."""
    whole = piece * (80_000 // len(piece))
    short = whole[: len(whole) // 8]

    def seconds(text: str) -> float:
        best = 60.0
        for _ in range(2):
            start = time.process_time()
            held([text[:3_900], text], text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(whole) < 24 * seconds(short) + 0.3


@given(wordings)
def test_one_pattern_of_many_is_found_where_one_of_them_is(text: str) -> None:
    """Would catch: a bar in a set, a group or an escape taken for an end, a beginning lost."""
    one = any_of(WORDINGS, (r"(?:^|, )", r"(?<!\w)"))
    found = [match for each in WORDINGS if (match := re.search(each, text))]
    match = one.search(text)
    assert (match.start() if match else None) == min((e.start() for e in found), default=None)
