"""Critical items: decisions, todos, file edits and open errors that the view does not hold.

Constraints of the user are the matter of `turnfold.audit.rules`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from turnfold._metadata import KIND, KIND_INJECTED, STATUS, STATUS_ERROR, TOOL_NAME
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome
from turnfold.audit._finding import Axis, Finding, Severity, Status
from turnfold.audit._instructions._collect import collected_of
from turnfold.audit._instructions._corrections import Correction, is_superseded
from turnfold.audit._instructions._prose import is_pasted
from turnfold.audit._items import (
    has_object,
    is_decision,
    is_progress,
    is_todo,
    is_unsolved,
    without_triggers,
)
from turnfold.audit._sentences import Sentences, words_of
from turnfold.audit._spelling import ends_of, readable
from turnfold.facts import Kind, NameReader, find, redact
from turnfold.transcript import Role, TranscriptTurn

_NO_SPEECH: Final = ("    ", "\t", ">", "{", "<", "+", "@@", "$ ")
"""How pasted code, logs and quotations begin."""

_LONGEST_LINE: Final = 500
_ENOUGH: Final = 0.5
"""An item is kept where one sentence of the view has so much of its words, or of its facts."""

_CALL: Final = re.compile(r"\[call ([\w.:-]{1,80})\] ")
_EDITS: Final = re.compile(r"edit|write|patch|replace|create|insert", re.IGNORECASE)
_VIEWS: Final = re.compile(r"\"command\" ?: ?\"view\"")
"""What an editor with several commands is told where it is to change nothing."""

_TARGET: Final = re.compile(
    r"\"(?:file_?path|path|filename|notebook_path|target_file)\" ?: ?"
    r"\"((?:[^\"\\]|\\.){1,400})\"",
    re.IGNORECASE,
)
_PATCHED: Final = re.compile(
    r"(?:\A|\\n)\*{3} (?:(?:Add|Update|Delete) File|Move to): ([^\"\\\n]{1,400})"
)
_BEGIN_PATCH: Final = "*** Begin Patch"
_END_PATCH: Final = "*** End Patch"
_ERROR_NAME: Final = re.compile(
    r"(?<!\w)(?:[A-Z]\w{0,80}(?:Error|Exception)|E[A-Z2]{2,14}|E\d{3,6})(?!\w)"
)
_IN_ERRORS: Final = "E"
_HYPHENATED: Final = re.compile(r"[A-Za-z]?[a-z]+(?:-[a-z]+){1,3}")
"""Ordinary words that are written as one, which a report may write as several."""

_ANNOUNCED: Final = re.compile(
    r"\W{0,4}(?:now,? |next,? |first,? |ok(?:ay)?,? |then )?"
    r"(?:let me|i['\u2019]ll|i will|i need to|i['\u2019]m going|let['\u2019]s)",
    re.IGNORECASE,
)


class _Item(NamedTuple):
    kind: str
    text: str
    severity: Severity


class _Found(NamedTuple):
    """An item, and the turn that has it."""

    item: _Item
    turn_id: str


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Look for every critical item of the replaced turns in the view.

    Decisions and todos are lines of user and assistant turns, file edits are read from the calls
    that made them, and an error counts while it is the latest of its tool. A lost decision or open
    error is HIGH, a lost file edit or todo MEDIUM.
    """
    del config
    view = _View(evidence)
    superseded = _Superseded(evidence)
    findings = []
    checked: set[tuple[str, str]] = set()
    for item, turn_id in _items(evidence):
        key = item.kind, " ".join(item.text.casefold().split())
        if key in checked:
            continue
        checked.add(key)
        if not view.holds(item) and not superseded(item):
            findings.append(
                Finding(
                    Axis.CRITICAL,
                    item.kind,
                    Status.LOST,
                    item.severity,
                    redact(item.text),
                    (turn_id,),
                )
            )
    return Outcome(findings, len(checked))


def _items(evidence: Evidence) -> Iterator[_Found]:
    failed: dict[str, _Found] = {}
    gone = {turn.turn_id for turn in evidence.replaced}
    for position, turn in enumerate(evidence.leaves):
        if turn.turn_id not in gone or turn.metadata.get(KIND) == KIND_INJECTED:
            continue
        if turn.role is Role.TOOL:
            _follow_errors(turn, failed)
        elif turn.role is not Role.SYSTEM:
            for item in evidence.memory.of(_spoken, (Role(turn.role), turn.content)):
                is_left = item.kind in ("decision", "file_edit") or turn.role is Role.USER
                if is_left or not _is_taken_up(item, position, evidence):
                    yield _Found(item, turn.turn_id)
    yield from failed.values()


def _is_taken_up(item: _Item, position: int, evidence: Evidence) -> bool:
    """Whether a later turn names what an assistant left to do or open: it may be done since."""
    reader = evidence.originals.reader
    for name in reader.facts(item.text):
        seen = evidence.originals.seen(name)
        if seen is not None and seen.last > position:
            return True
    return False


def _spoken(said: tuple[Role, str]) -> tuple[_Item, ...]:
    """Return decisions and todos of what somebody says, and the files that calls edit."""
    return tuple(_items_of(*said))


def _items_of(role: Role, text: str) -> Iterator[_Item]:
    fenced = False
    call = _Call("", "")
    for line in readable(text).splitlines():
        if found := _CALL.match(line):
            call = _Call(found[1], line[found.end() :])
        if found or call.goes_on(line):
            for path in call.edited(line):
                yield _Item("file_edit", path, Severity.MEDIUM)
            continue
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced or line.startswith(_NO_SPEECH) or is_pasted(line):
            continue
        # What is cut within a credential looks like none any more.
        whole = redact(line) if len(line) > _LONGEST_LINE else line
        said = [each.strip()[:_LONGEST_LINE] for each in Sentences(whole)]
        for each, after in zip(said, [*said[1:], ""], strict=True):
            yield from _item_of(each, after, role)


