"""What checks read: the original turns, what stays of them, and the texts under audit."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

from turnfold._canonical import sha256_of_record
from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold._record import sealed
from turnfold.audit._binding import Speech
from turnfold.audit._finding import Finding, Place
from turnfold.audit._memory import AuditMemory
from turnfold.audit._originals import Originals, Relation
from turnfold.audit._report import CoverageShare
from turnfold.audit._sentences import Sentences
from turnfold.audit._spelling import evened
from turnfold.audit._wrapping import unwrapped
from turnfold.errors import TurnfoldDefect
from turnfold.facts import Fact, NameReader, outermost, secrets
from turnfold.ledger import Fate
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

_MARKS: Final = re.compile('</?conversation_summary(?: turns="[0-9]{1,9}")?>')
_TAG_LINE: Final = re.compile(r"^[ \t]{0,40}</?[a-z][a-z0-9_-]{0,60}>[ \t]{0,40}$", re.MULTILINE)
"""A tag with a line of its own: how agents set out the sections of a summary."""

_LABEL: Final = re.compile(
    r"^[ \t#*]{0,8}(?:USER_CONTEXT|TASK_TRACKING|CURRENT_STATE|CODE_STATE|VERSION_CONTROL_STATUS)"
    r"(?=[*]{0,2}:)",
    re.MULTILINE,
)
"""The sections that OpenHands asks its summaries for; read otherwise they are variables."""

MadeT = TypeVar("MadeT")

Blocks = Sequence[Mapping[str, Any]]
"""A summary as a provider's content blocks; those of type `text` are read."""


class NotAuditable(TurnfoldDefect):
    """What was given is no summary, or does not belong to the transcript."""

    default_code = "not_auditable"


@sealed
@dataclass(frozen=True, slots=True)
class SummaryText:
    """A text under audit.

    Args:
        text: What it says; its length and places are those of the original text.
        turn_id: The turn of the view that it is; None for a bare summary.
    """

    text: str
    turn_id: str | None = None


class Assertion(NamedTuple):
    """A fact that a summary states.

    Args:
        fact: The fact.
        place: Where it stands.
        sentence: In which sentence.
        relation: How the leaves support it.
        is_part: Whether it stands within a larger fact, as a file's name in its path.
        is_repeated: Whether the summary has stated it before.
    """

    fact: Fact
    place: Place
    sentence: str
    relation: Relation
    is_part: bool
    is_repeated: bool


@dataclass(eq=False)
class Evidence:
    """The ground truth of an audit, and what is held against it.

    Args:
        leaves: All original turns that are known, oldest first; no summary is among them.
        replaced: Those that do not stand verbatim in the view, oldest first.
        standing: Those that do.
        summaries: The texts under audit, in the order of the view.
        incomplete: Whether original turns are missing.
        path_markers: How relative paths of the project begin.
        beside: Earlier summaries that stand in the view: no evidence, but what they say is there.
        earlier: All earlier summaries, of which a summary may have what no turn says.
        too_long: Tokens of the summaries that were too long to examine, once they were read.
        memory: What was read of turns before.
    """

    leaves: tuple[TranscriptTurn, ...]
    replaced: tuple[TranscriptTurn, ...]
    standing: tuple[TranscriptTurn, ...]
    summaries: tuple[SummaryText, ...]
    incomplete: bool = False
    path_markers: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    too_long: int = 0
    memory: AuditMemory = field(default_factory=AuditMemory)

    @cached_property
    def originals(self) -> Originals:
        """The facts of the leaves; read once for all checks."""
        standing = {turn.turn_id for turn in self.standing}
        is_replaced = [turn.turn_id not in standing for turn in self.leaves]
        return Originals(self.leaves, is_replaced, self.memory, self.path_markers)

    def once(self, make: Callable[["Evidence"], MadeT]) -> MadeT:
        """Return what a function makes of this evidence, made when it is first asked for.

        Args:
            make: The function; whoever asks with the same one gets the same object.
        """
        if make not in self._made:
            self._made[make] = make(self)
        made: MadeT = self._made[make]
        return made

    @cached_property
    def _made(self) -> dict[Callable[["Evidence"], Any], Any]:
        return {}

    @cached_property
    def speech(self) -> Speech:
        """What users and assistants say; read once for all checks."""
        return Speech(self.leaves, self.memory)

    @cached_property
    def assertions(self) -> tuple[Assertion, ...]:
        """The facts that the summaries state and how the leaves support them, in order."""
        return tuple(_assertions(self))


@dataclass(slots=True)
class Outcome:
    """What one check found.

    Args:
        findings: In any order.
        checked: How many assertions, terms, rules or items it looked at.
        notes: What it did not examine, a sentence each.
        coverage: Shares by class; of the coverage check only.
    """

    findings: list[Finding]
    checked: int = 0
    notes: tuple[str, ...] = ()
    coverage: tuple[CoverageShare, ...] = ()


