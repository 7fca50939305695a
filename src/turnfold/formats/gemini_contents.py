"""Gemini generateContent: contents of parts, and a system instruction beside them.

How contents are read stands in `_gemini_read`, what a rendering does in `_gemini_write`, what the
provider refuses in `_rules_gemini`.
"""

from collections.abc import Mapping
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._alternation import (
    Alternation,
    alternating,
    alternation_faults,
    joined,
)
from turnfold.formats._assemble import LoadedTurn
from turnfold.formats._batches import batches_of
from turnfold.formats._document import (
    DEFAULT_PINS,
    TOP_LEVEL,
    Document,
    Found,
    Place,
    Source,
    finish,
    require_known,
)
from turnfold.formats._faults import Fault
from turnfold.formats._gemini_read import (
    MODEL,
    USER_ROLES,
    Object,
    Reader,
    gather_part,
    is_content,
    response_of,
)
from turnfold.formats._gemini_write import Writer, stripping
from turnfold.formats._parts import Gathered
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rules.gemini import check_gemini
from turnfold.formats._session import Pins, Session, is_unchanged, renderable_turns
from turnfold.formats._short_inputs import shortened
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Role, Transcript
from turnfold.view import CompactedView

NAME: Final = "gemini-contents"
LINES: Final = False
ALTERNATES: Final = True

_MUST_ALTERNATE: Final = "Please ensure that multiturn requests alternate between user and model."

_SYSTEM: Final = ("systemInstruction", "system_instruction")
_CONFIG: Final = "config"


def matches(document: object) -> bool:
    """Whether a parsed JSON document holds Gemini contents."""
    contents = document.get("contents") if isinstance(document, dict) else document
    return isinstance(contents, list) and any(map(is_content, contents))


