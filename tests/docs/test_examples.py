"""Every example of the README, the docs and the docstrings runs and shows what it gives."""

import asyncio
import doctest
import importlib
import pkgutil
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import turnfold
from tests.docs.documents import DOCUMENTS, ROOT, Block, blocks, commands
from tests.docs.running import run_command, run_python

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_NAMES = [str(document.relative_to(ROOT)) for document in DOCUMENTS]
_MODULES = [
    turnfold.__name__,
    *(module.name for module in pkgutil.walk_packages(turnfold.__path__, "turnfold.")),
]
_NOTHING = Block("", "", 0)


def _agree(shown: str, printed: str) -> bool:
    return doctest.OutputChecker().check_output(shown, printed, _FLAGS)


@contextmanager
def _skipped_without_its_framework() -> Iterator[None]:
    """An integration is imported only where its framework is installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if not missing.name or missing.name.partition(".")[0] == "turnfold":
            raise
        pytest.skip(f"{missing.name} is not installed")


@pytest.fixture
def loop() -> Iterator[None]:
    """An event loop for what is called without one: some frameworks leave theirs open."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    yield
    made.close()
    asyncio.set_event_loop(None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a fresh clone, as far as examples read from it."""
    shutil.copytree(ROOT / "acceptance", tmp_path / "acceptance")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("name", _NAMES)
def test_every_example_of_a_document_gives_what_is_shown(name: str, folder: Path) -> None:
    found = blocks(ROOT / name)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block, behind in zip(found, [*found[1:], _NOTHING], strict=False):
        place = f"{name}:{block.line}"
        if block.language == "python":
            with _skipped_without_its_framework():
                printed = run_python(block, place, namespace)
            if behind.language == "text":
                assert _agree(behind.text, printed), f"{place} prints:\n{printed}"
        elif block.language == "console":
            _hold_commands(block, place, folder)


def _hold_commands(block: Block, place: str, folder: Path) -> None:
    code = 0
    for command, shown in commands(block):
        if command == "echo $?":
            assert shown.strip() == str(code), f"{place}: the exit code is {code}"
            code = 0
            continue
        assert code == 0, f"{place}: exit code {code} before {command!r}"
        code, printed = run_command(command, folder)
        assert _agree(shown, printed), f"{place}: {command!r} prints:\n{printed}"
    assert code == 0, f"{place}: exit code {code}"


@pytest.mark.usefixtures("loop")
@pytest.mark.parametrize("name", _MODULES)
def test_every_example_of_a_docstring_gives_what_is_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _skipped_without_its_framework():
        module = importlib.import_module(name)
    monkeypatch.chdir(tmp_path)  # An example may keep a file.
    failed, _ = doctest.testmod(module, optionflags=_FLAGS)
    assert not failed


def test_the_readme_shows_the_shape_in_twelve_lines() -> None:
    block = next(each for each in blocks(ROOT / "README.md") if each.language == "python")
    assert len(block.text.splitlines()) <= len("twelve lines")


def test_the_readme_runs_the_command_on_the_recorded_session() -> None:
    block = next(each for each in blocks(ROOT / "README.md") if each.language == "console")
    ((command, shown),) = commands(block)
    assert command.startswith("turnfold compact acceptance/sessions/")
    assert "fits" in shown
