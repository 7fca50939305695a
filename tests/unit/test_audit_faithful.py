"""Faithful reports in other words raise nothing, and what is nearly one of them still does.

Each kind of wording that once raised a false alarm stands here beside the change that it must not
hide.
"""

import pytest

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import Severity, audit

OPENING = "We are at the order service of the shop. This is how it stands."


def alarms(summary: str, *said: tuple[str, str]) -> set[tuple[str, str, str | None]]:
    """Return what an audit of a bare summary finds above INFO."""
    turns = [TranscriptTurn("t", "user", OPENING, 9)]
    turns += [TranscriptTurn(f"t{at}", *each, 9) for at, each in enumerate(said)]
    turns.append(TranscriptTurn("z", "user", "Thanks.", 2))
    report = audit(Transcript(turns), f"## Summary\n- Work on the order service.\n- {summary}")
    found = [each for each in report.findings if each.severity is not Severity.INFO]
    return {(each.kind, each.status.value, each.rule) for each in found}


KEPT = [
    # A bare order may be told as what should be done, or what the user wants.
    ("No emojis in commit messages.", "Commit messages should not contain emojis."),
    ("Don't rename the tables.", "The user would rather not have the tables renamed."),
    ("Don't use `any` in the client.", "`any` is to be avoided in the client."),
    ("Never hardcode the urls.", "The urls should never be hardcoded."),
    # A word before a noun is of the thing and not of the rule; a reason rules nothing.
    ("Always use the common logger.", "The common logger must always be used."),
    ("Only a maintainer may tag a release.", "Tagging a release is up to a maintainer only."),
    ("You must pin the base image.", "The base image must be pinned to avoid surprises."),
    ("Never retry a payment.", "Payments must never be retried, since a retry is risky."),
    ("Never commit to `rel/2.x`.", "Commits to `rel/2.x` are not tolerated."),
    # Rules are told as states and with other negations.
    ("Leave the CI workflow alone.", "The CI workflow is off limits."),
    ("Secrets must not appear in errors.", "Errors must be free of secrets."),
    ("The flag must stay off until the audit.", "Until the audit the flag must stay disabled."),
    ("Never force-push to `main`.", "Force-pushing to `main` is forbidden."),
    # One rule in two halves, or two rules in one sentence.
    ("Use pnpm, never npm.", "Package manager: pnpm; npm must not be used."),
    ("Commit each step, and do not push.", "Each step gets a commit; nothing is to be pushed."),
    (
        "Never store tokens in `local_store`; use the `safe_cookie`.",
        "Tokens belong in the `safe_cookie` and must never be stored in `local_store`.",
    ),
    ("The importer must be idempotent.", "Idempotency is required of the importer."),
    # Limits: what is refused above, and what must not be let past.
    ("Uploads larger than 10 MB must be rejected.", "Reject uploads above 10 MB."),
    ("Don't let the job run for longer than 30 minutes.", "The job must end within 30 minutes."),
    ("Never touch the files under `proto/gen`.", "Files under `proto/gen` must not be touched."),
    # What holds until something is what has to wait for it.
    ("Don't merge until both have approved.", "Merging has to wait for approval of both."),
    # What is allowed is no guess; what is possible is one.
    ("Only these may be forwarded: Accept, Host.", "Only Accept and Host are forwarded."),
    # Decisions: against what, and in other forms of the words.
    ("We'll use Kafka, not RabbitMQ.", "Kafka was chosen over RabbitMQ."),
    ("We're going with server-side rendering.", "Rendering will be on the server side."),
    ("Let's keep the old scheduler and postpone the rewrite.", "The rewrite was postponed."),
    ("I meant `orders_v2`, not `orders`.", "The table is `orders_v2` instead of `orders`."),
    ("Don't forget to update the page.", "The page must still be updated."),
    # What is told of in the clause of a case leaves nothing free, and limits nothing.
    ("`a.ini` is pinned for the quota job.", "`a.ini` is pinned for the quota job."),
    ("Images above 200 kB don't get committed.", "Images above 200 kB must not be committed."),
]


@pytest.mark.parametrize(("said", "told"), KEPT)
def test_a_faithful_report_raises_nothing(said: str, told: str) -> None:
    """Would catch: a careful summary that is called wrong for its words."""
    assert alarms(told, ("user", said)) == set()


CHANGED = [
    ("No emojis in commit messages.", "Commit messages may contain emojis.", "constraint"),
    ("You must not rename the tables.", "The tables should not be renamed.", "constraint"),
    ("Don't rename the tables.", "The tables should usually not be renamed.", "constraint"),
    ("Always use the common logger.", "It is common to use the common logger.", "constraint"),
    ("You must pin the base image.", "Avoid pinning the base image.", "constraint"),
    ("Secrets must not appear in errors.", "Secrets must appear in errors.", "constraint"),
    ("The flag must stay off until the audit.", "Until the audit the flag must stay on.", ""),
    ("Never force-push to `main`.", "Force-push to `main`.", "constraint"),
    ("Use pnpm, never npm.", "Package manager: yarn; tests are green.", "constraint"),
    ("Use the `safe_cookie`.", "The `safe_cookie` must never be used.", "constraint"),
    ("Uploads larger than 10 MB must be rejected.", "Reject uploads below 10 MB.", "constraint"),
    (
        "Don't let the job run for longer than 30 minutes.",
        "The job must run at least 30 minutes.",
        "",
    ),
    ("We'll use Kafka, not RabbitMQ.", "RabbitMQ was chosen over Kafka.", ""),
    ("We decided against GraphQL for the client.", "GraphQL was chosen for the client.", ""),
    ("We'll store the photos in `media/`.", "All is well.", "decision"),
    ("We're going to split `orders.py` in two.", "All is well.", "decision"),
    ("We've gone with `protobuf` on the wire.", "All is well.", "decision"),
    ("Let's put the relay into `net/relay.py`.", "All is well.", "decision"),
    ("OK, `nginx` it is for the front.", "All is well.", "decision"),
    ("The front is written in `clap`, final.", "All is well.", "decision"),
    ("We settled on `clap` for the front.", "Settled against `clap` for the front.", "decision"),
    ("After this, `fetch_rows` needs docs.", "All is well.", "todo"),
]


