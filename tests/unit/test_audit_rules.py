"""The users' standing rules and corrections, and what became of them in a summary."""

import pytest

from turnfold import Transcript, TranscriptTurn
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Outcome, evidence_of
from turnfold.audit._finding import Axis, Severity, Status
from turnfold.audit.rules import check


def held(said: str | list[str], summary: str, staying: tuple[str, ...] = ()) -> Outcome:
    """Return the outcome for users' turns `u0`, `u1`, ... and a bare summary."""
    texts = [said] if isinstance(said, str) else said
    turns = [TranscriptTurn(f"u{at}", "user", text, 9) for at, text in enumerate(texts)]
    return check(evidence_of(Transcript(turns), summary, staying), AuditConfig())


def statuses(said: str | list[str], summary: str, staying: tuple[str, ...] = ()) -> list[Status]:
    """Return what was found, in order."""
    return [finding.status for finding in held(said, summary, staying).findings]


NEVER = "Never publish from a laptop."
LIMIT = "A page may hold at most 40 rows."
ONLY = "Only the release bot may tag versions."
BEFORE = "You must call `make check` before each merge."
HAN = "不要删除 data/seed.sql。"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (NEVER, "Never publish from a laptop."),
        (NEVER, "- **Publishing from a laptop** is forbidden"),
        (NEVER, "The user does not allow publishing from a laptop."),
        (NEVER, "| rule | do not publish from a laptop |"),
        (NEVER, "The rules for releases are: you must\nnever publish from a laptop."),
        (NEVER, "Rules:\n- never publish from a\n  laptop"),
        (LIMIT, "Pages hold no more than 40 rows."),
        (LIMIT, "Rows of a page: max 40"),
        (LIMIT, "A page must not exceed forty rows, that is 40 rows."),
        (ONLY, "Versions may be tagged by the release bot only."),
        (BEFORE, "`make check` has to be called before every merge."),
        ("Keep replies under 90 words, always.", "Replies must stay below 90 words."),
        (HAN, "禁止删除 data/seed.sql。"),
        (HAN, "用户要求\uff1adata/seed.sql 不得删除。"),
    ],
)
def test_a_rule_that_is_said_in_other_words_is_kept(rule: str, sentence: str) -> None:
    """Would catch: a paraphrase that is called lost."""
    outcome = held(rule, f"Work went on.\n{sentence}\n")
    assert outcome.findings == []
    assert outcome.checked == 1


@pytest.mark.parametrize(
    ("rule", "sentence", "status"),
    [
        (NEVER, "The parser was rewritten.", Status.LOST),
        (NEVER, "Publish from a laptop.", Status.NEGATED),
        (NEVER, "Always publish from a laptop.", Status.NEGATED),
        (NEVER, "Publishing from a laptop is allowed.", Status.NEGATED),
        (NEVER, "Try not to publish from a laptop.", Status.WEAKENED),
        (NEVER, "Ideally, never publish from a laptop.", Status.WEAKENED),
        (NEVER, "Never publish from a laptop unless it is urgent.", Status.NARROWED),
        (LIMIT, "A page may hold at least 40 rows.", Status.NEGATED),
        (LIMIT, "A page may hold at most 45 rows.", Status.MUTATED),
        (LIMIT, "A page has 40 rows.", Status.NARROWED),
        (ONLY, "The release bot may tag versions.", Status.WEAKENED),
        (BEFORE, "You must not call `make check` before each merge.", Status.NEGATED),
        (BEFORE, "You should call `make check` before each merge.", Status.WEAKENED),
        (BEFORE, "You need not call `make check` before each merge.", Status.NEGATED),
        (BEFORE, "You must call `make check`.", Status.NARROWED),
        ("Do not drop a_log, b_log or c_log.", "Do not drop a_log or c_log.", Status.NARROWED),
        (BEFORE, "Call `make check` before each merge, usually.", Status.WEAKENED),
        ("Never edit lib/old.c by hand.", "Never edit lib/odd.c by hand.", Status.EXCHANGED),
        (HAN, "可以删除 data/seed.sql。", Status.NEGATED),
        (HAN, "尽量不要删除 data/seed.sql。", Status.WEAKENED),
        ("响应至多 200 字。", "响应至少 200 字。", Status.NEGATED),
        ("只能用 Rust 写扩展。", "可以用 Rust 写扩展。", Status.WEAKENED),
    ],
)
def test_a_rule_that_is_changed_is_found_with_what_changed(
    rule: str, sentence: str, status: Status
) -> None:
    """Would catch: presence of the words taken for presence of the rule."""
    (finding,) = held(rule, f"Work went on.\n{sentence}\n").findings
    assert (finding.status, finding.severity) == (status, Severity.HIGH)
    assert (finding.axis, finding.kind) == (Axis.COMPLIANCE, "constraint")
    assert finding.literal == rule
    assert finding.leaf_turn_ids == ("u0",)


