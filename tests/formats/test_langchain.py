"""Reading and rendering LangChain messages in their serial forms."""

import dataclasses
import json
import warnings
from collections.abc import Callable
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
from tests.formats.json_histories import (
    NO_PINS,
    POLICIES,
    Json,
    Message,
    compact,
    eighth,
    has_conversation,
    sweep,
)
from turnfold import (
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Role,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, langchain, openai_chat
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.langchain import check, matches, parse, render
from turnfold.formats.langchain._forms import fields_of

THINKING = {"type": "thinking", "thinking": "I weigh it.", "signature": "sig=="}
CLASSES = {
    "human": "HumanMessage",
    "ai": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
    "remove": "RemoveMessage",
    "function": "FunctionMessage",
}


def dict_form(kind: str, **values: object) -> Message:
    return {"type": kind, "data": {**values, "type": kind}}


def constructor_form(kind: str, **values: object) -> Message:
    names = ["langchain", "schema", "messages", CLASSES[kind]]
    return {"lc": 1, "type": "constructor", "id": names, "kwargs": {**values, "type": kind}}


def flat_form(kind: str, **values: object) -> Message:
    return {**values, "type": kind}


FORMS = {"dict": dict_form, "constructor": constructor_form, "flat": flat_form}


def human(text: Json) -> Message:
    return dict_form("human", content=text)


def ai(text: Json, **values: object) -> Message:
    return dict_form("ai", content=text, **values)


def calling(*call_ids: str, content: Json = "", **values: object) -> Message:
    calls = [
        {"name": "run", "args": {"x": 1}, "id": each, "type": "tool_call"} for each in call_ids
    ]
    return ai(content, tool_calls=calls, **values)


def result(call_id: str, text: Json = "y" * 60, **values: object) -> Message:
    return dict_form("tool", content=text, tool_call_id=call_id, **values)


SYSTEM = dict_form("system", content="You look after ledgerline.")
A1 = [
    SYSTEM,
    human("Start the stub."),
    calling("t1"),
    result("t1"),
    ai("It runs."),
    human("And the smoke test?"),
    calling("t2"),
    result("t2"),
]


def values_of(message: Message) -> Message:
    values: Message = message["data"]
    return values


def build(form: str = "dict", *, wrapped: bool = False) -> Build:
    make = FORMS[form]

    def built(steps: list[Step]) -> Json:
        messages: list[Message] = []
        for event in events_of(steps):
            if isinstance(event, Said):
                messages.append(_said(event))
            elif isinstance(event, Batch):
                messages.append(_batch(event))
            else:
                name, given = event
                status = "error" if given.failed else "success"
                content = given.text
                messages.append(make("tool", content=content, tool_call_id=name, status=status))
        return {"messages": messages, "step": 3} if wrapped else messages

    def _said(said: Said) -> Message:
        if said.who != "assistant":
            picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
            blocks = [{"type": "text", "text": said.text}, picture]
            kind = "human" if said.who == "user" else "system"
            return make(kind, content=blocks if said.image else said.text)
        return make("ai", **_thinking(said.thought, said.text, []))

    def _batch(batch: Batch) -> Message:
        calls = [{"name": "run", "args": {}, "id": each} for each in batch.results]
        uses = [
            {"type": "tool_use", "id": each, "name": "run", "input": {}} for each in batch.results
        ]
        fields = _thinking(batch.thought, batch.text, uses)
        return make("ai", **fields, tool_calls=calls)

    def _thinking(thought: Thought, text: str, uses: list[Message]) -> dict[str, Any]:
        if thought == "signed":
            said = [{"type": "text", "text": text}] if text else []
            return {"content": [THINKING, *said, *uses]}
        extra = {"additional_kwargs": {"reasoning_content": "I weigh it."}} if thought else {}
        return {"content": text, **extra}

    return built


@pytest.fixture(scope="session")
def validate() -> Validate:
    """A check of the types by LangChain itself, where it is installed."""
    messages = installed("langchain_core.messages")
    loading = installed("langchain_core.load")
    if messages is None or loading is None:
        return lambda _: None

    def check_types(document: Json) -> None:
        listed = document["messages"] if isinstance(document, dict) else document
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if "lc" in listed[0]:
                loaded = loading.load(listed, allowed_objects="messages")
            elif "data" in listed[0]:
                loaded = messages.messages_from_dict(listed)
            else:
                loaded = messages.convert_to_messages(listed)
        assert all(isinstance(each, messages.BaseMessage) for each in loaded)
        fields = [fields_of(each) for each in listed]
        assert [each.type for each in loaded] == [each and each.kind for each in fields]

    return check_types


# --- which documents these are ----------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        A1,
        {"messages": A1},
        {"values": {"messages": A1}, "next": []},
        {"channel_values": {"messages": A1}},
        {"config": {}, "checkpoint": {"channel_values": {"messages": A1}}, "metadata": {}},
        {"run_type": "chain", "inputs": {"messages": A1[:2]}, "outputs": {"messages": A1}},
        {"run_type": "chain", "inputs": {"messages": A1}, "outputs": None},
        {"run_type": "llm", "inputs": {"messages": [A1]}, "outputs": {"generations": [[]]}},
        [constructor_form("human", content="a")],
        [{"content": "a", "type": "human", "additional_kwargs": {}, "response_metadata": {}}],
        [{"role": "human", "content": "a"}],
        [
            {"role": "user", "content": "a"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"name": "f", "args": {}, "id": "c"}],
            },
        ],
    ],
)
def test_each_serial_form_is_known(document: Json) -> None:
    assert matches(document)
    assert parse(document).transcript.turns[0].role in (Role.USER, Role.SYSTEM)


