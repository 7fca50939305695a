"""A text in segments: one for each mark of a speaker, or for each paragraph without marks."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from turnfold.transcript import Role

_ROLES: Final[dict[str, Role]] = {
    **dict.fromkeys(("user", "human", "you", "用户"), Role.USER),
    **dict.fromkeys(
        ("assistant", "ai", "model", "agent", "claude", "chatgpt", "gemini", "助手"), Role.ASSISTANT
    ),
    **dict.fromkeys(("system", "developer", "系统"), Role.SYSTEM),
    **dict.fromkeys(
        ("tool", "tool result", "tool output", "tool_result", "function", "observation", "工具"),
        Role.TOOL,
    ),
}
_COLONS: Final = (":", "：")  # noqa: RUF001  Chinese text has a colon of its own.
_LONGEST: Final = 80
"""No mark is longer; a name after it, as in `[tool: name]`, counts."""
_BOM: Final = b"\xef\xbb\xbf"
_FENCES: Final = ("```", "~~~")
_SUMMARY_OPENS: Final = '<conversation_summary turns="'
_SUMMARY_CLOSES: Final = "</conversation_summary>"


class Mark(NamedTuple):
    """A mark: how it is written, whose it is, which tool it names, how long it is."""

    style: str
    role: Role
    tool: str | None
    length: int


@dataclass(slots=True)
class Segment:
    """A turn of a text: the bytes of all of it, and of what stands before and behind its words.

    Args:
        line: The number of its first line, from 1.
        role: Who speaks.
        mark: The mark, or None where there is none.
        raw: All bytes.
        head: The bytes before the words.
        tail: The bytes behind them.
        text: The words.
        is_damaged: Whether some bytes are no UTF-8.
    """

    line: int
    role: Role
    mark: Mark | None
    raw: bytes = b""
    head: bytes = b""
    tail: bytes = b""
    text: str = ""
    is_damaged: bool = False

    @property
    def opening(self) -> bytes:
        """What a new turn of the same speaker opens with."""
        own = self.head.removeprefix(_BOM).lstrip()
        return own if self.text or not own.startswith(b"#") else own.rstrip() + b"\n\n"

    @property
    def tool(self) -> str | None:
        """The tool that the mark names."""
        return self.mark.tool if self.mark else None


def mark_of(line: str) -> Mark | None:
    """Return the mark that a line begins with."""
    head = line[: _LONGEST + 1].rstrip("\r\n")
    if head.startswith("#"):
        return _heading(head, len(line.rstrip("\r\n")))
    if head.startswith(("**", "__")):
        return _bold(head)
    if head.startswith("["):
        name, closed, _ = head[1:].partition("]")
        return _named("brackets", name, len(name) + 2) if closed else None
    places = [place for colon in _COLONS if (place := head.find(colon)) > 0]
    if not places:
        return None
    name = head[: min(places)]
    role = _ROLES.get(name.lower())
    return None if role is None else Mark("colon", role, None, len(name) + 1)


def _heading(head: str, length: int) -> Mark | None:
    name = head.lstrip("#")
    style = "#" * (len(head) - len(name))
    if length > _LONGEST or not name.startswith(" "):
        return None
    return _named(style, name.strip(" *:：").replace("(", ":").rstrip(")"), length)  # noqa: RUF001


def _bold(head: str) -> Mark | None:
    sign = head[:2]
    name, closed, rest = head[2:].partition(sign)
    if not closed:
        return None
    inside = name.endswith(_COLONS)
    if not inside and not rest.startswith(_COLONS):
        return None
    length = len(name) + 4 + (0 if inside else 1)
    return _named(sign, name.rstrip(":："), length)  # noqa: RUF001


def _named(style: str, name: str, length: int) -> Mark | None:
    who, _, tool = name.partition(":")
    role = _ROLES.get(who.strip().lower())
    if role is None or (tool.strip() and role is not Role.TOOL):
        return None
    return Mark(style, role, tool.strip() or None, length)


def segments_of(data: bytes) -> list[Segment]:
    """Return the segments of a text, in order; those that say nothing are part of others."""
    if data.startswith(_BOM):
        segments = segments_of(data.removeprefix(_BOM))
        for first in segments[:1]:
            first.raw, first.head = _BOM + first.raw, _BOM + first.head
        return segments
    lines = _lines(data)
    if not lines:
        return []
    # Bytes that are no UTF-8 stay what they are, so that places in both are the same.
    texts = [line.decode("utf-8", "surrogateescape") for line in lines]
    marks = _marks(texts)
    starts = _marked(texts, marks) if marks else [(each, None) for each in _paragraphs(texts)]
    ends = [*(start for start, _ in starts[1:]), len(lines)]
    segments = [
        _segment(start, mark, texts[start:end])
        for (start, mark), end in zip(starts, ends, strict=True)
    ]
    return [each for each in segments if each.mark or each.text]


def _lines(data: bytes) -> list[bytes]:
    """Split at LF only: a carriage return is white space."""
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def _marks(texts: Sequence[str]) -> dict[int, Mark]:
    """Return the marks by line: those of the style of the first, and those in brackets."""
    found = {number: mark for number in _outside(texts) if (mark := mark_of(texts[number]))}
    styles = [mark.style for mark in found.values() if mark.style != "brackets"][:1]
    return {number: mark for number, mark in found.items() if mark.style in (*styles, "brackets")}


def _outside(texts: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines that are in no fenced block and in no summary of turnfold."""
    inside = _in_summaries(texts)
    shown = ["" if number in inside else text.strip() for number, text in enumerate(texts)]
    closings = {sign: _last_closing(shown, sign) for sign in _FENCES}
    fence = ""
    for number, text in enumerate(shown):
        if fence:
            fence = "" if _closes(text, fence) else fence
        elif text.startswith(_FENCES) and number < closings[text[:3]]:
            fence = text[:3]
        elif number not in inside:
            yield number


