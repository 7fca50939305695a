"""Reading and rendering OpenAI chat completion messages."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from types import GenericAlias
from typing import Any

import pytest
from hypothesis import given

from tests.conftest import corpus_root
from tests.formats.json_histories import (
    NO_PINS,
    POLICIES,
    Json,
    Message,
    Step,
    compact,
    cuts,
    eighth,
    fixture_files,
    has_conversation,
    histories,
    load,
    reuses_open_ids,
    sweep,
    with_long_inputs,
)
from turnfold import (
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    PlanTranscriptMismatch,
    Role,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, openai_chat, repaired, repairs
from turnfold.formats._assemble import MEDIA_TOKENS, LoadedTurn, assemble
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._rules.openai import check_openai_chat
from turnfold.formats.openai_chat import matches, parse


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def said(text: str) -> Message:
    return {"role": "assistant", "content": text}


def calling(*call_ids: str, arguments: str = "{ }") -> Message:
    calls = [
        {"id": each, "type": "function", "function": {"name": "run", "arguments": arguments}}
        for each in call_ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, text: str = "y" * 60) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


SYSTEM = {"role": "system", "content": "You look after ledgerline."}
A1 = [
    SYSTEM,
    user("Start the stub."),
    calling("t1"),
    result("t1"),
    said("It runs."),
    user("And the smoke test?"),
    calling("t2"),
    result("t2"),
]


def render(view: CompactedView | Transcript, session: Session) -> Json:
    return openai_chat.render(view, session)


@pytest.fixture(scope="session")
def validate() -> Callable[[list[Any]], None]:
    """A check of the types by OpenAI's own package."""
    pydantic = pytest.importorskip("pydantic")
    chat = pytest.importorskip("openai.types.chat")
    adapter = pydantic.TypeAdapter(GenericAlias(list, (chat.ChatCompletionMessageParam,)))

    def check(messages: list[Any]) -> None:
        drain(adapter.validate_python(copy.deepcopy(messages)))

    return check


def drain(value: Json) -> None:
    """Nested iterators are validated when they are consumed, and not before."""
    if isinstance(value, dict):
        for each in value.values():
            drain(each)
    elif not isinstance(value, str | bytes | int | float | bool | None):
        for each in value:
            drain(each)


# --- the rules that a rendering is held against ---------------------------------------------


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([user("a"), calling("t")], "unanswered_call"),
        ([user("a"), calling("t"), user("b")], "unanswered_call"),
        ([user("a"), calling("s", "t"), result("s"), user("b"), result("t")], "unanswered_call"),
        ([user("a"), result("t")], "orphan_result"),
        ([user("a"), calling("t"), result("t"), result("t")], "orphan_result"),
        ([user("a"), calling("t"), result("u")], "orphan_result"),
        ([user("a"), calling("t", "t"), result("t"), result("t")], "repeated_id"),
        ([user("a"), {**said("b"), "tool_calls": []}], "empty_calls"),
        ([user("a"), {"role": "function", "name": "f", "content": "x"}], "orphan_result"),
        ([user("a"), {"role": "assistant", "content": None}], "no_content"),
        ([{"role": "user", "content": []}], "empty_content"),
        ([{"role": "user", "content": 7}], "content_type"),
        (
            [user("a"), calling("t"), {**result("t"), "content": [{"type": "image_url"}]}],
            "result_part",
        ),
        ([SYSTEM], "only_system"),
        ([], "only_system"),
        ([user("a"), {"role": "narrator"}, 7], "role"),
    ],
)
def test_a_broken_rule_is_found(messages: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check_openai_chat(messages)}


def test_whole_messages_break_no_rule_and_a_call_at_the_end_may_wait() -> None:
    assert check_openai_chat(A1) == []
    assert check_openai_chat([*A1, calling("s", "t"), result("t")], pending_ok=True) == []
    assert check_openai_chat([*A1, calling("t"), user("a")], pending_ok=True) != []


# --- reading -------------------------------------------------------------------------------


def test_each_message_is_a_turn_with_its_calls_and_its_exchange() -> None:
    transcript = parse(A1).transcript
    assert transcript.turn_ids() == tuple(f"m{index}" for index in range(8))
    assert [turn.role.value for turn in transcript][:4] == ["system", "user", "assistant", "tool"]
    assert transcript.turn("m2").content == "[call run] { }"
    assert transcript.turn("m2").tool_call_id == transcript.turn("m3").tool_call_id == "m2"
    assert transcript.turn("m3").metadata["turnfold.tool_name"] == "run"
    assert transcript.turn("m6").tool_call_id == "m6"


