"""Programs that people use, as the environment names them, run with nothing of the caller's."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from turnfold.transcript import Role, Transcript

_SECONDS = 180


def path_of(variable: str, name: str) -> str:
    """Return the path of a program; the test is skipped where the environment does not name it."""
    path = os.environ.get(variable)
    if not path:
        pytest.skip(f"{variable} does not name the program of {name}")
    return path


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, without an input.

    Args:
        command: The program and its arguments.
        folder: Where it works.
        environment: All that it is told besides where programs are.
    """
    return subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )


def said(transcript: Transcript) -> list[str]:
    """What the turns of a view say, one after the other, calls and instructions left out."""
    lines = (
        "\n".join(line for line in turn.content.split("\n") if not line.startswith("[call "))
        for turn in transcript
        if turn.role is not Role.SYSTEM
    )
    return [text for text in lines if text]
