"""The installed hook, run by Claude Code itself when it compacts."""

import json
from pathlib import Path

import pytest

from tests.cli.console import process
from tests.products.claude_code.program import Object, Program
from turnfold.formats import claude_code as format_of
from turnfold.testing.provider import FakeProvider, Reply, Request

_TASK = "Move the worker to the new queue, port 8443.\nNever restart the gateway."
_FAILING = "echo FAILED tests/test_queue.py::test_drain - TimeoutError; exit 1"
_SUMMARY = "The worker moves to the new queue, port 8444, with a retry limit of 5."
_COMPACTED = {
    *("session_id", "transcript_path", "cwd", "prompt_id"),
    *("hook_event_name", "source", "model"),
}
_PROMPTED = {
    *("session_id", "transcript_path", "cwd", "prompt_id"),
    *("hook_event_name", "permission_mode", "prompt"),
}


@pytest.fixture
def events(program: Program) -> Path:
    """Where the events of the hook are noted that is installed for the project."""
    program.project.mkdir(parents=True)
    installed = process(
        "hook", "install", "claude-code", "--scope", "project", "--yes", cwd=program.project
    )
    assert installed.code == 0, installed.err
    return program.with_hook_on_path()


def model(*replies: Reply) -> FakeProvider:
    """A provider whose model says these one after the other, and sums up where it is asked to."""
    waiting = list(replies)

    def reply(request: Request) -> Reply:
        if "summary of the conversation" in json.dumps(request.body["messages"][-1]):
            return Reply(f"<summary>\n{_SUMMARY}\n</summary>")
        return waiting.pop(0)

    return FakeProvider(reply)


def noted(events: Path) -> list[Object]:
    return [json.loads(line) for line in events.read_text().splitlines()]


def contexts(request: Request, event: str) -> list[str]:
    """The contexts of an event that a request shows the model."""
    mark = f"{event} hook additional context: "
    blocks = [
        block["text"] if isinstance(block, dict) else block
        for message in request.body["messages"]
        if message["role"] == "system"
        for block in (
            [message["content"]] if isinstance(message["content"], str) else message["content"]
        )
    ]
    return [block.split(mark, 1)[1] for block in blocks if mark in block]


def test_what_a_manual_compaction_lost_is_in_the_next_request(
    program: Program, events: Path
) -> None:
    """Would catch: an event of another shape or at another time, a context that never arrives."""
    calls = Reply("Let me test.", [("Bash", {"command": _FAILING})])
    with model(calls, Reply("I keep the limit at 5."), Reply("On it."), Reply("Done.")) as provider:
        named = program.ask(provider, _TASK)
        program.ask(provider, "/compact", "--resume", named)
        program.ask(provider, "Go on.", "--resume", named)
        program.ask(provider, "And on.", "--resume", named)
        assert [each.error for each in provider.refused] == []
        first, second = provider.requests[-2:]
    asked, compacted, *prompts = noted(events)
    assert (asked["hook_event_name"], asked["prompt"]) == ("UserPromptSubmit", _TASK)
    assert compacted.keys() == _COMPACTED
    assert (compacted["hook_event_name"], compacted["source"]) == ("SessionStart", "compact")
    assert compacted["transcript_path"] == str(program.session(named))
    assert [each.keys() for each in prompts] == [_PROMPTED, _PROMPTED]
    assert [each["prompt"] for each in prompts] == ["Go on.", "And on."]

    (handed_back,) = contexts(first, "SessionStart")
    assert handed_back.startswith("This session was just compacted.")
    assert "|Never restart the gateway.\n" in handed_back
    assert "|FAILED tests/test_queue.py::test_drain - TimeoutError\n" in handed_back
    (audited,) = contexts(first, "UserPromptSubmit")
    assert audited.startswith("turnfold held the summary of the last compaction")
    assert 'the summary says "8444"\n|Move the worker to the new queue, port 8443.' in audited
    assert contexts(second, "UserPromptSubmit") == [audited]


def test_what_an_automatic_compaction_lost_is_in_the_next_request(
    program: Program, events: Path
) -> None:
    """The window is full within a turn: no prompt comes, and the context is there all the same."""
    count = [Reply(calls=[("Bash", {"command": f"seq {at} {at + 4000}"})]) for at in range(4)]
    with model(*count, Reply("Done.")) as provider:
        named = program.ask(provider, _TASK, CLAUDE_AUTOCOMPACT_PCT_OVERRIDE="2")
        assert [each.error for each in provider.refused] == []
        last = provider.requests[-1]
    names = [each["hook_event_name"] for each in noted(events)]
    assert names == ["UserPromptSubmit", *["SessionStart"] * (len(names) - 1)]
    assert len(names) > 1
    (handed_back,) = contexts(last, "SessionStart")
    assert "|Never restart the gateway.\n" in handed_back
    session = format_of.parse(program.session(named).read_bytes())
    assert session.damage == ()
    assert session.transcript.turns[0].metadata["turnfold.kind"] == "summary"
