"""Reading and rendering the events of OpenHands."""

import copy
import json
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.format_laws import (
    comes_back,
    damaged,
    every_cut_is_taken,
    is_compacted,
    kinds_of,
    reads_back,
    recorded_is_compacted,
    stays_readable,
)
from tests.formats.json_histories import NO_PINS, POLICIES, Json, compact, cuts
from tests.formats.openhands_histories import (
    THINKING,
    Event,
    action,
    condensation,
    deed,
    earlier_histories,
    error,
    histories,
    image,
    message,
    observation,
    observed,
    pause,
    rejection,
    said,
    system,
)
from turnfold import (
    CompactedView,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Role,
    UnreadableTranscript,
)
from turnfold.errors import InvalidConfiguration
from turnfold.formats import Pins, Session, openhands
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.openhands import check, matches, parse

LONG = "z" * 900


def render(view: CompactedView, session: Session, **options: Json) -> Json:
    return openhands.render(view, session, **options)


HISTORY = [
    system(),
    message("u0", "the task"),
    pause("p0"),
    {**action("a0", "c0", "r0", "I look."), "thinking_blocks": THINKING},
    action("a1", "c1", "r0"),
    observation("o1", "c1", "a1", LONG),
    error("o0", "c0"),
    message("m0", "It is there.", "agent"),
    image("i0", "https://pictures.example/1.png"),
    action("a2", "c2", "r1"),
    rejection("o2", "c2", "a2"),
    message("u1", "go on"),
]


def lines(events: list[Event]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


@pytest.fixture(scope="session")
def validate() -> Any:  # noqa: ANN401
    """OpenHands' own reading: every event is valid, and its view drops none of them."""
    sdk = pytest.importorskip("openhands.sdk.event")
    base = pytest.importorskip("openhands.sdk.event.base")
    context = pytest.importorskip("openhands.sdk.context.view")

    def check_events(events: list[Event]) -> None:
        read = [base.Event.model_validate(copy.deepcopy(each)) for each in events]
        view = context.View.from_events(read)
        sent = [each for each in read if isinstance(each, sdk.LLMConvertibleEvent)]
        called = {each.tool_call_id for each in sent if isinstance(each, sdk.ActionEvent)}
        given = {each.tool_call_id for each in sent if isinstance(each, sdk.ObservationBaseEvent)}
        if called == given:
            assert len(view.events) == len(sent)
        sdk.LLMConvertibleEvent.events_to_messages(sent)

    return check_events


# --- the rules ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "rule"),
    [
        ([message("u", "a"), action("a", "c", "r")], "unanswered_call"),
        ([message("u", "a"), action("a", "c", "r"), message("v", "b")], "unanswered_call"),
        ([message("u", "a"), observation("o", "c", "a")], "orphan_result"),
        (
            [message("u", "a"), action("a", "c", "r"), error("o", "c"), error("p", "c")],
            "repeated_result",
        ),
        (
            [
                *(message("u", "a"), action("a", "c", "r"), action("b", "d", "r", "more")),
                *(error("o", "c"), error("p", "d")),
            ],
            "batch_thought",
        ),
        ([message("u", "a"), message("u", "b")], "repeated_id"),
        ([message("u", "a"), {**message("v", "b"), "parent_id": "x"}], "parent"),
        ([message("u", "")], "empty_text"),
        ([message("u", "a", "agent")], "first_role"),
        ([system()], "only_system"),
        ([message("u", "a"), 7], "event"),
        ([observed("run", 1, 0, "x")], "orphan_result"),
        ([said(0, "a"), deed("run", 1, command="ls"), said(2, "b")], "unanswered_call"),
    ],
)
def test_a_broken_rule_is_found(events: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check(events)}


def test_whole_events_break_no_rule_and_a_call_at_the_end_may_wait(validate: Any) -> None:  # noqa: ANN401
    assert check(HISTORY) == []
    assert check([*HISTORY, action("a9", "c9", "r9")], pending_ok=True) == []
    validate(HISTORY)


def test_the_rules_hold_for_what_the_model_is_sent() -> None:
    assert check([*HISTORY, condensation("k", ["o2"], None, None)]) != []
    assert check([*HISTORY, condensation("k", ["a2", "o2"], "before", 1)]) == []


# --- reading --------------------------------------------------------------------------------