def test_the_messages_of_a_traced_prompt_are_written_where_they_stood() -> None:
    """R2. Would catch: a run of a model in which a list of prompts became a list of messages."""
    run = {"run_type": "llm", "inputs": {"messages": [A1, []]}, "outputs": {"generations": []}}
    session = parse(run)
    rendered: Any = render(Transcript(session.transcript.turns[1:2]), session)
    assert rendered == {**run, "inputs": {"messages": [[A1[1]], []]}}


@pytest.mark.parametrize(
    "document",
    [
        None,
        7,
        [],
        {},
        [None],
        [{"role": "user", "content": "a"}],
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]},
        [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}],
        [{"kind": "request", "parts": []}],
        [{"role": "user", "parts": [{"type": "text", "content": "a"}]}],
        {"conversations": [{"from": "human", "value": "a"}]},
        [{"type": "user", "message": {"role": "user", "content": "a"}}],
        [{"type": ["human"], "data": {"content": "a"}}],
        [{"lc": 1, "type": "constructor", "id": ["a", "ChatOpenAI"], "kwargs": {"content": "a"}}],
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
            }
        ],
    ],
)
def test_nothing_else_is_taken_for_it(document: Json) -> None:
    assert not matches(document)


def test_openai_chat_does_not_know_the_serial_forms() -> None:
    """Would catch: a document that two formats claim."""
    assert not openai_chat.matches(A1)


# --- reading ----------------------------------------------------------------------------------


def test_each_message_is_a_turn_with_its_calls_and_its_exchange() -> None:
    transcript = parse(A1).transcript
    assert transcript.turn_ids() == tuple(f"m{index}" for index in range(8))
    assert transcript.turn("m2").content == '[call run] {"x": 1}'
    assert transcript.turn("m3").tool_call_id == transcript.turn("m2").tool_call_id == "m2"
    assert transcript.turn("m3").metadata["turnfold.tool_name"] == "run"


def test_a_message_is_named_by_its_own_id() -> None:
    document = [dict_form("human", content="a", id="h-1"), ai("b", id=""), ai("c", id=7)]
    assert parse(document).transcript.turn_ids() == ("h-1", "m1", "m2")


def test_calls_that_stand_twice_count_once() -> None:
    """The trap of `tool_use` blocks. Would catch: a call that is listed, paired or closed twice."""
    use = {"type": "tool_use", "id": "c1", "name": "run", "input": {"x": 1}}
    raw = {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "run"}}]}
    message = calling(
        "c1", content=[{"type": "text", "text": "I look."}, use], additional_kwargs=raw
    )
    document = [human("a"), message, result("c1"), human("b")]
    turn = parse(document).transcript.turn("m1")
    assert turn.content == 'I look.\n[call run] {"x": 1}'
    assert json.loads(turn.metadata["turnfold.call_ids"]) == ["c1"]
    assert check(document) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"content": [{"type": "tool_use", "id": "c1", "name": "run", "input": {"x": 1}}]},
        {"content": [{"type": "function_call", "id": "fc", "call_id": "c1", "name": "run"}]},
        {"content": "", "additional_kwargs": {"tool_calls": [{"id": "c1", "function": {}}]}},
        {"content": "", "invalid_tool_calls": [{"id": "c1", "name": "run", "args": "{bad"}]},
    ],
)
def test_calls_that_stand_in_one_place_only_are_found(fields: dict[str, Any]) -> None:
    """A1. Would catch: a call whose result becomes an orphan."""
    session = parse([human("a"), dict_form("ai", **fields), result("c1"), human("b")])
    assert session.damage == ()
    assert session.transcript.turn("m2").tool_call_id == "m1"


