"""Reading and rendering samples and logs of Inspect AI."""

import dataclasses
import json
from pathlib import Path
from types import GenericAlias
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import corpus_root
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
    rendered_from,
    valid,
)
from tests.formats.json_histories import NO_PINS, POLICIES, Json, Message, compact, load
from turnfold import (
    CompactionBudget,
    CompactionExecutor,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Role,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import BudgetUnsatisfiable, InvalidConfiguration
from turnfold.formats import Pins, inspect_ai, repaired
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.inspect_ai import check, matches, parse, render

SIGNED = {"type": "reasoning", "reasoning": "I weigh it.", "signature": "sig=="}
PLAIN = {"type": "reasoning", "reasoning": "I weigh it."}
HASH = "0123456789abcdef0123456789abcdef"


def said(role: str, content: Json, **values: object) -> Message:
    return {"role": role, "content": content, **values}


def calling(*call_ids: str, content: Json = "", arguments: Json = None) -> Message:
    given = {"x": 1} if arguments is None else arguments
    calls = [{"id": each, "function": "run", "arguments": given} for each in call_ids]
    return said("assistant", content, source="generate", tool_calls=calls)


def result(call_id: str, content: Json = "y" * 60, **values: object) -> Message:
    return said("tool", content, tool_call_id=call_id, function="run", **values)


def sample(messages: list[Message], **values: object) -> Message:
    document: Message = {"id": 1, "epoch": 1, "input": "a", "target": "b", "messages": messages}
    return {**document, "events": [], "scores": {}, **values}


def log(*samples: Message) -> Message:
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": list(samples)}


A1 = [
    said("system", "You look after ledgerline."),
    said("user", "Start the stub.", id="first"),
    calling("t1"),
    result("t1"),
    said("assistant", "It runs."),
    said("user", "And the smoke test?"),
    calling("t2"),
    result("t2"),
]


def messages_of(steps: list[Step]) -> list[Message]:
    messages: list[Message] = []
    for event in events_of(steps):
        if isinstance(event, tuple):
            name, given = event
            error = {"type": "unknown", "message": "It broke."} if given.failed else None
            messages.append(result(name, given.text, error=error))
        elif isinstance(event, Batch):
            messages.append(calling(*event.results, content=_content(event.thought, event.text)))
        elif event.image:
            picture = {"type": "image", "image": f"attachment://{HASH}", "detail": "auto"}
            messages.append(said(event.who, [{"type": "text", "text": event.text}, picture]))
        else:
            messages.append(said(event.who, _content(event.thought, event.text)))
    return messages


def _content(thought: Thought, text: str) -> Json:
    if not thought:
        return text
    words = [{"type": "text", "text": text}] if text else []
    return [SIGNED if thought == "signed" else PLAIN, *words]


def build(steps: list[Step]) -> Message:
    return sample(messages_of(steps), attachments={HASH: "data:image/png;base64,AA"})


@pytest.fixture(scope="session")
def validate() -> Validate:
    """A check of the types by Inspect itself, where it is installed."""
    model, pydantic = installed("inspect_ai.model"), installed("pydantic")
    if model is None or pydantic is None:
        return lambda _: None
    adapter = pydantic.TypeAdapter(GenericAlias(list, (model.ChatMessage,)))

    def check_types(document: Json) -> None:
        loaded = adapter.validate_python(document["messages"])
        assert [each.role for each in loaded] == [each["role"] for each in document["messages"]]

    return check_types


# --- which documents these are ----------------------------------------------------------------


@pytest.mark.parametrize("document", [sample(A1), log(sample(A1)), log(sample(A1), sample(A1))])
def test_a_sample_and_a_log_are_known(document: Json) -> None:
    assert matches(document)


@pytest.mark.parametrize(
    "document",
    [
        *(None, 7, [], {}, [None], A1, {"messages": A1}, {"samples": [sample(A1)]}),
        {"eval": {}, "samples": [{"messages": A1}, 7]},
        {"epoch": 1, "messages": A1},
        {"epoch": 1, "messages": {}, "target": ""},
        {"trajectory_format": "mini-swe-agent-1.1", "messages": A1, "info": {}},
    ],
)
def test_nothing_else_is_taken_for_it(document: Json) -> None:
    assert not matches(document)


# --- reading ----------------------------------------------------------------------------------


def test_each_message_is_a_turn_with_its_calls_and_its_exchange() -> None:
    transcript = parse(sample(A1)).transcript
    assert transcript.turn_ids() == ("m0", "first", "m2", "m3", "m4", "m5", "m6", "m7")
    assert transcript.turn("m2").content == '[call run] {"x": 1}'
    assert transcript.turn("m3").tool_call_id == "m2"
    assert transcript.turn("m3").metadata["turnfold.tool_name"] == "run"


def test_a_log_of_several_samples_asks_which_one() -> None:
    """Would catch: the first sample taken for all of them."""
    other = [said("user", "other"), said("assistant", "y" * 900), said("user", "end")]
    document = log(sample(A1), {"id": 2}, sample(other))
    with pytest.raises(UnreadableTranscript, match=r"2 conversations.*conversation=0"):
        parse(document)
    assert parse(document, conversation=0).transcript.turn_ids()[1] == "first"
    session = parse(document, conversation=1)
    assert session.transcript.turns[0].content == "other"
    view = compact(session, DropOldestPolicy(), 40)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered["samples"][2]["messages"] == [other[0], other[2]]
    assert {**rendered["samples"][2], "messages": other} == document["samples"][2]
    assert rendered["samples"][:2] == document["samples"][:2]
    assert rendered["samples"][0] is document["samples"][0]
    with pytest.raises(UnreadableTranscript, match="2"):
        parse(document, conversation=2)
    with pytest.raises(InvalidConfiguration):
        parse(document, conversation=-1)
    assert parse(log(sample(A1))).transcript == parse(sample(A1), conversation=0).transcript


def test_an_attachment_is_read_and_its_reference_stays() -> None:
    """Would catch: a long output that counts as 45 characters, or one written out in full."""
    reference = f"attachment://{HASH}"
    tool = result("t1", reference)
    mine = calling("t1", arguments={"code": reference})
    messages = [said("user", "a"), mine, tool, said("assistant", "b" * 99), said("user", "c")]
    document = sample(messages, attachments={HASH: "long text " * 90})
    session = parse(document)
    assert session.transcript.turn("m1").content.count("long text") == 90
    assert session.transcript.turn("m2").content == "long text " * 90
    kept: Any = render(
        Transcript((*session.transcript.turns[:3], session.transcript.turns[4])), session
    )
    assert kept["messages"] == [*messages[:3], messages[4]]
    assert kept["messages"][2] is tool
    view = compact(session, ObservationMaskingPolicy(0), 400)
    assert view is not None
    masked: Any = render(view, session)
    assert masked["messages"][2]["content"].startswith("[tool result removed")
    assert {**masked["messages"][2], "content": reference} == tool
    assert parse(sample(messages)).transcript.turn("m2").content == reference


def test_the_words_of_an_error_are_what_the_model_reads() -> None:
    error = {"type": "timeout", "message": "It took too long."}
    messages = [said("user", "a"), calling("t1"), result("t1", "", error=error)]
    turn = parse(sample(messages)).transcript.turn("m2")
    assert turn.content == "It took too long."
    assert turn.metadata["turnfold.status"] == "error"


def test_a_masked_error_stays_an_error_and_loses_its_words() -> None:
    """D1. Would catch: the text that was masked, still there in the error."""
    error = {"type": "unknown", "message": "y" * 900}
    tool = result("t1", "y" * 900, error=error, id="r", metadata={"k": 1})
    document = sample([said("user", "a"), calling("t1"), tool, said("user", "c")])
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    masked = rendered_from(render(view, session))["messages"][2]
    assert masked["error"]["type"] == "unknown"
    assert "yyy" not in json.dumps(masked)
    assert {**masked, "content": tool["content"], "error": error} == tool
    assert parse(render(view, session), ledger=view.ledger).ledger == view.ledger


def test_a_summary_of_inspect_is_one() -> None:
    messages = [said("user", "so far", metadata={"summary": True}), said("user", "a")]
    turns = parse(sample(messages)).transcript.turns
    assert turns[0].metadata["turnfold.kind"] == "summary"


def test_a_hosted_call_waits_for_nothing_and_reasoning_is_no_content() -> None:
    """A13, F3."""
    hosted = {"type": "tool_use", "tool_type": "web_search", "id": "s1", "name": "search"}
    parts = [{**hosted, "arguments": "{}", "result": "found", "error": None}, PLAIN]
    document = sample([said("user", "a"), said("assistant", parts), said("user", "b")])
    turn = parse(document).transcript.turn("m1")
    assert turn.content == "[call search] {}\n[tool_result]\nfound"
    assert check(document) == []


@pytest.mark.parametrize("length", [10, 1_000_000])
@pytest.mark.parametrize("kind", ["image", "audio", "video", "document"])
def test_media_cost_the_same_whatever_their_payload(kind: str, length: int) -> None:
    """F2."""
    part = {"type": kind, kind: "data:image/png;base64," + "A" * length}
    turn = parse(sample([said("user", [part])])).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ("text", "messages[1]"),
        (said("narrator", "x"), "messages[1].role"),
        (said("user", 7), "messages[1].content"),
        (said("user", [7]), "messages[1].content[0]"),
        (said("tool", "x"), "messages[1].tool_call_id"),
        (said("assistant", "x", tool_calls={}), "messages[1].tool_calls"),
        (said("assistant", "x", tool_calls=[7]), "messages[1].tool_calls[0]"),
        (said("assistant", "x", tool_calls=[{}]), "messages[1].tool_calls[0].id"),
    ],
)
def test_what_is_malformed_is_reported_with_its_path(message: Json, path: str) -> None:
    """R4."""
    document = sample([said("user", "a"), message, said("user", "b")])
    session = parse(document)
    assert session.damage[0].place == path
    assert render(session.transcript, session) is document