def test_a_developer_message_is_a_system_turn_wherever_it_stands() -> None:
    turns = parse([user("a"), {"role": "developer", "content": "b"}]).transcript
    assert [turn.role for turn in turns] == [Role.USER, Role.SYSTEM]


def test_a_custom_call_a_refusal_and_audio_are_content() -> None:
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "one"}, {"type": "refusal", "refusal": "two"}],
        "refusal": "three",
        "audio": {"id": "audio_1"},
        "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sql", "input": "q 1"}}],
    }
    turn = parse([user("x"), message]).transcript.turn("m1")
    assert turn.content == "one\ntwo\nthree\n[audio]\n[call sql] q 1"


def test_reasoning_counts_and_is_no_content() -> None:
    plain, thinking = (
        parse([user("x"), {**said("y"), **extra}]).transcript.turn("m1")
        for extra in ({}, {"reasoning_content": "r" * 400})
    )
    assert thinking.content == plain.content == "y"
    assert thinking.token_estimate > plain.token_estimate + 50


@pytest.mark.parametrize("length", [10_000, 5_000_000])
@pytest.mark.parametrize(
    "part",
    [
        lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        lambda data: {"type": "image_url", "image_url": {"url": "https://x.example/" + data[:9]}},
        lambda data: {"type": "file", "file": {"file_data": data}},
        lambda data: {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
        lambda data: {"type": "unheard_of", "url": f"data:image/png;base64,{data}"},
        lambda data: {"type": "unheard_of", "blob": data.encode()},
    ],
)
def test_media_cost_the_same_whatever_their_payload(
    part: Callable[[str], Message], length: int
) -> None:
    """F2."""
    turn = parse([{"role": "user", "content": [part("A" * length)]}]).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


def test_arguments_and_unknown_parts_count() -> None:
    """F3."""
    call = parse([user("x"), calling("c", arguments="w" * 39_000)]).transcript.turn("m1")
    assert call.token_estimate > 39_000 / 5
    part = {"type": "toolResult", "content": "w" * 4_000}
    turn = parse([{"role": "user", "content": [part]}]).transcript.turns[0]
    assert turn.token_estimate > 4_000 / 5


@pytest.mark.parametrize("arguments", ["", "not json", "null", '{"a":  1 }', None, {"a": [1]}])
def test_arguments_of_any_kind_are_read_and_stay_as_they_are(arguments: Json) -> None:
    """G1."""
    document = [*A1, calling("t9", arguments=arguments), result("t9"), user("x")]
    before = copy.deepcopy(document)
    session = parse(document)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    assert document[8] in rendered
    assert document == before


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("text", "messages[1]"),
        (None, "messages[1]"),
        ({"content": "x"}, "messages[1].role"),
        ({"role": "narrator", "content": "x"}, "messages[1].role"),
        ({"role": ["user"], "content": "x"}, "messages[1].role"),
        ({"role": "user", "content": 7}, "messages[1].content"),
        ({"role": "user", "content": {"a": 1}}, "messages[1].content"),
    ],
)
def test_a_malformed_message_is_reported_with_its_path_and_is_no_turn(
    message: Json, path: str
) -> None:
    """R4."""
    document = [user("a"), message, user("b")]
    session = parse(document)
    assert [damage.place for damage in session.damage] == [path]
    assert session.transcript.turn_ids() == ("m0", "m2")
    assert render(session.transcript, session) is document
    with pytest.raises(UnreadableTranscript, match=r"messages\[0\]"):
        parse([message])


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ({"role": "user", "content": ["bare", 7]}, "messages[1].content[1]"),
        ({"role": "user", "content": [{"text": "x"}]}, "messages[1].content[0]"),
        ({"role": "tool", "content": "x"}, "messages[1].tool_call_id"),
        ({**said("x"), "tool_calls": {"id": 1}}, "messages[1].tool_calls"),
        ({**said("x"), "tool_calls": ["c"]}, "messages[1].tool_calls[0]"),
        ({**said("x"), "tool_calls": [{"id": "c"}]}, "messages[1].tool_calls[0].function"),
        (
            {**said("x"), "tool_calls": [{"function": {"name": "f", "arguments": ""}}]},
            "messages[1].tool_calls[0].id",
        ),
    ],
)
def test_a_malformed_part_is_reported_and_the_rest_is_read(message: Json, path: str) -> None:
    """R4."""
    session = parse([user("a"), message, user("b")])
    assert session.damage[0].place == path
    assert session.transcript.turn_ids() == ("m0", "m1", "m2")


