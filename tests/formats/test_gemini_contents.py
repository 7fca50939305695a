"""Reading and rendering Gemini contents."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from tests.formats.gemini_histories import (
    IMAGE,
    SIGNATURE,
    Object,
    call,
    contents,
    in_snake_case,
    model,
    response,
    user,
)
from tests.formats.json_histories import NO_PINS, POLICIES, compact, cuts, eighth, sweep
from tests.formats.session_laws import damaged, holds_at_a_cut, holds_on_damage, holds_over_rounds
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
from turnfold.formats import Pins, Session, gemini_contents, repairs
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.gemini_contents import check, matches, parse

Json = Any

STORY = [
    user("Start the stub."),
    model(call("run", "a", signed=True), call("read", "b")),
    user(response("run", "y" * 60, "a"), response("read", "z" * 60, "b")),
    model("It runs."),
    user("And the smoke test?"),
    model(call("run", "a", signed=True)),
    user(response("run", {"error": "y" * 60}, "a")),
    model("It fails."),
]


def render(view: CompactedView | Transcript, session: Session, **options: Any) -> Json:  # noqa: ANN401
    return gemini_contents.render(view, session, **options)


@pytest.fixture(scope="session")
def validate() -> Callable[[list[Any]], None]:
    """A check of the types by Google's own package."""
    types = pytest.importorskip("google.genai.types")

    def check_types(contents: list[Any]) -> None:
        for content in copy.deepcopy(contents):
            types.Content.model_validate(content)

    return check_types


# --- the rules that a rendering is held against ---------------------------------------------


@pytest.mark.parametrize(
    ("contents", "rule"),
    [
        ([user("a"), model(call("f"))], "unanswered_call"),
        ([user("a"), model(call("f")), user("b")], "unanswered_call"),
        ([user("a"), model(call("f"), call("g")), user(response("f", "x"))], "unanswered_call"),
        ([user("a"), user(response("f", "x"))], "response_order"),
        ([user("a"), model(call("f")), user(response("g", "x"))], "orphan_result"),
        ([user("a"), model(call("f", "1")), user(response("f", "x", "2"))], "orphan_result"),
        ([user("a"), model(call("f")), user(*[response("f", "x")] * 2)], "orphan_result"),
        ([user("a"), model("b"), model(call("f")), user(response("f", "x"))], "call_order"),
        ([model(call("f")), user(response("f", "x"))], "call_order"),
        ([user("a", call("f"))], "call_role"),
        ([user("a"), model(call("f")), model(response("f", "x"))], "response_role"),
        ([user("a"), model()], "empty_content"),
        ([{"role": "user", "parts": ["bare"]}], "part_type"),
        ([{"role": "assistant", "parts": [{"text": "a"}]}], "role"),
        ([], "no_content"),
        (
            [
                *(user("a"), model(call("f", signed=True)), user(response("f", "x"))),
                *(model(call("f")), user(response("f", "x"))),
            ],
            "missing_signature",
        ),
    ],
)
def test_a_broken_rule_is_found(contents: list[Json], rule: str) -> None:
    """Would catch: a rule that a fault slips through."""
    assert rule in {fault.rule for fault in check(contents)}


def test_whole_contents_break_no_rule() -> None:
    """Would catch: a check that finds faults in what the provider takes."""
    assert check(STORY) == []
    assert check({"contents": in_snake_case(STORY)}) == []
    open_calls = model(call("f", signed=True), call("g"))
    assert check([*STORY, user("c"), open_calls], pending_ok=True) == []
    unsigned = [user("a"), model(call("f")), user(response("f", "x")), model(call("f"))]
    assert check([*unsigned, user(response("f", "x"))]) == []
    older = [user("a"), model(call("f", signed=True)), user(response("f", "x")), user("b")]
    assert check([*older, model(call("f", signed=True)), user(response("f", "x"))]) == []


