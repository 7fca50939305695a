"""Reading and rendering Anthropic messages."""

import copy
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import GenericAlias
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    Role,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, anthropic_messages, repaired, repairs
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats._rules.anthropic import check_anthropic
from turnfold.formats.anthropic_messages import matches, parse

Block = dict[str, Any]


def user(content: Json) -> Message:
    return {"role": "user", "content": content}


def said(content: Json) -> Message:
    return {"role": "assistant", "content": content}


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "run") -> Block:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {"b": 1, "a": 2}}


def result(call_id: str, content: Json = "y" * 60, **more: Json) -> Block:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def closed(call_id: str) -> Block:
    return result(call_id, CLOSED_CALL, is_error=True)


THOUGHTS = [
    {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
    {"type": "redacted_thinking", "data": "b3BhcXVl"},
]
A1 = {
    "model": "m",
    "system": "You look after ledgerline.",
    "messages": [
        user("Start the stub."),
        said([*THOUGHTS, call("t1")]),
        user([result("t1")]),
        said("It runs."),
        user("And the smoke test?"),
        said([text("Now."), call("t2"), call("t3")]),
        user([result("t2"), result("t3"), text("quickly")]),
    ],
}


def render(view: CompactedView | Transcript, session: Session) -> Json:
    return anthropic_messages.render(view, session)


@pytest.fixture(scope="session")
def validate() -> Callable[[Any], None]:
    """A check of the types by Anthropic's own package."""
    pydantic = pytest.importorskip("pydantic")
    types = pytest.importorskip("anthropic.types")
    adapter = pydantic.TypeAdapter(GenericAlias(list, (types.MessageParam,)))

    def check(rendered: Json) -> None:
        drain(adapter.validate_python(copy.deepcopy(messages_of(rendered))))

    return check


def drain(value: Json) -> None:
    """Nested iterators are validated when they are consumed, and not before."""
    if isinstance(value, dict):
        for each in value.values():
            drain(each)
    elif hasattr(value, "__iter__") and not isinstance(value, str | bytes):
        for each in value:
            drain(each)


def messages_of(rendered: Json) -> list[Any]:
    messages: list[Any] = rendered["messages"] if isinstance(rendered, dict) else rendered
    return messages


# --- the rules that a rendering is held against ---------------------------------------------

NOTE = {"role": "system", "content": "Be brief."}
EFFORT = {"role": "system", "content": [], "output_config": {"effort": "low"}}


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([user("a"), said([call("t")])], "unanswered_call"),
        ([user("a"), said([call("t")]), user("b")], "unanswered_call"),
        ([user("a"), said([call("t")]), user("b"), user([result("t")])], "unanswered_call"),
        ([user("a"), said([call("s"), call("t")]), user([result("s")])], "unanswered_call"),
        ([user([result("t")])], "orphan_result"),
        ([user("a"), said([call("t")]), user([result("t"), result("u")])], "orphan_result"),
        ([user("a"), said([call("t")]), user("b"), user([result("t")])], "orphan_result"),
        ([user("a"), said([call("t")]), user([result("t"), result("t")])], "repeated_result"),
        ([user("a"), said([call("t")]), user([text("b"), result("t")])], "result_order"),
        ([user("a"), said([call("t"), call("t")]), user([result("t")])], "repeated_id"),
        ([user("a"), said([call("t")]), said([result("t")])], "result_role"),
        ([user([call("t")]), user([result("t")])], "call_role"),
        ([user("a"), said([{"type": "server_tool_use", "id": "s"}]), user("b")], "unanswered_call"),
        ([user("a"), said([{"type": "web_search_tool_result"}])], "orphan_result"),
        ([said("a")], "first_role"),
        ([NOTE, said("a")], "system_after"),
        ([user("a"), said("b"), NOTE], "system_after"),
        ([user("a"), NOTE, user("b")], "system_before"),
        ([user("a"), said("b"), NOTE, EFFORT, user("c")], "system_after"),
        ([user("a"), {**EFFORT, "output_config": {}}], "empty_content"),
        ([user("a"), {**EFFORT, "output_config": {"effort": None}}], "empty_content"),
        ([user("")], "empty_text"),
        ([user([text(" ")])], "empty_text"),
        ([user("a"), said([call("t")]), user([result("t", [text("")])])], "empty_text"),
        ([user([])], "empty_content"),
        ([user(None)], "content_type"),
        ([], "only_system"),
        ([user("a"), {"role": "tool"}, 7], "role"),
    ],
)
def test_a_broken_rule_is_found(messages: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check_anthropic(messages)}


