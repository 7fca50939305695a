"""Reading and rendering answers of ToolBench."""

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
from turnfold.formats import Pins, Session, toolbench
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats.toolbench import check, matches, parse

LONG = "z" * 900
Message = dict[str, Any]


def render(view: CompactedView, session: Session, **options: Json) -> Json:
    return toolbench.render(view, session, **options)


def user(words: str, **extra: Any) -> Message:  # noqa: ANN401
    return {"role": "user", "content": words, **extra}


def calling(name: str = "search", words: str | None = None) -> Message:
    call = {"name": name, "arguments": '{\n  "query": "a"\n}'}
    return {"role": "assistant", "content": words, "function_call": call}


def result(words: str, name: str = "search") -> Message:
    return {"role": "function", "name": name, "content": words}


SYSTEM = {"role": "system", "content": "You can use many tools."}
CHAT = [
    SYSTEM,
    user("Which phone is new?"),
    calling(),
    result(LONG),
    calling("news"),
    result('{"error": "", "response": "none"}', "news"),
    user("This is not the first time you try this task.", valid=False),
    calling("search", "I look again."),
    result("ok"),
    {"role": "assistant", "content": "I found it."},
    calling("Finish"),
]


def answer(*chats: Json) -> Message:
    held = {"valid_data": True, "train_messages": list(chats), "query": "Which phone is new?"}
    return {"win": True, "tree": {"size": 1}, "answer_generation": held}


@pytest.mark.parametrize(
    ("chat", "rule"),
    [
        ([user("a"), calling()], "unanswered_call"),
        ([user("a"), calling(), user("b")], "unanswered_call"),
        ([user("a"), result("x")], "orphan_result"),
        ([user("a"), calling(), result("x"), result("y")], "orphan_result"),
        ([SYSTEM], "only_system"),
        ([user("a"), {"role": "x"}], "role"),
        ([user("a"), {"role": "assistant", "content": None}], "no_content"),
        ([user("a"), 7], "role"),
    ],
)
def test_a_broken_rule_is_found(chat: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check(answer(chat))}
    assert check(answer(CHAT, chat), pending_ok=True, conversation=0) == []


def test_a_result_answers_the_call_before_it() -> None:
    """A8, C9."""
    session = parse(answer(CHAT))
    assert kinds_of(session)[6] == ("user", "injected")
    turns = session.transcript.turns
    assert [turn.tool_call_id for turn in turns] == [
        *(None, None, "m2", "m2", "m4", "m4", None, "m7", "m7", None, "m10"),
    ]
    assert turns[3].metadata["turnfold.tool_name"] == "search"
    assert turns[10].metadata["turnfold.status"] == "pending"
    assert not session.damage


def test_of_several_chats_one_is_named_and_only_that_is_replaced() -> None:
    document = answer(CHAT[:3], CHAT, CHAT[:5])
    with pytest.raises(UnreadableTranscript, match=r"3 conversations.*conversation=0"):
        parse(document)
    with pytest.raises(UnreadableTranscript, match="conversation=3"):
        parse(document, conversation=3)
    session = parse(document, conversation=1)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    chats = rendered["answer_generation"]["train_messages"]
    assert chats[0] is document["answer_generation"]["train_messages"][0]
    assert chats[2] is document["answer_generation"]["train_messages"][2]
    assert LONG not in json.dumps(chats[1])
    assert chats[1][2] is CHAT[2]
    assert rendered["tree"] is document["tree"]


def test_damage_names_its_place() -> None:
    session = parse(answer(CHAT, [user("a"), {"role": 7}, user("b")]), conversation=1)
    places = [damage.place for damage in session.damage]
    assert places == ["answer_generation.train_messages[1][1].role"]


def test_an_unchanged_view_is_the_input() -> None:
    """R2, L6."""
    assert matches(answer(CHAT))
    comes_back(toolbench, answer(CHAT))
    comes_back(toolbench, json.dumps(answer(CHAT)).encode())
    comes_back(toolbench, answer(CHAT, CHAT), conversation=1)


@pytest.mark.parametrize(
    "other",
    [
        {},
        [],
        None,
        {"answer_generation": {}},
        {"answer_generation": {"train_messages": 7}, "win": True},
        {"messages": CHAT},
        CHAT,
    ],
)
def test_other_documents_are_no_answers(other: Json) -> None:
    assert not matches(other)
    if isinstance(other, list | dict):
        with pytest.raises(UnreadableTranscript):
            parse(other)


@pytest.mark.parametrize(
    ("tail", "closed"),
    [
        ([calling()], []),
        ([calling(), user("x")], [{"role": "function", "name": "search", "content": CLOSED_CALL}]),
        ([calling(), user("x"), result("late")], []),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], closed: list[Message]
) -> None:
    """A12."""
    chat = [user("a"), {"role": "assistant", "content": "y" * 900}, user("b"), *tail]
    session = parse(answer(chat))
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    written = rendered["answer_generation"]["train_messages"][0]
    assert [each for each in written if each["content"] == CLOSED_CALL] == closed
    assert check(rendered, pending_ok=True) == []
    reads_back(toolbench, rendered, view)


def test_an_orphan_is_left_out() -> None:
    """A3."""
    said = {"role": "assistant", "content": "y" * 900}
    session = parse(answer([user("a"), result("x"), calling(), result("y"), said, user("b")]))
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 100, 1)
    assert view is not None
    assert check(render(view, session)) == []


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_cut_and_every_budget_is_taken(policy: str, pins: Pins) -> None:
    """A1, C7."""
    every_cut_is_taken(toolbench, answer([*CHAT[:3], result("z" * 90), *CHAT[4:]]), policy, pins)


def built(steps: list[Step]) -> list[Message]:
    chat: list[Message] = []
    for kind, value in steps:
        if kind == "batch":
            text, results, between = value
            words = next(iter(results.values()))
            chat.append(calling(words=text or None))
            chat += [user(between)] if between is not None else []
            chat += [result(words)] if words is not None else []
        else:
            chat.append({"role": kind, "content": value})
    return chat


@pytest.mark.parametrize("policy", POLICIES)
@given(chat=histories(built), cut=cuts())
@settings(max_examples=20)
def test_any_history_at_any_cut_is_taken(
    policy: str, chat: list[Message], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a call without its result, a result out of place, a lost ledger."""
    comes_back(toolbench, answer(chat))
    is_compacted(toolbench, answer(chat, chat), policy, cut, conversation=1)


@given(data=st.data())
@settings(max_examples=60)
def test_damage_of_any_kind_leaves_the_rest_readable(data: st.DataObject) -> None:
    """R4."""
    stays_readable(toolbench, data.draw(damaged(answer(CHAT))))


@pytest.mark.parametrize("conversation", range(5))
def test_a_recorded_answer_comes_back_and_is_compacted(corpus: Path, conversation: int) -> None:
    """R2, A1."""
    document = json.loads((corpus / "toolbench" / "G1_answer-57.json").read_bytes())
    assert matches(document)
    assert check(document, pending_ok=True) == []
    comes_back(toolbench, document, conversation=conversation)
    outcomes = recorded_is_compacted(toolbench, document, conversation=conversation)
    # The first three are a system prompt and a task, and little else.
    assert ("compacted" in outcomes) == (conversation > 2)
