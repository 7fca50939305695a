"""Reading and rendering the messages of OpenTelemetry's GenAI conventions."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.framework_histories import (
    Batch,
    Build,
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
from turnfold.formats import Pins, langchain, otel_genai, pydantic_ai
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.detect import detect
from turnfold.formats.otel_genai import check, matches, parse, render

INPUT = "gen_ai.input.messages"
SYSTEM = "gen_ai.system_instructions"
PLAIN = {"type": "reasoning", "content": "I weigh it."}
SIGNED = {**PLAIN, "signature": "sig=="}


def message(role: str, *parts: Message) -> Message:
    return {"role": role, "parts": list(parts)}


def text(words: str) -> Message:
    return {"type": "text", "content": words}


def call(call_id: str | None, arguments: Json = None) -> Message:
    part = {"type": "tool_call", "id": call_id, "name": "run"}
    return {**part, "arguments": {"x": 1} if arguments is None else arguments}


def response(call_id: str | None, value: Json = "y" * 60) -> Message:
    return {"type": "tool_call_response", "id": call_id, "response": value}


def older(call_id: str, value: Json = "y" * 60) -> Message:
    return {"type": "tool_call_response", "id": call_id, "name": "run", "result": value}


A1 = [
    message("system", text("You look after ledgerline.")),
    message("user", text("Start the stub.")),
    message("assistant", call("t1"), call("t2")),
    message("tool", response("t1"), response("t2")),
    message("assistant", text("It runs.")),
    message("user", text("And the smoke test?")),
    message("assistant", call("t1")),
    message("tool", response("t1")),
]


def build(wrap: str = "list") -> Build:
    """Results of one batch are one message, as the conventions' examples have it."""

    def built(steps: list[Step]) -> Json:
        messages: list[Message] = []
        for event in events_of(steps):
            if isinstance(event, tuple):
                part = response(event[0], event[1].text)
                if messages[-1]["role"] == "tool":
                    messages[-1]["parts"].append(part)
                else:
                    messages.append(message("tool", part))
                continue
            words = [text(event.text)] if event.text else []
            calls = [call(each) for each in event.results] if isinstance(event, Batch) else []
            picture = [{"type": "blob", "modality": "image", "content": "AA"}]
            who = event.who if isinstance(event, Said) else "assistant"
            image = picture if isinstance(event, Said) and event.image else []
            messages.append(message(who, *_thoughts(event.thought), *words, *image, *calls))
        return wrapped(messages, wrap)

    return built


def wrapped(messages: list[Message], wrap: str) -> Json:
    system = [text("Be honest.")]
    if wrap == "span":
        return {"name": "chat", "attributes": {SYSTEM: system, INPUT: messages, "x": 1}}
    if wrap == "text":
        return {SYSTEM: json.dumps(system), INPUT: json.dumps(messages), "x": 1}
    return messages


def _thoughts(thought: Thought) -> list[Message]:
    return {"": [], "plain": [PLAIN], "signed": [SIGNED]}[thought]


def messages_in(document: Json) -> list[Message]:
    if isinstance(document, dict):
        found = document.get("attributes", document)[INPUT]
        document = json.loads(found) if isinstance(found, str) else found
    messages: list[Message] = document
    return messages


PARTS = {
    "text": ("content",),
    "reasoning": ("content",),
    "tool_call": ("name",),
    "tool_call_response": ("response",),
    "blob": ("modality", "content"),
}
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["role", "parts"],
        "properties": {
            "role": {"enum": ["system", "user", "assistant", "tool"]},
            "parts": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "oneOf": [
                        {
                            "type": "object",
                            "required": ["type", *keys],
                            "properties": {
                                "type": {"const": kind},
                                "id": {"type": ["string", "null"]},
                            },
                        }
                        for kind, keys in PARTS.items()
                    ]
                },
            },
        },
    },
}
"""What the conventions require, without the part of any kind that they allow besides."""


@pytest.fixture(scope="session")
def validate() -> Validate:
    """A check against the JSON schema, where a validator is installed."""
    jsonschema = installed("jsonschema")
    if jsonschema is None:
        return lambda _: None
    validator = jsonschema.Draft202012Validator(SCHEMA)

    def check_types(document: Json) -> None:
        validator.validate(messages_in(document))

    return check_types


