"""Reading and rendering pi sessions."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.conftest import corpus_root
from tests.formats.json_histories import NO_PINS, POLICIES, compact, cuts, eighth, sweep
from tests.formats.pi_histories import (
    HEADER,
    IMAGE,
    Object,
    as_tree,
    bash,
    compaction,
    lines,
    message,
    result,
    said,
    sessions,
    user,
)
from tests.formats.session_laws import (
    compacts_recorded,
    damaged,
    holds_at_a_cut,
    holds_on_damage,
    holds_over_rounds,
    reads_again,
)
from turnfold import (
    CompactedView,
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
from turnfold.formats import Pins, Session, pi, repairs
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.pi import check, matches

Json = Any

FILES = sorted(root.glob("pi/*.jsonl")) if (root := corpus_root()) else []
STORY = [
    user("Start the stub."),
    said("", "a", "b", thinking="hm"),
    result("a", "y" * 60),
    result("b", "z" * 60),
    said("It runs."),
    user("And the smoke test?"),
    said("", "a", thinking="hm"),
    result("a", "y" * 60, failed=True),
    said("It fails."),
]
SHAPES = pytest.mark.parametrize("shape", [list, as_tree], ids=["old", "tree"])
Shape = Callable[[list[Object]], list[Object]]


def parse(records: list[Any], **options: Any) -> Session:  # noqa: ANN401
    return pi.parse(lines([HEADER, *records]), **options)


def render(view: CompactedView | Transcript, session: Session, **options: Any) -> list[Json]:  # noqa: ANN401
    return [json.loads(line) for line in pi.render(view, session, **options).splitlines()]


def messages(records: list[Json]) -> list[Json]:
    return [record["message"] for record in records if "message" in record]


def faults(*records: Json) -> set[str]:
    return {fault.rule for fault in check(lines([HEADER, *records]))}


def ids(session: Session) -> list[str]:
    return list(session.transcript.turn_ids())


# --- the rules that a rendering is held against ---------------------------------------------


@pytest.mark.parametrize(
    ("records", "rule"),
    [
        ([user("a"), said("", "t")], "unanswered_call"),
        ([user("a"), said("", "t"), user("b"), result("t", "x")], "unanswered_call"),
        ([user("a"), said("", "s", "t"), result("s", "x"), said("b")], "unanswered_call"),
        ([user("a"), result("t", "x")], "orphan_result"),
        ([user("a"), said("", "t"), result("t", "x"), result("t", "x")], "orphan_result"),
        ([user("a"), said("b", "t", stopReason="aborted"), result("t", "x")], "orphan_result"),
        ([user("a"), said("", "t", "t"), result("t", "x"), result("t", "x")], "repeated_id"),
        ([said("a")], "first_role"),
        ([user("")], "empty_content"),
        ([user("a"), compaction(" ", 1)], "empty_content"),
        ([user("a"), message("narrator", content="x")], "role"),
        ([{"type": "label"}], "no_message"),
        ([{**user("a"), "id": "x", "parentId": "gone"}], "broken_parent"),
    ],
)
def test_a_broken_rule_is_found(records: list[Json], rule: str) -> None:
    """Would catch: a rule that a fault slips through."""
    assert rule in faults(*records)


@SHAPES
def test_a_whole_session_breaks_no_rule(shape: Shape) -> None:
    """Would catch: a check that finds faults in what the client sends."""
    assert check(lines(shape([HEADER, *STORY]))) == []
    open_call = [HEADER, *STORY, user("c"), said("", "s", "t"), result("t", "x")]
    assert check(lines(shape(open_call)), pending_ok=True) == []
    broken_off = [HEADER, *STORY, said("I", "t", stopReason="aborted"), said(""), user("c")]
    assert check(lines(shape(broken_off))) == []
    assert check(lines(STORY))[0].rule == "no_header"
    assert check(lines([HEADER, *STORY]) + b"{")[0].rule == "unreadable"


def test_a_fault_speaks_in_the_words_of_the_provider() -> None:
    """Would catch: words that a user cannot find again."""
    fault = check(lines([HEADER, user("a"), said("", "t"), user("b")]))[0]
    assert fault.place == "line 3"
    assert fault.provider_error.startswith("`tool_use` ids were found without `tool_result`")


# --- reading -------------------------------------------------------------------------------


@SHAPES
def test_each_message_is_a_turn(shape: Shape) -> None:
    """Would catch: a batch that is not one exchange, an id that is not the record's."""
    session = pi.parse(lines(shape([HEADER, *STORY])))
    turns = session.transcript.turns
    assert turns[0].turn_id == ("id000001" if shape is as_tree else "line2")
    assert [turn.role for turn in turns][:3] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert len({turn.tool_call_id for turn in turns[1:4]}) == 1
    assert turns[6].tool_call_id != turns[1].tool_call_id
    assert turns[1].content == '[call run] {"command": "ls"}\n[call run] {"command": "ls"}'
    assert turns[3].metadata["turnfold.tool_name"] == "run"
    assert turns[7].metadata["turnfold.status"] == "error"
    assert turns[3].metadata["turnfold.origin"] == "line 5"
    assert session.damage == ()


