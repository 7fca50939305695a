"""The fixtures for integrators, in a run of pytest of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_CONFTEST = 'pytest_plugins = ["turnfold.testing.fixtures"]\n'
_TESTS = """
import os
import urllib.request
import pytest

def test_plain(fake_provider):
    assert fake_provider.base_url.startswith("http://127.0.0.1:")
    assert fake_provider.requests == []

def test_openai(fake_openai):
    assert os.environ["OPENAI_BASE_URL"] == fake_openai.base_url + "/v1"
    assert os.environ["OPENAI_API_KEY"]

@pytest.mark.fake_provider(window=1)
def test_anthropic(fake_anthropic):
    anthropic = pytest.importorskip("anthropic")
    with anthropic.Anthropic(max_retries=0) as client, pytest.raises(
        anthropic.BadRequestError, match="> 1 maximum"
    ):
        client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "hello"}]
        )

def test_nothing_is_left():
    assert "OPENAI_BASE_URL" not in os.environ
"""


def test_the_fixtures_run_with_strict_marks_and_lead_clients_to_the_server(tmp_path: Path) -> None:
    """Would catch: a mark that is not registered, an environment that stays behind."""
    (tmp_path / "conftest.py").write_text(_CONFTEST, "utf-8")
    (tmp_path / "test_it.py").write_text(_TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider"]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    ran = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, check=False, env=kept
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout


@pytest.mark.parametrize("name", ["turnfold.testing", "turnfold.testing.provider"])
def test_pytest_is_loaded_by_the_fixtures_alone(name: str) -> None:
    script = f"import sys, {name}; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
