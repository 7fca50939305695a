"""What is declared, and what an installation holds."""

import tomllib
from importlib.metadata import requires, version
from importlib.resources import files
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

import turnfold

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with ZipFile(wheel) as archive:
        return archive.namelist()


def test_turnfold_depends_on_nothing(project: dict[str, Any]) -> None:
    assert project["dependencies"] == []
    assert [line for line in requires("turnfold") or () if "extra ==" not in line] == []


def test_the_extras_are_those_of_the_edges(project: dict[str, Any]) -> None:
    assert sorted(project["optional-dependencies"]) == [
        "anthropic",
        "cli",
        "langchain",
        "openai",
        "openai-agents",
        "otel",
        "pydantic-ai",
        "reports",
        "testing",
        "tokens",
    ]


def test_the_version_is_the_one_in_pyproject(project: dict[str, Any]) -> None:
    assert version("turnfold") == project["version"]
    assert turnfold.__version__ == project["version"]


def test_the_package_is_marked_as_typed() -> None:
    assert files("turnfold").joinpath("py.typed").is_file()


def test_the_wheel_holds_the_package_and_its_metadata_alone(
    wheel_names: list[str], project: dict[str, Any]
) -> None:
    metadata = f"turnfold-{project['version']}.dist-info"
    assert {name.partition("/")[0] for name in wheel_names} == {"turnfold", metadata}
    assert f"{metadata}/licenses/LICENSE" in wheel_names
    assert "turnfold/py.typed" in wheel_names


def test_the_wheel_holds_every_module_and_nothing_else(wheel_names: list[str]) -> None:
    packaged = {name for name in wheel_names if name.startswith("turnfold/")}
    source = ROOT / "src"
    modules = {path.relative_to(source).as_posix() for path in (source / "turnfold").rglob("*.py")}
    assert packaged == modules | {"turnfold/py.typed"}