def test_a_changed_rule_has_its_place_and_a_lost_one_has_none() -> None:
    """Would catch: places that point beside the sentence."""
    summary = "## Rules\n\nWork went on.\n- Publish from a laptop.\n"
    (finding,) = held(NEVER, summary).findings
    assert finding.place is not None
    assert summary[finding.place.start : finding.place.end] == "Publish from a laptop."
    assert finding.nearest == "Publish from a laptop."
    (lost,) = held(NEVER, "Work went on.").findings
    assert (lost.place, lost.nearest) == (None, None)


def test_a_sentence_of_another_thing_does_not_keep_a_rule() -> None:
    """Would catch: some words in common taken for the same rule."""
    rule = "Never rename the ledger table of the billing export."
    assert statuses(rule, "The ledger table never grew.") == [Status.UNVERIFIED]
    assert statuses(rule, "The export never ended.") == [Status.LOST]


def test_wording_that_is_not_understood_is_unverified_and_not_kept() -> None:
    """Would catch: a story about the rule's subject taken for the rule."""
    (finding,) = held(NEVER, "The team talked about a laptop and publishing.").findings
    assert (finding.status, finding.severity) == (Status.UNVERIFIED, Severity.MEDIUM)


@pytest.mark.parametrize(
    "said",
    [
        "Why must we never publish from a laptop?",
        "can you always sort the keys",
        "ok, which of the tags must never be pushed",
        "The tags are a mess, and which ones must be signed",
        "The docs say that you must never call free() twice.",
        "according to the wiki, tags must be signed",
        "> Never publish from a laptop.",
        "```\nnever publish from a laptop\n```",
        "    never publish from a laptop, it says",
        "<system-reminder>\nNever publish from a laptop.\n</system-reminder>",
        "2026-01-05 10:00:01 ERROR value must not be null in row",
        '{"rule": "you must never publish"}',
        "It never works when I press the button.",
        "I don't know why the page is empty.",
        "it must be the cache that is stale",
        "there are at least 3 tests that failed",
        "fix the two tests and commit the result",
        "don't commit that change yet",
        "Maybe we should never publish from a laptop.",
        "服务总是失败\uff0c为什么不能启动\uff1f",
        "文档说必须先登录。",
        "No errors found in the report.",
        "Don't let me forget to look at the sockets.",
        "don't rename it",
        "Do not proceed; keep the type.",
        "Do not use any tools.",
        "Never until the index drops.",
        "Only my usual subscription.",
        "No other conditions.",
        "this plan must be written so that others can follow it",
    ],
)
def test_what_does_not_bind_is_no_rule(said: str) -> None:
    """Would catch: questions, quotations, complaints and requests of the moment as rules."""
    outcome = held(said, "Nothing of the kind.")
    assert (outcome.findings, outcome.checked) == ([], 0)


@pytest.mark.parametrize(
    ("rule", "kept", "turned"),
    [
        (
            "Never push to main, which is protected.",
            "Pushing to main is forbidden.",
            "Push to main when it is green.",
        ),
        (
            "Do not use any external services.",
            "Everything has to run without external services.",
            "External services must be used.",
        ),
        (
            "Do not edit config.yaml, where the secrets live.",
            "config.yaml must not be edited.",
            "Edit config.yaml.",
        ),
        (
            "You must run make lint before each commit, which takes a minute.",
            "make lint must be run before each commit.",
            "make lint is optional before a commit.",
        ),
    ],
)
def test_a_rule_binds_with_what_says_more_of_its_thing(rule: str, kept: str, turned: str) -> None:
    """Would catch: a relative clause as a question, or as where it holds; an `any` as a request."""
    assert statuses(rule, kept) == []
    assert statuses(rule, turned)


