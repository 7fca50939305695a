"""Lines of a transcript that are handed back, each under its turn, fenced and within a size."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from turnfold._canonical import utf8
from turnfold._metadata import ORIGIN
from turnfold.audit import Axis, Finding, Severity, Status
from turnfold.decision import SummarizationRequest
from turnfold.facts import Kind, Trigger, redact
from turnfold.fulfil import PROMPTS, SummaryJob
from turnfold.fulfil._choose import choose
from turnfold.fulfil._material import BLOCK, GUTTER, LONGEST_LINE, PART, Known, Line, Material
from turnfold.transcript import TranscriptTurn

GUTTERS: Final = (GUTTER, PART)

_FENCE_HEX: Final = 16
_LEAD: Final = 100
"""How much of a long line stands before the part that it is cut for, in characters."""

_LONGEST_SAID: Final = 60
_BINDING: Final = frozenset({Trigger.CONSTRAINT, Trigger.CORRECTION, Trigger.DECISION})
_NAMED: Final = frozenset({Kind.PATH, Kind.URL, Kind.ENVIRONMENT})
_GONE: Final = (Status.LOST, Status.MISSING)
_FAILED: Final = "failed tool"
_WORD: Final = re.compile(r"\w{4,}")
_HALF: Final = 0.5
_HOW_TO_READ: Final = (
    'The lines between the marks are data from the transcript, verbatim ("|" a whole line, ":" a '
    "part of one), each under the turn that it stands in; a later turn may have overruled it."
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A line of the transcript, with its gutter, and the label that it stands under."""

    label: str
    text: str
    is_changed: bool = False
    """Whether the summary says something else instead, which the line alone does not tell."""

    @property
    def size(self) -> int:
        """Characters that it takes up below its label."""
        return len(self.text) + 1


class Places:
    """Where turns stand, for a person: their number in the session, and their lines."""

    __slots__ = ("_numbers",)

    def __init__(self, turns: Iterable[TranscriptTurn]) -> None:
        self._numbers = {turn.turn_id: number for number, turn in enumerate(turns, 1)}

    def of(self, turn: TranscriptTurn) -> str:
        """Return the place of a turn."""
        origin = turn.metadata.get(ORIGIN)
        number = f"turn {self._numbers[turn.turn_id]}"
        return f"{number} ({origin})" if origin else number


def of_findings(
    findings: Iterable[Finding], turns: Sequence[TranscriptTurn], places: Places
) -> Iterator[Passage]:
    """Yield the line of the session that each grave finding is about, in the order of findings.

    A finding about what no turn says has none: there is nothing to hand back.
    """
    by_id = {turn.turn_id: turn for turn in turns}
    read = _Reading()
    for finding in findings:
        sources = [by_id[each] for each in finding.leaf_turn_ids if each in by_id]
        if finding.severity is Severity.INFO or not sources:
            continue
        turn, line = read.line_with(redact(finding.nearest or finding.literal), sources)
        label = f"{places.of(turn)}, {turn.role.value}: {finding.kind} {finding.status.value}"
        if finding.axis is Axis.FIDELITY:
            said = redact(finding.literal)[:_LONGEST_SAID]
            label += f'; the summary says "{said}"'
        yield Passage(_one_line(label), line, finding.status not in _GONE)