# --- which documents these are ----------------------------------------------------------------


@pytest.mark.parametrize("wrap", ["list", "span", "text"])
def test_messages_are_known_alone_and_as_an_attribute(wrap: str) -> None:
    document = wrapped(A1, wrap)
    assert matches(document)
    for other in (langchain, pydantic_ai):
        assert not other.matches(document)


@pytest.mark.parametrize(
    "document",
    [
        *(None, 7, [], {}, [None], {INPUT: []}, {INPUT: "no json"}, {"attributes": 7}),
        {"attributes": {INPUT: '[{"role": "user", "content": "a"}]'}},
        [{"role": "user", "content": "a"}],
        [{"role": "user", "parts": [{"text": "a"}]}],
        [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}],
        [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "a"}]}],
        [{"role": ["user"], "parts": [{"type": "text", "content": "a"}]}],
        [{"role": "user", "parts": [{"type": ["text"], "content": "a"}]}],
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "a"}]}],
    ],
)
def test_nothing_else_is_taken_for_it(document: Json) -> None:
    assert not matches(document)


# --- reading ----------------------------------------------------------------------------------


def test_each_message_is_a_turn_and_each_result_is_one() -> None:
    transcript = parse(A1).transcript
    assert transcript.turn_ids() == ("m0", "m1", "m2", "m3.p0", "m3.p1", "m4", "m5", "m6", "m7")
    assert "".join(turn.role.value[0] for turn in transcript) == "suattauat"
    assert transcript.turn("m2").content == '[call run] {"x": 1}\n[call run] {"x": 1}'
    assert transcript.turn("m3.p1").tool_call_id == "m2"
    assert transcript.turn("m7").metadata["turnfold.tool_name"] == "run"


@pytest.mark.parametrize(
    "instructions",
    [
        [text("Be honest.")],
        text("Be honest."),
        "Be honest.",
        json.dumps([text("Be honest.")]),
        ["Be honest."],
    ],
)
def test_the_system_instructions_are_the_first_turn(instructions: Json) -> None:
    """F4. Would catch: a system prompt that costs nothing."""
    document = {INPUT: A1[1:], SYSTEM: instructions}
    turn = parse(document).transcript.turns[0]
    assert (turn.turn_id, turn.role, turn.content) == ("system", Role.SYSTEM, "Be honest.")


def test_results_in_a_user_message_are_turns_beside_its_words() -> None:
    """A14."""
    mixed = message("user", older("t1", {"a": 1}), text("Faster."))
    document = [A1[1], message("assistant", call("t1")), mixed]
    transcript = parse(document).transcript
    assert transcript.turn_ids() == ("m0", "m1", "m2.p0", "m2.text")
    assert transcript.turn("m2.p0").content == '{"a": 1}'
    assert transcript.turn("m2.p0").tool_call_id == "m1"
    assert transcript.turn("m2.text").role is Role.USER


def test_a_hosted_call_waits_for_nothing() -> None:
    """A13."""
    mine = message("assistant", call("s1"), response("s1", {"found": 1}), text("b"))
    document = [A1[1], mine, message("user", text("c"))]
    assert check(document) == []
    assert parse(document).transcript.turn("m1").tool_call_id is None


def test_ids_may_be_missing() -> None:
    """A8."""
    document = [A1[1], message("assistant", call(None)), message("tool", response(None))]
    session = parse(document)
    assert session.damage == ()
    assert session.transcript.turn("m2").tool_call_id == "m1"
    assert check(document) == []


@pytest.mark.parametrize("length", [10, 1_000_000])
@pytest.mark.parametrize("kind", ["blob", "binary"])
def test_media_cost_the_same_whatever_their_payload(kind: str, length: int) -> None:
    """F2."""
    part = {"type": kind, "modality": "image", "content": "A" * length}
    turn = parse([message("user", part)]).transcript.turns[0]
    assert turn.content == "[image]" if kind == "blob" else turn.content.startswith("[")
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