def test_records_of_the_client_are_no_turns_and_its_words_are_no_persons() -> None:
    """K9, C9. Would catch: a command or an extension's note that is pinned as the task."""
    note = {"type": "custom_message", "timestamp": "T", "customType": "x", "content": "note"}
    branch = {"type": "branch_summary", "timestamp": "T", "fromId": "x", "summary": "Tried."}
    records = [bash("out"), note, branch, user("REAL"), {"type": "label", "label": "x"}]
    session = parse([*records, message("custom", content="more", customType="x")])
    kinds = [turn.metadata.get("turnfold.kind") for turn in session.transcript]
    assert kinds == ["injected", "injected", "summary", None, "injected"]
    assert session.transcript.turns[0].content == "Ran `ls`\n```\nout\n```"
    assert session.transcript.turns[3].pinned


def test_what_the_client_never_sends_is_no_turn() -> None:
    """A12. Would catch: a call of a message that was broken off, closed by a result for nothing."""
    session = parse(
        [
            user("a"),
            said("I will", "t", stopReason="aborted", errorMessage="Request was aborted."),
            said("", stopReason="error"),
            bash("secret", kept_out=True),
            user("b"),
        ]
    )
    for scope in ("live", "full"):
        again = pi.parse(pi.render(session.transcript, session), scope=scope)
        assert ids(again) == ["line2", "line6"]


@pytest.mark.parametrize("length", [10_000, 5_000_000])
def test_an_image_costs_the_same_whatever_its_payload(length: int) -> None:
    """F2."""
    image = {**IMAGE, "data": "A" * length}
    answer = result("t", "seen")
    answer["message"]["content"].append(image)
    for turn in parse([user([image]), said("", "t"), answer]).transcript.turns[::2]:
        assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


def test_every_block_counts() -> None:
    """F3, B4. Would catch: arguments, thinking or a signature that cost nothing."""
    plain = parse([user("a"), said("b")]).transcript.turns[1].token_estimate
    for block in (
        {"type": "toolCall", "id": "t", "name": "write", "arguments": {"text": "w" * 4_000}},
        {"type": "thinking", "thinking": "w" * 4_000},
        {"type": "thinking", "thinking": "", "thinkingSignature": "w" * 4_000},
        {"type": "unheardOf", "value": "w" * 4_000},
    ):
        turn = parse([user("a"), message("assistant", content=[block])]).transcript.turns[1]
        assert turn.token_estimate > plain + 4_000 / 5


def test_a_compaction_keeps_what_it_names() -> None:
    """K7. Would catch: the first summary in the live context, or records before the kept ones."""
    old = [HEADER, user("a"), said("b"), compaction("One.", 2), user("c"), said("d")]
    old += [compaction("Two.", 4), user("e")]
    for records in (old, as_tree(old)):
        live, full = (pi.parse(lines(records), scope=scope) for scope in ("live", "full"))
        assert [turn.content for turn in live.transcript] == ["Two.", "c", "d", "e"]
        assert live.transcript.turns[0].metadata["turnfold.kind"] == "summary"
        contents = [turn.content for turn in full.transcript]
        assert contents == ["a", "b", "One.", "c", "d", "Two.", "e"]
        assert live.damage == full.damage == ()


