"""Reading and rendering Pydantic AI's message histories."""

import dataclasses
import json
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.framework_histories import (
    Batch,
    Result,
    Said,
    Step,
    Thought,
    Validate,
    broken,
    check_compacted,
    check_damaged,
    check_untouched,
    cuts,
    damaged,
    events_of,
    installed,
    valid,
)
from tests.formats.json_histories import NO_PINS, POLICIES, Json, Message, compact
from turnfold import (
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Role,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.formats import Pins, langchain, openai_chat, pydantic_ai
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.pydantic_ai import check, matches, parse, render

THINKING = {
    "content": "I weigh it.",
    "signature": "sig==",
    "provider_name": "anthropic",
    "part_kind": "thinking",
}
PLAIN = {"content": "I weigh it.", "part_kind": "thinking"}


def request(*parts: Message, **values: object) -> Message:
    return {"parts": list(parts), "kind": "request", **values}


def response(*parts: Message, **values: object) -> Message:
    return {"parts": list(parts), "kind": "response", "model_name": "m", **values}


def prompt(text: Json) -> Message:
    return {"content": text, "timestamp": "2026-01-01T00:00:00Z", "part_kind": "user-prompt"}


def text(words: str) -> Message:
    return {"content": words, "part_kind": "text"}


def call(call_id: str, args: Json = '{ "x": 1}') -> Message:
    return {"tool_name": "run", "args": args, "tool_call_id": call_id, "part_kind": "tool-call"}


def returned(call_id: str, content: Json = "y" * 60, **values: object) -> Message:
    part = {"tool_name": "run", "content": content, "tool_call_id": call_id}
    return {**part, "outcome": "success", "part_kind": "tool-return", **values}


SYSTEM = {"content": "You look after ledgerline.", "part_kind": "system-prompt"}
A1 = [
    request(SYSTEM, prompt("Start the stub.")),
    response(call("t1"), call("t2")),
    request(returned("t1"), returned("t2"), prompt("Faster.")),
    response(text("It runs.")),
    request(prompt("And the smoke test?"), run_id="r2"),
    response(call("t1")),
    request(returned("t1")),
]


def build(steps: list[Step]) -> list[Message]:
    """What stands between two responses is one request."""
    messages: list[Message] = []
    parts: list[Message] = []
    for event in events_of(steps):
        if isinstance(event, Said) and event.who != "assistant":
            kind = f"{event.who}-prompt"
            picture = {"url": "https://x.example/a.png", "kind": "image-url"}
            content: Json = [event.text, picture] if event.image else event.text
            parts.append({"content": content, "part_kind": kind})
        elif isinstance(event, tuple):
            name, given = event
            outcome = "failed" if given.failed else "success"
            parts.append(returned(name, given.text, outcome=outcome))
        else:
            messages += [request(*parts)] if parts else []
            parts = []
            messages.append(response(*_thoughts(event.thought), *_said(event)))
    return [*messages, request(*parts)] if parts else messages


def _thoughts(thought: Thought) -> list[Message]:
    return {"": [], "plain": [PLAIN], "signed": [THINKING]}[thought]


def _said(event: Said | Batch) -> list[Message]:
    said = [text(event.text)] if event.text else []
    calls = [call(each) for each in event.results] if isinstance(event, Batch) else []
    return [*said, *calls]


@pytest.fixture(scope="session")
def validate() -> Validate:
    """A check of the types by Pydantic AI itself, where it is installed."""
    messages = installed("pydantic_ai.messages")
    if messages is None:
        return lambda _: None

    def check_types(document: Json) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = messages.ModelMessagesTypeAdapter.validate_json(json.dumps(document))
        assert [each.kind for each in loaded] == [each["kind"] for each in document]

    return check_types


# --- which documents these are ----------------------------------------------------------------


@pytest.mark.parametrize("document", [A1, {"messages": A1}, {"all_messages": A1, "output": 1}])
def test_a_history_is_known(document: Json) -> None:
    assert matches(document)
    assert not openai_chat.matches(document)
    assert not langchain.matches(document)


@pytest.mark.parametrize(
    "document",
    [
        *(None, 7, [], {}, [None], [{"kind": "request"}], [{"kind": "request", "parts": []}]),
        [{"kind": "request", "parts": [{"text": "a"}]}],
        [{"kind": ["request"], "parts": [{"part_kind": "text"}]}],
        [{"role": "user", "content": "a"}],
        [{"role": "user", "parts": [{"type": "text", "content": "a"}]}],
        [{"role": "user", "parts": [{"text": "a"}]}],
        [{"kind": "MessageEvent", "source": "user"}],
    ],
)
def test_nothing_else_is_taken_for_it(document: Json) -> None:
    assert not matches(document)


# --- reading ----------------------------------------------------------------------------------


def test_each_part_of_a_request_is_a_turn_and_a_response_is_one() -> None:
    transcript = parse(A1).transcript
    assert transcript.turn_ids() == (
        *("m0.p0", "m0.p1", "m1", "m2.p0", "m2.p1", "m2.p2", "m3", "m4", "m5", "m6"),
    )
    roles = "".join(turn.role.value[0] for turn in transcript)
    assert roles == "suattuauat"
    assert transcript.turn("m1").content == '[call run] { "x": 1}\n[call run] { "x": 1}'
    assert transcript.turn("m2.p1").tool_call_id == "m1"
    assert transcript.turn("m6").tool_call_id == "m5"


def test_the_instructions_of_the_newest_request_are_a_system_turn() -> None:
    """F4. Would catch: a system prompt that costs nothing."""
    document = [
        request(prompt("a"), instructions="old"),
        response(text("b")),
        request(prompt("c"), instructions="Be brief. " * 40),
    ]
    turn = parse(document).transcript.turns[0]
    assert (turn.turn_id, turn.role) == ("instructions", Role.SYSTEM)
    assert turn.token_estimate > 90


def test_retries_are_results_or_words_that_nobody_said() -> None:
    retry = {"content": "wrong", "part_kind": "retry-prompt", "tool_name": "run"}
    feedback = {"content": "no output", "part_kind": "retry-feedback", "retry": {"cause": "x"}}
    document = [
        request(prompt("a")),
        response(call("c1")),
        request({**retry, "tool_call_id": "c1"}),
        response(text("b")),
        request({"content": "wrong", "part_kind": "retry-prompt", "tool_name": None}),
        response(text("c")),
        request(feedback),
    ]
    transcript = parse(document).transcript
    assert transcript.turn("m2").metadata["turnfold.status"] == "error"
    assert transcript.turn("m2").tool_call_id == "m1"
    assert transcript.turn("m4").metadata["turnfold.kind"] == "injected"
    assert transcript.turn("m6").metadata["turnfold.kind"] == "injected"
    assert parse(document).damage == ()


def test_a_compaction_begins_the_live_history() -> None:
    part = {"content": "so far", "provider_name": "anthropic", "part_kind": "compaction"}
    document = [*A1, response(part), request(prompt("go on")), response(text("ok"))]
    assert parse(document).transcript.turn_ids() == ("m0.p0", "m7", "m8", "m9")
    assert parse(document).transcript.turn("m7").metadata["turnfold.kind"] == "summary"
    assert len(parse(document, scope="full").transcript) == 13
    session = parse(document)
    rendered: Any = render(Transcript(session.transcript.turns[:3]), session)
    assert rendered == [request(SYSTEM), document[7], document[8]]
    ours = [*A1, request({"content": "so far", "part_kind": "compaction"}), response(text("ok"))]
    turn = parse(ours).transcript.turn("m7")
    assert (turn.role, turn.metadata["turnfold.kind"]) == (Role.USER, "summary")


def test_a_hosted_call_waits_for_nothing() -> None:
    """A13."""
    hosted: Message = {"tool_name": "web_search", "args": "{}", "tool_call_id": "s1"}
    parts = [
        {**hosted, "part_kind": "builtin-tool-call"},
        {**hosted, "content": {"found": 1}, "part_kind": "builtin-tool-return"},
        text("b"),
    ]
    document = [request(prompt("a")), response(*parts), request(prompt("c"))]
    assert check(document) == []
    turn = parse(document).transcript.turn("m1")
    assert turn.content == '[call web_search] {}\n[builtin-tool-return]\n{"found": 1}\nb'
    assert turn.tool_call_id is None


@pytest.mark.parametrize("length", [10, 1_000_000])
def test_media_cost_the_same_whatever_their_payload(length: int) -> None:
    """F2."""
    media = {"data": "A" * length, "media_type": "image/png", "kind": "binary"}
    turn = parse([request(prompt([media]))]).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40
    part = {"content": {"data": "A" * length, "media_type": "image/png"}, "part_kind": "file"}
    turn = parse([request(prompt("a")), response(part)]).transcript.turn("m1")
    assert MEDIA_TOKENS < turn.token_estimate < 2 * MEDIA_TOKENS + 60


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("text", "messages[1]"),
        ({"kind": "other", "parts": []}, "messages[1]"),
        ({"kind": "request", "parts": {}}, "messages[1].parts"),
        (request(7), "messages[1].parts[0]"),  # type: ignore[arg-type]
        (response({"content": "x"}), "messages[1].parts[0]"),
        (response({"part_kind": "tool-call"}), "messages[1].parts[0].tool_call_id"),
        (request({"part_kind": "tool-return"}), "messages[1].parts[0].tool_call_id"),
    ],
)
def test_what_is_malformed_is_reported_with_its_path(message: Json, path: str) -> None:
    """R4."""
    document = [request(prompt("a")), message, request(prompt("b"))]
    session = parse(document)
    assert session.damage[0].place == path
    assert render(session.transcript, session) is document


