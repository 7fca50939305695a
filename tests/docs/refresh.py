"""Writes what the examples print now into the documents; see what changed before you keep it.

    python -m tests.docs.refresh [PART OF A NAME ...]

A shown output with a line that ends in `...` was shortened by hand, and is left alone.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.docs.documents import DOCUMENTS, ROOT, Block, blocks, commands
from tests.docs.running import run_command, run_python


def refresh(document: Path, folder: Path) -> None:
    """Run the examples of one document, and write their outputs into it."""
    lines = document.read_text("utf-8").splitlines()
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed, new = None, {}
    for block in blocks(document):
        if block.language == "python":
            printed = run_python(block, document.name, namespace)
            continue
        if block.language == "text" and printed is not None and not _is_shortened(block.text):
            new[block] = printed
        elif block.language == "console":
            new[block] = _console(block, folder)
        printed = None
    for block, text in reversed(new.items()):
        start = block.line - 1
        shown = [each.rstrip() for each in text.splitlines()]
        lines[start : start + block.text.count("\n")] = shown
    document.write_text("\n".join(lines) + "\n", "utf-8")


def _is_shortened(shown: str) -> bool:
    return any(line.endswith("...") for line in shown.splitlines())


def _console(block: Block, folder: Path) -> str:
    code, text = 0, ""
    for command, shown in commands(block):
        output = f"{code}\n"
        if command != "echo $?":
            code, output = run_command(command, folder)
        text += f"$ {command}\n{shown if _is_shortened(shown) else output}"
    return text


def main() -> None:
    """Refresh the documents whose names hold one of the arguments, or all."""
    for document in DOCUMENTS:
        name = str(document.relative_to(ROOT))
        if len(sys.argv) > 1 and not any(part in name for part in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as made:
            shutil.copytree(ROOT / "acceptance", Path(made) / "acceptance")
            os.chdir(made)
            refresh(document, Path(made))
            os.chdir(ROOT)


if __name__ == "__main__":
    main()