def test_actions_of_one_response_are_one_turn() -> None:
    """A4."""
    session = parse(HISTORY)
    turns = {turn.turn_id: turn for turn in session.transcript}
    assert list(turns) == ["s0", "u0", "a0", "o1", "o0", "m0", "i0", "a2", "o2", "u1"]
    assert turns["a0"].content.count("[call think]") == 2
    assert {turns[each].tool_call_id for each in ("a0", "o0", "o1")} == {"a0"}
    assert turns["o0"].metadata["turnfold.status"] == "error"
    assert "turnfold.status" not in turns["o1"].metadata
    assert turns["o2"].metadata["turnfold.tool_name"] == "think"
    assert not session.damage


def test_thinking_counts_and_is_no_content() -> None:
    plain, thinking = (
        parse([message("u", "x"), {**action("a", "c", "r"), **extra}, error("o", "c")])
        for extra in ({}, {"thinking_blocks": [{"type": "thinking", "thinking": "h" * 800}]})
    )
    turn, other = plain.transcript.turn("a"), thinking.transcript.turn("a")
    assert turn.content == other.content
    assert other.token_estimate > turn.token_estimate + 150


@pytest.mark.parametrize("length", [10_000, 5_000_000])
def test_a_picture_costs_the_same_whatever_its_payload(length: int) -> None:
    """F2."""
    turn = parse([image("i", "data:image/png;base64," + "A" * length)]).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


def test_what_the_environment_says_is_no_persons_word() -> None:
    """C9, K9."""
    events = [message("h", "rules", "environment"), message("u", "GOAL"), message("w", "x", "hook")]
    session = parse(events)
    assert kinds_of(session) == [("user", "injected"), ("user", None), ("user", "injected")]
    assert session.transcript.turn("u").pinned


CONDENSED = [
    *HISTORY[:11],
    condensation("k0", ["a0", "a1", "o0", "o1"], "First summary.", 2),
    message("u1", "go on"),
    condensation("k1", ["k0-summary", "m0", "i0"], "Second summary.", 2),
    message("u2", "last"),
]


def test_condensations_decide_what_is_live() -> None:
    """K7."""
    live = parse(CONDENSED)
    assert live.transcript.turn_ids() == ("s0", "u0", "k1-summary", "a2", "o2", "u1", "u2")
    assert live.transcript.turn("k1-summary").content == "Second summary."
    assert live.transcript.turn("k1-summary").metadata["turnfold.kind"] == "summary"
    full = parse(CONDENSED, scope="full").transcript.turn_ids()
    assert full[:4] == ("s0", "u0", "a0", "o1")
    assert [each for each in full if each.endswith("-summary")] == ["k0-summary", "k1-summary"]


def test_a_condensation_without_a_place_for_its_summary_only_forgets() -> None:
    events = [*HISTORY, condensation("k", ["m0"], "lost", None)]
    assert "m0" not in parse(events).transcript.turn_ids()
    assert "k-summary" not in parse(events).transcript.turn_ids()


@pytest.mark.parametrize("scope", ["live", "full"])
def test_a_condensed_history_is_written_without_what_was_forgotten(
    scope: Literal["live", "full"],
) -> None:
    """R3. Would catch: a condensation that forgets what the new file holds."""
    session = parse(CONDENSED, scope=scope)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    assert check(rendered) == []
    assert "Condensation" not in {each["kind"] for each in rendered}
    assert "PauseEvent" not in {each["kind"] for each in rendered}
    reads_back(openhands, rendered, view)


def test_a_branch_that_was_left_is_not_live() -> None:
    events = [
        message("u", "a"),
        {**message("x", "left", "agent"), "parent_id": "u"},
        {**message("y", "taken", "agent"), "parent_id": "u"},
        {**message("v", "b"), "parent_id": "y"},
    ]
    session = parse(events)
    assert session.transcript.turn_ids() == ("u", "y", "v")
    assert parse(events, scope="full").transcript.turn_ids() == ("u", "x", "y", "v")
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1, 0)
    assert view is not None
    assert [each.get("parent_id") for each in render(view, session)] == [None, "u"]


@pytest.mark.parametrize("parent", ["nowhere", "v"])
def test_a_parent_that_does_not_stand_before_is_damage(parent: str) -> None:
    """K7."""
    session = parse([message("u", "a"), {**message("v", "b"), "parent_id": parent}])
    assert session.transcript.turn_ids() == ("u", "v")
    assert [damage.place for damage in session.damage] == ["events[1].parent_id"]


