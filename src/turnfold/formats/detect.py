"""One door to all formats: tell, read, write and check a session, whichever it is in."""

import json
from types import ModuleType
from typing import Any, Literal

from turnfold.errors import InvalidConfiguration
from turnfold.formats._alternation import Alternation, require_alternation
from turnfold.formats._document import DEFAULT_PINS, Document
from turnfold.formats._faults import Fault
from turnfold.formats._opening import as_named, module_of, opened, too_deep
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._registry import FORMATS
from turnfold.formats._session import Pins, Session
from turnfold.formats._source import TextSource
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

Scope = Literal["live", "full"]


def detect(source: TextSource | Document) -> str:
    """Return the name of the format of a source; an iterable is used up by that.

    Raises:
        UnreadableTranscript: It is none of the formats; says what was found.
    """
    return opened(source)[0]


def parse(
    source: TextSource | Document,
    *,
    format: str | None = None,  # noqa: A002  The word that a caller expects.
    scope: Scope = "live",
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
    conversation: int | None = None,
) -> Session:
    """Read a session in any of the formats (contract R1).

    Args:
        source: Bytes, text, an open binary file or another iterable of bytes, or parsed JSON.
            A line format is read as a stream.
        format: Its name, where it is not to be detected.
        scope: `live`, what the model would see; `full`, everything that the source holds.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger that stands beside a session that turnfold wrote.
        conversation: Which one, counted from 0, of a source that holds several.

    Raises:
        UnreadableTranscript: It is none of the formats, holds nothing readable, or holds several
            conversations and none is named.
        InvalidConfiguration: The format or the scope has no such name, or the format has one
            conversation only.
    """
    if scope not in ("live", "full"):
        msg = f"scope must be 'live' or 'full'; got {scope!r}"
        raise InvalidConfiguration(msg, {"scope": repr(scope)})
    name, given = opened(source) if format is None else (format, as_named(source, format))
    options: dict[str, Any] = {"scope": scope, "pins": pins}
    options |= {"estimator": estimator, "ledger": ledger}
    if conversation is not None:
        if not getattr(FORMATS[name], "SEVERAL", False):
            msg = f"{name} holds one conversation; leave conversation={conversation} out"
            raise InvalidConfiguration(msg, {"format": name, "conversation": conversation})
        options["conversation"] = conversation
    try:
        session: Session = FORMATS[name].parse(given, **options)
    except RecursionError as fault:
        raise too_deep() from fault
    return session


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,
    alternation: Alternation | None = None,
) -> bytes | Document:
    """Return a view in the format that its session was read in (contract R2).

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What becomes of reasoning that is bound to what stood before it:
            `strip_after_edit`, `keep` or `strip_all`; the format's page names its default.
        alternation: `strict` leaves no two messages of one role in a row, which some servers'
            templates refuse. What it merged is not told apart when it is read again.

    Raises:
        UnrenderableView: No provider would accept it.
        InvalidConfiguration: The session is of a format that is not here, or whose messages do
            not alternate.
    """
    module = module_of(session.format)
    options = _alternation_of(session.format, module, alternation)
    rendered: bytes | Document = module.render(view, session, reasoning=reasoning, **options)
    return rendered


def _alternation_of(
    name: str, module: ModuleType, alternation: Alternation | None
) -> dict[str, Alternation]:
    """Return the option for a format, where it is asked for.

    Raises:
        InvalidConfiguration: The format has none, or the option has no such value.
    """
    if alternation is None:
        return {}
    require_alternation(alternation)
    if not getattr(module, "ALTERNATES", False):
        able = [each for each in FORMATS if getattr(FORMATS[each], "ALTERNATES", False)]
        msg = (
            f"{name} has no alternation={alternation!r}; the formats that have it are "
            f"{', '.join(able)}: convert the session to one of them, or leave it out"
        )
        raise InvalidConfiguration(msg, {"format": name, "formats": able})
    return {"alternation": alternation}


def check(
    source: TextSource | Document,
    *,
    format: str | None = None,  # noqa: A002  The word that a caller expects.
    pending_ok: bool = False,
    alternation: Alternation | None = None,
) -> tuple[Fault, ...]:
    """Return every fault for which the provider behind a format would refuse a history.

    Args:
        source: What `parse` reads.
        format: Its name, where it is not to be detected.
        pending_ok: Whether calls at the very end may wait for their results.
        alternation: With `strict`, messages of one role in a row are faults too.

    Raises:
        UnreadableTranscript: It is none of the formats, or holds nothing readable.
        InvalidConfiguration: The format has no such name, or its messages do not alternate.
    """
    name, given = opened(source) if format is None else (format, as_named(source, format))
    module = FORMATS[name]
    options = _alternation_of(name, module, alternation)
    return tuple(module.check(given, pending_ok=pending_ok, **options))


def to_bytes(rendered: bytes | Document) -> bytes:
    """Return what `render` gave as the bytes of a file.

    JSON is indented, and written with ASCII escapes where a lone surrogate has no UTF-8.
    """
    if isinstance(rendered, bytes):
        return rendered
    try:
        return (json.dumps(rendered, ensure_ascii=False, indent=2) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(rendered, indent=2) + "\n").encode()