@pytest.mark.parametrize("document", [[], {"messages": []}, {"model": "x"}, {"messages": "x"}])
def test_a_document_without_messages_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)


# --- rendering -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", fixture_files("openai_chat"), ids=lambda path: path.stem)
def test_an_unchanged_view_is_the_input(path: Path) -> None:
    """R2, L6."""
    document, copied = load(path), load(path)
    session = parse(document)
    assert matches(document)
    for policy in POLICIES.values():
        view = compact(session, policy, 10**9)
        assert view is not None
        assert render(view, session) is document
    assert document == copied


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("name", POLICIES)
def test_every_cut_and_every_budget_gives_what_the_provider_takes(
    name: str, pins: Pins, validate: Callable[[list[Any]], None]
) -> None:
    """A1, C7."""
    session = parse(A1, pins=pins, estimator=eighth)
    seen = set()
    for view in sweep(session, POLICIES[name]):
        if not has_conversation(view):
            with pytest.raises(UnrenderableView):
                render(view, session)
            continue
        rendered = render(view, session)
        spelled = json.dumps(rendered)
        if spelled not in seen:
            seen.add(spelled)
            assert check_openai_chat(rendered) == [], spelled
            validate(rendered)
    assert len(seen) > 1


@pytest.mark.parametrize("path", fixture_files("openai_chat"), ids=lambda path: path.stem)
@pytest.mark.parametrize("name", POLICIES)
def test_a_fixture_at_any_budget_is_taken_and_read_again(
    name: str, path: Path, validate: Callable[[list[Any]], None]
) -> None:
    """A1, R2, L3."""
    document = load(path)
    session = parse(document)
    total = session.transcript.token_estimate()
    for tokens in range(1, total, max(1, total // 40)):
        view = compact(session, POLICIES[name], tokens)
        if view is None or view.transcript is session.transcript:
            continue
        rendered = render(view, session)
        messages = rendered["messages"] if isinstance(rendered, dict) else rendered
        assert check_openai_chat(messages, pending_ok=True) == []
        validate(messages)
        shown = repaired(view, session)
        again = parse(json.loads(json.dumps(rendered)), ledger=shown.ledger)
        assert again.ledger == shown.ledger
        assert again.transcript.turn_ids() == shown.transcript.turn_ids()


def test_kept_messages_are_the_same_objects_in_the_same_wrapper() -> None:
    """R1."""
    extra = {"role": "assistant", "reasoning_content": "r", "content": "kept", "x": {"b": 1}}
    document = {"model": "m", "messages": [*A1, extra, user("last")], "tools": [], "seed": 1}
    session = parse(document)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    assert isinstance(rendered, dict)
    assert list(rendered) == ["model", "messages", "tools", "seed"]
    originals = {id(message) for message in document["messages"]}  # type: ignore[attr-defined]
    assert all(id(message) in originals for message in rendered["messages"])
    assert any(message is extra for message in rendered["messages"])


def test_a_masked_result_keeps_its_keys_and_their_order() -> None:
    """D1."""
    tool = {"name": "run", "content": "y" * 900, "role": "tool", "tool_call_id": "t1", "x": 1}
    document = [user("a"), calling("t1"), tool, said("b"), user("c")]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    masked = render(view, session)[2]
    assert list(masked) == list(tool)
    assert masked["content"] == view.transcript.turn("m2").content != tool["content"]
    assert {**masked, "content": tool["content"]} == tool


@pytest.mark.parametrize("content", ["", [], [{"type": "text", "text": ""}], None])
def test_an_empty_result_stays_as_it_is(content: Json) -> None:
    """D1."""
    empty = {"role": "tool", "tool_call_id": "t1", "content": content}
    document = [user("a"), calling("t1"), empty, calling("t2"), result("t2", "y" * 900), user("c")]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered = render(view, session)
    assert rendered[2] is empty
    assert rendered[4]["content"].strip()


def test_a_summary_is_a_user_message_and_is_known_again() -> None:
    """X4, L3."""
    session = parse([*A1, user("x" * 500), said("y" * 500), user("last")])
    view = compact(session, POLICIES["summarizing"], 120)
    assert view is not None
    rendered = render(view, session)
    written = next(each for each in rendered if "conversation_summary" in (each["content"] or ""))
    assert written["role"] == "user"
    for ledger in (None, view.ledger):
        again = parse(rendered, ledger=ledger)
        kinds = [turn.metadata.get("turnfold.kind") for turn in again.transcript]
        assert kinds.count("summary") == 1
    assert again.transcript.digest() == view.transcript.digest()


def test_an_orphan_is_left_out_and_listed() -> None:
    """A3, T7."""
    document = [calling("b"), result("a"), result("b"), user("x"), said("y" * 400), user("z")]
    session = parse(document)
    assert render(session.transcript, session) is document
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 90)
    assert view is not None
    if "m1" in view.transcript.turn_ids():
        assert repairs(view, session) == ("m1",)
    assert check_openai_chat(render(view, session)) == []
    cut = Transcript(session.transcript.turns[:-1])
    assert repairs(cut, session) == ("m1",)
    assert render(cut, session) == [document[0], document[2], document[3], document[4]]


@pytest.mark.parametrize("name", POLICIES)
def test_a_parallel_batch_is_never_split(name: str) -> None:
    """A4."""
    session = parse(
        [user("a"), calling("A", "B", "C"), result("A"), result("B"), result("C"), user("b")],
        pins=NO_PINS,
        estimator=eighth,
    )
    for view in sweep(session, POLICIES[name]):
        kept = {"m1", "m2", "m3", "m4"} & set(view.transcript.turn_ids())
        assert len(kept) in (0, 4)
        if has_conversation(view):
            assert check_openai_chat(render(view, session)) == []


def test_reused_ids_pair_by_occurrence() -> None:
    """A7."""
    rounds = [
        calling("call_0"),
        result("call_0", "one"),
        calling("call_0"),
        result("call_0", "two"),
    ]
    assert check_openai_chat([user("a"), *rounds, user("b")]) == []
    session = parse([user("a"), *rounds, user("b")], pins=NO_PINS)
    turns = session.transcript.turns
    second = Transcript((turns[0], *turns[3:]))
    assert render(second, session) == [user("a"), *rounds[2:], user("b")]
    orphaned = parse([user("a"), *rounds[:2], rounds[3], user("b")])
    assert orphaned.transcript.turn("m3").metadata["turnfold.damage"] == "orphan_result"
    assert orphaned.transcript.turn("m2").metadata.get("turnfold.damage") is None


def test_an_open_id_that_is_used_again_pairs_as_before_when_it_is_read_again() -> None:
    """A7, L3."""
    document = [
        *(user("a"), said("y" * 500)),
        *(calling("call_0"), user("again"), calling("call_0"), result("call_0", "two")),
        user("b"),
    ]
    session = parse(document)
    view = compact(session, DropOldestPolicy(), 120)
    assert view is not None
    rendered = render(view, session)
    assert check_openai_chat(rendered) == []
    assert rendered.index(result("call_0", "two")) == 5
    again = parse(rendered, ledger=view.ledger)
    assert again.transcript.digest() == view.transcript.digest()


def test_calls_without_an_id_pair_by_their_place() -> None:
    """A8."""
    session = parse(
        [user("a"), calling(""), result("", "ok"), calling("", ""), result(""), user("b")]
    )
    exchanges = [turn.tool_call_id for turn in session.transcript]
    assert exchanges == [None, "m1", "m1", "m3", "m3", None]


def test_a_legacy_function_call_is_paired_and_closed_as_one() -> None:
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "1"}}
    answer = {"role": "function", "name": "f", "content": "y" * 400}
    document = [user("a"), call, answer, call, user("b"), call, answer, user("c")]
    session = parse(document)
    assert session.transcript.turn("m1").content == "[call f] 1"
    assert session.transcript.turn("m2").metadata["turnfold.tool_name"] == "f"
    view = compact(session, ObservationMaskingPolicy(0), 200)
    assert view is not None
    rendered = render(view, session)
    assert check_openai_chat(rendered) == []
    assert {"role": "function", "name": "f", "content": CLOSED_CALL} in rendered


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    document: list[Message] = [said("Earlier."), calling("X")]
    for index in range(40):
        document += [user(f"go {index}"), calling(f"c{index}"), result(f"c{index}", "y" * 200)]
    session = parse(document)
    assert session.transcript.turn("m1").metadata["turnfold.status"] == "dead"
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert len(view.transcript) < len(session.transcript)
    assert check_openai_chat(render(view, session)) == []


