"""The items of lines: what triggers one, and the words that it is looked for by.

In no pattern does what repeats go back, so that time is linear in a line.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final, NamedTuple

from turnfold.audit.surface._report import Category

MOST_ITEMS: Final = 500


def _any_of(*phrases: str) -> re.Pattern[str]:
    """Return a pattern for whole phrases in any case; what repeats in one never goes back."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})", re.IGNORECASE)


_END: Final = r"(?!\w)"
_LINES: Final[tuple[tuple[Category, re.Pattern[str]], ...]] = (
    (
        "decision",
        _any_of(
            r"decision\s*+:", rf"(?:(?:decided|agreed) to|we will use|chosen|going with){_END}"
        ),
    ),
    (
        "constraint",
        _any_of(rf"(?:must not|must always|do not|required){_END}", r"(?:never|only)\s++\S"),
    ),
    (
        "error",
        _any_of(
            rf"(?:error|traceback|failed){_END}",
            rf"exit code\s*+(?:[:=]\s*+)?-?0*+[1-9]\d*+{_END}",
        ),
    ),
)
_EDIT: Final = _any_of(rf"(?:edited|changed|created|deleted|modified|wrote|rewrote|updated){_END}")
_TODO: Final = _any_of(rf"(?:todo|fixme|not done|remaining|next step|still need){_END}")

_RUN: Final = re.compile(r"[\w./-]+")
_FILE: Final = re.compile(rf".+\.(?:py|js|ts|md|json|yaml|toml|go|rs){_END}", re.IGNORECASE)
_ROOT: Final = re.compile("src|tests|docs", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")
_DIGITS: Final = re.compile(r"\d+")


class Item(NamedTuple):
    """An item and where it comes from; a path is there for file edits only."""

    category: Category
    key: str
    line: str
    path: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it is held against a summary without digits."""
        return self.category == "error"

    def stands_in(self, words: str) -> bool:
        """Whether a summary's words have the item's, or the last part of its path."""
        base = key_of(basename_of(self.path))
        return self.key in words or bool(base and base in words)


def first_items(lines: tuple[str, ...]) -> tuple[list[Item], bool]:
    """Return the first items, unique by category and key, and whether there are more."""
    found: dict[tuple[Category, str], Item] = {}
    for line in lines:
        for item in _items(line):
            if (item.category, item.key) in found:
                continue
            if len(found) == MOST_ITEMS:
                return list(found.values()), True
            found[item.category, item.key] = item
    return list(found.values()), False


def _items(line: str) -> Iterator[Item]:
    for category, pattern in _LINES:
        if pattern.search(line):
            yield Item(category, key_of_line(category, line), line)
    if _EDIT.search(line):
        for path in _paths(line):
            yield Item("file_edit", key_of(path), line, path)
    if _TODO.search(line):
        yield Item("todo", key_of_line("todo", line), line)


def key_of_line(category: Category, line: str) -> str:
    """Return the words that a line is looked for by; those of an error have no digits."""
    return key_of(without_digits(line) if category == "error" else line)


def without_digits(text: str) -> str:
    """Return the text without its decimal digits, of any script."""
    return _DIGITS.sub("", text)


def key_of(text: str) -> str:
    """Return the words of a text in lower case, one space between them."""
    return " ".join(_WORD.findall(text.lower()))


def basename_of(path: str) -> str:
    """Return what follows the last slash."""
    return path[path.rfind("/") + 1 :]


def _paths(line: str) -> Iterator[str]:
    """Yield the recognised paths of a line: at most one in a run of path characters."""
    for run in _RUN.findall(line):
        if path := _path_of(run):
            yield path.rstrip("./")


def _path_of(run: str) -> str | None:
    """Return what a run starts with: a path to a known kind of file, else one under a root.

    The last part with a file's ending ends the path, even in the middle of the run. A run that
    starts with a slash is none, and parts behind a double slash belong to a root alone.
    """
    parts = list(takewhile(bool, run.split("/")))
    for place in reversed(range(len(parts))):
        if found := _FILE.match(parts[place]):
            return "/".join((*parts[:place], found[0]))
    length = 0
    for part in parts:
        length += len(part) + 1
        if length < len(run) and _ROOT.fullmatch(part):
            return run
    return None
