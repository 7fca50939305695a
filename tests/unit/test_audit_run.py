"""The whole: one verdict, faults of single checks, configurations, views with a ledger."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.strategies import session, summaries_for
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
    NotAuditable,
    Severity,
    Verdict,
    Vocabulary,
    _run,
    audit,
    audit_safely,
    is_about,
)
from turnfold.errors import InvalidConfiguration

ORIGINAL = Transcript(
    [
        TranscriptTurn("u1", "user", "Serve it on port 8443 from src/app/serve.py.", 20),
        TranscriptTurn("a1", "assistant", "Done in src/app/serve.py, we will use uvicorn.", 20),
        TranscriptTurn("u2", "user", "Now the docs.", 20),
    ]
)


def compacted(summary: str) -> tuple[Transcript, CompactedView]:
    long = Transcript([*(replace(turn, token_estimate=400) for turn in ORIGINAL)])
    policy = SummarizingPolicy("p", min_span_turns=1)
    plan = policy.decide(long, CompactionBudget(900, protected_recent_turns=1))
    given = {each.group_id: summary for each in plan.summarization_requests}
    return long, CompactionExecutor().apply(long, plan, given)


@pytest.mark.parametrize(
    ("summary", "verdict", "exit_code"),
    [
        ("It serves on port 8443 from src/app/serve.py; we will use uvicorn.", "PASS", 0),
        ("Port 8443, src/app/serve.py, we will use uvicorn, see src/other/x.py.", "WARN", 1),
        ("It serves on port 8444 from src/app/serve.py; we will use uvicorn.", "FAIL", 2),
        ("We will see.", "FAIL", 2),
    ],
)
def test_the_verdict_follows_the_worst_finding(summary: str, verdict: str, exit_code: int) -> None:
    original, view = compacted(summary)
    for report in (audit(original, view), audit(ORIGINAL, summary, staying=("u2",))):
        assert (report.verdict.value, report.exit_code) == (verdict, exit_code)


def test_the_threshold_can_be_lowered() -> None:
    summary = "Port 8443, src/app/serve.py, we will use uvicorn, see src/other/x.py."
    strict = AuditConfig(min_severity="medium")
    assert audit(ORIGINAL, summary, strict).verdict is Verdict.FAIL


def test_findings_point_into_the_turn_of_the_view() -> None:
    original, view = compacted("It serves on port 8444 from src/app/serve.py.")
    (found,) = [each for each in audit(original, view).findings if each.place]
    assert found.place is not None
    summary = view.transcript.turn(str(found.place.turn_id))
    assert summary.content[found.place.start : found.place.end] == found.literal == "8444"


@pytest.mark.parametrize("name", list(_run.CHECKS))
def test_a_check_that_fails_costs_nothing_but_itself(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Would catch: a fault of one check that hides the others, or that reaches the caller."""

    def broken(*_: object) -> Any:  # noqa: ANN401
        msg = "port 8443 is quoted here"
        raise RuntimeError(msg)

    summary = "port 8444 and src/x.py"
    whole = audit_safely(ORIGINAL, summary)
    monkeypatch.setattr(_run, "CHECKS", {**_run.CHECKS, name: broken})
    report = audit_safely(ORIGINAL, summary)
    assert [each.check for each in report.errors] == [name]
    assert report.errors[0].message.startswith("RuntimeError")
    assert "8443" not in report.errors[0].message
    assert report.verdict is Verdict.FAIL
    assert {each for each, _ in report.checked} == set(_run.CHECKS) - {name}
    assert set(report.findings) < set(whole.findings) or set(report.findings) == set(whole.findings)
    with pytest.raises(RuntimeError):
        audit(ORIGINAL, summary)


@pytest.mark.parametrize("nothing", [None, 5, b"bytes", [{"type": "image"}], object()])
def test_what_is_no_summary_is_refused_or_reported(nothing: Any) -> None:  # noqa: ANN401
    with pytest.raises(NotAuditable):
        audit(ORIGINAL, nothing)
    report = audit_safely(ORIGINAL, nothing)
    assert report.verdict is Verdict.FAIL
    assert [each.check for each in report.errors] == ["evidence"]