def test_a_kind_that_is_not_known_is_said_once_and_is_no_turn() -> None:
    """R4."""
    strange = [{**pause(f"x{each}"), "kind": "LaterEvent"} for each in range(3)]
    session = parse([message("u", "a"), *strange, {"x": 1}, 7, message("v", "b")])
    assert [(each.place, each.code) for each in session.damage] == [
        ("events[1]", "unknown_kind"),
        ("events[4]", "malformed_message"),
        ("events[5]", "malformed_message"),
    ]
    assert session.transcript.turn_ids() == ("u", "v")


# --- sources --------------------------------------------------------------------------------


def runs(count: int) -> list[Json]:
    return [{"issue": {"number": each}, "history": EARLY, "success": True} for each in range(count)]


EARLY: list[Event] = [
    {"content": "Fix it.", "action": "message", "wait_for_response": False},
    {"command": "ls", "thought": "I look.", "action": "run", "is_confirmed": "confirmed"},
    {"content": "a.py\n" * 90, "command": "ls", "exit_code": 1, "observation": "run"},
    {"code": "1 + 1", "thought": "", "action": "run_ipython", "kernel_init_code": "x" * 50},
    {"content": "2", "code": "1 + 1", "observation": "run_ipython"},
    {"outputs": {}, "thought": "It is fixed.", "action": "finish"},
]


@pytest.mark.parametrize(
    "source",
    [
        HISTORY,
        CONDENSED,
        {"events": HISTORY, "x": 1},
        {"history": EARLY, "metrics": {}},
        [{"history": EARLY}],
        lines(HISTORY),
        lines([{"history": EARLY}]),
        json.dumps(HISTORY, indent=1).encode(),
    ],
)
def test_an_unchanged_view_is_the_input(source: Json) -> None:
    """R2, L6."""
    if not isinstance(source, bytes):
        assert matches(source)
    comes_back(openhands, source)


def test_of_several_runs_one_is_named_and_only_that_is_written() -> None:
    document = runs(3)
    with pytest.raises(UnreadableTranscript, match=r"3 conversations.*conversation=0"):
        parse(document)
    with pytest.raises(UnreadableTranscript, match="conversation=3"):
        parse(document, conversation=3)
    wrong: Json
    for wrong in (-1, True, "0"):
        with pytest.raises(InvalidConfiguration):
            parse(document, conversation=wrong)
    raw = lines(document)
    session = parse(raw, conversation=1)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    written = render(view, session)
    assert isinstance(written, bytes)
    before, changed, after = written.splitlines(keepends=True)
    assert [before, after] == raw.splitlines(keepends=True)[::2]
    assert json.loads(changed)["success"] is True
    assert "a.py" not in changed.decode()


@pytest.mark.parametrize(
    "other",
    [
        [],
        {},
        None,
        7,
        "x",
        [{"role": "user", "content": "x"}],
        {"history": [{"role": "user", "content": "x", "action": "ls"}], "trajectory": []},
        {"messages": [{"role": "user", "content": "x"}]},
        [{"type": "user", "message": {}, "uuid": "x"}],
        [{"from": "human", "value": "x"}],
        [{"kind": "request", "parts": []}],
        [{"history": 7}],
        [{"action": "login", "user": "x"}],
        [{"kind": "MessageEvent"}],
    ],
)
def test_other_documents_are_no_events(other: Json) -> None:
    assert not matches(other)


# --- earlier events -------------------------------------------------------------------------


def test_early_events_pair_by_their_place() -> None:
    """A8."""
    session = parse({"history": EARLY})
    assert kinds_of(session) == [
        *(("user", None), ("assistant", None), ("tool", None)),
        *(("assistant", None), ("tool", None), ("assistant", None)),
    ]
    assert [turn.tool_call_id for turn in session.transcript] == [
        *(None, "e1", "e1", "e3", "e3", None)
    ]
    first = session.transcript.turn("e1")
    assert first.content == 'I look.\n[call run] {"command": "ls"}'
    assert session.transcript.turn("e2").metadata["turnfold.status"] == "error"


def test_pairs_stay_pairs() -> None:
    pairs = [
        [said(0, "task"), {"observation": "null", "content": ""}],
        [deed("run", 1, command="ls"), observed("run", 2, 1, LONG)],
        [said(3, "done", "agent"), {"observation": "null", "content": ""}],
        [said(4, "more"), {"observation": "null", "content": ""}],
    ]
    session = parse({"history": pairs})
    assert len(session.transcript) == 5
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    written = render(view, session)["history"]
    assert [each[0] for each in written] == [each[0] for each in pairs]
    assert written[1][1]["content"] == view.transcript.turn("2").content
    reads_back(openhands, {"history": written}, view)


