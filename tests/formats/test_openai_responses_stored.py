"""Responses of which the provider stores a part: earlier responses, items that are referred to."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.json_histories import POLICIES, compact, cuts, has_conversation
from tests.formats.responses_histories import (
    Item,
    Json,
    calling,
    histories,
    result,
    said,
    thought,
    user,
)
from turnfold import CompactionBudget, CompactionExecutor, Transcript, default_chain
from turnfold.formats import openai_responses
from turnfold.formats._responses_items import part_of
from turnfold.formats._rules.responses import check_responses
from turnfold.formats.openai_responses import check, parse

FEW = settings(max_examples=max(settings().max_examples // 4, 1))
LONG = "y" * 4_000


def reference(item_id: str) -> Item:
    return {"type": "item_reference", "id": item_id}


def codes(source: Json) -> list[tuple[str, str]]:
    return [(each.place, each.code) for each in parse(source).damage]


def rendered(view: Any, session: Any) -> Json:  # noqa: ANN401
    return openai_responses.render(view, session)


# --- what is no fault ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        {"previous_response_id": "resp_1", "input": [result("c1")]},
        {"conversation": "conv_1", "input": [result("c1")]},
        {"conversation": {"id": "conv_1"}, "input": [result("c1"), user("Go on.")]},
        {"previous_response_id": "resp_1", "model": "any", "input": []},
        {"previous_response_id": "resp_1", "input": [calling("c2"), result("c2"), result("c1")]},
        [user("a"), reference("fc_1"), result("c1")],
        [user("a"), {"id": "fc_1"}, result("c1")],
        [user("a"), calling("c1"), reference("fco_1"), user("b")],
        [user("a"), thought("rs_1"), reference("msg_1")],
        {
            "responses_create_params": {
                "previous_response_id": "resp_1",
                "input": [result("c1")],
            },
            "response": {"output": [said("Done.")]},
        },
    ],
)
def test_what_may_lie_with_the_provider_is_no_fault(source: Json) -> None:
    """Would catch: a result whose call OpenAI stores, called an orphan."""
    assert check(source) == []


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ({"previous_response_id": None, "input": [user("a"), result("c1")]}, "orphan_result"),
        ({"previous_response_id": "r", "input": [calling("c1"), user("a")]}, "unanswered_call"),
        ({"previous_response_id": "r", "input": [thought("rs_1")]}, "dangling_reasoning"),
        ([user("a"), result("c1"), reference("fc_1")], "orphan_result"),
        ([user("a"), reference("fc_1"), calling("c2"), user("b")], "unanswered_call"),
        ([user("a"), {"type": "item_reference"}, result("c1")], "orphan_result"),
    ],
)
def test_what_can_be_seen_is_still_a_fault(source: Json, rule: str) -> None:
    """Would catch: a rule that is off wherever something is stored."""
    assert rule in {fault.rule for fault in check(source)}


# --- what a compaction leaves alone ----------------------------------------------------------


def test_a_result_whose_call_is_stored_is_pinned_and_said() -> None:
    """T7. Would catch: a result that a rendering leaves out, so that OpenAI refuses the request."""
    words = [user("Part. " * 400), said("There. " * 400)]
    items = [result("c1", LONG), *words, *words, user("Go on.")]
    source = {"previous_response_id": "resp_1", "input": items}
    session = parse(source)
    assert codes(source) == [
        ("previous_response_id", "unseen_item"),
        ("input[0]", "unseen_item"),
    ]
    first = session.transcript.turns[0]
    assert first.pinned
    plan = default_chain().decide(session.transcript, CompactionBudget(2_600, 1))
    view = CompactionExecutor().apply(
        session.transcript, plan, {each.group_id: "Sum." for each in plan.summarization_requests}
    )
    left = rendered(view, session)["input"]
    assert len(left) < len(items)
    assert left[0] is items[0]
    assert check({**source, "input": left}) == []


def test_what_may_belong_to_a_reference_is_neither_parted_nor_closed() -> None:
    """Would catch: a second result for a call whose first one is stored."""
    pair = [calling("c1"), reference("fco_1")]
    others = [reference("fc_2"), result("c2", LONG)]
    items = [user("a"), *pair, user("b"), *others, said("c" * 900), user("d")]
    session = parse(items)
    pinned = [turn.turn_id for turn in session.transcript if turn.pinned]
    assert {"fco_1", "fc_2", "m5"} <= set(pinned)
    left = Transcript(turn for turn in session.transcript if turn.turn_id != "m6")
    assert rendered(left, session) == [user("a"), *pair, user("b"), *others, user("d")]


def test_a_reference_before_a_compaction_item_may_be_the_call_of_a_result_behind_it() -> None:
    """Would catch: a call that the live scope leaves out, while its result stays."""
    items = [user("a"), reference("fc_1"), {"type": "compaction", "encrypted_content": "g"}]
    items += [result("c1"), user("b")]
    assert len(parse(items).transcript) == 5
    assert "m1" not in parse([*items[:3], user("b")]).transcript.turn_ids()


@pytest.mark.parametrize("name", POLICIES)
@FEW
@given(
    document=histories(),
    cut=cuts(),
    at=st.integers(0, 20),
    referred=st.sets(st.integers(0, 20), max_size=3),
)
def test_no_cut_parts_what_is_seen_from_what_is_stored(
    name: str,
    *,
    document: list[Item],
    cut: tuple[int, int, Any],
    at: int,
    referred: set[int],
) -> None:
    """Would catch: a request that is valid by itself, and refused with what OpenAI adds to it."""
    stored = document[: _end_of_a_response(document, at)]
    sent = document[len(stored) :]
    items = {f"stored_{number}": item for number, item in enumerate(sent) if number in referred}
    names = {id(item): name for name, item in items.items()}
    shown = [reference(names[id(item)]) if id(item) in names else item for item in sent]
    source = {"previous_response_id": "resp_1" if stored else None, "model": "m", "input": shown}
    if not shown:
        return
    share, recent, pins = cut
    session = parse(source, pins=pins)
    tokens = session.transcript.token_estimate() * share // 100
    view = compact(session, POLICIES[name], tokens, recent)
    if view is None or not has_conversation(view):
        return
    left = rendered(view, session)["input"]
    whole = [*stored, *(items.get(str(each.get("id")), each) for each in left)]
    assert _faults(whole) <= _faults(document)


def _end_of_a_response(items: list[Item], at: int) -> int:
    """Return where a response ends: what is stored ends with all that the model said."""
    while at < len(items) and part_of(items[at]) == "model":
        at += 1
    return min(at, len(items))


def _faults(items: list[Item]) -> set[tuple[str, str]]:
    return {(each.rule, each.message) for each in check_responses(items, pending_ok=True)}
