"""The program, where the environment names it."""

import os

import pytest


@pytest.fixture(scope="session")
def gemini() -> str:
    """The path of the Gemini CLI; the test is skipped where it is not named."""
    path = os.environ.get("TURNFOLD_GEMINI_CLI")
    if not path:
        pytest.skip("TURNFOLD_GEMINI_CLI does not name the program of the Gemini CLI")
    return path
