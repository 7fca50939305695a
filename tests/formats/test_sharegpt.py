"""Reading and rendering ShareGPT conversations."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.format_laws import (
    comes_back,
    damaged,
    every_cut_is_taken,
    is_compacted,
    reads_back,
    stays_readable,
)
from tests.formats.json_histories import NO_PINS, POLICIES, Json, Step, compact, cuts, histories
from turnfold import CompactedView, DropOldestPolicy, ObservationMaskingPolicy, UnreadableTranscript
from turnfold.formats import Pins, Session, sharegpt
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats.sharegpt import check, matches, parse
from turnfold.formats.sharegpt._read import REMOVED_REPLY

LONG = "z" * 900
Item = dict[str, Any]


def render(view: CompactedView, session: Session, **options: Json) -> Json:
    return sharegpt.render(view, session, **options)


def human(words: str) -> Item:
    return {"from": "human", "value": words}


def gpt(words: str) -> Item:
    return {"from": "gpt", "value": words}


def call(name: str = "look") -> Item:
    return {"from": "function_call", "value": json.dumps({"name": name, "arguments": {"a": 1}})}


def observation(words: str) -> Item:
    return {"from": "observation", "value": words}


CHAT = [
    {"from": "system", "value": "Be brief."},
    human("the task"),
    call(),
    observation(LONG),
    gpt("It is there."),
    human("and now?"),
    call("news"),
    observation("none"),
    gpt("Nothing."),
]
HERMES = [
    {"from": "system", "value": "You may call functions."},
    human("the task"),
    gpt('<tool_call>\n{"name": "look"}\n</tool_call>\n<tool_call>\n{"name": "b"}\n</tool_call>'),
    {"from": "tool", "value": f"<tool_response>{LONG}</tool_response>"},
    {"from": "tool", "value": "<tool_response>ok</tool_response>"},
    gpt("Done."),
]


def wrapped(items: list[Json], **extra: Json) -> Item:
    return {"id": "x1", "conversations": items, "tools": "[]", **extra}


def lines(*documents: Json) -> bytes:
    return b"".join(json.dumps(each, indent=None).encode() + b"\n" for each in documents)


@pytest.mark.parametrize(
    ("items", "rule"),
    [
        ([human("a"), call()], "unanswered_call"),
        ([human("a"), call(), human("b")], "unanswered_call"),
        ([human("a"), observation("x")], "orphan_result"),
        ([CHAT[0]], "only_system"),
        ([human("a"), {"from": "narrator", "value": "x"}], "role"),
        ([human("a"), {"from": "gpt"}], "no_content"),
        ([human("a"), human("b")], "alternation"),
        ([gpt("a")], "alternation"),
        ([human("a"), 7], "role"),
    ],
)
def test_a_broken_rule_is_found(items: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check(wrapped(items), strict=True)}


def test_whole_conversations_break_no_rule() -> None:
    assert check(wrapped(CHAT), strict=True) == []
    assert check([wrapped(HERMES), wrapped(CHAT)]) == []
    assert check([wrapped(HERMES)], strict=True) != []


def test_a_result_answers_the_turn_before_it() -> None:
    """A4, A8."""
    session = parse(wrapped(CHAT))
    turns = session.transcript.turns
    assert [turn.tool_call_id for turn in turns] == [
        *(None, None, "m2", "m2", None, None, "m6", "m6", None)
    ]
    assert turns[2].content == '[call look] {"a": 1}'
    assert turns[3].metadata["turnfold.tool_name"] == "look"
    several = parse(wrapped(HERMES)).transcript
    assert {several.turn(each).tool_call_id for each in ("m2", "m3", "m4")} == {"m2"}


def test_calls_next_to_each_other_are_one_turn() -> None:
    """A4."""
    items = [human("a"), call("x"), call("y"), observation("1"), observation("2"), gpt("b")]
    session = parse(wrapped(items))
    assert session.transcript.turn_ids() == ("m0", "m1", "m3", "m4", "m5")
    assert session.transcript.turn("m1").content.count("[call") == 2
    assert session.transcript.turn("m4").metadata["turnfold.tool_name"] == "y"
    assert check(wrapped(items)) == []


def test_a_thought_in_front_of_a_call_hides_no_name() -> None:
    """Would catch: a result whose tool nobody can tell; LLaMA-Factory takes a thought there."""
    thought = "<think>\nI look.\n</think>"
    spelled = {"from": "function_call", "value": f"{thought}\n\n{call()['value']}"}
    turns = parse(wrapped([human("a"), spelled, observation("x"), gpt("b")])).transcript.turns
    assert turns[1].content == f'{thought}\n[call look] {{"a": 1}}'
    assert turns[2].metadata["turnfold.tool_name"] == "look"


@pytest.mark.parametrize(
    ("asks", "calls", "gives", "says"),
    [
        ("user", "function-call", "function-response", "bot"),
        ("human", "function_call", "observations", "assistant"),
    ],
)
def test_the_names_of_other_training_tools_are_known(
    asks: str, calls: str, gives: str, says: str
) -> None:
    """Would catch: a data set for ms-swift in which nobody is known."""
    items = [
        {"from": asks, "value": "a"},
        {"from": calls, "value": call()["value"]},
        {"from": gives, "value": "x"},
        {"from": says, "value": "b"},
    ]
    assert matches(wrapped(items))
    assert [turn.role.value for turn in parse(wrapped(items)).transcript] == [
        *("user", "assistant", "tool", "assistant")
    ]
    assert check(wrapped(items), strict=True) == []


@pytest.mark.parametrize("value", ["", "not json", "null", "[1]", '{"name": 7}', None, {"a": 1}])
def test_calls_of_any_spelling_are_read(value: Json) -> None:
    """G1."""
    items = [human("a"), {"from": "function_call", "value": value}, observation("x"), gpt("b")]
    session = parse(wrapped(items))
    assert len(session.transcript) == 4
    assert session.transcript.turn("m1").token_estimate > 0


@pytest.mark.parametrize(
    "source",
    [
        wrapped(CHAT),
        wrapped(HERMES),
        [wrapped(CHAT)],
        CHAT,
        lines(wrapped(CHAT)),
        json.dumps([wrapped(CHAT)], indent=2).encode(),
    ],
)
def test_an_unchanged_view_is_the_input(source: Json) -> None:
    """R2, L6."""
    assert isinstance(source, bytes) or matches(source)
    comes_back(sharegpt, source)


def test_of_several_conversations_one_is_named_and_only_its_line_changes() -> None:
    data = lines(wrapped(HERMES), wrapped(CHAT), wrapped(CHAT[:2]))
    with pytest.raises(UnreadableTranscript, match=r"3 conversations.*conversation=0"):
        parse(data)
    session = parse(data, conversation=1)
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    written = render(view, session)
    assert isinstance(written, bytes)
    before, changed, after = written.splitlines(keepends=True)
    assert [before, after] == data.splitlines(keepends=True)[::2]
    assert LONG not in changed.decode()
    assert list(json.loads(changed)) == ["id", "conversations", "tools"]
    reads_back(sharegpt, written, view, conversation=1)


@pytest.mark.parametrize(
    "other",
    [
        [],
        {},
        None,
        "x",
        {"conversations": []},
        {"conversations": [{"role": "user", "content": "x"}]},
        {"messages": CHAT},
        [{"from": "mail@x.example", "value": "x"}],
        [{"history": CHAT}],
    ],
)
def test_other_documents_are_no_conversations(other: Json) -> None:
    assert not matches(other)
    with pytest.raises(UnreadableTranscript):
        parse(other)


def test_kept_items_are_the_same_objects_and_a_masked_one_keeps_its_name() -> None:
    """R1, D1."""
    session = parse(wrapped(CHAT))
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    written = render(view, session)["conversations"]
    assert [each is other for each, other in zip(written, CHAT, strict=True)].count(False) == 1
    assert written[3] == {"from": "observation", "value": view.transcript.turn("m3").content}


def test_the_two_sides_alternate_where_they_did() -> None:
    """C4, C6."""
    session = parse(wrapped(CHAT), pins=NO_PINS)
    view = compact(session, POLICIES["summarizing"], 60)
    assert view is not None
    written = render(view, session)
    names = [each["from"] for each in written["conversations"]]
    assert names[:2] == ["system", "human"]
    assert check(written, strict=True) == []
    reads_back(sharegpt, written, view, pins=NO_PINS)
    cut = [human("a"), gpt("y" * 900), human("b"), gpt("c"), human("d")]
    session = parse(wrapped(cut))
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    values = [each["value"] for each in render(view, session)["conversations"]]
    assert values == ["a", REMOVED_REPLY, "b", "c", "d"]
    kept = parse(wrapped([human("x" * 900), gpt("b"), human("c")]), pins=NO_PINS)
    view = compact(kept, DropOldestPolicy(), 60, 2)
    assert view is not None
    values = [each["value"] for each in render(view, kept)["conversations"]]
    assert values == [BRIDGE, "b", "c"]


@pytest.mark.parametrize(
    ("tail", "closed"),
    [
        ([call()], 0),
        ([call(), human("x"), gpt("y")], 1),
        ([call(), human("x"), observation("late"), gpt("y")], 0),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Item], closed: int
) -> None:
    """A12."""
    session = parse(wrapped([human("a"), gpt("y" * 900), human("b"), *tail]))
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    written = [each for each in rendered["conversations"] if each["value"] == CLOSED_CALL]
    assert len(written) == closed
    assert check(rendered, pending_ok=True) == []
    reads_back(sharegpt, rendered, view)


def test_an_orphan_is_left_out() -> None:
    """A3."""
    session = parse(wrapped([human("a"), observation("x"), *CHAT[1:]]))
    assert [damage.code for damage in session.damage] == ["orphan_result"]
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    assert check(render(view, session)) == []


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_cut_and_every_budget_is_taken(policy: str, pins: Pins) -> None:
    """A1, C7."""
    every_cut_is_taken(
        sharegpt, wrapped([*CHAT[:3], observation("z" * 90), *CHAT[4:]]), policy, pins
    )


def built(steps: list[Step]) -> list[Item]:
    items: list[Item] = []
    for kind, value in steps:
        if kind == "batch":
            _, results, _ = value
            if len(results) > 1:
                items.append(gpt("<tool_call>{}</tool_call>"))
                items += [observation(words or "") for words in results.values()]
            else:
                items.append(call())
                items += [observation(each) for each in results.values() if each is not None]
        else:
            name = {"user": "human", "assistant": "gpt"}.get(kind, kind)
            items.append({"from": name, "value": value})
    return items


def alternating(steps: list[Step]) -> list[Item]:
    """Only what a training tool takes: a person, and then the model, in turn."""
    items: list[Item] = []
    for item in built(steps):
        by_model = item["from"] in ("gpt", "function_call")
        if item["from"] == "system":
            continue
        wanted = bool(items) and items[-1]["from"] in ("human", "observation")
        if by_model == wanted and not (item["from"] == "observation" and "gpt" in str(items[-1])):
            items.append(item)
        elif not by_model and items and items[-1]["from"] == "function_call":
            items.append(observation("ok"))
    if items and items[-1]["from"] == "function_call":
        items.pop()
    return items or [human("a")]


@pytest.mark.parametrize("policy", POLICIES)
@given(items=st.one_of(histories(built), histories(alternating)), cut=cuts())
@settings(max_examples=25)
def test_any_history_at_any_cut_is_taken(
    policy: str, items: list[Item], cut: tuple[int, int, Pins]
) -> None:
    """Would catch: a call without its result, two turns of one side, a lost ledger."""
    strict = check(wrapped(items), strict=True, pending_ok=True) == []

    def validate(rendered: Json) -> None:
        assert not strict or check(rendered, strict=True, pending_ok=True) == []

    comes_back(sharegpt, wrapped(items))
    is_compacted(sharegpt, wrapped(items), policy, cut, validate=validate)


@given(data=st.data())
@settings(max_examples=80)
def test_damage_of_any_kind_leaves_the_rest_readable(data: st.DataObject) -> None:
    """R4."""
    items = data.draw(st.sampled_from([CHAT, HERMES]))
    stays_readable(sharegpt, data.draw(damaged(wrapped(items))))


@pytest.mark.parametrize(
    ("spoiled", "codes"),
    [
        (lines(wrapped(CHAT)) + b"\0" * 500 + b"\n", ["nul_bytes"]),
        (lines(wrapped(CHAT)) + b'{"conversations": [', ["unreadable_record"]),
        (b"\xef\xbb\xbf" + lines(wrapped(CHAT)), []),
        (lines(wrapped([human("a\u2028b"), gpt("c")])), []),
    ],
)
def test_a_bad_line_costs_itself(spoiled: bytes, codes: list[str]) -> None:
    """K1."""
    session = parse(spoiled)
    assert [damage.code for damage in session.damage] == codes
    assert sharegpt.render(session.transcript, session) == spoiled