@pytest.mark.parametrize("document", [[], {}, {"messages": []}, None, 7, ["x"]])
def test_a_document_without_messages_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)
    assert check(document) != []


# --- rendering --------------------------------------------------------------------------------


def test_the_parts_of_a_request_are_built_again_in_order() -> None:
    """A14. Would catch: a masked part that takes its neighbours with it, or their order."""
    whole = returned("t2", "y" * 900, metadata={"raw": "y" * 900})
    mixed = request(returned("t1", "short"), whole, prompt("Faster."), run_id="r", x=1)
    document = [request(SYSTEM, prompt("a")), response(call("t1"), call("t2")), mixed]
    document += [response(text("b")), request(prompt("c"))]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 190)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered[0] is document[0]
    assert rendered[1] is document[1]
    parts = rendered[2]["parts"]
    assert parts[0] is mixed["parts"][0]
    assert parts[2] is mixed["parts"][2]
    assert parts[1]["metadata"] is None
    assert {**parts[1], "content": whole["content"], "metadata": whole["metadata"]} == whole
    assert {**rendered[2], "parts": mixed["parts"]} == mixed
    assert check(rendered) == []


def test_a_request_loses_the_parts_that_are_gone() -> None:
    """A4."""
    session = parse(A1, pins=NO_PINS)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1, 5)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered[0]["parts"][0] is A1[0]["parts"][0]
    assert check(rendered) == []


