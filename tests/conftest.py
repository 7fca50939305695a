"""Hypothesis profiles, and the corpus of recorded sessions."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("default", max_examples=100, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
)


def corpus_root() -> Path | None:
    """The folder of recorded sessions, for a test that is parametrized over them."""
    folder = os.environ.get("TURNFOLD_CORPUS")
    path = Path(folder) if folder else ROOT.parent / "shared" / "corpus"
    return path if path.is_dir() else None


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of recorded sessions; the test is skipped where there is none."""
    path = corpus_root()
    if path is None:
        pytest.skip("no corpus of recorded sessions; TURNFOLD_CORPUS names its folder")
    return path