def test_a_compaction_may_carry_what_it_keeps() -> None:
    """K7. Would catch: kept messages that are counted twice, or lost."""
    tail = [user("c")["message"], said("d")["message"]]
    records = as_tree(
        [HEADER, user("a"), user("c"), said("d"), compaction("Two.", tail), user("e")]
    )
    live, full = (pi.parse(lines(records), scope=scope) for scope in ("live", "full"))
    assert [turn.content for turn in live.transcript] == ["Two.", "c", "d", "e"]
    assert [turn.content for turn in full.transcript] == ["a", "c", "d", "Two.", "e"]
    cut = Transcript(live.transcript.turns[:3])
    rendered = pi.render(cut, live)
    assert check(rendered) == []
    again = pi.parse(rendered)
    assert [turn.content for turn in again.transcript] == ["Two.", "c", "d"]


@pytest.mark.parametrize("kept", [99, "gone", None])
def test_a_compaction_that_names_nothing_that_is_there_keeps_nothing(kept: Json) -> None:
    """K7."""
    records = [user("a"), {**compaction("One.", 0), "firstKeptEntryIndex": kept}, user("b")]
    if isinstance(kept, str):
        records[1] = {**compaction("One.", 0), "firstKeptEntryId": kept}
    session = parse(records)
    assert [turn.content for turn in session.transcript] == ["One.", "b"]
    expected = [] if kept is None else ["missing_kept_record"]
    assert [damage.code for damage in session.damage] == expected


def test_only_the_branch_of_the_newest_record_is_live() -> None:
    """K7. Would catch: an abandoned branch in the context."""
    records = as_tree([HEADER, user("a"), user("left"), said("it"), user("right"), said("so")])
    records[4]["parentId"] = records[1]["id"]
    live, full = (pi.parse(lines(records), scope=scope) for scope in ("live", "full"))
    assert [turn.content for turn in live.transcript] == ["a", "right", "so"]
    assert [turn.content for turn in full.transcript] == ["a", "left", "it", "right", "so"]
    records[4]["parentId"] = None
    assert ids(pi.parse(lines(records))) == ["id000004", "id000005"]


def test_a_broken_parent_falls_back_to_the_order_of_the_file() -> None:
    """K7."""
    records = as_tree([HEADER, user("a"), said("b"), user("c")])
    for parent in ("gone", "id000003"):
        records[3]["parentId"] = parent
        session = pi.parse(lines(records))
        assert [turn.content for turn in session.transcript] == ["a", "b", "c"]
        assert [damage.code for damage in session.damage] == ["broken_parent"]


def test_of_records_with_one_id_the_last_counts() -> None:
    """K8."""
    records = as_tree([HEADER, user("a"), said("b"), user("c")])
    session = pi.parse(lines([*records[:3], {**records[1]}, *records[2:]]), scope="full")
    assert [turn.content for turn in session.transcript] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("record", "place"),
    [
        ({"type": "message", "timestamp": "T"}, "line 3.message"),
        ({"type": "message", "message": "text"}, "line 3.message"),
        (message("narrator", content="x"), "line 3.message.role"),
        (message("user", content=7), "line 3.message.content"),
        (message("user", content=["bare"]), "line 3.message.content[0]"),
        (message("toolResult", content=[], toolCallId=7), "line 3.message.toolCallId"),
        (
            message("assistant", content=[{"type": "toolCall", "name": "f"}]),
            "line 3.message.content[0].id",
        ),
        ({**compaction("x", 1), "summary": None}, "line 3.message.summary"),
    ],
)
def test_what_is_malformed_is_reported_with_its_place(record: Json, place: str) -> None:
    """R4."""
    session = parse([user("a"), record, user("b")], scope="full")
    assert place in {damage.place for damage in session.damage}
    assert {"line2", "line4"} <= set(ids(session))


