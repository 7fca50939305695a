"""Where a value stands in the text of a JSON object, so that all else in it can stay as it is."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

Span = tuple[int, int]

_BLANK: Final = " \t\r\n"
_scan = json.JSONDecoder(strict=False).raw_decode


def value_span(text: str, start: int, path: Sequence[str]) -> Span | None:
    """Return where the value at a path of keys stands, or None where it does not.

    Of a key that stands twice the last counts, as it does for the reader.

    Args:
        text: The text, valid JSON from `start` on.
        start: Where the outer value begins.
        path: The keys that lead to the value.
    """
    if not path:
        return start, _scan(text, start)[1]
    found = None
    for key, begin, end in _members(text, start):
        if key == path[0]:
            found = (begin, end)
    return None if found is None else value_span(text, found[0], path[1:])


def element_spans(text: str, start: int) -> list[Span]:
    """Return where the elements of an array stand; empty where it is none."""
    if not text.startswith("[", start):
        return []
    spans: list[Span] = []
    position = _skipped(text, start + 1)
    while not text.startswith("]", position):
        end = _scan(text, position)[1]
        spans.append((position, end))
        position = _skipped(text, end)
        if text.startswith(",", position):
            position = _skipped(text, position + 1)
    return spans


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    if not text.startswith("{", start):
        return
    position = _skipped(text, start + 1)
    while text.startswith('"', position):
        key, position = _scan(text, position)
        begin = _skipped(text, _skipped(text, position) + 1)
        end = _scan(text, begin)[1]
        yield key, begin, end
        position = _skipped(text, end)
        if text.startswith(",", position):
            position = _skipped(text, position + 1)


def _skipped(text: str, position: int) -> int:
    while position < len(text) and text[position] in _BLANK:
        position += 1
    return position
