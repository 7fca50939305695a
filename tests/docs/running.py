"""Running the examples of a document, in a folder like a fresh clone."""

import contextlib
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

from tests.docs.documents import Block

_WIDTH = "110"


def run_python(block: Block, place: str, namespace: dict[str, object]) -> str:
    """Run a block with the names of the blocks before it, and return what it prints."""
    printed = io.StringIO()
    # The line numbers of a traceback are those of the document.
    code = compile("\n" * (block.line - 1) + block.text, place, "exec", dont_inherit=True)
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102  The examples are the project's own.
    return printed.getvalue()


def run_command(command: str, folder: Path) -> tuple[int, str]:
    """Run a command as a person would, and return its exit code and all that it prints."""
    words = shlex.split(command)
    program = {"turnfold": [sys.executable, "-m", "turnfold"], "python": [sys.executable]}
    assert words[0] in program, f"no example runs {words[0]!r}"
    ran = subprocess.run(
        [*program[words[0]], *words[1:]],
        cwd=folder,
        env={**os.environ, "COLUMNS": _WIDTH, "NO_COLOR": "1", "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return ran.returncode, ran.stdout