def test_content_blocks_are_a_summary() -> None:
    blocks = [{"type": "text", "text": "port 8443"}, {"type": "image"}, {"text": "port 8444"}]
    assert [each.literal for each in audit(ORIGINAL, blocks).findings if each.place] == ["8444"]


def test_a_view_of_another_session_is_refused() -> None:
    _, view = compacted("It serves on port 8443.")
    other = Transcript([TranscriptTurn("x", "user", "hello", 9)])
    with pytest.raises(NotAuditable, match="another session"):
        audit(other, view)


def test_missing_leaves_weigh_findings_down_and_never_hide_them() -> None:
    original, view = compacted("It serves on port 8444, we will use uvicorn, src/app/serve.py.")
    whole = audit(original, view)
    part = audit(Transcript(original.turns[:1]), view)
    assert part.ledger_incomplete
    assert "8444" in {each.literal for each in part.findings}
    assert part.count(severity=Severity.HIGH) == 0 < whole.count(severity=Severity.HIGH)


@pytest.mark.parametrize(
    "options",
    [
        {"critical_number_count": 0},
        {"min_severity": "low"},
        {"profile": "deep"},
        {"weights": [("path", -1)]},
        {"weights": {"number": 1e308}},
        {"weights": {"number": 10**400}},
        {"weights": {"number": float("nan")}},
        {"check_compliance": "yes"},
        {"weights": {"paths": 2.0}},
        {"weights": [["path", 1.0], ["path", 2.0]]},
        {"weights": {10**5000: 1.0, "path": 1.0}},
        {"critical_number_count": 10**5000},
        {"critical_number_count": True},
        {"max_facts_per_category": 2**60},
        {"compliance_fingerprint_version": -1},
        {"profile": [10**5000]},
        {"path_markers": ["src/", ""]},
        {"path_markers": [" "]},
        {10**5000: 1},
        {"nonsense": 1},
        {"compliance_vocabulary": {"keep": 5}},
    ],
)
def test_a_broken_configuration_gives_the_default_and_says_so(options: dict[str, Any]) -> None:
    report = audit_safely(ORIGINAL, "port 8443", options)
    assert report.notes
    assert report.errors == ()
    assert report.config_fingerprint == AuditConfig().fingerprint()


@pytest.mark.parametrize("broken", [5, "x", [], None])
def test_a_configuration_of_another_kind_gives_the_default(broken: Any) -> None:  # noqa: ANN401
    report = audit_safely(ORIGINAL, "port 8443", broken)
    assert report.config_fingerprint == AuditConfig().fingerprint()
    assert (report.notes == ()) == (broken is None)


def test_options_are_refused_where_they_are_given_as_options() -> None:
    with pytest.raises(InvalidConfiguration, match="critical_number_count"):
        AuditConfig(critical_number_count=0)


@pytest.mark.parametrize("number", [10**5000, -(10**5000)], ids=["huge", "negative"])
@pytest.mark.parametrize("option", sorted(AuditConfig().to_dict()))
def test_a_number_too_long_to_be_spelled_is_refused_in_words(option: str, number: int) -> None:
    """E1. Would catch: the message fails in the place of what it is about."""
    given: dict[str, Any] = {option: number}
    with pytest.raises(InvalidConfiguration, match=f"{option} must be .*; got a int"):
        AuditConfig(**given)


def test_a_class_that_does_not_exist_is_answered_with_those_that_do() -> None:
    """Would catch: a weight for `paths` that weighs nothing, and nobody notices."""
    with pytest.raises(InvalidConfiguration, match=r"each class once, of address, .*, path, "):
        AuditConfig(weights=(("paths", 2.0),))
    assert AuditConfig(weights=(("path", 2.0),)).weight_of("path") == 2.0
    (note,) = audit_safely(ORIGINAL, "x", {"weights": {"paths": 2.0}}).notes
    assert "version" in note
    assert "the default is used" in note


@pytest.mark.parametrize(
    "terms",
    [
        *(("",), (" ",), (3,), "port", ["port"], None, [10**5000]),
        *(("\ufeff",), (" port",), ("port\n",), ("\ufeffport",), ("port", "Port")),
    ],
)
def test_terms_are_refused_where_they_are_no_texts(terms: Any) -> None:  # noqa: ANN401
    """Would catch: an audit that fails on a blank term, or takes each letter of a text for one."""
    with pytest.raises(InvalidConfiguration, match="keep must be"):
        Vocabulary(keep=terms)


