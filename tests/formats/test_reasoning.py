"""Reasoning is bound to what stands before it: what an edit does to it (failures B1, B2, B4)."""

from typing import Any, Literal

import pytest

from tests.formats.claude_code_sessions import Log, answer, call, text
from turnfold import CompactionBudget, CompactionExecutor, DropOldestPolicy, Transcript
from turnfold import ObservationMaskingPolicy as Masking
from turnfold.formats import Session, anthropic_messages, claude_code, openai_responses
from turnfold.formats._marks import NO_WORDS
from turnfold.formats._rules.anthropic import check_anthropic
from turnfold.view import CompactedView

Json = Any
Mode = Literal["strip_after_edit", "keep", "strip_all"]
MODES: tuple[Mode, ...] = ("strip_after_edit", "keep", "strip_all")


def thought(number: int) -> dict[str, Any]:
    return {"type": "thinking", "thinking": f"thought {number}", "signature": f"c2ln{number}"}


HISTORY: list[Json] = [
    {"role": "user", "content": "Find the leak."},
    {"role": "assistant", "content": [thought(1), call("t1")]},
    {"role": "user", "content": [answer("t1", "small")]},
    {"role": "assistant", "content": [thought(2), call("t2")]},
    {"role": "user", "content": [answer("t2", "x" * 4_000)]},
    {"role": "assistant", "content": [thought(3), text("It is in the cache.")]},
    {"role": "assistant", "content": [thought(4)]},
    {"role": "user", "content": "Fix it."},
    {"role": "assistant", "content": [thought(5), call("t3")]},
    {"role": "user", "content": [answer("t3", "ok")]},
    {"role": "assistant", "content": [thought(6), call("t4")]},
    {"role": "user", "content": [answer("t4", "ok")]},
]
"""The user's task, then a second one that the model is in the middle of."""


def masked(session: Session) -> CompactedView:
    """Mask the one large result: the turns before it stay as they are."""
    policy = Masking(keep_recent_results=1)
    budget = CompactionBudget(session.transcript.token_estimate() - 500, 1)
    plan = policy.decide(session.transcript, budget)
    view = CompactionExecutor().apply(session.transcript, plan)
    assert len(view.report.masked_turn_ids) == 1
    return view


def thoughts(messages: list[Json]) -> list[int]:
    """Which thoughts are left, in order; each must be as it was."""
    found = []
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "thinking":
                number = int(block["thinking"].split()[1])
                assert block == thought(number)
                found.append(number)
    return found


LEFT: dict[Mode, list[int]] = {
    "strip_after_edit": [1, 2, 5, 6],
    "keep": [1, 2, 3, 4, 5, 6],
    "strip_all": [],
}


@pytest.mark.parametrize("mode", MODES)
def test_what_is_left_after_an_edit(mode: Mode) -> None:
    """B1, B4; would catch: a thought after the edit that the provider refuses, or a broken loop."""
    session = anthropic_messages.parse(HISTORY)
    rendered: Json = anthropic_messages.render(masked(session), session, reasoning=mode)
    assert thoughts(rendered) == LEFT[mode]
    if mode != "keep":
        assert check_anthropic(rendered) == []


def test_by_default_what_the_edit_spoiled_is_left_out() -> None:
    session = anthropic_messages.parse(HISTORY)
    rendered: Json = anthropic_messages.render(masked(session), session)
    assert thoughts(rendered) == LEFT["strip_after_edit"]


def test_nothing_changed_is_the_input_whatever_is_asked() -> None:
    """R2."""
    session = anthropic_messages.parse(HISTORY)
    for mode in MODES:
        assert (
            anthropic_messages.render(session.transcript, session, reasoning=mode)
            is session.source.document
        )


def test_no_loop_is_kept_whole_where_the_model_is_in_none() -> None:
    """Would catch: a finished answer whose thought is bound to what was edited before it."""
    done: list[Json] = [*HISTORY, {"role": "assistant", "content": [thought(7), text("Done.")]}]
    session = anthropic_messages.parse(done)
    rendered: Json = anthropic_messages.render(masked(session), session)
    assert thoughts(rendered) == [1, 2]