def test_a_fault_speaks_in_the_words_of_the_provider() -> None:
    """Would catch: words that a user cannot find again."""
    fault = check([user("a"), model(call("f"), call("g")), user(response("f", "x"))])[0]
    assert fault.place == "contents[1]"
    assert "is equal to the number of function call parts" in fault.provider_error


# --- reading -------------------------------------------------------------------------------


@pytest.mark.parametrize("spell", [lambda contents: contents, in_snake_case])
def test_each_content_is_turns(spell: Callable[[Json], Json]) -> None:
    """Would catch: a spelling of keys that is not read."""
    system = {"parts": [{"text": "You look after ledgerline."}]}
    key = "systemInstruction" if spell(STORY) is STORY else "system_instruction"
    session = parse({"contents": spell(STORY), key: system, "tools": []})
    turns = session.transcript
    ids = ["system", "m0", "m1", "m2.p0", "m2.p1", "m3", "m4", "m5", "m6", "m7"]
    assert list(turns.turn_ids()) == ids
    assert turns.turn("system").role is Role.SYSTEM
    assert turns.turn("m1").content == '[call run] {"n": 0}'.replace('{"n": 0}', "{}") + (
        "\n[call read] {}"
    )
    exchanges = {turns.turn(each).tool_call_id for each in ("m1", "m2.p0", "m2.p1")}
    assert len(exchanges) == 1
    assert turns.turn("m2.p1").content == "z" * 60
    assert turns.turn("m2.p1").metadata["turnfold.tool_name"] == "read"
    assert turns.turn("m6").metadata["turnfold.status"] == "error"
    assert turns.turn("m6").tool_call_id != turns.turn("m1").tool_call_id
    assert session.damage == ()


def test_keys_without_a_value_are_as_if_they_were_not_there() -> None:
    """Would catch: a dump of the SDK's models, in which the first key without a value counts."""
    empty = dict.fromkeys(("text", "inline_data", "file_data", "thought", "thought_signature"))
    made: Object = {**empty, "function_call": {"id": None, "name": "f", "args": {}}}
    answer = {**empty, "function_response": {"id": None, "name": "f", "response": {"output": "x"}}}
    seen = {**empty, "file_data": {"file_uri": "gs://a.png", "mime_type": "image/png"}}
    session = parse([user(seen), model(made), user(answer), model("b")])
    contents = [turn.content for turn in session.transcript]
    assert contents == ["[image gs://a.png]", "[call f] {}", "x", "b"]
    assert len({turn.tool_call_id for turn in session.transcript.turns[1:3]}) == 1
    assert session.damage == ()


def test_a_system_instruction_may_be_a_text_or_stand_in_the_configuration() -> None:
    """Would catch: an instruction that is lost, or that costs nothing."""
    for document in (
        {"contents": STORY, "system_instruction": "Be brief."},
        {"contents": STORY, "config": {"systemInstruction": ["Be brief."], "temperature": 0}},
    ):
        session = parse(document)
        assert session.transcript.turn("system").content == "Be brief."
        rest = Transcript(session.transcript.turns[3:])
        rendered = render(rest, session)
        assert isinstance(rendered, dict)
        assert "nstruction" not in json.dumps({**rendered, "contents": []})


def test_thoughts_and_signatures_count_and_are_no_content() -> None:
    """B4. Would catch: a signature that costs nothing."""
    plain = parse([user("x"), model("y")]).transcript.turn("m1")
    thought = {"text": "r" * 400, "thought": True}
    for part in (thought, {"text": "", "thoughtSignature": "s" * 400}):
        turn = parse([user("x"), model(part, "y")]).transcript.turn("m1")
        assert turn.content == plain.content == "y"
        assert turn.token_estimate > plain.token_estimate + 50