def test_broken_lines_cost_only_themselves() -> None:
    """K1, K5, R4. Would catch: a reader that stops at the first bad line, or splits at U+2028."""
    whole = lines([HEADER, user("a"), user("b\u2028c"), user("d")]).replace(
        b"\\u2028", b"\xe2\x80\xa8"
    )
    first, second, third, fourth = whole.splitlines(keepends=True)
    source = b"\xef\xbb\xbf" + first + b"\0" * 500 + b"\n" + b"\0\0" + second + third[:-1] + fourth
    source += b'{"type": "message", "mess\n' + second
    session = pi.parse(source)
    assert [turn.content for turn in session.transcript] == ["a", "b\u2028c", "d", "a"]
    assert {damage.code for damage in session.damage} >= {"nul_bytes", "glued_records"}
    assert pi.render(session.transcript, session) == source
    pieces = [source[at : at + 7] for at in range(0, len(source), 7)]
    assert pi.parse(iter(pieces)).transcript == session.transcript
    cut = Transcript(session.transcript.turns[1:])
    assert [turn.content for turn in pi.parse(pi.render(cut, session)).transcript] == [
        turn.content for turn in cut
    ]


@pytest.mark.parametrize("text", ["\ud800", "\x00" * 9, "<|endoftext|>", "\u2028", "🟥"])
def test_any_text_is_read_and_written(text: str) -> None:
    """F6, G1. Would catch: a lone surrogate that has no UTF-8, an escape that is not undone."""
    session = parse([user("a"), user(text), said(text)])
    assert [turn.content for turn in session.transcript] == ["a", text, text]
    cut = Transcript(session.transcript.turns[1:])
    assert [turn.content for turn in pi.parse(pi.render(cut, session)).transcript] == [text, text]


@pytest.mark.parametrize(
    "source", [b"", b"\n\n", b"text", b"[1]", lines([HEADER]), lines([HEADER, {"type": "label"}])]
)
def test_a_source_without_messages_is_unreadable(source: bytes) -> None:
    """Would catch: an empty session where there is none."""
    with pytest.raises(UnreadableTranscript):
        pi.parse(source)


def test_only_pi_sessions_are_taken_for_them() -> None:
    """Would catch: a detection that takes what another format reads."""
    for record in (HEADER, *STORY, bash("x"), compaction("x", 1), compaction("x", [])):
        assert matches([record])
    for record in (
        {
            "type": "user",
            "message": {"role": "user", "content": "x"},
            "uuid": "u",
            "timestamp": "T",
        },
        {"type": "session_meta", "payload": {"id": "x", "cwd": "/"}, "timestamp": "T"},
        {"type": "message", "role": "user", "content": [], "timestamp": "T"},
        {"type": "summary", "summary": "x", "leafUuid": "u"},
        {"type": ["session"], "id": "x"},
        {},
    ):
        assert not matches([record])


# --- rendering -----------------------------------------------------------------------------


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("name", POLICIES)
@SHAPES
def test_every_cut_and_every_budget_gives_what_the_provider_takes(
    shape: Shape, name: str, pins: Pins
) -> None:
    """A1, A4, C2, C7. Would catch: a batch that is split, a session that opens with a call."""
    session = pi.parse(lines(shape([HEADER, *STORY])), pins=pins, estimator=eighth)
    seen = set()
    for view in sweep(session, POLICIES[name]):
        if not view.transcript.turns:
            with pytest.raises(UnrenderableView):
                pi.render(view, session)
            continue
        rendered = pi.render(view, session)
        if rendered not in seen:
            seen.add(rendered)
            assert check(rendered) == [], rendered
    assert len(seen) > 1


@SHAPES
def test_a_compacted_session_is_a_new_file_of_the_same_messages(shape: Shape) -> None:
    """R1, R3. Would catch: an id of the old session, a message that was rebuilt, a lost setting."""
    level = {"type": "thinking_level_change", "timestamp": "T1", "thinkingLevel": "high"}
    records = shape([HEADER, *STORY, level, user("last")])
    session = pi.parse(lines(records), pins=NO_PINS)
    kept = Transcript(session.transcript.turns[5:])
    rendered = render(kept, session, reasoning="keep")
    assert rendered[0] == {**records[0], "id": rendered[0]["id"]}
    assert rendered[0]["id"] != HEADER["id"]
    assert rendered[1]["thinkingLevel"] == "high"
    assert messages(rendered) == messages([*records[6:]])
    if shape is as_tree:
        own = [record["id"] for record in rendered[1:]]
        assert [record["parentId"] for record in rendered[1:]] == [None, *own[:-1]]
        assert own[1:5] == [record["id"] for record in records[6:10]]
    else:
        assert rendered[2:] == [*records[6:10], records[11]]