@pytest.mark.parametrize(
    "tail",
    [
        [{"role": "user", "content": [answer("t4", "ok"), text("And hurry.")]}],
        [{"role": "user", "content": [answer("t4", "ok")]}, {"role": "user", "content": "Hurry."}],
        [{"role": "user", "content": "Never mind."}],
    ],
    ids=["one message", "two messages", "no result"],
)
def test_a_user_who_speaks_behind_results_ends_no_loop(tail: list[Json]) -> None:
    """B4; would catch: 'a final `assistant` message must start with a thinking block'.

    Anthropic takes the results and the words for one message, in which results come first; a call
    without a result is closed by one.
    """
    session = anthropic_messages.parse([*HISTORY[:-1], *tail])
    rendered: Json = anthropic_messages.render(masked(session), session)
    assert thoughts(rendered) == LEFT["strip_after_edit"]
    assert check_anthropic(rendered) == []


def test_a_message_of_reasoning_only_is_read_again_as_the_same_turn() -> None:
    """L3; would catch: a turn that is missing from the file that its ledger describes."""
    session = anthropic_messages.parse(HISTORY)
    view = masked(session)
    rendered: Json = anthropic_messages.render(view, session)
    assert {"role": "assistant", "content": [text(NO_WORDS)]} in rendered
    again = anthropic_messages.parse(rendered, ledger=view.ledger)
    assert again.ledger is not None
    assert again.transcript.turn_ids() == view.transcript.turn_ids()


def logged() -> Log:
    log = Log()
    for number, message in enumerate(HISTORY):
        content = message["content"]
        if message["role"] == "assistant":
            log.assistant(f"msg{number}", *content)
        else:
            log.user(content)
    return log


@pytest.mark.parametrize("mode", MODES)
def test_a_claude_code_session_keeps_what_is_good(mode: Mode) -> None:
    """The same in a file of one block a record; a record of nothing but a thought is gone."""
    session = claude_code.parse(logged().data())
    view = masked(session)
    rendered = claude_code.render(view, session, reasoning=mode)
    again = claude_code.parse(rendered, ledger=view.ledger)
    assert again.ledger is not None
    assert again.transcript.turn_ids() == view.transcript.turn_ids()
    left = [number for number in range(1, 7) if b"thought %d" % number in rendered]
    assert left == LEFT[mode]


def test_dropping_the_oldest_spoils_all_thoughts_but_those_of_the_loop() -> None:
    session = anthropic_messages.parse(HISTORY)
    plan = DropOldestPolicy().decide(session.transcript, CompactionBudget(200, 1))
    view = CompactionExecutor().apply(session.transcript, plan)
    rendered: Json = anthropic_messages.render(view, session)
    assert set(thoughts(rendered)) <= {5, 6}
    assert check_anthropic(rendered) == []


def test_an_orphan_before_an_edit_does_not_move_it() -> None:
    """B3; would catch: an edit counted among the turns of the view, and sought among those written.

    The orphan is a turn of the view and is not written, so the two are numbered apart.
    """
    items: list[Json] = [
        {"role": "user", "content": "a"},
        {"type": "function_call_output", "call_id": "gone", "output": "late"},
        {"role": "user", "content": "b"},
        {"type": "reasoning", "id": "rs1", "summary": [], "encrypted_content": "x"},
        {
            "type": "message",
            "id": "msg1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "done", "annotations": []}],
        },
        {"role": "user", "content": "c"},
    ]
    session = openai_responses.parse(items)
    turns = session.transcript.turns
    view = Transcript(turns[:2] + turns[3:])
    rendered: Json = openai_responses.render(view, session, reasoning="strip_after_edit")
    assert [each.get("type") for each in rendered] == [None, "message", None]
    kept: Json = openai_responses.render(view, session, reasoning="keep")
    assert "reasoning" in {each.get("type") for each in kept}