def test_a_removed_message_is_not_live() -> None:
    document = [
        dict_form("human", content="a", id="h1"),
        dict_form("ai", content="b", id="a1"),
        dict_form("remove", content="", id="h1"),
        dict_form("human", content="c", id="h2"),
    ]
    assert parse(document).transcript.turn_ids() == ("a1", "h2")
    assert parse(document, scope="full").transcript.turn_ids() == ("h1", "a1", "h2")
    session = parse(document)
    rendered = render(Transcript(session.transcript.turns[1:]), session)
    assert rendered == [document[3]]
    everything = [document[0], dict_form("remove", content="", id="__remove_all__"), document[3]]
    assert parse(everything).transcript.turn_ids() == ("h2",)


def test_a_removal_is_no_message_without_content() -> None:
    """Would catch: a fault in every history that the framework's own summaries have shortened."""
    removal = dict_form("remove", content="", id="__remove_all__")
    assert check([human("a"), ai("b"), removal, human("a summary"), ai("c")]) == []


def test_reasoning_counts_and_is_no_content() -> None:
    for extra in (
        {"content": [{"type": "thinking", "thinking": "r" * 400, "signature": "s"}]},
        {"content": [{"type": "redacted_thinking", "data": "r" * 400}]},
        {"content": "", "additional_kwargs": {"reasoning_content": "r" * 400}},
    ):
        turn = parse([human("x"), dict_form("ai", **extra)]).transcript.turn("m1")
        assert turn.content == ""
        assert turn.token_estimate > 90


@pytest.mark.parametrize("length", [10, 1_000_000])
@pytest.mark.parametrize(
    "block",
    [
        lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        lambda data: {"type": "image", "base64": data, "mime_type": "image/png"},
        lambda data: {"type": "file", "base64": data, "mime_type": "application/pdf"},
        lambda data: {"type": "document", "source": {"type": "base64", "data": data}},
        lambda data: {"type": "media", "mime_type": "image/png", "data": data},
    ],
)
def test_media_cost_the_same_whatever_their_payload(
    block: Callable[[str], Message], length: int
) -> None:
    """F2."""
    turn = parse([human([block("A" * length)])]).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


def test_arguments_and_unknown_blocks_count_and_an_artifact_does_not() -> None:
    """F3."""
    call = ai("", tool_calls=[{"name": "f", "args": {"a": "w" * 4_000}, "id": "c"}])
    unknown = human([{"type": "unheard_of", "payload": "w" * 4_000}])
    session = parse([unknown, call, result("c", "ok", artifact={"whole": "w" * 4_000})])
    sizes = [turn.token_estimate for turn in session.transcript]
    assert sizes[0] > 800
    assert sizes[1] > 800
    assert sizes[2] < 50


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("text", "messages[1]"),
        ({"type": "narrator", "data": {"content": "x"}}, "messages[1]"),
        (dict_form("human", content=7), "messages[1].content"),
        (human([7]), "messages[1].content[0]"),
        (dict_form("tool", content="x"), "messages[1].tool_call_id"),
        (dict_form("ai", content="x", tool_calls={"a": 1}), "messages[1].tool_calls"),
        (dict_form("ai", content="x", tool_calls=["c"]), "messages[1].tool_calls"),
    ],
)
def test_what_is_malformed_is_reported_with_its_path(message: Json, path: str) -> None:
    """R4."""
    document = [human("a"), message, human("b")]
    session = parse(document)
    assert session.damage[0].place == path
    assert render(session.transcript, session) is document


@pytest.mark.parametrize("document", [[], {}, {"messages": []}, None, 7, ["x"], {"messages": [7]}])
def test_a_document_without_messages_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)
    assert check(document) != []