@SHAPES
def test_a_summary_that_comes_first_is_a_compaction_of_the_client(shape: Shape) -> None:
    """C6, C10, X4. Would catch: a summary that the client takes for the model's words."""
    records = shape([HEADER, *STORY, user("x" * 500), said("y" * 500), user("last")])
    session = pi.parse(lines(records), pins=replace(Pins(), first_user=False))
    view = compact(session, POLICIES["summarizing"], 120)
    assert view is not None
    assert view.transcript.turns[0].turn_id.startswith("summary:")
    rendered = render(view, session)
    assert rendered[1]["type"] == "compaction"
    assert rendered[1]["summary"] == view.transcript.turns[0].content
    assert rendered[1]["tokensBefore"] == view.report.tokens_before
    assert rendered[1]["timestamp"] == "T1"
    if shape is as_tree:
        assert rendered[1]["firstKeptEntryId"] == rendered[2]["id"]
    else:
        assert rendered[1]["firstKeptEntryIndex"] == 2
    again = pi.parse(pi.render(view, session))
    kinds = [turn.metadata.get("turnfold.kind") for turn in again.transcript]
    assert kinds.count("summary") == 1
    reads_again(pi, pi.render(view, session), view)


def test_a_summary_elsewhere_has_the_role_of_one() -> None:
    """C6. Would catch: a compaction in the middle, which hides what stands before it."""
    session = parse([user("TASK"), *STORY[1:5], user("x" * 900), said("y" * 900), user("last")])
    view = compact(session, POLICIES["summarizing"], 120)
    assert view is not None
    rendered = render(view, session)
    roles = [each["role"] for each in messages(rendered)]
    assert roles[:2] == ["user", "compactionSummary"]
    reads_again(pi, pi.render(view, session), view)


@SHAPES
def test_compactions_of_the_client_stay_what_they_are(shape: Shape) -> None:
    """K7, K11. Would catch: an old compaction that hides what is kept of the whole session."""
    records = [HEADER, user("a"), said("y" * 90), compaction("One.", 2), user("c"), said("d")]
    records = shape([*records, compaction("Two.", 4), user("e")])
    live, full = (pi.parse(lines(records), scope=each, pins=NO_PINS) for each in ("live", "full"))
    kept = Transcript((live.transcript.turns[0], *live.transcript.turns[2:]))
    first = render(kept, live)[1]
    assert (first["type"], first["summary"]) == ("compaction", "Two.")
    for session, turns in ((live, kept.turns), (full, full.transcript.turns[1:])):
        again = pi.parse(pi.render(Transcript(turns), session))
        assert [turn.content for turn in again.transcript] == [turn.content for turn in turns]
        kinds = [turn.metadata.get("turnfold.kind") for turn in again.transcript]
        assert kinds == [turn.metadata.get("turnfold.kind") for turn in turns]


def test_a_masked_result_keeps_its_keys_and_loses_its_copy() -> None:
    """D1. Would catch: `details` that repeat what was masked."""
    answer = result("t", "y" * 900, failed=True, details={"diff": "y" * 900})
    session = parse([user("a"), said("", "t"), answer, user("c")])
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    masked = messages(render(view, session))[2]
    stub = [{"type": "text", "text": view.transcript.turns[2].content}]
    expected = {key: value for key, value in answer["message"].items() if key != "details"}
    assert masked == {**expected, "content": stub}
    assert stub[0]["text"].strip()
    reads_again(pi, pi.render(view, session), view)


@pytest.mark.parametrize("content", ["", [], [{"type": "text", "text": ""}], None])
def test_an_empty_result_stays_as_it_is(content: Json) -> None:
    """D1."""
    empty = result("t", "")
    empty["message"]["content"] = content
    records = [user("a"), said("", "t"), empty, said("", "u"), result("u", "y" * 900), user("c")]
    session = parse(records)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    assert messages(render(view, session))[2] == empty["message"]


