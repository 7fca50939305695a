"""Reading and rendering OpenAI's Responses items."""

import copy
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import GenericAlias
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
    PIXEL,
    Item,
    Json,
    calling,
    damaged,
    developer,
    histories,
    picture,
    records_of,
    result,
    said,
    searched,
    thought,
    user,
    with_ids,
)
from turnfold import (
    BudgetUnsatisfiable,
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
from turnfold.formats import Pins, Session, openai_chat, openai_responses, repaired, repairs
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats._rules.responses import check_responses
from turnfold.formats.openai_responses import check, conversations, matches, matches_lines, parse


def render(view: CompactedView | Transcript, session: Session, **more: Any) -> Json:  # noqa: ANN401
    return openai_responses.render(view, session, **more)


def without(session: Session, *turn_ids: str) -> Transcript:
    """The session without some turns."""
    return Transcript(turn for turn in session.transcript if turn.turn_id not in turn_ids)


@pytest.fixture(scope="session")
def validate() -> Callable[[list[Any]], None]:
    """A check of the types by OpenAI's own package."""
    pydantic = pytest.importorskip("pydantic")
    responses = pytest.importorskip("openai.types.responses")
    adapter = pydantic.TypeAdapter(GenericAlias(list, (responses.ResponseInputItemParam,)))

    def check_types(items: list[Any]) -> None:
        drain(adapter.validate_python(with_ids(items)))

    return check_types


@pytest.fixture(scope="session")
def validate_if_able(request: pytest.FixtureRequest) -> Callable[[list[Any]], None]:
    """The check of the types, or none where the package is not there."""
    if find_spec("openai") is None or find_spec("pydantic") is None:
        return lambda _items: None
    check_types: Callable[[list[Any]], None] = request.getfixturevalue("validate")
    return check_types


def drain(value: Json) -> None:
    """Nested iterators are validated when they are consumed, and not before."""
    if isinstance(value, dict):
        for each in value.values():
            drain(each)
    elif not isinstance(value, str | bytes | int | float | bool | None):
        for each in value:
            drain(each)


def rollout(asked: Json, came: Json, **more: Json) -> Json:
    return {
        "responses_create_params": {"input": asked, "tools": []},
        "response": {"id": "resp_1", "output": came},
        "reward": 1.0,
        **more,
    }


FEW = settings(max_examples=max(settings().max_examples // 4, 1))
"""Each example is compacted, rendered, checked, validated and read again."""

B3 = [
    user("Fix the build."),
    thought("rs_1", "AAAA" * 30),
    said("I look.", id="msg_1", status="completed"),
    user("Do."),
    thought("rs_2", "BBBB" * 30),
    calling("c2", id="fc_2"),
    result("c2"),
    thought("rs_3", "CCCC" * 30),
    said("Done.", id="msg_3", status="completed"),
    user("Thanks."),
]

# --- the rules that a rendering is held against ---------------------------------------------


@pytest.mark.parametrize(
    ("items", "rule", "words"),
    [
        ([user("a"), calling("t")], "unanswered_call", "No tool output found for function call t."),
        ([user("a"), result("t")], "orphan_result", "No tool call found for function call output"),
        ([user("a"), result("t"), calling("t")], "orphan_result", "with call_id t."),
        ([user("a"), calling("t"), result("t"), result("t")], "orphan_result", "No tool call"),
        ([user("a"), calling("t", "custom"), result("t")], "orphan_result", "No tool call found"),
        ([user("a"), thought("rs_1"), user("b")], "dangling_reasoning", "required following item."),
        ([user("a"), thought("rs_1")], "dangling_reasoning", "Item 'rs_1' of type 'reasoning'"),
        ([user("a"), calling("t"), calling("t"), result("t")], "repeated_call_id", ""),
        ([said("a", id="msg_1"), said("b", id="msg_1")], "repeated_id", "Duplicate item found"),
        ([user("a"), {**calling("t"), "call_id": ""}], "empty_call_id", "empty string"),
        ([user("a"), {**calling("t"), "call_id": "t" * 65}], "long_call_id", "string too long"),
        ([user("a"), {**calling("t"), "call_id": None}], "no_call_id", "input[1].call_id"),
        ([user("a"), {**calling("t"), "arguments": {}}], "arguments_type", "arguments"),
        ([calling("t"), {**result("t"), "output": None}], "no_output", "input[1].output"),
        ([{"role": "narrator", "content": "x"}], "role", "input[0].role"),
        ([{"role": "user", "content": 7}], "content_type", "input[0].content"),
        ([7], "item_type", "input[0]"),
        ([developer("a")], "only_system", ""),
        ([], "only_system", ""),
        ([{"type": "compaction_trigger"}, user("a")], "trigger_last", ""),
    ],
)
def test_a_broken_rule_is_found(items: list[Json], rule: str, words: str) -> None:
    found = {fault.rule: fault for fault in check_responses(items)}
    assert rule in found
    assert words in found[rule].provider_error


def test_whole_items_break_no_rule_and_a_call_at_the_end_may_wait() -> None:
    assert check_responses(B3) == []
    late = [calling("s"), user("hurry"), result("s")]
    assert check_responses([*B3, *late]) == []
    assert check_responses([*B3, calling("s"), calling("t"), result("t")], pending_ok=True) == []
    assert check_responses([*B3, calling("t"), user("a")], pending_ok=True) != []
    assert check_responses([*B3, calling("s"), calling("t"), result("t")]) != []


# --- what is recognized ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        [user("a")],
        [picture("a")],
        [{"role": "user", "content": "a"}, calling("t")],
        {"input": [{"role": "user", "content": "a"}], "model": "gpt-5.4"},
        {"input": "a", "model": "gpt-5.4", "instructions": "b"},
        {"object": "response", "output": []},
        {"input": [user("a")], "output": [said("b")]},
        rollout([user("a")], [said("b")]),
        [rollout([user("a")], [said("b")])],
    ],
)
def test_items_are_recognized(document: Json) -> None:
    assert matches(document)


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "a"}],
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]},
        [
            {"role": "user", "content": [{"type": "input_text", "text": "a"}]},
            {"role": "assistant", "content": None, "tool_calls": []},
        ],
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}],
        {"contents": [{"role": "user", "parts": [{"text": "a"}]}]},
        [{"type": "human", "data": {"content": "a"}}],
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "a"}]}],
        [{"role": "user", "parts": [{"type": "text", "content": "a"}]}],
        {"conversations": [{"from": "human", "value": "a"}]},
        {"schema_version": "ATIF-v1.7", "steps": [{"source": "user", "message": "a"}]},
        {"input": ["a", "b"], "model": "text-embedding-3-small"},
        {"input": "a", "target": "b"},
        {"input": [{"role": "user", "content": "a"}], "target": "b"},
        {"input": [{"role": "assistant", "content": "a", "tool_calls": []}], "model": "x"},
        [{"author": "user", "content": {"parts": [{"text": "a"}]}}],
        [],
        {},
        None,
        7,
        "x",
    ],
)
def test_the_documents_of_others_are_not(document: Json) -> None:
    assert not matches(document)


