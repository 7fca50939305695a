"""Sessions that Claude Code records are read; what turnfold compacts it resumes (R1 to R4)."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.console import turnfold
from tests.formats.claude_code_sessions import messages_of
from tests.products.claude_code.program import Program, without_reminders
from turnfold import Ledger
from turnfold.formats import claude_code as format_of
from turnfold.testing.provider import FakeProvider, Reply, Request

_TASK = "Move the worker to the new queue, port 8443.\nNever restart the gateway."
_SUBTASK = "Count the notes."
_LONG = "seq 1 2000"
_FAILING = "echo FAILED tests/test_queue.py::test_drain; exit 1"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session that the program recorded.

    Args:
        program: The program, with its home.
        file: The session's file.
        requests: What the fake provider received for it.
    """

    program: Program
    file: Path
    requests: list[Request]


@pytest.fixture(scope="module")
def recorded(claude_code: str, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A task with parallel calls, a failure, a written file and a subagent; then a correction."""
    program = Program(claude_code, tmp_path_factory.mktemp("recorded"))
    program.project.mkdir()
    notes = program.project / "notes.txt"
    notes.write_text("".join(f"note {number}\n" for number in range(300)))
    worker = {"file_path": str(program.project / "worker.py"), "content": "PORT = 8443\n"}
    agent = {"prompt": _SUBTASK, "description": "Count", "run_in_background": False}
    main = [
        Reply("I look.", [("Read", {"file_path": str(notes)}), ("Bash", {"command": _LONG})]),
        Reply("Now the tests.", [("Bash", {"command": _FAILING})]),
        Reply("", [("Write", worker)]),
        Reply("I ask.", [("Agent", {**agent, "subagent_type": "general-purpose"})]),
        Reply("I decided to keep the retry limit at 5."),
        Reply("Fine.", [("Bash", {"command": "seq 1 300"})]),
        Reply("Done."),
    ]
    helper = [Reply("", [("Bash", {"command": "wc -l notes.txt"})]), Reply("There are 300.")]

    def replies(request: Request) -> Reply:
        is_helper = _SUBTASK in json.dumps(request.body["messages"][0])
        return (helper if is_helper else main).pop(0)

    with FakeProvider(replies, bound_reasoning=True) as provider:
        named = program.ask(provider, _TASK)
        program.ask(provider, "No, not staging: use the canary cluster.", "--resume", named)
        assert [each.error for each in provider.refused] == []
        return Recorded(program, program.session(named), provider.requests)


def test_a_session_is_read_and_given_back_byte_for_byte(recorded: Recorded) -> None:
    """R1, R2. Would catch: records of a new version that are damage, or no messages any more."""
    data = recorded.file.read_bytes()
    session = format_of.parse(data)
    assert (session.damage, format_of.check(data)) == ((), [])
    assert format_of.render(session.transcript, session) == data
    roles = "".join(turn.role.value[0] for turn in session.transcript)
    assert roles == "uatt" + "at" * 3 + "a" + "uata"
    failed = [turn for turn in session.transcript if "FAILED" in turn.content][-1]
    assert failed.content.startswith("Exit code 1")
    answered = {"role": "assistant", "content": recorded.requests[-1].answer["content"]}
    sent = [*recorded.requests[-1].body["messages"], answered]
    assert without_reminders(messages_of(data)) == without_reminders(sent)


def test_a_subagent_s_file_is_a_session(recorded: Recorded) -> None:
    """R1."""
    (file,) = recorded.file.with_suffix("").glob("subagents/agent-*.jsonl")
    session = format_of.parse(file.read_bytes())
    assert (session.damage, format_of.check(file.read_bytes())) == ((), [])
    assert [turn.role.value for turn in session.transcript] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


@pytest.mark.parametrize(
    "options",
    [
        ("--policy", "drop", "--max-tokens", "40%"),
        ("--policy", "drop", "--max-tokens", "40%", "--no-pin-first"),
        ("--policy", "mask", "--max-tokens", "50%"),
        ("--policy", "digest", "--max-tokens", "50%"),
        ("--policy", "summarize", "--max-tokens", "50%"),
        ("--max-tokens", "20%"),
    ],
    ids=" ".join,
)
def test_a_compacted_session_is_resumed_with_the_messages_of_its_view(
    recorded: Recorded, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """R2, R3. Would catch: a file that the program does not find or reads in part, a message that
    it sends in other words, and thinking that stands behind another prefix than it was made with.
    """
    written = tmp_path / "compacted.jsonl"
    assert turnfold("compact", recorded.file, *options, "-o", written, "--no-audit").code == 0
    data = written.read_bytes()
    named = json.loads(data.splitlines()[0])["sessionId"]
    shutil.copy(written, recorded.file.with_name(f"{named}.jsonl"))
    program = recorded.program
    with FakeProvider(lambda _: Reply("Going on."), bound_reasoning=True) as provider:
        assert program.ask(provider, "Go on.", "--resume", named) == named
        assert program.ask(provider, "And on.", "--continue") == named
        assert [each.error for each in provider.refused] == []
        first, second = provider.requests
    prompt = {"role": "user", "content": "Go on."}
    expected = without_reminders([*messages_of(data), prompt])
    assert without_reminders(first.body["messages"]) == expected
    assert len(without_reminders(second.body["messages"])) == len(expected) + 2

    ledger = Ledger.from_dict(json.loads(Path(f"{written}.ledger.json").read_text()))
    before = format_of.parse(data, ledger=ledger).transcript.turn_ids()
    after = format_of.parse(program.session(named).read_bytes(), ledger=ledger)
    assert after.transcript.turn_ids()[: len(before)] == before
    assert [turn.content for turn in after.transcript.turns[len(before) :]] == [
        "Go on.",
        "Going on.",
        "And on.",
        "Going on.",
    ]