def test_a_result_without_its_metadata_and_a_typed_one_stay_valid(validate: Validate) -> None:
    """D1."""
    typed = returned("t1", {"tools": ["y" * 900]}, tool_kind="tool-search")
    document = [request(prompt("a")), response(call("t1")), request(typed), response(text("b"))]
    document.append(request(prompt("c")))
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered[2]["parts"][0]["tool_kind"] is None
    validate(rendered)


def test_the_instructions_stay_where_the_newest_request_goes(validate: Validate) -> None:
    """Would catch: a system prompt that is lost with the request that it stood on."""
    last = request(prompt("y" * 900), instructions="Be brief.")
    document = [request(prompt("a")), response(text("b")), last, response(text("c"))]
    session = parse(document)
    turns = session.transcript.turns
    rendered: Any = render(Transcript((*turns[:2], turns[4])), session)
    assert [each.get("instructions") for each in rendered] == ["Be brief.", None]
    validate(rendered)
    assert "instructions" not in document[0]


SIGNED = [
    request(prompt("a")),
    response(THINKING, call("t1")),
    request(returned("t1", "y" * 900)),
    response(THINKING, text("b")),
    response(THINKING),
    response(PLAIN, text("c")),
    request(prompt("d")),
]


def test_signed_thinking_goes_behind_the_first_edit_and_plain_thinking_stays() -> None:
    """B1. Would catch: a signature that is bound to another conversation."""
    session = parse(SIGNED)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered[1] is SIGNED[1]
    assert rendered[3]["parts"] == [text("b")]
    assert rendered[4]["parts"][0]["part_kind"] == "text"
    assert rendered[5] is SIGNED[5]
    kept: Any = render(view, session, reasoning="keep")
    assert kept[3] is SIGNED[3]
    bare: Any = render(view, session, reasoning="strip_all")
    assert "thinking" not in json.dumps(bare)
    assert check(rendered) == check(bare) == []
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_the_ids_that_ask_for_a_reasoning_item_go_with_it() -> None:
    """B3."""
    item = {"content": "", "id": "rs_1", "signature": "e", "part_kind": "thinking"}
    mine = response(item, {**text("b"), "id": "msg_1"}, {**call("t2"), "id": "fc_1"})
    document = [request(prompt("a")), response(call("t1")), request(returned("t1", "y" * 900))]
    document += [mine, request(returned("t2")), response(text("c")), request(prompt("d"))]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(1), 200)
    assert view is not None
    rendered: Any = render(view, session)
    assert [part["id"] for part in rendered[3]["parts"]] == [None, None]
    assert rendered[3]["parts"][1]["tool_call_id"] == "t2"