def test_reasoning_arguments_and_unknown_parts_count() -> None:
    """F3."""
    for part in (
        {"type": "reasoning", "content": "w" * 4_000},
        call("c", {"content": "w" * 4_000}),
        {"type": "unheard_of", "payload": "w" * 4_000},
    ):
        turn = parse([A1[1], message("assistant", part)]).transcript.turn("m1")
        assert turn.token_estimate > 800


@pytest.mark.parametrize(
    ("broken_message", "path"),
    [
        ("text", "messages[1]"),
        ({"role": 7, "parts": []}, "messages[1]"),
        ({"role": "user", "parts": {}}, "messages[1]"),
        (message("user", {"content": "a"}), "messages[1].parts[0]"),
        (message("assistant", {"type": "tool_call", "id": 7}), "messages[1].parts[0].id"),
    ],
)
def test_what_is_malformed_is_reported_with_its_path(broken_message: Json, path: str) -> None:
    """R4."""
    document = [A1[1], broken_message, A1[5]]
    session = parse(document)
    assert session.damage[0].place == path
    assert render(session.transcript, session) is document


@pytest.mark.parametrize("document", [[], {}, None, 7, ["x"], {INPUT: []}, {INPUT: "["}])
def test_a_document_without_messages_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)
    assert check(document) != []


# --- rendering --------------------------------------------------------------------------------


def test_a_masked_result_keeps_its_id_and_the_key_of_its_schema() -> None:
    """D1. Would catch: a result that is there twice, once in each schema."""
    for make, key in ((response, "response"), (older, "result")):
        whole = make("t2", "y" * 900)
        document = [*A1[1:3], message("tool", make("t1", "short"), whole), A1[5]]
        session = parse(document)
        view = compact(session, ObservationMaskingPolicy(0), 190)
        assert view is not None
        rendered: Any = render(view, session)
        parts = rendered[2]["parts"]
        assert parts[0] is document[2]["parts"][0]
        assert parts[1][key].startswith("[tool result removed")
        assert {**parts[1], key: whole[key]} == whole
        assert check(rendered) == []


def test_the_attribute_is_written_as_what_it_was() -> None:
    for wrap in ("span", "text"):
        document = wrapped(A1, wrap)
        session = parse(document, pins=NO_PINS)
        view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() // 2)
        assert view is not None
        rendered: Any = render(view, session)
        before = document.get("attributes", document)
        after = rendered.get("attributes", rendered)
        assert list(before) == list(after)
        assert type(before[INPUT]) is type(after[INPUT])
        assert {**after, INPUT: before[INPUT]} == before
        assert len(messages_in(rendered)) < len(A1)


THOUGHTFUL = [
    message("user", text("a")),
    message("assistant", SIGNED, call("t1")),
    message("tool", response("t1", "y" * 900)),
    message("assistant", SIGNED, text("b")),
    message("assistant", SIGNED),
    message("assistant", PLAIN, text("c")),
    message("user", text("d")),
]


