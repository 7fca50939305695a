"""Sessions that the Gemini CLI records are read; what turnfold compacts it resumes (R1 to R4)."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.console import turnfold
from tests.products.gemini_cli.program import Program
from tests.products.gemini_cli.server import Gemini, says, texts
from tests.products.programs import said
from turnfold.formats import check, parse, render

_TASK = "Move the worker to the new queue, port 8443. Never restart the gateway."
_POLICIES = ("default", "mask", "digest", "drop")


@pytest.fixture(scope="module")
def recorded(gemini: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Path]:
    """A prompt, parallel calls, thoughts; a session of its own copied beside the home."""
    folder = tmp_path_factory.mktemp("recorded")
    program = Program(gemini, folder)
    steps = [says(f"Step {at}.", f"seq {at} 400", f"seq {at} 300") for at in range(4)]
    with Gemini(*steps, says("It moved.")) as server:
        program.ask(server, _TASK)
    assert server.faults == []
    file = folder / "recorded.jsonl"
    shutil.copy(program.sessions()[0], file)
    return program, file


def without_context(body: dict[str, list[dict[str, object]]]) -> list[str]:
    return [text for text in texts(body) if not text.startswith("<session_context>")]


def test_what_the_client_records_is_read(recorded: tuple[Program, Path]) -> None:
    """R1, R2: without damage, byte for byte, each result once."""
    data = recorded[1].read_bytes()
    session = parse(data)
    assert (session.format, session.damage) == ("gemini-cli", ())
    assert render(session.transcript, session) == data
    assert len(session.transcript) == 1 + 4 * 3 + 1


def test_what_the_client_cannot_resume_is_a_fault(
    recorded: tuple[Program, Path], tmp_path: Path
) -> None:
    """Would catch: a client that no longer sends each result twice, and a check that says so."""
    program, file = recorded
    faults = {each.rule for each in check(file.read_bytes())}
    with Gemini(says("Resumed.")) as server:
        code, _ = Program(program.path, tmp_path).run(server, "Go on.", "--session-file", file)
    assert (code != 0, bool(server.faults)) == (True, True)
    assert faults == {"repeated_response"}


@pytest.mark.parametrize("policy", _POLICIES)
def test_a_compacted_session_is_resumed(
    recorded: tuple[Program, Path], policy: str, tmp_path: Path
) -> None:
    """R3: the client sends what the view holds behind its own context, and nothing else."""
    program, file = recorded
    out = tmp_path / "out.jsonl"
    options = ("--policy", policy, "--max-tokens", "60%", "--protect-recent", "2")
    assert turnfold("compact", file, "-o", out, *options).code == 0
    view = said(parse(out.read_bytes()).transcript)
    fresh = Program(program.path, tmp_path)
    with Gemini(says("More.", "echo more"), says("Resumed.")) as server:
        fresh.ask(server, "Go on.", "--session-file", out)
    assert server.faults == []
    assert without_context(server.requests[0]) == [*view, "Go on."]
    grown = parse(fresh.sessions()[0].read_bytes())
    assert grown.damage == ()
    assert said(grown.transcript)[: len(view)] == view


def test_a_compacted_session_is_found_by_its_id(
    recorded: tuple[Program, Path], tmp_path: Path
) -> None:
    """R3: put among the sessions of its project, it is resumed by its new id."""
    program, file = recorded
    out = tmp_path / "out.jsonl"
    assert turnfold("compact", file, "-o", out, "--max-tokens", "60%").code == 0
    chats = program.sessions()[0].parent
    named = json.loads(out.read_bytes().splitlines()[0])["sessionId"]
    shutil.copy(out, chats / f"session-2026-01-01T00-00-{named[:8]}.jsonl")
    with Gemini(says("Resumed.")) as server:
        program.ask(server, "Go on.", "--resume", named)
    assert server.faults == []
    view = said(parse(out.read_bytes()).transcript)
    agents = [each for each in server.requests if each.get("tools")]
    assert without_context(agents[0]) == [*view, "Go on."]


def test_what_the_client_compresses_itself_is_read_as_it_sends_it(
    recorded: tuple[Program, Path], tmp_path: Path
) -> None:
    """The live scope is the summary of the client's own compression, and what follows."""
    program, file = recorded
    out = tmp_path / "out.jsonl"
    assert turnfold("compact", file, "-o", out, "--max-tokens", "90%").code == 0
    early = Program(program.path, tmp_path, {"model": {"compressionThreshold": 0.001}})
    with Gemini(says("All is well.")) as server:
        early.ask(server, "Then check.", "--session-file", out)
    assert server.faults == []
    session = parse(early.sessions()[0].read_bytes())
    assert session.damage == ()
    assert session.transcript.turns[0].metadata["turnfold.kind"] == "summary"
    assert without_context(server.requests[-1]) == said(session.transcript)[:-1]