def test_only_user_turns_that_were_not_injected_bind() -> None:
    """Would catch: a rule of a tool's output, of the assistant, or of an injected skill."""
    turns = [
        TranscriptTurn("a", "assistant", NEVER, 9),
        TranscriptTurn("t", "tool", NEVER, 9, metadata={"turnfold.tool_name": "read"}),
        TranscriptTurn("i", "user", NEVER, 9, metadata={"turnfold.kind": "injected"}),
    ]
    outcome = check(evidence_of(Transcript(turns), "Work went on."), AuditConfig())
    assert (outcome.findings, outcome.checked) == ([], 0)


def test_a_rule_in_a_turn_that_stays_is_kept() -> None:
    """Would catch: a rule called lost that the model still reads."""
    assert statuses([NEVER, "hello", NEVER], "Work went on.", ("u2",)) == []
    assert statuses([NEVER, "hello", NEVER], "Work went on.", ("u1",)) == [Status.LOST]


def test_the_same_rule_said_often_is_one_finding_with_ten_turns_at_most() -> None:
    """Would catch: a finding a repetition, or an endless list of turns."""
    outcome = held([NEVER] * 14, "Work went on.")
    (finding,) = outcome.findings
    assert finding.leaf_turn_ids == tuple(f"u{at}" for at in range(10))
    assert outcome.checked == 1


def test_the_later_of_two_rules_of_one_thing_is_in_force() -> None:
    """Would catch: a summary that follows the user's last word called wrong."""
    said = ["Retries: at most 3 per call.", "Retries: at most 5 per call."]
    assert statuses(said, "Retries: at most 5 per call.") == []
    assert statuses(said, "Retries: at most 3 per call.") == [Status.MUTATED]


def test_a_bare_lead_rules_each_part_of_its_list() -> None:
    """Would catch: lists under "Never:" that are not read."""
    said = "Never:\n- publish from a laptop\n- rename a table\n"
    assert statuses(said, "Never rename a table.") == [Status.LOST]
    assert statuses(said, said) == []


SWAP = "No, use Postgres instead of MySQL for the store."
PORT = ["The port is 8080.", "Sorry, the port is 8443."]


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        (SWAP, "The store is on Postgres."),
        (SWAP, "The store uses Postgres instead of MySQL."),
        (SWAP, "Store: Postgres (was MySQL)."),
        (SWAP, "The store changed from MySQL to Postgres."),
        (PORT, "It listens on port 8443."),
        (PORT, "The port was 8080 and is 8443 now."),
        (["改成 8443", "ok"], "端口是 8443。"),
        (["Set it to 30.", "no, from 30 to 60 is too much"], "Nothing changed."),
        ([SWAP, "Back again: use MySQL instead of Postgres for the store."], "The store is MySQL."),
    ],
)
def test_a_summary_that_follows_a_correction_is_right(said: str | list[str], summary: str) -> None:
    """Would catch: the mention of what was replaced called stale."""
    assert statuses(said, summary) == []


@pytest.mark.parametrize(
    ("said", "summary", "status", "severity"),
    [
        (SWAP, "The store uses MySQL.", Status.STALE, Severity.HIGH),
        ("从 redis:6.2 升级到 redis:7.0。", "缓存用 redis:6.2。", Status.STALE, Severity.HIGH),
        (SWAP, "Stores: MySQL and Postgres.", Status.COEXISTS, Severity.MEDIUM),
        (
            SWAP,
            "Postgres is set up. The store is MySQL.",
            Status.COEXISTS,
            Severity.HIGH,
        ),
        (SWAP, "Work went on.", Status.LOST, Severity.HIGH),
        (PORT, "The port is 8080.", Status.STALE, Severity.HIGH),
        ("不是 8080\uff0c是 8443。", "服务的端口\uff1a8080。", Status.STALE, Severity.HIGH),
        ("把 old_name 改成 new_name", "函数叫 old_name。", Status.STALE, Severity.HIGH),
        ("用 pnpm 代替 npm", "依赖由 npm 安装。", Status.STALE, Severity.HIGH),
        ("We use pnpm here, not npm.", "The tool is npm.", Status.STALE, Severity.HIGH),
        ("Take the dark theme, not the light one.", "Theme: light.", Status.STALE, Severity.HIGH),
        ("Not retry_limit but retry_count.", "It reads retry_limit.", Status.STALE, Severity.HIGH),
        ("Change 30s to 60s for the timeout.", "The timeout: 30s.", Status.STALE, Severity.HIGH),
    ],
)
def test_a_stale_value_is_found(
    said: str | list[str], summary: str, status: Status, severity: Severity
) -> None:
    """Would catch: the user's last word forgotten."""
    (finding,) = held(said, summary).findings
    assert (finding.kind, finding.status, finding.severity) == ("correction", status, severity)


