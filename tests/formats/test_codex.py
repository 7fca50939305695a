"""Reading and rendering Codex rollouts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import corpus_root
from tests.formats.json_histories import (
    NO_PINS,
    POLICIES,
    compact,
    cuts,
    eighth,
    has_conversation,
    reuses_open_ids,
    sweep,
    with_long_inputs,
)
from tests.formats.responses_histories import (
    FUNCTIONS,
    HEAD,
    Item,
    Json,
    Rollout,
    calling,
    damaged,
    developer,
    histories,
    line_of,
    records_of,
    result,
    said,
    searched,
    thought,
    user,
)
from turnfold import (
    BudgetUnsatisfiable,
    CompactionBudget,
    CompactionExecutor,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Role,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, codex, repaired
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.codex import check, matches, parse, render

FEW = settings(max_examples=max(settings().max_examples // 4, 1))
"""Each example is compacted, rendered, checked and read again."""

ENVIRONMENT = "<environment_context>\n  <cwd>/home/dev</cwd>\n</environment_context>"
AGENTS = "# AGENTS.md instructions for /home/dev\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"
SUMMARY = (
    "Another language model started to solve this problem and produced a summary of its thinking "
    "process.\nThe build is red."
)
SCOPES = ("live", "full")


def opening() -> Rollout:
    log = Rollout().items(developer("<permissions instructions>Ask.</permissions instructions>"))
    return log.items(user(ENVIRONMENT)).context()


def small() -> Rollout:
    """A task, parallel calls, a patch, a search, reasoning with ids and without, a last word."""
    log = opening().items(user("Fix the build. Never touch main."))
    log.items(thought("rs_1", "ZZZZ" * 60), said("I look.", id="msg_1", phase="commentary"))
    log.items(calling("c1", id="fc_1"), calling("c2", id="fc_2"))
    log.items(result("c1", "FIRST " * 60), result("c2", "SECOND " * 60))
    log.items(thought(), searched("ws_1"), said("Found it."), calling("c3", "custom"))
    log.items(result("c3", "PATCHED " * 40, "custom"), thought(), said("Done. " * 20))
    log.context(effort="high").items(user("Then run the tests."))
    return log.items(calling("c4"), result("c4", "GREEN"), said("They pass."))


def contents(data: bytes, **more: Any) -> list[str]:  # noqa: ANN401
    return [turn.content for turn in parse(data, **more).transcript]


def without(session: Session, *turn_ids: str) -> Transcript:
    """The session without some turns."""
    return Transcript(turn for turn in session.transcript if turn.turn_id not in turn_ids)


def items_of(data: bytes) -> list[Item]:
    return [each["payload"] for each in records_of(data) if each["type"] == "response_item"]


# --- what is recognized ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "records",
    [
        records_of(small().data())[:1],
        records_of(small().data())[4:6],
        [{"id": "7d", "timestamp": "2025-08-01T00:00:00Z", "instructions": None}],
        [{"record_type": "state"}],
        [user("a")],
        [calling("c")],
        [{"type": "compacted", "payload": {"message": ""}}],
    ],
)
def test_a_rollout_is_recognized(records: list[Json]) -> None:
    assert matches(records)


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "message": {"role": "user"}, "uuid": "u", "sessionId": "s"},
        {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/"},
        {"type": "message", "id": "a", "parentId": None, "message": {"role": "user"}},
        {"type": "compaction", "id": "a", "parentId": "b", "summary": "s"},
        {"responses_create_params": {"input": []}, "response": {"output": []}},
        {"role": "user", "content": "a"},
        {"messages": [user("a")]},
        {"type": "response_item", "payload": 7},
        {"type": ["session_meta"], "payload": {}},
        {"id": "7d", "timestamp": "t"},
        {"kind": "MessageEvent", "id": "a", "timestamp": "t"},
        {},
    ],
)
def test_the_records_of_others_are_not(record: Json) -> None:
    assert not matches([record])


# --- reading -------------------------------------------------------------------------------


def test_items_become_turns_and_events_do_not() -> None:
    """K11: an event repeats an item."""
    session = parse(small().data())
    transcript = session.transcript
    assert session.damage == ()
    assert [turn.role.value for turn in transcript] == [
        *("system", "system", "user", "user"),
        *("assistant", "tool", "tool", "assistant", "tool", "assistant"),
        *("user", "assistant", "tool", "assistant"),
    ]
    assert transcript.turn("instructions").content == "You look after trellis."
    assert transcript.turns[2].metadata["turnfold.kind"] == "injected"
    batch = transcript.turn("msg_1")
    assert batch.content.startswith("I look.\n[call run]")
    assert batch.token_estimate > 60
    assert transcript.turns[8].metadata["turnfold.tool_name"] == "apply_patch"


def test_pins_skip_what_the_client_injected() -> None:
    """C9, K9."""
    log = opening().items(user(AGENTS + "\n\n" + ENVIRONMENT), user("REAL GOAL"), said("ok"))
    log.items(user("<turn_aborted>\nThe user interrupted.\n</turn_aborted>"))
    log.items(user("<subagent_notification>{}</subagent_notification>"), said("more"))
    session = parse(log.data(), pins=Pins(newest_exchange=False))
    assert [turn.content for turn in session.transcript if turn.pinned] == ["REAL GOAL"]
    said_by_a_person = "Look at <environment_context> in the docs."
    kinds = [
        turn.metadata.get("turnfold.kind") for turn in parse(_one(said_by_a_person)).transcript
    ]
    assert kinds[-1] is None


def _one(text: str) -> bytes:
    return Rollout().items(user(text)).data()


def test_a_compaction_replaces_all_before_it() -> None:
    """K7, K11."""
    blob: Item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "E" * 4000}
    log = small()
    at = len(log.lines) + 1
    log.compacted([user("Fix the build. Never touch main."), blob])
    log.items(user("What now?"), said("Nothing."))
    session = parse(log.data())
    after = (f"line{at + 2}", f"line{at + 5}")
    assert session.transcript.turn_ids()[1:] == (f"line{at}.0", "cmp_1", *after)
    turn = session.transcript.turn("cmp_1")
    assert (turn.role, turn.metadata["turnfold.kind"], turn.pinned) == (Role.USER, "summary", True)
    assert turn.token_estimate > 900
    full = parse(log.data(), scope="full")
    before = parse(small().data()).transcript.turn_ids()
    assert full.transcript.turn_ids() == (*before, "cmp_1", *after)


def test_the_last_of_several_compactions_counts() -> None:
    """K7."""
    log = small().compacted([user("first")], "one").items(said("between"))
    log.compacted([user("second"), user(SUMMARY)]).items(user("last"))
    assert contents(log.data())[1:] == ["second", SUMMARY, "last"]
    kinds = [turn.metadata.get("turnfold.kind") for turn in parse(log.data()).transcript]
    assert kinds[1:] == [None, "summary", None]
    full = contents(log.data(), scope="full")
    assert [full.index(each) for each in ("first", "between", "second", SUMMARY, "last")]


def test_an_early_compaction_keeps_the_users_words_and_its_summary() -> None:
    log = opening().items(user("TASK"), said("work"), user("more"), said("work"))
    log.compacted(None, "The build is red.").items(user("last"))
    expected = ["TASK", "more", "The build is red.", "last"]
    assert contents(log.data())[3:] == expected
    turns = parse(log.data()).transcript.turns
    assert turns[5].metadata["turnfold.kind"] == "summary"
    assert contents(log.data(), scope="full")[3:] == [
        *("TASK", "work", "more", "work", "The build is red.", "last")
    ]
    assert contents(log.compacted(None, "").data())[3:] == ["TASK", "more", "last"]


def test_a_compaction_may_refer_to_earlier_items() -> None:
    entries = [
        {"type": "reference", "item_id": "msg_1"},
        {"type": "inline", "item": user("inline")},
        {"type": "reference_v2", "item_id": "msg_404", "source_digest": "x"},
        7,
    ]
    log = small()
    at = f"line {len(log.lines) + 1} replacement_history_entries"
    log.compacted(None, "", replacement_history_entries=entries)
    session = parse(log.items(user("x")).data())
    assert [turn.content for turn in session.transcript][1:] == ["I look.", "inline", "x"]
    assert [damage.place for damage in session.damage] == [f"{at}[2]", f"{at}[3]"]


def test_turns_that_were_taken_back_are_not_live() -> None:
    log = opening().items(user("one"), said("1")).context().items(user("two"), said("2"))
    log.items(user(ENVIRONMENT), user("three"), said("3")).event("thread_rolled_back", num_turns=2)
    log.items(user("instead"))
    assert contents(log.data())[3:] == ["one", "1", "instead"]
    assert "three" in contents(log.data(), scope="full")
    log.event("thread_rolled_back", num_turns=99)
    assert contents(log.items(user("anew")).data())[3:] == ["anew"]


COMMUNICATION = "inter_agent_communication"


def wrote(text: str, **more: Any) -> Json:  # noqa: ANN401
    named = {"author": "/root/tester", "recipient": "/root", "other_recipients": []}
    return {**named, "content": text, "trigger_turn": False, **more}


def test_what_another_agent_wrote_is_part_of_the_history() -> None:
    """Would catch: a report of a subagent that the model has read, and turnfold has not."""
    log = opening().items(user("Fix it."), said("I ask the tester."))
    log.add(COMMUNICATION, wrote("RED: test_a fails. " * 20))
    log.add("inter_agent_communication_metadata", {"trigger_turn": False})
    log.items(said("Fixed.")).add(COMMUNICATION, wrote("", encrypted_content="SEALED" * 40))
    data = log.items(said("Done.")).data()
    session = parse(data)
    roles = [turn.role.value for turn in session.transcript.turns[-6:]]
    assert roles == ["user", "assistant"] * 3
    red, sealed = session.transcript.turns[-4], session.transcript.turns[-2]
    assert red.content.startswith("RED")
    assert red.metadata["turnfold.kind"] == sealed.metadata["turnfold.kind"] == "injected"
    assert sealed.content == ""
    assert sealed.token_estimate > 40
    assert render(session.transcript, session) == data


def test_what_another_agent_wrote_keeps_its_line_or_is_the_item_of_a_compaction() -> None:
    """R3. Would catch: a line that Codex does not know in a history that it replays."""
    log = opening().items(user("Fix it."), said("I ask the tester."))
    log.add(COMMUNICATION, wrote("RED: test_a fails.")).items(said("Fixed."))
    line = next(each for each in log.lines if b"RED" in each)
    session = parse(log.data(), pins=NO_PINS)
    first = session.transcript.turn_ids()[-4]
    assert line in render(without(session, first), session).splitlines(keepends=True)
    session = parse(log.items(user(SUMMARY), user("Go on."), said("Done.")).data(), pins=NO_PINS)
    rendered = render(without(session, first), session)
    (compacted,) = (each for each in records_of(rendered) if each["type"] == "compacted")
    history = compacted["payload"]["replacement_history"]
    (item,) = (each for each in history if each["type"] == "agent_message")
    assert item["author"] == "/root/tester"
    assert item["content"] == [{"type": "input_text", "text": "RED: test_a fails."}]
    assert check(rendered) == []


def test_a_turn_that_another_agent_began_is_taken_back() -> None:
    log = opening().items(user("one"), said("1")).add(COMMUNICATION, wrote("RED"))
    log.items(said("2")).event("thread_rolled_back", num_turns=1)
    assert contents(log.data())[3:] == ["one", "1"]


@pytest.mark.parametrize("payload", [None, 7, [], {}, {"content": 7}, {"encrypted_content": ""}])
def test_a_communication_without_words_is_no_turn(payload: Json) -> None:
    log = opening().items(user("one")).add(COMMUNICATION, payload)
    assert contents(log.data())[3:] == ["one"]


def test_early_rollouts_without_envelopes_are_read_and_written() -> None:
    head = {"id": "7d", "timestamp": "2025-08-01T00:00:00Z", "instructions": "Be brief."}
    items = [user(ENVIRONMENT), user("TASK"), thought(), calling("c"), result("c", "y" * 900)]
    records = [head, {"record_type": "state"}, *items, said("ok"), user("more")]
    data = b"".join(map(line_of, records))
    session = parse(data)
    assert [turn.role.value for turn in session.transcript][:2] == ["user", "user"]
    assert len(session.transcript) == 6
    assert render(session.transcript, session) == data
    view = compact(session, POLICIES["default_chain"], session.transcript.token_estimate() // 2)
    assert view is not None
    rendered = records_of(render(view, session))
    assert rendered[0].keys() == head.keys()
    assert rendered[0]["id"] != "7d"
    assert rendered[0]["instructions"] is None
    assert all("payload" not in each for each in rendered)
    assert check(render(view, session)) == []


@pytest.mark.parametrize("scope", SCOPES)
def test_an_unchanged_rollout_comes_back_byte_for_byte(scope: Any) -> None:  # noqa: ANN401
    """R2."""
    for data in (small().data(), small().data().rstrip(b"\n"), b"\xef\xbb\xbf" + small().data()):
        session = parse(data, scope=scope)
        assert render(session.transcript, session) == data
        assert parse(iter(data.splitlines(keepends=True))).transcript == session.transcript


def test_damage_costs_only_itself() -> None:
    """K1, K5, R4: NUL bytes, glued and truncated lines, a BOM, U+2028, CRLF."""
    lines = small().lines
    glued = lines[4].rstrip() + b" " + lines[5]
    separated = line_of({"type": "response_item", "payload": user("a\u2028b")})
    data = b"\xef\xbb\xbf" + b"".join(
        [*lines[:4], b"\0" * 500 + b"\n", glued, b"\0\0" + lines[6], lines[7][:30] + b"\n"]
    )
    data += b"".join([*lines[8:], separated.replace(b"\n", b"\r\n")])
    session = parse(data)
    codes = [damage.code for damage in session.damage]
    assert set(codes) == {"nul_bytes", "glued_records", "unreadable_record"}
    assert len(session.transcript) == len(parse(small().data()).transcript) + 1
    assert session.transcript.turns[-1].content == "a\u2028b"
    assert render(session.transcript, session) == data
    rendered = render(without(session, "msg_1", "line12", "line14"), session)
    assert check(rendered) == []
    assert b"\0" not in rendered


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"{", b"{}\n[1]\n", line_of({"type": "session_meta", "payload": HEAD})]
)
def test_what_is_no_rollout_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableTranscript, match="no Codex rollout"):
        parse(data)


def test_what_is_never_sent_is_no_turn() -> None:
    snapshot = {"type": "ghost_snapshot", "ghost_commit": {"id": "deadbeef"}}
    log = Rollout().items(user("a"), said("b"), snapshot, user("c" * 900), said("d"), user("e"))
    session = parse(log.data())
    assert len(session.transcript) == 6
    last = session.transcript.turns[3].turn_id
    rendered = render(without(session, last), session)
    assert b"ghost" not in rendered
    assert [item.get("role") for item in items_of(rendered)][:3] == ["user", "assistant", "user"]
    assert contents(rendered)[1:] == ["a", "b", "d", "e"]
    assert user(BRIDGE) in items_of(rendered)


# --- rendering -----------------------------------------------------------------------------


def test_a_compacted_rollout_is_a_new_file() -> None:
    """R3: a new id, kept lines as they were, times copied, settings kept."""
    log = small()
    session = parse(log.data())
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 100)
    assert view is not None
    rendered = render(view, session)
    records = records_of(rendered)
    head = records[0]["payload"]
    assert head.keys() == HEAD.keys()
    assert head["id"] != HEAD["id"]
    assert head["base_instructions"] == HEAD["base_instructions"]
    assert render(view, session) == rendered
    old = records_of(log.data())
    changed = [each for each in records[1:] if each not in old]
    masked = [each for each in view.transcript if each.metadata.get("turnfold.kind") == "masked"]
    assert len(changed) == len(masked)
    times = {each["timestamp"]: each["payload"].get("call_id") for each in old}
    assert all(times[each["timestamp"]] == each["payload"]["call_id"] for each in changed)
    settings_of = [each["payload"] for each in records if each["type"] == "turn_context"]
    assert [each.get("effort") for each in settings_of] == [None, "high"]
    assert check(rendered) == []


def test_nothing_that_was_removed_is_in_the_file() -> None:
    """R3. Would catch: an event, a setting or a head that repeats it."""
    log = opening().context(user_instructions="OLD RULES", developer_instructions="OLD RULES")
    log.items(user("SECRET ONE " * 9), thought("rs_1", "SECRETTHOUGHT"), said("SECRET TWO " * 9))
    log.items(calling("c1"), result("c1", "SECRET THREE " * 90), user("continue"))
    log.event("task_complete", last_agent_message="SECRET TWO")
    log.event("turn_diff", unified_diff="SECRET THREE")
    log.event("agent_message", message="SECRET")
    log.items(said("kept"), user("continue"))
    session = parse(log.data(), pins=NO_PINS)
    turns = session.transcript.turns
    masked = compact(session, ObservationMaskingPolicy(0), 400, 1)
    assert masked is not None
    assert b"SECRET THREE" not in render(masked, session)
    gone = {turn.turn_id for turn in turns if "SECRET" in turn.content}
    rendered = render(without(session, *gone), session)
    assert b"SECRET" not in rendered
    assert b"OLD RULES" not in rendered
    events = [each["payload"] for each in records_of(rendered) if each["type"] == "event_msg"]
    assert [each["type"] for each in events] == ["user_message", "agent_message", "user_message"]


def test_a_summary_is_written_as_codex_replays_it() -> None:
    """R3, K11: what stands up to the summary is the replacement history."""
    log = small().items(*[said("y" * 300), user("more")] * 5)
    session = parse(log.data())
    view = compact(session, POLICIES["summarizing_until_it_fits"], 500, 3)
    assert view is not None
    rendered = render(view, session)
    records = records_of(rendered)
    compactions = [each["payload"] for each in records if each["type"] == "compacted"]
    assert len(compactions) == 1
    history = compactions[0]["replacement_history"]
    assert history[-1]["role"] == "user"
    assert history[-1]["content"][0]["text"] == compactions[0]["message"]
    assert user("Fix the build. Never touch main.") in history
    position = [each["type"] for each in records].index("compacted")
    assert all(each["type"] != "response_item" for each in records[:position])
    for scope in SCOPES:
        again = parse(rendered, scope=scope, ledger=view.ledger)  # type: ignore[arg-type]
        assert again.transcript.digest() == view.transcript.digest()
        assert again.ledger == view.ledger
    assert check(rendered) == []


def test_a_compacted_rollout_goes_on_and_is_compacted_again() -> None:
    """L2, L3."""
    log = small()
    ledger = None
    for number in range(4):
        for more in range(4):
            log.items(user(f"go {number}.{more}"), thought(), calling("c"), result("c", "y" * 300))
        session = parse(log.data(), ledger=ledger)
        assert session.damage == ()
        assert (session.ledger is None) == (number == 0)
        view = compact(session, POLICIES["default_chain"], 400, 4)
        assert view is not None
        rendered = render(view, session)
        assert check(rendered) == []
        log.lines = rendered.splitlines(keepends=True)
        ledger = view.ledger
    assert rendered.count(b'"type":"compacted"') == 1


def test_a_native_compaction_stays_as_it_is() -> None:
    """K11: opaque, byte for byte, still a compaction for Codex."""
    blob: Item = {"type": "compaction", "encrypted_content": "E" * 400}
    log = small().compacted([user("TASK"), blob]).items(*[said("y" * 400), user("more")] * 4)
    session = parse(log.data())
    view = compact(session, default_chain(), 600, 1)
    assert view is not None
    payloads = [each["payload"] for each in records_of(render(view, session))]
    histories_ = [each["replacement_history"] for each in payloads if "replacement_history" in each]
    assert len(histories_) == 1
    assert blob in histories_[0]


def test_a_fork_leaves_its_origin() -> None:
    log = Rollout(has_head=False).add("session_meta", {**HEAD, "forked_from_id": "p", "id": "own"})
    log.add("session_meta", HEAD).items(user("a"), said("y" * 900), user("b"), said("c"))
    session = parse(log.data())
    assert [turn.turn_id for turn in session.transcript if turn.role is Role.SYSTEM] == [
        "instructions"
    ]
    records = records_of(render(without(session, "line6"), session))
    heads = [each["payload"] for each in records if each["type"] == "session_meta"]
    assert len(heads) == 1
    assert "forked_from_id" not in heads[0]
    assert heads[0]["id"] not in ("own", HEAD["id"])


@pytest.mark.parametrize("mode", ["keep", "strip_after_edit", "strip_all"])
def test_reasoning_is_whole_or_gone(mode: Any) -> None:  # noqa: ANN401
    """B3, B4."""
    session = parse(small().data())
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 100)
    assert view is not None
    rendered = render(view, session, reasoning=mode)
    assert check(rendered) == []
    kept = [item for item in items_of(rendered) if item["type"] == "reasoning"]
    assert len(kept) == {"keep": 3, "strip_after_edit": 1, "strip_all": 0}[mode]
    by_id = [item.get("id") for item in items_of(rendered) if item.get("role") == "assistant"]
    assert ("msg_1" in by_id) == (mode != "strip_all")
    again = parse(rendered, ledger=view.ledger)
    assert again.transcript.digest() == view.transcript.digest()


@pytest.mark.parametrize("name", POLICIES)
def test_every_cut_and_every_budget_leaves_whole_batches(name: str) -> None:
    """A1, A4, C2."""
    log = Rollout().items(user("a"), calling("A"), calling("B"), result("A"), result("B"))
    log.items(said("b"), thought(), calling("A", "custom"), result("A", kind="custom"), user("c"))
    session = parse(log.data(), pins=NO_PINS, estimator=eighth)
    for view in sweep(session, POLICIES[name]):
        if has_conversation(view):
            assert check(render(view, session)) == []


@pytest.mark.parametrize(
    ("call", "closing"),
    [
        (calling("X"), "function_call_output"),
        (calling("X", "custom"), "custom_tool_call_output"),
        (calling("X", "local_shell"), "function_call_output"),
    ],
)
def test_a_call_that_was_given_up_is_closed(call: Item, closing: str) -> None:
    """A9, A12."""
    log = Rollout().items(user("a"), call, user("b"), calling("c"), result("c"), said("y" * 900))
    session = parse(log.items(user("d")).data())
    assert session.transcript.turns[2].metadata["turnfold.status"] == "dead"
    last = session.transcript.turns[-2].turn_id
    items = items_of(render(without(session, last), session))
    assert items[2] == {"type": closing, "call_id": "X", "output": CLOSED_CALL}


def test_a_pending_call_stays_open_and_its_late_result_joins_it() -> None:
    """A10, A12."""
    log = Rollout().items(user("a"), said("y" * 900), user("b"), calling("t9"))
    session = parse(log.data())
    rendered = render(without(session, "line5"), session)
    assert check(rendered, pending_ok=True) == []
    assert [fault.rule for fault in check(rendered)] == ["unanswered_call"]
    late = parse(rendered + line_of({"type": "response_item", "payload": result("t9")}))
    assert late.transcript.turns[-1].tool_call_id == late.transcript.turns[-2].turn_id


def test_an_orphan_is_left_out() -> None:
    """A3, A7."""
    log = Rollout().items(user("a"), calling("c"), result("c"), user("b"), result("c"))
    session = parse(log.items(said("y" * 900), user("d")).data())
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    assert [fault.rule for fault in check(log.data())] == ["orphan_result"]
    assert check(render(without(session, session.transcript.turns[-2].turn_id), session)) == []


def test_the_view_keeps_more_than_instructions() -> None:
    """C7."""
    session = parse(small().data())
    with pytest.raises(UnrenderableView):
        render(Transcript(session.transcript.turns[:2]), session)


def test_a_view_of_another_session_is_refused() -> None:
    longer, shorter = parse(small().items(user("x")).data()), parse(small().data())
    with pytest.raises(UnrenderableView, match="no original of these turns"):
        render(Transcript(longer.transcript.turns[2:]), shorter)


@pytest.mark.parametrize("name", POLICIES)
def test_the_last_and_the_first_user_message_stay(name: str) -> None:
    """C8."""
    log = opening().items(user("TASK"), said("y" * 90), user("LIVE"), calling("c"), result("c"))
    session = parse(log.data(), estimator=eighth)
    for view in sweep(session, POLICIES[name]):
        rendered = render(view, session)
        assert b'"text":"TASK"' in rendered
        assert b'"text":"LIVE"' in rendered


def test_a_large_line_and_many_lines_take_linear_time() -> None:
    """K5, F7."""
    log = Rollout().items(user("a"), calling("c"), result("c", "z" * 5_000_000))
    for number in range(1_500):
        log.items(user(f"u{number}"), said("ok"))
    session = parse(log.data())
    assert len(session.transcript) == 3_004
    view = compact(session, DropOldestPolicy(), 20_000, 4)
    assert view is not None
    assert len(render(view, session)) < 1_000_000


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda log: log.items(result("t")), "orphan_result"),
        (lambda log: log.items(thought("rs_9"), user("x")), "dangling_reasoning"),
        (lambda log: log.lines.pop(0), "no_head"),
        (lambda log: log.lines.append(b"{"), "unreadable_record"),
    ],
)
def test_a_fault_of_a_rollout_is_found(change: Any, rule: str) -> None:  # noqa: ANN401
    log = small()
    assert check(log.data()) == []
    change(log)
    assert rule in {fault.rule for fault in check(log.data())}


# --- properties ----------------------------------------------------------------------------


@st.composite
def rollouts(draw: st.DrawFn) -> Rollout:
    """A history with its events, and perhaps a compaction and a rollback in the middle."""
    log = opening().items(*draw(histories(FUNCTIONS)))
    middles = ["", "context", "history", "opaque", "early", "rollback", "agents"]
    middle = draw(st.sampled_from(middles))
    if middle == "context":
        log.context(effort="low")
    elif middle == "history":
        log.compacted([user("TASK"), said("ok"), user(SUMMARY)], "")
    elif middle == "opaque":
        log.compacted([user("TASK"), {"type": "compaction", "encrypted_content": "E" * 90}])
    elif middle == "early":
        log.compacted(None, "The build is red.")
    elif middle == "rollback":
        log.event("thread_rolled_back", num_turns=1)
    elif middle == "agents":
        log.add(COMMUNICATION, wrote("The tests are green.")).items(said("Good."))
        log.add(COMMUNICATION, wrote("", encrypted_content="S" * 90))
    renamed = json.loads(json.dumps(draw(histories(FUNCTIONS))))
    for item in renamed:
        if "id" in item:
            item["id"] = f"b_{item['id']}"
    return log.items(*renamed)


@pytest.mark.parametrize("name", POLICIES)
@FEW
@given(
    log=rollouts(),
    cut=cuts(),
    scope=st.sampled_from(SCOPES),
    mode=st.sampled_from([None, "keep", "strip_after_edit", "strip_all"]),
)
def test_any_rollout_at_any_budget_gives_what_codex_replays(
    name: str,
    *,
    log: Rollout,
    cut: tuple[int, int, Pins],
    scope: Any,  # noqa: ANN401
    mode: Any,  # noqa: ANN401
) -> None:
    """Would catch: a split batch, half a reasoning pair, a call left open, a lost ledger."""
    share, recent, pins = cut
    data = with_long_inputs(log.data()) if name == "masking_inputs" else log.data()
    session = parse(data, scope=scope, pins=pins)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[name], tokens, recent)
    if view is None or view.transcript is session.transcript:
        return
    if not has_conversation(repaired(view, session)):
        return
    rendered = render(view, session, reasoning=mode)
    if scope == "live":
        assert check(rendered, pending_ok=True) == []
    shown = repaired(view, session)
    for each in SCOPES:
        again = parse(rendered, scope=each, ledger=shown.ledger)  # type: ignore[arg-type]
        if not reuses_open_ids(session):
            assert again.transcript.digest() == shown.transcript.digest()
            assert again.ledger == shown.ledger


@FEW
@given(records=rollouts().map(lambda log: records_of(log.data())).flatmap(damaged))
def test_any_damage_is_read_or_refused(records: list[Json]) -> None:
    """R4. Would catch: a crash on a value of another type."""
    data = b"".join(json.dumps(each).encode() + b"\n" for each in records)
    matches([each for each in records if isinstance(each, dict)])
    check(data)
    for scope in SCOPES:
        try:
            session = parse(data, scope=scope)  # type: ignore[arg-type]
        except UnreadableTranscript:
            continue
        assert render(session.transcript, session) == data
        view = compact(session, POLICIES["default_chain"], session.transcript.token_estimate() // 2)
        if view is not None and has_conversation(repaired(view, session)):
            render(view, session)


@FEW
@given(data=st.binary(max_size=200), at=st.integers(0, 4_000))
def test_any_bytes_are_read_or_refused(data: bytes, at: int) -> None:
    """K1."""
    whole = small().data()
    for source in (data, whole[:at] + data + whole[at:]):
        check(source)
        try:
            session = parse(source)
        except UnreadableTranscript:
            continue
        assert render(session.transcript, session) == source


# --- recorded sessions ----------------------------------------------------------------------


def corpus_files() -> list[Path]:
    root = corpus_root()
    return sorted(root.glob("codex/*.jsonl")) if root else []


@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.stem)
@pytest.mark.parametrize("scope", SCOPES)
def test_a_recorded_session_is_compacted_into_what_codex_replays(path: Path, scope: Any) -> None:  # noqa: ANN401
    """A1, R2, R3, B4."""
    data = path.read_bytes()
    assert check(data) == []
    session = parse(data, scope=scope)
    assert session.damage == ()
    assert render(session.transcript, session) == data
    for share in (50, 30, 15):
        limit = session.transcript.token_estimate() * share // 100
        try:
            plan = default_chain().decide(session.transcript, CompactionBudget(limit))
        except BudgetUnsatisfiable:
            continue
        summaries = {each.group_id: "What was done." for each in plan.summarization_requests}
        view = CompactionExecutor().apply(session.transcript, plan, summaries)
        rendered = render(view, session)
        assert check(rendered) == []
        for each in SCOPES:
            again = parse(rendered, scope=each, ledger=view.ledger)  # type: ignore[arg-type]
            assert again.damage == ()
            assert again.transcript.digest() == view.transcript.digest()


def test_the_name_is_known() -> None:
    assert (codex.NAME, codex.LINES) == ("codex", True)