def test_lines_of_rollouts_are_recognized() -> None:
    assert matches_lines([rollout([user("a")], [])])
    assert not matches_lines([{"type": "response_item", "payload": user("a")}])


@FEW
@given(json_value=damaged([rollout([user("a")], [said("b")])]))
def test_recognizing_never_fails(json_value: Json) -> None:
    assert matches(json_value) in (True, False)
    assert matches_lines([each for each in json_value if isinstance(each, dict)]) in (True, False)


# --- reading -------------------------------------------------------------------------------


def test_a_run_of_model_items_is_one_turn_and_each_result_one() -> None:
    items = [
        developer("Be brief."),
        user("a"),
        thought("rs_1", "r" * 400),
        searched("ws_1"),
        said("I look.", id="msg_1"),
        calling("c1"),
        calling("c2", "custom"),
        result("c1"),
        result("c2", kind="custom"),
        said("Done."),
    ]
    transcript = parse(items).transcript
    assert transcript.turn_ids() == ("m0", "m1", "ws_1", "m7", "m8", "m9")
    assert [turn.role.value for turn in transcript] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    batch = transcript.turn("ws_1")
    lines = batch.content.split("\n")
    assert lines[0].startswith("[call web_search]")
    assert lines[1:] == ["I look.", '[call run] { "a":  1 }', "[call apply_patch] *** Begin"]
    assert batch.token_estimate > 100
    assert {turn.tool_call_id for turn in transcript.turns[2:5]} == {"ws_1"}
    assert transcript.turn("m8").metadata["turnfold.tool_name"] == "apply_patch"