# --- rendering --------------------------------------------------------------------------------


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("name", POLICIES)
def test_every_cut_and_every_budget_gives_what_the_providers_take(
    name: str, pins: Pins, validate: Validate
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
        if (spelled := json.dumps(rendered)) not in seen:
            seen.add(spelled)
            assert check(rendered) == [], spelled
            validate(rendered)
    assert len(seen) > 1


def test_a_masked_result_keeps_its_ids_and_status_and_loses_its_artifact() -> None:
    """D1. Would catch: the text that was masked, still there beside the content."""
    tool = result("t1", "y" * 900, status="error", artifact={"raw": "y" * 900}, name="run", id="r")
    document = [human("a"), calling("t1"), tool, ai("b"), human("c")]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    masked = values_of(render(view, session)[2])  # type: ignore[index]
    before = values_of(tool)
    assert list(masked) == list(before)
    assert masked["artifact"] is None
    assert {**masked, "content": before["content"], "artifact": before["artifact"]} == before


def test_a_masked_call_keeps_both_of_its_spellings() -> None:
    """The trap of `tool_use` blocks, B1. Would catch: one edited and the other not."""
    use = {"type": "tool_use", "id": "t1", "name": "run", "input": {"x": 1}}
    message = calling("t1", content=[THINKING, {"type": "text", "text": "w" * 90}, use])
    session = parse([human("a"), message, result("t1"), human("b")])
    turns = session.transcript.turns
    shorter = dataclasses.replace(turns[1], content="gone")
    rendered: Any = render(Transcript((turns[0], shorter, *turns[2:])), session)
    assert values_of(rendered[1])["content"] == [{"type": "text", "text": "gone"}, use]
    assert values_of(rendered[1])["tool_calls"] == values_of(message)["tool_calls"]
    assert check(rendered) == []


@pytest.mark.parametrize("content", ["", [], [{"type": "text", "text": ""}], None])
def test_an_empty_result_stays_as_it_is(content: Json) -> None:
    """D1."""
    empty = result("t1", content)
    document = [
        human("a"),
        calling("t1"),
        empty,
        calling("t2"),
        result("t2", "y" * 900),
        human("c"),
    ]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    assert render(view, session)[2] is empty  # type: ignore[index]


SIGNED = [
    human("a"),
    calling("t1", content=[THINKING]),
    result("t1", "y" * 900),
    ai([THINKING, {"type": "text", "text": "b"}]),
    ai([THINKING]),
    ai("c", additional_kwargs={"reasoning_content": "plain"}),
    human("d"),
]


def test_signed_thinking_goes_behind_the_first_edit_and_plain_reasoning_stays() -> None:
    """B1, B5. Would catch: a signature that is bound to another conversation."""
    session = parse(SIGNED)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered[1] is SIGNED[1]
    assert values_of(rendered[3])["content"] == [{"type": "text", "text": "b"}]
    assert values_of(rendered[4])["content"][0]["type"] == "text"
    assert rendered[5] is SIGNED[5]
    kept: Any = render(view, session, reasoning="keep")
    assert kept[3] is SIGNED[3]
    bare: Any = render(view, session, reasoning="strip_all")
    assert "thinking" not in json.dumps(bare)
    assert values_of(bare[5])["additional_kwargs"] == {"reasoning_content": ""}
    assert check(rendered) == check(bare) == []
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_the_ids_that_ask_for_a_reasoning_item_go_with_it() -> None:
    """B3. Would catch: 'function_call was provided without its required reasoning item'."""
    blocks = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
        {"type": "text", "text": "b", "id": "msg_1"},
        {"type": "function_call", "id": "fc_1", "call_id": "t2", "name": "run", "arguments": "{}"},
    ]
    extra = {"__openai_function_call_ids__": {"t2": "fc_1"}, "x": 1}
    message = calling("t2", content=blocks, additional_kwargs=extra)
    document = [
        human("a"),
        calling("t1"),
        result("t1", "y" * 900),
        message,
        result("t2"),
        ai("c"),
        human("b"),
    ]
    session = parse(document)
    assert session.transcript.turn("m3").content == 'b\n[call run] {"x": 1}'
    view = compact(session, ObservationMaskingPolicy(1), 180)
    assert view is not None
    rendered: Any = render(view, session)
    written = values_of(rendered[3])
    assert [sorted(each) for each in written["content"]] == [
        ["text", "type"],
        ["arguments", "call_id", "name", "type"],
    ]
    assert written["additional_kwargs"] == {"x": 1}
    assert render(view, session, reasoning="keep")[3] is message  # type: ignore[index]