def test_calls_of_one_earlier_response_are_one_turn() -> None:
    """A4."""
    metadata = {
        "function_name": "execute_bash",
        "tool_call_id": "t",
        "model_response": {"id": "resp"},
        "total_calls_in_response": 2,
    }
    made = [{**deed("run", each, command="ls"), "tool_call_metadata": metadata} for each in (1, 3)]
    events = [
        said(0, "a"),
        made[0],
        observed("run", 2, 1, "x"),
        made[1],
        observed("run", 4, 3, "y"),
    ]
    session = parse([*events, said(5, "b")])
    assert session.transcript.turn_ids() == ("0", "1", "2", "4", "5")
    assert len({session.transcript.turn(each).tool_call_id for each in ("1", "2", "4")}) == 1
    assert check([*events, said(5, "b")]) == []


def test_an_earlier_condensation_forgets_a_range_and_its_last_summary_counts() -> None:
    first = deed("condensation", 3, forgotten_events_start_id=1, forgotten_events_end_id=2)
    first["args"] |= {"summary": "one", "summary_offset": 1}
    second = deed("condensation", 5, forgotten_event_ids=[4], summary="two", summary_offset=1)
    events = [said(0, "task"), said(1, "a", "agent"), said(2, "b"), first, said(4, "c"), second]
    session = parse([*events, said(6, "last")])
    assert [turn.content for turn in session.transcript] == ["task", "two", "last"]
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1, 0)
    assert view is not None
    assert check(render(view, session)) == []


# --- rendering ------------------------------------------------------------------------------


def test_kept_events_are_the_same_objects_and_a_masked_one_keeps_its_names() -> None:
    """R1, D1."""
    session = parse(HISTORY)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    hidden = next(each for each in rendered if each["id"] == "o1")
    original = HISTORY[5]
    assert list(hidden) == list(original)
    assert hidden["observation"]["content"][0]["text"] == view.transcript.turn("o1").content
    assert hidden["observation"]["is_error"] is False
    assert LONG not in json.dumps(rendered)
    others = [each for each in rendered if each is not hidden]
    assert all(any(each is event for event in HISTORY) for each in others)


def test_a_masked_event_repeats_its_text_nowhere() -> None:
    """R3. Would catch: a file's old content, or a rule that was added, beside the masked text."""
    seen = observation("o", "c", "a", LONG)
    seen["observation"] |= {"old_content": LONG, "path": "/a.py", "meta": {"x": LONG}}
    seen["extended_content"] = [{"type": "text", "text": LONG}]
    session = parse([message("u", "a"), action("a", "c", "r"), seen, message("v", "b")])
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    assert LONG not in json.dumps(rendered)
    assert rendered[2]["observation"]["path"] == "/a.py"


def test_a_masked_earlier_observation_repeats_its_text_nowhere() -> None:
    """R3."""
    words = "The file does not exist, as far as can be told. " * 3
    seen = {**observed("error", 2, 1, words, old_content=LONG, exit_code=1), "message": words}
    session = parse([said(0, "a"), deed("run", 1, command="ls"), seen, said(3, "b")])
    view = compact(session, ObservationMaskingPolicy(0, "[gone]"), 60)
    assert view is not None
    hidden = render(view, session)[2]
    assert "exist" not in json.dumps(hidden)
    assert LONG not in json.dumps(hidden)
    assert hidden["extras"] == {"exit_code": 1}
    assert list(hidden) == list(seen)


THOUGHTS = [
    message("u0", "the task"),
    {**action("a0", "c0", "r0"), "thinking_blocks": THINKING, "reasoning_content": "why"},
    observation("o0", "c0", "a0", LONG),
    {
        **action("a1", "c1", "r1"),
        "thinking_blocks": THINKING,
        "reasoning_content": "why",
        "responses_reasoning_item": {"id": "rs", "summary": [], "encrypted_content": "e"},
    },
    observation("o1", "c1", "a1", "ok"),
    message("a2", "Done.", "agent", thinking_blocks=THINKING, reasoning_content="why"),
    message("u1", "go on"),
]


