"""Claude Code sessions: what is read of them, and what is written (contract section 8)."""

import contextlib
import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.formats.claude_code_sessions import (
    Log,
    answer,
    call,
    faults_of,
    line_of,
    messages_of,
    records_of,
    small_session,
    text,
)
from turnfold import (
    BudgetUnsatisfiable,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    CompactionPolicy,
    DropOldestPolicy,
    Ledger,
    ObservationMaskingPolicy,
    Role,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import claude_code
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._session import Pins, Session, is_unchanged, repaired, repairs

FIXTURES = Path(__file__).parent / "fixtures" / "claude_code"
NO_PINS = Pins(first_user=False, last_user=False, newest_exchange=False, pending_calls=False)
SUMMARY = "The certificate of staging expires in May."

POLICIES: tuple[Callable[[], CompactionPolicy], ...] = (
    ObservationMaskingPolicy,
    lambda: SummarizingPolicy("turnfold.summary/1"),
    DropOldestPolicy,
    lambda: SummarizingPolicy("turnfold.summary/1", extent="until_it_fits", min_span_turns=1),
    default_chain,
)


def compact(
    session: Session,
    tokens: int,
    *,
    policy: CompactionPolicy | None = None,
    recent: int = 2,
    ledger: Ledger | None = None,
) -> CompactedView:
    budget = CompactionBudget(tokens, protected_recent_turns=recent)
    plan = (policy or default_chain()).decide(session.transcript, budget)
    summaries = {each.group_id: SUMMARY for each in plan.summarization_requests}
    view = CompactionExecutor().apply(session.transcript, plan, summaries, ledger=ledger)
    return repaired(view, session)


def written(view: CompactedView | Transcript, session: Session) -> bytes:
    """Render, and hold the result against everything that a rendering promises."""
    data = claude_code.render(view, session)
    if is_unchanged(view, session):
        return data
    assert faults_of(data) == []
    live, full = claude_code.parse(data), claude_code.parse(data, scope="full")
    assert live.transcript == full.transcript
    assert live.damage == full.damage == ()
    if isinstance(view, CompactedView):
        again = claude_code.parse(data, ledger=view.ledger)
        assert again.transcript.turn_ids() == view.transcript.turn_ids()
        assert again.transcript.digest() == view.transcript.digest()
        assert again.ledger == view.ledger
    return data


def digest_of(source: bytes) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.content) for turn in claude_code.parse(source).transcript]


def kinds_of(session: Session) -> list[str | None]:
    return [turn.metadata.get("turnfold.kind") for turn in session.transcript]


def codes_of(session: Session) -> list[str]:
    return [each.code for each in session.damage]


# Reading


def test_an_assistant_message_is_one_turn_and_each_result_another() -> None:
    """K6: the union of the blocks, under the message's id."""
    session = claude_code.parse(small_session().data())
    assert session.damage == ()
    ids = session.transcript.turn_ids()
    assert ids == (
        *("u1", "m1", "u6", "u7", "u8", "m2", "u12", "u14", "u15"),
        *("u16", "m3", "u18", "m4", "u20", "m5"),
    )
    first = session.transcript.turn("m1")
    assert first.content.splitlines()[0] == "I look at it."
    assert [line[:11] for line in first.content.splitlines()[1:]] == ["[call Bash]"] * 3
    exchanges = {turn.turn_id: turn.tool_call_id for turn in session.transcript}
    assert [exchanges[each] for each in ("u6", "u7", "u8", "u12", "u15")] == [
        *["m1"] * 3,
        "m2",
        "m2",
    ]
    assert session.transcript.turn("u12").metadata["turnfold.status"] == "error"
    assert first.metadata["turnfold.origin"] == "lines 2-5"


def test_a_file_is_read_from_bytes_and_from_lines_alike() -> None:
    """R1."""
    data = small_session().data()
    assert claude_code.parse(data.splitlines(keepends=True)).transcript == (
        claude_code.parse(data).transcript
    )


def test_side_records_are_kept_and_are_no_turns() -> None:
    log = small_session()
    plain = claude_code.parse(log.data()).transcript.digest()
    for kind in ("progress", "file-history-snapshot", "summary", "never-heard-of"):
        log.add(kind, leafUuid="u1", uuid=f"side-{kind}")
    log.add("system", subtype="turn_duration", uuid="side-system")
    log.user("A subagent's prompt", isSidechain=True, uuid="side-user")
    log.assistant("mx", text("No API"), model="<synthetic>", uuid="side-synthetic")
    log.assistant("my", text("API Error"), isApiErrorMessage=True, uuid="side-error")
    session = claude_code.parse(log.data())
    assert session.transcript.digest() == plain
    assert claude_code.render(session.transcript, session) == log.data()


def test_a_subagents_own_file_is_read() -> None:
    log = small_session()
    for record in log.records:
        record |= {"isSidechain": True, "agentId": "a1"}
    session = claude_code.parse(log.data())
    assert len(session.transcript) == 15
    view = compact(session, 300)
    assert all(record["isSidechain"] for record in records_of(written(view, session)))


def test_snapshots_replace_what_they_extend() -> None:
    """K6."""
    log = Log()
    log.user("Which codes?")
    log.snapshot("m1", text("423 is"))
    log.snapshot("m1", text("423 is missing."))
    log.snapshot("m1", text("423 is missing."), call("c1", path="x"))
    log.result("c1")
    log.snapshot(None, text("Done"))
    log.snapshot(None, text("Done."))
    assert digest_of(log.data())[1:] == [
        ("assistant", '423 is missing.\n[call Bash] {"path": "x"}'),
        ("tool", "ok"),
        ("assistant", "Done"),
        ("assistant", "Done."),
    ]