@pytest.mark.parametrize("length", [10_000, 5_000_000])
@pytest.mark.parametrize("key", ["inlineData", "inline_data", "fileData"])
def test_media_cost_the_same_whatever_their_payload(key: str, length: int) -> None:
    """F2."""
    turn = parse([user({key: {"mimeType": "image/png", "data": "A" * length}})]).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40
    assert turn.content == "[image]"
    shown = {**response("shot", "seen"), "x": 1}
    shown["functionResponse"]["parts"] = [{key: {"mimeType": "image/png", "data": "A" * length}}]
    turn = parse([user("a"), model(call("shot")), user(shown)]).transcript.turns[2]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40


def test_every_part_counts() -> None:
    """F3. Would catch: arguments, code or unknown parts that cost nothing."""
    for part in (
        call("write", text="w" * 4_000),
        {"executableCode": {"language": "PYTHON", "code": "w" * 4_000}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "w" * 4_000}},
        {"toolCall": {"args": "w" * 4_000}},
        {"unheardOf": "w" * 4_000},
    ):
        turn = parse([user("a"), model(part)]).transcript.turn("m1")
        assert turn.token_estimate > 4_000 / 5


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("text", "contents[1]"),
        ({"parts": "x", "role": "user"}, "contents[1].parts"),
        ({"parts": [], "role": "user"}, "contents[1].parts"),
        ({"parts": [{"text": "x"}], "role": "assistant"}, "contents[1].role"),
        ({"parts": [{"text": "x"}], "role": ["user"]}, "contents[1].role"),
    ],
)
def test_a_malformed_content_is_reported_and_is_no_turn(content: Json, place: str) -> None:
    """R4."""
    document = [user("a"), content, user("b")]
    session = parse(document)
    assert [damage.place for damage in session.damage] == [place]
    assert session.transcript.turn_ids() == ("m0", "m2")
    assert render(session.transcript, session) is document
    with pytest.raises(UnreadableTranscript, match=r"contents\[0\]"):
        parse([content])


@pytest.mark.parametrize("part", [7, None, {}, {"unheardOf": 1}])
def test_a_malformed_part_is_reported_and_the_rest_is_read(part: Json) -> None:
    """R4."""
    session = parse([user("a"), {"role": "user", "parts": [part, {"text": "rest"}]}])
    assert session.damage[0].place == "contents[1].parts[0]"
    assert session.transcript.turn("m1").content.endswith("rest")


@pytest.mark.parametrize("document", [[], {"contents": []}, {"contents": "x"}, {"messages": []}])
def test_a_document_without_contents_is_unreadable(document: Json) -> None:
    """Would catch: an empty session where there is none."""
    with pytest.raises(UnreadableTranscript):
        parse(document)


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "x"}],
        [{"role": "user", "parts": [{"type": "text", "content": "x"}]}],
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "x"}]}],
        [{"role": "assistant", "parts": [{"text": "x"}]}],
        {"contents": "x"},
        {"messages": [user("x")]},
        [[user("x")]],
        7,
        None,
    ],
)
def test_other_documents_are_not_taken_for_contents(document: Json) -> None:
    """Would catch: a detection that takes what another format reads."""
    assert not matches(document)
    assert matches([user("x")])
    assert matches({"contents": in_snake_case([model(call("f"))])})


# --- rendering -----------------------------------------------------------------------------


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("name", POLICIES)
def test_every_cut_and_every_budget_gives_what_the_provider_takes(name: str, pins: Pins) -> None:
    """A1, A4, C2, C7. Would catch: a history that opens with a call, a batch that is split."""
    session = parse(STORY, pins=pins, estimator=eighth)
    seen = set()
    for view in sweep(session, POLICIES[name]):
        if not view.transcript.turns:
            with pytest.raises(UnrenderableView):
                render(view, session)
            continue
        rendered = render(view, session)
        spelled = json.dumps(rendered)
        if spelled not in seen:
            seen.add(spelled)
            assert check(rendered) == [], spelled
    assert len(seen) > 1