@pytest.mark.parametrize(
    ("reasoning", "blocks", "plain"),
    [(None, [1, 0, 0], 3), ("keep", [1, 1, 1], 3), ("strip_all", [0, 0, 0], 0)],
)
def test_signed_thinking_behind_an_edit_is_whole_or_gone(
    reasoning: Json, blocks: list[int], plain: int
) -> None:
    """B1, B2, B3, B5."""
    events = copy.deepcopy(THOUGHTS)
    events[3]["tool_call"] |= {"responses_item_id": "fc_1"}
    session = parse(events)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session, reasoning=reasoning)
    held = [each.get("llm_message", each) for each in rendered if each["source"] == "agent"]
    assert [len(each["thinking_blocks"]) for each in held] == blocks
    assert all(each["thinking_blocks"] in ([], THINKING) for each in held)
    assert sum(each["reasoning_content"] == "why" for each in held) == plain
    kept = reasoning == "keep"
    assert (held[1]["responses_reasoning_item"] is not None) == kept
    assert (held[1]["tool_call"]["responses_item_id"] == "fc_1") == kept
    assert check(rendered) == []


@pytest.mark.parametrize(
    ("tail", "closed"),
    [
        ([action("a9", "c9", "r9")], []),
        ([action("a8", "c8", "r9"), action("a9", "c9", "r9"), error("o8", "c8")], []),
        ([action("a9", "c9", "r9"), message("u9", "hello")], ["c9"]),
        (
            [
                *(action("a8", "c8", "r9"), action("a9", "c9", "r9")),
                *(error("o9", "c9"), message("u9", "hello")),
            ],
            ["c8"],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_an_error_elsewhere(
    tail: list[Event], closed: list[str]
) -> None:
    """A12."""
    events = [message("u", "a"), message("m", "y" * 900, "agent"), message("v", "b"), *tail]
    session = parse(events)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    written = [each for each in rendered if each.get("error") == CLOSED_CALL]
    assert [each["tool_call_id"] for each in written] == closed
    assert all(each["kind"] == "AgentErrorEvent" for each in written)
    assert check(rendered, pending_ok=True) == []
    reads_back(openhands, rendered, view)


def test_an_orphan_and_a_doubled_result_are_left_out() -> None:
    """A3, A7."""
    events = [
        message("u", "a"),
        observation("x", "nowhere", "a"),
        action("a", "c", "r"),
        observation("o", "c", "a"),
        observation("p", "c", "a"),
        message("m", "y" * 900, "agent"),
        message("v", "b"),
    ]
    session = parse(events)
    assert [damage.code for damage in session.damage] == ["orphan_result", "orphan_result"]
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 120)
    assert view is not None
    assert check(render(view, session)) == []


def test_results_out_of_order_stand_behind_their_call() -> None:
    events = [
        *(message("u", "a"), action("a", "c", "r"), message("v", "hurry")),
        *(observation("o", "c", "a"), message("m", "y" * 900, "agent"), message("w", "c")),
    ]
    session = parse(events, pins=NO_PINS)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1, 5)
    assert view is not None
    rendered = render(view, session)
    assert [each["id"] for each in rendered][:4] == [rendered[0]["id"], "a", "o", "v"]
    assert check(rendered) == []
    reads_back(openhands, rendered, view, pins=NO_PINS)


def test_a_view_that_begins_with_the_model_gets_a_bridge() -> None:
    session = parse([message("u", "x" * 900), message("m", "yes", "agent")], pins=NO_PINS)
    view = compact(session, DropOldestPolicy(), 60, 1)
    assert view is not None
    first, second = render(view, session)
    assert first["llm_message"]["content"][0]["text"] == BRIDGE
    assert second is session.source.source.messages[1]
    assert len(parse([first, second]).transcript) == 1


def test_a_summary_is_a_users_message() -> None:
    """C6, X4."""
    session = parse(HISTORY)
    view = compact(session, POLICIES["summarizing"], 1_800)
    assert view is not None
    written = [each for each in render(view, session) if each["kind"] == "CondensationSummaryEvent"]
    assert len(written) == 1
    again = parse([written[0], message("u", "x")])
    assert again.transcript.turns[0].role is Role.USER
    assert again.transcript.turns[0].metadata["turnfold.kind"] == "summary"


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_cut_and_every_budget_is_taken(policy: str, pins: Pins) -> None:
    """A1, C7."""
    short = [
        *(system(), message("u0", "the task"), action("a0", "c0", "r0"), action("a1", "c1", "r0")),
        *(observation("o1", "c1", "a1", "z" * 90), error("o0", "c0")),
        *(message("m0", "It is there.", "agent"), action("a2", "c2", "r1")),
        *(rejection("o2", "c2", "a2"), message("u1", "go on")),
    ]
    every_cut_is_taken(openhands, short, policy, pins)


# --- properties -----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@given(events=histories(), cut=cuts())
@settings(max_examples=20)
def test_any_history_at_any_cut_is_taken(
    policy: str, events: list[Event], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a split batch, a call left open, a chain that breaks, a lost ledger."""
    comes_back(openhands, events)
    is_compacted(openhands, events, policy, cut)


@given(name=st.sampled_from(["default_chain", "masking_inputs"]), events=histories(), cut=cuts())
@settings(max_examples=60)
def test_openhands_reads_what_was_written_and_drops_nothing(
    name: str,
    *,
    events: list[Event],
    cut: tuple[int, int, Pins],
    validate: Any,  # noqa: ANN401
) -> None:
    """Would catch: a key that the SDK forbids, a pairing that it repairs by dropping."""
    is_compacted(openhands, events, name, cut, validate=validate)


@given(events=histories(reuse_ids=True), cut=cuts())
@settings(max_examples=20)
def test_ids_that_are_used_again_pair_by_occurrence(
    events: list[Event], cut: tuple[int, int, Pins]
) -> None:
    """A7."""
    is_compacted(openhands, events, "default_chain", cut)


@pytest.mark.parametrize("policy", POLICIES)
@given(events=earlier_histories(), cut=cuts(), flat=st.booleans())
@settings(max_examples=20)
def test_any_earlier_history_at_any_cut_is_taken(
    policy: str, events: list[Event], cut: tuple[int, int, Pins], *, flat: bool
) -> None:
    """Would catch: an observation without its action, with ids or by its place."""
    if flat:
        events = [without_ids(each) for each in events]
    is_compacted(openhands, {"history": events}, policy, cut)


def without_ids(event: Event) -> Event:
    flat = {**event, **event.get("args", {})}
    # A message names no source in early files; an agent's is the one that waits for an answer.
    dropped = ("id", "cause", "args", "timestamp", "source", "extras")
    return {key: value for key, value in flat.items() if key not in dropped}


@given(data=st.data())
@settings(max_examples=100)
def test_damage_of_any_kind_leaves_the_rest_readable(data: st.DataObject) -> None:
    """R4."""
    whole = data.draw(st.sampled_from([HISTORY, CONDENSED, {"history": EARLY}, THOUGHTS]))
    stays_readable(openhands, data.draw(damaged(whole)))


@pytest.mark.parametrize(
    ("spoil", "codes"),
    [
        (lambda each: [*each[:3], b"\0" * 500 + b"\n", *each[3:]], ["nul_bytes"]),
        (lambda each: [*each[:2], b"\0\0" + each[2], *each[3:]], ["nul_bytes"]),
        (lambda each: [*each[:4], each[4][:40] + b"\n", *each[5:]], ["unreadable_record"]),
        (lambda each: [each[0].rstrip(b"\n") + each[1], *each[2:]], ["glued_records"]),
        (lambda each: [b"\xef\xbb\xbf" + each[0], *each[1:]], []),
        (lambda each: [*each, json.dumps(message("z", "a\u2028b")).encode()], []),
    ],
)
def test_a_bad_line_costs_itself(spoil: Any, codes: list[str]) -> None:  # noqa: ANN401
    """K1."""
    events = [message("u", "a"), *(message(f"m{each}", "b", "agent") for each in range(5))]
    data = b"".join(spoil([json.dumps(each).encode() + b"\n" for each in events]))
    session = parse(data)
    assert [damage.code for damage in session.damage] == codes
    assert len(session.transcript) >= 5
    assert openhands.render(session.transcript, session) == data


@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize("conversation", [0, 1])
def test_a_recorded_run_comes_back_and_is_compacted(
    corpus: Path, conversation: int, scope: Literal["live", "full"]
) -> None:
    """R2, A1."""
    data = (corpus / "openhands" / "OpenHands-resolver-mock-output.jsonl").read_bytes()
    session = parse(data, conversation=conversation, scope=scope)
    assert openhands.render(session.transcript, session) == data
    assert check(data) == []
    outcomes = recorded_is_compacted(openhands, data, conversation=conversation)
    assert ("compacted" in outcomes) == (conversation == 1)