@pytest.mark.parametrize("document", [[], {}, None, sample([]), log(), A1])
def test_a_document_without_a_sample_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)
    assert check(document) != []


# --- rendering --------------------------------------------------------------------------------

THOUGHTFUL = [
    said("user", "a"),
    calling("t1", content=[SIGNED]),
    result("t1", "y" * 900),
    said("assistant", [SIGNED, {"type": "text", "text": "b"}]),
    said("assistant", [SIGNED]),
    said("assistant", [PLAIN, {"type": "text", "text": "c"}]),
    said("user", "d"),
]


def test_signed_reasoning_goes_behind_the_first_edit_and_plain_reasoning_stays() -> None:
    """B1."""
    session = parse(sample(THOUGHTFUL))
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered: Any = render(view, session)
    written = rendered["messages"]
    assert written[1] is THOUGHTFUL[1]
    assert written[3]["content"] == [{"type": "text", "text": "b"}]
    assert written[4]["content"][0]["type"] == "text"
    assert written[5] is THOUGHTFUL[5]
    kept: Any = render(view, session, reasoning="keep")
    assert kept["messages"][3] is THOUGHTFUL[3]
    bare: Any = render(view, session, reasoning="strip_all")
    assert "reasoning" not in json.dumps([each["content"] for each in bare["messages"][:4]])
    assert check(rendered) == check(bare) == []
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_masked_call_keeps_its_calls_and_loses_its_reasoning() -> None:
    """B1."""
    session = parse(sample(THOUGHTFUL))
    turns = session.transcript.turns
    masked = dataclasses.replace(turns[1], content="gone")
    rendered: Any = render(Transcript((turns[0], masked, *turns[2:])), session)
    assert rendered["messages"][1]["content"] == "gone"
    assert rendered["messages"][1]["tool_calls"] == THOUGHTFUL[1]["tool_calls"]