def test_kept_contents_are_the_same_objects_in_the_same_wrapper() -> None:
    """R1, R2."""
    document = {"model": "m", "contents": [*STORY, user("last")], "tools": [], "seed": 1}
    session = parse(document)
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    assert isinstance(rendered, dict)
    assert list(rendered) == ["model", "contents", "tools", "seed"]
    originals = {id(content) for content in document["contents"]}  # type: ignore[attr-defined]
    assert all(id(content) in originals for content in rendered["contents"])


def test_a_masked_response_keeps_its_id_its_name_and_its_failure() -> None:
    """D1. Would catch: media of a masked response that stay, an error that becomes a success."""
    seen = response("shot", {"image": "y" * 900}, "a")
    seen["functionResponse"] |= {"parts": [IMAGE], "scheduling": "SILENT"}
    failed = response("run", {"error": "y" * 900}, "b")
    document = [
        user("a"),
        model(call("shot", "a"), call("run", "b")),
        user(seen, failed),
        user("c"),
    ]
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    first, second = (each["functionResponse"] for each in render(view, session)[2]["parts"])
    stub = view.transcript.turn("m2.p0").content
    named = {"id": "a", "name": "shot", "scheduling": "SILENT"}
    assert first == {**named, "response": {"output": stub}}
    assert second["response"] == {"error": view.transcript.turn("m2.p1").content}
    again = parse(render(view, session), ledger=view.ledger)
    assert again.transcript.turn("m2.p1").metadata["turnfold.status"] == "error"
    assert again.ledger == view.ledger


@pytest.mark.parametrize("body", [{}, {"output": ""}, {"output": None}, None])
def test_an_empty_response_stays_as_it_is(body: Json) -> None:
    """D1."""
    empty = user({"functionResponse": {"name": "f", "response": body}})
    document = [
        user("a"),
        model(call("f")),
        empty,
        model(call("f")),
        user(response("f", "y" * 900)),
    ]
    session = parse([*document, user("c")])
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    assert render(view, session)[2] is empty


def test_a_summary_is_a_users_content_and_is_known_again() -> None:
    """C6, C10, X4, L3."""
    session = parse([*STORY, user("x" * 500), model("y" * 500), user("last")])
    view = compact(session, POLICIES["summarizing"], 120)
    assert view is not None
    rendered = render(view, session)
    written = [each for each in rendered if "conversation_summary" in str(each)]
    assert [each["role"] for each in written] == ["user"]
    assert rendered[-1] == user("last")
    for ledger in (None, view.ledger):
        again = parse(rendered, ledger=ledger)
        kinds = [turn.metadata.get("turnfold.kind") for turn in again.transcript]
        assert kinds.count("summary") == 1


def test_an_orphan_is_left_out_and_listed() -> None:
    """A3, T7."""
    document = [model(call("f", "b")), user(response("g", "x", "a"), response("f", "y", "b"))]
    document += [user("x"), model("y" * 400), user("z")]
    session = parse(document)
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    assert render(session.transcript, session) is document
    cut = Transcript(session.transcript.turns[:-1])
    assert repairs(cut, session) == ("m1.p0",)
    rendered = render(cut, session)
    assert rendered[2] == user(response("f", "y", "b"))
    assert check(rendered) == []


def test_calls_without_ids_pair_by_order_and_name() -> None:
    """A7, A8. Would catch: a response that is given to the call of another tool."""
    document = [
        user("a"),
        model(call("f", n=1), call("g"), call("f", n=2)),
        user(response("g", "of g"), response("f", "of f1"), response("f", "of f2")),
        model(call("f", n=3)),
        user(response("g", "stray")),
    ]
    session = parse(document)
    ids = [turn.metadata.get("turnfold.call_ids") for turn in session.transcript]
    assert ids[1:5] == ['["#1.0","#1.1","#1.2"]', '["#1.1"]', '["#1.0"]', '["#1.2"]']
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    assert session.transcript.turn("m3").metadata["turnfold.status"] == "pending"