def test_instructions_beside_the_items_are_a_turn() -> None:
    """F4."""
    session = parse({"instructions": "i" * 400, "input": [user("a")], "model": "x"})
    assert session.transcript.turn("instructions").role is Role.SYSTEM
    assert session.transcript.token_estimate() > 100


def test_a_bare_string_of_input_is_a_users_message() -> None:
    document = {"model": "x", "instructions": "b", "input": "TASK", "output": [said("y" * 900)]}
    session = parse(document)
    assert [turn.content[:4] for turn in session.transcript][1:] == ["TASK", "yyyy"]
    assert render(session.transcript, session) is document
    rendered = render(without(session, "o0"), session)
    assert rendered == {**document, "input": [{"role": "user", "content": "TASK"}], "output": []}


@pytest.mark.parametrize("length", [10_000, 5_000_000])
@pytest.mark.parametrize(
    "make",
    [
        lambda data: {"role": "user", "content": [{"type": "input_image", "image_url": data}]},
        lambda data: {"role": "user", "content": [{"type": "input_file", "file_data": data}]},
        lambda data: {"type": "image_generation_call", "id": "ig", "result": data},
    ],
)
def test_media_cost_the_same_whatever_their_payload(
    make: Callable[[str], Item], length: int
) -> None:
    """F2."""
    turn = parse([make("data:image/png;base64," + "A" * length)]).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 60


@pytest.mark.parametrize(
    "item",
    [
        thought("rs_1"),
        searched("ws_1"),
        {"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}", "output": "o" * 400},
        {"type": "item_reference", "id": "msg_9"},
        {"id": "msg_9"},
        {"type": "unheard_of", "body": "w" * 400},
    ],
)
def test_every_item_of_the_model_counts(item: Item) -> None:
    """F3, B4."""
    plain, more = (parse([user("a"), *each, said("b")]) for each in ((), (item,)))
    assert more.transcript.token_estimate() > plain.transcript.token_estimate()


@pytest.mark.parametrize("arguments", ["", "not json", "null", '{"a":  1 }', None, {"a": [1]}])
def test_arguments_of_any_kind_are_read_and_stay_as_they_are(arguments: Json) -> None:
    """G1."""
    call = {**calling("c9"), "arguments": arguments}
    document = [*B3, call, result("c9"), user("x")]
    before = copy.deepcopy(document)
    session = parse(document)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    assert any(each is call for each in render(view, session))
    assert document == before


@pytest.mark.parametrize(
    ("item", "path"),
    [
        (7, "[1]"),
        ({}, "[1]"),
        ({"role": "narrator", "content": "x"}, "[1]"),
        ({"type": ["message"]}, "[1]"),
        ({"role": "user", "content": 7}, "[1].content"),
        ({**calling("c"), "call_id": 7}, "[1]"),
    ],
)
def test_a_malformed_item_is_reported_with_its_path(item: Json, path: str) -> None:
    """R4."""
    document = [user("a"), item, user("b")]
    session = parse(document)
    assert [damage.place for damage in session.damage] == [path]
    assert session.transcript.turn_ids()[0] == "m0"
    assert render(session.transcript, session) is document


@pytest.mark.parametrize("document", [[], {}, [7], {"input": []}, {"input": 7}, [None, {}]])
def test_nothing_to_read_is_said(document: Json) -> None:
    with pytest.raises(UnreadableTranscript, match="can be read"):
        parse(document)


def test_items_that_nest_without_end_are_refused_or_read() -> None:
    nested: Json = "x"
    for _ in range(100_000):
        nested = [nested]
    session = parse([user("a"), {"type": "unheard_of", "body": nested}])
    assert "nests too deeply" in session.transcript.turns[1].content


def test_a_compaction_item_stays_opaque_and_stands_for_what_came_before() -> None:
    """K11."""
    blob: Item = {"type": "compaction", "id": "cmp_1", "encrypted_content": "E" * 4000}
    before = [user("TASK"), calling("c"), result("c"), blob]
    document = [*before, user("b"), said("y" * 900), user("LIVE")]
    live, full = (parse(document, scope=scope) for scope in ("live", "full"))
    assert live.transcript.turn_ids() == ("m0", "cmp_1", "m4", "m5", "m6")
    assert len(full.transcript) == 7
    turn = live.transcript.turn("cmp_1")
    assert turn.metadata["turnfold.kind"] == "summary"
    assert turn.pinned
    assert turn.token_estimate > 900
    view = compact(live, default_chain(), live.transcript.token_estimate() - 50, 1)
    assert view is not None
    assert any(each is blob for each in render(view, live))
    assert render(live.transcript, live) is document
    late = parse([user("a"), calling("c"), blob, result("c"), user("b")])
    assert len(late.transcript) == 5