def test_a_term_cannot_be_kept_and_dropped() -> None:
    """Would catch: a vocabulary that no summary can pass."""
    with pytest.raises(InvalidConfiguration, match="not both: 'port'"):
        Vocabulary(keep=("Port",), drop=("port",))
    made, problems = Vocabulary.from_dict({"keep": ["Port"], "drop": ["port", "old"]})
    assert made == Vocabulary(keep=("Port",), drop=("old",))
    assert problems == ("to be kept and to be dropped: 'port'; each is kept",)


def test_terms_of_a_file_lose_what_cannot_be_seen_around_them() -> None:
    """Would catch: a term that never matches, so that nothing of it is ever missing."""
    made, problems = Vocabulary.from_dict({"keep": ["\ufeffport", "PORT ", "\u200b", "b"]})
    assert made == Vocabulary(keep=("port", "b"))
    assert problems == ("1 terms of the vocabulary's keep are no text: left out",)


def test_a_good_configuration_is_read_whole() -> None:
    record = {
        "min_severity": "medium",
        "path_markers": ["lib/"],
        "weights": {"path": 5},
        "compliance_vocabulary": {"keep": ["a"], "drop": [], "scope": ["b"]},
    }
    made, problems = AuditConfig.from_dict(json.loads(json.dumps(record)))
    assert problems == ()
    assert made.compliance_vocabulary == Vocabulary(keep=("a",), scope=("b",))
    assert AuditConfig.from_dict(json.loads(json.dumps(made.to_dict()))) == (made, ())
    assert made.weight_of("path") == 5
    assert made.fingerprint() != AuditConfig().fingerprint()


def test_a_report_is_about_one_text() -> None:
    """J5. Would catch: a summary that is cut after its audit passed."""
    original, view = compacted("It serves on port 8443.")
    report = audit(original, view)
    assert is_about(report, view)
    _, other = compacted("It serves on port 8443, or so.")
    assert not is_about(report, other)
    bare = audit(ORIGINAL, "port 8443")
    assert is_about(bare, "port 8443")
    assert not is_about(bare, "port 844")


def test_the_record_is_plain_json_and_the_same_each_time() -> None:
    one, other = (audit(ORIGINAL, "port 8444 at src/x.py") for _ in range(2))
    spelled = [json.dumps(each.to_dict(), sort_keys=True) for each in (one, other)]
    assert spelled[0] == spelled[1]
    record = json.loads(spelled[0])
    assert record["counts"]["fidelity"]["high"] == 1
    assert record["verdict"] == "FAIL"


def test_real_plans_are_audited_without_a_fault() -> None:
    transcript = session(rounds=6)
    floor = transcript.token_estimate() // 2
    plan = SummarizingPolicy("p").decide(transcript, CompactionBudget(floor, 2))
    view = CompactionExecutor().apply(transcript, plan, summaries_for(plan))
    assert audit_safely(transcript, view).errors == ()


def test_the_surface_profile_holds_whole_lines_against_the_summary() -> None:
    surface = AuditConfig(profile="surface")
    report = audit(ORIGINAL, "Done in src/app/serve.py", surface)
    assert [(each.kind, each.status.value) for each in report.findings] == [("decision", "lost")]
    assert report.verdict is Verdict.FAIL
    whole = audit(ORIGINAL, "Done in src/app/serve.py, we will use uvicorn.", surface)
    assert whole.verdict is Verdict.PASS
    assert whole.checked == (("surface", 1),)


def test_what_begins_like_a_path_of_the_project_is_no_choice_between_words() -> None:
    words = Transcript([TranscriptTurn("u", "user", "reset and compact and lib and core", 9)])
    assert audit(words, "it survives reset/compact/core").verdict is Verdict.PASS
    assert audit(words, "see lib/compact/core").verdict is Verdict.PASS
    marked = AuditConfig(path_markers=("lib/",))
    assert audit(words, "see lib/compact/core", marked).verdict is Verdict.WARN