def test_ids_on_one_side_only_pair_by_order_and_name() -> None:
    """A8."""
    for made, answered in ((call("f", "1"), None), (call("f"), "1")):
        session = parse([user("a"), model(made), user(response("f", "x", answered)), user("b")])
        assert session.damage == ()
        assert "turnfold.status" not in session.transcript.turn("m1").metadata


def test_reused_ids_pair_by_occurrence() -> None:
    """A7."""
    rounds = [model(call("f", "call_0")), user(response("f", "one", "call_0"))] * 2
    session = parse([user("a"), *rounds, user("b")], pins=NO_PINS)
    turns = session.transcript.turns
    second = Transcript((turns[0], *turns[3:]))
    assert render(second, session) == [user("a"), *rounds[2:], user("b")]


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    document: list[Object] = [user("Earlier."), model(call("f", "X"))]
    for index in range(40):
        document += [user(f"go {index}"), model(call("f", f"c{index}"))]
        document += [user(response("f", "y" * 200, f"c{index}"))]
    session = parse(document)
    assert session.transcript.turn("m1").metadata["turnfold.status"] == "dead"
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(render(view, session)) == []


def test_a_pending_call_is_kept_and_its_late_response_joins_it() -> None:
    """A10."""
    chat = [each for index in range(10) for each in (user(f"u{index}"), model("y" * 80))]
    document = [user("a"), model(call("confirm", "c1")), *chat]
    plan = DropOldestPolicy().decide(parse(document).transcript, CompactionBudget(150, 1))
    late = parse([*document, user(response("confirm", "yes", "c1"))])
    rendered = render(CompactionExecutor().apply(late.transcript, plan), late)
    at = rendered.index(document[1])
    assert rendered[at + 1] == user(response("confirm", "yes", "c1"))
    assert check(rendered) == []


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([model(call("f", "t"))], [model(call("f", "t"))]),
        (
            [model(call("f", "A"), call("g")), user(response("f", "x", "A"))],
            [model(call("f", "A"), call("g")), user(response("f", "x", "A"))],
        ),
        (
            [model(call("f", "t")), user("hello")],
            [
                model(call("f", "t")),
                user(response("f", {"error": CLOSED_CALL}, "t")),
                user("hello"),
            ],
        ),
        (
            [model(call("f", "A"), call("g")), user(response("f", "x", "A")), user("hello")],
            [
                model(call("f", "A"), call("g")),
                user(response("f", "x", "A"), response("g", {"error": CLOSED_CALL})),
                user("hello"),
            ],
        ),
    ],
)
def test_an_open_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Object], expected: list[Object]
) -> None:
    """A12: never closed as a success, and never in place of a response."""
    session = parse([user("a"), model("y" * 900), user("b"), *tail])
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered = render(view, session)
    assert rendered == [user("a"), user("b"), *expected]
    assert check(rendered, pending_ok=True) == []
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_text_beside_responses_stays_with_them() -> None:
    """A14. Would catch: a content that is cut in two, or a text before the responses."""
    mixed = user("also rename it", response("f", "y" * 900, "t"))
    document = [user("a"), model(call("f", "t")), mixed, model("y" * 90), user("c")]
    session = parse(document)
    assert session.transcript.turn_ids()[2:4] == ("m2.p1", "m2.text")
    kept = Transcript((*session.transcript.turns[:4], session.transcript.turns[5]))
    assert render(kept, session) == [*document[:3], document[4]]
    view = compact(session, ObservationMaskingPolicy(0), 150)
    assert view is not None
    parts = render(view, session)[2]["parts"]
    assert [list(part) for part in parts] == [["functionResponse"], ["text"]]


def test_a_call_that_would_open_a_history_stands_behind_a_bridge() -> None:
    """Would catch: `function call turn comes immediately after a user turn`."""
    session = parse(STORY, pins=NO_PINS)
    for cut in (session.transcript.turns[1:], session.transcript.turns[4:]):
        rendered = render(Transcript(cut), session)
        assert rendered[0] == user(BRIDGE)
        assert check(rendered) == []
        assert len(parse(rendered).transcript) == len(cut)
    turns = session.transcript.turns
    joined = render(Transcript((*turns[:5], *turns[6:])), session)
    assert joined[3:6] == [STORY[3], user(BRIDGE), STORY[5]]


