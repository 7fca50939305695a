"""Reading and rendering trajectories of mini-SWE-agent."""

import copy
import json
from pathlib import Path
from types import GenericAlias
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.formats.format_laws import (
    Validate,
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
from turnfold.formats import Pins, Session, mini_swe_agent, openai_chat
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats.mini_swe_agent import check, matches, parse

LONG = "z" * 900
Message = dict[str, Any]


def render(view: CompactedView, session: Session, **options: Json) -> Json:
    return mini_swe_agent.render(view, session, **options)


def user(words: str, **extra: Any) -> Message:  # noqa: ANN401
    return {"role": "user", "content": words, **extra}


def acting(command: str, fence: str = "mswea_bash_command") -> Message:
    return {"role": "assistant", "content": f"THOUGHT: I look.\n\n```{fence}\n{command}\n```"}


def calling(*ids: str) -> Message:
    calls = [
        {"id": each, "type": "function", "function": {"name": "bash", "arguments": '{"c":  1}'}}
        for each in ids
    ]
    extra = {"actions": [{"command": "ls", "tool_call_id": each} for each in ids], "cost": 0.1}
    return {"role": "assistant", "content": None, "tool_calls": calls, "extra": extra}


def result(call_id: str, words: str = "y" * 60, code: int = 0) -> Message:
    extra = {"raw_output": words, "returncode": code, "timestamp": 1.5}
    return {"content": words, "extra": extra, "tool_call_id": call_id, "role": "tool"}


def responding(*ids: str, reasoning: bool = False) -> Message:
    thoughts = [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}]
    calls = [
        {"type": "function_call", "id": f"fc_{each}", "call_id": each, "name": "bash"}
        | {"arguments": '{"command":  "ls"}'}
        for each in ids
    ]
    output = [*(thoughts if reasoning else []), *calls]
    return {"object": "response", "output": output, "extra": {"actions": []}}


def output(call_id: str, words: str) -> Message:
    extra = {"raw_output": words, "returncode": 0}
    return {"type": "function_call_output", "call_id": call_id, "output": words, "extra": extra}


SYSTEM = {"role": "system", "content": "You can use a shell."}
EXIT = {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}}
TEXT = [
    SYSTEM,
    user("Please solve this issue: the timeout is ignored."),
    acting("cat a.py"),
    user(f"<returncode>1</returncode>\n<output>\n{LONG}\n</output>"),
    {"role": "assistant", "content": "Two blocks:\n```bash\na\n```\n```bash\nb\n```"},
    user("Please give exactly one action.", extra={"interrupt_type": "FormatError"}),
    acting("echo done", "bash"),
    user("<returncode>0</returncode>"),
]
CALLS = [
    SYSTEM,
    user("Please solve this issue."),
    calling("c1", "c2"),
    result("c1", LONG, 2),
    result("c2"),
    user("No tool calls found.", extra={"interrupt_type": "FormatError"}),
    calling("c3"),
    result("c3"),
    EXIT,
]
RESPONSES = [
    SYSTEM,
    user("Please solve this issue."),
    responding("c1", reasoning=True),
    output("c1", LONG),
    responding("c2", "c3", reasoning=True),
    output("c2", "ok"),
    output("c3", "ok"),
    user("go on"),
]


def trajectory(messages: list[Json]) -> Message:
    return {"info": {"mini_version": "2"}, "messages": messages, "trajectory_format": FORMAT}


FORMAT = "mini-swe-agent-1.1"


@pytest.fixture(scope="session")
def validate() -> Validate:
    """A check of the types by OpenAI's own package, for what is sent of chat messages."""
    pydantic = pytest.importorskip("pydantic")
    chat = pytest.importorskip("openai.types.chat")
    adapter = pydantic.TypeAdapter(GenericAlias(list, (chat.ChatCompletionMessageParam,)))

    def check_types(document: Json) -> None:
        sent = [each for each in document["messages"] if each["role"] != "exit"]
        drain(adapter.validate_python(copy.deepcopy(sent)))

    return check_types