class _Call:
    """A call as it is read, line by line: its arguments can be a patch, or JSON over lines."""

    def __init__(self, name: str, arguments: str) -> None:
        self._edits = _EDITS.search(name) is not None and not _VIEWS.search(arguments)
        self._is_patch = _BEGIN_PATCH in arguments
        self._end = _END_PATCH if self._is_patch else "}"
        is_begun = self._is_patch or arguments.strip() == "{"
        self._is_open = is_begun and _END_PATCH not in arguments

    def goes_on(self, line: str) -> bool:
        """Whether a line behind the first one is of the arguments."""
        was_open = self._is_open
        self._is_open = was_open and not line.startswith(self._end)
        return was_open

    def edited(self, line: str) -> Iterator[str]:
        """Yield the paths that the call edits and that a line of it names."""
        self._edits &= not _VIEWS.search(line)
        if self._edits and self._is_patch:
            yield from map(str.strip, _PATCHED.findall(line))
        elif self._edits:
            yield from (each.replace("\\\\", "\\") for each in _TARGET.findall(line))


def _item_of(said: str, after: str, role: Role) -> Iterator[_Item]:
    if said.endswith(("?", "\uff1f")):
        return
    if is_decision(said, role) and has_object(said):
        yield _Item("decision", said, Severity.HIGH)
    elif _IN_ERRORS in said and (named := _error_in(said)) and is_unsolved(said, after):
        yield _Item("error", named, Severity.HIGH)
    elif (role is Role.USER or _ends_well(said)) and is_todo(said):
        yield _Item("todo", said, Severity.MEDIUM)


def _ends_well(said: str) -> bool:
    """Whether an assistant's sentence is no heading, no guess, and announces not what is next."""
    is_now = _ANNOUNCED.match(said) or is_progress(said)
    is_guess = _GUESSED.search(said) is not None
    return not said.rstrip("*_ ").endswith(":") and not is_now and not is_guess


_GUESSED: Final = re.compile(
    r"(?<!\w)you (?:(?:just|simply) )?(?:probably|likely|may|might|perhaps)(?!\w)", re.IGNORECASE
)
"""What an assistant supposes that the user has not done is nothing that is left to do."""


def _follow_errors(turn: TranscriptTurn, failed: dict[str, _Found]) -> None:
    """Note a tool's latest error; a success of the same tool resolves it."""
    tool = turn.metadata.get(TOOL_NAME, "")
    if turn.metadata.get(STATUS) != STATUS_ERROR:
        failed.pop(tool, None)
    elif named := _error_in(turn.content[-20_000:]):
        failed[tool] = _Found(_Item("error", named, Severity.HIGH), turn.turn_id)


def _error_in(text: str) -> str | None:
    """Return the first error that a text names; a word in capitals is one if it is a fact of it."""
    names = (found[0] for found in _ERROR_NAME.finditer(text))
    return next((each for each in names if not each.isupper() or _is_error(each)), None)


@lru_cache(maxsize=1_000)
def _is_error(name: str) -> bool:
    return any(each.kind is Kind.ERROR for each in find(name).facts)


class _Superseded:
    """Whether a decision holds a value that the user took back later; read when first asked."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._corrections: Sequence[Correction] | None = None

    def __call__(self, item: _Item) -> bool:
        if item.kind != "decision":
            return False
        if self._corrections is None:
            self._corrections = collected_of(self._evidence).corrections
        return is_superseded(item.text, self._corrections)


class _View:
    """The sentences of a view by their words and facts."""

    def __init__(self, evidence: Evidence) -> None:
        self._reader = NameReader()
        self._by_word: dict[str, set[int]] = {}
        self._names: set[str] = set()
        self._goes_on = False
        texts = [*(each.text for each in evidence.summaries), *evidence.beside]
        texts += [turn.content for turn in evidence.standing if turn.role is not Role.TOOL]
        for text in texts:
            found = self._reader.facts(text)
            self._names.update(found, map(_even, found))
        number = 0
        for sentence in chain.from_iterable(map(Sentences, texts)):
            number += not self._goes_on
            self._goes_on = sentence.rstrip().endswith((";", "\uff1b"))
            for word in words_of(sentence):
                self._by_word.setdefault(_root(word), set()).add(number)

    def holds(self, item: _Item) -> bool:
        """Whether one sentence says what the item says, as far as words and facts show it."""
        if item.kind in ("file_edit", "error"):
            ends = list(ends_of(_even(item.text)))
            return not self._names.isdisjoint([*ends, *(each.lstrip(".") for each in ends)])
        facts = set(self._reader.facts(item.text))
        if facts and len(facts & self._names) >= len(facts) * _ENOUGH:
            return True
        if not all(map(_HYPHENATED.fullmatch, facts)):
            return False
        words = {_root(each) for each in words_of(without_triggers(item.text))}
        words = (words - _REFERRING) or words
        tally: dict[int, int] = {}
        for word in words:
            for number in self._by_word.get(word, ()):
                tally[number] = tally.get(number, 0) + 1
        return not words or max(tally.values(), default=0) >= len(words) * _ENOUGH


_REFERRING: Final = frozenset(("yes", "pleas", "option", "choic", "variant", "instead", "thank"))
"""The roots of words that agree, ask or point to what was offered, which nobody repeats."""


def _root(word: str) -> str:
    """Return a word without the last letter of one that ends in e: `postpone`, `postponed`."""
    return word.rstrip("e")


def _even(path: str) -> str:
    return path.replace("\\\\", "/").replace("\\", "/").removeprefix("./")