def test_reasoning_without_its_item_is_no_turn() -> None:
    """B3."""
    session = parse([user("a"), thought("rs_1", "r" * 90), user("b"), said("y" * 900), user("c")])
    assert [damage.code for damage in session.damage] == ["dangling_reasoning"]
    assert session.transcript.turn_ids() == ("m0", "m2", "m3", "m4")
    assert render(without(session, "m3"), session) == [user("a"), user("b"), user("c")]


# --- rendering -----------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["live", "full"])
def test_unchanged_items_come_back_as_they_were(scope: str) -> None:
    """R2."""
    for document in (B3, {"input": B3, "model": "x"}, rollout(B3[:2], B3[2:]), {"output": B3}):
        before = copy.deepcopy(document)
        session = parse(document, scope=scope)
        assert render(session.transcript, session) is document
        assert document == before


@pytest.mark.parametrize("gone", [{"msg_1"}, {"fc_2", "m6"}, {"msg_3"}, {"msg_1", "fc_2", "m6"}])
@pytest.mark.parametrize("mode", [None, "keep", "strip_after_edit", "strip_all"])
def test_reasoning_is_kept_and_goes_with_its_item(gone: set[str], mode: Any) -> None:  # noqa: ANN401
    """B3, B1: kept as it was, or gone, and then no id asks for it. Would catch: half a pair."""
    session = parse(B3)
    rendered = render(without(session, *gone), session, reasoning=mode)
    assert check_responses(rendered) == []
    followers = {"rs_1": "I look.", "rs_2": "c2", "rs_3": "Done."}
    kept = [each for each in rendered if each.get("type") == "reasoning"]
    assert all(any(each is original for original in B3) for each in kept)
    for item in rendered:
        if "id" in item and item["type"] != "reasoning":
            at = rendered.index(item)
            assert rendered[at - 1]["type"] == "reasoning"
    if mode == "strip_all":
        assert kept == []
    elif mode == "strip_after_edit":
        first = min(session.transcript.turn_ids().index(each) for each in gone)
        names = [each["id"] for each in kept]
        assert names == list(followers)[: sum(each < first for each in (1, 3, 5))]
    else:
        assert len(kept) == 3 - len(gone - {"m6"})


def test_all_of_a_model_response_is_kept_or_gone() -> None:
    """A4, A13, B1."""
    batch = [thought("rs_1", "r"), searched("ws_1"), said("I look.", id="msg_1"), calling("c1")]
    document = [
        user("TASK"),
        *batch,
        calling("c2"),
        result("c1", "y" * 500),
        result("c2"),
        user("x"),
    ]
    session = parse(document, estimator=eighth)
    for name in POLICIES:
        for view in sweep(session, POLICIES[name]):
            rendered = render(view, session)
            held = [any(each is item for each in rendered) for item in (*batch, document[5])]
            assert all(held) or not any(held)


@pytest.mark.parametrize("kind", ["function", "custom", "local_shell", "shell", "apply_patch"])
def test_a_masked_result_keeps_its_ids_and_loses_its_text(
    kind: str, validate: Callable[[list[Any]], None]
) -> None:
    """D1, R2."""
    document = [user("a"), calling("c", kind), result("c", "SECRET" * 90, kind), user("b")]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    assert "SECRET" not in json.dumps(rendered)
    assert rendered[2].keys() == document[2].keys()
    assert rendered[1] is document[1]
    assert check_responses(rendered) == []
    validate(rendered)
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_failure_is_known_and_stays_one_when_it_is_masked() -> None:
    """D3."""
    shell = result("c1", "y" * 400, "shell")
    shell["output"][0]["outcome"] = {"type": "exit", "exit_code": 2}
    patch = {**result("c2", "z" * 400, "apply_patch"), "status": "failed"}
    document = [user("a"), calling("c1", "shell"), calling("c2", "apply_patch"), shell, patch]
    session = parse([*document, user("b")])
    statuses = [turn.metadata.get("turnfold.status") for turn in session.transcript]
    assert statuses == [None, None, "error", "error", None]
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered = render(view, session)
    assert rendered[3]["output"][0]["outcome"] == {"type": "exit", "exit_code": 2}
    assert rendered[4]["status"] == "failed"
    assert "yyy" not in json.dumps(rendered)
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_masked_screenshot_is_a_blank_picture(validate: Callable[[list[Any]], None]) -> None:
    """I2, D1: a computer's result holds no text, and what stands for it is read again."""
    document = [user("a"), calling("c", "computer"), result("c", kind="computer"), user("b")]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 400)
    assert view is not None
    rendered = render(view, session)
    shown = rendered[2]["output"]
    assert shown["image_url"].startswith("data:image/png;base64,iVBORw0KGgo")
    assert shown["image_url"] != PIXEL
    validate(rendered)
    assert parse(rendered, ledger=view.ledger).transcript.digest() == view.transcript.digest()