def test_only_the_last_snapshot_is_written() -> None:
    """K6, R3: a second reading finds one text, and so does a client that does not merge."""
    log = Log()
    log.user("Which codes? " * 40)
    log.snapshot("m1", text("423 is"))
    log.snapshot("m1", text("423 is missing."), call("c1"))
    log.result("c1")
    log.user("Thanks.")
    session = claude_code.parse(log.data(), pins=NO_PINS)
    view = compact(session, 60, policy=DropOldestPolicy(), recent=3)
    _bridge, *records = records_of(written(view, session))
    assert [record["uuid"] for record in records] == ["u3", "u4", "u5"]


def test_a_server_that_repeats_one_message_id_does_not_join_answers() -> None:
    log = Log()
    log.user("One?" * 50)
    log.assistant("chatcmpl", text("One."))
    log.user("Two?" * 50)
    log.assistant("chatcmpl", text("Two."))
    session = claude_code.parse(log.data(), pins=NO_PINS)
    assert [turn.content for turn in session.transcript][1::2] == ["One.", "Two."]
    kept = [turn for turn in session.transcript if turn.role is Role.ASSISTANT]
    again = claude_code.parse(claude_code.render(Transcript(tuple(kept)), session))
    assert [turn.content for turn in again.transcript] == ["One.", "Two."]


def test_records_with_one_uuid_count_once_at_their_last_place() -> None:
    """K8."""
    log = Log()
    log.user("First")
    log.assistant("m1", text("Answer"))
    copies = list(log.records)
    log.boundary()
    log.summary("What was before")
    log.user("Next")
    log.records += copies
    log.boundary()
    log.summary("All of it")
    log.user("Last")
    assert [content for _, content in digest_of(log.data())] == ["All of it", "Last"]
    full = claude_code.parse(log.data(), scope="full")
    assert full.transcript.turn_ids() == ("u4", "u5", "u1", "m1", "u9", "u10")


def test_the_live_context_is_what_follows_the_last_boundary() -> None:
    """K7, T7: where no prompt is left, the summary stands for the task."""
    log = Log()
    log.user("Old task")
    log.assistant("m1", text("Old"))
    log.boundary()
    log.summary("Summary one")
    log.assistant("m2", text("Between"))
    log.boundary()
    log.summary("Summary two")
    log.assistant("m3", text("Now"))
    live = claude_code.parse(log.data())
    assert [turn.content for turn in live.transcript] == ["Summary two", "Now"]
    assert live.transcript.turns[0].pinned
    full = claude_code.parse(log.data(), scope="full")
    assert kinds_of(full) == [None, None, "summary", None, "summary", None]
    assert claude_code.render(live.transcript, live) == log.data()


@pytest.mark.parametrize("spelling", ["segment", "messages"])
def test_what_a_compaction_preserved_stands_behind_its_summary(spelling: str) -> None:
    """K7."""
    log = Log()
    log.user("Old")
    head = log.user("Keep the line format.")
    log.snapshot("m1", text("It stays."), call("c1"))
    tail = log.result("c1", "8")
    kept: dict[str, object] = {
        "segment": {
            "preservedSegment": {"headUuid": head, "tailUuid": tail, "anchorUuid": "summary"}
        },
        "messages": {"preservedMessages": {"uuids": [head, "u3", tail], "anchorUuid": "summary"}},
    }
    log.boundary(**kept[spelling])  # type: ignore[arg-type]
    log.summary("All before", uuid="summary")
    log.user("And now?")
    session = claude_code.parse(log.data())
    assert session.transcript.turn_ids() == ("summary", "u2", "m1", "u4", "u7")
    assert session.damage == ()


def test_a_missing_preserved_segment_is_reported() -> None:
    """K7, R4."""
    log = Log()
    log.user("Old")
    log.boundary(preservedSegment={"headUuid": "gone", "tailUuid": "u1", "anchorUuid": "u3"})
    log.summary("All before")
    session = claude_code.parse(log.data())
    assert session.transcript.turn_ids() == ("u3",)
    assert codes_of(session) == ["missing_preserved_segment"]


def test_a_boundary_that_nothing_follows_removes_nothing() -> None:
    log = Log()
    log.user("Task")
    log.boundary()
    session = claude_code.parse(log.data())
    assert session.transcript.turn_ids() == ("u1",)
    assert codes_of(session) == ["unfinished_compaction"]


def test_a_prompt_that_was_taken_back_is_not_live() -> None:
    log = Log()
    log.user("Task")
    fork = log.assistant("m1", text("Which way?"))
    log.user("Left.")
    log.assistant("m2", call("c1"))
    log.result("c1")
    log.add("system", subtype="turn_duration", uuid="side", parentUuid=fork)
    log.user("Right.", parentUuid="side")
    log.assistant("m3", text("Right it is."))
    assert [content for _, content in digest_of(log.data())] == [
        *("Task", "Which way?", "Right.", "Right it is.")
    ]
    assert len(claude_code.parse(log.data(), scope="full").transcript) == 7
    log.assistant("m4", text("Left again."), parentUuid="u5")
    assert [content for _, content in digest_of(log.data())][-2:] == ["ok", "Left again."]


