"""Rollouts whose lines are counted, as Codex 0.171 writes them (`history_mode`)."""

import json
from typing import Any

import pytest

from tests.formats.json_histories import NO_PINS, POLICIES, compact
from tests.formats.responses_histories import (
    HEAD,
    Item,
    Json,
    Rollout,
    calling,
    line_of,
    records_of,
    result,
    said,
    thought,
    user,
)
from turnfold import ObservationMaskingPolicy, Transcript
from turnfold.formats.codex import check, parse, render

PAGINATED = {
    **HEAD,
    "history_mode": "paginated",
    "subagent_history_start_ordinal": 4,
    "forked_from_ordinal_exclusive": 9,
}


def shown(item: Item) -> Json:
    """The event that shows a message as a whole."""
    is_user = item["role"] == "user"
    text = {"type": "text" if is_user else "Text", "text": item["content"][0]["text"]}
    kind = "UserMessage" if is_user else "AgentMessage"
    return {"type": "item_completed", "item": {"type": kind, "content": [text]}}


class Log:
    """Appends turns as Codex does."""

    def __init__(self) -> None:
        self.rollout = Rollout(has_head=False).add("session_meta", PAGINATED)

    def turn(self, asked: str, *items: Item, answer: str) -> "Log":
        log = self.rollout.event("task_started", turn_id=asked).context(turn_id=asked)
        for item in (user(asked), *items, said(answer)):
            log.add("response_item", item)
            if "role" in item:
                log.add("event_msg", shown(item))
            if item["type"] == "function_call_output":
                log.event("item_completed", item={"type": "CommandExecution", "aggregated": "OUT"})
        log.event("task_complete", turn_id=asked, last_agent_message=answer)
        return self

    def data(self) -> bytes:
        records = [json.loads(line) for line in self.rollout.lines]
        head, *others = records
        counted = [
            {"timestamp": each["timestamp"], "ordinal": at, **each}
            for at, each in enumerate([head, *others])
        ]
        return b"".join(map(line_of, counted))


def three_turns() -> bytes:
    log = Log().turn(
        "Fix it.",
        thought("rs_1"),
        calling("c1"),
        result("c1", "OUT " * 90),
        answer="The first answer.",
    )
    log.turn("And now?", calling("c2"), result("c2", "OUT " * 90), answer="The second answer.")
    return log.turn("Go on.", answer="The third answer.").data()


def events(data: bytes) -> list[Any]:
    """What the events of a rollout show: texts, and where turns begin and end."""
    payloads = [each["payload"] for each in records_of(data) if each["type"] == "event_msg"]
    return [
        each["item"]["content"][0]["text"] if "item" in each else (each["type"], each["turn_id"])
        for each in payloads
    ]


def without(data: bytes, *words: str) -> bytes:
    session = parse(data, pins=NO_PINS)
    kept = [turn for turn in session.transcript if not any(each in turn.content for each in words)]
    return render(Transcript(kept), session)


def test_it_is_read_as_any_other() -> None:
    """R2."""
    data = three_turns()
    session = parse(data)
    assert session.damage == ()
    assert render(session.transcript, session) == data
    assert check(data) == []


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_the_lines_of_a_compacted_one_are_counted_without_a_gap(policy: str) -> None:
    """R3. Would catch: a line that Codex leaves out when it shows the session."""
    session = parse(three_turns(), pins=NO_PINS)
    view = compact(session, POLICIES[policy], 150, 1)
    assert view is not None
    written = render(view, session)
    records = records_of(written)
    assert [each["ordinal"] for each in records] == list(range(len(records)))
    assert list(records[1])[:2] == ["timestamp", "ordinal"]
    assert check(written) == []


def test_the_head_names_no_line_of_the_session_it_came_from() -> None:
    """R3. Would catch: a count that holds for the old lines."""
    head = records_of(without(three_turns(), "Fix it."))[0]["payload"]
    assert head["history_mode"] == "paginated"
    assert not {key for key in head if "ordinal" in key}


def test_a_rollout_that_is_not_counted_stays_so() -> None:
    log = Rollout().items(user("Fix it."), said("Done."), user("And now?"), said("Done too."))
    session = parse(log.data(), pins=NO_PINS)
    written = render(Transcript(session.transcript.turns[1:]), session)
    assert b"ordinal" not in written


def test_what_is_kept_is_shown_in_its_turn() -> None:
    """R3. Would catch: a resumed session that Codex shows empty."""
    assert events(without(three_turns(), "Fix it.", "OUT", "call", "The second")) == [
        ("task_started", "Fix it."),
        "The first answer.",
        ("task_complete", "Fix it."),
        ("task_started", "And now?"),
        "And now?",
        ("task_complete", "And now?"),
        ("task_started", "Go on."),
        "Go on.",
        "The third answer.",
        ("task_complete", "Go on."),
    ]


def test_a_turn_of_which_nothing_is_shown_is_gone() -> None:
    """R3. Would catch: where a removed turn began, and the answer that its end repeats."""
    written = without(three_turns(), "And now?", "OUT", "call", "The second")
    assert ("task_started", "And now?") not in events(written)
    assert b"The second" not in written
    assert b"last_agent_message" not in written


def test_nothing_masked_is_shown() -> None:
    """R3. Would catch: an event that repeats an output."""
    session = parse(three_turns(), pins=NO_PINS)
    masked = compact(session, ObservationMaskingPolicy(0), 150, 1)
    assert masked is not None
    assert b"OUT" not in render(masked, session)
