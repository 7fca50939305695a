"""Audits a summary against its session with the installed package, and nothing else.

A good summary passes. Then one thing at a time goes wrong in it, and the audit has to name it. One
line is printed for each claim, `ok` or `FAIL`, with the number that `docs/reference/guarantees.md`
gives it, and below it what was found. The exit code is 1 if a claim fails.

    python acceptance/audit_a_summary.py
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from turnfold import (
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
)
from turnfold.audit import (
    AuditConfig,
    AuditReport,
    NotAuditable,
    Severity,
    Verdict,
    Vocabulary,
    audit,
    audit_safely,
    is_about,
)
from turnfold.audit.surface import audit_surface, read_source
from turnfold.formats import parse

Outcome = tuple[bool, tuple[str, ...]]
"""Whether a claim holds, and what was found, a line each."""

Claim = Callable[[], Outcome]
CLAIMS: list[tuple[str, str, Claim]] = []

RULE = "Never delete rows from the invoices table."
DECISION = "Decision: apply migration 0042_add_retry_count before the workers restart."
CORRECTION = "But use a timeout of 45 s instead of 30 s: INV-2291 was a timeout."
CORRECTED = "The timeout is 45 s, not 30 s"
WARNED, FAILED = 1, 2
SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"  # noqa: S105  Invented: it must not be shown.

SUMMARY = f"""The invoice worker moves to the new queue and must listen on port 8443.
{RULE}
{DECISION}
{CORRECTED} (INV-2291); src/billing/worker.py was edited.
Next step: describe the retry count in docs/queue.md.
"""


def call(name: str, tool: str, **arguments: str) -> dict[str, Any]:
    """Return a message of the assistant that calls a tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    calls = [{"id": name, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(name: str, content: str) -> dict[str, Any]:
    """Return what the tool gave."""
    return {"role": "tool", "tool_call_id": name, "content": content}


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You work on a billing service."},
    {
        "role": "user",
        "content": "Move the invoice worker to the new queue. It must listen on port 8443. "
        f"{RULE} The queue timeout is 30 s.",
    },
    call("c1", "read_file", path="src/billing/worker.py"),
    result("c1", f"TIMEOUT = 30\nPORT = 8443\nTOKEN = '{SECRET}'\ndef drain(queue): ...\n"),
    {"role": "assistant", "content": DECISION},
    {
        "role": "user",
        "content": f"Agreed. {CORRECTION}",
    },
    call("c2", "edit_file", path="src/billing/worker.py", old="TIMEOUT = 30", new="TIMEOUT = 45"),
    result("c2", "1 replacement"),
    {"role": "assistant", "content": "The worker now waits 45 s."},
    {"role": "user", "content": "Next step: describe the retry count in docs/queue.md."},
]


def claim(number: str, sentence: str) -> Callable[[Claim], Claim]:
    """Register a check under the number of its guarantee."""

    def register(check: Claim) -> Claim:
        CLAIMS.append((number, sentence, check))
        return check

    return register


@cache
def session() -> Transcript:
    """Return the session."""
    return parse(MESSAGES).transcript


@cache
def grown_session() -> Transcript:
    """Return the session with a turn behind it that stays when the others are folded."""
    last = TranscriptTurn("last", "user", "Go on.", 3)
    return Transcript((*session(), last))


def a_view(summary: str) -> CompactedView:
    """Return the session with the summary in the place of all turns but the first and the last."""
    turns = [replace(turn, pinned=False, token_estimate=100) for turn in grown_session()]
    transcript = Transcript(turns)
    budget = CompactionBudget(500, protected_recent_turns=1)
    plan = SummarizingPolicy("notes/1").decide(transcript, budget)
    (request,) = plan.summarization_requests
    return CompactionExecutor().apply(transcript, plan, {request.group_id: summary})


def but(text: str, put: str) -> str:
    """Return the good summary with something else where a text stands in it."""
    if text not in SUMMARY:
        msg = f"the summary does not have {text!r}"
        raise LookupError(msg)
    return SUMMARY.replace(text, put)


def named(report: AuditReport) -> tuple[str, ...]:
    """Return a line for each finding that weighs more than a part of the coverage."""
    return tuple(
        f"{each.axis.value} {each.kind} {each.status.value} ({each.severity.value}): "
        f"{each.literal!r}" + (f", nearest {each.nearest!r}" if each.nearest else "")
        for each in report.findings
        if each.severity is not Severity.INFO
    )


def finds(summary: str, kind: str, status: str, literal: str) -> Outcome:
    """Whether an audit fails with exit code 2, and this is the one thing that it fails for."""
    report = audit(session(), summary)
    high = [each for each in report.findings if each.severity is Severity.HIGH]
    found = [(each.kind, each.status.value, each.literal) for each in high]
    return report.exit_code == FAILED and found == [(kind, status, literal)], named(report)


@claim("A6", "a summary with everything in it passes: exit code 0")
def a_good_summary_passes() -> Outcome:
    """Audit it as it is."""
    report = audit(session(), SUMMARY)
    return report.verdict is Verdict.PASS and report.exit_code == 0, named(report)


@claim("A6", "the same as content blocks, and as a view with its ledger")
def the_forms_are_audited_alike() -> Outcome:
    """Give the summary as a provider has it, and as the executor does."""
    blocks = [{"type": "text", "text": SUMMARY}]
    reports = [audit(session(), blocks), audit(grown_session(), a_view(SUMMARY))]
    found = tuple(line for report in reports for line in named(report))
    return all(report.exit_code == 0 for report in reports), found


@claim("A4", "the decision on the migration left out: exit code 2")
def a_lost_decision_is_found() -> Outcome:
    """Take the line out of the summary."""
    return finds(but(f"{DECISION}\n", ""), "decision", "lost", DECISION)


@claim("A4", "the decision is looked for in the whole view: a turn that stays may hold it")
def what_stays_is_not_lost() -> Outcome:
    """Leave it out of the summary, and the turn that took it beside it."""
    (turn,) = [each.turn_id for each in session() if each.content == DECISION]
    report = audit(session(), but(f"{DECISION}\n", ""), staying=[turn])
    return report.exit_code == 0, named(report)


@claim("A2", "one digit of a port changed: named with the original beside it")
def a_changed_digit_is_found() -> Outcome:
    """Make 8444 of 8443."""
    holds, found = finds(but("8443", "8444"), "number", "mutated", "8444")
    return holds and "nearest '8443'" in found[0], found


@claim("A2", "a value that nobody said: a candidate to look at, exit code 1")
def an_invented_value_is_a_candidate() -> Outcome:
    """Add a file that is like no other."""
    report = audit(session(), f"{SUMMARY}See deploy/rollout-plan.yaml too.")
    found = [(each.status.value, each.literal) for each in report.findings if each.place]
    return report.exit_code == WARNED and found == [
        ("unverified", "deploy/rollout-plan.yaml")
    ], named(report)


@claim("A3", "a shortened path passes, a path made longer does not")
def support_is_asymmetric() -> Outcome:
    """Name the file without its folder, then with a folder too many."""
    shorter = audit(session(), but("src/billing/worker.py", "worker.py"))
    longer = audit(session(), but("src/billing/worker.py", "lib/src/billing/worker.py"))
    return shorter.exit_code == 0 and longer.exit_code > 0, named(longer)


@claim("A5", "a `never` dropped from a rule of the user: exit code 2")
def a_dropped_never_is_found() -> Outcome:
    """Say the rule without its first word."""
    return finds(but("Never delete", "Delete"), "constraint", "negated", RULE)


@claim("A5", "a rule of the user weakened: exit code 2")
def a_weakened_rule_is_found() -> Outcome:
    """Make a wish of it."""
    return finds(but("Never delete", "Try not to delete"), "constraint", "weakened", RULE)


@claim("A5", "a rule of the user left out: exit code 2")
def a_lost_rule_is_found() -> Outcome:
    """Take the line out of the summary."""
    return finds(but(f"{RULE}\n", ""), "constraint", "lost", RULE)


@claim("A5", "a value that the user corrected kept as it was: exit code 2")
def a_stale_value_is_found() -> Outcome:
    """Say 30 s, as before the correction."""
    return finds(but(CORRECTED, "The timeout is 30 s"), "correction", "stale", CORRECTION)


@claim("A5", "the terms of a vocabulary: one to keep, one to drop")
def terms_are_looked_for() -> Outcome:
    """Ask for a term that the summary left out, and for one that it should not have."""
    vocabulary = Vocabulary(keep=("waits",), drop=("invoices table",))
    report = audit(session(), SUMMARY, AuditConfig(compliance_vocabulary=vocabulary))
    found = {(each.status.value, each.literal) for each in report.findings if each.kind == "term"}
    expected = {("missing", "waits"), ("superseded", "invoices table")}
    return found == expected and report.exit_code == FAILED, named(report)


@claim("A6", "`min_severity` decides whether a candidate fails or warns")
def the_threshold_decides() -> Outcome:
    """Audit a summary with an invented file under both thresholds."""
    summary = f"{SUMMARY}See deploy/rollout-plan.yaml too."
    codes = [
        audit(session(), summary, AuditConfig(min_severity=each)).exit_code
        for each in ("high", "medium")
    ]
    return codes == [WARNED, FAILED], (f"exit codes {codes}",)


@claim("A7", "a report is about one text: of an edited summary it says nothing")
def a_report_is_bound_to_its_text() -> Outcome:
    """Ask it of the summary, of an edited one, and of one that was cut."""
    report = audit(session(), SUMMARY)
    others = (but("8443", "8444"), SUMMARY[:-20])
    return is_about(report, SUMMARY) and not any(is_about(report, each) for each in others), ()


@claim("A8", "`audit_safely` never raises: what fails is named, and the verdict is FAIL")
def a_fault_stops_nothing() -> Outcome:
    """Give it what is no summary, and a configuration that is none."""
    broken: Any = 42
    report = audit_safely(session(), broken)
    configured = audit_safely(session(), SUMMARY, {"min_severity": "low", "unknown": 1})
    try:
        audit(session(), broken)
    except NotAuditable as refused:
        is_refused = refused.code == "not_auditable"
    return (
        is_refused
        and report.exit_code == FAILED
        and [each.check for each in report.errors] == ["evidence"]
        and configured.exit_code == 0
        and len(configured.notes) == len(("low", "unknown"))
    ), (*(each.message for each in report.errors), *configured.notes)


@claim("A9", "an earlier summary is no evidence, and where turns are missing findings weigh less")
def summaries_are_no_evidence() -> Outcome:
    """Audit a second summary where only a first one says what it says."""
    first = a_view(but("8443", "8444")).transcript
    report = audit(first, "It listens on port 8444.")
    (found,) = [each for each in report.findings if each.literal == "8444"]
    holds = report.ledger_incomplete and found.severity is Severity.INFO
    return holds, (f"number {found.status.value} ({found.severity.value}): {found.literal!r}",)


@claim("A10", "a report holds no credential, even of what it found in the session")
def no_credential_is_shown() -> Outcome:
    """Decide on a token, then leave it out of the summary, and put another one in."""
    decided = TranscriptTurn("last", "user", f"We will use the token {SECRET} for now.", 20)
    transcript = Transcript((*session(), decided))
    other = f"{SECRET[:-1]}6"
    reports = [audit(transcript, each) for each in ("Nothing.", f"The token is {other}.")]
    records = json.dumps([report.to_dict() for report in reports])
    (lost,) = [line for line in named(reports[0]) if "We will use" in line]
    return SECRET not in records and other not in records, (lost,)


@claim("A1", "the same input gives the same bytes, in another process and with another hash seed")
def reports_are_repeatable() -> Outcome:
    """Audit a bad summary in two interpreters."""
    code = (
        f"import sys; sys.path.insert(0, {sys.path[0]!r}); import audit_a_summary as it; "
        "import json; print(json.dumps(it.audit(it.session(), it.SUMMARY[90:]).to_dict()))"
    )
    here = json.dumps(audit(session(), SUMMARY[90:]).to_dict())
    outputs = {in_a_process(code, PYTHONHASHSEED=seed) for seed in ("1", "2")}
    return outputs == {here}, ()


def in_a_process(code: str, **environment: str) -> str:
    """Return what a new interpreter prints."""
    ran = subprocess.run(  # noqa: S603  It starts the interpreter that runs it.
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return ran.stdout.strip() or ran.stderr


@claim("A11", "the surface profile: whole lines, totals, and the same three exit codes")
def lines_are_compared() -> Outcome:
    """Hold the decision and the todo against summaries that have both, one, and none."""
    source = read_source(f"{DECISION}\nTODO: describe it", jsonl=False)
    kept = f"{DECISION} TODO: describe it"
    codes = [audit_surface(source, each).exit_code for each in (kept, DECISION, "Nothing.")]
    return codes == [0, WARNED, FAILED], (f"exit codes {codes}",)


def main() -> int:
    """Check every claim, print a line for each and what was found, and return the exit code."""
    failed = 0
    for number, sentence, check in CLAIMS:
        try:
            (holds, found), why = check(), ""
        except Exception as error:  # noqa: BLE001  Whatever is raised, the claim does not hold.
            holds, found, why = False, (), f" ({type(error).__name__}: {error})"
        failed += not holds
        print(f"{'ok' if holds else 'FAIL':<4} {number:<3} {sentence}{why}")
        for line in found:
            print(f"           {line}")
    print(f"{len(CLAIMS) - failed} of {len(CLAIMS)} claims hold")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
