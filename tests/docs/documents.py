"""The documents of the project, taken apart into what can be checked.

A ```python block runs, in the order of its document, and a ```text block right behind it is what
it prints. A ```console block holds commands behind `$ ` and what each prints; an exit code other
than 0 is shown as `$ echo $?`. In what is shown, `...` stands for anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

_FENCE = re.compile(r"^```(\w*)\s*$")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+\s+(.*?)\s*$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line on which the text begins."""

    language: str
    text: str
    line: int


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document, in order."""
    found: list[Block] = []
    language, start, held = None, 0, list[str]()
    for number, line in enumerate(document.read_text("utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if language is None and fence:
            language, start, held = fence[1], number + 1, []
        elif language is not None and line == "```":
            found.append(Block(language, "".join(f"{each}\n" for each in held), start))
            language = None
        elif language is not None:
            held.append(line)
    assert language is None, f"{document.name}: the block at line {start} is not closed"
    return found


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block, and what it is said to print."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        while command.endswith("\\"):
            more, _, shown = shown.partition("\n")
            command = f"{command[:-1].rstrip()} {more.strip()}"
        yield command, shown


def prose(document: Path) -> str:
    """The text of a document without its fenced blocks."""
    lines, inside = [], False
    for line in document.read_text("utf-8").splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def links(document: Path) -> list[str]:
    """The targets of the links of a document that stay in the project."""
    targets = _LINK.findall(prose(document))
    return [each for each in targets if not each.startswith(("http://", "https://", "mailto:"))]


def anchors(document: Path) -> set[str]:
    """The anchors that the headings of a document make, as GitHub makes them."""
    found = set()
    for line in prose(document).splitlines():
        heading = _HEADING.match(line)
        if heading:
            kept = re.sub(r"[^\w\- ]", "", heading[1].lower())
            found.add(kept.replace(" ", "-"))
    return found
