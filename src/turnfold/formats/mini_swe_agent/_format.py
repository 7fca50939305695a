"""Telling, reading and writing a trajectory of mini-SWE-agent."""

from collections.abc import Mapping
from typing import Final

from turnfold.formats._document import DEFAULT_PINS, Document, Message, messages_of, placed
from turnfold.formats._either import Given, opened
from turnfold.formats._itemwise import Held, finished
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._rewrite import Spelling, flat, written_batches
from turnfold.formats._session import Pins, Session, is_unchanged
from turnfold.formats.mini_swe_agent._read import is_exit, read_messages
from turnfold.formats.mini_swe_agent._write import closing, masked, summary, without_reasoning
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "mini-swe-agent"
LINES: Final = False


def matches(document: object) -> bool:
    """Whether a parsed JSON document is a trajectory of mini-SWE-agent; a bare list never is."""
    if not isinstance(document, Mapping) or not isinstance(document.get("messages"), list):
        return False
    named = document.get("trajectory_format")
    if named is not None:
        return isinstance(named, str) and named.startswith(NAME)
    info = document.get("info")
    return isinstance(info, Mapping) and "mini_version" in info


def parse(
    source: Given,
    *,
    scope: str = "live",  # noqa: ARG001  A trajectory has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read the messages of a trajectory, or a bare list of them; it is never changed.

    A message is a turn `m{index}`, but for the role `exit`.

    Args:
        source: The parsed JSON, or its bytes.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    held = opened(source)
    messages = messages_of(held.document)
    path = () if isinstance(held.document, list) else ("messages",)
    return finished(
        NAME, held, read_messages(messages), path, pins=pins, estimator=estimator, ledger=ledger
    )


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes | Document:
    """Return the messages of a view in the wrapper of the input (contract R2).

    A message `exit` stays at the end. What `extra` repeats of a masked output is left out.

    Args:
        view: The view.
        session: The session that it was made of.
        reasoning: What becomes of thinking blocks and reasoning items; by default they are left
            out after the first edit, as providers bind them to what stands before.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    held: Held = session.source
    if is_unchanged(view, session):
        return held.opened.given
    stripped = stripped_turns(view, session, reasoning or "strip_after_edit")

    def kept(message: Message, turn: TranscriptTurn) -> Message:
        return without_reasoning(message) if turn.turn_id in stripped else message

    spelling = Spelling(summary, masked, closing, kept, without_reasoning)
    messages = flat(written_batches(view, held.source, spelling))
    messages += filter(is_exit, held.source.messages)
    return held.opened.spelled(placed(held.source.document, held.source.path, messages))
