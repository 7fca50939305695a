"""How turnfold is started, and what it says where it cannot be."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.console import environment, process, turnfold

BLOCKED = (
    "import sys; sys.modules[{!r}] = None; from turnfold.__main__ import main; sys.exit(main())"
)


def test_the_module_tells_its_version() -> None:
    done = process("--version")
    assert (done.code, done.out, done.err) == (0, f"turnfold {version('turnfold')}\n", "")


def test_the_console_script_is_the_module() -> None:
    script = Path(sys.executable).with_name("turnfold")
    if not script.exists():
        pytest.skip("turnfold is not installed in this environment")
    done = subprocess.run(
        [script, "--version"], capture_output=True, check=True, text=True, env=environment()
    )
    assert done.stdout == process("--version").out


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_extra_it_says_how_to_get_it(missing: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(missing)],
        capture_output=True,
        check=False,
        text=True,
        env=environment(),
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'turnfold[cli]'" in done.stderr


def test_without_a_command_it_shows_its_help_and_fails() -> None:
    done = process()
    assert done.code == 2
    for command in ("inspect", "plan", "requests", "apply", "compact"):
        assert command in done.out


@pytest.mark.parametrize("command", ["inspect", "plan", "requests", "apply", "compact"])
def test_every_command_has_help(command: str) -> None:
    done = turnfold(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "FILE" in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["unheard-of"],
        ["plan"],
        ["plan", "FILE"],
        ["compact", "FILE", "--max-tokens", "5"],
        ["apply", "FILE", "-o", "OUT"],
        ["plan", "FILE", "--max-tokens", "5", "--unheard-of"],
        ["plan", "FILE", "--max-tokens", "5", "--policy", "unheard-of"],
        ["plan", "FILE", "--max-tokens", "5", "--scope", "unheard-of"],
        ["plan", "FILE", "--max-tokens", "5", "--protect-recent", "four"],
    ],
)
def test_wrong_usage_is_exit_2_in_words_and_in_json(arguments: list[str]) -> None:
    said = turnfold(*arguments)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Error: ")
    assert "--help" in said.err
    told = turnfold(*arguments, "--json")
    assert (told.code, told.out) == (2, "")
    assert json.loads(told.err)["error"]["code"] == "usage"


def test_what_nobody_expected_is_one_line_and_a_traceback_only_on_demand(tmp_path: Path) -> None:
    script = (
        "import sys; from turnfold import formats; from turnfold.__main__ import main\n"
        "def fail(*_, **__): raise ZeroDivisionError('secret')\n"
        "formats.parse = fail; sys.exit(main())"
    )
    file = tmp_path / "s.json"
    file.write_text("[]", encoding="utf-8")
    command = [sys.executable, "-c", script, "inspect", str(file)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, env=environment())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "TURNFOLD_DEBUG=1" in done.stderr
    assert "secret" not in done.stderr
    loud = environment(TURNFOLD_DEBUG="1")
    done = subprocess.run(command, capture_output=True, check=False, text=True, env=loud)
    assert done.returncode == 2
    assert "Traceback" in done.stderr
