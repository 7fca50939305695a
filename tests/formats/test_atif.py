"""Reading and rendering trajectories in ATIF."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.framework_histories import (
    Batch,
    Result,
    Said,
    Step,
    Validate,
    broken,
    check_compacted,
    check_damaged,
    check_untouched,
    cuts,
    damaged,
    installed,
    rendered_from,
    valid,
)
from tests.formats.json_histories import NO_PINS, POLICIES, Json, Message, compact
from turnfold import (
    DropOldestPolicy,
    ObservationMaskingPolicy,
    Transcript,
    UnreadableTranscript,
    default_chain,
)
from turnfold.errors import UnrenderableView
from turnfold.formats import Pins, atif, openai_chat
from turnfold.formats._assemble import MEDIA_TOKENS
from turnfold.formats._marks import CLOSED_CALL, NO_WORDS
from turnfold.formats.atif import check, matches, parse, render


def numbered(*steps: Message) -> Message:
    """A trajectory of steps, numbered from 1."""
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "s-1",
        "agent": {"name": "tester", "version": "1.0"},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        "final_metrics": {"total_steps": len(steps)},
    }


def said(source: str, message: Json, **values: object) -> Message:
    return {"source": source, "message": message, **values}


def call(call_id: str) -> Message:
    return {"tool_call_id": call_id, "function_name": "run", "arguments": {"x": 1}}


def result(call_id: str | None, content: Json = "y" * 60, **values: object) -> Message:
    named = {} if call_id is None else {"source_call_id": call_id}
    return {**named, "content": content, **values}


def acting(calls: list[str], *results: Message, message: Json = "", **values: object) -> Message:
    step = said("agent", message, tool_calls=[call(each) for each in calls], **values)
    return {**step, "observation": {"results": list(results)}} if results else step


A1 = numbered(
    said("system", "You look after ledgerline."),
    said("user", "Start the stub."),
    acting(["t1", "t2"], result("t1"), result("t2"), reasoning_content="I weigh it."),
    said("agent", "It runs."),
    said("user", "And the smoke test?"),
    acting(["t1"], result("t1")),
)


def build(steps: list[Step]) -> Message:
    """Calls and their results are one step; words that come between follow it."""
    written: list[Message] = []
    for step in steps:
        reasoning = {"reasoning_content": "I weigh it."} if step.thought else {}
        if isinstance(step, Batch):
            given = [(name, each) for name, each in step.results.items() if each is not None]
            results = [result(name, each.text) for name, each in given]
            written.append(acting(list(step.results), *results, message=step.text, **reasoning))
            written += [said("user", step.between)] if step.between is not None else []
        elif step.who == "assistant":
            written.append(said("agent", step.text, **reasoning))
        else:
            source = {"media_type": "image/png", "path": "images/a.png"}
            parts = [{"type": "text", "text": step.text}, {"type": "image", "source": source}]
            written.append(said(step.who, parts if step.image else step.text))
    return numbered(*written)


@pytest.fixture(scope="session")
def validate() -> Validate:
    """A check by a validator of the format, where it is installed."""
    trajectory = installed("nat.atif.trajectory")
    if trajectory is None:
        return lambda _: None

    def check_types(document: Json) -> None:
        trajectory.Trajectory.model_validate(document)

    return check_types


# --- which documents these are ----------------------------------------------------------------


@pytest.mark.parametrize("version", ["ATIF-v1.8", "ATIF-v1.7", "ATIF-v1.0", "ATIF-v2.0"])
def test_a_trajectory_is_known(version: str) -> None:
    document = {**A1, "schema_version": version}
    assert matches(document)
    assert not openai_chat.matches(document)


@pytest.mark.parametrize(
    "document",
    [
        *(None, 7, [], {}, [A1], {"steps": A1["steps"]}, {**A1, "steps": []}),
        *({**A1, "steps": {}}, {**A1, "schema_version": 1.7}, {**A1, "schema_version": "other"}),
    ],
)
def test_nothing_else_is_taken_for_it(document: Json) -> None:
    assert not matches(document)


# --- reading ----------------------------------------------------------------------------------


def test_a_step_is_a_turn_and_each_of_its_results_is_one() -> None:
    transcript = parse(A1).transcript
    assert transcript.turn_ids() == ("s1", "s2", "s3", "s3.r0", "s3.r1", "s4", "s5", "s6", "s6.r0")
    assert "".join(turn.role.value[0] for turn in transcript) == "suattauat"
    assert transcript.turn("s3").content == '[call run] {"x": 1}\n[call run] {"x": 1}'
    assert transcript.turn("s3.r1").tool_call_id == "s3"
    assert transcript.turn("s3.r1").metadata["turnfold.tool_name"] == "run"


def test_reasoning_counts_and_is_no_content() -> None:
    turn = parse(numbered(said("user", "a"), said("agent", "b", reasoning_content="r" * 400)))
    assert turn.transcript.turn("s2").content == "b"
    assert turn.transcript.turn("s2").token_estimate > 90


def test_a_result_without_an_id_answers_its_step() -> None:
    """A8."""
    document = numbered(
        said("user", "a"),
        said("agent", "ls", observation={"results": [result(None), result(None)]}),
        acting(["c1"], result(None)),
        acting(["c1", "c2"], result(None), result("c1")),
        acting(["c1", "c2"], result(None)),
        said("user", "b"),
    )
    session = parse(document)
    assert session.damage == ()
    exchanges = [turn.tool_call_id for turn in session.transcript]
    assert exchanges == [None, *["s2"] * 3, *["s3"] * 2, *["s4"] * 3, *["s5"] * 2, None]
    ids = [
        json.loads(turn.metadata["turnfold.call_ids"])
        for turn in session.transcript
        if turn.role == "tool"
    ]
    assert ids == [[""], [""], ["c1"], ["c2"], ["c1"], [""]]


def test_one_result_answers_all_the_calls_of_a_step_together(validate: Validate) -> None:
    """A12. Would catch: keystrokes of Terminus 2 that are closed beside the screen they gave."""
    document = numbered(
        said("user", "x" * 400),
        said("agent", "ok"),
        acting(["c1", "c2"], result(None, "the screen")),
        acting(["c3", "c4", "c5"], result("c4"), result(None, "the screen")),
        said("agent", "Done."),
    )
    assert check(document) == []
    session = parse(document)
    assert not any("turnfold.status" in turn.metadata for turn in session.transcript)
    assert session.transcript.turn("s3.r0").metadata["turnfold.tool_name"] == "run"
    turns = session.transcript.turns
    rendered: Any = render(Transcript(turns[1:]), session)
    for old, new in zip(document["steps"][2:4], rendered["steps"][1:3], strict=True):
        assert new["observation"] is old["observation"]
    bare: Any = render(Transcript([each for each in turns if each.turn_id != "s3.r0"]), session)
    assert bare["steps"][2]["observation"]["results"] == [{"content": CLOSED_CALL}]
    for written in (rendered, bare):
        validate(written)
        assert check(written) == []


def test_what_a_system_step_observed_is_what_it_says() -> None:
    step = said("system", "restarted", observation={"results": [result(None, "ready")]})
    assert parse(numbered(step, said("user", "a"))).transcript.turn("s1").content == (
        "restarted\nready"
    )


def test_images_cost_the_same_and_arguments_count() -> None:
    """F2, F3."""
    source = {"media_type": "image/png", "path": "images/a.png"}
    step = said("user", [{"type": "image", "source": source}])
    turn = parse(numbered(step)).transcript.turns[0]
    assert MEDIA_TOKENS < turn.token_estimate < MEDIA_TOKENS + 40
    heard = {"media_type": "audio/wav", "path": "audio/a.wav", "duration_sec": 2.5}
    session = parse(numbered(said("user", [{"type": "audio", "source": heard}])))
    assert session.damage == ()
    assert session.transcript.turns[0].content == "[audio audio/a.wav]"
    long = {**call("c1"), "arguments": {"content": "w" * 4_000}}
    step = said("agent", "", tool_calls=[long])
    assert parse(numbered(step)).transcript.turns[0].token_estimate > 800


@pytest.mark.parametrize(
    ("step", "path"),
    [
        ({"source": "narrator"}, "steps[1]"),
        (said("user", 7), "steps[1].message"),
        (said("user", [7]), "steps[1].message[0]"),
        (said("agent", "x", tool_calls={}), "steps[1].tool_calls"),
        (said("agent", "x", tool_calls=[7]), "steps[1].tool_calls"),
        (said("agent", "x", observation={"results": [7]}), "steps[1].observation.results[0]"),
        (
            acting(["c"], result("c", 7)),
            "steps[1].observation.results[0].content",
        ),
        (acting(["c"], result("d")), "steps[1].observation.results[0]"),
    ],
)
def test_what_is_malformed_is_reported_with_its_path(step: Message, path: str) -> None:
    """R4."""
    document = numbered(said("user", "a"), step, said("user", "b"))
    session = parse(document)
    assert session.damage[0].place == path
    assert render(session.transcript, session) is document


@pytest.mark.parametrize("document", [[], {}, None, 7, {**A1, "steps": []}, {"steps": [7]}])
def test_a_document_without_steps_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)
    assert check(document) != []


# --- rendering --------------------------------------------------------------------------------


def test_kept_steps_are_numbered_anew_and_say_what_they_were(validate: Validate) -> None:
    """R1. Would catch: a gap in the step ids, and a step that cannot be found again."""
    extra = {"note": [1]}
    document = numbered(
        said("user", "a"),
        said("agent", "y" * 900),
        acting(["c1"], result("c1"), extra=extra, metrics={"prompt_tokens": 3}),
        said("user", "b"),
    )
    session = parse(document)
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    assert list(rendered) == list(document)
    assert [step["step_id"] for step in rendered["steps"]] == [1, 2, 3]
    assert all(step["is_copied_context"] is True for step in rendered["steps"])
    assert rendered["steps"][1]["extra"] == {"note": [1], "original_step_id": 3}
    assert rendered["steps"][1]["observation"] is document["steps"][2]["observation"]
    assert rendered["steps"][1]["metrics"] == {"prompt_tokens": 3}
    assert extra == {"note": [1]}
    validate(rendered)
    session = parse(rendered, ledger=view.ledger, pins=NO_PINS)
    assert session.ledger == view.ledger
    again: Any = render(Transcript(session.transcript.turns[1:]), session)
    assert again["steps"][0]["extra"] == {"note": [1], "original_step_id": 3}
    assert again["steps"][0]["step_id"] == 1


def test_a_masked_result_keeps_its_call_and_what_stands_beside_it() -> None:
    """A4, D1."""
    whole = result("t2", "y" * 900, extra={"score": 1}, subagent_trajectory_ref=[{"x": 1}])
    document = numbered(said("user", "a"), acting(["t1", "t2"], result("t1", "s"), whole))
    document["steps"].append({"step_id": 3, **said("user", "c")})
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), 190)
    assert view is not None
    rendered: Any = render(view, session)
    results = rendered["steps"][1]["observation"]["results"]
    assert results[0] is document["steps"][1]["observation"]["results"][0]
    assert {**results[1], "content": whole["content"]} == whole
    assert check(rendered) == []


def test_a_subagents_trajectory_stays_and_is_read_by_itself(validate: Validate) -> None:
    """Would catch: what an agent never saw, in its context; or a trajectory that gets lost."""
    inner = {**numbered(said("user", "Read the log."), said("agent", "It is empty."))}
    inner["trajectory_id"] = "inner"
    answered = result("t1", "It is empty.", subagent_trajectory_ref=[{"trajectory_id": "inner"}])
    steps = said("user", "y" * 400), acting(["t1"], answered), said("agent", "b"), said("user", "c")
    document = {**numbered(*steps), "subagent_trajectories": [inner]}
    validate(document)
    session = parse(document, pins=NO_PINS)
    assert not any("Read the log." in turn.content for turn in session.transcript)
    rendered: Any = render(Transcript(session.transcript.turns[1:]), session)
    assert rendered["subagent_trajectories"] == [inner]
    kept = rendered["steps"][0]["observation"]["results"][0]
    assert kept["subagent_trajectory_ref"] == [{"trajectory_id": "inner"}]
    validate(rendered)
    contents = [turn.content for turn in parse(inner).transcript]
    assert contents == ["Read the log.", "It is empty."]


def test_a_summary_is_a_user_step(validate: Validate) -> None:
    """C6."""
    session = parse(A1, pins=NO_PINS)
    view = compact(session, POLICIES["summarizing"], 90)
    assert view is not None
    rendered: Any = render(view, session)
    summary = rendered["steps"][1]
    assert list(summary) == ["step_id", "source", "message"]
    assert summary["source"] == "user"
    validate(rendered)
    again = parse(rendered)
    assert again.transcript.turns[1].metadata["turnfold.kind"] == "summary"


def test_reasoning_stays_unless_all_of_it_goes() -> None:
    """B1, B4."""
    session = parse(A1)
    turns = session.transcript.turns
    shorter = Transcript((*turns[:5], *turns[6:]))
    kept: Any = render(shorter, session)
    assert kept["steps"][2]["reasoning_content"] == "I weigh it."
    assert "reasoning_content" not in json.dumps(render(shorter, session, reasoning="strip_all"))
    masked = dataclasses.replace(turns[2], content="gone")
    changed: Any = render(Transcript((*turns[:2], masked, *turns[3:])), session)
    assert "reasoning_content" not in changed["steps"][2]
    assert changed["steps"][2]["message"] == "gone"
    assert changed["steps"][2]["tool_calls"] is A1["steps"][2]["tool_calls"]


def test_a_step_of_reasoning_alone_is_no_fault_and_says_so_once_that_is_gone(
    validate: Validate,
) -> None:
    """L3. Would catch: an aborted step, as Harbor writes it of pi, that no rendering is free of."""
    steps = [
        said("user", "x" * 400),
        said("agent", "", reasoning_content="I weigh it."),
        said("user", "b"),
        said("agent", "c"),
    ]
    session = parse(numbered(*steps))
    shorter = Transcript(session.transcript.turns[1:])
    kept: Any = render(shorter, session)
    assert kept["steps"][0]["message"] == ""
    stripped: Any = render(shorter, session, reasoning="strip_all")
    assert stripped["steps"][0]["message"] == NO_WORDS
    for document in (kept, stripped):
        validate(document)
        assert check(document) == []
        assert [turn.content for turn in parse(document).transcript] == ["", "b", "c"]


@pytest.mark.parametrize(
    ("tail", "closed"),
    [
        ([acting(["t9"])], None),
        ([acting(["A", "B"], result("A"))], None),
        ([acting(["t9"]), said("user", "hello")], [result("t9", CLOSED_CALL)]),
        (
            [acting(["A", "B"], result("B")), said("user", "hello")],
            [result("B"), result("A", CLOSED_CALL)],
        ),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], closed: list[Message] | None, validate: Validate
) -> None:
    """A12."""
    opening = [said("user", "a"), said("agent", "y" * 900), said("user", "b")]
    document = numbered(*opening, *tail)
    session = parse(document)
    view = compact(session, DropOldestPolicy(), 150)
    assert view is not None
    rendered: Any = render(view, session)
    observation = rendered["steps"][2].get("observation")
    if closed is None:
        assert observation == tail[0].get("observation")
    else:
        assert observation == {"results": closed}
    validate(rendered)
    assert check(rendered, pending_ok=True) == []
    assert parse(rendered, ledger=view.ledger).ledger == view.ledger


def test_a_result_of_an_earlier_step_moves_to_its_call(validate: Validate) -> None:
    """A7. Would catch: a result that names a call of another step."""
    late = said("agent", "b", observation={"results": [result("c1", "late")]})
    document = numbered(said("user", "a"), acting(["c1"]), late, said("user", "c"))
    assert {fault.rule for fault in check(document)} >= {"foreign_result", "unanswered_call"}
    session = parse(document, pins=NO_PINS)
    turns = session.transcript.turns
    rendered: Any = render(Transcript(turns[1:]), session)
    assert rendered["steps"][0]["observation"]["results"] == [result("c1", "late")]
    assert rendered["steps"][1]["observation"]["results"] == []
    assert check(rendered) == []
    validate(rendered)


def test_the_view_keeps_more_than_system_steps() -> None:
    """C7."""
    session = parse(A1, pins=NO_PINS)
    with pytest.raises(UnrenderableView):
        render(Transcript(session.transcript.turns[:1]), session)


def test_a_dead_call_blocks_nothing() -> None:
    """A9."""
    steps = [said("user", "Earlier."), acting(["X"])]
    for index in range(40):
        steps += [said("user", f"go {index}"), acting(["c"], result("c", "y" * 200))]
    session = parse(numbered(*steps))
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert check(render(view, session)) == []


@pytest.mark.parametrize(
    ("steps", "rule"),
    [
        ([{"step_id": 2, **said("user", "a")}], "step_id"),
        ([{"step_id": 1, **said("user", "a", reasoning_content="r")}], "agent_only"),
        ([{"step_id": 1, **said("user", "a", color="red")}], "unknown_key"),
        ([{"step_id": 1, **acting(["c"], result("d"))}], "foreign_result"),
        ([{"step_id": 1, **acting(["c"], result("c"), result("c"))}], "orphan_result"),
        ([{"step_id": 1, **acting(["c", "c"])}], "repeated_id"),
        ([{"step_id": 1, **acting(["c"])}], "unanswered_call"),
        ([{"step_id": 1, **said("agent", " ")}], "empty_text"),
        ([{"step_id": 1, **said("system", "a")}], "only_system"),
        ([7], "source"),
    ],
)
def test_a_broken_rule_is_found(steps: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check({**A1, "steps": steps})}


def test_whole_steps_break_no_rule(validate: Validate) -> None:
    assert check(A1) == []
    validate(A1)


# --- properties -------------------------------------------------------------------------------


@settings(max_examples=60)
@given(steps=valid())
def test_a_valid_history_breaks_no_rule_and_comes_back(
    steps: list[Step], validate: Validate
) -> None:
    """R2."""
    document = build(steps)
    assert matches(document)
    assert check(document, pending_ok=True) == []
    validate(document)
    assert parse(document).damage == ()
    check_untouched(atif, document)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=40)
@given(steps=st.one_of(valid(), broken()), cut=cuts())
def test_any_history_at_any_budget_gives_what_the_validator_takes(
    name: str, steps: list[Step], *, cut: tuple[int, int, Pins], validate: Validate
) -> None:
    """Would catch: a split batch, a gap in the numbers, a call left open, a lost ledger."""
    check_compacted(atif, build(steps), name, cut=cut, validate=validate)


@settings(max_examples=150)
@given(document=damaged(build))
def test_anything_is_read_or_refused(document: Json) -> None:
    """R4. Would catch: an error that is no `UnreadableTranscript`."""
    check_damaged(atif, document)


def test_the_properties_are_about_something(validate: Validate) -> None:
    """Would catch: laws that hold because nothing was tried."""
    steps: list[Step] = [
        Said("user", "x" * 300, image=True),
        Batch("", {"call_0": Result("z" * 400), "call_1": Result("", failed=True)}, "signed"),
        Said("user", "ok"),
    ]
    document = build(steps)
    cut = (95, 1, Pins())
    found = check_compacted(atif, document, "masking", cut=cut, validate=validate)
    assert found is not None
    assert rendered_from(found) != document