def parse(
    document: Document,
    *,
    scope: str = "live",  # noqa: ARG001  A document has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read a list of contents, or a request with `contents`; it is never changed.

    The system instruction is the turn `system`, a model content one turn `m{index}`. Each response
    of a user content is a turn `m{index}.p{part}`, and what else stands in the content one turn
    after them. What is malformed is reported with its path (contract R4).

    Args:
        document: The parsed JSON.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No content can be read.
    """
    contents = _contents_of(document)
    found = Found()
    _read_system(document, found)
    reader = Reader(found)
    for index, content in enumerate(contents):
        _read_content(index, content, reader, found)
    path = () if isinstance(document, list) else ("contents",)
    return finish(
        NAME, document, contents, found, path=path, pins=pins, estimator=estimator, ledger=ledger
    )


def render(
    view: CompactedView | Transcript,
    session: Session,
    *,
    reasoning: Reasoning | None = None,
    alternation: Alternation | None = None,
) -> Document:
    """Return the contents of a view in the wrapper of the input (contract R2).

    Kept contents are the original objects, and an unchanged view is the original document.

    Args:
        view: The view.
        session: The session that it was made from.
        reasoning: What happens to thoughts. By default they are kept: a signature holds whatever
            stands before it. Calls of the current turn keep their signatures in any case.
        alternation: `strict` makes one message of those of one role that stand in a row.

    Raises:
        UnrenderableView: Nothing but the system instruction would be left, or a turn has no
            original.
    """
    source: Source = session.source
    if is_unchanged(view, session) and alternation is None:
        return source.document
    turns = renderable_turns(view)
    require_known(turns.turns, source)
    short = shortened(view, source)
    strips = stripping(view, session, reasoning, short.turn_ids)
    writer = Writer(short.source, _Contents(), strips)
    writer.write(batches_of(turns, source))
    messages = writer.messages
    if alternation is not None:
        messages = alternating(messages, _side_of, _joined)
        if messages == list(source.messages) and _keeps_system(turns, source):
            return source.document
    document = source.with_messages(messages)
    if isinstance(document, dict) and not _keeps_system(turns, source):
        return _without_system(document)
    return document


def check(
    document: object, *, pending_ok: bool = False, alternation: Alternation | None = None
) -> list[Fault]:
    """Return what the provider would refuse in contents; empty where there is nothing.

    Args:
        document: A list of contents, or a request with `contents`.
        pending_ok: Whether calls at the very end may wait for their responses.
        alternation: With `strict`, messages of one role in a row are faults too.
    """
    contents = document.get("contents") if isinstance(document, dict) else document
    listed = contents if isinstance(contents, list) else []
    faults = check_gemini(listed, pending_ok=pending_ok)
    if alternation is not None:
        faults += alternation_faults(listed, "contents", _side_of, _MUST_ALTERNATE)
    return faults


def _side_of(content: Mapping[str, Any]) -> str:
    return MODEL if content.get("role") == MODEL else "user"


def _joined(first: Object, second: Object) -> Object:
    """Return two contents as one; responses stay before any other part."""
    parts = sorted([*first["parts"], *second["parts"]], key=lambda each: response_of(each) is None)
    return {**joined(first, second), "role": _side_of(first), "parts": parts}


class _Contents:
    """A message is a content itself."""

    one_content = True

    def content_of(self, message: Any) -> Object:  # noqa: ANN401
        content: Object = message
        return content

    def with_content(self, message: Any, content: Object) -> Object:  # noqa: ANN401, ARG002
        return content

    def is_model(self, message: Any) -> bool:  # noqa: ANN401
        return bool(message.get("role") == MODEL)

    def new(self, content: Object, near: object, name: str) -> Object:  # noqa: ARG002
        return content

    def continues(self, before: object, message: object) -> bool:  # noqa: ARG002
        return True


def _contents_of(document: object) -> list[Any]:
    contents = document.get("contents") if isinstance(document, dict) else document
    if not isinstance(contents, list):
        kind = type(document).__name__
        msg = f"expected a list of contents or an object with `contents`; found a {kind}"
        raise UnreadableTranscript(msg, {"path": "contents", "type": kind})
    if not contents:
        msg = "the list of contents is empty: there is nothing to read"
        raise UnreadableTranscript(msg, {"path": "contents"})
    return contents


def _read_content(index: int, content: object, reader: Reader, found: Found) -> None:
    place = f"contents[{index}]"
    if not isinstance(content, dict):
        found.report(place, f"a content is an object; this is a {type(content).__name__}")
        return
    role = content.get("role")
    if not (role is None or (isinstance(role, str) and (role == MODEL or role in USER_ROLES))):
        found.report(f"{place}.role", f"a role is user or model; got {role!r:.40}")
        return
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        found.report(f"{place}.parts", "parts is a list with at least one part")
        return
    reader.add(content, f"m{index}", (index, place), is_model=role == MODEL)


def _holder_of_system(document: object) -> Object:
    """Return the object that a system instruction stands in: the request or its `config`."""
    if not isinstance(document, dict):
        return {}
    config = document.get(_CONFIG)
    if isinstance(config, dict) and any(key in config for key in _SYSTEM):
        return config
    return document


def _read_system(document: object, found: Found) -> None:
    holder = _holder_of_system(document)
    key = next((key for key in _SYSTEM if holder.get(key) is not None), None)
    if key is None:
        return
    system = holder[key]
    parts = system.get("parts") if isinstance(system, dict) else system
    if isinstance(parts, str):
        parts = [parts]
    if not isinstance(parts, list):
        found.report(key, "a system instruction is a text or a content of parts")
        return
    gathered = Gathered()
    for number, part in enumerate(parts):
        gather_part(part, gathered, f"{key}.parts[{number}]", found)
    turn = LoadedTurn("system", Role.SYSTEM, gathered.content, origin=key)
    turn.hidden, turn.media = gathered.hidden_text, gathered.media
    found.add(turn, Place(TOP_LEVEL))


def _keeps_system(turns: Transcript, source: Source) -> bool:
    top = Place(TOP_LEVEL)
    return top not in source.places.values() or any(
        source.places.get(turn.turn_id) == top for turn in turns
    )


def _without_system(document: Object) -> Object:
    kept = {key: value for key, value in document.items() if key not in _SYSTEM}
    config = document.get(_CONFIG)
    if isinstance(config, dict):
        kept[_CONFIG] = {key: value for key, value in config.items() if key not in _SYSTEM}
    return kept