def drain(value: Json) -> None:
    """Nested iterators are validated when they are consumed, and not before."""
    if isinstance(value, dict):
        for each in value.values():
            drain(each)
    elif not isinstance(value, str | bytes | int | float | bool | None):
        for each in value:
            drain(each)


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([user("a"), calling("c")], "unanswered_call"),
        ([user("a"), calling("c"), user("b")], "unanswered_call"),
        ([user("a"), result("c")], "orphan_result"),
        ([user("a"), calling("c"), result("c"), result("c")], "orphan_result"),
        ([user("a"), acting("ls")], "unanswered_call"),
        ([user("a"), responding("c"), user("b")], "unanswered_call"),
        ([user("a"), output("c", "x")], "orphan_result"),
        ([user("a"), EXIT, user("b")], "role"),
        ([SYSTEM, EXIT], "only_system"),
        ([user("a"), {"role": "assistant", "content": None}], "no_content"),
        ([user("a"), 7], "role"),
    ],
)
def test_a_broken_rule_is_found(messages: list[Json], rule: str) -> None:
    assert rule in {fault.rule for fault in check(trajectory(messages))}


def test_whole_histories_break_no_rule_and_exit_is_not_sent() -> None:
    for messages in (TEXT, CALLS, RESPONSES):
        assert check(trajectory(messages)) == []


def test_a_command_and_what_it_gave_belong_together() -> None:
    """A8."""
    session = parse(trajectory(TEXT))
    assert kinds_of(session) == [
        *(("system", None), ("user", None), ("assistant", None), ("tool", None)),
        *(("assistant", None), ("user", "injected"), ("assistant", None), ("tool", None)),
    ]
    turns = session.transcript.turns
    assert [turn.tool_call_id for turn in turns] == [None, None, "m2", "m2", None, None, "m6", "m6"]
    assert turns[3].metadata["turnfold.status"] == "error"
    assert turns[3].metadata["turnfold.tool_name"] == "bash"
    assert "turnfold.status" not in turns[7].metadata


def test_calls_and_items_of_responses_are_read_and_exit_is_no_turn() -> None:
    session = parse(trajectory(CALLS))
    assert session.transcript.turn_ids() == tuple(f"m{number}" for number in range(8))
    assert session.transcript.turn("m3").metadata["turnfold.status"] == "error"
    assert kinds_of(session)[5] == ("user", "injected")
    session = parse(trajectory(RESPONSES))
    assert session.transcript.turn("m2").content == '[call bash] {"command":  "ls"}'
    assert {session.transcript.turn(each).tool_call_id for each in ("m4", "m5", "m6")} == {"m4"}
    assert not session.damage


def test_a_persons_interruption_is_genuine() -> None:
    """C9."""
    extra = {"interrupt_type": "UserInterruption"}
    session = parse(trajectory([*TEXT, acting("ls"), user("Stop that.", extra=extra)]))
    assert kinds_of(session)[-1] == ("user", None)


@pytest.mark.parametrize("messages", [TEXT, CALLS, RESPONSES])
def test_an_unchanged_view_is_the_input(messages: list[Message]) -> None:
    """R2, L6."""
    document = trajectory(messages)
    assert matches(document)
    comes_back(mini_swe_agent, document)
    comes_back(mini_swe_agent, messages)
    comes_back(mini_swe_agent, json.dumps(document).encode())


@pytest.mark.parametrize(
    "other",
    [
        [user("a")],
        {"messages": [user("a")]},
        {"messages": [user("a")], "trajectory_format": "other"},
        {"history": [user("a")], "trajectory": []},
        {"messages": [user("a")], "info": {"model": "x"}},
        {"trajectory_format": FORMAT},
        None,
        7,
    ],
)
def test_other_documents_are_no_trajectories(other: Json) -> None:
    assert not matches(other)


@pytest.mark.parametrize("document", [[], {}, {"messages": []}, trajectory([EXIT]), b"", b"\0"])
def test_a_document_without_messages_is_unreadable(document: Json) -> None:
    with pytest.raises(UnreadableTranscript):
        parse(document)


@pytest.mark.parametrize("messages", [TEXT, CALLS, RESPONSES])
def test_a_masked_result_repeats_its_text_nowhere(messages: list[Message]) -> None:
    """R1, D1, R3. Would catch: `raw_output` beside a masked output."""
    session = parse(trajectory(messages))
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    written = render(view, session)["messages"]
    assert LONG not in json.dumps(written)
    hidden = written[3]
    assert list(hidden) == list(messages[3])
    assert hidden.get("extra", {}).get("returncode") == messages[3].get("extra", {}).get(
        "returncode"
    )
    assert written[2] is messages[2]
    assert check(trajectory(written)) == []


def test_reasoning_items_behind_an_edit_go_with_the_ids_that_miss_them() -> None:
    """B3."""
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "a"}],
    }
    done = {"object": "response", "output": [said], "extra": {"actions": []}}
    session = parse(trajectory([*RESPONSES[:-1], done, RESPONSES[-1]]))
    view = compact(session, ObservationMaskingPolicy(0), session.transcript.token_estimate() - 1)
    assert view is not None
    written = render(view, session)["messages"]
    assert written[2] is RESPONSES[2]
    items = written[4]["output"]
    assert [each["type"] for each in items] == ["function_call", "function_call"]
    assert not any("id" in each for each in items)
    assert render(view, session, reasoning="keep")["messages"][4] is RESPONSES[4]
    assert "reasoning" not in json.dumps(render(view, session, reasoning="strip_all"))