def test_parallel_results_with_parents_of_their_own_are_no_branches() -> None:
    """A4: walking the parents from the leaf would lose the siblings."""
    log = Log()
    log.user("Task")
    first = log.assistant("m1", call("c1"))
    second = log.assistant("m1", call("c2"))
    log.result("c2", parentUuid=second)
    log.result("c1", parentUuid=first)
    log.assistant("m2", text("Both are here."))
    log.user("Next", parentUuid="u4")
    session = claude_code.parse(log.data())
    assert len(session.transcript) == 6
    assert session.damage == ()


def test_broken_and_circular_parents_fall_back_to_the_order_of_the_file() -> None:
    """K7."""
    log = Log()
    log.user("Task", parentUuid="nowhere")
    log.assistant("m1", text("a"), parentUuid="u3")
    log.user("b", parentUuid="u2")
    session = claude_code.parse(log.data())
    assert session.transcript.turn_ids() == ("u1", "m1", "u3")
    assert [(each.code, each.place) for each in session.damage] == [
        *(("broken_parent", "line 1"), ("broken_parent", "line 2"))
    ]


def test_long_chains_of_parents_take_no_recursion_and_no_square_of_time() -> None:
    """U3."""
    log = Log()
    log.user("Task")
    for number in range(20_000):
        log.add("progress", uuid=f"p{number}")
        if number % 4 == 0:
            log.user("again", uuid=f"q{number}")
    fork = log.user("Left")
    log.user("Right", parentUuid=log.records[-2]["uuid"])
    session = claude_code.parse(log.data())
    assert fork not in session.transcript.turn_ids()
    assert len(session.transcript) == 5_002


def test_a_result_before_its_calls_record_comes_after_the_call() -> None:
    log = Log()
    log.user("Task")
    log.result("c1", "early", parentUuid="u3", sourceToolAssistantUUID="u3")
    log.assistant("m1", call("c1"), parentUuid="u1")
    log.result("c2", "later", parentUuid="u6")
    log.user("Word", parentUuid="u3")
    log.assistant("m2", call("c2"))
    session = claude_code.parse(log.data())
    assert session.transcript.turn_ids() == ("u1", "m1", "u2", "u5", "m2", "u4")
    assert session.damage == ()


def test_pairing_is_by_occurrence() -> None:
    """A7: an orphan is one although its id is used before and after."""
    session = claude_code.parse((FIXTURES / "reused_ids.jsonl").read_bytes())
    assert [(each.code, each.place) for each in session.damage] == [("orphan_result", "line 9")]
    rounds = [turn.tool_call_id for turn in session.transcript if turn.role is Role.TOOL]
    assert len(set(rounds)) == 4


def test_a_record_with_results_and_words_gives_a_turn_each() -> None:
    """A14."""
    log = Log()
    log.user("Task")
    log.snapshot("m1", call("c1"), call("c2"))
    log.user([answer("c1", "one"), answer("c2", "two"), text("Also rename it."), text("Now.")])
    session = claude_code.parse(log.data())
    assert session.transcript.turn_ids()[2:] == ("u3.b0", "u3.b1", "u3.b2")
    assert [turn.role.value for turn in session.transcript][2:] == ["tool", "tool", "user"]
    assert session.transcript.turn("u3.b2").content == "Also rename it.\nNow."


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("real", None),
        (
            "<command-name>/compact</command-name>\n  <command-message>c</command-message>",
            "injected",
        ),
        ("<command-name>/compact", "injected"),
        ("<local-command-stdout>", "injected"),
        ("<local-command-stderr>bad</local-command-stderr>", "injected"),
        ("<bash-input>ls</bash-input>", "injected"),
        ("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", "injected"),
        ("<system-reminder>Rules</system-reminder>", "injected"),
        ("<task-notification>Done</task-notification>", "injected"),
        ("[Request interrupted by user for tool use]", "injected"),
        ("<system-reminder>Rules</system-reminder> and do it", None),
        ("What does <command-name>/x</command-name> do?", None),
        ("<b>bold</b>", None),
        ("", "injected"),
        (" \n", "injected"),
    ],
)
def test_only_a_persons_words_are_genuine(content: str, kind: str | None) -> None:
    """K9."""
    log = Log()
    log.user(content)
    log.user([text(content)])
    assert kinds_of(claude_code.parse(log.data())) == [kind, kind]


def test_pins_skip_what_is_injected() -> None:
    """C9, K9."""
    log = Log()
    log.user("Rules", isMeta=True)
    log.user("<system-reminder>Memory</system-reminder>")
    log.user("THE GOAL")
    for number in range(30):
        log.assistant(f"m{number}", text("step"))
    log.user("LIVE")
    log.assistant("n1", call("c1"))
    log.result("c1")
    log.user("<local-command-stdout>x</local-command-stdout>")
    session = claude_code.parse(log.data())
    pinned = [turn.content for turn in session.transcript if turn.pinned]
    assert pinned == ["THE GOAL", "LIVE", "<local-command-stdout>x</local-command-stdout>"]
    assert not any(turn.pinned for turn in claude_code.parse(log.data(), pins=NO_PINS).transcript)


