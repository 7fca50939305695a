"""Fixtures for pytest: a running fake provider, and the environment that leads clients to it.

Name this module in the `conftest.py` of your tests; nothing loads it by itself:

    pytest_plugins = ["turnfold.testing.fixtures"]

A test sets options of the server with a mark: `@pytest.mark.fake_provider(window=8000)`.
"""

from collections.abc import Iterator

import pytest

from turnfold.testing.provider import FakeProvider

__all__ = ["fake_anthropic", "fake_openai", "fake_provider", "pytest_configure"]


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    line = "fake_provider(**options): options of the FakeProvider of this test"
    config.addinivalue_line("markers", line)


@pytest.fixture
def fake_provider(request: pytest.FixtureRequest) -> Iterator[FakeProvider]:
    """A fake provider that runs for one test."""
    mark = request.node.get_closest_marker("fake_provider")
    with FakeProvider(**(mark.kwargs if mark else {})) as provider:
        yield provider


@pytest.fixture
def fake_openai(fake_provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> FakeProvider:
    """A fake provider that OpenAI's clients find by the environment."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{fake_provider.base_url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "fake")
    return fake_provider


@pytest.fixture
def fake_anthropic(fake_provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> FakeProvider:
    """A fake provider that Anthropic's clients find by the environment."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", fake_provider.base_url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "fake")
    return fake_provider