def test_a_standard_call_block_no_longer_asks_for_its_reasoning_item() -> None:
    """B3. Would catch: the item's id of output_version "v1", which stands in the extras."""
    extras = {"item_id": "fc_1", "status": "completed"}
    blocks = [
        {"type": "reasoning", "id": "rs_1", "extras": {"encrypted_content": "e"}},
        {"type": "tool_call", "id": "t2", "name": "run", "args": {}, "extras": extras},
    ]
    document = [human("a"), ai("y" * 900), human("b"), calling("t2", content=blocks), result("t2")]
    document += [ai("c"), human("d")]
    session = parse(document)
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    written = next(each for each in rendered if values_of(each).get("tool_calls"))
    assert [each.get("extras") for each in values_of(written)["content"]] == [
        {"status": "completed"}
    ]


def test_a_standard_block_of_plain_reasoning_stays() -> None:
    """B5. Would catch: a name that the framework made, taken for a provider's item."""
    plain = ai(
        [{"type": "reasoning", "reasoning": "r", "id": "lc_1"}, {"type": "text", "text": "b"}]
    )
    signed = ai([{"type": "reasoning", "reasoning": "r", "extras": {"signature": "s"}}, "b"])
    document = [human("a"), ai("y" * 900), plain, signed, human("c")]
    session = parse(document)
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered[1] is plain
    assert values_of(rendered[2])["content"] == ["b"]


def test_a_reasoning_item_alone_is_a_fault() -> None:
    """B3."""
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    assert {fault.rule for fault in check([human("a"), ai([item])])} == {"reasoning_alone"}


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([calling("t9")], [calling("t9")]),
        ([calling("A", "B"), result("A")], [calling("A", "B"), result("A")]),
        (
            [calling("t9"), human("hello")],
            [calling("t9"), result("t9", CLOSED_CALL, status="error"), human("hello")],
        ),
        (
            [calling("A", "B"), result("B"), human("hello")],
            [
                calling("A", "B"),
                result("B"),
                result("A", CLOSED_CALL, status="error"),
                human("hello"),
            ],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], expected: list[Message], validate: Validate
) -> None:
    """A12."""
    session = parse([human("a"), ai("y" * 900), human("b"), *tail])
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered == [human("a"), human("b"), *expected]
    validate(rendered)
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_reused_ids_pair_by_occurrence() -> None:
    """A7."""
    rounds = [calling("c"), result("c", "one"), calling("c"), result("c", "two")]
    session = parse([human("a"), *rounds, human("b")], pins=NO_PINS)
    turns = session.transcript.turns
    assert render(Transcript((turns[0], *turns[3:])), session) == [
        human("a"),
        *rounds[2:],
        human("b"),
    ]


def test_an_orphan_is_reported_and_left_out() -> None:
    """A3."""
    session = parse([human("a"), calling("b"), result("a"), result("b"), ai("y" * 900), human("z")])
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    assert check(render(view, session)) == []


def test_a_result_block_in_a_human_message_is_a_turn_of_its_own() -> None:
    """A14. Would catch: a result that stays with the words while its call goes."""
    use = {"type": "tool_use", "id": "t1", "name": "run", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "y" * 900, "is_error": True}
    mixed = human([answer, {"type": "text", "text": "also rename it"}])
    session = parse([human("a"), ai([use]), mixed, human("b")])
    assert session.transcript.turn_ids() == ("m0", "m1", "m2.b0", "m2.text", "m3")
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered: Any = render(view, session)
    blocks = values_of(rendered[2])["content"]
    assert {**blocks[0], "content": answer["content"]} == answer
    assert blocks[1] is values_of(mixed)["content"][1]
    view = compact(
        parse([human("a"), ai([use]), mixed, human("b")], pins=NO_PINS), DropOldestPolicy(), 40, 2
    )
    assert view is not None
    rest: Any = render(view, session)
    assert values_of(rest[0])["content"] == [{"type": "text", "text": "also rename it"}]
    assert check(rest) == []


def test_a_legacy_function_call_is_paired_and_closed_as_one(validate: Validate) -> None:
    call = ai("", additional_kwargs={"function_call": {"name": "f", "arguments": "1"}})
    answer = dict_form("function", name="f", content="y" * 400)
    document = [human("a"), call, answer, call, human("b"), call, answer, human("c")]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 200)
    assert view is not None
    rendered: Any = render(view, session)
    assert check(rendered) == []
    assert dict_form("function", content=CLOSED_CALL, name="f") in rendered
    validate(rendered)