def test_a_masked_message_of_the_model_keeps_its_calls_and_nothing_that_was_said() -> None:
    session = parse([*B3[:4], thought("rs_2"), said("SECRET"), calling("c2"), result("c2")])
    turns = list(session.transcript.turns)
    at = next(n for n, turn in enumerate(turns) if "SECRET" in turn.content)
    turns[at] = type(turns[at])(
        turns[at].turn_id, Role.ASSISTANT, "[gone]", 3, tool_call_id=turns[at].tool_call_id
    )
    rendered = render(Transcript(turns), session)
    assert rendered[-3:-1] == [said("[gone]"), {**calling("c2"), "arguments": "{}"}]
    assert "rs_2" not in json.dumps(rendered)
    assert check_responses(rendered) == []


@pytest.mark.parametrize("policy", POLICIES)
def test_every_cut_and_every_budget_leaves_whole_batches(policy: str) -> None:
    """A1, A4, C2."""
    calls = [calling("A"), calling("B"), calling("C")]
    document = [user("a"), *calls, result("A"), result("B"), result("C"), said("b"), *B3[1:]]
    session = parse(document, pins=NO_PINS, estimator=eighth)
    for view in sweep(session, POLICIES[policy]):
        if has_conversation(view):
            assert check_responses(render(view, session)) == []


def test_a_result_of_another_call_is_left_out_and_said() -> None:
    """A3, T7."""
    document = [calling("b"), result("a"), result("b"), user("x"), said("y" * 900), user("z")]
    session = parse(document)
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    view = without(session, "m4")
    assert repairs(view, session) == ("m1",)
    assert render(view, session) == [document[0], document[2], document[3], document[5]]
    assert check_responses(render(session.transcript, session)) != []


def test_ids_that_every_round_repeats_pair_within_their_round() -> None:
    """A7."""
    rounds = [calling("call_0"), result("call_0", "y" * 400)]
    document = [user("a"), *rounds, user("b"), *rounds, user("c")]
    session = parse(document)
    rendered = render(without(session, "m1", "m2"), session)
    assert rendered == [user("a"), user("b"), *rounds, user("c")]
    orphaned = parse([user("a"), *rounds, user("b"), rounds[1]])
    assert [damage.code for damage in orphaned.damage] == ["orphan_result"]


@pytest.mark.parametrize("call_id", ["", None])
def test_calls_without_an_id_pair_by_their_place(call_id: Json) -> None:
    """A8."""
    call, answer = {**calling(""), "call_id": call_id}, {**result(""), "call_id": call_id}
    document = [user("a"), call, answer, said("y" * 900), user("b")]
    session = parse(document)
    assert session.transcript.turn("m1").tool_call_id == session.transcript.turn("m2").tool_call_id
    assert render(without(session, "m3"), session) == [user("a"), call, answer, user("b")]


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    document: list[Item] = [said("Earlier."), calling("X")]
    for number in range(40):
        document += [user(f"go {number}"), calling(f"c{number}"), result(f"c{number}", "y" * 200)]
    session = parse(document)
    assert session.transcript.turns[0].metadata["turnfold.status"] == "dead"
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check_responses(render(view, session)) == []


def test_a_pending_call_is_kept_and_its_late_result_joins_it() -> None:
    """A10, L2."""
    chat = [item for number in range(10) for item in (user(f"u{number}"), said("y" * 80))]
    document = [user("a"), calling("c1"), *chat]
    session = parse(document)
    plan = DropOldestPolicy().decide(session.transcript, CompactionBudget(150, 1))
    late = parse([*document, result("c1", "yes")])
    view = CompactionExecutor().apply(late.transcript, plan)
    rendered = render(view, late)
    assert rendered[rendered.index(document[1]) + 1] == result("c1", "yes")
    assert check_responses(rendered) == []


