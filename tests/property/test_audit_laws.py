"""Laws of the audit; the oracles share no code with the source."""

import json

from hypothesis import given
from hypothesis import strategies as st

from turnfold import Transcript, TranscriptTurn
from turnfold.audit import AuditMemory, AuditReport, Axis, Severity, Status, audit, audit_safely

PIECES = (
    "src/app/main.py",
    "port 8443",
    "v2.14.3",
    "3f2a9bc1d4e5",
    "https://docs.example.org/a?b=c",
    "PROJ-412",
    "250 ms",
    "12,345 rows",
    "validate_rows",
    "$MAX_ROWS",
    "--dry-run",
    "ana@example.org",
    "10.0.0.7:5432",
    "ENOENT",
    '"rows out of order"',
    "2026-03-04",
    "必须保留 src/数据.py",
    "never push to main",
    "we will use SQLite",
    "TODO: tell the others",
    "no, use 9090 instead",
    "\x1b[31mred\x1b[0m",
    "a\\nb",
    "C:\\win\\app.cs",
    "\u202eodd",
)
sentences = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), min_size=1, max_size=6
).map(" ".join)
turns = st.lists(st.tuples(st.sampled_from(("user", "assistant", "tool")), sentences), max_size=6)


def transcript_of(said: list[tuple[str, str]]) -> Transcript:
    return Transcript(
        TranscriptTurn(f"t{number}", role, text, 5) for number, (role, text) in enumerate(said)
    )


@given(turns, st.data())
def test_whole_turns_word_for_word_are_faithful(
    said: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Would catch: a fact that is read differently in a summary and in a turn."""
    kept = data.draw(st.lists(st.sampled_from(said), max_size=4) if said else st.just([]))
    report = audit(transcript_of(said), "\n\n".join(text for _, text in kept))
    lies = {Status.MUTATED, Status.UNVERIFIED, Status.CASE_ONLY}
    assert not [
        each for each in report.findings if each.status in lies and each.axis is Axis.FIDELITY
    ]


@given(turns)
def test_a_summary_of_everything_loses_no_fact(said: list[tuple[str, str]]) -> None:
    """Would catch: a form of a fact that coverage does not know as the same."""
    report = audit(transcript_of(said), "\n\n".join(text for _, text in said))
    assert report.count(Axis.COVERAGE) == 0
    assert report.share == 1


@given(turns, sentences)
def test_a_report_is_the_same_each_time(said: list[tuple[str, str]], summary: str) -> None:
    """Would catch: an order that comes from hashes or identities."""
    one, other = (audit(transcript_of(said), summary) for _ in range(2))
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


@given(st.lists(st.tuples(turns, sentences), max_size=4))
def test_a_memory_changes_no_report(audits: list[tuple[list[tuple[str, str]], str]]) -> None:
    """Would catch: what stands in one session, or in a summary, as evidence for another."""
    memory = AuditMemory()
    for said, summary in audits:
        expected = audit(transcript_of(said), summary).to_dict()
        assert audit(transcript_of(said), summary, memory=memory).to_dict() == expected


@given(turns, st.one_of(st.text(), st.lists(st.dictionaries(st.text(), st.text())), st.none()))
def test_nothing_is_raised_and_places_hold(said: list[tuple[str, str]], summary: object) -> None:
    """Would catch: a fault on odd input, and a place that points elsewhere."""
    report: AuditReport = audit_safely(transcript_of(said), summary)  # type: ignore[arg-type]
    broken = {each.check for each in report.errors}
    assert broken <= {"evidence"}
    if isinstance(summary, str):
        assert broken == set()
        for each in report.findings:
            if each.place:
                assert 0 <= each.place.start < each.place.end <= len(summary)


@given(turns, sentences)
def test_findings_come_worst_first_and_name_known_turns(
    said: list[tuple[str, str]], summary: str
) -> None:
    """Would catch: a HIGH finding below an INFO one, and an id that no turn has."""
    original = transcript_of(said)
    report = audit(original, summary)
    order = [list(Severity).index(each.severity) for each in report.findings]
    assert order == sorted(order)
    assert {name for each in report.findings for name in each.leaf_turn_ids} <= set(
        original.turn_ids()
    )