def test_a_guess_that_a_summary_states_as_a_fact_is_a_candidate() -> None:
    """Would catch: a hypothesis made a fact; and a confirmed one that is still flagged."""
    guess = TranscriptTurn("a", "assistant", "Maybe the stale index in load.py is the cause.", 9)
    sure = TranscriptTurn("b", "assistant", "Yes: the stale index in load.py is the cause.", 9)
    summary = "The stale index in load.py is the cause."
    (finding,) = check(evidence_of(Transcript([guess]), summary), AuditConfig()).findings
    assert (finding.status, finding.severity) == (Status.UNVERIFIED, Severity.MEDIUM)
    assert finding.leaf_turn_ids == ("a",)
    assert check(evidence_of(Transcript([guess, sure]), summary), AuditConfig()).findings == []


def test_a_rule_that_no_user_made_is_a_candidate() -> None:
    """Would catch: rules that a summary invents; and a paraphrased one called invented."""
    invented = "The user requires that all invoices are always encrypted with Blowfish."
    (finding,) = held("Sort the columns by name.", invented).findings
    assert (finding.status, finding.severity) == (Status.UNVERIFIED, Severity.MEDIUM)
    assert finding.rule == "no user said it"
    said = "encrypt every invoice, with blowfish please"
    assert statuses(said, invented) == []


def test_credentials_are_never_printed() -> None:
    """Would catch: a secret of a rule in a report."""
    key = "ghp_" + "a1B2c3D4" * 4
    outcome = held(f"Never log the key {key} to disk.", f"Log the key {key} to disk.")
    (finding,) = outcome.findings
    assert key not in repr(finding)


def test_the_check_can_be_turned_off() -> None:
    """Would catch: an option that does nothing."""
    evidence = evidence_of(Transcript([TranscriptTurn("u", "user", NEVER, 9)]), "Work went on.")
    off = check(evidence, AuditConfig(check_compliance=False))
    assert (off.findings, off.checked, off.notes) == ([], 0, ())


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Никогда не публикуй эту страницу, пожалуйста.", "Cyrillic"),
        ("ファイルを変更しないでください。", "Japanese"),
        ("테스트를 절대 건너뛰지 마세요.", "Korean"),
        ("Bitte niemals auf den Server gehen, das ist nicht erlaubt.", "German"),
        ("Ne change jamais les fichiers dans le dossier, sans que je le dise.", "French"),
    ],
)
def test_a_language_without_rules_is_said_and_not_passed_over(said: str, language: str) -> None:
    """Would catch: a silent pass where nothing could be read."""
    (note,) = held(said, "Work went on.").notes
    assert language in note
    assert said not in note


@pytest.mark.parametrize("said", [NEVER, HAN, "ok", "commit this, push and open a draft PR"])
def test_known_languages_are_not_noted(said: str) -> None:
    """Would catch: a note at every short turn."""
    assert held(said, "Work went on, and the rest is to be done.").notes == ()


def test_a_pasted_document_is_noted_and_need_not_be_kept() -> None:
    """Would catch: rules called lost of a document that the user only passes on, or silence."""
    outcome = held("Each of the parts never ends in the middle of a word.\n" * 100, "Fine.")
    assert (outcome.findings, outcome.checked) == ([], 0)
    assert outcome.notes == ("1 user turns are pasted documents: their rules may be left out",)


def test_a_rule_in_another_language_than_the_summary_is_a_candidate_only() -> None:
    """Would catch: a translation called lost."""
    (finding,) = held("每次合并前必须运行测试。", "Tests must be run before a merge.").findings
    assert (finding.status, finding.severity) == (Status.UNVERIFIED, Severity.MEDIUM)