CLOSED = {"error": {"type": "cancelled", "message": CLOSED_CALL}}


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([calling("t9")], [calling("t9")]),
        ([calling("A", "B"), result("A")], [calling("A", "B"), result("A")]),
        (
            [calling("t9"), said("user", "hello")],
            [calling("t9"), result("t9", CLOSED_CALL, **CLOSED), said("user", "hello")],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], expected: list[Message], validate: Validate
) -> None:
    """A12."""
    opening = [said("user", "a"), said("assistant", "y" * 900), said("user", "b")]
    session = parse(sample([*opening, *tail]))
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered["messages"] == [opening[0], opening[2], *expected]
    validate(rendered)
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_view_that_the_model_would_open_gets_a_bridge() -> None:
    session = parse(sample([said("user", "a"), said("assistant", "b")]), pins=NO_PINS)
    rendered: Any = render(Transcript(session.transcript.turns[1:]), session)
    assert rendered["messages"] == [said("user", BRIDGE), said("assistant", "b")]


def test_an_empty_result_stays_and_reused_ids_pair_by_occurrence() -> None:
    """A7, D1."""
    empty = result("t1", "")
    messages = [said("user", "a"), calling("t1"), empty, calling("t1"), result("t1", "y" * 900)]
    session = parse(sample([*messages, said("user", "c")]))
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert rendered["messages"][2] is empty
    assert check(rendered) == []


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    messages = [said("user", "Earlier."), calling("X")]
    for index in range(40):
        messages += [said("user", f"go {index}"), calling("c"), result("c", "y" * 200)]
    session = parse(sample(messages))
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(render(view, session)) == []


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        (A1[:3], "unanswered_call"),
        ([*A1[:3], said("user", "b"), result("t1")], "unanswered_call"),
        ([*A1[:4], result("t1")], "orphan_result"),
        ([said("user", "a"), calling("t", "t")], "repeated_id"),
        ([said("assistant", "a")], "first_role"),
        (A1[:1], "only_system"),
        ([said("user", [])], "empty_text"),
        ([7], "role"),
    ],
)
def test_a_broken_rule_is_found(messages: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check(sample(messages))}
    at = next(each for each in check(log(sample(A1), sample(messages))) if each.rule == rule)
    assert at.place.startswith(("samples[1].messages[", "messages"))


