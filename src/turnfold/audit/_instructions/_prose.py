"""The sentences of a text, and those of them that a user speaks rather than pastes."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from turnfold.audit._sentences import SENTENCE_END

LONGEST_SENTENCE: Final = 600
"""A longer sentence is not examined; nothing that rules anything is longer."""

LONGEST_SPOKEN: Final = 4_000
"""A turn with more prose is a pasted document."""

_END: Final = re.compile(rf"[.!?;\u3002\uff01\uff1f\uff1b]{SENTENCE_END}")
_ASCII_END: Final = re.compile(rf"[.!?;]{SENTENCE_END}")
_MARK: Final = re.compile(
    r"[ \t]{0,40}(?:[-*+\u2022\u2013](?=[ \t])|\d{1,3}[.)](?=[ \t])|\#{1,6}(?=[ \t])|\|"
    r"|\[[ xX]\])[ \t]{0,8}(?:\[[ xX]\][ \t]{0,8})?"
)
_STARTS_ANEW: Final = re.compile(
    r"[^a-z\u4e00-\u9fff(`\"'/~\d-]|(?:never|always|do|don['\u2019]?t|dont|only|no|must|use|make|ensure"
    r"|please|keep|avoid|all|every|run|add|also|you|we|i|it)\b"
)
_LETTER: Final = re.compile(r"\w")
_HANGING: Final = re.compile(
    r"(?:,|(?<!\w)(?:the|an?|of|to|in|on|and|or|with|for|from|unless|must|not|never|only|at|by|is|are"
    r"|be|may|than|most|least|except|when|if|do|before|after|under|without|should|always))\s?\Z",
    re.IGNORECASE,
)
_STOPS: Final = ".!?:;\u3002\uff01\uff1f\uff1a|"
_NAME_ALONE: Final = re.compile(
    r"(?:\A|[.!?]\s)\s{0,20}(?:`[^`\n]{1,200}`|[\w-]{1,80}[/_]\S{1,120})\Z"
)
"""A name with which a sentence begins: where the next line begins small, it goes on there."""

_UNIT: Final = re.compile(r"(?:[A-Z]{1,3}[a-z]?|[KMGT]iB|%)(?![A-Za-z])")

_SHORTEST_WRAPPED: Final = 20
_NEAR_END: Final = 240
_OPENING: Final = re.compile(r"[ \t]{0,40}<([A-Za-z][\w-]{0,60})(?:\s[^>]{0,300})?>")
_CLOSING: Final = re.compile(r"</([A-Za-z][\w-]{0,60})>")
_FENCE: Final = ("```", "~~~")
_PASTED: Final = re.compile(
    r"""\s{0,40}(?:
        >|\||[{}\[\]"']?\{|(?!\[[ xX]\]\ )[\[\]{}"]
        |\[?\d{4}-\d\d-\d\d[T ]|\d{1,6}[:|]|\[?\d\d:\d\d:\d\d
        |at\ \S{1,200}\ ?\(|File\ "|Traceback\ |diff\ --git|@@\ |[+]{3}\ |-{3}
        |[+-](?![-+\s])\S|[$\u279c\u276f%~]\ ?\S
        |(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL)\b|[\w.]{0,100}(?:Error|Exception):
        |(?:import|from|def|class|const|let|var|func|fn|public|private|export)
            \ \S{1,80}.*[:;{)]\s{0,9}\Z
        |//|/\*|<
    )""",
    re.VERBOSE,
)
_CODE_ENDS: Final = ("{", "}", ";", ");", "};", "[", "],", "},")
_DENSE: Final = 0.2
_SYMBOLS: Final = re.compile(r"[{}\[\]()<>=|\\&^$;+~]")
_INDENT: Final = ("    ", "\t")


class Sentence(NamedTuple):
    """A sentence, where it stands in its text, and the line with a colon that it stands under."""

    text: str
    start: int
    end: int
    lead: str = ""


class Spoken(NamedTuple):
    """What a user speaks in a turn, and whether something was left out for its length."""

    sentences: tuple[Sentence, ...]
    is_pasted: bool = False
    too_long: int = 0


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text in order; a wrapped line is part of the one before.

    The parts of a list have their introducing line as a lead.
    """
    lead = ""
    for start, end in _paragraphs(text, _lines(text)):
        piece = text[start:end]
        mark = _MARK.match(piece)
        if not mark or piece.lstrip().startswith("#"):
            lead = ""
        begin = start + (mark.end() if mark else 0)
        for each in _split(text, begin, end):
            yield each._replace(lead=lead)
        if piece.rstrip(" *_").endswith((":", "\uff1a")) or piece.lstrip().startswith("#"):
            lead = piece.strip()[:LONGEST_SENTENCE]


def spoken(text: str) -> Spoken:
    """Return what a user says in a turn: no code, log, quotation, tagged block or document."""
    lines = list(_spoken_lines(text))
    if sum(end - start for start, end in lines) > LONGEST_SPOKEN:
        return Spoken((), is_pasted=True)
    found: list[Sentence] = []
    too_long = 0
    lead = ""
    for start, end in _paragraphs(text, lines):
        piece = text[start:end]
        mark = _MARK.match(piece)
        begin = start + (mark.end() if mark else 0)
        lead = lead if mark else ""
        for each in _split(text, begin, end):
            if len(each.text) > LONGEST_SENTENCE:
                too_long += 1
            else:
                found.append(each._replace(lead=lead))
        if piece.rstrip().endswith((":", "\uff1a")):
            lead = piece.strip()[:LONGEST_SENTENCE]
    return Spoken(tuple(found), too_long=too_long)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, at + len(line.rstrip("\r\n"))
        at += len(line)


def _paragraphs(
    text: str, lines: Iterator[tuple[int, int]] | list[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Join a wrapped line to the one before it."""
    start = end = -1
    for at, stop in lines:
        if start >= 0 and _continues(text, (start, end), (at, stop)):
            end = stop
            continue
        if start >= 0:
            yield start, end
        start, end = (at, stop) if not text[at:stop].isspace() and stop > at else (-1, -1)
    if start >= 0:
        yield start, end


def _continues(text: str, before: tuple[int, int], line: tuple[int, int]) -> bool:
    start, end = before
    at, stop = line
    if at - end > len("\r\n") or stop == at or text[end - 1] in _STOPS:
        return False
    opening = text[at : at + 80]
    if _MARK.match(opening):
        return False
    if _indent(opening) > _indent(text[start : start + 80]) and not opening.lstrip()[:1].isupper():
        return True
    words = opening.lstrip()
    last = text[max(start, end - _NEAR_END) : end]
    opens = words[:1].islower() and _NAME_ALONE.search(last)
    if opens or (last[-1:].isdigit() and _UNIT.match(words)):
        return True
    if end - start < _SHORTEST_WRAPPED:
        return False
    hangs = _HANGING.search(text[max(start, end - 12) : end]) is not None
    return hangs or not _STARTS_ANEW.match(words)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _split(text: str, start: int, end: int) -> Iterator[Sentence]:
    at = start
    for found in (_ASCII_END if text.isascii() else _END).finditer(text, start, end):
        if piece := _sentence(text, at, found.end()):
            yield piece
        at = found.end()
    if piece := _sentence(text, at, end):
        yield piece


def _sentence(text: str, start: int, end: int) -> Sentence | None:
    whole = text[start:end]
    stripped = whole.strip()
    if not stripped or not _LETTER.search(stripped):
        return None
    start += len(whole) - len(whole.lstrip())
    return Sentence(" ".join(stripped.split()), start, start + len(stripped))


def _spoken_lines(text: str) -> Iterator[tuple[int, int]]:
    closings: dict[str, int] = {}
    for closing in _CLOSING.finditer(text):
        closings[closing[1]] = closing.start()
    fence = tag = ""
    for start, end in _lines(text):
        line = text[start:end]
        if tag:
            tag = "" if f"</{tag}>" in line else tag
        elif fence:
            fence = "" if line.lstrip().startswith(fence) else fence
        elif line.lstrip().startswith(_FENCE):
            fence = line.lstrip()[:3]
        elif opening := _OPENING.match(line):
            is_open = f"</{opening[1]}>" not in line and closings.get(opening[1], -1) > start
            tag = opening[1] if is_open else ""
        elif not is_pasted(line):
            yield start, end


def is_pasted(line: str) -> bool:
    """Whether a line looks like code, a log, a quotation or data rather than speech."""
    if line.startswith(_INDENT) and not _MARK.match(line):
        return True
    opening = line[:LONGEST_SENTENCE]
    if _PASTED.match(opening) or opening.rstrip().endswith(_CODE_ENDS):
        return True
    return len(_SYMBOLS.findall(opening)) > _DENSE * max(len(opening), 10)