def _in_summaries(texts: Sequence[str]) -> set[int]:
    """Return the lines of summaries but for their first, on which a mark can stand."""
    inside: set[int] = set()
    closings = [at for at, text in enumerate(texts) if text.rstrip().endswith(_SUMMARY_CLOSES)]
    for number, text in enumerate(texts):
        if number not in inside and _SUMMARY_OPENS in text and _opens_summary(text):
            end = bisect_left(closings, number)
            inside.update(range(number + 1, closings[end] + 1) if end < len(closings) else ())
    return inside


def _closes(stripped: str, fence: str) -> bool:
    return stripped.startswith(fence) and not stripped.strip(fence[0])


def _last_closing(texts: Sequence[str], fence: str) -> int:
    """Return the last line that can close a block; one that nothing closes is none."""
    places = range(len(texts) - 1, -1, -1)
    return next((place for place in places if _closes(texts[place], fence)), -1)


def _opens_summary(text: str) -> bool:
    mark = mark_of(text)
    return text[mark.length if mark else 0 :].strip().startswith(_SUMMARY_OPENS)


def _marked(texts: Sequence[str], marks: dict[int, Mark]) -> list[tuple[int, Mark | None]]:
    """Return where turns begin, with their marks; blank lines before the first are part of it."""
    starts: list[tuple[int, Mark | None]] = list(marks.items())
    first, mark = starts[0]
    if any(text.strip() for text in texts[:first]):
        return [(0, None), *starts]
    return [(0, mark), *starts[1:]]


def _paragraphs(texts: Sequence[str]) -> list[int]:
    """Return the lines at which paragraphs and headings begin; a heading has the one behind it."""
    starts = [0]
    outside = set(_outside(texts))
    after_blank = after_heading = False
    for number, text in enumerate(texts):
        is_blank = not text.strip() and number in outside
        is_heading = number in outside and text.startswith("#")
        if number and not is_blank and not after_heading and (after_blank or is_heading):
            starts.append(number)
        if not is_blank:
            after_heading = is_heading
        after_blank = is_blank
    return starts


def _segment(number: int, mark: Mark | None, texts: Sequence[str]) -> Segment:
    text = "".join(texts)
    blank = next((at for at, each in enumerate(texts) if each.strip()), 0)
    begin = sum(map(len, texts[:blank])) + (mark.length if mark else 0)
    words = text[begin:]
    body = words.strip()
    before = begin + (len(words) - len(words.lstrip()) if body else 0)
    read = _encoded(body).decode("utf-8", "replace")
    return Segment(
        number + blank + 1,
        mark.role if mark else Role.USER,
        mark,
        _encoded(text),
        _encoded(text[:before]),
        _encoded(text[before + len(body) :]),
        read,
        is_damaged=read != body,
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