def test_thinking_that_a_provider_wants_back_is_emptied_and_stays() -> None:
    """B5."""
    field = {**PLAIN, "id": "reasoning_content", "provider_name": "deepseek"}
    document = [request(prompt("a")), response(text("y" * 900)), response(field, call("c"))]
    session = parse([*document, request(returned("c")), response(text("b"))])
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    assert render(view, session)[1] is document[2]  # type: ignore[index]
    bare: Any = render(view, session, reasoning="strip_all")
    assert bare[1]["parts"] == [{**field, "content": ""}, call("c")]


def test_a_masked_response_keeps_its_calls_and_loses_its_thinking() -> None:
    """B1."""
    session = parse(SIGNED)
    turns = session.transcript.turns
    masked = dataclasses.replace(turns[1], content="gone")
    rendered: Any = render(Transcript((turns[0], masked, *turns[2:])), session)
    assert [part["part_kind"] for part in rendered[1]["parts"]] == ["text", "tool-call"]
    assert check(rendered) == []


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([response(call("t9"))], [response(call("t9"))]),
        (
            [response(call("A"), call("B")), request(returned("A"))],
            [response(call("A"), call("B")), request(returned("A"))],
        ),
        (
            [response(call("t9")), request(prompt("hello"))],
            [
                response(call("t9")),
                request(returned("t9", CLOSED_CALL, outcome="interrupted")),
                request(prompt("hello")),
            ],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], expected: list[Message], validate: Validate
) -> None:
    """A12."""
    opening = [request(prompt("a")), response(text("y" * 900)), request(prompt("b"))]
    session = parse([*opening, *tail])
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered == [opening[0], opening[2], *expected]
    validate(rendered)
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_reused_ids_pair_by_occurrence() -> None:
    """A7."""
    session = parse(A1, pins=NO_PINS)
    turns = session.transcript.turns
    rendered: Any = render(Transcript((turns[0], *turns[7:])), session)
    assert rendered == [request(SYSTEM), *A1[4:]]


