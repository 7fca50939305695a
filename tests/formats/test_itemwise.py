"""What every format that is a list of items keeps: one conversation, told in each of them."""

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.formats.json_histories import NO_PINS, compact, eighth
from tests.formats.openhands_histories import action, message, observation
from turnfold import (
    BudgetUnsatisfiable,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    DropOldestPolicy,
    Role,
    default_chain,
)
from turnfold.formats import (
    Session,
    mini_swe_agent,
    openhands,
    sharegpt,
    swe_agent,
    toolbench,
)
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._either import opened
from turnfold.formats._itemwise import pair_by_place
from turnfold.fulfil import fulfil_extractively
from turnfold.ledger import Ledger, differences
from turnfold.testing import check_format
from turnfold.transcript import Transcript, TranscriptTurn

Step = tuple[str, ...]
"""A user's words, the model's words, or a call's arguments and its result, if it has one."""

Json = Any


def as_openhands(steps: list[Step]) -> Json:
    events = []
    for number, (kind, *words) in enumerate(steps):
        name = f"e{number}"
        if kind == "call":
            made = action(name, f"c{number}", f"r{number}")
            made["tool_call"] = {**made["tool_call"], "arguments": words[0]}
            events.append(made)
            events += [observation(f"o{number}", f"c{number}", name, each) for each in words[1:]]
        else:
            events.append(message(name, words[0], "agent" if kind == "say" else "user"))
    return events


def as_early_openhands(steps: list[Step]) -> Json:
    history: list[Json] = []
    for kind, *words in steps:
        if kind == "call":
            history.append({"action": "run", "command": words[0], "thought": ""})
            history += [{"observation": "run", "content": each} for each in words[1:]]
        else:
            asks = {"wait_for_response": kind == "say"}
            history.append({"action": "message", "content": words[0], **asks})
    return {"history": history}