def evidence_of(
    original: Transcript,
    result: CompactedView | str | Blocks,
    staying: Collection[str] = (),
    *,
    path_markers: tuple[str, ...] = (),
    memory: AuditMemory | None = None,
) -> Evidence:
    """Set out what is known of a compaction.

    Args:
        original: The turns before; earlier summaries among them are no evidence.
        result: The view, or a bare summary: a text, or content blocks.
        staying: For a bare summary the ids of the turns that stay beside it.
        path_markers: How relative paths of the project begin.
        memory: What was read of turns before; new when absent.

    Raises:
        NotAuditable: The summary is neither, or the view is of other turns.
    """
    memory = memory or AuditMemory()
    if isinstance(result, CompactedView):
        return _of_view(original, result, path_markers, memory)
    (summary,) = texts_of(result)
    leaves = tuple(turn for turn in original if not is_summary(turn))
    stays = set(staying)
    return Evidence(
        leaves,
        tuple(turn for turn in leaves if turn.turn_id not in stays),
        tuple(turn for turn in leaves if turn.turn_id in stays),
        (summary,),
        incomplete=_begins_with_a_summary(original, summary.text),
        path_markers=path_markers,
        earlier=_earlier(original, summary.text),
        memory=memory,
    )


def _begins_with_a_summary(original: Transcript, text: str | None = None) -> bool:
    """Whether an earlier summary stands where its leaves would: before any assistant turn.

    A session that keeps its history has them in front of the summary. The text under audit is no
    earlier summary.
    """
    for turn in original:
        if turn.role is Role.ASSISTANT:
            return False
        if _is_earlier(turn, text):
            return True
    return False


def _earlier(original: Transcript, text: str | None = None) -> tuple[str, ...]:
    """Return the earlier summaries of a transcript; the text under audit is none."""
    return tuple(turn.content for turn in original if _is_earlier(turn, text))


def _is_earlier(turn: TranscriptTurn, text: str | None) -> bool:
    """Whether a turn is a summary, and another than the text under audit, where that is bare."""
    return is_summary(turn) and (text is None or text.strip() not in turn.content)


def is_summary(turn: TranscriptTurn) -> bool:
    """Whether a turn is an earlier summary, which is never evidence."""
    return turn.metadata.get(KIND) == KIND_SUMMARY


def _of_view(
    original: Transcript, view: CompactedView, path_markers: tuple[str, ...], memory: AuditMemory
) -> Evidence:
    known = {turn.turn_id: turn for turn in original if not is_summary(turn)}
    kept: set[str] = set()
    missing = 0
    present = set(original.turn_ids())
    for entry in view.ledger.entries():
        missing += entry.turn_id not in present
        if entry.fate is Fate.KEPT:
            kept.add(entry.turn_id)
    if missing == len(view.ledger.leaf_ids) > 0:
        msg = "none of the view's original turns is in the transcript: it is another session's"
        raise NotAuditable(msg, {"leaves": len(view.ledger.leaf_ids)})
    leaves = tuple(known.values())
    texts = texts_of(view)
    audited = {each.turn_id for each in texts}
    return Evidence(
        leaves,
        tuple(turn for turn in leaves if turn.turn_id not in kept),
        tuple(turn for turn in leaves if turn.turn_id in kept),
        texts,
        incomplete=missing > 0 or _begins_with_a_summary(original),
        path_markers=path_markers,
        earlier=_earlier(original),
        beside=tuple(
            turn.content
            for turn in view.transcript
            if is_summary(turn) and turn.turn_id not in audited
        ),
        memory=memory,
    )


def texts_of(result: CompactedView | str | Blocks) -> tuple[SummaryText, ...]:
    """Return the texts under audit: the summaries that a view made, or the one that was given.

    A summary that stood in the transcript before is neither evidence nor the view's work.

    Raises:
        NotAuditable: It is neither.
    """
    if not isinstance(result, CompactedView):
        return (_read(_text_of(result)),)
    folded = {name for name, _ in result.ledger.groups}
    return tuple(
        _read(_MARKS.sub(_blank, turn.content), turn.turn_id)
        for turn in result.transcript
        if turn.turn_id in folded
    )


def subject_of(texts: Sequence[SummaryText]) -> str:
    """Return the hex SHA-256 of the texts under audit: what a report is about."""
    return sha256_of_record({"texts": [each.text for each in texts]})


def _read(text: str, turn_id: str | None = None) -> SummaryText:
    """Return a text as it is read: without the tags and names of its sections, its lines joined.

    Every other character stays where it was.
    """
    text = _TAG_LINE.sub(_blank, text) if "<" in text else text
    text = _LABEL.sub(_blank, text)
    return SummaryText(unwrapped(evened(text)), turn_id)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _text_of(summary: object) -> str:
    if isinstance(summary, str):
        return summary
    if isinstance(summary, Sequence) and not isinstance(summary, bytes | bytearray):
        texts = [
            block["text"]
            for block in summary
            if isinstance(block, Mapping) and isinstance(block.get("text"), str)
        ]
        if texts or not summary:
            return "\n".join(texts)
    msg = (
        "a summary is a text, a list of content blocks with text, or a CompactedView; got a "
        f"{type(summary).__name__}"
    )
    raise NotAuditable(msg, {"type": type(summary).__name__})


def _assertions(evidence: Evidence) -> Iterator[Assertion]:
    """Read the summaries; what is or holds a credential is no assertion."""
    reader = NameReader()
    for summary in evidence.summaries:
        sentences = Sentences(summary.text)
        hidden = secrets(summary.text)
        known: dict[str, Relation] = {}
        for fact, start, is_part in outermost(reader.located(summary.text)):
            if hidden and any(fact.text in each for each in hidden):
                continue
            is_repeated = fact.text in known
            if not is_repeated:
                known[fact.text] = evidence.originals.relate(fact)
            yield Assertion(
                fact,
                Place(start, start + len(fact.text), summary.turn_id),
                sentences.text_of(sentences.at(start)),
                known[fact.text],
                is_part,
                is_repeated,
            )
    evidence.too_long = reader.not_examined