def test_whole_messages_break_no_rule_and_a_call_at_the_end_may_wait() -> None:
    assert check_anthropic(messages_of(A1)) == []
    waiting = [user("a"), said([call("s"), call("t")])]
    assert check_anthropic([*waiting, user([result("s")])], pending_ok=True) == []
    assert check_anthropic(waiting, pending_ok=True) == []
    assert check_anthropic([*waiting, user("b")], pending_ok=True) != []
    assert check_anthropic([*waiting, user([result("s"), text("b")])], pending_ok=True) != []


def test_a_system_message_that_only_sets_the_effort_may_be_empty_and_stand_anywhere() -> None:
    """Would catch: a refusal of what Claude Code sends at the beginning of a resumed session."""
    assert check_anthropic([user("a"), EFFORT, said("b"), user("c")]) == []
    assert check_anthropic([user("a"), said("b"), EFFORT, user("c")]) == []
    assert check_anthropic([user("a"), NOTE, EFFORT, said("b")]) == []


# --- reading -------------------------------------------------------------------------------


def test_results_are_turns_of_their_own_and_the_rest_of_the_message_follows_them() -> None:
    transcript = parse(A1).transcript
    assert transcript.turn_ids() == (
        "system",
        *("m0", "m1", "m2", "m3", "m4", "m5"),
        *("m6.b0", "m6.b1", "m6.text"),
    )
    assert transcript.turn("m1").content == '[call run] {"b": 1, "a": 2}'
    assert transcript.turn("m2").role is Role.TOOL
    assert transcript.turn("m2").tool_call_id == "m1"
    assert {transcript.turn(each).tool_call_id for each in ("m5", "m6.b0", "m6.b1")} == {"m5"}
    assert transcript.turn("m6.text").role is Role.USER
    assert transcript.turn("m6.text").tool_call_id is None


def test_a_failed_result_says_so() -> None:
    session = parse([user("a"), said([call("t")]), user([result("t", is_error=True)])])
    assert session.transcript.turn("m2").metadata["turnfold.status"] == "error"


def test_thinking_counts_and_is_no_content() -> None:
    plain, signed = (
        parse([user("x"), said([*thoughts, text("y")])]).transcript.turn("m1")
        for thoughts in ([], [{"type": "thinking", "thinking": "t" * 400, "signature": "s"}])
    )
    assert signed.content == plain.content == "y"
    assert signed.token_estimate > plain.token_estimate + 50


def test_server_tools_belong_to_the_assistant_turn() -> None:
    """A13."""
    document = load(
        next(each for each in fixture_files("anthropic_messages") if "server" in each.name)
    )
    turns = parse(document).transcript.turns
    assert turns[1].tool_call_id is None
    assert "[web_search_tool_result]" in turns[1].content
    assert "https://developer.acquirer.example/sandbox" in turns[1].content
    assert "RXFnQ0NpZ0" not in turns[1].content


def image(data: str) -> Block:
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source}


@pytest.mark.parametrize("length", [10_000, 5_000_000])
@pytest.mark.parametrize(
    "block",
    [
        image,
        lambda data: {"type": "image", "source": {"type": "url", "url": data[:99]}},
        lambda data: {**image(data), "type": "document"},
        lambda data: result("t", [image(data)]),
        lambda data: {"type": "unheard_of", "inner": [{"mime_type": "x", "data": data}]},
        lambda data: {"type": "image", "source": {"data": data.encode()}},
    ],
)
def test_media_cost_the_same_whatever_their_payload(
    block: Callable[[str], Block], length: int
) -> None:
    """F2."""
    turn = parse([user([block("A" * length)])]).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