def as_chat(steps: list[Step]) -> list[Json]:
    names = {"user": "user", "say": "assistant"}
    messages: list[Json] = []
    for number, (kind, *words) in enumerate(steps):
        if kind == "call":
            function = {"name": "run", "arguments": words[0]}
            call = {"id": f"c{number}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            named = {"role": "tool", "tool_call_id": f"c{number}"}
            messages += [{**named, "content": each} for each in words[1:]]
        else:
            messages.append({"role": names[kind], "content": words[0]})
    return messages


def as_swe_agent(steps: list[Step]) -> Json:
    history = as_chat(steps)
    for each in history:
        if each["role"] == "tool":
            each["tool_call_ids"] = [each.pop("tool_call_id")]
    return {"trajectory": [], "history": history}


def as_mini_swe_agent(steps: list[Step]) -> Json:
    return {"messages": as_chat(steps), "trajectory_format": "mini-swe-agent-1.1"}


def as_toolbench(steps: list[Step]) -> Json:
    chat = []
    for each in as_chat(steps):
        if each["role"] == "tool":
            chat.append({"role": "function", "name": "run", "content": each["content"]})
        elif "tool_calls" in each:
            call = each["tool_calls"][0]["function"]
            chat.append({"role": "assistant", "content": None, "function_call": call})
        else:
            chat.append(each)
    return {"win": True, "answer_generation": {"train_messages": [chat]}}


def as_sharegpt(steps: list[Step]) -> Json:
    names = {"user": "human", "say": "gpt"}
    items: list[Json] = []
    for kind, *words in steps:
        if kind == "call":
            value = json.dumps({"name": "run", "arguments": words[0]})
            items.append({"from": "function_call", "value": value})
            items += [{"from": "observation", "value": each} for each in words[1:]]
        else:
            items.append({"from": names[kind], "value": words[0]})
    return {"conversations": items}


Tell = Callable[[list[Step]], Json]

WAYS = {
    "openhands": (openhands, as_openhands),
    "early_openhands": (openhands, as_early_openhands),
    "swe_agent": (swe_agent, as_swe_agent),
    "mini_swe_agent": (mini_swe_agent, as_mini_swe_agent),
    "toolbench": (toolbench, as_toolbench),
    "sharegpt": (sharegpt, as_sharegpt),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> tuple[ModuleType, Tell]:
    """A format, and how a conversation is told in it."""
    return WAYS[request.param]


def at_most(session: Session, tokens: int, recent: int = 1) -> CompactedView:
    view = compact(session, DropOldestPolicy(), tokens, recent)
    assert view is not None
    return view


def test_every_way_tells_the_same(way: tuple[ModuleType, Tell]) -> None:
    module, tell = way
    document = tell([("user", "a"), ("call", "x", "y"), ("say", "b"), ("call", "z")])
    session = module.parse(document)
    assert module.matches(document)
    roles = [turn.role.value for turn in session.transcript]
    assert roles == ["user", "assistant", "tool", "assistant", "assistant"]
    statuses = [turn.metadata.get("turnfold.status") for turn in session.transcript]
    assert statuses == [None, None, None, None, "pending"]
    assert module.check(document, pending_ok=True) == []


def test_the_laws_of_every_format_hold(way: tuple[ModuleType, Tell]) -> None:
    """R1 to R4."""
    module, tell = way
    steps: list[Step] = [("user", "task"), ("call", "x", "y" * 300), ("say", "done " * 20)]
    steps += [("user", "and?"), ("call", "x", ""), ("call", "z", "w" * 90), ("user", "last")]
    check_format(module, [tell(steps), tell([*steps, ("call", "open")])], damaged=60)


def test_a_dead_call_blocks_nothing(way: tuple[ModuleType, Tell]) -> None:
    """A9."""
    module, tell = way
    steps: list[Step] = [("user", "a"), ("call", "X")]
    for number in range(40):
        steps += [("user", f"go {number}"), ("call", "x", "y" * 200), ("say", "done")]
    session = module.parse(tell(steps))
    dead = [each for each in session.transcript if each.metadata.get("turnfold.status") == "dead"]
    assert len(dead) == 1
    view = compact(session, default_chain(), session.transcript.token_estimate() // 5, 4)
    assert view is not None
    assert not view.report.budget_unmet
    assert module.check(module.render(view, session)) == []


def test_a_pending_call_is_kept_and_its_late_result_joins_it(way: tuple[ModuleType, Tell]) -> None:
    """A10."""
    module, tell = way
    steps: list[Step] = [("user", "a"), *[("say", "y" * 90)] * 9, ("user", "b"), ("call", "X")]
    session = module.parse(tell(steps))
    plan = DropOldestPolicy().decide(session.transcript, CompactionBudget(120, 1))
    late = module.parse(tell([*steps[:-1], ("call", "X", "yes")]))
    view = CompactionExecutor().apply(late.transcript, plan)
    assert [turn.content for turn in view.transcript][-1] == "yes"
    assert module.check(module.render(view, late)) == []


def test_the_first_and_the_last_user_message_stay(way: tuple[ModuleType, Tell]) -> None:
    """C8."""
    module, tell = way
    document = tell(
        [("user", "TASK"), ("say", "y" * 90), ("user", "LIVE"), ("call", "x", "z" * 90)]
    )
    session = module.parse(document, estimator=eighth)
    for tokens in range(1, session.transcript.token_estimate()):
        view = compact(session, DropOldestPolicy(), tokens, 0)
        if view is not None:
            written = json.dumps(module.render(view, session))
            assert "TASK" in written
            assert "LIVE" in written


def test_no_valid_cut_is_refused_in_a_long_loop(way: tuple[ModuleType, Tell]) -> None:
    """C2."""
    module, tell = way
    session = module.parse(tell([("user", "do it"), *[("call", "x", "y" * 60)] * 30]))
    view = at_most(session, session.transcript.token_estimate() // 4, 4)
    assert not view.report.budget_unmet
    assert module.check(module.render(view, session)) == []


def test_arguments_and_results_count(way: tuple[ModuleType, Tell]) -> None:
    """F3, F6."""
    module, tell = way
    long = "<|endoftext|> \ud800 \0 " * 2_000
    session = module.parse(tell([("user", "a"), ("call", long, long), ("user", "b")]))
    assert all(turn.token_estimate > 0 for turn in session.transcript)
    _, call, result, _ = session.transcript
    assert min(call.token_estimate, result.token_estimate) > len(long) / 8


def test_an_empty_result_stays_as_it_is(way: tuple[ModuleType, Tell]) -> None:
    """D1."""
    module, tell = way
    document = tell([("user", "a"), ("call", "x", ""), ("say", "y" * 900), ("user", "b")])
    session = module.parse(document)
    view = at_most(session, session.transcript.token_estimate() - 1)
    assert [turn.role for turn in view.transcript].count(Role.TOOL) in (0, 1)
    assert module.check(module.render(view, session)) == []


def test_equal_items_stay_apart(way: tuple[ModuleType, Tell]) -> None:
    """L5."""
    module, tell = way
    steps: list[Step] = [("user", "go on"), ("say", "y" * 500), ("user", "go on"), ("say", "a")]
    session = module.parse(tell([*steps, ("user", "go on")]), pins=NO_PINS)
    view = at_most(session, 60, 3)
    written = module.parse(json.loads(json.dumps(module.render(view, session))))
    kept = [turn.content for turn in view.transcript]
    assert [turn.content for turn in written.transcript][-len(kept) :] == kept


@pytest.mark.parametrize("policy", [default_chain(min_target_tokens=64), DropOldestPolicy()])
def test_rounds_resolve_to_the_first_turns(way: tuple[ModuleType, Tell], policy: Any) -> None:  # noqa: ANN401
    """L2, L3. Would catch: a turn whose words or place change from round to round."""
    module, tell = way
    steps: list[Step] = [("user", "start")]
    for number in range(12):
        lines = f"src/part_{number}.py\n" * 40
        steps += [("user", f"Look at {number}."), ("call", "ls", lines), ("say", "There. " * 9)]
    session = module.parse(tell(steps))
    original = session.transcript
    ledger: Ledger | None = None
    for _ in range(3):
        budget = CompactionBudget(session.transcript.token_estimate() * 6 // 10, 2)
        try:
            plan = policy.decide(session.transcript, budget)
        except BudgetUnsatisfiable:
            break
        summaries = fulfil_extractively(session.transcript, plan)
        view = CompactionExecutor().apply(
            session.transcript, plan, summaries, ledger=session.ledger
        )
        assert differences(original, view.transcript, view.ledger) == ()
        written = json.loads(json.dumps(module.render(view, session)))
        assert module.check(written, pending_ok=True) == []
        session = module.parse(written, ledger=view.ledger)
        assert session.transcript.digest() == view.transcript.digest()
        assert session.ledger == view.ledger
        ledger = view.ledger
    assert ledger is not None
    assert ledger.leaf_ids == original.turn_ids()


def test_a_ledger_of_another_session_changes_nothing(way: tuple[ModuleType, Tell]) -> None:
    """L3."""
    module, tell = way
    other = module.parse(tell([("user", "x"), ("say", "y" * 500), ("user", "z")]))
    ledger = at_most(other, other.transcript.token_estimate() - 1).ledger
    document = tell([("user", "a"), ("call", "b", "c"), ("say", "d")])
    beside = module.parse(document, ledger=ledger)
    assert [each.code for each in beside.damage] == ["ledger_mismatch"]
    assert beside.transcript == module.parse(document).transcript
    assert module.render(beside.transcript, beside) is document


def test_a_view_of_another_session_is_refused(way: tuple[ModuleType, Tell]) -> None:
    module, tell = way
    shorter = module.parse(tell([("user", "a"), ("say", "b")]))
    stranger = TranscriptTurn("stranger", Role.ASSISTANT, "c", 3)
    view = Transcript((*shorter.transcript.turns[:1], stranger))
    with pytest.raises(module_error(), match="stranger"):
        module.render(view, shorter)


def module_error() -> type[Exception]:
    from turnfold.errors import UnrenderableView  # noqa: PLC0415

    return UnrenderableView


def test_time_grows_with_the_items(way: tuple[ModuleType, Tell]) -> None:
    """F7, U3. Would catch: a search through all items for each of them (minutes)."""
    module, tell = way
    steps: list[Step] = [("user", "a"), *[("call", "x", "y"), ("say", "z")] * 1_000, ("user", "b")]
    session = module.parse(tell(steps))
    view = at_most(session, session.transcript.token_estimate() // 2)
    assert module.check(module.render(view, session)) == []


def test_calls_and_results_without_ids_pair_by_their_place() -> None:
    """A8."""
    turns = [
        LoadedTurn("a", Role.ASSISTANT, "", makes=(Call("", "f"), Call("own", "g"))),
        LoadedTurn("r1", Role.TOOL, "", answers=("own",)),
        LoadedTurn("r2", Role.TOOL, "", answers=("",)),
        LoadedTurn("r3", Role.TOOL, "", answers=("",)),
        LoadedTurn("b", Role.ASSISTANT, ""),
        LoadedTurn("r4", Role.TOOL, "", answers=("",)),
    ]
    pair_by_place(turns)
    assert [turn.answers for turn in turns if turn.answers] == [
        *(("own",), ("a.0",), ("r3",), ("b.0",))
    ]


def test_a_text_of_one_object_is_a_document_and_more_are_lines() -> None:
    assert not opened(b'{"a": 1}\n').is_lines
    assert opened(b'{"a": 1}\n{"a": 2}').document == [{"a": 1}, {"a": 2}]
    assert opened([b'{"a":', b" 1}"]).document == {"a": 1}
    lines = opened(b'{"a":  1}\r\n{"a": 2}\n')
    assert isinstance(lines.document, list)
    assert lines.spelled([lines.document[0], {"b": "\ud800"}]) == b'{"a":  1}\r\n{"b": "\\ud800"}\n'