@pytest.mark.parametrize(
    ("tail", "closed"),
    [
        ([acting("ls")], None),
        ([calling("c9")], None),
        ([calling("c9"), user("x")], {"role": "tool", "tool_call_id": "c9"}),
        ([responding("c9"), user("x")], {"type": "function_call_output", "call_id": "c9"}),
        ([acting("ls"), acting("pwd"), user("ok")], {"role": "user"}),
    ],
)
def test_an_unanswered_call_stays_open_at_the_end_and_is_closed_elsewhere(
    tail: list[Message], closed: Message | None
) -> None:
    """A12."""
    messages = [user("a"), {"role": "assistant", "content": "y" * 900}, user("b"), *tail]
    session = parse(trajectory(messages))
    view = compact(session, DropOldestPolicy(), session.transcript.token_estimate() - 1)
    assert view is not None
    rendered = render(view, session)
    ours = [each for each in rendered["messages"] if CLOSED_CALL in each.values()]
    assert len(ours) == (closed is not None)
    assert closed is None or ours[0].items() >= closed.items()
    assert check(rendered, pending_ok=True) == []
    reads_back(mini_swe_agent, rendered, view)


def test_exit_stays_at_the_end() -> None:
    session = parse(trajectory(CALLS))
    view = compact(session, POLICIES["summarizing"], 200)
    assert view is not None
    written = render(view, session)["messages"]
    assert written[-1] is EXIT
    assert check(trajectory(written)) == []


@pytest.mark.parametrize("pins", [Pins(), NO_PINS], ids=["pins", "no_pins"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_cut_and_every_budget_is_taken(policy: str, pins: Pins) -> None:
    """A1, C7."""
    messages = [*CALLS[:3], result("c1", "z" * 90), *CALLS[4:]]
    every_cut_is_taken(mini_swe_agent, trajectory(messages), policy, pins)


def with_calls(steps: list[Step]) -> list[Message]:
    messages: list[Message] = []
    for kind, value in steps:
        if kind == "batch":
            text, results, between = value
            messages.append({**calling(*results), "content": text})
            answers = [result(each, words) for each, words in results.items() if words is not None]
            messages += answers[:1]
            messages += [user(between)] if between is not None else []
            messages += answers[1:]
        else:
            messages.append({"role": kind, "content": value})
    return messages


def by_place(steps: list[Step]) -> list[Message]:
    messages: list[Message] = []
    for kind, value in steps:
        if kind == "batch":
            words = next(iter(value[1].values())) or ""
            messages += [acting("ls"), user(f"<returncode>0</returncode>\n{words}")]
        else:
            messages.append({"role": kind, "content": value})
    return messages


@pytest.mark.parametrize("policy", POLICIES)
@given(messages=st.one_of(histories(with_calls), histories(by_place)), cut=cuts())
@settings(max_examples=20)
def test_any_history_at_any_cut_is_taken(
    policy: str,
    messages: list[Message],
    cut: tuple[int, int, Pins],
    validate: Validate,
) -> None:
    """Would catch: a split batch, an output without its command, a lost ledger."""
    document = trajectory([*messages, EXIT])
    comes_back(mini_swe_agent, document)
    is_compacted(mini_swe_agent, document, policy, cut, validate=validate)


@given(data=st.data())
@settings(max_examples=60)
def test_damage_of_any_kind_leaves_the_rest_readable(data: st.DataObject) -> None:
    """R4."""
    messages = data.draw(st.sampled_from([TEXT, CALLS, RESPONSES]))
    stays_readable(mini_swe_agent, data.draw(damaged(trajectory(messages))))


def test_a_recorded_run_comes_back_and_is_compacted(corpus: Path) -> None:
    """R2, A1."""
    path = corpus / "mini_swe_agent" / "mini-swe-agent-github_issue.traj.json"
    document = json.loads(path.read_bytes())
    assert openai_chat.matches(document)
    assert check(document, pending_ok=True) == []
    comes_back(mini_swe_agent, document)
    assert "compacted" in recorded_is_compacted(mini_swe_agent, document)
    wrapped = trajectory(document)
    assert "compacted" in recorded_is_compacted(mini_swe_agent, wrapped)
