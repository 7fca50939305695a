"""Writing items into one line of a file of rollouts; every other byte of the file stays."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from turnfold.formats.openai_responses._open import Line
from turnfold.formats.openai_responses._spans import Span, element_spans, value_span

_GAPS: Final = "\ufeff \t\r\n\0"
_scan = json.JSONDecoder(strict=False).raw_decode

Element = int | dict[str, Any]
"""An item of the list as it was, by its place in it, or a new one."""


def spliced(
    lines: Sequence[bytes], line: Line, lists: Mapping[tuple[str, ...], Sequence[Element]]
) -> bytes:
    """Return a file in which lists of one line hold other items.

    An item that was there keeps its very text.

    Args:
        lines: The lines of the file.
        line: The record.
        lists: By the path of each list what it shall hold.
    """
    raw = lines[line.number - 1]
    text = raw.decode("utf-8", "surrogateescape")
    start = _start_of(text, line.position)
    changes: list[tuple[Span, str]] = []
    for path, elements in lists.items():
        span = value_span(text, start, path)
        if span is not None:
            changes.append((span, _spelled(text, span, elements)))
    for (begin, end), spelled in sorted(changes, reverse=True):
        text = text[:begin] + spelled + text[end:]
    changed = text.encode("utf-8", "surrogateescape")
    return b"".join((*lines[: line.number - 1], changed, *lines[line.number :]))


def _start_of(text: str, position: int) -> int:
    """Return where the objects on a line before a place end and the one there begins."""
    start = _skipped(text, 0)
    seen = 0
    while True:
        value, end = _scan(text, start)
        if isinstance(value, dict):
            if seen == position:
                return start
            seen += 1
        start = _skipped(text, end)


def _skipped(text: str, position: int) -> int:
    while position < len(text) and text[position] in _GAPS:
        position += 1
    return position


def _spelled(text: str, span: Span, elements: Sequence[Element]) -> str:
    """Return the text of a list; what stands between items that stay neighbours stays as well."""
    spans = element_spans(text, span[0])
    gaps = [text[end:begin] for (_, end), (begin, _) in pairwise(spans)]
    usual = gaps[0] if gaps else ", "
    separators = (",", ":") if usual == "," else (", ", ": ")
    written = ["[", text[span[0] + 1 : spans[0][0]] if spans else ""]
    for number, each in enumerate(elements):
        before = elements[number - 1] if number else None
        if number:
            written.append(
                gaps[before] if isinstance(before, int) and before < len(gaps) else usual
            )
        if isinstance(each, int):
            written.append(text[slice(*spans[each])])
        else:
            written.append(json.dumps(each, separators=separators))
    written += [text[spans[-1][1] : span[1] - 1] if spans else "", "]"]
    return "".join(written)
