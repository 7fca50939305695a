"""The program, where the environment names it."""

from pathlib import Path

import pytest

from tests.products.claude_code.program import Program
from tests.products.programs import path_of


@pytest.fixture(scope="session")
def claude_code() -> str:
    """The path of Claude Code; the test is skipped where it is not named."""
    return path_of("TURNFOLD_CLAUDE_CODE", "Claude Code")


@pytest.fixture
def program(claude_code: str, tmp_path: Path) -> Program:
    """The program with folders of its own."""
    return Program(claude_code, tmp_path)
