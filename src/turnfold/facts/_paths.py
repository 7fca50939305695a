"""Paths with blanks in them, where marks around them or escapes show how far they go.

Elsewhere a blank ends a path. Commands stand in quotation marks too, begin like paths and go on in
blanks: so a word after a blank has to begin as names of folders do, with a capital or a digit,
unless what stands before the mark says that a path follows.
"""

import re
from collections.abc import Iterator
from typing import Final

from turnfold.facts._atoms import SUFFIXES

_LONGEST: Final = 260
"""So many characters a path has on Windows; one with blanks is hardly longer elsewhere."""

_WORD: Final = r"[\w.()@+%&#~-]+"
_NAMED: Final = r"(?:-(?= )|(?:(?:and|of|the|for|und|et|de) )?(?:[^\Wa-z_]|[(&])[\w.()@+%&#~-]*)"
_SLASHES: Final = r"[/\\]{1,2}"
# A pattern that begins with a fixed character is searched for several times faster.
_ROOT: Final = re.compile(r"/(?:(?<=[\"'`\u2018\u201c]/)|(?<=[\"'`\u2018\u201c]~/))(?=[^/\s])")
_DRIVE: Final = re.compile(r":(?<=(?<![A-Za-z])[A-Za-z]:)(?=[/\\]{1,2}[\w.(])")
_ESCAPE: Final = re.compile(r"\\ (?<=[\w.)\\]\\ )(?=[\w(&-])")
_DRIVEN: Final = re.compile(
    rf"(?:{_SLASHES}{_WORD}(?: {_NAMED}){{0,5}}(?={_SLASHES})){{1,30}}{_SLASHES}{_WORD}"
)
_BEFORE_ESCAPE: Final = re.compile(r"(?<![\w/.~\\])(?:~|\.{1,2})?/[\w./()@+%&#~-]{1,200}\\{0,1}\Z")
_ESCAPED_PATH: Final = re.compile(r"(?:\\{1,2} |[\w./()@+%&#~-]){1,260}")
_TOLD: Final = re.compile(
    r"(?:path|file|filename|dir|directory|folder|cwd|(?<![A-Za-z])cd)\\?[\"']?\s?[:=]?\s?\\?\Z"
)
_SPLIT: Final = re.compile(_SLASHES)
_SEGMENT: Final = re.compile(rf"{_WORD}(?: {_NAMED}){{0,8}}")
_ANY_SEGMENT: Final = re.compile(rf"{_WORD}(?: (?![-~/]\w){_WORD}){{0,8}}")
_TITLED: Final = re.compile(r"(?:[^\Wa-z_\d]\w{0,60}[a-z]\w{0,60}|-|and|of|the|for|und|et|de)")
_LINE_AFTER: Final = re.compile(r"(?::\d{1,7}){1,2}\Z")
_CLOSING: Final = {
    **{mark: mark for mark in "\"'`"},
    "\u2018": "\u2019",
    "\u201c": "\u201d",
}
_PROGRAMS: Final = frozenset(("bin", "sbin", "Scripts"))
_DEEP: Final = 2
"""`/run Tests/a` is a command of a chat; what has a blank below a folder is none."""


def spaced_paths(text: str) -> list[tuple[int, int]]:
    """Return where paths with blanks start and end, in order, without overlaps; linear."""
    found = [*_quoted(text), *_driven(text)]
    if "\\ " in text:
        found += _escaped(text)
    spans: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
    return spans


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    for root in _ROOT.finditer(text):
        start = root.start() - (text[root.start() - 1] == "~")
        if end := _end_of_quotation(text, start):
            yield start, end


def _driven(text: str) -> Iterator[tuple[int, int]]:
    """Yield paths that begin with a drive: in marks, or where the last name has no blank."""
    for drive in _DRIVE.finditer(text):
        start = drive.start() - 1
        if end := _end_of_quotation(text, start):
            yield start, end
        elif path := _DRIVEN.match(text, drive.end()):
            end = start + len(_trimmed(text[start : path.end()]))
            if " " in path[0] and _is_path(text[start:end], is_told=False):
                yield start, end


def _escaped(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    for escape in _ESCAPE.finditer(text):
        at = escape.start()
        if at < done:
            continue
        before = _BEFORE_ESCAPE.search(text, max(done, at - _LONGEST), at)
        if before and (path := _ESCAPED_PATH.match(text, before.start())):
            done = path.end()
            yield before.start(), before.start() + len(_trimmed(path[0]))


def _end_of_quotation(text: str, start: int) -> int:
    """Return where the path ends that fills the quotation marks before `start`; 0 for none."""
    closing = _CLOSING.get(text[start - 1 : start])
    end = text.find(closing, start, start + _LONGEST) if closing else -1
    if end < 0 or text.find(" ", start, end) < 0:
        return 0
    path = _LINE_AFTER.sub("", text[start:end].rstrip("\\"))
    is_told = _TOLD.search(text, max(0, start - 20), start - 1) is not None
    return start + len(path) if _is_path(path, is_told=is_told) else 0


def _is_path(text: str, *, is_told: bool) -> bool:
    """Whether a text with a blank is a path, and no command and no sentence that begins with one.

    Args:
        text: It begins with a root, a home or a drive.
        is_told: Whether something says that it is one.
    """
    segments = _SPLIT.split(text.rstrip("/\\"))
    spaced = [at for at, segment in enumerate(segments) if " " in segment]
    if not spaced or any(_ends_in_a_file(segments[at].split(" ")[:-1]) for at in spaced):
        return False
    if is_told:
        return all(map(_ANY_SEGMENT.fullmatch, segments[1:]))
    first = spaced[0]
    if (not segments[0] and first < _DEEP) or segments[first - 1] in _PROGRAMS:
        return False
    if not all(map(_SEGMENT.fullmatch, segments[1:])):
        return False
    last = segments[-1].split(" ")
    return _ends_in_a_file(last[-1:]) or all(map(_TITLED.fullmatch, last[1:]))


def _ends_in_a_file(words: list[str]) -> bool:
    """Whether a word is the name of a file, after which another thing follows."""
    return any(word.rpartition(".")[2].lower() in SUFFIXES for word in words if "." in word)


def _trimmed(path: str) -> str:
    path = path.rstrip(".")
    while path.endswith(")") and path.count(")") > path.count("("):
        path = path[:-1]
    return path.rstrip(".")
