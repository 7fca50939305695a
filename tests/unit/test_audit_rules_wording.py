"""Rules in the words that people use for them, kept and changed in other words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Transcript, TranscriptTurn
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Outcome, evidence_of
from turnfold.audit._finding import Severity, Status
from turnfold.audit.rules import check
from turnfold.audit.rules._opposites import is_turned


def held(said: str, summary: str, role: str = "user") -> Outcome:
    """Return the outcome for one turn and a bare summary."""
    transcript = Transcript([TranscriptTurn("u", role, said, 9)])
    return check(evidence_of(transcript, f"Work went on.\n{summary}\n", ()), AuditConfig())


RULES = [
    "Leave `pay/ledger.py` alone until Monday.",
    "Keep `DB_TOKEN` out of the page.",
    "Hands off `ops/hosts.ini`.",
    "Steer clear of `eval` in the templates.",
    "Stick to `make` for the builds.",
    "Stop adding comments to `lib/io.c`.",
    "`ops/hosts.ini` is off limits for interns.",
    "Rewriting the ledger is out of the question.",
    "A passing `check` is a hard requirement.",
    "`ops/hosts.ini` is frozen until the audit.",
    "It is essential that the ids stay sorted.",
    "Nobody touches the ledger.",
    "Nothing ships without a review.",
    "Each table needs an owner.",
    "All dates go through `to_utc`.",
    "We don't use globals in the core.",
    "I expect every table to have an owner.",
    "You're not to call the vendor.",
    "House rule: tabs in makefiles.",
    "Ask me before you drop a table.",
    "Squash the commits before each merge.",
    "The worker has to stay on the small box.",
    "Whatever you do, don't drop the ledger.",
    "Make sure `audit.log` is written.",
    "Secrets live in `vault.ini` and nowhere else.",
    "The ceiling for the cache is 64 MB.",
    "Four workers tops.",
    "A call gets 3 s, not a second more.",
    "Anything over 2 s is too slow.",
    "Neither `a_log`, `b_log` nor `c_log` may be dropped.",
    "Protected files: `a_log`, `b_log`, `c_log`.",
    "Nobody connects to `ledger_db` from a laptop, ok?",
    "Don't you ever drop `a_log`.",
    "Strictly no network in `specs/unit`.",
    "Please no `left_pad` in the client.",
    "We can't have anyone calling `wipe` from a page.",
    "In the core we write no globals.",
    "Make it a rule that `ship.sh` asks twice.",
    "Require a green `check` before each push.",
    "Whenever you bump the schema, tag the commit.",
    "If you touch `app.proto`, run `make stubs` first.",
    "If any hook fails, stop and tell me.",
    "The ledger table gets soft deletes only.",
    "For dates, `chrono` and only `chrono`.",
    "`AppFault` is the one exception we raise in handlers.",
    "All sums are stored as integers in `ledger_rows`.",
    "Fix it without touching `public_api.h`.",
    "Under no condition should `wipe_all` run on the live box.",
    "Commits are signed, always, with the team key.",
    "Please resist adding helpers to `util.py`.",
    "I need you to run `make check` prior to every commit.",
    "Feature flags have to default to off.",
    "I don't want to see `goto` in the parser.",
    "`live.env` doesn't get committed.",
    "`a.lock` is pinned for the parser; don't bump it by hand.",
    "The search can't take more than 300 ms.",
    "Anything over 2 GB of memory for `indexer` is out.",
    "Leave 4 GB of disk free, minimum.",
    "Have no fewer than 2 nodes in the pool.",
    "Page size: 100 items, no more.",
]


@pytest.mark.parametrize("said", RULES)
def test_a_rule_is_known_however_it_is_worded(said: str) -> None:
    """Would catch: rules that are read as talk, so that nobody misses them."""
    (finding,) = held(said, "The parser is new.").findings
    assert (finding.kind, finding.status) == ("constraint", Status.LOST)


@pytest.mark.parametrize(
    "said",
    [
        "keep going",
        "leave it to me",
        "The build takes under 3 s.",
        "The spinner stays on screen when I click.",
        "I left the ledger alone.",
        "Nothing works in the report.",
        "Should we leave `pay/ledger.py` alone?",
        "The docs say that `ops/hosts.ini` is off limits.",
        "Maybe keep `DB_TOKEN` out of the page.",
        "All tests pass.",
        "Rename `old_name` to `new_name` in the parser.",
        "The cache was capped at 64 MB.",
        "Nobody knows why `build.sh` stops.",
        "No matter, `build.sh` is slow.",
        "If I change `config.py`, the page is empty.",
        "When you run `make test`, it prints a warning.",
        "It works without touching `settings.py`, nice.",
        "The only thing I changed is `package.json`.",
        "Require paths are broken in `dist/`.",
        "It happens on `windows` only.",
        "I bumped the pool up to 20 and it still hangs.",
        "yes, it needs to cover all of it",
        "I need to look at every log.",
    ],
)
def test_talk_and_orders_of_the_moment_need_not_be_kept(said: str) -> None:
    """Would catch: every sentence of a user taken for a rule that a summary must repeat."""
    assert held(said, "The parser is new.").findings == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Leave `pay/ledger.py` alone.", "`pay/ledger.py` must not be edited."),
        ("Leave the old tags in place.", "The old tags must not be removed."),
        ("Never skip `lint`.", "`lint` must always be run."),
        ("Never deploy with `--force`.", "Deploys must be without `--force`."),
        ("Keep `DB_TOKEN` out of the page.", "The page must not contain `DB_TOKEN`."),
        ("Nothing ships without a review.", "A review is required before anything ships."),
        ("Only Ann merges to `live`.", "`live` is merged to by Ann alone."),
        ("Stay away from `eval` in the templates.", "Avoid `eval` in the templates."),
        ("Call `flush` once per batch, not per row.", "`flush` must be called once per batch."),
        ("The ceiling for the cache is 64 MB.", "The cache must not exceed 64 MB."),
        ("Anything slower than 2 s is refused.", "It must not be slower than 2 s."),
        ("Keep 3 copies or more.", "At least 3 copies must be kept."),
        ("The page must load in under 2 s.", "The page may take 2 s at most."),
        ("Neither `a_log` nor `b_log` can be dropped.", "`a_log` and `b_log` must not be dropped."),
        ("Every table needs an owner.", "Tables must have an owner."),
        ("`gen.ts` is generated, never edit it by hand.", "Never hand-edit `gen.ts` (generated)."),
        ("Never hand-edit `gen.ts`.", "`gen.ts` is generated, never edit it by hand."),
        ("Nothing from `vault.ini` may be logged.", "It is forbidden to log from `vault.ini`."),
        ("`old.py` is hands-off until May.", "`old.py` must not be edited until May."),
        ("Don't let `app.db` grow beyond 1 GB.", "`app.db` must not grow past 1 GB."),
        ("The search can't take more than 300 ms.", "The search takes 300 ms at most."),
        ("The sync may last 45 minutes, not longer.", "The sync must end within 45 minutes."),
        ("Keep `ids` stable.", "`ids` must be kept stable so that clients can rely on them."),
        ("Hands off `a.py`, the tax job depends on it.", "`a.py` must not be touched."),
    ],
)
def test_a_rule_that_is_told_in_other_words_is_kept(said: str, told: str) -> None:
    """Would catch: another verb, another order of words or a double negation called a change."""
    assert held(said, told).findings == []


@pytest.mark.parametrize(
    ("said", "told", "status"),
    [
        ("Leave `pay/ledger.py` alone.", "Go ahead and edit `pay/ledger.py`.", Status.WEAKENED),
        ("Leave `pay/ledger.py` alone.", "Edit `pay/ledger.py`.", Status.NEGATED),
        ("Never skip `lint`.", "Skip `lint`.", Status.NEGATED),
        ("Disable `beacon` on every host.", "Enable `beacon` on every host.", Status.NEGATED),
        ("Respect `robots.txt` on every host.", "Ignore `robots.txt` on hosts.", Status.NEGATED),
        ("Every table needs an owner.", "No table needs an owner.", Status.NEGATED),
        ("A review is a hard requirement.", "A review is optional.", Status.NEGATED),
        ("Keep `eval` out of here.", "It would be nice to keep `eval` out.", Status.WEAKENED),
        ("Every table needs an owner.", "An owner is a plus for a table.", Status.WEAKENED),
        (
            "Stop adding mocks to the suite.",
            "Mocks in the suite are frowned upon.",
            Status.WEAKENED,
        ),
        ("Tests need `SEED` at all times.", "Tests need `SEED` where practical.", Status.WEAKENED),
        ("The ceiling for the cache is 64 MB.", "The floor of the cache is 64 MB.", Status.NEGATED),
        ("Four workers tops.", "There is no limit of four workers.", Status.NEGATED),
        ("Keep 3 copies or more.", "3 copies or fewer must be kept.", Status.NEGATED),
        ("Cap the cache at 64 MB.", "The cache gets 64 MB as a floor.", Status.NEGATED),
        (
            "Retries must stop after 5 minutes.",
            "Retries must stop after 5 minutes at the earliest.",
            Status.NEGATED,
        ),
        (
            "Anything above 79 KB for the check is too much until the audit is over.",
            "The check must stay above 79 KB until the audit is over.",
            Status.NEGATED,
        ),
        (
            "Timeouts under 5 s are not allowed.",
            "Timeouts are ideally at least 5 s.",
            Status.WEAKENED,
        ),
        ("Drop no more than 5 rows.", "Drop not much more than 5 rows.", Status.WEAKENED),
        ("All writes go through `relay_v2`.", "Writes can go through `relay_v2`.", Status.WEAKENED),
        (
            "Under no condition should `wipe_all` run in staging.",
            "`wipe_all` should normally not run in staging.",
            Status.WEAKENED,
        ),
        (
            "Never use `eval`, it is usually a bad idea.",
            "`eval` should ideally not be used.",
            Status.WEAKENED,
        ),
        ("Always pin `relay_v2`.", "`relay_v2` is nearly always pinned.", Status.WEAKENED),
        ("You must pin `relay_v2`.", "Pin `relay_v2` at the team's discretion.", Status.WEAKENED),
        ("Never drop `a_log`.", "`a_log` is not meant to be dropped.", Status.WEAKENED),
        ("Make sure `SEED` is set.", "`SEED` must be left unset.", Status.NEGATED),
        (
            "Keep `ids` private as long as the beta is open.",
            "`ids` has to become public as long as the beta is open.",
            Status.NEGATED,
        ),
        (
            "Only `relay_v2` may open sockets.",
            "Sockets may be opened by anything but `relay_v2`.",
            Status.NEGATED,
        ),
        (
            "`SEED` has to be exported in staging, otherwise the tax job misbehaves.",
            "Do not export `SEED` in staging for the sake of the tax job.",
            Status.NEGATED,
        ),
        ("No squashing behind the gate.", "No squashing.", Status.NARROWED),
        ("Merges need approval from the owners.", "Merges need approval.", Status.NARROWED),
        ("Hands off `ops/hosts.ini` this year.", "That file must not be touched.", Status.LOST),
        (
            "All of `a_log`, `b_log` and `c_log` have to stay.",
            "`a_log` and `c_log` have to stay.",
            Status.NARROWED,
        ),
    ],
)
def test_a_rule_that_is_changed_in_other_words_is_found(
    said: str, told: str, status: Status
) -> None:
    """Would catch: permissions, tastes and opposites taken for the rule."""
    findings = held(said, told).findings
    assert [each.status for each in findings] == [status]
    assert findings[0].severity is Severity.HIGH


ORDER = "Send the invoices through `relay_v2`."


def test_an_order_is_no_rule_but_its_opposite_is_found() -> None:
    """Would catch: a summary that tells to do what the user had otherwise."""
    assert held(ORDER, "The parser is new.").findings == []
    assert held(ORDER, "The invoices were not sent through `relay_v2` yet.").findings == []
    (finding,) = held(ORDER, "Do not send the invoices through `relay_v2`.").findings
    assert finding.status is Status.NEGATED


CHOICE = "We settled on `redis_queue` for the mails."


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_decision_told_the_other_way_is_found(role: str) -> None:
    """Would catch: a rejected choice that was the chosen one, whoever chose it."""
    assert held(CHOICE, "The mails use `redis_queue`.", role).findings == []
    (finding,) = held(CHOICE, "`redis_queue` was ruled out for the mails.", role).findings
    assert (finding.kind, finding.status) == ("decision", Status.NEGATED)
    (finding,) = held(CHOICE, "Settled on that one for the mails.", role).findings
    assert (finding.rule, finding.severity) == ("value left out", Severity.MEDIUM)


def test_the_last_decision_counts() -> None:
    """Would catch: a summary that follows a change of mind called wrong."""
    said = f"{CHOICE} On second thought we decided against `redis_queue` for the mails."
    assert held(said, "`redis_queue` was ruled out for the mails.").findings == []


words = st.lists(
    st.sampled_from(
        [
            *("keep", "drop", "with", "without", "never", "always", "must", "on", "off", "enable"),
            *("disable", "run", "skip", "the", "`a_b`", "not"),
        ]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(words)
def test_no_sentence_is_the_opposite_of_itself(text: str) -> None:
    """Would catch: pairs of words that are counted on one side only."""
    assert not is_turned(text, text)


@given(words, words)
def test_being_opposite_is_mutual(one: str, other: str) -> None:
    """Would catch: a verdict that hangs on who speaks first."""
    assert is_turned(one, other) == is_turned(other, one)


@given(words)
def test_a_rule_that_is_told_as_it_was_said_is_kept(text: str) -> None:
    """Would catch: a finding on a summary that repeats the user."""
    assert held(f"{text}.", f"{text}.").findings == []
