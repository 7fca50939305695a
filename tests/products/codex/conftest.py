"""The program, where the environment names it."""

import os

import pytest


@pytest.fixture(scope="session")
def codex() -> str:
    """The path of the Codex CLI; the test is skipped where it is not named."""
    path = os.environ.get("TURNFOLD_CODEX")
    if not path:
        pytest.skip("TURNFOLD_CODEX does not name the program of the Codex CLI")
    return path
