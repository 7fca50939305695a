"""Sessions that Codex records are read; what turnfold compacts it resumes (R1 to R4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.console import turnfold
from tests.products.codex.program import Program, history, words
from turnfold.formats import codex as format_of
from turnfold.testing.provider import FakeProvider, Reply, Request, scripted

_TASK = "Move the worker to the new queue, port 8443. Never restart the gateway."
_SUMMARY = "The worker moves to port 8443, and the gateway is never restarted."
_POLICIES = ("default", "mask", "digest", "drop")


def runs(command: str) -> tuple[str, dict[str, str]]:
    return "exec_command", {"cmd": command}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session that the program recorded, and the provider that served it: it knows its ids."""

    provider: FakeProvider
    program: Program
    file: Path


@pytest.fixture(scope="module")
def recorded(codex: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """Three prompts, parallel calls, reasoning with its encrypted content."""
    program = Program(codex, tmp_path_factory.mktemp("recorded"))
    with FakeProvider() as provider:
        provider.replies = scripted(
            Reply("I look.", [runs("echo one; seq 1 400"), runs("echo two; seq 1 300")]),
            Reply("", [runs("echo three; seq 1 400"), runs("exit 3")]),
            Reply("The queue is free."),
        )
        program.ask(provider, _TASK)
        named = program.rollout().stem[-36:]
        provider.replies = scripted(
            Reply("", [runs("seq 1 500")]), Reply("", [runs("seq 1 450")]), Reply("Port 9000.")
        )
        program.ask(provider, "No, port 9000.", resumes=named)
        provider.replies = scripted(Reply("It moved."))
        program.ask(provider, "Then move it.", resumes=named)
        yield Recorded(provider, program, program.rollout())


def test_what_codex_records_is_read(recorded: Recorded) -> None:
    """R1, R2: without damage, byte for byte, and the live scope is what Codex sends."""
    data = recorded.file.read_bytes()
    session = format_of.parse(data)
    assert session.damage == ()
    assert format_of.render(session.transcript, session) == data
    assert format_of.check(data) == []
    assert recorded.provider.refused == []
    sent = words(history(recorded.provider.requests[5]))
    assert words(session.transcript)[: len(sent)] == sent


@pytest.mark.parametrize("policy", _POLICIES)
def test_a_compacted_session_is_resumed(recorded: Recorded, policy: str, tmp_path: Path) -> None:
    """R3: Codex sends what the view holds, then its own context; no line is left out."""
    out = tmp_path / "out.jsonl"
    options = ("--policy", policy, "--max-tokens", "90%", "--protect-recent", "2")
    assert turnfold("compact", recorded.file, "-o", out, *options).code == 0
    data = out.read_bytes()
    program = Program(recorded.program.path, tmp_path / "resumed")
    provider, before = recorded.provider, len(recorded.provider.requests)
    provider.replies = scripted(Reply("", [runs("echo more")]), Reply("Resumed."))
    warned = program.ask(provider, "Go on.", resumes=program.take(data))
    assert not [each for each in warned if "rollout" in each]
    first, second = provider.requests[before:]
    assert (first.faults, second.faults) == ((), ())
    view = words(format_of.parse(data).transcript)
    sent = words(history(first))
    assert sent[: len(view)] == view
    assert sent[-1] == "Go on."
    grown = program.rollout().read_bytes()
    assert grown.startswith(data)
    assert format_of.check(grown) == []
    assert words(format_of.parse(grown).transcript)[: len(sent)] == sent


def test_what_codex_compacts_itself_is_read_as_it_sends_it(codex: str, tmp_path: Path) -> None:
    """The live scope begins with the summary of Codex's own compaction."""
    program = Program(codex, tmp_path, "model_auto_compact_token_limit = 14000")
    calls = [Reply(f"Step {number}.", [runs("seq 1 2500")]) for number in range(4)]
    steps = iter([*calls, Reply("It moved."), Reply("All is well.")])

    def reply(request: Request) -> Reply:
        return next(steps) if request.tools else Reply(_SUMMARY)

    with FakeProvider(reply) as provider:
        program.ask(provider, _TASK)
        data = program.rollout().read_bytes()
        program.ask(provider, "Then check.", resumes=program.rollout().stem[-36:])
    assert provider.refused == []
    session = format_of.parse(data)
    assert b'"type":"compacted"' in data
    assert session.damage == ()
    sent = words(history(provider.requests[-1]))
    view = words(session.transcript)
    assert sent[: len(view)] == view
    assert any(_SUMMARY in each for each in view)