def test_an_approval_belongs_to_its_request() -> None:
    """A11."""
    pair = [calling("r1", "approval"), result("r1", "fine", "approval")]
    document = [user("a"), *pair, said("y" * 900), user("b")]
    session = parse(document, estimator=eighth)
    for view in sweep(session, DropOldestPolicy()):
        kept = [any(each is item for each in render(view, session)) for item in pair]
        assert len(set(kept)) == 1


@pytest.mark.parametrize(
    "kind", ["function", "custom", "local_shell", "shell", "apply_patch", "computer", "approval"]
)
def test_a_call_that_was_given_up_is_closed_and_never_as_a_success(
    kind: str, validate: Callable[[list[Any]], None]
) -> None:
    """A12."""
    document = [user("a"), calling("c", kind), user("b"), said("y" * 900), user("c")]
    session = parse(document)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 100, 1)
    assert view is not None
    rendered = render(view, session)
    assert check_responses(rendered) == []
    validate(rendered)
    closing = rendered[2]
    assert closing["type"] in json.dumps(result("c", kind=kind))
    assert closing.get("status") != "completed"
    assert closing.get("approve") is not True
    if kind != "computer":
        assert CLOSED_CALL in json.dumps(closing)
    again = parse(rendered, ledger=view.ledger)
    assert again.transcript.digest() == view.transcript.digest()
    assert render(without(again, "m3"), again) == rendered


@pytest.mark.parametrize(
    "tail",
    [[calling("t9")], [calling("A"), calling("B"), result("A")], [thought("r"), calling("t")]],
)
def test_a_call_at_the_end_stays_open(tail: list[Item]) -> None:
    """A12."""
    session = parse([user("a"), said("y" * 900), user("b"), *tail])
    rendered = render(without(session, "m1"), session)
    assert rendered == [user("a"), user("b"), *tail]
    assert check_responses(rendered, pending_ok=True) == []


def test_two_turns_of_the_model_stay_two() -> None:
    """L3. Would catch: turns that run together because what stood between them is gone."""
    session = parse([user("a"), said("one"), user("y" * 900), said("two"), user("b")], pins=NO_PINS)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1, 2)
    assert view is not None
    turns = Transcript(turn for turn in session.transcript if turn.turn_id != "m2")
    rendered = render(turns, session)
    assert rendered == [user("a"), said("one"), user(BRIDGE), said("two"), user("b")]
    assert [turn.content for turn in parse(rendered).transcript] == ["a", "one", "two", "b"]


def test_a_summary_is_a_users_message_at_its_place() -> None:
    """C6, C10."""
    document = [developer("Be brief."), user("TASK"), *[said("y" * 400), user("more")] * 6]
    session = parse(document)
    view = compact(session, POLICIES["summarizing"], 500, 2)
    assert view is not None
    rendered = render(view, session)
    assert [each["role"] for each in rendered[:3]] == ["developer", "user", "user"]
    assert rendered[1] is document[1]
    assert parse(rendered).transcript.turns[2].metadata["turnfold.kind"] == "summary"
    assert rendered[-1] is document[-1]


def test_the_view_keeps_more_than_instructions() -> None:
    """C7."""
    session = parse({"input": [developer("a"), user("b")], "model": "x"})
    with pytest.raises(UnrenderableView):
        render(Transcript(session.transcript.turns[:1]), session)


def test_a_view_of_another_session_is_refused() -> None:
    longer, shorter = parse([*B3, user("x")]), parse(B3)
    with pytest.raises(UnrenderableView, match="m10"):
        render(Transcript(longer.transcript.turns[1:]), shorter)


@pytest.mark.parametrize("name", POLICIES)
def test_the_last_and_the_first_user_message_stay(name: str) -> None:
    """C8."""
    document = [user("TASK"), said("y" * 90), user("LIVE"), calling("c"), result("c")]
    session = parse(document, estimator=eighth)
    for view in sweep(session, POLICIES[name]):
        rendered = render(view, session)
        assert document[0] in rendered
        assert document[2] in rendered


