"""Critical items: decisions, todos, file edits and open errors that the view does not hold.

Constraints of the user are the matter of `turnfold.audit.rules`.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from turnfold._metadata import KIND, KIND_INJECTED, STATUS, STATUS_ERROR, TOOL_NAME
from turnfold.audit._config import AuditConfig
from turnfold.audit._evidence import Evidence, Outcome
from turnfold.audit._finding import Axis, Finding, Severity, Status
from turnfold.audit._sentences import Sentences, words_of
from turnfold.audit._spelling import ends_of, readable
from turnfold.facts import NameReader, redact
from turnfold.transcript import Role, TranscriptTurn

_NO_SPEECH: Final = ("    ", "\t", ">", "{", "[", "<", "+", "@@", "$ ")
"""How pasted code, logs and quotations begin."""

_LONGEST_LINE: Final = 500
_ENOUGH: Final = 0.5
"""An item is kept where one sentence of the view has so much of its words, or of its facts."""

_DECISION: Final = re.compile(
    r"(?<!\w)(?:decision ?:|(?:decided|agreed) to|we(?:[\u2019']ll| will) use|chosen|going with)"
    r"(?!\w)|决定|选定|敲定|商定|我们用|改用|采用",
    re.IGNORECASE,
)
_TODO: Final = re.compile(
    r"(?<!\w)(?:todo|fixme|not done|remaining|next steps?|still needs?)(?!\w)"
    "|待办|未完成|尚未|下一步|还需要",
    re.IGNORECASE,
)
_TRIGGERS: Final = re.compile(f"{_DECISION.pattern}|{_TODO.pattern}", re.IGNORECASE)
_CALL: Final = re.compile(r"\[call ([\w.:-]{1,80})\] ")
_EDITS: Final = re.compile(r"edit|write|patch|replace|create|insert", re.IGNORECASE)
_TARGET: Final = re.compile(
    r"\"(?:file_?path|path|filename|notebook_path|target_file)\" ?: ?\"([^\"\\]{1,400})\"",
    re.IGNORECASE,
)
_ERROR_NAME: Final = re.compile(
    r"(?<!\w)(?:[A-Z]\w{0,80}(?:Error|Exception)|E(?:NO|AC|PE|EX|CO|TI|BU|IN|MF|IS|AD)[A-Z]{2,9}"
    r"|E\d{3,6})(?!\w)"
)
_OPEN: Final = re.compile(
    r"(?<!\w)(?:still|unresolved|blocked|keeps|unknown|stuck)(?!\w)"
    "|仍然|还是|未解决",
    re.IGNORECASE,
)


class _Item(NamedTuple):
    kind: str
    text: str
    turn_id: str
    severity: Severity


def check(evidence: Evidence, config: AuditConfig) -> Outcome:
    """Look for every critical item of the replaced turns in the view.

    Decisions and todos are lines of user and assistant turns, file edits are read from the calls
    that made them, and an error counts while it is the latest of its tool. A lost decision or open
    error is HIGH, a lost file edit or todo MEDIUM.
    """
    del config
    view = _View(evidence)
    findings = []
    checked: set[tuple[str, str]] = set()
    for item in _items(evidence.replaced):
        key = item.kind, " ".join(item.text.casefold().split())
        if key in checked:
            continue
        checked.add(key)
        if not view.holds(item):
            findings.append(
                Finding(
                    Axis.CRITICAL,
                    item.kind,
                    Status.LOST,
                    item.severity,
                    redact(item.text),
                    (item.turn_id,),
                )
            )
    return Outcome(findings, len(checked))


def _items(turns: Iterable[TranscriptTurn]) -> Iterator[_Item]:
    failed: dict[str, _Item] = {}
    for turn in turns:
        if turn.metadata.get(KIND) == KIND_INJECTED:
            continue
        if turn.role is Role.TOOL:
            _follow_errors(turn, failed)
        elif turn.role is not Role.SYSTEM:
            yield from _spoken(turn)
    yield from failed.values()


def _spoken(turn: TranscriptTurn) -> Iterator[_Item]:
    """Yield decisions and todos of what is said, and the files that calls edit."""
    fenced = False
    for line in readable(turn.content).splitlines():
        if found := _CALL.match(line):
            if _EDITS.search(found[1]):
                for path in _TARGET.findall(line):
                    yield _Item("file_edit", path, turn.turn_id, Severity.MEDIUM)
            continue
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced or line.startswith(_NO_SPEECH):
            continue
        for sentence in Sentences(line):
            yield from _item_of(sentence.strip()[:_LONGEST_LINE], turn)


def _item_of(said: str, turn: TranscriptTurn) -> Iterator[_Item]:
    if said.endswith(("?", "\uff1f")):
        return
    if _DECISION.search(said):
        yield _Item("decision", said, turn.turn_id, Severity.HIGH)
    elif _OPEN.search(said) and (named := _ERROR_NAME.search(said)):
        yield _Item("error", named[0], turn.turn_id, Severity.HIGH)
    elif _TODO.search(said) and turn.role is Role.USER:
        yield _Item("todo", said, turn.turn_id, Severity.MEDIUM)


def _follow_errors(turn: TranscriptTurn, failed: dict[str, _Item]) -> None:
    """Note a tool's latest error; a success of the same tool resolves it."""
    tool = turn.metadata.get(TOOL_NAME, "")
    if turn.metadata.get(STATUS) != STATUS_ERROR:
        failed.pop(tool, None)
    elif found := _ERROR_NAME.search(turn.content[-20_000:]):
        failed[tool] = _Item("error", found[0], turn.turn_id, Severity.HIGH)


class _View:
    """The sentences of a view by their words and facts."""

    def __init__(self, evidence: Evidence) -> None:
        self._reader = NameReader()
        self._by_word: dict[str, set[int]] = {}
        self._names: set[str] = set()
        texts = [*(each.text for each in evidence.summaries), *evidence.beside]
        texts += [turn.content for turn in evidence.standing if turn.role is not Role.TOOL]
        for text in texts:
            self._names.update(self._reader.facts(text))
        for number, sentence in enumerate(chain.from_iterable(map(Sentences, texts))):
            for word in words_of(sentence):
                self._by_word.setdefault(word, set()).add(number)

    def holds(self, item: _Item) -> bool:
        """Whether one sentence says what the item says, as far as words and facts show it."""
        if item.kind in ("file_edit", "error"):
            return not self._names.isdisjoint(ends_of(_even(item.text)))
        facts = set(self._reader.facts(item.text))
        if facts:
            return len(facts & self._names) >= len(facts) * _ENOUGH
        words = words_of(_TRIGGERS.sub(" ", item.text))
        tally: dict[int, int] = {}
        for word in words:
            for number in self._by_word.get(word, ()):
                tally[number] = tally.get(number, 0) + 1
        return not words or max(tally.values(), default=0) >= len(words) * _ENOUGH


def _even(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")