@pytest.mark.parametrize(
    "block",
    [
        text("w" * 4_000),
        {"type": "toolResult", "content": "w" * 4_000},
        {"type": "document", "source": {"type": "text", "data": "w" * 4_000}},
        {"type": "document", "source": {"type": "content", "content": [text("w" * 4_000)]}},
        {"type": "search_result", "content": [text("w" * 4_000)]},
        {"type": "thinking", "thinking": "w" * 4_000, "signature": "s"},
        {"type": "thinking", "thinking": "", "signature": "w" * 4_000},
        {"type": "redacted_thinking", "data": "w" * 4_000},
        {"type": "server_tool_use", "id": "s", "name": "n", "input": {"q": "w" * 4_000}},
        {"type": "x_tool_result", "tool_use_id": "s", "content": {"a": ["w" * 4_000]}},
        {"type": "x_tool_result", "tool_use_id": "s", "content": [text("w" * 4_000)]},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s",
            "content": [{"type": "web_search_result", "encrypted_content": "w" * 4_000}],
        },
        {
            "type": "web_fetch_tool_result",
            "tool_use_id": "s",
            "content": {
                "type": "web_fetch_result",
                "content": {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "a word " * 600},
                },
            },
        },
        {"type": "unheard_of", "filename": "a.csv", "data": "city,rain\n" * 600},
        result("t", "w" * 4_000),
        result("t", [text("w" * 4_000)]),
    ],
)
def test_every_kind_of_block_counts(block: Block) -> None:
    """F3."""
    for message in (user([block]), said([block])):
        transcript = parse([user("a"), message]).transcript
        assert transcript.turns[1].token_estimate > 4_000 / 5
        assert "[data]" not in transcript.turns[1].content


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("text", "messages[1]"),
        ({"role": "tool", "content": "x"}, "messages[1].role"),
        ({"role": "user"}, "messages[1].content"),
        ({"role": "user", "content": 7}, "messages[1].content"),
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
    ("block", "path"),
    [
        ("bare", "messages[1].content[1]"),
        ({"text": "x"}, "messages[1].content[1]"),
        ({"type": "tool_result", "content": "x"}, "messages[1].content[1].tool_use_id"),
        (result("t", 7), "messages[1].content[1].content"),
        (result("t", [7]), "messages[1].content[1].content[0]"),
    ],
)
def test_a_malformed_block_is_reported_and_the_rest_is_read(block: Json, path: str) -> None:
    """R4."""
    session = parse([user("a"), user([text("words"), block])])
    assert session.damage[0].place == path
    assert any(turn.content.startswith("words") for turn in session.transcript)


@pytest.mark.parametrize("kind", [[[1]], {"a": 1}, 7, None])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_type_that_is_no_text_is_reported(kind: Any, role: str) -> None:  # noqa: ANN401
    """R4. Would catch: a look-up of a value that nothing can be looked up by."""
    blocks = [text("words"), {"type": kind, "text": "x"}]
    session = parse([user("a"), {"role": role, "content": blocks}])
    assert [each.place for each in session.damage] == ["messages[1].content[1]"]


@pytest.mark.parametrize("document", [[], {"messages": []}, {"system": "x"}, {"messages": "x"}])
def test_a_document_without_messages_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)


# --- rendering -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", fixture_files("anthropic_messages"), ids=lambda path: path.stem)
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
    name: str, pins: Pins, validate: Callable[[Any], None]
) -> None:
    """A1, A14, B1, C7."""
    session = parse(A1, pins=pins, estimator=eighth)
    seen = set()
    for view in sweep(session, POLICIES[name]):
        if not has_conversation(view):
            with pytest.raises(UnrenderableView):
                render(view, session)
            continue
        rendered = render(view, session)
        spelled = json.dumps(rendered)
        if spelled in seen:
            continue
        seen.add(spelled)
        assert check_anthropic(messages_of(rendered)) == [], spelled
        validate(rendered)
        assert isinstance(rendered, dict)
        assert rendered["system"] == A1["system"]
        if "thinking" in spelled:
            assert A1["messages"][1] in rendered["messages"]
    assert len(seen) > 1


