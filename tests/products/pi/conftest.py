"""The program, where the environment names it."""

import pytest

from tests.products.programs import path_of


@pytest.fixture(scope="session")
def pi() -> str:
    """The path of pi; the test is skipped where it is not named."""
    return path_of("TURNFOLD_PI", "pi")