@pytest.mark.parametrize(("said", "told", "kind"), CHANGED)
def test_what_is_nearly_a_faithful_report_is_found(said: str, told: str, kind: str) -> None:
    """Would catch: leniency towards words that hides a change of what they say."""
    found = alarms(told, ("user", said))
    assert {each for each in found if not kind or each[0] == kind}


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ("assistant", "Yeah, I agree."),
        ("user", "Agreed."),
        ("assistant", "I\u2019m checking whether it should be called out as a follow-up."),
        ("assistant", "We're now looking into what is still missing."),
        ("user", "We'll need `docker` for that."),
        ("user", "We are moving on to `step_3`."),
        ("user", "Let's see what `make lint` says."),
        ("user", "I'll be back, keep going with `parser.py`."),
        ("user", "Our choice of words in `help.txt` is odd."),
    ],
)
def test_agreement_and_progress_are_nothing_to_keep(role: str, said: str) -> None:
    """Would catch: a decision without an object, and what is being done called left to do."""
    assert alarms("All is well.", (role, said)) == set()


def test_a_decision_with_an_object_and_what_is_left_to_do_are_kept() -> None:
    """Would catch: leniency towards agreement and progress that loses what counts."""
    said = ("user", "Agreed, we keep the monorepo."), ("assistant", "Still missing: the rollback.")
    assert {kind for kind, *_ in alarms("All is well.", *said)} == {"decision", "todo"}


def test_two_paths_in_two_turns_are_no_correction() -> None:
    """Would catch: a file that is named after another, taken for the one that replaces it."""
    said = (
        ("user", "Create a full plan of the session in docs/plan.md."),
        ("user", "You can read the full session in logs/old.jsonl (don't change the file!)"),
    )
    assert not {each for each in alarms("Plan: docs/plan.md.", *said) if each[0] == "correction"}


def test_a_path_that_is_taken_back_is_a_correction() -> None:
    """Would catch: leniency towards paths that hides a correction."""
    said = ("user", "The plan is in docs/plan.md."), ("user", "Sorry, the plan is in docs/goal.md.")
    assert ("correction", "stale", "stale value") in alarms("The plan is in docs/plan.md.", *said)


def test_two_measurements_in_the_same_words_are_no_correction() -> None:
    """Would catch: `the export takes 9 s` taken for what replaces `the import takes 7 s`."""
    said = ("user", "The nightly import takes 7 s."), ("user", "The nightly export takes 9 s.")
    assert alarms("The nightly import takes 7 s, the nightly export 9 s.", *said) == set()


@pytest.mark.parametrize(
    "correction",
    [
        "Scratch that, 45 seconds.",
        "My bad, 45 seconds.",
        "The right value is 45 seconds.",
        "30 seconds is too short, use 45 seconds.",
    ],
)
def test_a_value_that_a_bare_correction_gave_belongs_to_the_thing(correction: str) -> None:
    """Would catch: the corrected value taken for another thing's, as its sentence names none."""
    said = [("user", "Set the pause of the mail retry to 30 seconds."), ("user", correction)]
    told = "The pause of the mail retry is 45 seconds."
    assert alarms(told, *said) == set()
    assert ("correction", "stale", "stale value") in alarms(told.replace("45", "30"), *said)
    said.append(("user", "Hmm, make that 50 seconds."))
    assert alarms(told.replace("45", "50"), *said) == set()


def test_a_value_of_another_thing_is_still_exchanged() -> None:
    """Would catch: any correction that excuses a value of something else."""
    said = (
        ("user", "Set the pause of the mail retry to 30 seconds."),
        ("user", "No, 45 seconds."),
        ("assistant", "The parcel export needs 70 seconds."),
    )
    told = alarms("The pause of the mail retry is 70 seconds.", *said)
    assert ("number", "exchanged", "the original has another value here") in told


def test_what_was_taken_back_need_not_be_kept() -> None:
    """Would catch: a summary that is blamed for leaving out a value that holds no more."""
    said = (
        ("user", "We decided to retry after 30 seconds."),
        ("user", "Correction: retry after 45 seconds, not 30 seconds."),
    )
    assert alarms("Retries happen after 45 seconds.", *said) == set()


def test_a_value_on_two_lines_is_not_left_out() -> None:
    """Would catch: a line break within a value taken for its loss."""
    said = "\u5ba1\u8ba1\u65e5\u5fd7\u4e0d\u5f97\u8d85\u8fc7 714 KB\u3002"
    told = "\u5ba1\u8ba1\u65e5\u5fd7\u4e0d\u5f97\u8d85\u8fc7 714\n  KB\u3002"
    assert alarms(told, ("user", said)) == set()
