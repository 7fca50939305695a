"""The program, where the environment names it."""

import pytest

from tests.products.programs import path_of


@pytest.fixture(scope="session")
def codex() -> str:
    """The path of the Codex CLI; the test is skipped where it is not named."""
    return path_of("TURNFOLD_CODEX", "the Codex CLI")
