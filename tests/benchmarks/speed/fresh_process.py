"""What the first import costs, and the first plan: CPU milliseconds of new processes."""

import os
import subprocess
import sys
from importlib.util import find_spec
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

_TEMPLATE: Final = """
import sys
from time import process_time
known = set(sys.modules)
start = process_time()
{code}
taken = process_time() - start
print(taken * 1000, len(set(sys.modules) - known))
"""

_FIRST_PLAN: Final = """
from turnfold import CompactionBudget, CompactionExecutor, Transcript, TranscriptTurn
from turnfold import default_chain
turns = [TranscriptTurn("task", "user", "Fix the build.", 10, pinned=True)]
for number in range(20):
    call = f"call-{number}"
    turns.append(TranscriptTurn(call, "assistant", "I run it.", 10, tool_call_id=call))
    turns.append(TranscriptTurn(f"out-{number}", "tool", "ok " * 99, 90, tool_call_id=call))
transcript = Transcript(turns)
plan = default_chain(prompt_id="p").decide(transcript, CompactionBudget(400))
summaries = {request.group_id: "It ran." for request in plan.summarization_requests}
CompactionExecutor().apply(transcript, plan, summaries)
"""

CODES: Final = {
    "import turnfold": "import turnfold",
    "six standard modules": "import dataclasses, enum, hashlib, json, re, typing",
    "turnfold, first plan, apply": _FIRST_PLAN,
    "import cutctx": "import cutctx",
    "langchain trim_messages": "from langchain_core.messages import trim_messages",
}
_NEEDS: Final = {"import cutctx": "cutctx", "langchain trim_messages": "langchain_core"}
_RUNS: Final = 11
_NO_BYTECODE: Final = frozenset(("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"))


def measure() -> dict[str, tuple[float, int]]:
    """Return for each code its median milliseconds and its modules; processes alternate."""
    codes = {
        name: code
        for name, code in CODES.items()
        if name not in _NEEDS or find_spec(_NEEDS[name]) is not None
    }
    taken: dict[str, list[tuple[float, int]]] = {name: [] for name in codes}
    with TemporaryDirectory() as folder:
        for run in range(_RUNS + 1):
            for name, code in codes.items():
                figures = _run(code, folder)
                if run:  # The first run compiles, as an installation does.
                    taken[name].append(figures)
    return {name: (median(ms for ms, _ in each), each[0][1]) for name, each in taken.items()}


def _run(code: str, bytecode: str) -> tuple[float, int]:
    command = [
        sys.executable,
        "-X",
        f"pycache_prefix={bytecode}",
        "-c",
        _TEMPLATE.format(code=code),
    ]
    given = {name: value for name, value in os.environ.items() if name not in _NO_BYTECODE}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=given).stdout
    milliseconds, modules = output.split()
    return float(milliseconds), int(modules)