def test_further_rounds_give_one_ledger_to_the_first_items() -> None:
    """L2, L3."""
    document: list[Item] = [user("start")]
    for number in range(20):
        call = [thought(f"rs_{number}", "r"), calling("c", id=f"fc_{number}")]
        document += [user(f"go {number}"), *call, result("c", "y" * 300)]
    session = parse(document)
    for _ in range(3):
        tokens = session.transcript.token_estimate() * 2 // 3
        view = compact(session, POLICIES["default_chain"], tokens, 4)
        assert view is not None
        rendered = render(view, session)
        assert check_responses(rendered) == []
        session = parse(json.loads(json.dumps(rendered)), ledger=view.ledger)
        assert session.transcript.digest() == view.transcript.digest()
        assert session.ledger == view.ledger


# --- files of rollouts ----------------------------------------------------------------------

SPACED = (
    '{ "note": "\u2028 1.0 kept" , "responses_create_params" :{"input":[ {"role": "user", '
    '"content": "TASK"} ], "temperature": 1.00}, "response": {"output": [{"type":"message",'
    '"role":"assistant", "content":[{"type":"output_text","text":"a\\u00e9"}]} , '
    + json.dumps(calling("c"))
    + " , "
    + json.dumps(result("c", "y" * 400))
    + " , "
    + json.dumps(user("Go on."))
    + '], "id":"r1"}, "reward" : 1e0 }\r\n'
)


def file_of(*records: Json) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def test_one_conversation_of_a_file_is_named() -> None:
    data = file_of(rollout([user("a")], [said("b")]), {}, rollout([], [said("c"), user("d")]))
    assert conversations(data) == 2
    with pytest.raises(UnreadableTranscript, match=r"holds 2 conversations.*conversation=1"):
        parse(data)
    for number in (2, -1):
        with pytest.raises(UnreadableTranscript, match=f"none is number {number}"):
            parse(data, conversation=number)
    session = parse(data, conversation=1)
    assert [turn.content for turn in session.transcript] == ["c", "d"]
    assert conversations(B3) == 1
    assert conversations([rollout([user("a")], []), rollout([], [])]) == 2
    assert parse(iter(data.splitlines(keepends=True)), conversation=0).transcript


def test_one_conversation_of_a_list_is_named() -> None:
    """R2: the others are the very objects."""
    first = rollout([user("a")], [said("b")])
    second = rollout([user("c")], [said("y" * 900), user("d")])
    session = parse([first, second], conversation=1)
    assert session.transcript.turns[0].metadata["turnfold.origin"] == (
        "[1].responses_create_params.input[0]"
    )
    rendered = render(without(session, "o0"), session)
    assert rendered[0] is first
    assert rendered[1] == rollout([user("c")], [user("d")])
    assert check([first, second], conversation=0) == []


def test_only_the_lists_of_the_conversation_change() -> None:
    """R2: every other byte stays, kept items included."""
    other = file_of(rollout([user("a")], [said("b")]))
    data = other + SPACED.encode() + other
    session = parse(data, conversation=1)
    assert render(session.transcript, session) == data
    masked = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert masked is not None
    before, _, after = SPACED.partition(json.dumps(result("c", "y" * 400)))
    rendered = render(masked, session)
    assert isinstance(rendered, bytes)
    assert rendered.startswith(other + before.encode())
    assert rendered.endswith(after.encode() + other)
    again = parse(rendered, conversation=1, ledger=masked.ledger)
    assert again.transcript.digest() == masked.transcript.digest()


def test_what_a_request_held_stays_in_it_and_a_summary_joins_it() -> None:
    document = rollout([user("TASK"), *[said("y" * 300), user("z")] * 5], [said("end"), user("x")])
    session = parse(document)
    view = compact(session, POLICIES["summarizing"], 200, 2)
    assert view is not None
    rendered = render(view, session)
    assert len(rendered["responses_create_params"]["input"]) == 2
    assert rendered["response"]["output"] == [said("end"), user("x")]
    assert rendered["reward"] == 1.0
    assert document["response"]["output"] is not rendered["response"]["output"]


def test_a_broken_line_costs_only_itself() -> None:
    """K1, R4."""
    good = file_of(rollout([user("a")], [said("y" * 900), user("b")]))
    glued = good.rstrip() + file_of(rollout([user("c")], [said("z" * 900), user("d")]))
    data = b"\xef\xbb\xbf" + good + b"\0" * 40 + b"\n" + good[:60] + b"\n" + glued
    session = parse(data, conversation=2)
    assert {damage.code for damage in session.damage} == {
        "nul_bytes",
        "unreadable_record",
        "glued_records",
    }
    rendered = render(without(session, "o0"), session)
    assert isinstance(rendered, bytes)
    assert conversations(rendered) == 3
    assert "zzz" not in rendered.decode()
    assert rendered.startswith(b"\xef\xbb\xbf" + good)