@pytest.mark.parametrize("path", fixture_files("anthropic_messages"), ids=lambda path: path.stem)
@pytest.mark.parametrize("name", POLICIES)
def test_a_fixture_at_any_budget_is_taken_and_read_again(
    name: str, path: Path, validate: Callable[[Any], None]
) -> None:
    """A1, R2, L3."""
    document = load(path)
    known = {fault.message for fault in check_anthropic(messages_of(document), pending_ok=True)}
    session = parse(document)
    total = session.transcript.token_estimate()
    for tokens in range(1, total, max(1, total // 40)):
        view = compact(session, POLICIES[name], tokens)
        if view is None or view.transcript is session.transcript:
            continue
        rendered = render(view, session)
        faults = check_anthropic(messages_of(rendered), pending_ok=True)
        assert {fault.message for fault in faults} <= known
        validate(rendered)
        shown = repaired(view, session)
        again = parse(json.loads(json.dumps(rendered)), ledger=shown.ledger)
        assert again.ledger == shown.ledger
        assert again.transcript.turn_ids() == shown.transcript.turn_ids()


def without(document: Json, *turn_ids: str) -> tuple[Any, Any]:
    """Render a document without some turns."""
    session = parse(document, pins=NO_PINS)
    kept = tuple(turn for turn in session.transcript if turn.turn_id not in turn_ids)
    assert len(kept) == len(session.transcript) - len(turn_ids)
    return render(Transcript(kept), session), session


def test_kept_messages_are_the_same_objects_in_the_same_wrapper() -> None:
    """R1, B1."""
    before = copy.deepcopy(A1)
    rendered, _ = without(A1, "m3")
    assert list(rendered) == list(A1)
    expected = [each for number, each in enumerate(A1["messages"]) if number != 3]
    assert len(rendered["messages"]) == len(expected)
    assert all(a is b for a, b in zip(rendered["messages"], expected, strict=True))
    assert before == A1


def test_a_masked_result_keeps_its_keys_and_their_order() -> None:
    """D1, B1."""
    marked = {"content": "y" * 900, "cache_control": {"type": "ephemeral"}}
    block = {"is_error": True, **marked, "type": "tool_result", "tool_use_id": "t1"}
    message = {"x": 1, "role": "user", "content": [block, text("and rename it")]}
    document = [user("a"), said([*THOUGHTS, call("t1")]), message, said("b"), user("c")]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered = render(view, session)
    assert rendered[1] is document[1]
    assert list(rendered[2]) == ["x", "role", "content"]
    masked, kept = rendered[2]["content"]
    assert kept is message["content"][1]  # type: ignore[index]
    assert list(masked) == list(block)
    assert masked == {**block, "content": view.transcript.turn("m2.b0").content}
    assert "failed" in masked["content"]


@pytest.mark.parametrize("content", ["", [], [text("")], [text(" ")], None, "absent"])
def test_an_empty_result_stays_as_it_is(content: Json) -> None:
    """D1."""
    empty = result("t1", content)
    if content == "absent":
        del empty["content"]
    document = [
        user("a"),
        said([call("t1"), call("t2")]),
        user([empty, result("t2", "y" * 900)]),
        said("c"),
        user("d"),
    ]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    first, second = render(view, session)[2]["content"]
    assert first is empty
    assert second["content"].strip()


def test_a_view_that_begins_with_an_assistant_message_gets_a_bridge() -> None:
    rendered, _ = without(A1, "m0")
    assert rendered["messages"][0] == user(BRIDGE)
    assert check_anthropic(rendered["messages"]) == []
    again = parse(rendered)
    assert BRIDGE not in {turn.content for turn in again.transcript}
    rendered, _ = without(rendered, "m4")
    assert rendered["messages"][:2] == [user(BRIDGE), said([call("t1")])]


def test_a_summary_is_a_user_message_and_is_known_again() -> None:
    """X4, L3."""
    document = {**A1, "messages": [*A1["messages"], said("y" * 900), user("last")]}
    session = parse(document)
    view = compact(session, POLICIES["summarizing"], 150)
    assert view is not None
    rendered = render(view, session)
    written = [each for each in messages_of(rendered) if "conversation_summary" in str(each)]
    assert [each["role"] for each in written] == ["user"]
    for ledger in (None, view.ledger):
        again = parse(rendered, ledger=ledger)
        kinds = [turn.metadata.get("turnfold.kind") for turn in again.transcript]
        assert kinds.count("summary") == 1
    assert again.transcript.digest() == view.transcript.digest()


def test_an_orphan_is_left_out_and_listed() -> None:
    """A3, T7."""
    document = [user("x"), said([call("b")]), user([result("a"), result("b")]), said("c")]
    session = parse(document)
    assert render(session.transcript, session) is document
    cut = Transcript(session.transcript.turns[:-1])
    assert repairs(cut, session) == ("m2.b0",)
    assert render(cut, session) == [*document[:2], user([result("b")])]


@pytest.mark.parametrize("name", POLICIES)
def test_a_parallel_batch_is_never_split(name: str) -> None:
    """A4."""
    calls = said([call("A"), call("B"), call("C")])
    results = user([result("A"), result("B"), result("C")])
    session = parse([user("a"), calls, results, said("b")], pins=NO_PINS, estimator=eighth)
    for view in sweep(session, POLICIES[name]):
        batch = {"m1", "m2.b0", "m2.b1", "m2.b2"}
        assert len(batch & set(view.transcript.turn_ids())) in (0, 4)
        if has_conversation(view):
            assert check_anthropic(messages_of(render(view, session))) == []


def test_results_of_one_batch_in_several_messages_are_joined() -> None:
    """A4, A14."""
    document = [
        user("a"),
        said([call("A"), call("B")]),
        user([result("A"), text("hurry")]),
        user("please"),
        user([text("wait"), result("B")]),
        said("b"),
        user("c"),
    ]
    rendered, session = without(document, "m6")
    assert rendered == [
        *document[:2],
        user([result("A"), result("B"), text("hurry")]),
        user("please"),
        user([text("wait")]),
        said("b"),
    ]
    assert check_anthropic(rendered) == []
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1, 8)
    assert view is not None
    again = parse(render(view, session), ledger=view.ledger)
    assert again.transcript.digest() == view.transcript.digest()


def test_reused_ids_pair_by_occurrence() -> None:
    """A7."""
    rounds = [
        said([call("call_0")]),
        user([result("call_0", "one")]),
        said([call("call_0")]),
        user([result("call_0", "two")]),
    ]
    rendered, _ = without([user("a"), *rounds, said("b")], "m1", "m2")
    assert rendered == [user("a"), *rounds[2:], said("b")]
    orphaned = parse([user("a"), *rounds[:2], rounds[3]])
    assert orphaned.transcript.turn("m3").metadata["turnfold.damage"] == "orphan_result"
    assert orphaned.transcript.turn("m2").metadata.get("turnfold.damage") is None


def test_an_id_is_used_once_in_a_request() -> None:
    """A7. Would catch: uniqueness looked for within a message only."""
    first = [said([call("call_0")]), user([result("call_0", "one")])]
    rounds = [said([call("call_0")]), user([result("call_0", "two")])]
    (fault,) = check_anthropic([user("a"), *first, *rounds])
    assert (fault.place, fault.rule) == ("messages[3].content[0]", "repeated_id")
    assert fault.provider_error == "messages.3.content.0: `tool_use` ids must be unique"
    assert "messages[1].content[0]" in fault.message
    rendered, _ = without([user("a"), *first, *rounds, said("b")], "m1", "m2")
    assert check_anthropic(rendered) == []


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    document: list[Message] = [user("Earlier."), said([call("X")])]
    for index in range(40):
        document.append(user(f"go {index}"))
        document += [said([call(f"c{index}")]), user([result(f"c{index}", "y" * 200)])]
    session = parse(document)
    assert session.transcript.turn("m1").metadata["turnfold.status"] == "dead"
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check_anthropic(messages_of(render(view, session))) == []


def test_a_pending_call_is_kept_and_its_late_result_joins_it() -> None:
    """A10, L2."""
    chat = [each for index in range(10) for each in (user(f"u{index}"), said("y" * 80))]
    document = [user("a"), said([call("c1")]), *chat]
    session = parse(document)
    plan = DropOldestPolicy().decide(session.transcript, CompactionBudget(150, 1))
    late = parse([*document, user([result("c1", "yes")])])
    view = CompactionExecutor().apply(late.transcript, plan)
    rendered = render(view, late)
    assert rendered[:3] == [user("a"), document[1], user([result("c1", "yes")])]
    assert check_anthropic(messages_of(rendered)) == []


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([said([call("t9")])], [said([call("t9")])]),
        (
            [said([call("A"), call("B")]), user([result("A")])],
            [said([call("A"), call("B")]), user([result("A")])],
        ),
        (
            [said([call("t9")]), user("hello")],
            [said([call("t9")]), user([closed("t9")]), user("hello")],
        ),
        (
            [said([call("A"), call("B")]), user([result("B"), text("hello")])],
            [said([call("A"), call("B")]), user([result("B"), closed("A"), text("hello")])],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], expected: list[Message]
) -> None:
    """A12: closed as an error, never as a success, and never in place of a result."""
    document = [user("a"), said("y" * 900), user("b"), *tail]
    session = parse(document)
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered = render(view, session)
    assert rendered == [user("a"), user("b"), *expected]
    assert check_anthropic(messages_of(rendered), pending_ok=True) == []
    again = parse(rendered, ledger=view.ledger)
    assert again.ledger == view.ledger
    further = render(Transcript(again.transcript.turns[1:]), again)
    assert further == rendered[1:]


