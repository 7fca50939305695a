"""Trajectories that Harbor wrote: of its own agent, and of sessions of other agents."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from tests.formats.json_histories import Json
from tests.formats.recorded.laws import check_recording, file_text
from turnfold.formats import check, parse
from turnfold.testing.provider import FakeProvider, Reply, Request

# Without this, importing Harbor looks for a list of prices on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

claude_code = pytest.importorskip("harbor.agents.installed.claude_code")
codex = pytest.importorskip("harbor.agents.installed.codex")
context = pytest.importorskip("harbor.models.agent.context")
terminus = pytest.importorskip("harbor.agents.terminus_2.terminus_2")
trajectories = pytest.importorskip("harbor.models.trajectories")

pytestmark = pytest.mark.filterwarnings("ignore")
validate = trajectories.Trajectory.model_validate


class Screen:
    """A terminal that shows the same after any keystrokes."""

    async def send_keys(self, *_: object, **__: object) -> None:
        """Take keystrokes."""

    async def get_incremental_output(self) -> str:
        return file_text("screen")

    async def capture_pane(self, **_: object) -> str:
        return "$"

    async def is_session_alive(self) -> bool:
        return True


def keystrokes(*commands: str) -> str:
    pressed = [{"keystrokes": f"{each}\n", "duration": 0.1} for each in commands]
    plan = {"analysis": "I see.", "plan": "On.", "commands": pressed}
    return json.dumps({**plan, "task_complete": not commands})


def model(*answers: str) -> Any:  # noqa: ANN401
    """A model that types, or talks where a summary or its questions are asked for."""
    waiting = list(answers)

    def reply(request: Request) -> Reply:
        asked = str(request.body["messages"][-1]["content"])[:600].lower()
        if "summar" in asked or "question" in asked:
            return Reply("A summary of all that was done. " * 9)
        return Reply(waiting.pop(0) if len(waiting) > 1 else waiting[0])

    return reply


@pytest.mark.parametrize(
    ("window", "config"),
    [(100_000, {}), (2_500, {}), (2_500, {"raw_content": True}), (2_500, {"linear_history": True})],
    ids=["whole", "summarised", "raw", "split"],
)
def test_the_trajectories_of_terminus_2_are_read(
    window: int, config: dict[str, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1, A12. Would catch: two commands of a step with one screen, taken for calls left open."""
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    typed = [keystrokes("ls", "cat a"), keystrokes("cat b"), "no JSON", keystrokes("make", "make")]
    sizes = {"max_input_tokens": window, "max_output_tokens": 500}
    prices = {"input_cost_per_token": 0, "output_cost_per_token": 0}
    with FakeProvider(model(*typed, *typed, keystrokes())) as provider:
        agent = terminus.Terminus2(
            logs_dir=tmp_path,
            model_name="openai/gpt-any",
            api_base=f"{provider.base_url}/v1",
            max_turns=14,
            record_terminal_session=False,
            model_info={**sizes, **prices},
            proactive_summarization_threshold=1_000,
            trajectory_config=config,
        )
        monkeypatch.setattr(agent, "_session", Screen())
        monkeypatch.setattr(agent, "_build_skills_section", AsyncMock(return_value=""))
        asyncio.run(agent.run("Make it build.", AsyncMock(), context.AgentContext()))
    written = [json.loads(path.read_text()) for path in sorted(tmp_path.rglob("*.json"))]
    recorded = [each for each in written if "steps" in each]
    assert (len(recorded) > 1) is (window < 100_000)
    for document in recorded:
        validate(document)
        assert check(document) == ()
        if len(document["steps"]) > 3:
            check_recording(document, "atif", validate=validate, resume=validate)


def converted(agent: str, session: Path, folder: Path) -> Json:
    """What Harbor makes of a session of an agent."""
    if agent == "claude_code":
        logs = folder / "sessions" / "projects" / "any"
        made = claude_code.ClaudeCode(logs_dir=folder, model_name="anthropic/any")
    else:
        logs = folder / "sessions" / "any"
        made = codex.Codex(logs_dir=folder, model_name="openai/any")
    logs.mkdir(parents=True)
    (logs / f"rollout-{session.name}").write_bytes(session.read_bytes())
    return made.convert_trajectory(folder).to_json_dict()


@pytest.mark.parametrize("agent", ["claude_code", "codex"])
def test_the_trajectory_of_a_recorded_session_is_read(
    agent: str, corpus: Path, tmp_path: Path
) -> None:
    """R1, R2. Would catch: a trajectory of real length with a part that is damage here."""
    session = min((corpus / agent).glob("*.jsonl"), key=lambda path: path.stat().st_size)
    document = converted(agent, session, tmp_path)
    assert len(parse(document).transcript) > 20
    check_recording(document, "atif", validate=validate, resume=validate)