def test_bytes_of_a_document_are_read_as_one() -> None:
    data = json.dumps({"input": B3, "model": "x"}, indent=1).encode()
    session = parse(data)
    assert render(session.transcript, session) == data
    assert render(without(session, "msg_1"), session)["model"] == "x"
    with pytest.raises(UnreadableTranscript, match="neither"):
        parse(b"\0\1")
    number: Any = 7
    with pytest.raises(UnreadableTranscript, match="parsed JSON"):
        parse(number)


# --- properties ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", POLICIES)
@FEW
@given(
    document=histories(),
    cut=cuts(),
    mode=st.sampled_from([None, "keep", "strip_after_edit", "strip_all"]),
    split=st.none() | st.integers(0, 20),
)
def test_any_history_at_any_budget_gives_what_the_provider_takes(
    name: str,
    *,
    document: list[Item],
    cut: tuple[int, int, Pins],
    mode: Any,  # noqa: ANN401
    split: int | None,
    validate_if_able: Callable[[list[Any]], None],
) -> None:
    """Would catch: a split batch, half a reasoning pair, a call left open, a lost ledger."""
    document = with_long_inputs(document) if name == "masking_inputs" else document
    source = document if split is None else rollout(document[:split], document[split:])
    before = copy.deepcopy(source)
    share, recent, pins = cut
    session = parse(source, pins=pins)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[name], tokens, recent)
    if view is None or view.transcript is session.transcript or not has_conversation(view):
        return
    if not has_conversation(repaired(view, session)):
        return
    rendered = render(view, session, reasoning=mode)
    assert check(rendered, pending_ok=True) == []
    assert source == before
    items = rendered if split is None else _all_items(rendered)
    validate_if_able(items)
    shown = repaired(view, session)
    again = parse(rendered, ledger=shown.ledger, pins=pins)
    if not reuses_open_ids(session):
        assert again.transcript.digest() == shown.transcript.digest()
        assert again.ledger == shown.ledger


def _all_items(document: Json) -> list[Item]:
    asked: list[Item] = document["responses_create_params"]["input"]
    return [*asked, *document["response"]["output"]]


@FEW
@given(document=histories().flatmap(damaged))
def test_any_damage_is_read_or_refused(document: Json) -> None:
    """R4. Would catch: a crash on a value of another type."""
    check(document)
    try:
        session = parse(document)
    except UnreadableTranscript:
        return
    assert render(session.transcript, session) is document
    view = compact(session, POLICIES["default_chain"], session.transcript.token_estimate() // 2)
    if view is not None and has_conversation(repaired(view, session)):
        render(view, session)


# --- recorded sessions ----------------------------------------------------------------------


def corpus_files() -> list[Path]:
    root = corpus_root()
    return sorted(root.glob("openai_responses/*.jsonl")) if root else []


@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.stem)
def test_a_recorded_rollout_is_compacted_into_what_the_provider_takes(
    path: Path, validate_if_able: Callable[[list[Any]], None]
) -> None:
    """A1, R2, B4."""
    data = path.read_bytes()
    assert check(data) == []
    for number in range(conversations(data)):
        session = parse(data, conversation=number)
        assert not session.damage
        assert render(session.transcript, session) == data
        for share in (50, 30, 15):
            limit = session.transcript.token_estimate() * share // 100
            try:
                plan = default_chain().decide(session.transcript, CompactionBudget(limit, 2))
            except BudgetUnsatisfiable:
                continue
            summaries = {each.group_id: "What was done." for each in plan.summarization_requests}
            view = CompactionExecutor().apply(session.transcript, plan, summaries)
            rendered = render(view, session)
            assert isinstance(rendered, bytes)
            assert check(rendered) == []
            lines = zip(data.splitlines(), rendered.splitlines(), strict=True)
            assert sum(before != after for before, after in lines) == 1
            validate_if_able(_all_items(records_of(rendered)[number]))
            again = parse(rendered, conversation=number, ledger=view.ledger)
            assert again.transcript.digest() == view.transcript.digest()


def test_chat_messages_are_left_to_the_chat_completions() -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert openai_chat.matches(messages)
    assert not matches(messages)