def test_a_text_beside_a_result_stays_when_its_call_goes() -> None:
    """A14."""
    message = user([result("t1"), text("also rename it")])
    document = [user("a"), said([call("t1")]), message, said("b")]
    rendered, _ = without(document, "m1", "m2.b0")
    assert rendered == [user("a"), user([text("also rename it")]), said("b")]
    rendered, _ = without(document, "m2.text")
    assert rendered == [*document[:2], user([result("t1")]), said("b")]


def test_a_system_message_in_the_list_stands_where_it_may() -> None:
    note = {"role": "system", "content": "Be brief."}
    document = [user("a"), said("b"), user("c"), note, said("d"), user("e"), said("f")]
    rendered, _ = without(document, "m2")
    assert rendered == [user("a"), said("b"), user(BRIDGE), note, said("d"), user("e"), said("f")]
    assert check_anthropic(rendered) == []
    rendered, _ = without(document, "m4")
    assert rendered == [user("a"), said("b"), user("c"), user("e"), note, said("f")]
    assert check_anthropic(rendered) == []
    rendered, _ = without(document, "m0", "m1", "m2")
    assert rendered == [user(BRIDGE), note, said("d"), user("e"), said("f")]


def test_the_view_keeps_more_than_system_messages() -> None:
    """C7."""
    session = parse(A1, pins=NO_PINS)
    with pytest.raises(UnrenderableView):
        render(Transcript(session.transcript.turns[:1]), session)


