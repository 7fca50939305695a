"""Sessions that pi records are read; what turnfold compacts it resumes (R1 to R4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.console import turnfold
from tests.products.pi.program import Program, sent
from tests.products.programs import said
from turnfold.formats import pi as format_of
from turnfold.testing.provider import FakeProvider, Reply, Request, scripted

_TASK = "Move the worker to the new queue, port 8443. Never restart the gateway."
_SUMMARY = "The worker moves to port 8443, and the gateway is never restarted."
_APIS = ("openai-completions", "openai-responses", "anthropic-messages")
_OPTIONS = {
    "default": (),
    "mask": ("--policy", "mask"),
    "digest": ("--policy", "digest"),
    "a digest that comes first": ("--policy", "digest", "--no-pin-first", "--no-pin-last"),
    "drop": ("--policy", "drop", "--no-pin-first", "--no-pin-last"),
}


def runs(command: str) -> tuple[str, dict[str, str]]:
    return "bash", {"command": command}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session that the program recorded, and the provider that served it: it knows its ids."""

    provider: FakeProvider
    program: Program
    file: Path


@pytest.fixture(scope="module", params=_APIS)
def recorded(
    pi: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Recorded]:
    """Two prompts, parallel calls, a failure, reasoning where the API has it."""
    program = Program(pi, tmp_path_factory.mktemp("recorded"), request.param)
    with FakeProvider(bound_reasoning=True) as provider:
        provider.replies = scripted(
            Reply("I look.", [runs("echo one; seq 1 400"), runs("echo two; seq 1 300")]),
            Reply("", [runs("echo three; seq 1 400"), runs("echo failing; exit 3")]),
            Reply("The queue is free."),
        )
        program.ask(provider, _TASK)
        provider.replies = scripted(
            Reply("", [runs("seq 1 500")]), Reply("", [runs("seq 1 450")]), Reply("It moved.")
        )
        program.ask(provider, "No, port 9000.", "--continue")
        yield Recorded(provider, program, program.session())


def is_in_order(expected: Sequence[str], found: Sequence[str]) -> bool:
    """Whether each text stands in one of the others: pi writes words around a summary."""
    return len(expected) == len(found) and all(map(str.__contains__, found, expected))


def test_what_pi_records_is_read(recorded: Recorded) -> None:
    """R1, R2: without damage, byte for byte, and the live scope is what pi sends."""
    data = recorded.file.read_bytes()
    session = format_of.parse(data)
    assert session.damage == ()
    assert format_of.render(session.transcript, session) == data
    assert format_of.check(data) == []
    assert recorded.provider.refused == []
    last = sent(recorded.provider.requests[5])
    assert said(session.transcript)[: len(last)] == last


@pytest.mark.parametrize("policy", _OPTIONS)
def test_a_compacted_session_is_resumed(recorded: Recorded, policy: str, tmp_path: Path) -> None:
    """R3: pi sends what the view holds, and nothing else; every request is accepted."""
    out = tmp_path / "out.jsonl"
    options = ("--max-tokens", "70%", "--protect-recent", "2", *_OPTIONS[policy])
    assert turnfold("compact", recorded.file, "-o", out, *options).code == 0
    data = out.read_bytes()
    provider, before = recorded.provider, len(recorded.provider.requests)
    provider.replies = scripted(Reply("", [runs("echo more")]), Reply("Resumed."))
    program = Program(recorded.program.path, tmp_path, recorded.program.api)
    program.ask(provider, "Go on.", "--session", out)
    first, second = provider.requests[before:]
    assert (first.faults, second.faults) == ((), ())
    assert is_in_order([*said(format_of.parse(data).transcript), "Go on."], sent(first))
    grown = out.read_bytes()
    assert grown.startswith(data)
    assert format_of.check(grown) == []


def test_what_pi_compacts_itself_is_read_as_it_sends_it(pi: str, tmp_path: Path) -> None:
    """The live scope begins with the summary of pi's own compaction."""
    program = Program(pi, tmp_path, "anthropic-messages", window=6_000)
    calls = [Reply(f"Step {number}.", [runs("seq 1 1000")]) for number in range(5)]
    steps = iter([*calls, Reply("It moved."), Reply("All is well.")])

    def reply(request: Request) -> Reply:
        return next(steps) if request.tools else Reply(_SUMMARY)

    with FakeProvider(reply) as provider:
        program.ask(provider, _TASK)
        data = program.session().read_bytes()
        roomy = Program(pi, tmp_path, "anthropic-messages")
        roomy.ask(provider, "Then check.", "--continue")
    assert provider.refused == []
    session = format_of.parse(data)
    assert b'"type":"compaction"' in data
    assert session.damage == ()
    view = said(session.transcript)
    assert any(_SUMMARY in each for each in view)
    assert is_in_order([*view, "Then check."], sent(provider.requests[-1]))
