"""Holding a format against the laws of every format, on histories that its author brings."""

import copy
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn, Protocol

from turnfold.budget import CompactionBudget
from turnfold.errors import BudgetUnsatisfiable, UnreadableTranscript, UnrenderableView
from turnfold.executor import CompactionExecutor
from turnfold.formats import Fault, Session, repaired, to_bytes
from turnfold.policies import (
    DropOldestPolicy,
    ObservationMaskingPolicy,
    SummarizingPolicy,
    default_chain,
)
from turnfold.protocols import CompactionPolicy
from turnfold.view import CompactedView

_SCOPES: Final = ("live", "full")
_SHARES: Final = (0.7, 0.5, 0.3, 0.15)
_TAILS: Final = (0, 4)
_ODD: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1.5,
    "",
    "text",
    [],
    {},
    [None],
    {"type": "odd"},
    "\ud800",
)
_SUMMARY: Final = "What happened before."
_POLICIES: Final[tuple[CompactionPolicy, ...]] = (
    ObservationMaskingPolicy(0),
    SummarizingPolicy("any/1", min_span_turns=1),
    DropOldestPolicy(),
    default_chain(keep_recent_results=1, min_span_turns=2),
)


class Format(Protocol):
    """What a module of a format has.

    `NAME` is its name; `LINES` says whether it is read from bytes, line by line, or from parsed
    JSON. `matches` tells a source of its own from others: by its first records, or the document.
    """

    NAME: str
    LINES: bool

    def matches(self, given: Any, /) -> bool: ...  # noqa: ANN401
    def parse(self, source: Any, /, **options: Any) -> Session: ...  # noqa: ANN401
    def render(self, view: Any, session: Session, /) -> Any: ...  # noqa: ANN401
    def check(self, rendered: Any, /, *, pending_ok: bool = False) -> list[Fault]: ...  # noqa: ANN401


def check_format(
    format: Format,  # noqa: A002  The word that a caller expects.
    sources: Iterable[Any],
    *,
    damaged: int = 200,
    seed: int = 0,
) -> None:
    """Hold a format against the laws of every format (contracts R1 to R4); return if it keeps them.

    Each source is read in both scopes, rendered unchanged, compacted by four policies to four
    budgets, checked, rendered and read again; then it is damaged in many ways and read.

    Args:
        format: The module of a format, or an object with the same attributes.
        sources: Histories: bytes for a line format, else parsed JSON. A history that its own
            `check` finds faults in may be among them: no compaction may add a new kind of fault.
        damaged: How many damaged copies of all sources to read.
        seed: Of the damage.

    Raises:
        AssertionError: A law is broken; names the contract, the source, and what happened.
    """
    listed = list(sources)
    if not listed:
        msg = "[R1] check_format needs at least one history"
        raise AssertionError(msg)
    for number, source in enumerate(listed):
        for scope in _SCOPES:
            _Case(format, number, source, scope).hold()
    pick = random.Random(seed)  # noqa: S311  Damage is no secret.
    for _ in range(damaged):
        number = pick.randrange(len(listed))
        _read_damaged(format, number, _damaged(listed[number], pick))


