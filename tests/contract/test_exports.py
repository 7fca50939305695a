"""What `turnfold` exports, and that each name says what it is."""

import ast
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import get_origin

import pytest

import turnfold

PUBLIC_MODULES = [
    "turnfold",
    "turnfold.audit",
    "turnfold.audit.surface",
    "turnfold.formats",
    "turnfold.fulfil",
    "turnfold.integrations",
    "turnfold.policies",
    "turnfold.tokens",
    "turnfold.testing",
    "turnfold.testing.provider",
    "turnfold.testing.runs",
    "turnfold.testing.strategies",
    "turnfold.testing.summarizers",
]


@pytest.fixture(params=PUBLIC_MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(request.param)


def in_order(name: str) -> tuple[bool, bool, str]:
    """Constants, then classes, then functions, as ruff sorts them."""
    return not name.isupper(), not name[0].isupper(), name


def test_the_names_are_sorted_unique_and_public(module: ModuleType) -> None:
    assert module.__all__ == sorted(set(module.__all__), key=in_order)
    assert not [name for name in module.__all__ if name.startswith("_")]


def test_every_name_can_be_imported(module: ModuleType) -> None:
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_every_class_and_function_is_documented(module: ModuleType) -> None:
    assert module.__doc__
    for name in module.__all__:
        value = getattr(module, name)
        is_alias = get_origin(value) is not None  # Its documentation stands below it.
        if not is_alias and (isinstance(value, type) or callable(value)):
            assert value.__doc__, f"{module.__name__}.{name}"


def test_every_public_method_is_documented() -> None:
    for name in turnfold.__all__:
        value = getattr(turnfold, name)
        if not isinstance(value, type):
            continue
        for attribute, member in vars(value).items():
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if callable(function) and not attribute.startswith("_"):
                assert function.__doc__, f"{name}.{attribute}"


def test_dir_is_what_is_exported() -> None:
    assert dir(turnfold) == turnfold.__all__


def test_dir_changes_nothing_that_is_exported() -> None:
    dir(turnfold).append("not exported")
    assert "not exported" not in turnfold.__all__


def test_a_type_checker_sees_the_names_that_exist_at_run_time() -> None:
    tree = ast.parse(Path(str(turnfold.__file__)).read_text("utf-8"))
    (guarded,) = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    seen = {
        alias.name: node.module
        for node in ast.walk(guarded)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(seen) == turnfold.__all__
    for name, home in seen.items():
        assert getattr(import_module(str(home)), name) is getattr(turnfold, name)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Nothing"):
        _ = turnfold.Nothing
    assert not hasattr(turnfold, "Nothing")


def test_star_imports_bring_what_is_exported() -> None:
    script = (
        "from turnfold import *; import turnfold; "
        "missing = set(turnfold.__all__) - set(globals()); assert not missing, missing"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_root_exports_records_policies_and_the_executor_only() -> None:
    """Functions such as `audit` are imported from their packages."""
    lower = [name for name in turnfold.__all__ if name[0].islower()]
    assert lower == ["default_chain"]


@pytest.mark.parametrize(
    "name",
    [
        "turnfold",
        "turnfold.policies.drop_oldest",
        "turnfold.policies.masking",
        "turnfold.testing",
    ],
)
def test_the_examples_in_docstrings_run(name: str) -> None:
    failed, _ = doctest.testmod(import_module(name))
    assert failed == 0


def test_the_package_shows_planning_and_applying_in_six_lines() -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(turnfold, "turnfold")
    work = [each for each in example.examples if "import" not in each.source]
    assert 1 <= len(work) <= 6
    assert "decide" in str(turnfold.__doc__)
    assert "apply" in str(turnfold.__doc__)


def run_blocked(statement: str) -> subprocess.CompletedProcess[str]:
    script = f"import sys; sys.modules['hypothesis'] = None; {statement}"
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import turnfold, turnfold.testing as t; t.check_policy(turnfold.DropOldestPolicy)",
        "import turnfold.testing.strategies",
    ],
)
def test_what_needs_hypothesis_names_the_extra_where_it_is_absent(statement: str) -> None:
    result = run_blocked(statement)
    assert result.returncode == 1
    assert "ModuleNotFoundError" in result.stderr
    assert "turnfold[testing]" in result.stderr.splitlines()[-1]


def test_testing_is_imported_without_hypothesis_and_loads_no_pytest_plugin() -> None:
    result = run_blocked(
        "import turnfold.testing; assert 'pytest' not in sys.modules; "
        "assert '_pytest' not in sys.modules"
    )
    assert result.returncode == 0, result.stderr