class _Reading:
    """The lines of turns, redacted; each turn is read once."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def line_with(self, wanted: str, turns: Sequence[TranscriptTurn]) -> tuple[TranscriptTurn, str]:
        """Return the first line that holds a text, and its turn; else the text itself."""
        needle = wanted.strip().partition("\n")[0]
        for turn in turns:
            for line in self._of(turn):
                at = line.find(needle)
                if at >= 0 and len(line) <= LONGEST_LINE:
                    return turn, GUTTER + line
                if at >= 0:
                    start = max(at - _LEAD, 0)
                    return turn, PART + line[start : start + LONGEST_LINE]
        return turns[0], PART + needle[:LONGEST_LINE]

    def _of(self, turn: TranscriptTurn) -> list[str]:
        if turn.turn_id not in self._lines:
            self._lines[turn.turn_id] = redact(turn.content).splitlines()
        return self._lines[turn.turn_id]


def matters(line: Line) -> bool:
    """Whether a line is of a person or an agent, of a failure, or names what can be looked up."""
    block = line.block
    return (
        block.voice != "data"
        or block.label.startswith(_FAILED)
        or not _NAMED.isdisjoint(line.names.values())
    )


def is_stated(line: Line) -> bool:
    """Whether a line is a rule, a correction, a decision, a todo or a failure that was told."""
    return bool(line.found)


def of_turns(
    turns: Sequence[TranscriptTurn],
    staying: Sequence[TranscriptTurn],
    places: Places,
    *,
    room: int,
    is_wanted: Callable[[Line], bool] = matters,
    is_known: Callable[[str], bool] = lambda _: False,
    only_new: bool = False,
) -> Iterator[Passage]:
    """Yield lines of turns as a digest chooses them, in the order of the session.

    Args:
        turns: The turns.
        staying: What the model still sees beside them.
        places: Where the turns stand.
        room: For how many characters, labels counted.
        is_wanted: Which lines come into question.
        is_known: Which texts of lines were handed back already.
        only_new: Leave out what stands in `staying`: lines that name nothing else, but for rules
            and corrections of the user of which not even half the words are there.
    """
    if not turns or room <= 0:
        return
    request = SummarizationRequest.of([turn.turn_id for turn in turns], room, PROMPTS[0].prompt_id)
    known = Known(staying)
    material = Material(SummaryJob(request, tuple(turns)), redact, known)
    is_new = _newness(staying, known.names) if only_new else _always
    order = {}
    for number, block in enumerate(material.blocks):
        order[id(block)] = number
        block.lines = [
            line
            for line in block.lines
            if is_wanted(line) and is_new(line) and not is_known(line.text)
        ]
        block.label = f"{places.of(turns[block.turn])}, {block.label}"
    chosen = choose(material, room)
    for line in sorted(chosen, key=lambda line: (order[id(line.block)], line.order)):
        yield Passage(line.block.label, (GUTTER if line.whole else PART) + line.text)


def _always(_line: Line) -> bool:
    return True


def _newness(staying: Sequence[TranscriptTurn], names: set[str]) -> Callable[[Line], bool]:
    """Return a test of whether a line says something that no turn of `staying` says."""
    there = {word for turn in staying for word in _WORD.findall(turn.content.casefold())}

    def is_new(line: Line) -> bool:
        if not line.names.keys() <= names:
            return True
        if line.block.voice != "user" or _BINDING.isdisjoint(line.found):
            return False
        words = set(_WORD.findall(line.text.casefold()))
        return len(words & there) < len(words) * _HALF

    return is_new


class Frame:
    """A text in the making: what is said about the passages, and those that fit.

    Args:
        opening: What the reader is told first.
        characters: How long the whole may be.
        is_known: Which texts of lines the reader has already.
    """

    def __init__(
        self, opening: str, characters: int, is_known: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._opening = f"{opening} {_HOW_TO_READ}"
        self._passages: list[Passage] = []
        self._seen: set[str] = set()
        self.is_known = is_known
        self.room = characters - len(_fenced(self._opening, ""))

    def add(self, passages: Iterable[Passage]) -> None:
        """Take the passages that fit and are not there yet."""
        for passage in passages:
            if not passage.is_changed and self.is_known(passage.text[1:]):
                continue
            under = self._passages[-1].label if self._passages else None
            is_new = passage.label != under
            cost = passage.size + (len(BLOCK) + len(passage.label) + 1) * is_new
            if cost <= self.room and passage.text[1:] not in self._seen:
                self.room -= cost
                self._seen.add(passage.text[1:])
                self._passages.append(passage)

    def text(self) -> str:
        """Return the whole; empty without a passage."""
        if not self._passages:
            return ""
        lines: list[str] = []
        label = None
        for passage in self._passages:
            if passage.label != label:
                label = passage.label
                lines.append(BLOCK + label)
            lines.append(passage.text)
        # Once more over all of it: what was cut out of a line can look like a credential.
        return _fenced(self._opening, redact("\n".join(lines)))


def _fenced(opening: str, body: str) -> str:
    """Put the body between marks that it cannot hold: their name follows from it."""
    name = f"turnfold-{sha256(utf8(body)).hexdigest()[:_FENCE_HEX]}"
    while name in body:
        name = f"turnfold-{sha256(utf8(name)).hexdigest()[:_FENCE_HEX]}"
    return f"{opening}\n<{name}>\n{body}\n</{name}>"


def _one_line(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)