def test_signed_reasoning_goes_behind_the_first_edit_and_plain_reasoning_stays() -> None:
    """B1."""
    session = parse(THOUGHTFUL)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered[1] is THOUGHTFUL[1]
    assert rendered[3]["parts"] == [text("b")]
    assert rendered[4]["parts"][0]["type"] == "text"
    assert rendered[5] is THOUGHTFUL[5]
    kept: Any = render(view, session, reasoning="keep")
    assert kept[3] is THOUGHTFUL[3]
    bare: Any = render(view, session, reasoning="strip_all")
    assert "I weigh it" not in json.dumps(bare)
    assert check(rendered) == check(bare) == []
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_masked_call_keeps_its_calls_and_loses_its_reasoning() -> None:
    """B1."""
    session = parse(THOUGHTFUL)
    turns = session.transcript.turns
    masked = dataclasses.replace(turns[1], content="gone")
    rendered: Any = render(Transcript((turns[0], masked, *turns[2:])), session)
    assert rendered[1]["parts"] == [text("gone"), call("t1")]


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([message("assistant", call("t9"))], [message("assistant", call("t9"))]),
        (
            [message("assistant", call("A"), call("B")), message("tool", response("A"))],
            [message("assistant", call("A"), call("B")), message("tool", response("A"))],
        ),
        (
            [message("assistant", call("t9")), message("user", text("hello"))],
            [
                message("assistant", call("t9")),
                message("tool", response("t9", CLOSED_CALL)),
                message("user", text("hello")),
            ],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], expected: list[Message], validate: Validate
) -> None:
    """A12."""
    opening = [message("user", text("a")), message("assistant", text("y" * 900))]
    session = parse([*opening, message("user", text("b")), *tail])
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered == [opening[0], message("user", text("b")), *expected]
    validate(rendered)
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_view_that_the_model_would_open_gets_a_bridge() -> None:
    session = parse(A1[1:], pins=NO_PINS)
    rendered: Any = render(Transcript(session.transcript.turns[1:]), session)
    assert rendered[0] == message("user", text(BRIDGE))
    assert check(rendered) == []


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    document = [message("user", text("Earlier.")), message("assistant", call("X"))]
    for index in range(40):
        document += [message("user", text(f"go {index}")), message("assistant", call("c"))]
        document.append(message("tool", response("c", "y" * 200)))
    session = parse(document)
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(render(view, session)) == []


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (A1[:3], "unanswered_call"),
        ([*A1[:3], message("tool", response("t1"))], "unanswered_call"),
        ([*A1[:2], message("tool", response("t1"))], "orphan_result"),
        ([A1[1], message("assistant", call("t"), call("t"))], "repeated_id"),
        ([message("assistant", text("a"))], "first_role"),
        (A1[:1], "only_system"),
        ([message("user", text(""))], "empty_text"),
        ([message("user")], "empty_text"),
        ([7], "shape"),
    ],
)
def test_a_broken_rule_is_found(document: Json, rule: str) -> None:
    assert rule in {fault.rule for fault in check(document)}


# --- properties -------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", ["list", "span", "text"])
@settings(max_examples=25)
@given(steps=valid())
def test_a_valid_history_breaks_no_rule_and_comes_back(wrap: str, steps: list[Step]) -> None:
    """R2."""
    document = build(wrap)(steps)
    assert matches(document)
    assert check(document, pending_ok=True) == []
    assert parse(document).damage == ()
    check_untouched(otel_genai, document)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=40)
@given(
    wrap=st.sampled_from(["list", "span", "text"]),
    steps=st.one_of(valid(), broken()),
    cut=cuts(),
)
def test_any_history_at_any_budget_gives_what_the_providers_take(
    name: str, wrap: str, steps: list[Step], *, cut: tuple[int, int, Pins], validate: Validate
) -> None:
    """Would catch: a split batch, a result out of place, a call left open, a lost ledger."""
    check_compacted(otel_genai, build(wrap)(steps), name, cut=cut, validate=validate)


@settings(max_examples=150)
@given(document=st.one_of(damaged(build()), damaged(build("span")), damaged(build("text"))))
def test_anything_is_read_or_refused(document: Json) -> None:
    """R4. Would catch: an error that is no `UnreadableTranscript`."""
    check_damaged(otel_genai, document)


def test_the_properties_are_about_something(validate: Validate) -> None:
    """Would catch: laws that hold because nothing was tried."""
    steps: list[Step] = [
        Said("user", "x" * 300, image=True),
        Batch("", {"call_0": Result("z" * 400), "call_1": Result("", failed=True)}, "signed"),
        Said("user", "ok"),
    ]
    document = build()(steps)
    cut = (95, 1, Pins())
    found = check_compacted(otel_genai, document, "masking", cut=cut, validate=validate)
    assert found is not None
    assert found != document


def _answered(*, as_text: bool, answers: tuple[Message, ...]) -> dict[str, Any]:
    """Return a span: a request with a result in it, and what was answered."""
    asked = [
        message("user", text("What is there?")),
        message("assistant", call("c1")),
        message("tool", response("c1")),
    ]

    def spelled(messages: list[Message]) -> Json:
        return json.dumps(messages) if as_text else messages

    counts = {"gen_ai.usage.input_tokens": 90, "gen_ai.usage.output_tokens": 10}
    attributes = {
        "gen_ai.input.messages": spelled(asked),
        "gen_ai.output.messages": spelled(list(answers)),
        **counts,
    }
    return {"name": "chat", "attributes": attributes}