@pytest.mark.parametrize("name", POLICIES)
def test_the_last_and_the_first_user_message_stay(name: str) -> None:
    """C8."""
    document = [user("TASK"), said("y" * 90), user("LIVE"), said([call("c")]), user([result("c")])]
    session = parse(document, estimator=eighth)
    for view in sweep(session, POLICIES[name]):
        rendered = render(view, session)
        assert document[0] in rendered
        assert document[2] in rendered


def test_a_plan_holds_for_a_copy_that_went_through_json() -> None:
    """L4, L5."""
    session = parse(A1, pins=NO_PINS)
    plan = DropOldestPolicy().decide(session.transcript, CompactionBudget(80, 1))
    plan = CompactionPlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    copied = parse(json.loads(json.dumps(A1)), pins=NO_PINS)
    views = [CompactionExecutor().apply(each.transcript, plan) for each in (session, copied)]
    assert views[0].transcript == views[1].transcript
    assert render(views[0], session) == render(views[1], copied)


def test_equal_messages_stay_apart() -> None:
    """L5."""
    again = user("continue")
    document = [user("a"), said("y" * 500), again, said("b"), again, again]
    rendered, _ = without(document, "m1")
    assert rendered == [user("a"), again, said("b"), again, again]


def test_further_rounds_give_one_ledger_to_the_first_turns() -> None:
    """L2, L3."""
    messages: list[Message] = [user("start")]
    for index in range(30):
        results = user([result(f"c{index}", "y" * 300), text(f"go {index}")])
        messages += [said([call(f"c{index}")]), results]
    session = parse({"system": "s", "messages": messages})
    leaves = len(session.transcript)
    for _ in range(3):
        tokens = session.transcript.token_estimate() * 2 // 3
        view = compact(session, POLICIES["default_chain"], tokens, 4)
        assert view is not None
        rendered = render(view, session)
        assert check_anthropic(messages_of(rendered)) == []
        session = parse(json.loads(json.dumps(rendered)), ledger=view.ledger)
        assert session.transcript.digest() == view.transcript.digest()
        assert session.ledger == view.ledger
        assert len(view.ledger.leaf_ids) == leaves


