"""System messages and edits in pi sessions, as pi 1.6 writes them."""

from typing import Any

import pytest

from tests.formats.json_histories import NO_PINS, POLICIES, compact
from tests.formats.pi_histories import HEADER, Object, as_tree, lines, message, result, said, user
from turnfold import Role, SummarizingPolicy, Transcript
from turnfold.formats.pi import check, parse, render

TOOLS = [{"name": "run", "description": "Runs.", "parameters": {}}]
SYSTEM = message(
    "system", content="", sections={"preamble": "Be brief.", "cwd": "/work"}, toolsAdded=TOOLS
)
UPDATE = message("system", content="", sections={"skills": "Use it.", "cwd": None})


def checkpoint(kept: int) -> Object:
    """A compaction with the system message that all before it came to."""
    carried = {"role": "system", "content": "Carried.", "timestamp": 1}
    record = {"type": "compaction", "timestamp": "T1", "summary": "So far.", "tokensBefore": 9}
    return {**record, "firstKeptEntryIndex": kept, "systemMessage": carried}


def edit(target: int, replacement: Any) -> Object:  # noqa: ANN401
    named = {"targetId": f"id{target:06}", "replacement": replacement}
    return {"type": "context_edit", "timestamp": "T1", **named}


def story() -> list[Object]:
    records = [HEADER, SYSTEM, user("Start the stub."), said("", "a"), result("a", "y" * 400)]
    return as_tree([*records, UPDATE, said("It runs."), user("Go on."), said("Done.")])


def shown(records: list[Object], **more: Any) -> list[tuple[str, str]]:  # noqa: ANN401
    session = parse(lines(records), **more)
    assert session.damage == ()
    return [(turn.role.value, turn.content) for turn in session.transcript]


def test_a_system_message_is_a_system_turn() -> None:
    """Would catch: the prompt reported as damage, and a section that was taken out read."""
    data = lines(story())
    session = parse(data)
    systems = [each.content for each in session.transcript if each.role is Role.SYSTEM]
    assert session.damage == ()
    assert systems == ["Be brief.\n/work", "Use it."]
    assert render(session.transcript, session) == data
    assert check(data) == []


def test_a_compaction_opens_with_the_system_message_it_carries() -> None:
    """K7. Would catch: kept system messages beside the one that stands for them."""
    old = [HEADER, user("An old one."), SYSTEM, user("Kept."), said("Yes.")]
    records = as_tree([*old, checkpoint(2), user("Go on.")])
    assert shown(records) == [
        ("system", "Carried."),
        ("user", "So far."),
        ("user", "Kept."),
        ("assistant", "Yes."),
        ("user", "Go on."),
    ]
    assert check(lines(records)) == []


def test_an_older_compaction_in_what_is_kept_is_not_sent() -> None:
    records = as_tree([HEADER, user("a"), checkpoint(1), user("b"), checkpoint(1), user("c")])
    assert shown(records) == [
        ("system", "Carried."),
        ("user", "So far."),
        ("user", "a"),
        ("user", "b"),
        ("user", "c"),
    ]


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_a_compacted_session_keeps_its_system_messages(policy: str) -> None:
    """R2. Would catch: a system message before a compaction, where pi does not look for it."""
    session = parse(lines(story()), pins=NO_PINS)
    view = compact(session, POLICIES[policy], 60, 1)
    assert view is not None
    written = render(view, session)
    assert check(written) == []
    again = parse(written)
    systems = [each.content for each in again.transcript if each.role is Role.SYSTEM]
    assert systems == ["Be brief.\n/work", "Use it."]
    said_in_view = [each.content for each in view.transcript if each.role is not Role.SYSTEM]
    assert [each.content for each in again.transcript if each.role is not Role.SYSTEM] == (
        said_in_view
    )


def test_a_summary_that_comes_first_carries_the_system_message() -> None:
    """R2. Would catch: tools and prompt that pi would have to declare anew."""
    session = parse(lines(story()), pins=NO_PINS)
    policy = SummarizingPolicy("turnfold.summary/1", min_span_turns=1)
    view = compact(session, policy, 60, 1)
    assert view is not None
    records = parse(render(view, session)).source.records
    (compaction,) = [each for each in records if each["type"] == "compaction"]
    assert compaction["systemMessage"] == SYSTEM["message"]
    again = parse(render(view, session), ledger=view.ledger).transcript
    assert again.turns[0].turn_id == "id000001"


def test_a_view_that_begins_with_the_model_gets_its_bridge_behind_the_system_message() -> None:
    session = parse(lines(story()))
    turns = session.transcript.turns
    written = render(Transcript((turns[0], *turns[5:])), session)
    roles = [
        each["message"]["role"]
        for each in parse(written).source.records
        if each["type"] == "message"
    ]
    assert roles[:3] == ["system", "user", "assistant"]
    assert check(written) == []


def test_an_edit_changes_what_is_sent() -> None:
    """Would catch: an output that the client no longer sends, counted and compacted."""
    records = [HEADER, user("Start."), said("", "a"), result("a", "y" * 400), said("It runs.")]
    records += [edit(3, {"content": "short"}), edit(4, {"content": "Up."})]
    tree = as_tree([*records, user("Go on.")])
    assert shown(tree)[2:] == [("tool", "short"), ("assistant", "Up."), ("user", "Go on.")]
    assert shown(tree, scope="full")[2:4] == [("tool", "y" * 400), ("assistant", "It runs.")]
    assert check(lines(tree)) == []
    session = parse(lines(tree))
    assert render(session.transcript, session) == lines(tree)
    written = render(Transcript(session.transcript.turns[1:]), session)
    assert b"yyyy" not in written
    assert [each.content for each in parse(written).transcript][1:] == ["short", "Up.", "Go on."]


def test_an_edit_leaves_a_message_out() -> None:
    tree = as_tree([HEADER, user("Start."), said("No."), user("Go on."), edit(2, None)])
    assert shown(tree) == [("user", "Start."), ("user", "Go on.")]
    open_call = as_tree([HEADER, user("a"), said("", "c"), result("c", "x"), edit(3, None)])
    assert [each.rule for each in check(lines(open_call))] == ["unanswered_call"]