def test_a_pending_call_is_kept_and_its_late_result_joins_it() -> None:
    """A10, L2."""
    chat = [message for index in range(10) for message in (user(f"u{index}"), said("y" * 80))]
    document = [user("a"), calling("c1"), *chat]
    session = parse(document)
    plan = DropOldestPolicy().decide(session.transcript, CompactionBudget(150, 1))
    assert "m1" in {each.turn_id for each in plan.decisions if each.action.value == "keep"}
    late = parse([*document, result("c1", "yes")])
    view = CompactionExecutor().apply(late.transcript, plan)
    rendered = render(view, late)
    at = rendered.index(document[1])
    assert rendered[at + 1] == result("c1", "yes")
    assert check_openai_chat(rendered) == []
    gone = parse(document, pins=NO_PINS)
    plan = DropOldestPolicy().decide(gone.transcript, CompactionBudget(60, 1))
    late = parse([*document, result("c1")], pins=NO_PINS)
    with pytest.raises(PlanTranscriptMismatch, match="m1"):
        CompactionExecutor().apply(late.transcript, plan)


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([calling("t9")], [calling("t9")]),
        ([calling("A", "B"), result("A")], [calling("A", "B"), result("A")]),
        (
            [calling("t9"), user("hello")],
            [calling("t9"), result("t9", CLOSED_CALL), user("hello")],
        ),
        (
            [calling("A", "B"), result("B"), user("hello")],
            [calling("A", "B"), result("B"), result("A", CLOSED_CALL), user("hello")],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], expected: list[Message]
) -> None:
    """A12: never closed as a success, and never in place of a result."""
    document = [user("a"), said("y" * 900), user("b"), *tail]
    session = parse(document)
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered = render(view, session)
    assert rendered == [user("a"), user("b"), *expected]
    assert check_openai_chat(rendered, pending_ok=True) == []
    again = parse(rendered)
    assert len(again.transcript) == len(view.transcript)
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_results_stand_directly_after_their_call_whatever_stood_between() -> None:
    between = [calling("A", "B"), result("A"), user("hurry"), result("B"), said("y" * 500)]
    session = parse([user("a"), *between, user("c")], pins=NO_PINS)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1, 6)
    assert view is not None
    rendered = render(view, session)
    assert rendered == [between[0], between[1], between[3], between[2], between[4], user("c")]
    again = parse(rendered, ledger=view.ledger)
    assert again.transcript.digest() == view.transcript.digest()


