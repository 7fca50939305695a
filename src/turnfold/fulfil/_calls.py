"""Reading the calls of a turn back from its content, and finding the call of a result."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from turnfold._metadata import TOOL_NAME, call_ids_of
from turnfold.tokens._inputs import input_spans
from turnfold.transcript import TranscriptTurn

# Loaders render a call as `[call NAME] {arguments}`, which begins on a line of its own.
_BARE_CALL: Final = re.compile(r"\[call ([^\]\n]{0,200})\]")
_KEY_ARGUMENTS: Final = (
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "command",
    "cmd",
    "url",
    "pattern",
    "query",
    "description",
    "subject",
    "name",
)
_SUPERSEDED: Final = frozenset({"old_string", "old_str", "oldText", "old_text"})
"""Arguments that quote what the call replaced: stale once the call was made."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call: the tool, its key argument (a path, a command), and the texts of the others."""

    name: str
    key: str
    texts: tuple[tuple[str, str], ...]


def split_calls(content: str) -> tuple[list[str], list[Call]]:
    """Return the lines of a turn that are no calls, and its calls, in order.

    An input may take up several lines: a patch, a script, JSON with indents.
    """
    lines: list[str] = []
    calls: list[Call] = []
    done = 0
    for start, end in input_spans(content):
        opened = content.rfind("\n", 0, start) + 1
        _split_words(content[done:opened], lines, calls)
        name = content[opened + len("[call ") : start - len("] ")]
        calls.append(_read_call(name, content[start:end]))
        done = end + 1
    _split_words(content[done:], lines, calls)
    return lines, calls


def _split_words(text: str, lines: list[str], calls: list[Call]) -> None:
    """Add the lines of a text, and the calls in it that have no input."""
    for line in text.splitlines():
        bare = _BARE_CALL.fullmatch(line)
        if bare is None:
            lines.append(line)
        else:
            calls.append(_read_call(bare[1], ""))


def _read_call(name: str, rest: str) -> Call:
    try:
        arguments = json.loads(rest) if rest.strip() else {}
    except (ValueError, RecursionError):
        arguments = {"": rest}
    return _call(name, arguments if isinstance(arguments, dict) else {"": rest})


def _call(name: str, arguments: dict[str, Any]) -> Call:
    texts = {key: value for key, value in arguments.items() if isinstance(value, str) and value}
    key = next((texts.pop(each) for each in _KEY_ARGUMENTS if each in texts), None)
    if key is None:
        key = texts.pop(next(iter(texts))) if texts else ""
    for argument, value in arguments.items():
        if isinstance(value, list | dict) and value:
            texts[argument] = "\n".join(_strings(value))
    kept = tuple((arg, text) for arg, text in texts.items() if arg not in _SUPERSEDED)
    return Call(name, key, kept)


def _strings(value: object) -> Iterator[str]:
    """Yield the strings inside a value, in order, whatever its depth."""
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting.extend(inner for key, inner in reversed(each.items()) if key not in _SUPERSEDED)
        elif isinstance(each, list):
            waiting.extend(reversed(each))


class CallBook:
    """Finds the call that a result answers: by its call id, else by its place in the exchange."""

    __slots__ = ("_answered", "_by_id", "_in_order")

    def __init__(self) -> None:
        self._in_order: dict[str, list[Call]] = {}
        self._by_id: dict[tuple[str, str], Call] = {}
        self._answered: dict[str, int] = {}

    def enter(self, turn: TranscriptTurn, calls: Sequence[Call]) -> None:
        """Note the calls that a turn makes."""
        exchange = turn.tool_call_id
        if exchange is None or not calls:
            return
        self._in_order.setdefault(exchange, []).extend(calls)
        ids = _call_ids(turn)
        if len(ids) == len(calls):
            self._by_id.update(
                ((exchange, each), call) for each, call in zip(ids, calls, strict=True)
            )

    def call_of(self, turn: TranscriptTurn) -> Call:
        """Return the call of a result; one without arguments where none is known."""
        exchange = turn.tool_call_id or ""
        at = self._answered.get(exchange, 0)
        self._answered[exchange] = at + 1
        for each in _call_ids(turn)[:1]:
            if (exchange, each) in self._by_id:
                return self._by_id[exchange, each]
        calls = self._in_order.get(exchange, [])
        return calls[at] if at < len(calls) else Call(turn.metadata.get(TOOL_NAME, ""), "", ())


def _call_ids(turn: TranscriptTurn) -> list[str]:
    return [each for each in call_ids_of(turn.metadata) if isinstance(each, str)]
