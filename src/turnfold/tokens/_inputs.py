"""What a turn hands to its tools, told from its words, and the same turn with short inputs.

Loaders spell a call as `[call NAME] ARGUMENTS` on a line of its own, the arguments as the model
wrote them: JSON as a rule, sometimes plain text (a patch, a script).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

LONGEST_VALUE: Final = 300
"""Characters of a value of an input that is never shortened: a path, a name, a short command."""

_MARK: Final = re.compile(r"^\[call [^\]\n]{0,200}\] ", re.MULTILINE)
_LITERAL: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"(\s*+:)?+')
_DECODER: Final = json.JSONDecoder()


class ShortInputs(NamedTuple):
    """A turn's content with short inputs.

    Args:
        content: The content; every word of the turn stands in it.
        replaced: What was replaced by what: whole inputs, and the values in them.
    """

    content: str
    replaced: Mapping[str, str] = MappingProxyType({})

    def within(self, value: Any) -> Any:  # noqa: ANN401  JSON.
        """Return a JSON value with everything replaced that was, copies and spellings included.

        Raises:
            RecursionError: It nests too deeply.
        """
        if isinstance(value, str):
            return self._within_text(value) if len(value) > LONGEST_VALUE else value
        if isinstance(value, dict):
            return {key: self.within(each) for key, each in value.items()}
        return [self.within(each) for each in value] if isinstance(value, list) else value

    def _within_text(self, text: str) -> str:
        known = self.replaced.get(text)
        if known is not None:
            return known
        return self._within_json(text) if _json_end(text) == len(text) else text

    def _within_json(self, text: str) -> str:
        def replace(literal: re.Match[str]) -> str:
            value = _long_value(literal)
            return json.dumps(self.replaced[value]) if value in self.replaced else literal[0]

        return _LITERAL.sub(replace, text)


def short_inputs(content: str, calls: int) -> ShortInputs | None:
    """Return a turn's content with the long values of its calls' inputs replaced by a stub.

    A value longer than `LONGEST_VALUE` goes as a whole and says how long it was; never an excerpt
    of it stays. JSON stays JSON of the same shape (known failure G1).

    Args:
        content: The content of the turn.
        calls: How many calls it makes.

    Returns:
        None where nothing is long, or where the calls cannot be told from the words for certain.
    """
    found = list(input_spans(content))
    if len(found) != calls:
        return None
    replaced: dict[str, str] = {}
    pieces, done = [], 0
    for start, end in found:
        whole = content[start:end]
        short = _shortened(whole, replaced)
        if short != whole:
            replaced[whole] = short
        pieces += [content[done:start], short]
        done = end
    text = "".join([*pieces, content[done:]])
    return None if not replaced or _says_one_of(text, replaced) else ShortInputs(text, replaced)


def _says_one_of(text: str, values: Iterable[str]) -> bool:
    """Whether words may repeat a value, so that the two could not be told apart."""
    lines = set(text.split("\n"))
    return any(max(value.split("\n"), key=len) in lines for value in values)


def input_spans(content: str) -> Iterator[tuple[int, int]]:
    """Yield where the input of each call begins and ends in a turn's content.

    JSON ends where it ends, if its line ends there too; what is no JSON, where the next call
    begins.
    """
    marks = list(_MARK.finditer(content))
    ends = [*(mark.start() - 1 for mark in marks[1:]), len(content)]
    for mark, end in zip(marks, ends, strict=False):
        start = mark.end()
        yield start, start + (_json_end(content[start:end]) or end - start)


def _json_end(text: str) -> int:
    """Return where the JSON value ends that a text begins with; 0 where it is none."""
    try:
        end = _DECODER.raw_decode(text)[1]
    except (ValueError, RecursionError):
        return 0
    return end if text[end : end + 1] in ("", "\n") else 0


def _shortened(text: str, replaced: dict[str, str]) -> str:
    """Return an input with stubs for its long values, which are noted."""

    def shorten(literal: re.Match[str]) -> str:
        value = _long_value(literal)
        if not value:
            return literal[0]
        replaced[value] = _stub(value)
        return json.dumps(replaced[value])

    if _json_end(text) == len(text):
        return _LITERAL.sub(shorten, text)
    return _stub(text) if len(text) > LONGEST_VALUE else text


def _long_value(literal: re.Match[str]) -> str:
    """Return the string that a JSON literal spells, where it is a value and long; else nothing."""
    is_key = literal[1] is not None
    if is_key or literal.end() - literal.start() <= LONGEST_VALUE:
        return ""
    value: str = json.loads(literal[0])
    return value if len(value) > LONGEST_VALUE else ""


def _stub(value: str) -> str:
    return f"[{len(value)} characters removed to save space]"
