"""ATIF, the Agent Trajectory Interchange Format: a trajectory of steps.

An agent step holds its calls and their results, so several turns stand in one step. A trajectory
is a record: its validator wants step ids that count from 1 and results that name a call of their
own step. A rendering

- numbers the steps anew, keeps the first number of each as `original_step_id` in its `extra`, and
  marks what it carries over as `is_copied_context`;
- closes a call that was never answered by a result that says so; one that is still pending at the
  end stays open.
"""

from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Place, Source, finish
from turnfold.formats._faults import Fault
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._session import Pins, Session, counted, is_unchanged
from turnfold.formats.atif._read import read_step
from turnfold.formats.atif._rules import check_steps
from turnfold.formats.atif._write import written_steps
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

NAME: Final = "atif"
LINES: Final = False


def matches(document: object) -> bool:
    """Whether a parsed JSON document is a trajectory in ATIF, of any version."""
    version = document.get("schema_version") if isinstance(document, dict) else None
    return isinstance(version, str) and version.startswith("ATIF") and _steps_of(document) != []


def parse(
    document: Document,
    *,
    scope: str = "live",  # noqa: ARG001  A trajectory has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read the steps of a trajectory; it is never changed.

    A step is the turn `s{number}`, and each of its results the turn `s{number}.r{result}`; the
    number is the place of the step, counted from 1. What is malformed is reported with its path.

    Args:
        document: The parsed JSON. Trajectories of subagents in it are left aside.
        scope: Accepted for the sake of other formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No step can be read.
    """
    steps = _steps_of(document)
    if not steps:
        kind = type(document).__name__
        msg = f"expected a trajectory with `steps` in which there is one; found a {kind} without"
        raise UnreadableTranscript(msg, {"path": "steps", "type": kind})
    found = Found()
    for index, step in enumerate(steps):
        for turn, blocks in read_step(index, step, found):
            found.add(turn, Place(index, blocks))
        if isinstance(step, dict):
            found.count(index, counted(step.get("metrics"), "prompt_tokens", "completion_tokens"))
    return finish(
        NAME, document, steps, found, path=("steps",), pins=pins, estimator=estimator, ledger=ledger
    )


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> Document:
    """Return the trajectory with the steps of a view (contract R2).

    An unchanged view is the original document. In any other one a step that is kept has its
    number, its mark and its `extra` written anew, and everything in it is the original.

    Args:
        view: What to render.
        session: The session that it came from.
        reasoning: By default `keep`: a trajectory's reasoning is plain text, bound to nothing. It
            goes with `strip_all`.

    Raises:
        UnrenderableView: Nothing but system steps would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return source.document
    return source.with_messages(written_steps(view, source, stripped=reasoning == "strip_all"))


def check(document: Any, *, pending_ok: bool = False) -> list[Fault]:  # noqa: ANN401
    """Return every fault that a validator of ATIF, or a provider behind it, would find.

    Args:
        document: The parsed JSON.
        pending_ok: Whether the calls of the last step may wait for their results.
    """
    return check_steps(_steps_of(document), pending_ok=pending_ok)


def _steps_of(document: object) -> list[Any]:
    steps = document.get("steps") if isinstance(document, dict) else None
    return steps if isinstance(steps, list) else []
