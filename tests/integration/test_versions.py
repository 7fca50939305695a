"""The oldest versions that an extra allows are those that its acceptance script runs with."""

import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = ("anthropic", "langchain", "openai", "openai-agents", "pydantic-ai")
OLDEST = {
    name: list(map(Requirement, pins))
    for name, pins in PROJECT["dependency-groups"].items()
    if name.startswith("oldest-")
}


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_lower_bound_of_an_extra_is_tested(extra: str) -> None:
    """Would catch: a bound that is lowered on paper, or a pin that is raised without it."""
    for bound in map(Requirement, PROJECT["project"]["optional-dependencies"][extra]):
        (specifier,) = bound.specifier
        assert specifier.operator == ">="
        pinned = [each for each in chain(*OLDEST.values()) if each.name == bound.name]
        wanted = Requirement(f"{bound.name}=={specifier.version}").specifier
        assert [each for each in pinned if next(iter(each.specifier)).version in wanted]


def test_each_script_has_its_oldest_versions() -> None:
    scripts = (ROOT / "acceptance" / "runtimes").glob("*.py")
    assert set(OLDEST) == {f"oldest-{each.stem.replace('_', '-')}" for each in scripts}
