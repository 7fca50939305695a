"""The program, where the environment names it."""

import pytest

from tests.products.programs import path_of


@pytest.fixture(scope="session")
def gemini() -> str:
    """The path of the Gemini CLI; the test is skipped where it is not named."""
    return path_of("TURNFOLD_GEMINI_CLI", "the Gemini CLI")