@dataclass(frozen=True, slots=True)
class _Case:
    """A source in a scope."""

    format: Format
    number: int
    source: Any
    scope: str

    def fail(self, contract: str, problem: str, cause: Exception | None = None) -> NoReturn:
        msg = f"[{contract}] source {self.number}, scope {self.scope}: {problem}"
        raise AssertionError(msg) from cause

    def hold(self) -> None:
        before = copy.deepcopy(self.source)
        session = self._parsed(self.source)
        self._is_itself(session)
        known = Counter(each.rule for each in self.format.check(self.source, pending_ok=True))
        total = session.transcript.token_estimate()
        for policy in _POLICIES:
            for share in _SHARES:
                for tail in _TAILS:
                    what = f"{policy.name} to {share:.0%}, {tail} recent turns protected"
                    view = _compacted(session, policy, CompactionBudget(int(total * share), tail))
                    if view is not None and view.transcript is not session.transcript:
                        self._hold_view(session, view, known, what)
        if self.source != before:
            self.fail("R1", "the source was changed")

    def _parsed(self, source: object, **options: object) -> Session:
        try:
            return self.format.parse(source, scope=self.scope, **options)
        except UnreadableTranscript as fault:
            self.fail("R1", f"its history is unreadable: {fault}", fault)

    def _is_itself(self, session: Session) -> None:
        if session.format != self.format.NAME:
            self.fail("R1", f"the session is of {session.format!r}, not {self.format.NAME!r}")
        if not len(session.transcript):
            self.fail("R1", "the session has no turn")
        if self.format.render(session.transcript, session) != self.source:
            self.fail("R2", "nothing was changed, and the rendering is another than the input")

    def _hold_view(
        self, session: Session, view: CompactedView, known: Counter[str], what: str
    ) -> None:
        try:
            rendered = self.format.render(view, session)
        except UnrenderableView:
            if any(turn.role != "system" for turn in view.transcript):
                self.fail("R2", f"{what}: a view with turns was refused")
            return
        if self.format.render(view, session) != rendered:
            self.fail("R2", f"{what}: a second rendering differs from the first")
        faults = self.format.check(rendered, pending_ok=True)
        if new := Counter(each.rule for each in faults) - known:
            worst = next(each for each in faults if each.rule in new)
            self.fail("R2", f"{what}: {worst.place}: {worst.rule}: {worst.message}")
        shown = repaired(view, session)
        source = rendered if isinstance(rendered, bytes) else json.loads(to_bytes(rendered))
        again = self._parsed(source, ledger=shown.ledger)
        if again.ledger is None:
            why = "; ".join(each.message for each in again.damage if each.code == "ledger_mismatch")
            self.fail("L3", f"{what}: read again, its ledger does not fit: {why}")
        if again.transcript.turn_ids() != shown.transcript.turn_ids():
            self.fail("L3", f"{what}: read again, the turns have other ids")


def _compacted(
    session: Session, policy: CompactionPolicy, budget: CompactionBudget
) -> CompactedView | None:
    try:
        plan = policy.decide(session.transcript, budget)
    except BudgetUnsatisfiable:
        return None
    summaries = {each.group_id: _SUMMARY for each in plan.summarization_requests}
    return CompactionExecutor().apply(session.transcript, plan, summaries, ledger=session.ledger)


def _read_damaged(format: Format, number: int, source: object) -> None:  # noqa: A002
    try:
        session = format.parse(source)
    except UnreadableTranscript:
        return
    except Exception as fault:
        shown = source if isinstance(source, bytes) else json.dumps(source, default=repr).encode()
        msg = (
            f"[R4] source {number}, damaged: {type(fault).__name__}: {fault}; it was {shown!r:.400}"
        )
        raise AssertionError(msg) from fault
    if format.render(session.transcript, session) != source:
        msg = f"[R2] source {number}, damaged: unchanged, and the rendering is not the input"
        raise AssertionError(msg)


def _damaged(source: object, pick: random.Random) -> object:
    if isinstance(source, bytes):
        return _damaged_bytes(source, pick)
    document = copy.deepcopy(source)
    places = list(_places(document))
    if places:
        holder, key = pick.choice(places)
        holder[key] = copy.deepcopy(pick.choice(_ODD))
    return document


def _places(value: object) -> Iterator[tuple[Any, Any]]:
    """Yield every holder in a JSON value with a key or an index of it."""
    keys: Sequence[Any] = ()
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        yield value, key
        yield from _places(value[key])  # type: ignore[index]


def _damaged_bytes(source: bytes, pick: random.Random) -> bytes:
    lines = source.splitlines(keepends=True) or [b""]
    at = pick.randrange(len(lines))
    how = pick.randrange(6)
    if how == 0:  # A line that ends in the middle.
        lines[at] = lines[at][: pick.randrange(len(lines[at]) + 1)]
    elif how == 1:  # What a crash leaves behind.
        lines[at] = b"\0" * 40 + lines[at]
    elif how == 2:  # noqa: PLR2004  Two objects on one line.
        lines[at] = lines[at].rstrip(b"\n")
    elif how == 3:  # noqa: PLR2004  A line that is gone.
        del lines[at]
    elif how == 4:  # noqa: PLR2004  A line twice.
        lines.insert(at, lines[at])
    else:
        try:
            record = _damaged(json.loads(lines[at]), pick)
            lines[at] = json.dumps(record).encode() + b"\n"
        except ValueError:
            lines[at] = b"\xff\n"
    return b"".join(lines)
