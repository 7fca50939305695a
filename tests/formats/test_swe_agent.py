"""Reading and rendering trajectories of SWE-agent."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.format_laws import (
    comes_back,
    damaged,
    every_cut_is_taken,
    is_compacted,
    kinds_of,
    reads_back,
    recorded_is_compacted,
    stays_readable,
)
from tests.formats.json_histories import NO_PINS, POLICIES, Json, Step, compact, cuts, histories
from turnfold import CompactedView, DropOldestPolicy, ObservationMaskingPolicy, UnreadableTranscript
from turnfold.formats import Pins, Session, swe_agent
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats.swe_agent import check, matches, parse

LONG = "z" * 900
Message = dict[str, Any]


def render(view: CompactedView, session: Session, **options: Json) -> Json:
    return swe_agent.render(view, session, **options)


def user(words: str, **extra: Any) -> Message:  # noqa: ANN401
    return {"role": "user", "content": words, "agent": "primary", **extra}


def acting(action: str, words: str = "I look.") -> Message:
    said = {"content": f"{words}\n```\n{action}\n```", "thought": words, "action": action}
    return {"role": "assistant", **said, "agent": "primary"}


def calling(*ids: str, action: str = "ls -F") -> Message:
    calls = [
        {"id": each, "type": "function", "function": {"name": "bash", "arguments": '{"c":  1}'}}
        for each in ids
    ]
    said = {"content": "I look.", "thought": "I look.", "action": action}
    kind = {"message_type": "action", "agent": "main"}
    return {"role": "assistant", **said, **kind, "tool_calls": calls}


def result(call_id: str, words: str = "y" * 60) -> Message:
    kind = {"message_type": "observation", "agent": "main", "tool_call_ids": [call_id]}
    return {"role": "tool", "content": words, **kind}


def step(action: str, observation: str, **extra: Any) -> Message:  # noqa: ANN401
    return {"action": action, "observation": observation, "thought": "I look.", **extra}


SYSTEM = {"role": "system", "content": "SETTING: a command line.", "agent": "primary"}
OLD = [
    SYSTEM,
    user("Here is a demonstration: open a file.", is_demo=True),
    user("We solve this issue: the timeout is ignored."),
    acting("open a.py\n"),
    user(f"[File: a.py]\n{LONG}"),
    acting("edit 1:1"),
    user("ok"),
    acting("submit"),
]
NEW = [
    SYSTEM,
    user("We solve this issue: the timeout is ignored.", message_type="observation"),
    calling("c1", action="cat a.py"),
    result("c1", LONG),
    calling("c2", action="submit"),
    result("c2", "diff"),
]


def trajectory(history: list[Message], steps: list[Message] | None = None) -> Message:
    taken = [step(each["action"], "seen") for each in history if "action" in each]
    held = taken if steps is None else steps
    return {"environment": "main", "trajectory": held, "history": history, "info": {"x": 1}}


# --- the rules ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "rule"),
    [
        ([user("a"), calling("c")], "unanswered_call"),
        ([user("a"), calling("c"), user("b")], "unanswered_call"),
        ([user("a"), result("c")], "orphan_result"),
        ([user("a"), calling("c"), result("c"), result("c")], "orphan_result"),
        ([user("a"), calling("c", "c"), result("c"), result("c")], "repeated_id"),
        ([user("a"), acting("ls")], "unanswered_call"),
        ([user("a"), acting("ls"), acting("ls"), user("b")], "unanswered_call"),
        ([SYSTEM], "only_system"),
        ([user("a"), {"role": "narrator", "content": "x"}], "role"),
        ([user("a"), {"role": "assistant", "content": None}], "no_content"),
        ([user("a"), 7], "role"),
    ],
)
def test_a_broken_rule_is_found_with_the_providers_words(history: list[Json], rule: str) -> None:
    faults = {fault.rule: fault for fault in check(trajectory_of(history))}
    assert rule in faults
    assert rule in ("only_system", "call_role") or faults[rule].provider_error


def trajectory_of(history: list[Json]) -> Message:
    return {"trajectory": [], "history": history}


def test_whole_histories_break_no_rule() -> None:
    assert check(trajectory(NEW)) == []
    assert check(trajectory(OLD)) != []
    assert check(trajectory(OLD), pending_ok=True) == []


# --- reading --------------------------------------------------------------------------------


def test_without_function_calling_an_observation_answers_the_action_before_it() -> None:
    """A8, C9."""
    session = parse(trajectory(OLD))
    assert kinds_of(session) == [
        *(("system", None), ("user", "injected"), ("user", None)),
        *(("assistant", None), ("tool", None)) * 2,
        ("assistant", None),
    ]
    turns = session.transcript.turns
    assert [turn.tool_call_id for turn in turns[3:]] == ["m3", "m3", "m5", "m5", "m7"]
    assert turns[4].metadata["turnfold.tool_name"] == "open"
    assert turns[2].pinned
    assert not turns[1].pinned
    assert not session.damage


def test_what_the_program_says_as_the_user_is_injected() -> None:
    """C9."""
    told = user("Your command was blocked.", message_type="observation")
    assert kinds_of(parse(trajectory([*NEW, told, user("Stop.")])))[-2:] == [
        *(("user", "injected"), ("user", None))
    ]


def test_with_function_calling_results_name_their_call() -> None:
    session = parse(trajectory(NEW))
    assert session.transcript.turn("m2").content == 'I look.\n[call bash] {"c":  1}'
    assert session.transcript.turn("m3").tool_call_id == "m2"
    assert session.transcript.turn("m3").metadata["turnfold.tool_name"] == "bash"


def test_damage_names_the_place_in_the_history() -> None:
    session = parse(trajectory([user("a"), {"role": 7}, user("b")], []))
    assert [damage.place for damage in session.damage] == ["history[1].role"]


@pytest.mark.parametrize(
    "document",
    [[], {}, {"history": []}, {"history": 7}, {"trajectory": [step("a", "b")]}, b"", b"x"],
)
def test_a_document_without_a_history_is_unreadable(document: Json) -> None:
    assert isinstance(document, bytes) or not matches(document)
    with pytest.raises(UnreadableTranscript):
        parse(document)


@pytest.mark.parametrize(
    "other",
    [
        {"messages": [user("a")], "info": {}},
        {"history": [{"action": "message", "content": "x"}], "trajectory": []},
        {"history": [user("a")]},
        {"trajectory": [], "history": [7]},
    ],
)
def test_other_documents_are_no_trajectories(other: Json) -> None:
    assert not matches(other)


# --- rendering ------------------------------------------------------------------------------


@pytest.mark.parametrize("history", [OLD, NEW])
def test_an_unchanged_view_is_the_input(history: list[Message]) -> None:
    """R2, L6."""
    document = trajectory(history)
    assert matches(document)
    comes_back(swe_agent, document)
    comes_back(swe_agent, json.dumps(document).encode())


@pytest.mark.parametrize("history", [OLD, NEW])
def test_steps_repeat_nothing_that_was_masked_or_removed(history: list[Message]) -> None:
    """R3. Would catch: an output that is gone from the history and stands in the trajectory."""
    steps = [
        step("open a.py\n" if history is OLD else "cat a.py", LONG, query=[{"content": LONG}]),
        step("stray", LONG),
        step("submit", "diff"),
    ]
    document = trajectory(history, steps)
    session = parse(document)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    assert LONG not in json.dumps(rendered)
    assert len(rendered["trajectory"]) == 2
    assert rendered["trajectory"][1] is steps[2]
    assert list(rendered) == list(document)
    dropped = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 200)
    assert dropped is not None
    assert [each["action"] for each in render(dropped, session)["trajectory"]] == ["submit"]


def test_kept_messages_are_the_same_objects_and_a_masked_one_keeps_its_names() -> None:
    """R1, D1."""
    session = parse(trajectory(NEW))
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    history = render(view, session)["history"]
    assert [each is other for each, other in zip(history, NEW, strict=True)].count(False) == 1
    assert list(history[3]) == list(NEW[3])
    assert {**history[3], "content": LONG} == NEW[3]


def test_thinking_blocks_behind_an_edit_are_left_out() -> None:
    """B1, B5."""
    late = {**calling("c2"), "thinking_blocks": [{"type": "thinking"}], "reasoning_content": "w"}
    history = [*NEW[:4], late, result("c2"), {"role": "assistant", "content": "Done."}]
    session = parse(trajectory(history))
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    assert "thinking_blocks" not in render(view, session)["history"][4]
    assert render(view, session)["history"][4]["reasoning_content"] == "w"
    assert render(view, session, reasoning="keep")["history"][4] is late


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ([acting("ls")], None),
        ([calling("c9")], None),
        ([calling("c9"), user("hello")], {"role": "tool", "tool_call_ids": ["c9"]}),
        ([acting("ls"), acting("pwd"), user("ok")], {"role": "user"}),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], expected: Message | None
) -> None:
    """A12."""
    history = [user("a"), {"role": "assistant", "content": "y" * 900}, user("b"), *tail]
    session = parse(trajectory(history))
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    closed = [each for each in rendered["history"] if each["content"] == CLOSED_CALL]
    assert len(closed) == (expected is not None)
    assert expected is None or closed[0].items() >= expected.items()
    assert check(rendered, pending_ok=True) == []
    reads_back(swe_agent, rendered, view)


def test_an_orphan_is_left_out() -> None:
    """A3."""
    document = trajectory([user("a"), result("x"), *NEW[2:], user("y" * 900), user("b")])
    session = parse(document)
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 120, 2)
    assert view is not None
    assert check(render(view, session)) == []


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("old", [True, False])
def test_every_cut_and_every_budget_is_taken(policy: str, pins: Pins, *, old: bool) -> None:
    """A1, C7."""
    history = copy.deepcopy(OLD[1:] if old else NEW)
    for message in history:
        message["content"] = message["content"][:90]
    every_cut_is_taken(swe_agent, trajectory(history), policy, pins)


# --- properties -----------------------------------------------------------------------------


def with_calls(steps: list[Step]) -> list[Message]:
    history: list[Message] = []
    for kind, value in steps:
        if kind == "batch":
            text, results, between = value
            history.append({**calling(*results), "content": text})
            answers = [result(each, words) for each, words in results.items() if words is not None]
            history += answers[:1]
            history += [user(between)] if between is not None else []
            history += answers[1:]
        else:
            history.append({"role": kind, "content": value})
    return history


def by_place(steps: list[Step]) -> list[Message]:
    history: list[Message] = []
    for kind, value in steps:
        if kind == "batch":
            _, results, _ = value
            words = next(iter(results.values()))
            history.append(acting("ls"))
            # Without an observation the next user's words would be taken for one.
            history.append(user(words or ""))
        else:
            history.append({"role": kind, "content": value})
    return history


@pytest.mark.parametrize("policy", POLICIES)
@given(
    history=st.one_of(histories(with_calls), histories(by_place)),
    cut=cuts(),
)
@settings(max_examples=20)
def test_any_history_at_any_cut_is_taken(
    policy: str, history: list[Message], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a split batch, an observation without its action, a lost ledger."""
    document = trajectory(history)
    comes_back(swe_agent, document)
    is_compacted(swe_agent, document, policy, cut)


@given(data=st.data())
@settings(max_examples=60)
def test_damage_of_any_kind_leaves_the_rest_readable(data: st.DataObject) -> None:
    """R4."""
    history = data.draw(st.sampled_from([OLD, NEW]))
    stays_readable(swe_agent, data.draw(damaged(trajectory(history))))


@pytest.mark.parametrize(
    "name", ["ctf-web-demo", "marshmallow-1867-function-calling", "pydicom-1458"]
)
def test_a_recorded_run_comes_back_and_is_compacted(corpus: Path, name: str) -> None:
    """R2, A1."""
    data = (corpus / "swe_agent" / f"{name}.traj").read_bytes()
    document = json.loads(data)
    assert matches(document)
    assert check(document, pending_ok=True) == []
    comes_back(swe_agent, document)
    assert "compacted" in recorded_is_compacted(swe_agent, data)