def test_thinking_behind_an_edit_is_left_out() -> None:
    """B1, B2, B4. Would catch: a block that is bound to a prefix that changed, or half a block."""
    records = [user("a"), said("b", thinking="one"), user("x" * 900), said("", "t", thinking="two")]
    records += [result("t", "y"), user("c")]
    session = parse(records, pins=NO_PINS)
    turns = session.transcript.turns
    cut = Transcript((*turns[:2], *turns[3:]))
    bare = said("", "t")["message"]
    whole = [record["message"] for record in (*records[:2], *records[3:])]
    assert messages(render(cut, session)) == [*whole[:2], bare, *whole[3:]]
    assert messages(render(cut, session, reasoning="keep")) == whole
    all_bare = render(cut, session, reasoning="strip_all")
    assert "thinking" not in json.dumps(all_bare)
    assert pi.render(session.transcript, session, reasoning="strip_all") == lines(
        [HEADER, *records]
    )


def test_a_closed_call_counts_as_an_edit() -> None:
    """B1. Would catch: thinking that is kept behind a result that was put before it."""
    records = [user("a"), said("", "t"), user("b"), said("c", thinking="hm"), user("x" * 900)]
    session = parse([*records, said("d")], pins=NO_PINS)
    cut = Transcript((*session.transcript.turns[:4], session.transcript.turns[5]))
    rendered = messages(render(cut, session))
    assert rendered[2]["content"][0]["text"] == CLOSED_CALL
    assert rendered[4]["content"] == [{"type": "text", "text": "c"}]


def test_reasoning_of_openai_keeps_its_item_or_goes_with_the_ids_that_ask_for_it() -> None:
    """B3. Would catch: an item that is sent without the reasoning before it."""
    call = said("go", "call_1|fc_1", thinking="hm", api="openai-responses")
    call["message"]["content"][1]["textSignature"] = "msg_1"
    records = [user("x" * 900), user("a"), call, result("call_1|fc_1", "y"), user("c")]
    session = parse(records, pins=NO_PINS)
    cut = Transcript(session.transcript.turns[1:])
    assert messages(render(cut, session)) == [record["message"] for record in records[1:]]
    rendered = messages(render(cut, session, reasoning="strip_after_edit"))
    text, tool = rendered[1]["content"]
    assert text == {"type": "text", "text": "go"}
    assert tool["id"] == rendered[2]["toolCallId"] == "call_1"
    assert check(pi.render(cut, session, reasoning="strip_all")) == []


@pytest.mark.parametrize("arguments", [{"path": "p" * 300, "b": [{}]}, "not json", None, [1]])
def test_arguments_of_any_kind_are_read_and_stay_as_they_are(arguments: Json) -> None:
    """G1."""
    call = said("", "t")
    call["message"]["content"][0]["arguments"] = arguments
    session = parse([user("x" * 900), user("a"), call, result("t", "y")], pins=NO_PINS)
    rendered = render(Transcript(session.transcript.turns[1:]), session)
    assert messages(rendered)[1] == call["message"]


def test_an_orphan_is_left_out_and_listed() -> None:
    """A3, T7."""
    records = [user("a"), said("", "b"), result("a", "x"), result("b", "y"), said("y" * 400)]
    session = parse([*records, user("z")])
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    cut = Transcript(session.transcript.turns[:-1])
    assert repairs(cut, session) == ("line4",)
    kept = [record["message"] for record in (*records[:2], *records[3:])]
    assert messages(render(cut, session)) == kept


def test_reused_ids_pair_by_occurrence() -> None:
    """A7."""
    rounds = [said("", "call_0"), result("call_0", "one"), said("", "call_0")]
    session = parse([user("a"), *rounds, result("call_0", "two"), user("b")], pins=NO_PINS)
    turns = session.transcript.turns
    rendered = messages(render(Transcript((turns[0], *turns[3:])), session))
    assert [each["role"] for each in rendered] == ["user", "assistant", "toolResult", "user"]
    assert rendered[2]["content"][0]["text"] == "two"


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    records: list[Object] = [user("Earlier."), said("", "X")]
    for index in range(40):
        records += [user(f"go {index}"), said("", f"c{index}"), result(f"c{index}", "y" * 200)]
    session = parse(records)
    assert session.transcript.turns[1].metadata["turnfold.status"] == "dead"
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(pi.render(view, session)) == []