def test_what_was_typed_while_the_agent_worked_is_a_prompt() -> None:
    """C8: the client writes it as an attachment only; it is the newest word of the user."""
    log = small_session()
    log.queued("STOP, do Y.")
    log.queued([text("<task-notification>x</task-notification>")], commandMode="task-notification")
    log.queued("from another session", origin={"kind": "peer"})
    log.queued("continue", isMeta=True)
    log.queued("already there", source_uuid="u1")
    log.add("attachment", attachment={"type": "diagnostics", "prompt": "no words"})
    log.assistant("m9", text("Stopped."))
    session = claude_code.parse(log.data())
    assert kinds_of(session)[-5:] == [None, *["injected"] * 3, None]
    stop = session.transcript.turns[-5]
    assert (stop.content, stop.pinned) == ("STOP, do Y.", True)
    data = written(compact(session, 250), session)
    (record,) = [each for each in records_of(data) if each["uuid"] == stop.turn_id]
    original = next(each for each in log.records if each["uuid"] == stop.turn_id)
    assert record["attachment"] == original["attachment"]
    turns = tuple(
        replace(turn, content="[gone]") if turn is stop else turn for turn in session.transcript
    )
    masked = claude_code.render(Transcript(turns), session)
    assert b"STOP" not in masked
    assert claude_code.parse(masked).transcript.turns[-5].content == "[gone]"


def test_a_compaction_summary_is_no_prompt() -> None:
    """K9."""
    session = claude_code.parse((FIXTURES / "injected_rows.jsonl").read_bytes(), scope="full")
    genuine = [
        turn.metadata["turnfold.origin"]
        for turn in session.transcript
        if turn.role is Role.USER and "turnfold.kind" not in turn.metadata
    ]
    assert genuine == ["line 2", "line 11"]


BLOCKS: tuple[dict[str, Any], ...] = (
    text("x" * 100),
    call("c", command="x" * 100),
    {"type": "thinking", "thinking": "x" * 100, "signature": "s"},
    {"type": "thinking", "thinking": "", "signature": "s" * 100},
    {"type": "redacted_thinking", "data": "d" * 100},
    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x" * 100}},
    {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "x" * 100}]},
    {"type": "image", "source": {"type": "base64", "data": "x" * 100}},
    {"type": "document", "source": {"type": "base64", "data": "x" * 100}},
    {"type": "document", "source": {"type": "text", "data": "x" * 100}},
    {"type": "fallback", "of": "x" * 100},
    {"type": "toolResult", "content": "x" * 100},
    {"no": "type", "at": "x" * 100},
)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda each: str(each.get("type")))
@pytest.mark.parametrize("role", ["assistant", "user", "result"])
def test_every_block_costs_tokens(block: dict[str, Any], role: str) -> None:
    """F3."""
    with_it, without = Log(), Log()
    for log, blocks in ((with_it, [text("a"), block]), (without, [text("a")])):
        if role == "assistant":
            log.snapshot("m1", *blocks)
        else:
            log.user(blocks if role == "user" else [answer("c", blocks)])
    more = claude_code.parse(with_it.data()).transcript.token_estimate()
    assert more >= claude_code.parse(without.data()).transcript.token_estimate() + 25


@pytest.mark.parametrize("content", ["x" * 9_000, [text("x" * 9_000)]], ids=["text", "blocks"])
def test_a_document_of_content_is_text(content: Any) -> None:  # noqa: ANN401
    """F3. Would catch: text that costs as much as a picture."""
    log = Log()
    log.user([{"type": "document", "source": {"type": "content", "content": content}}])
    (turn,) = claude_code.parse(log.data()).transcript
    assert turn.content == "x" * 9_000
    assert turn.token_estimate > 2_000


def test_a_base64_picture_is_not_counted_as_text() -> None:
    log = Log()
    log.user([{"type": "image", "source": {"type": "base64", "data": "x" * 1_000_000}}])
    (turn,) = claude_code.parse(log.data()).transcript
    assert turn.content == "[image]"
    assert turn.token_estimate < 2_000


@pytest.mark.parametrize("content", ["", [], [text("")], [text(" ")], None])
def test_an_empty_result_stays_and_pairs(content: object) -> None:
    """D1."""
    log = Log()
    log.user("Task " * 100)
    log.assistant("m1", call("c1"))
    log.result("c1", content)
    log.user("Next")
    session = claude_code.parse(log.data(), pins=NO_PINS)
    assert session.transcript.turns[2].content.strip() == ""
    view = compact(session, 40, policy=DropOldestPolicy(), recent=3)
    _bridge, _call, result, *_ = messages_of(written(view, session))
    assert result["content"][0]["content"] == content


# What cannot be read


@pytest.mark.parametrize(
    "source",
    [b"", b"\n", b"\x89PNG\r\n\x1a\n\0\0", b'{"messages":[]}', b"[1,2]", b'{"type":"summary"}\n'],
)
def test_a_source_without_a_message_is_no_session(source: bytes) -> None:
    """E1."""
    with pytest.raises(UnreadableTranscript) as caught:
        claude_code.parse(source)
    assert caught.value.details["place"]
    assert caught.value.details["what"]


