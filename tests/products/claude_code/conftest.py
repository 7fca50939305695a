"""The program, where the environment names it."""

import os
from pathlib import Path

import pytest

from tests.products.claude_code.program import Program


@pytest.fixture(scope="session")
def claude_code() -> str:
    """The path of Claude Code; the test is skipped where it is not named."""
    path = os.environ.get("TURNFOLD_CLAUDE_CODE")
    if not path:
        pytest.skip("TURNFOLD_CLAUDE_CODE does not name the program of Claude Code")
    return path


@pytest.fixture
def program(claude_code: str, tmp_path: Path) -> Program:
    """The program with folders of its own."""
    return Program(claude_code, tmp_path)