def test_the_view_keeps_more_than_system_messages() -> None:
    """C7."""
    session = parse([SYSTEM, user("a"), said("b")], pins=NO_PINS)
    with pytest.raises(UnrenderableView):
        render(Transcript(session.transcript.turns[:1]), session)


@pytest.mark.parametrize("name", POLICIES)
def test_the_last_and_the_first_user_message_stay(name: str) -> None:
    """C8."""
    document = [user("TASK"), said("y" * 90), user("LIVE"), calling("c"), result("c")]
    session = parse(document, estimator=eighth)
    for view in sweep(session, POLICIES[name]):
        rendered = render(view, session)
        assert document[0] in rendered
        assert document[2] in rendered


def test_pins_skip_what_no_person_wrote() -> None:
    """C9."""
    loaded = [
        LoadedTurn("rules", Role.USER, "be brief", kind="injected"),
        LoadedTurn("goal", Role.USER, "REAL GOAL"),
        LoadedTurn("work", Role.ASSISTANT, "done"),
        LoadedTurn("more", Role.USER, "reminder", kind="injected"),
    ]
    pins = Pins(newest_exchange=False)
    pinned = [turn.turn_id for turn in assemble(loaded, pins=pins).transcript if turn.pinned]
    assert pinned == ["goal"]


def test_a_plan_holds_for_a_copy_that_went_through_json() -> None:
    """L4."""
    session = parse(A1, pins=NO_PINS)
    plan = DropOldestPolicy().decide(session.transcript, CompactionBudget(60, 1))
    plan = CompactionPlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    copied = parse(json.loads(json.dumps(A1)), pins=NO_PINS)
    views = [
        CompactionExecutor().apply(each.transcript, plan) for each in (session, copied, copied)
    ]
    assert views[0].transcript == views[1].transcript == views[2].transcript
    assert render(views[0], session) == render(views[1], copied) == render(views[2], copied)