def test_odd_shapes_are_survived() -> None:
    """R4: whatever a field holds, nothing but a missing session raises."""
    odd: tuple[Any, ...] = (None, 1, "x", [], {}, [1], [None], {"a": 1}, True, [{"type": 5}])
    records = []
    for number, value in enumerate(odd):
        for kind in ("user", "assistant", "system", value):
            base = {"type": kind, "uuid": f"x{number}", "message": {"content": "w", "id": "m"}}
            records += [base | {"message": value}, base | {"message": {"content": value}}]
            records += [base | {"uuid": value}, base | {"parentUuid": value}]
            records += [base | {"message": {"content": "w", "id": value}}]
            for name in ("tool_use", "tool_result", "text", "thinking", "image"):
                keys = ("id", "name", "input", "tool_use_id", "content", "text", "source")
                block = {"type": name, **dict.fromkeys(keys, value)}
                records.append({"type": kind, "message": {"content": [block]}})
        records.append({"type": "system", "subtype": "compact_boundary", "compactMetadata": value})
        records.append(
            {
                "type": "system",
                "subtype": "compact_boundary",
                "compactMetadata": {"preservedSegment": value, "preservedMessages": value},
            }
        )
    data = b"".join(map(line_of, records)) + line_of(Log().records or {"type": "user"})
    scopes: tuple[Literal["live", "full"], ...] = ("live", "full")
    for scope in scopes:
        session = claude_code.parse(data, scope=scope, pins=NO_PINS)
        assert claude_code.render(session.transcript, session) == data
        view = compact(replace(session), session.transcript.token_estimate() // 2, recent=0)
        assert claude_code.parse(claude_code.render(view, session))


def test_nesting_that_is_just_readable_is_survived() -> None:
    lines = [line_of({"type": "user", "message": {"content": "Task " * 100}, "uuid": "u1"})]
    for depth in range(100, 1_100, 10):
        block = b'{"type":"odd","x":' + b"[" * depth + b"]" * depth + b"}"
        opening = b'{"type":"user","uuid":"d%d","message":{"content":[' % depth
        lines.append(opening + block + b"]}}\n")
    data = b"".join(lines)
    session = claude_code.parse(data, pins=NO_PINS)
    assert claude_code.render(session.transcript, session) == data
    view = compact(session, session.transcript.token_estimate() - 10, policy=DropOldestPolicy())
    with contextlib.suppress(UnrenderableView):
        claude_code.render(view, session)


# Detection


def test_a_session_is_told_by_its_first_records() -> None:
    records = small_session().records
    assert claude_code.matches(records[:1])
    assert claude_code.matches([{"type": "summary", "summary": "x", "leafUuid": "y"}])
    assert claude_code.matches([{"type": "file-history-snapshot", "snapshot": {}}, *records[:2]])
    strangers: tuple[dict[str, Any], ...] = (
        {"role": "user", "content": "x"},
        {"type": "session_meta", "payload": {}},
        {"type": "message", "id": "a", "parentId": None, "message": {"role": "user"}},
        {"type": "user"},
        {"messages": []},
        {},
    )
    for foreign in strangers:
        assert not claude_code.matches([foreign])
    assert not claude_code.matches([])


# Writing


def test_nothing_changed_gives_the_bytes_back() -> None:
    """R2."""
    data = b"\xef\xbb\xbf" + small_session().data().replace(b"\n", b"\r\n")[:-2]
    for source in (data, data + b"\n\n \n", data + b"\n{broken"):
        session = claude_code.parse(source)
        assert claude_code.render(session.transcript, session) == source
        assert claude_code.render(compact(session, 100_000), session) == source


def _cuts() -> Iterator[tuple[int, CompactionPolicy]]:
    total = claude_code.parse(small_session().data()).transcript.token_estimate()
    for make in POLICIES:
        for tokens in range(20, total + 1, 17):
            yield tokens, make()


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pinned", "free"])
def test_every_cut_keeps_calls_and_results_together(pins: Pins) -> None:
    """A1, A4: every budget, every protected tail, every policy."""
    session = claude_code.parse(small_session().data(), pins=pins)
    rendered = 0
    for tokens, policy in _cuts():
        for recent in range(0, len(session.transcript), 3):
            try:
                view = compact(session, tokens, policy=policy, recent=recent)
                written(view, session)
            except (BudgetUnsatisfiable, UnrenderableView):
                continue
            rendered += 1
    assert rendered > 100


def test_a_compacted_session_holds_the_view_and_nothing_that_was_removed() -> None:
    """R3, X4: masked text, its copy for the client, and summarised turns are gone."""
    log = small_session()
    session = claude_code.parse(log.data())
    view = compact(session, 250)
    data = written(view, session)
    gone = {
        "SECOND-UNIT": "u6",
        "FIRST-UNIT": "u7",
        "LOG-LINE": "u12",
        "LAST-LINE": "u15",
    }
    standing = {turn.turn_id: turn.content for turn in view.transcript}
    removed = [word for word, turn in gone.items() if word not in standing.get(turn, "")]
    assert len(removed) > 1
    assert not [word for word in removed if word.encode() in data]
    assert b"progress" not in data


def test_a_kept_message_is_the_original_one() -> None:
    """R3."""
    log = small_session()
    session = claude_code.parse(log.data())
    view = compact(session, 300, policy=ObservationMaskingPolicy(0))
    originals = {record["uuid"]: record for record in log.records}
    records = records_of(written(view, session))
    masked = set(view.report.masked_turn_ids)
    assert masked
    sessions = {record["sessionId"] for record in records}
    assert len(sessions) == 1
    assert sessions.isdisjoint(record["sessionId"] for record in log.records)
    for record in records:
        original = originals[record["uuid"]]
        assert record["timestamp"] == original["timestamp"]
        if record["uuid"] in masked:
            (block,) = record["message"]["content"]
            (before,) = original["message"]["content"]
            assert list(block) == list(before)
            assert block == before | {"content": view.transcript.turn(record["uuid"]).content}
            assert "toolUseResult" not in record
        else:
            assert json.dumps(record.get("message")) == json.dumps(original.get("message"))
            assert record.get("attachment") == original.get("attachment")
            assert record.get("toolUseResult") == original.get("toolUseResult")


def test_attachments_before_the_first_edit_stay_and_hang_where_they_hung() -> None:
    """R3: up to the first edit the client sends what it sent before, so a bound block holds.

    Would catch: a resumed session whose thinking the provider refuses, as what the client had sent
    between the messages (the environment, the tools) is not sent there any more.
    """
    log = Log()
    log.user("Never restart the gateway.")
    for number in (1, 2):
        log.add("attachment", uuid=f"before{number}", attachment={"type": "environment"})
    log.assistant("m1", text("First."), call("c1"))
    log.result("c1", "LONG-RESULT " * 50)
    log.add("attachment", uuid="after", attachment={"type": "diagnostics"})
    log.assistant("m2", text("Done."))
    session = claude_code.parse(log.data(), pins=NO_PINS)
    view = compact(session, 100, policy=ObservationMaskingPolicy(0), recent=1)
    assert view.report.masked_turn_ids == ("u6",)
    records = records_of(written(view, session))
    uuids = [each["uuid"] for each in records]
    assert uuids == ["u1", "before1", "before2", "u4", "u5", "u6", "u8"]
    assert [each["parentUuid"] for each in records] == [None, *uuids[:-1]]
    assert len({each["sessionId"] for each in records}) == 1


def test_a_summary_stands_behind_a_boundary() -> None:
    """R3, K7: the client's own shape of a compaction, in the spelling that it looks for."""
    session = claude_code.parse(small_session().data(), pins=NO_PINS)
    view = compact(session, 300, policy=SummarizingPolicy("p"), recent=4)
    data = written(view, session)
    boundary, summary, *_ = records_of(data)
    assert (boundary["type"], boundary["subtype"]) == ("system", "compact_boundary")
    assert boundary["parentUuid"] is None
    assert boundary["compactMetadata"] == {
        "trigger": "manual",
        "preTokens": view.report.tokens_before,
    }
    assert summary["parentUuid"] == boundary["uuid"]
    assert summary["isCompactSummary"] is True
    assert summary["isVisibleInTranscriptOnly"] is True
    assert (summary["cwd"], summary["isSidechain"]) == ("/home/dev/src", False)
    assert SUMMARY in summary["message"]["content"]
    assert b'"type":"system","subtype":"compact_boundary"' in data
    assert data == claude_code.render(view, session)


def test_without_a_summary_there_is_no_boundary() -> None:
    session = claude_code.parse(small_session().data(), pins=NO_PINS)
    view = compact(session, 300, policy=DropOldestPolicy())
    assert b"compact_boundary" not in written(view, session)


def test_a_client_copy_of_a_file_that_may_have_been_removed_is_not_written() -> None:
    """R3: an edit's local copy repeats the whole file that an earlier result showed."""
    log = Log()
    log.user("Task")
    log.assistant("m1", call("c1", "Read"))
    log.result("c1", "SECRET-FILE " * 50)
    log.assistant("m2", call("c2", "Edit"))
    copy = {"originalFile": "SECRET-FILE " * 50, "userModified": False}
    log.result("c2", "edited", toolUseResult=copy)
    log.assistant("m3", call("c3", "Bash"))
    log.result(
        "c3", "all 12 tests passed in 3.2 s", toolUseResult={"stdout": "all 12 tests passed"}
    )
    session = claude_code.parse(log.data())
    data = written(compact(session, 120, recent=4), session)
    assert b"SECRET-FILE" not in data
    assert b"userModified" not in data
    assert b'"stdout":"all 12 tests passed"' in data


def test_a_view_that_begins_with_the_model_gets_a_bridge_that_is_no_turn() -> None:
    """R2, T7: a provider wants a user first; read again, the view is the same."""
    log = Log()
    log.user("Task " * 50)
    for number in range(3):
        log.assistant(f"m{number}", text(f"Answer {number}. " * 10))
    session = claude_code.parse(log.data(), pins=NO_PINS)
    view = compact(session, 90, policy=DropOldestPolicy(), recent=1)
    data = written(view, session)
    first = records_of(data)[0]
    assert (first["type"], first["isMeta"]) == ("user", True)
    again = claude_code.parse(data, ledger=view.ledger)
    assert again.transcript.turn_ids() == view.transcript.turn_ids()


@pytest.mark.parametrize(
    "more",
    [
        {"type": "assistant", "message": {"role": "assistant", "id": "q"}},
        {"type": "user", "message": {"role": "user", "content": [{"type": ["x"]}]}},
        {"type": "user", "message": {"role": "user", "content": [{"type": {}}]}},
        {
            "type": "user",
            "message": {"role": "user", "content": "Hm?"},
            "sourceToolAssistantUUID": ["a"],
        },
    ],
)
def test_a_record_of_an_odd_shape_costs_nothing_else(more: dict[str, object]) -> None:
    """R4, E1."""
    log = Log()
    log.user("Task " * 200)
    data = log.data() + json.dumps({**more, "uuid": "odd", "sessionId": "s"}).encode() + b"\n"
    session = claude_code.parse(data, pins=NO_PINS)
    assert claude_code.render(session.transcript, session) == data
    view = compact(session, 100, policy=DropOldestPolicy(), recent=1)
    assert claude_code.parse(claude_code.render(view, session)).transcript


def test_a_record_with_two_results_loses_the_masked_one_only() -> None:
    log = Log()
    log.user("Task")
    log.snapshot("m1", call("c1"), call("c2"))
    log.user(
        [answer("c1", "FIRST " * 200), answer("c2", "SECOND"), text("Also this.")],
        toolUseResult="FIRST FIRST",
    )
    log.assistant("m2", text("Yes."))
    session = claude_code.parse(log.data(), pins=NO_PINS)
    view = compact(session, 150, policy=ObservationMaskingPolicy(0), recent=1)
    assert view.report.masked_turn_ids == ("u3.b0",)
    data = written(view, session)
    assert b"FIRST" not in data
    (record,) = [each for each in records_of(data) if each["uuid"] == "u3"]
    assert [block["type"] for block in record["message"]["content"]] == [
        *("tool_result", "tool_result", "text")
    ]


def test_words_in_a_record_of_results_survive_them() -> None:
    """A14: the call and its results go, what the user wrote beside them stays."""
    log = Log()
    log.user("Task")
    log.snapshot("m1", call("c1"), call("c2"))
    log.user([answer("c1", "FIRST " * 200), answer("c2", "SECOND"), text("Also this.")])
    log.assistant("m2", text("Yes."))
    session = claude_code.parse(log.data())
    view = compact(session, 60, policy=DropOldestPolicy(), recent=1)
    assert view.transcript.turn_ids() == ("u1", "u3.b2", "m2")
    assert b"SECOND" not in written(view, session)


def test_orphans_are_left_out_and_listed() -> None:
    """A3, T7."""
    log = small_session()
    log.result("nowhere", "ORPHAN")
    log.user("Next")
    session = claude_code.parse(log.data())
    assert "orphan_result" in codes_of(session)
    assert b"ORPHAN" in claude_code.render(session.transcript, session)
    view = compact(session, 300)
    assert b"ORPHAN" not in written(view, session)
    budget = CompactionBudget(300, 2)
    plan = DropOldestPolicy().decide(session.transcript, budget)
    raw = CompactionExecutor().apply(session.transcript, plan)
    assert set(repairs(raw, session)) <= {session.transcript.turns[-2].turn_id}


def test_a_dead_call_blocks_nothing_and_is_closed_as_an_error() -> None:
    """A9, A12."""
    log = Log()
    log.user("Task")
    log.assistant("m0", call("dead"))
    log.user("Go on.")
    for number in range(40):
        log.assistant(f"m{number + 1}", call(f"c{number}"))
        log.result(f"c{number}", "OUT " * 50)
        log.user(f"Next {number}")
    session = claude_code.parse(log.data(), pins=Pins(pending_calls=True))
    assert session.transcript.turn("m0").metadata["turnfold.status"] == "dead"
    fifth = session.transcript.token_estimate() // 5
    view = compact(session, fifth)
    assert view.transcript.token_estimate() <= fifth
    kept = compact(session, session.transcript.token_estimate() - 50, policy=default_chain())
    assert "m0" in kept.transcript.turn_ids()
    data = written(kept, session)
    (closing,) = [each for each in records_of(data) if CLOSED_CALL in json.dumps(each)]
    assert closing["message"]["content"][0]["is_error"] is True
    assert closing["message"]["content"][0]["tool_use_id"] == "dead"
    again = claude_code.parse(data)
    assert again.transcript.turn("m0").metadata["turnfold.status"] == "dead"


def test_a_late_result_still_finds_its_pending_call() -> None:
    """A10: compact, append the result, read again; and once more."""
    log = Log()
    log.user("Task")
    log.assistant("m0", call("confirm", "AskUser"))
    for number in range(20):
        log.user(f"chat {number} " * 20)
        log.assistant(f"n{number}", text("hm " * 20))
    session = claude_code.parse(log.data())
    assert session.transcript.turn("m0").metadata["turnfold.status"] == "pending"
    view = compact(session, session.transcript.token_estimate() // 3)
    assert "m0" in view.transcript.turn_ids()
    late = Log()
    late.result("confirm", "yes", uuid="late", parentUuid=session.transcript.turns[-2].turn_id)
    longer = claude_code.parse(written(view, session) + late.data(), ledger=view.ledger)
    assert longer.ledger == view.ledger
    assert longer.damage == ()
    assert longer.transcript.turns[-1].tool_call_id == "m0"
    tokens = longer.transcript.token_estimate() - 100
    second = compact(longer, tokens, ledger=longer.ledger, recent=1)
    assert {"m0", "late"} <= set(second.transcript.turn_ids())
    data = written(second, longer)
    results = [block for each in messages_of(data) for block in each["content"]]
    assert [each["content"] for each in results if each["type"] == "tool_result"] == ["yes"]


@pytest.mark.parametrize("half_answered", [False, True])
def test_a_pending_call_at_the_end_stays_open(half_answered: bool) -> None:  # noqa: FBT001
    """A12."""
    log = small_session()
    log.assistant("m6", call("a"), call("b"))
    if half_answered:
        log.result("a", "one")
    session = claude_code.parse(log.data())
    data = written(compact(session, 300), session)
    assert CLOSED_CALL.encode() not in data
    assert b'"id":"b"' in data


def test_a_call_that_a_prompt_follows_is_closed_in_a_changed_view() -> None:
    """A12: interrupted, then resumed with a word."""
    log = small_session()
    log.assistant("m6", call("a"), call("b"))
    log.result("b", "two")
    log.user("hello")
    session = claude_code.parse(log.data())
    data = written(compact(session, 300), session)
    assert data.count(CLOSED_CALL.encode()) == 1


def test_the_newest_prompt_and_the_newest_exchange_are_always_there() -> None:
    """C7, C8."""
    log = Log()
    log.user("Task")
    log.assistant("m1", text("ok"))
    log.user("LIVE")
    log.snapshot("m2", *[call(f"c{number}") for number in range(5)])
    for number in range(5):
        log.result(f"c{number}", "BIG " * 500)
    session = claude_code.parse(log.data())
    with pytest.raises(BudgetUnsatisfiable):
        compact(session, 100, recent=0)
    free = claude_code.parse(log.data(), pins=Pins(newest_exchange=False))
    view = compact(free, 400, recent=0)
    assert b"LIVE" in written(view, free)
    with pytest.raises(UnrenderableView):
        claude_code.render(Transcript(()), session)


def test_further_rounds_lead_back_to_the_first_turns() -> None:
    """L2, L3, X4."""
    session = claude_code.parse(small_session().data(), pins=NO_PINS)
    leaves = session.transcript.turn_ids()
    view = compact(session, 400)
    for number, tokens in enumerate((300, 150, 90)):
        more = Log()
        more.user(f"more {number}", uuid=f"more{number}")
        more.assistant(f"x{number}", call(f"y{number}"), uuid=f"z{number}")
        more.result(f"y{number}", "THEN " * 40, uuid=f"r{number}")
        source = written(view, session) + more.data()
        session = claude_code.parse(source, ledger=view.ledger, pins=NO_PINS)
        assert session.ledger == view.ledger
        view = compact(session, tokens, ledger=session.ledger, recent=1)
        leaves += (f"more{number}", f"x{number}", f"r{number}")
        assert view.ledger.leaf_ids == leaves
        written(view, session)


def test_a_changed_file_does_not_get_its_old_ledger() -> None:
    """L3."""
    session = claude_code.parse(small_session().data(), pins=NO_PINS)
    view = compact(session, 300)
    data = written(view, session).replace(b"Done.", b"Gone.")
    again = claude_code.parse(data, ledger=view.ledger)
    assert again.ledger is None
    assert "ledger_mismatch" in codes_of(again)
    assert claude_code.parse(data[:40] + b"\n" + line_of(small_session().records[0])).transcript


def test_lone_surrogates_are_written_as_escapes() -> None:
    log = Log()
    log.user("Task " * 50)
    log.user("half of a pair: \ud83d".encode("ascii", "backslashreplace").decode())
    source = log.data().replace(b"\\\\ud83d", b"\\ud83d")
    session = claude_code.parse(source, pins=NO_PINS)
    assert session.transcript.turns[1].content.endswith("\ud83d")
    view = compact(session, 30, policy=DropOldestPolicy(), recent=1)
    assert rb"\ud83d" in written(view, session)


def test_other_text_is_written_without_escapes() -> None:
    log = Log()
    log.user("Task " * 50)
    log.user("Café \u2028 茶")
    session = claude_code.parse(log.data(), pins=NO_PINS)
    view = compact(session, 30, policy=DropOldestPolicy(), recent=1)
    assert "Café \u2028 茶".encode() in written(view, session)


def test_a_turn_of_another_session_is_refused() -> None:
    """E1."""
    session = claude_code.parse(small_session().data())
    stranger = TranscriptTurn("stranger", Role.ASSISTANT, "SECRET", 1)
    with pytest.raises(UnrenderableView) as caught:
        claude_code.render(Transcript((stranger,)), session)
    assert "SECRET" not in str(caught.value)
    assert caught.value.details == {"turn_ids": ["stranger"]}


def test_a_result_without_its_call_is_refused() -> None:
    """A1."""
    session = claude_code.parse(small_session().data())
    with pytest.raises(UnrenderableView):
        claude_code.render(Transcript((session.transcript.turn("u6"),)), session)


def test_a_foreign_policy_may_mask_words() -> None:
    """B3: what a message said is gone, its calls stay for their results."""
    session = claude_code.parse(small_session().data())
    turns = tuple(
        replace(turn, content="[gone]") if turn.turn_id in ("u1", "m1", "m3") else turn
        for turn in session.transcript
    )
    data = claude_code.render(Transcript(turns), session)
    assert faults_of(data) == []
    assert b"I look at it" not in data
    assert b"Rotate the certificate" not in data
    assert data.count(b"[gone]") == 3
    assert b'"id":"c1","name":"Bash","input":{}' in data


def test_a_session_pickles() -> None:
    session = claude_code.parse(small_session().data())
    again = pickle.loads(pickle.dumps(session))  # noqa: S301
    assert again.transcript == session.transcript
    assert claude_code.render(again.transcript, again) == small_session().data()


# The written fixtures

NAMES = sorted(path.name for path in FIXTURES.glob("*.jsonl"))
LIVE_TURNS = {
    "two_boundaries_preserved_segment.jsonl": 7,
    "replayed_copies.jsonl": 3,
    "glued_objects.jsonl": 7,
    "nul_run.jsonl": 10,
    "truncated_last_line.jsonl": 5,
    "bom_and_u2028.jsonl": 8,
    "broken_parents.jsonl": 9,
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scope", ["live", "full"])
def test_fixtures_load_and_compact(name: str, scope: Any) -> None:  # noqa: ANN401
    """R2, R3, R4, A1."""
    source = (FIXTURES / name).read_bytes()
    session = claude_code.parse(source, scope=scope, pins=NO_PINS)
    assert claude_code.render(session.transcript, session) == source
    if scope == "live" and name in LIVE_TURNS:
        assert len(session.transcript) == LIVE_TURNS[name]
    total = session.transcript.token_estimate()
    for make in POLICIES:
        for percent in (90, 70, 50, 30):
            try:
                view = compact(session, total * percent // 100, policy=make(), recent=1)
                if view.transcript != session.transcript:
                    written(view, session)
            except (BudgetUnsatisfiable, UnrenderableView):
                continue
