"""The core stays pure, and importing turnfold stays cheap (contracts U1, U2).

Import-linter sees neither `open()` nor a dynamic import, so these tests read the syntax tree.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "turnfold"

# A room is part of the core unless it is named here, so that a new one starts out pure.
EDGES = frozenset(
    {
        "__init__",
        "__main__",
        "batch",
        "cli",
        "formats",
        "fulfil",
        "integrations",
        "reports",
        "testing",
        "tokenizers",
    }
)

ALLOWED_IMPORTS = frozenset(
    {
        "__future__",
        "abc",
        "array",
        "bisect",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "enum",
        "functools",
        "hashlib",
        "heapq",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "struct",
        "textwrap",
        "types",
        "typing",
        "unicodedata",
    }
)

FORBIDDEN_NAMES = frozenset(
    {
        "__builtins__",
        "__import__",
        "breakpoint",
        "compile",
        "eval",
        "exec",
        "globals",
        "import_module",
        "input",
        "open",
        "print",
    }
)

FORBIDDEN_ATTRIBUTES = frozenset({"__builtins__", "__globals__", "__import__", "import_module"})


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def core_files() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.py")) if room_of(path) not in EDGES]


def imported_modules(tree: ast.Module, path: Path) -> Iterator[str]:
    """Yield the absolute name of every module that the tree imports, at whatever depth."""
    package = ("turnfold", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            # `from turnfold import name` reaches a room by its name.
            yield from (
                [f"turnfold.{alias.name}" for alias in node.names]
                if module == "turnfold"
                else [module]
            )


def impurities(source: str, path: Path) -> list[str]:
    tree = ast.parse(source)
    found = []
    for module in imported_modules(tree, path):
        root, _, rest = module.partition(".")
        if root == "turnfold":
            if rest.partition(".")[0] in {room_of(file) for file in core_files()}:
                continue
        elif root in ALLOWED_IMPORTS:
            continue
        found.append(f"imports {module}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
            found.append(f"line {node.lineno}: {node.id}")
        elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_ATTRIBUTES:
            found.append(f"line {node.lineno}: .{node.attr}")
    return found


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_core_module_is_pure(path: Path) -> None:
    assert impurities(path.read_text(encoding="utf-8"), path) == []


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "import os.path as paths",
        "from random import random",
        "def later():\n    import time",
        "if TYPE_CHECKING:\n    from pathlib import Path",
        "from turnfold import cli",
        "from turnfold.formats import parse",
        "from . import cli",
        "from .formats import parse",
        "import attrs",
        "open('x')",
        "reader = open",
        "__import__('os')",
        "eval('1')",
        "print('x')",
        "loader.import_module('os')",
    ],
)
def test_an_impure_module_would_be_found(source: str) -> None:
    assert len(impurities(source, PACKAGE / "plan.py")) == 1


def modules_loaded_by(statement: str) -> set[str]:
    """Return what a statement adds to the modules of a fresh, isolated interpreter."""
    script = (
        "import sys; before = set(sys.modules); "
        f"{statement}; loaded = set(sys.modules) - before; "
        "import json; print(json.dumps(sorted(loaded)))"
    )
    result = subprocess.run(
        [sys.executable, "-I", "-B", "-c", script], check=True, capture_output=True, text=True
    )
    return set(json.loads(result.stdout))


def test_importing_turnfold_loads_next_to_nothing() -> None:
    loaded = modules_loaded_by("import turnfold")
    assert "turnfold" in loaded
    assert len(loaded) <= 5, f"import turnfold loads {sorted(loaded)}"


def test_the_core_loads_no_extra() -> None:
    loaded = modules_loaded_by("import turnfold.executor, turnfold.policies, turnfold.formats")
    assert loaded & {"hypothesis", "pytest", "rich", "typer"} == set()


def test_testing_is_imported_without_its_extra() -> None:
    blocked = "sys.modules['hypothesis'] = None; sys.modules['pytest'] = None"
    assert "turnfold.testing" in modules_loaded_by(f"{blocked}; import turnfold.testing")