def _said(span: Json, key: str) -> Json:
    value = span["attributes"][f"gen_ai.{key}.messages"]
    return json.loads(value) if isinstance(value, str) else value


@pytest.mark.parametrize("as_text", [False, True])
def test_the_answer_is_the_last_turn_where_everything_is_read(as_text: bool) -> None:  # noqa: FBT001
    """Would catch: an answer that the model is said to have seen, or one among the input."""
    span = _answered(as_text=as_text, answers=(message("assistant", text("A file."), call("c2")),))
    live, session = parse(span), parse(span, scope="full")
    assert len(live.transcript) == 3
    assert live.usage is None
    assert session.transcript.turn_ids() == ("m0", "m1", "m2", "m3")
    assert session.transcript.turns[3].content.startswith("A file.")
    assert session.usage is not None
    assert (session.usage.context_tokens, session.usage.turn_id) == (100, "m3")
    assert render(session.transcript, session) is span
    written: Json = render(Transcript(session.transcript.turns[1:]), session)
    assert (
        written["attributes"]["gen_ai.output.messages"]
        == (span["attributes"]["gen_ai.output.messages"])
    )
    assert [each["role"] for each in _said(written, "input")] == ["user", "assistant", "tool"]
    assert isinstance(written["attributes"]["gen_ai.input.messages"], str) == as_text
    assert check(written) == []


@pytest.mark.parametrize("as_text", [False, True])
def test_a_changed_answer_is_written_and_a_dropped_one_is_gone(as_text: bool) -> None:  # noqa: FBT001
    span = _answered(
        as_text=as_text, answers=(message("assistant", text("A file, and much more.")),)
    )
    session = parse(span, scope="full")
    *asked, answer = session.transcript.turns
    masked = dataclasses.replace(answer, content="A file.")
    written = render(Transcript((*asked, masked)), session)
    assert _said(written, "output") == [message("assistant", text("A file."))]
    assert _said(written, "input") == _said(span, "input")
    dropped = render(Transcript(asked), session)
    assert _said(dropped, "output") == []
    assert _said(dropped, "input") == _said(span, "input")


@pytest.mark.parametrize(
    "answers",
    [
        (),
        (message("user", text("no answer")),),
        (message("assistant", text("one")), message("assistant", text("two"))),
        ({"role": "assistant"},),
    ],
)
def test_several_answers_or_none_that_is_one_stay_as_they_are(answers: tuple[Message, ...]) -> None:
    """Would catch: one of several choices in the conversation, or one that is lost."""
    span = _answered(as_text=False, answers=answers)
    session = parse(span, scope="full")
    assert session.transcript.turn_ids() == ("m0", "m1", "m2")
    assert session.usage is None
    written = render(Transcript(session.transcript.turns[1:]), session)
    assert _said(written, "output") == list(answers)


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("in_span", [True, False])
def test_a_span_of_a_run_of_pydantic_ai_is_read_with_its_answer(
    *, as_text: bool, in_span: bool
) -> None:
    """R2. Would catch: the one span with the whole conversation, and no format for it."""
    run = "pydantic_ai.all_messages"
    values: Json = {run: json.dumps(A1) if as_text else A1, SYSTEM: [text("Be brief.")]}
    values["gen_ai.output.messages"] = [message("assistant", text("It runs."))]
    document = {"name": "invoke_agent agent", "attributes": values} if in_span else values
    assert detect(document) == "otel-genai"
    assert check(document) == []
    for scope in ("live", "full"):
        session = parse(document, scope=scope)
        assert len(session.transcript) == len(parse(A1).transcript) + 1
        assert render(session.transcript, session) is document
        rendered: Json = render(Transcript(session.transcript.turns[:3]), session)
        written = rendered["attributes"] if in_span else rendered
        expected = A1[:2]
        assert written == {**values, run: json.dumps(expected) if as_text else expected}