# --- properties -------------------------------------------------------------------------------


@settings(max_examples=60)
@given(steps=valid())
def test_a_valid_history_breaks_no_rule_and_comes_back(steps: list[Step]) -> None:
    """R2."""
    document = build(steps)
    assert matches(document)
    assert check(document, pending_ok=True) == []
    assert parse(document).damage == ()
    check_untouched(inspect_ai, document)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=40)
@given(steps=st.one_of(valid(), broken()), cut=cuts())
def test_any_history_at_any_budget_gives_what_the_providers_take(
    name: str, steps: list[Step], *, cut: tuple[int, int, Pins], validate: Validate
) -> None:
    """Would catch: a split batch, a result out of place, a call left open, a lost ledger."""
    check_compacted(inspect_ai, build(steps), name, cut=cut, validate=validate)


@settings(max_examples=150)
@given(document=damaged(build))
def test_anything_is_read_or_refused(document: Json) -> None:
    """R4. Would catch: an error that is no `UnreadableTranscript`."""
    check_damaged(inspect_ai, document)


def test_the_properties_are_about_something(validate: Validate) -> None:
    """Would catch: laws that hold because nothing was tried."""
    steps: list[Step] = [
        Said("user", "x" * 300, image=True),
        Batch("", {"call_0": Result("z" * 400), "call_1": Result("", failed=True)}, "signed"),
        Said("user", "ok"),
    ]
    document = build(steps)
    cut = (95, 1, Pins())
    found = check_compacted(inspect_ai, document, "masking", cut=cut, validate=validate)
    assert found is not None
    assert found != document


# --- recorded samples -------------------------------------------------------------------------


def recorded() -> list[tuple[Path, int]]:
    """The samples of the corpus: a file, and the number of a sample in it."""
    root = corpus_root()
    files = sorted(root.glob("inspect/*.json")) if root is not None else []
    return [(path, number) for path in files for number in range(len(load(path)["samples"]))]


@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize(("path", "number"), recorded(), ids=str)
def test_a_recorded_sample_comes_back(path: Path, number: int, scope: str) -> None:
    """R2."""
    document = load(path)
    assert matches(document)
    session = parse(document, scope=scope, conversation=number)
    assert session.damage == ()
    assert render(session.transcript, session) is document
    assert document == load(path)
    assert check(document) == []


@pytest.mark.parametrize("share", [50, 30, 15])
@pytest.mark.parametrize(("path", "number"), recorded(), ids=str)
def test_a_recorded_sample_is_compacted(
    path: Path, number: int, share: int, validate: Validate
) -> None:
    """A1."""
    session = parse(load(path), conversation=number)
    tokens = session.transcript.token_estimate() * share // 100
    try:
        plan = default_chain().decide(session.transcript, CompactionBudget(tokens, 2))
    except BudgetUnsatisfiable:
        return
    summaries = {each.group_id: "So far." for each in plan.summarization_requests}
    view = CompactionExecutor().apply(session.transcript, plan, summaries)
    rendered: Any = rendered_from(render(view, session))
    assert check(rendered) == []
    validate(rendered["samples"][number])
    shown = repaired(view, session)
    assert parse(rendered, conversation=number, ledger=shown.ledger).ledger == shown.ledger
    assert Role.USER in {turn.role for turn in view.transcript}
