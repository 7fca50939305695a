"""The program, where the environment names it."""

import os

import pytest


@pytest.fixture(scope="session")
def pi() -> str:
    """The path of pi; the test is skipped where it is not named."""
    path = os.environ.get("TURNFOLD_PI")
    if not path:
        pytest.skip("TURNFOLD_PI does not name the program of pi")
    return path