def test_a_pending_call_is_kept_and_its_late_result_joins_it() -> None:
    """A10."""
    chat = [each for index in range(10) for each in (user(f"u{index}"), said("y" * 80))]
    records = [user("a"), said("", "c1"), *chat]
    plan = DropOldestPolicy().decide(parse(records).transcript, CompactionBudget(150, 1))
    late = parse([*records, result("c1", "yes")])
    view = CompactionExecutor().apply(late.transcript, plan)
    rendered = messages(render(view, late))
    at = rendered.index(records[1]["message"])
    assert rendered[at + 1] == result("c1", "yes")["message"]
    assert check(pi.render(view, late)) == []


@pytest.mark.parametrize(
    ("tail", "closed"),
    [
        ([said("", "t")], 0),
        ([said("", "A", "B"), result("A", "x")], 0),
        ([said("", "t"), user("hello")], 1),
        ([said("", "A", "B"), result("B", "x"), user("hello")], 1),
    ],
)
@SHAPES
def test_an_open_call_stays_open_at_the_end_and_is_closed_elsewhere(
    shape: Shape, tail: list[Object], closed: int
) -> None:
    """A12: never closed as a success, and never in place of a result."""
    records = shape([HEADER, user("a"), said("y" * 900), user("b"), *tail])
    session = pi.parse(lines(records))
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered = pi.render(view, session)
    assert check(rendered, pending_ok=True) == []
    assert rendered.count(CLOSED_CALL.encode()) == closed
    closings = [each for each in messages(render(view, session)) if CLOSED_CALL in str(each)]
    assert all(each["isError"] for each in closings)
    reads_again(pi, rendered, view)


def test_a_session_that_would_open_with_the_model_opens_with_a_bridge() -> None:
    """Would catch: `first message must use the "user" role`."""
    session = parse(STORY, pins=NO_PINS)
    cut = Transcript(session.transcript.turns[1:])
    rendered = pi.render(cut, session)
    assert BRIDGE in messages(render(cut, session))[0]["content"][0]["text"]
    assert check(rendered) == []
    assert len(pi.parse(rendered).transcript) == len(cut)


def test_a_masked_message_of_any_role_says_only_its_text() -> None:
    """B1, G1. Would catch: arguments, thinking or a command's output that stay behind a mask."""
    note = {"type": "custom_message", "timestamp": "T", "customType": "x", "content": "w" * 90}
    branch = {"type": "branch_summary", "timestamp": "T", "fromId": "x", "summary": "w" * 90}
    records = [user("w" * 90), said("w" * 90, "t", thinking="w" * 90), result("t", "w" * 90)]
    records += [bash("w" * 90), note, branch, compaction("w" * 90, 0), user("c")]
    session = parse(records, scope="full", pins=NO_PINS)
    turns = [replace(turn, content="[gone]") for turn in session.transcript]
    rendered = pi.render(Transcript(turns), session)
    assert b"www" not in rendered
    again = pi.parse(rendered)
    contents = [turn.content for turn in again.transcript]
    assert contents[1] == "[gone]\n[call run] {}"
    assert {*contents[:1], *contents[2:]} == {"[gone]"}
    assert len(contents) == len(turns)


# --- properties ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=60)
@given(records=sessions(), cut=cuts())
def test_any_session_at_any_budget_gives_what_the_provider_takes(
    name: str, records: list[Object], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a split batch, a result out of place, a call left open, a lost ledger."""
    holds_at_a_cut(pi, lines(records), name, cut)


@settings(max_examples=150)
@given(damaged(sessions()))
def test_damage_is_never_a_crash(records: Json) -> None:
    """R4. Would catch: any error but `UnreadableTranscript`, a view that cannot be written."""
    holds_on_damage(pi, lines(records if isinstance(records, list) else [records]))


@SHAPES
def test_what_was_written_reads_back_over_rounds(shape: Shape) -> None:
    """L2, L3."""
    records: list[Object] = [HEADER, user("start")]
    for index in range(20):
        records += [user(f"go {index}"), said("", "c", thinking="hm"), result("c", "y" * 300)]
    holds_over_rounds(pi, lines(shape(records)))


@pytest.mark.skipif(not FILES, reason="no corpus of recorded sessions")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize("share", [50, 30, 15])
def test_a_recorded_session_compacts(path: Path, scope: str, share: int) -> None:
    """A1, R2, R3."""
    compacts_recorded(pi, path.read_bytes(), scope, share)