def test_equal_messages_stay_apart() -> None:
    """L5."""
    document = [user("continue"), said("y" * 500), user("continue"), said("a"), user("continue")]
    session = parse(document, pins=NO_PINS)
    view = compact(session, DropOldestPolicy(), 60, 3)
    assert view is not None
    rendered = render(view, session)
    assert rendered == document[-len(rendered) :]
    assert sum(message == user("continue") for message in rendered) >= 2


def test_a_view_of_another_session_is_refused() -> None:
    longer, shorter = parse([*A1, user("x")]), parse(A1)
    with pytest.raises(UnrenderableView, match="m8"):
        render(Transcript(longer.transcript.turns[1:]), shorter)


def test_further_rounds_give_one_ledger_to_the_first_messages() -> None:
    """L2, L3."""
    document: list[Message] = [SYSTEM, user("start")]
    for index in range(30):
        document += [user(f"go {index}"), calling("c"), result("c", "y" * 300)]
    session = parse(document)
    for _ in range(3):
        tokens = session.transcript.token_estimate() * 2 // 3
        view = compact(session, POLICIES["default_chain"], tokens, 4)
        assert view is not None
        rendered = render(view, session)
        assert check_openai_chat(rendered) == []
        session = parse(json.loads(json.dumps(rendered)), ledger=view.ledger)
        assert session.transcript.digest() == view.transcript.digest()
        assert session.ledger == view.ledger
        assert len(view.ledger.leaf_ids) == len(document)


# --- properties ----------------------------------------------------------------------------


def built(steps: list[Step]) -> list[Message]:
    messages: list[Message] = []
    for kind, value in steps:
        if kind == "batch":
            text, results, between = value
            messages.append({**calling(*results), "content": text})
            answers = [result(each, text) for each, text in results.items() if text is not None]
            messages += answers[:1]
            messages += [user(between)] if between is not None else []
            messages += answers[1:]
        else:
            messages.append({"role": kind, "content": value})
    return messages


@pytest.mark.parametrize("name", POLICIES)
@given(
    document=histories(built),
    cut=cuts(),
)
def test_any_history_at_any_budget_gives_what_the_provider_takes(
    name: str, document: list[Message], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a split batch, a result out of place, a call left open, a lost ledger."""
    document = with_long_inputs(document) if name == "masking_inputs" else document
    before = copy.deepcopy(document)
    share, recent, pins = cut
    session = parse(document, pins=pins)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[name], tokens, recent)
    if view is None or view.transcript is session.transcript or not has_conversation(view):
        return
    if not has_conversation(repaired(view, session)):
        return
    rendered = render(view, session)
    assert check_openai_chat(rendered, pending_ok=True) == []
    assert document == before
    shown = repaired(view, session)
    again = parse(rendered, ledger=shown.ledger, pins=pins)
    if not reuses_open_ids(session):
        assert again.transcript.digest() == shown.transcript.digest()
        assert again.ledger == shown.ledger


def corpus_files() -> list[Path]:
    root = corpus_root()
    if root is None:
        return []
    files = [*root.glob("openai_chat/*.json"), *root.glob("mini_swe_agent/*.json")]
    return sorted([*files, *root.glob("openhands/sdk-*.json")])


@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.stem)
@pytest.mark.parametrize("share", [50, 30, 15])
def test_a_recorded_session_is_compacted_into_what_the_provider_takes(
    path: Path, share: int, validate: Callable[[list[Any]], None]
) -> None:
    """A1, R2."""
    document = load(path)
    session = parse(document)
    assert not session.damage
    turns = session.transcript.turns
    untouchable = [turn for turn in turns if turn.pinned or turn.role is Role.SYSTEM]
    floor = sum(turn.token_estimate for turn in {*untouchable, *turns[-2:]})
    tokens = max(session.transcript.token_estimate() * share // 100, floor)
    for policy in (*POLICIES.values(), default_chain()):
        view = compact(session, policy, tokens, 2)
        assert view is not None
        rendered = render(view, session)
        assert check_openai_chat(rendered, pending_ok=True) == []
        validate(rendered)
        again = parse(json.loads(json.dumps(rendered)), ledger=view.ledger)
        assert again.transcript.digest() == view.transcript.digest()