def test_the_calls_of_the_current_turn_keep_their_signatures() -> None:
    """B1, B2, B4. Would catch: a signature that is lost, or moves to another part."""
    thought = {"text": "hm " * 90, "thought": True}
    old = model(thought, call("run", "a", signed=True))
    now = model(thought, call("run", "b", signed=True))
    answer = user(response("run", "y" * 90, "a")), user(response("run", "z" * 900, "b"))
    document = [user("x" * 400), user("a"), old, answer[0], user("b"), now, answer[1]]
    session = parse(document, pins=NO_PINS)
    cut = Transcript(session.transcript.turns[1:])
    assert render(cut, session) == document[1:]
    for reasoning in ("strip_all", "strip_after_edit"):
        rendered = render(cut, session, reasoning=reasoning)
        assert rendered[1] == model(call("run", "a"))
        assert rendered[4] == model(call("run", "b", signed=True))
        assert check(rendered) == []
    assert render(cut, session, reasoning="keep") == document[1:]


def test_a_masked_model_content_keeps_its_signed_calls() -> None:
    """B1, B2. Would catch: thoughts whose text changed and whose signature stayed."""
    signed = call("run", "a", signed=True)
    said = {"text": "long " * 90, "thoughtSignature": SIGNATURE}
    document = [user("a"), model(said, signed), user(response("run", "x", "a")), user("b")]
    session = parse(document)
    turns = session.transcript.turns
    masked = Transcript((turns[0], replace(turns[1], content="[gone]"), *turns[2:]))
    rendered = render(masked, session)
    assert rendered[1] == model("[gone]", signed)


@pytest.mark.parametrize("name", POLICIES)
def test_the_first_and_the_last_user_content_stay(name: str) -> None:
    """C8, I2. Would catch: an image of the last question that is cut."""
    live = user("LIVE", IMAGE)
    document = [user("TASK"), model("y" * 90), live, model(call("f")), user(response("f", "x"))]
    session = parse(document, estimator=eighth)
    step = max(1, session.transcript.token_estimate() // 40)
    for tokens in range(1, session.transcript.token_estimate(), step):
        view = compact(session, POLICIES[name], tokens)
        if view is not None:
            rendered = render(view, session)
            assert document[0] in rendered
            assert live in rendered


# --- properties ----------------------------------------------------------------------------


spelled_contents = contents() | contents().map(in_snake_case)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=60)
@given(document=spelled_contents, cut=cuts())
def test_any_history_at_any_budget_gives_what_the_provider_takes(
    name: str, document: list[Object], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a split batch, a response out of place, a call left open, a lost ledger."""
    before = copy.deepcopy(document)
    holds_at_a_cut(gemini_contents, document, name, cut)
    assert document == before


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=25)
@given(document=spelled_contents, cut=cuts())
def test_what_is_rendered_has_the_types_of_the_sdk(
    name: str,
    document: list[Object],
    cut: tuple[int, int, Pins],
    validate: Callable[[list[Any]], None],
) -> None:
    """Would catch: a key or a value that Google's own package refuses."""
    validate(holds_at_a_cut(gemini_contents, document, name, cut) or [])


@settings(max_examples=150)
@given(damaged(contents()))
def test_damage_is_never_a_crash(document: Json) -> None:
    """R4. Would catch: any error but `UnreadableTranscript`, a view that cannot be written."""
    holds_on_damage(gemini_contents, document)


def test_what_was_written_reads_back_over_rounds() -> None:
    """L2, L3."""
    document: list[Object] = [user("start")]
    for index in range(20):
        document += [user(f"go {index}"), model(call("f"))]
        document += [user(response("f", "y" * 300))]
    holds_over_rounds(gemini_contents, document)
