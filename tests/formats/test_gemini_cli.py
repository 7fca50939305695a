"""Reading and rendering Gemini CLI sessions."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.conftest import corpus_root
from tests.formats.gemini_histories import Object, Step, call, histories, response
from tests.formats.json_histories import NO_PINS, POLICIES, compact, cuts, eighth, sweep
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
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Role,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, gemini_cli
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.gemini_cli import check, matches, parse

Json = Any

FILES = sorted(root.glob("gemini_cli/*.json")) if (root := corpus_root()) else []


def render(view: CompactedView | Transcript, session: Session, **options: Any) -> Json:  # noqa: ANN401
    return gemini_cli.render(view, session, **options)


def user(content: Json, number: int = 0) -> Object:
    return {"id": f"u{number}", "timestamp": f"T{number}", "type": "user", "content": content}


def gemini(content: Json, *calls: Object, number: int = 0, **more: Any) -> Object:  # noqa: ANN401
    named = {"id": f"g{number}", "timestamp": f"T{number}", "type": "gemini", "content": content}
    return {**named, **({"toolCalls": list(calls)} if calls else {}), **more}


def made(name: str, body: Json, call_id: str = "c", **more: Any) -> Object:  # noqa: ANN401
    """Return a call with its result; without one where the body is None."""
    named: Object = {"id": call_id, "name": name, "args": {"path": "a.py"}}
    if body is None:
        return {**named, "status": "executing", **more}
    failed = isinstance(body, dict) and "error" in body
    status = {"status": "error" if failed else "success", "resultDisplay": str(body)}
    return {**named, "result": [response(name, body, call_id)], **status, **more}


def session(*messages: Json) -> Object:
    return {"sessionId": "s-1", "projectHash": "p", "startTime": "T", "messages": list(messages)}


STORY = session(
    user("Start the stub.", 0),
    gemini("I look.", made("run", "y" * 60, "a"), made("read", "z" * 60, "b"), number=1),
    {"id": "i", "type": "info", "content": "an update is there"},
    gemini("It runs.", number=2),
    user([{"text": "And the smoke test?"}], 3),
    gemini("", made("run", {"error": "y" * 60}, "a"), number=4),
    gemini("It fails.", number=5),
)


# --- the rules -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([user("a"), gemini("", made("f", None)), user("b")], "unanswered_call"),
        ([user("a"), gemini("", made("f", "x"), made("g", None)), user("b")], "unanswered_call"),
        ([gemini("", made("f", "x"))], "call_order"),
        ([gemini("hello")], "first_role"),
        (
            [user("a"), gemini("", {**made("f", "x"), "result": [response("g", "x", "d")]})],
            "orphan_result",
        ),
        ([{"type": "info", "content": "x"}], "no_content"),
    ],
)
def test_a_broken_rule_is_found(messages: list[Json], rule: str) -> None:
    """Would catch: a rule that a fault slips through."""
    assert rule in {fault.rule for fault in check(session(*messages))}


def test_a_whole_session_breaks_no_rule() -> None:
    """Would catch: a check that finds faults in what the client sends."""
    assert check(STORY) == []
    assert check(session(user("a"), gemini("", made("f", None))), pending_ok=True) == []
    assert check({"messages": 7})[0].rule == "no_content"


# --- reading -------------------------------------------------------------------------------


def test_messages_and_results_are_turns_and_notes_are_not() -> None:
    """Would catch: a note to the user that the model is thought to have seen."""
    parsed = parse(STORY)
    ids = ("u0", "g1", "g1.r0", "g1.r1", "g2", "u3", "g4", "g4.r0", "g5")
    assert parsed.transcript.turn_ids() == ids
    turns = parsed.transcript
    assert [turn.role for turn in turns][:3] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert turns.turn("g1").content.startswith('I look.\n[call run] {"path": "a.py"}')
    assert turns.turn("g1.r1").metadata["turnfold.tool_name"] == "read"
    assert turns.turn("g4.r0").metadata["turnfold.status"] == "error"
    assert turns.turn("g1").tool_call_id != turns.turn("g4").tool_call_id
    assert parsed.damage == ()


@pytest.mark.parametrize("content", ["/help", "  ?", "", [], "<session_context> x", None])
def test_what_the_client_does_not_send_is_no_turn(content: Json) -> None:
    """K9, C9. Would catch: a slash command that is pinned as the task."""
    parsed = parse(session(user(content, 0), user("REAL", 1), gemini("b", number=2)))
    assert parsed.transcript.turn_ids() == ("u1", "g2")
    assert parsed.damage == ()


def test_thoughts_count_and_are_no_content() -> None:
    """B4."""
    thoughts = [{"subject": "Plan", "description": "r" * 400, "timestamp": "T"}]
    plain, thinking = (
        parse(session(user("a"), message)).transcript.turn("g0")
        for message in (gemini("b"), gemini("b", thoughts=thoughts))
    )
    assert plain.content == thinking.content == "b"
    assert thinking.token_estimate > plain.token_estimate + 50


def test_a_call_that_stands_in_the_content_too_is_one_call() -> None:
    """F3, A8. Would catch: a call that is counted twice, or one that is overlooked."""
    content = [{"text": "I look."}, call("f", "c"), call("g", "d")]
    parsed = parse(session(user("a"), gemini(content, made("f", "x")), user("b", 1)))
    assert parsed.transcript.turn("g0").content.count("[call ") == 2
    assert parsed.transcript.turn("g0").metadata["turnfold.status"] == "pending"
    rendered = render(Transcript(parsed.transcript.turns[1:]), parsed)
    assert check(rendered) == []
    assert rendered["messages"][1]["toolCalls"][1]["status"] == "error"


@pytest.mark.parametrize(
    "result",
    [
        "plain",
        [{"text": "plain"}],
        {"functionResponse": {"id": "c", "name": "f", "response": {"output": "plain"}}},
    ],
)
def test_a_result_of_any_shape_is_read(result: Json) -> None:
    """F3."""
    parsed = parse(session(user("a"), gemini("", {**made("f", "x"), "result": result})))
    assert parsed.transcript.turn("g0.r0").content == "plain"


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("text", "messages[1]"),
        ({"type": "narrator", "content": "x"}, "messages[1].type"),
        ({"type": ["user"], "content": "x"}, "messages[1].type"),
        ({"type": "user", "content": 7}, "messages[1].content"),
        ({"type": "gemini", "content": "x", "toolCalls": 7}, "messages[1].toolCalls"),
    ],
)
def test_what_is_malformed_is_reported_with_its_path(message: Json, place: str) -> None:
    """R4."""
    document = session(user("a", 0), message, user("b", 1))
    parsed = parse(document)
    assert [damage.place for damage in parsed.damage] == [place]
    assert {"u0", "u1"} <= set(parsed.transcript.turn_ids())
    assert render(parsed.transcript, parsed) is document


@pytest.mark.parametrize("document", [{}, {"messages": 7}, session(), session(user("/help"))])
def test_a_session_without_messages_is_unreadable(document: Json) -> None:
    """Would catch: an empty session where there is none."""
    with pytest.raises(UnreadableTranscript):
        parse(document)


def test_only_such_sessions_are_taken_for_them() -> None:
    """Would catch: a detection that takes what another format reads."""
    assert matches(STORY)
    for document in (
        {"sessionId": "s", "messages": [{"role": "user", "content": "x"}]},
        {"sessionId": "s", "projectHash": "p", "messages": [{"type": "human", "content": "x"}]},
        {"messages": [user("x")]},
        [user("x")],
        None,
    ):
        assert not matches(document)


# --- rendering -----------------------------------------------------------------------------


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("name", POLICIES)
def test_every_cut_and_every_budget_gives_what_the_provider_takes(name: str, pins: Pins) -> None:
    """A1, A4, C2, C7."""
    parsed = parse(STORY, pins=pins, estimator=eighth)
    seen = set()
    for view in sweep(parsed, POLICIES[name]):
        if not view.transcript.turns:
            with pytest.raises(UnrenderableView):
                render(view, parsed)
            continue
        rendered = render(view, parsed)
        spelled = json.dumps(rendered)
        if spelled not in seen:
            seen.add(spelled)
            assert check(rendered) == [], spelled
    assert len(seen) > 1


def test_kept_messages_are_the_same_objects_under_a_new_session_id() -> None:
    """R1, R3, K12. Would catch: a copy that takes the place of the session it was made from."""
    document = session(*STORY["messages"], user("last", 9))
    before = copy.deepcopy(document)
    parsed = parse(document)
    view = compact(parsed, DropOldestPolicy(), parsed.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, parsed)
    originals = {id(message) for message in document["messages"]}
    assert all(id(message) in originals for message in rendered["messages"])
    assert rendered["sessionId"] != document["sessionId"]
    assert {**rendered, "sessionId": "s-1", "messages": 0} == {**document, "messages": 0}
    assert document == before


def test_a_masked_result_keeps_its_call_and_loses_what_is_shown_of_it() -> None:
    """D1. Would catch: a display that repeats what was masked, a failure that is forgotten."""
    calls = made("shot", "y" * 900, "a", displayName="S"), made("run", {"error": "x" * 900}, "b")
    parsed = parse(session(user("a"), gemini("b", *calls), user("c", 1)))
    view = compact(parsed, ObservationMaskingPolicy(0), 150)
    assert view is not None
    first, second = render(view, parsed)["messages"][1]["toolCalls"]
    assert "yyy" not in json.dumps([first, second])
    assert "xxx" not in json.dumps([first, second])
    stub = view.transcript.turn("g0.r0").content
    assert first["result"] == [response("shot", stub, "a")]
    assert (first["args"], first["displayName"]) == ({"path": "a.py"}, "S")
    assert list(second["result"][0]["functionResponse"]["response"]) == ["error"]
    reads_again(gemini_cli, render(view, parsed), view)


@pytest.mark.parametrize("status", ["executing", "cancelled", None])
def test_an_open_call_is_closed_as_a_failure_unless_it_is_last(status: str | None) -> None:
    """A12. Would catch: a call that is closed as a success."""
    opened = gemini("", made("f", "x", "a"), made("g", None, "b", status=status), number=1)
    document = session(user("y" * 900, 0), gemini("b"), opened, user("c", 2))
    parsed = parse(document, pins=NO_PINS)
    rendered = render(Transcript(parsed.transcript.turns[1:]), parsed)
    closed = rendered["messages"][2]["toolCalls"][1]
    assert closed["result"] == [response("g", {"error": CLOSED_CALL}, "b")]
    assert closed["status"] in ("error", "cancelled")
    assert rendered["messages"][2]["toolCalls"][0] is opened["toolCalls"][0]
    assert check(rendered) == []
    assert len(parse(rendered).transcript) == 4
    pending = Transcript(parsed.transcript.turns[1:-1])
    assert render(pending, parsed)["messages"][2] is opened


def test_a_summary_and_a_bridge_are_users_messages() -> None:
    """C6, X4. Would catch: a session that begins with the model."""
    parsed = parse(STORY, pins=NO_PINS)
    cut = render(Transcript(parsed.transcript.turns[1:]), parsed)
    assert cut["messages"][0]["content"] == BRIDGE
    assert cut["messages"][0]["type"] == "user"
    assert len(parse(cut).transcript) == len(parsed.transcript) - 1
    view = compact(parsed, POLICIES["summarizing"], 90)
    assert view is not None
    rendered = render(view, parsed)
    written = [each for each in rendered["messages"] if "conversation_summary" in str(each)]
    assert [each["type"] for each in written] == ["user"]
    kinds = [turn.metadata.get("turnfold.kind") for turn in parse(rendered).transcript]
    assert kinds.count("summary") == 1


def test_reused_ids_and_dead_calls_block_nothing() -> None:
    """A7, A9."""
    messages: list[Object] = [user("a", 0), gemini("", made("f", None, "c"), number=1)]
    for number in range(2, 40, 2):
        messages += [user(f"go {number}", number)]
        messages += [gemini("", made("f", "y" * 200, "c"), number=number + 1)]
    parsed = parse(session(*messages))
    assert parsed.transcript.turn("g1").metadata["turnfold.status"] == "dead"
    view = compact(parsed, default_chain(), parsed.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(render(view, parsed)) == []


def test_thoughts_can_be_left_out() -> None:
    """B4. Would catch: thoughts that stay although the caller has them stripped."""
    thoughts = [{"subject": "Plan", "description": "r" * 400}]
    content = [{"text": "hm", "thought": True}, {"text": "b"}]
    document = session(user("a", 0), user("b", 1), gemini(content, thoughts=thoughts))
    parsed = parse(document, pins=NO_PINS)
    cut = Transcript(parsed.transcript.turns[1:])
    assert render(cut, parsed)["messages"][1] is document["messages"][2]
    bare = render(cut, parsed, reasoning="strip_after_edit")["messages"][1]
    assert (bare["thoughts"], bare["content"]) == ([], [{"text": "b"}])


# --- properties ----------------------------------------------------------------------------


def session_of(story: list[Step]) -> Object:
    """Write a story as a session: notes, thoughts, open calls, reused ids."""
    messages: list[Object] = [user("the task", 0)]
    for kind, first, second in story:
        number = len(messages)
        if kind == "user":
            image = [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}] if second else []
            messages.append(user([{"text": first}, *image] if second else first, number))
        elif kind == "model":
            thoughts = {"thoughts": [{"subject": "s", "description": "d" * 40}]} if second else {}
            messages.append(gemini(first, number=number, **thoughts))
        else:
            calls = [made(name, body, f"c{at}") for at, (name, body) in enumerate(first)]
            messages.append(gemini("", *calls, number=number))
            if second is not None:
                messages += [
                    {"id": f"i{number}", "type": "info", "content": "note"},
                    user(second, number + 1),
                ]
    return session(*messages)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=40)
@given(story=histories, cut=cuts())
def test_any_session_at_any_budget_gives_what_the_provider_takes(
    name: str, story: list[Step], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a split batch, a call left open, a lost ledger."""
    document = session_of(story)
    before = copy.deepcopy(document)
    holds_at_a_cut(gemini_cli, document, name, cut)
    assert document == before


@settings(max_examples=120)
@given(damaged(histories.map(session_of)))
def test_damage_is_never_a_crash(document: Json) -> None:
    """R4. Would catch: any error but `UnreadableTranscript`, a view that cannot be written."""
    holds_on_damage(gemini_cli, document)


def test_what_was_written_reads_back_over_rounds() -> None:
    """L2, L3."""
    story: list[Step] = [("batch", [("f", {"output": "y" * 300})], "go on")] * 20
    holds_over_rounds(gemini_cli, session_of(story))


@pytest.mark.skipif(not FILES, reason="no corpus of recorded sessions")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize("share", [50, 30, 15])
def test_a_recorded_session_compacts(path: Path, scope: str, share: int) -> None:
    """A1, R2."""
    document = json.loads(path.read_text(encoding="utf-8"))
    assert matches(document)
    compacts_recorded(gemini_cli, document, scope, share)