def test_a_stranger_may_mask_an_assistant_turn_and_no_signed_thinking_stays() -> None:
    """B1, B2."""
    session = parse(A1)
    turns = list(session.transcript.turns)
    turn = turns[2]
    turns[2] = type(turn)(
        turn.turn_id, turn.role, "[gone]", 1, tool_call_id=turn.tool_call_id, metadata=turn.metadata
    )
    rendered = render(Transcript(tuple(turns)), session)
    assert messages_of(rendered)[1] == said([text("[gone]"), call("t1")])


# --- properties ----------------------------------------------------------------------------


def built(steps: list[Step], *, own_ids: bool = False) -> list[Message]:
    messages: list[Message] = []
    for number, (kind, value) in enumerate(steps):
        if kind == "system":
            if messages[-1]["role"] == "user":
                messages += [{"role": "system", "content": value}, said("yes")]
        elif kind == "batch":
            words, results, beside = value
            if own_ids:
                results = {f"{each}_{number}": out for each, out in results.items()}
            calls = [call(each) for each in results]
            messages.append(said([text(words), *calls] if words else calls))
            answers = [result(each, out) for each, out in results.items() if out is not None]
            content = [*answers, *([text(beside)] if beside is not None else [])]
            if content:
                messages.append(user(content))
        else:
            messages.append({"role": kind, "content": value})
    return messages


@pytest.mark.parametrize("name", POLICIES)
@given(
    messages=histories(built) | histories(partial(built, own_ids=True)),
    cut=cuts(),
    system=st.sampled_from([None, "Be brief.", [text("Be brief.")]]),
)
def test_any_history_at_any_budget_gives_what_the_provider_takes(
    name: str, messages: list[Message], cut: tuple[int, int, Pins], system: Json
) -> None:
    """Would catch: a split batch, a result out of place, a call left open, a lost ledger."""
    messages = with_long_inputs(messages) if name == "masking_inputs" else messages
    document: Json = messages if system is None else {"system": system, "messages": messages}
    before = copy.deepcopy(document)
    share, recent, pins = cut
    session = parse(document, pins=pins)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[name], tokens, recent)
    if view is None or view.transcript is session.transcript:
        return
    shown = repaired(view, session)
    if not has_conversation(shown):
        return
    rendered = render(view, session)
    had = {fault.rule for fault in check_anthropic(messages, pending_ok=True)}
    has = {fault.rule for fault in check_anthropic(messages_of(rendered), pending_ok=True)}
    assert has <= had & {"repeated_id"}
    assert document == before
    again = parse(rendered, ledger=shown.ledger, pins=pins)
    if not reuses_open_ids(session):
        assert again.transcript.digest() == shown.transcript.digest()
        assert again.ledger == shown.ledger


PAGE = "A long page. " * 60
HOSTED = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": PAGE}}
SERVED = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
PAUSED = [user("go"), said([HOSTED]), said([SERVED, text(PAGE)]), user("more")]
CODE = [
    user("go"),
    said([HOSTED, {"type": "tool_use", "id": "t", "name": "read", "input": {}}]),
    user([result("t", PAGE)]),
    said([SERVED, text(PAGE), {"type": "tool_use", "id": "u", "name": "read", "input": {}}]),
    user([result("u", PAGE)]),
    said("Done."),
    user("more"),
]


@pytest.mark.parametrize("messages", [PAUSED, CODE], ids=["paused", "code"])
def test_a_hosted_call_and_a_result_in_a_later_message_are_one_exchange(
    messages: list[Json],
) -> None:
    """A13. Would catch: a result that stays where its call is dropped, refused from then on."""
    assert check_anthropic(messages) == []
    session = parse(messages, pins=NO_PINS)
    size = session.transcript.token_estimate()
    begun = parse(messages[:2], pins=NO_PINS).transcript.turns[1]
    assert session.transcript.turn("m1").tool_call_id == begun.tool_call_id == "m1"
    cut = 0
    for limit in range(20, size, 20):
        for policy in ("drop_oldest", "default_chain"):
            view = compact(session, POLICIES[policy], limit, 0)
            if view is not None and has_conversation(view):
                cut += view.transcript != session.transcript
                assert check_anthropic(render(view, session)) == []
    assert cut
    assert [each.rule for each in check_anthropic([messages[0], messages[1], user("no")])][-1:] == [
        "unanswered_call"
    ]