def test_a_view_that_the_model_would_open_gets_a_bridge() -> None:
    session = parse([request(prompt("a")), response(text("b")), request(prompt("c"))], pins=NO_PINS)
    rendered: Any = render(Transcript(session.transcript.turns[1:]), session)
    assert rendered[0]["parts"][0]["content"] == BRIDGE
    assert check(rendered) == []


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    document = [request(prompt("Earlier.")), response(call("X"))]
    for index in range(40):
        document += [request(prompt(f"go {index}")), response(call(f"c{index}"))]
        document.append(request(returned(f"c{index}", "y" * 200)))
    session = parse(document)
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(render(view, session)) == []


@pytest.mark.parametrize("args", ["", "not json", "null", None, {"a": [1]}, "\ud800", "\x00" * 99])
def test_arguments_of_any_kind_stay_as_they_are(args: Json) -> None:
    """F6, G1."""
    mine = response(call("t9", args))
    document = [request(prompt("a")), response(text("y" * 900)), mine, request(returned("t9"))]
    session = parse([*document, request(prompt("b"))])
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    assert any(each is mine for each in render(view, session))


# --- the rules --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ([*A1[:2]], "unanswered_call"),
        ([*A1[:2], A1[3]], "unanswered_call"),
        ([*A1[:2], request(prompt("b"), returned("t1"), returned("t2"))], "unanswered_call"),
        ([*A1[:1], request(returned("t1"))], "orphan_result"),
        ([*A1[:3], request(returned("t1"))], "orphan_result"),
        ([A1[0], response(call("t"), call("t"))], "repeated_id"),
        ([response(text("a")), request(prompt("b"))], "first_role"),
        ([request(SYSTEM)], "only_system"),
        ([request(prompt(" "))], "empty_text"),
        ([request(prompt("a")), response(THINKING)], "empty_text"),
        ([7], "shape"),
    ],
)
def test_a_broken_rule_is_found(document: Json, rule: str) -> None:
    assert rule in {fault.rule for fault in check(document)}


# --- properties -------------------------------------------------------------------------------


@settings(max_examples=60)
@given(steps=valid())
def test_a_valid_history_breaks_no_rule_and_comes_back(steps: list[Step]) -> None:
    """R2."""
    document = build(steps)
    assert matches(document)
    assert check(document, pending_ok=True) == []
    assert parse(document).damage == ()
    check_untouched(pydantic_ai, document)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=40)
@given(steps=st.one_of(valid(), broken()), cut=cuts())
def test_any_history_at_any_budget_gives_what_the_providers_take(
    name: str, steps: list[Step], *, cut: tuple[int, int, Pins], validate: Validate
) -> None:
    """Would catch: a split batch, a result out of place, a call left open, a lost ledger."""
    check_compacted(pydantic_ai, build(steps), name, cut=cut, validate=validate)


@settings(max_examples=150)
@given(document=damaged(build))
def test_anything_is_read_or_refused(document: Json) -> None:
    """R4. Would catch: an error that is no `UnreadableTranscript`."""
    check_damaged(pydantic_ai, document)


def test_the_properties_are_about_something(validate: Validate) -> None:
    """Would catch: laws that hold because nothing was tried."""
    steps: list[Step] = [
        Said("user", "x" * 300, image=True),
        Batch("", {"call_0": Result("z" * 400), "call_1": Result("", failed=True)}, "signed"),
        Said("user", "ok"),
    ]
    document = build(steps)
    cut = (95, 1, Pins())
    found = check_compacted(pydantic_ai, document, "masking", cut=cut, validate=validate)
    assert found is not None
    assert found != document