def test_a_view_that_the_model_would_open_gets_a_bridge_and_a_greeting_does_not() -> None:
    """Would catch: a history that Anthropic and Gemini refuse, and a bridge over nothing."""
    session = parse([human("a"), ai("y" * 900), ai("b"), human("c")], pins=NO_PINS)
    view = compact(session, DropOldestPolicy(), 40, 2)
    assert view is not None
    assert render(view, session) == [human(BRIDGE), ai("b"), human("c")]
    greeted = parse([ai("Hello."), human("a"), ai("y" * 900), human("c")])
    view = compact(greeted, DropOldestPolicy(), 40, 1)
    assert view is None or BRIDGE not in json.dumps(render(view, greeted))
    kept = Transcript((*greeted.transcript.turns[:2], greeted.transcript.turns[3]))
    assert render(kept, greeted) == [ai("Hello."), human("a"), human("c")]


def test_a_summary_is_a_human_message_behind_the_system_prompt() -> None:
    """C6, C10."""
    session = parse([*A1, human("x" * 500), ai("y" * 500), human("last")])
    view = compact(session, POLICIES["summarizing"], 120)
    assert view is not None
    rendered: Any = render(view, session)
    kinds = [each["type"] for each in rendered]
    assert kinds[0] == "system"
    assert "conversation_summary" in json.dumps(rendered)
    again = parse(rendered)
    assert sum(turn.metadata.get("turnfold.kind") == "summary" for turn in again.transcript) == 1
    assert rendered[-1] == human("last")


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    document: list[Message] = [human("Earlier."), calling("X")]
    for index in range(40):
        document += [human(f"go {index}"), calling(f"c{index}"), result(f"c{index}", "y" * 200)]
    session = parse(document)
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(render(view, session)) == []


def test_arguments_and_text_of_any_kind_stay_as_they_are() -> None:
    """F6, G1."""
    odd = ["<|endoftext|>", "\ud800", "\x00" * 99, "null", None, {"a": [1]}]
    calls = [{"name": "f", "args": each, "id": f"c{n}"} for n, each in enumerate(odd)]
    message = ai("", tool_calls=calls)
    results = [result(f"c{n}", str(each)) for n, each in enumerate(odd)]
    document = [human("a"), ai("y" * 900), message, *results, human("b")]
    session = parse(document)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    assert any(each is message for each in render(view, session))


# --- properties -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25)
@given(steps=valid())
def test_a_valid_history_breaks_no_rule_and_comes_back(form: str, steps: list[Step]) -> None:
    """R2."""
    document = build(form, wrapped=len(steps) % 2 == 0)(steps)
    assert matches(document)
    assert check(document, pending_ok=True) == []
    assert parse(document).damage == ()
    check_untouched(langchain, document)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=40)
@given(
    form=st.sampled_from(sorted(FORMS)),
    steps=st.one_of(valid(), broken()),
    cut=cuts(),
)
def test_any_history_at_any_budget_gives_what_the_providers_take(
    name: str, form: str, steps: list[Step], *, cut: tuple[int, int, Pins], validate: Validate
) -> None:
    """Would catch: a split batch, a result out of place, a call left open, a lost ledger."""
    check_compacted(langchain, build(form)(steps), name, cut=cut, validate=validate)


@settings(max_examples=150)
@given(document=st.one_of(damaged(build()), damaged(build("constructor")), damaged(build("flat"))))
def test_anything_is_read_or_refused(document: Json) -> None:
    """R4. Would catch: an error that is no `UnreadableTranscript`."""
    check_damaged(langchain, document)


def test_the_strategies_are_not_empty() -> None:
    """Would catch: laws that hold because nothing was tried."""
    steps: list[Step] = [
        Said("user", "x" * 300, image=True),
        Batch("", {"call_0": Result("z" * 400), "call_1": Result("", failed=True)}, "signed"),
        Said("assistant", "ok", "signed"),
        Said("user", "ok"),
    ]
    document = build()(steps)
    found = check_compacted(
        langchain, document, "masking", cut=(95, 1, Pins()), validate=lambda _: None
    )
    assert found is not None
    assert found != document
