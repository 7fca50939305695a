"""Reading and rendering ADK sessions."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import corpus_root
from tests.formats.gemini_histories import (
    Object,
    call,
    contents,
    event,
    in_snake_case,
    model,
    response,
    session_of,
    user,
)
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
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, Session, adk
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.adk import check, matches, parse

Json = Any

STORY = [
    user("Start the stub."),
    model(call("run", "a"), call("read", "b")),
    user(response("run", "y" * 60, "a"), response("read", "z" * 60, "b")),
    model("It runs."),
    user("And the smoke test?"),
    model(call("run", "c")),
    user(response("run", {"error": "y" * 60}, "c")),
    model("It fails."),
]
FILES = sorted(root.glob("adk/*.json")) if (root := corpus_root()) else []


def render(view: CompactedView | Transcript, session: Session, **options: Any) -> Json:  # noqa: ANN401
    return adk.render(view, session, **options)


@pytest.fixture(scope="session")
def validate() -> Callable[[Json], None]:
    """A check of the contents' types by Google's own package."""
    types = pytest.importorskip("google.genai.types")

    def check_types(session: Json) -> None:
        for each in copy.deepcopy(session["events"]):
            types.Content.model_validate(each["content"])

    return check_types


def session(*events: Object) -> Object:
    return {"id": "s", "events": list(events)}


def at(number: int, content: Object | None, author: str = "", **more: Any) -> Object:  # noqa: ANN401
    return event(number, None if content is None else in_snake_case(content), author, **more)


def compaction(number: int, start: float, end: float, text: str) -> Object:
    body = {
        "start_timestamp": 1_700_000_000.5 + start,
        "end_timestamp": 1_700_000_000.5 + end,
        "compacted_content": {"role": "model", "parts": [{"text": text}]},
    }
    return at(number, None, "user", actions={"compaction": body})


# --- reading -------------------------------------------------------------------------------


def test_each_event_is_turns_with_its_id() -> None:
    """Would catch: a result without its call, an id that changes when events are appended."""
    parsed = parse(session_of(STORY))
    turns = parsed.transcript
    assert turns.turn_ids()[:6] == ("ev0", "ev1", "ev2.p0", "ev2.p1", "ev3", "ev4")
    assert [turn.role for turn in turns][:4] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL]
    assert len({turns.turn(each).tool_call_id for each in ("ev1", "ev2.p0", "ev2.p1")}) == 1
    assert turns.turn("ev6").metadata["turnfold.status"] == "error"
    assert parsed.damage == ()
    assert check(session_of(STORY)) == []


def test_events_without_content_and_partial_ones_are_no_turns() -> None:
    """Would catch: a streamed text that is counted twice."""
    document = session(
        at(0, user("a")),
        at(1, model("It r"), partial=True),
        at(2, model("It runs.")),
        at(3, None, "agent", actions={"state_delta": {"x": 1}}),
    )
    parsed = parse(document)
    assert parsed.transcript.turn_ids() == ("ev0", "ev2")
    assert parsed.damage == ()
    assert render(parsed.transcript, parsed) is document


def test_a_compaction_stands_for_the_events_of_its_time() -> None:
    """K7. Would catch: events that a compaction replaced, or a summary that is lost."""
    events = [at(number, user(f"say {number}")) for number in range(4)]
    events += [compaction(4, 1, 3, "They spoke."), at(5, user("more"))]
    live, full = (parse(session(*events), scope=scope) for scope in ("live", "full"))
    assert live.transcript.turn_ids() == ("ev0", "ev4", "ev5")
    assert live.transcript.turn("ev4").metadata["turnfold.kind"] == "summary"
    assert live.transcript.turn("ev4").content == "They spoke."
    assert full.transcript.turn_ids() == tuple(f"ev{number}" for number in range(6))


def test_a_compaction_that_would_hide_what_stands_before_it_becomes_its_text() -> None:
    """R2, K7. Would catch: kept turns that the client does not send."""
    events = [at(number, user(f"say {number} " + "y" * 90)) for number in range(4)]
    events += [compaction(4, 1, 3, "They spoke."), at(5, user("more"))]
    full = parse(session(*events), scope="full", pins=NO_PINS)
    kept = Transcript(full.transcript.turns[1:])
    rendered = render(kept, full)
    again = parse(rendered, scope="live", pins=NO_PINS)
    assert again.transcript.turn_ids() == kept.turn_ids()
    assert [turn.content for turn in again.transcript] == [turn.content for turn in kept]
    live = parse(session(*events), pins=NO_PINS)
    rendered = render(Transcript(live.transcript.turns[1:]), live)
    assert rendered["events"][1] is events[4]


def test_a_rewind_takes_back_what_followed() -> None:
    """Would catch: words that the person took back."""
    events = [at(number, user(f"say {number}")) for number in range(6)]
    rewind = at(6, None, "user", actions={"rewind_before_invocation_id": "inv1"})
    document = session(*events, rewind, at(7, user("again")))
    assert parse(document).transcript.turn_ids() == ("ev0", "ev1", "ev2", "ev3", "ev7")
    assert len(parse(document, scope="full").transcript) == 7


def test_a_later_response_to_a_call_replaces_the_first() -> None:
    """A8, A10. Would catch: the real result of a long call that is left out as an orphan."""
    document = session(
        at(0, user("a")),
        at(1, model(call("ask", "t"))),
        at(2, user(response("ask", "waiting", "t"))),
        at(3, model("y" * 900)),
        at(4, user(response("ask", "granted", "t"))),
        at(5, user("go")),
    )
    parsed = parse(document)
    assert parsed.damage == ()
    assert parsed.transcript.turn_ids() == ("ev0", "ev1", "ev3", "ev4", "ev5")
    view = compact(parsed, DropOldestPolicy(), 150)
    assert view is not None
    rendered = render(view, parsed)
    assert check(rendered) == []
    reads_again(adk, rendered, view)


def test_events_of_several_agents_may_follow_each_other() -> None:
    """Would catch: a fault where ADK shows one agent's words to the other as a user's."""
    document = session(
        at(0, user("a")),
        at(1, model("a plan"), "planner"),
        at(2, model(call("run", "c")), "worker"),
        at(3, user(response("run", "x", "c")), "worker"),
    )
    assert check(document) == []
    same = copy.deepcopy(document)
    same["events"][1]["author"] = "worker"
    assert [fault.rule for fault in check(same)] == ["call_order"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda events: events.__setitem__(1, "text"), "events[1]"),
        (lambda events: events[1].__setitem__("content", "text"), "events[1].content"),
        (lambda events: events[1]["content"].__setitem__("parts", 7), "events[1].content"),
        (
            lambda events: events[1]["content"]["parts"].__setitem__(0, 7),
            "events[1].content.parts[0]",
        ),
    ],
)
def test_what_is_malformed_is_reported_with_its_place(
    change: Callable[[list[Any]], None], place: str
) -> None:
    """R4."""
    document = session(at(0, user("a")), at(1, model("b")), at(2, user("c")))
    change(document["events"])
    parsed = parse(document)
    assert parsed.damage[0].place == place
    assert {"ev0", "ev2"} <= set(parsed.transcript.turn_ids())
    assert render(parsed.transcript, parsed) is document


@pytest.mark.parametrize("document", [{"events": []}, {"events": 7}, {}, {"events": [{"id": "x"}]}])
def test_a_document_without_events_is_unreadable(document: Json) -> None:
    """Would catch: an empty session where there is none."""
    with pytest.raises(UnreadableTranscript):
        parse(document)


def test_only_adk_sessions_are_taken_for_them() -> None:
    """Would catch: a detection that takes what another format reads."""
    assert matches(session_of(STORY))
    assert matches({"events": [{"invocationId": "i", "author": "user", "content": {}}]})
    for document in ([], {}, {"events": [{"kind": "MessageEvent", "source": "user"}]}, STORY, 7):
        assert not matches(document)


# --- rendering -----------------------------------------------------------------------------


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("name", POLICIES)
def test_every_cut_and_every_budget_gives_what_the_provider_takes(name: str, pins: Pins) -> None:
    """A1, A4, C2, C7."""
    parsed = parse(session_of(STORY), pins=pins, estimator=eighth)
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


def test_kept_events_are_the_same_objects_and_the_session_stays() -> None:
    """R1, R2."""
    document = session_of([*STORY, user("last")])
    parsed = parse(document)
    view = compact(parsed, DropOldestPolicy(), parsed.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, parsed)
    assert list(rendered) == list(document)
    originals = {id(each) for each in document["events"]}
    assert all(id(each) in originals for each in rendered["events"])


def test_a_masked_response_keeps_its_event_and_loses_its_copies() -> None:
    """D1. Would catch: a state that repeats what was masked."""
    answer = at(2, user(response("run", "y" * 900, "t")), actions={"state_delta": {"o": "y" * 900}})
    parsed = parse(
        session(at(0, user("a")), at(1, model(call("run", "t"))), answer, at(3, user("c")))
    )
    view = compact(parsed, ObservationMaskingPolicy(0), 150)
    assert view is not None
    masked = render(view, parsed)["events"][2]
    assert "yyy" not in json.dumps(masked)
    stub = {"output": view.transcript.turn("ev2").content}
    named = {"id": "t", "name": "run", "response": stub}
    assert masked["content"]["parts"] == [{"function_response": named}]
    assert {key: masked[key] for key in ("id", "invocation_id", "author")} == {
        key: answer[key] for key in ("id", "invocation_id", "author")
    }


def test_responses_in_events_of_their_own_stay_apart() -> None:
    """A4. Would catch: a batch that loses one of its responses."""
    document = session_of(STORY, apart=True)
    assert check(document) == []
    parsed = parse(document, pins=NO_PINS)
    kept = Transcript(parsed.transcript.turns[:4])
    assert render(kept, parsed)["events"] == document["events"][:4]
    for view in sweep(parse(document, pins=NO_PINS, estimator=eighth), POLICIES["drop_oldest"]):
        batch = {"ev1", "ev2", "ev3"} & set(view.transcript.turn_ids())
        assert len(batch) in (0, 3)


def test_an_open_call_is_closed_as_a_failure_and_a_bridge_opens() -> None:
    """A12. Would catch: a call that is closed as a success, a history that opens with a call."""
    parsed = parse(
        session(
            at(0, user("a" * 400)),
            at(1, model(call("run", "t"), call("run", "u"))),
            at(2, user(response("run", "x", "t"))),
            at(3, user("b")),
        ),
        pins=NO_PINS,
    )
    rendered = render(Transcript(parsed.transcript.turns[1:]), parsed)
    first, _, answers = rendered["events"][:3]
    assert first["content"] == user(BRIDGE)
    assert first["author"] == "user"
    closing = {"id": "u", "name": "run", "response": {"error": CLOSED_CALL}}
    assert answers["content"]["parts"][1] == {"function_response": closing}
    assert check(rendered) == []
    assert len(parse(rendered).transcript) == 3


# --- properties ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=40)
@given(story=contents(), apart=st.booleans(), cut=cuts())
def test_any_session_at_any_budget_gives_what_the_provider_takes(
    name: str,
    story: list[Object],
    apart: bool,  # noqa: FBT001
    cut: tuple[int, int, Pins],
) -> None:
    """Would catch: a split batch, a response out of place, a call left open, a lost ledger."""
    document = session_of(story, apart=apart)
    before = copy.deepcopy(document)
    holds_at_a_cut(adk, document, name, cut)
    assert document == before


@settings(max_examples=40)
@given(name=st.sampled_from(["default_chain", "masking_inputs"]), story=contents(), cut=cuts())
def test_what_is_rendered_has_the_types_of_the_sdk(
    name: str, *, story: list[Object], cut: tuple[int, int, Pins], validate: Callable[[Json], None]
) -> None:
    """Would catch: a key or a value that Google's own package refuses."""
    validate(holds_at_a_cut(adk, session_of(story), name, cut) or {"events": []})


@settings(max_examples=120)
@given(damaged(contents().map(session_of)))
def test_damage_is_never_a_crash(document: Json) -> None:
    """R4. Would catch: any error but `UnreadableTranscript`, a view that cannot be written."""
    holds_on_damage(adk, document)


def test_what_was_written_reads_back_over_rounds() -> None:
    """L2, L3."""
    story: list[Object] = [user("start")]
    for index in range(20):
        story += [user(f"go {index}"), model(call("f", "c")), user(response("f", "y" * 300, "c"))]
    holds_over_rounds(adk, session_of(story))


@pytest.mark.skipif(not FILES, reason="no corpus of recorded sessions")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("scope", ["live", "full"])
@pytest.mark.parametrize("share", [90, 50, 30, 15])
def test_a_recorded_session_compacts(path: Path, scope: str, share: int) -> None:
    """A1, R2."""
    document = json.loads(path.read_text(encoding="utf-8"))
    assert matches(document)
    compacts_recorded(adk, document, scope, share)
