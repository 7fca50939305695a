"""Inspect AI: a sample of an evaluation, or an evaluation log in JSON with its samples.

A log holds several samples; which one is meant is said by its number. A rendering replaces the
messages of that sample and nothing else: events, output and scores are what the run recorded.

- Results stand directly behind the calls that they answer. A call that was never answered is
  closed with an error; one that is still pending at the end stays open.
- A text of the form `attachment://HASH` is read from the sample's attachments, and stays as it is
  in a message that is kept.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from turnfold.errors import UnreadableTranscript
from turnfold.formats._chat_like import written_messages
from turnfold.formats._document import DEFAULT_PINS, Document, Found, Place, Source, finish
from turnfold.formats._faults import Fault
from turnfold.formats._itemwise import chosen
from turnfold.formats._reasoning import Reasoning
from turnfold.formats._rules.chat_like import Event, check_events
from turnfold.formats._session import Pins, Session, counted_in_all, is_unchanged
from turnfold.formats.inspect_ai._read import Reading, calls_of, is_blank, read_message
from turnfold.formats.inspect_ai._write import InspectDialect
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript
from turnfold.view import CompactedView

NAME: Final = "inspect-ai"
LINES: Final = False

_COUNTED: Final = (
    "total_tokens",
    "input_tokens",
    "input_tokens_cache_read",
    "input_tokens_cache_write",
    "output_tokens",
)
"""The total and what makes it up: the input is without its cached parts."""
SEVERAL: Final = True

_SAMPLE_KEYS: Final = frozenset({"epoch", "messages"})
_SAMPLE_MARKS: Final = frozenset({"target", "scores", "store", "events", "model_usage"})
_KINDS: Final[dict[str, Any]] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "result",
}


def matches(document: object) -> bool:
    """Whether a parsed JSON document is a sample, or a log that holds samples."""
    return bool(_paths(document))


def parse(
    document: Document,
    *,
    scope: str = "live",  # noqa: ARG001  A sample's messages are one history.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
    conversation: int | None = None,
) -> Session:
    """Read the messages of a sample; the document is never changed.

    A message is a turn, named by its own id, or `m{index}`. What is malformed is reported with
    its path.

    Args:
        document: The parsed JSON.
        scope: Accepted for the sake of other formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.
        conversation: Which sample of a log, counted from 0; None where there is one.

    Raises:
        UnreadableTranscript: No message can be read, or there are several samples and none is
            named.
        InvalidConfiguration: The number is no whole number from 0.
    """
    paths = _paths(document)
    if not paths:
        kind = type(document).__name__
        msg = f"expected a sample of Inspect AI, or a log with samples; found a {kind} without"
        raise UnreadableTranscript(msg, {"path": "samples", "type": kind})
    path = chosen(paths, conversation, "the samples")
    sample = _at(document, path)
    messages = sample["messages"]
    found = Found()
    attachments = sample.get("attachments")
    reading = Reading(attachments if isinstance(attachments, dict) else {}, found)
    for index, message in enumerate(messages):
        turn = read_message(index, message, reading)
        if turn is not None:
            found.add(turn, Place(index))
    _count(sample.get("output"), messages, found)
    return finish(
        NAME,
        document,
        messages,
        found,
        path=(*path, "messages"),
        pins=pins,
        estimator=estimator,
        ledger=ledger,
    )


def _count(output: object, messages: Sequence[Any], found: Found) -> None:
    """Note what was counted at the last response of a sample: it is kept beside the messages."""
    choices = output.get("choices") if isinstance(output, dict) else None
    if not isinstance(output, dict) or not isinstance(choices, list):
        return
    answers = [each.get("message") for each in choices if isinstance(each, dict)]
    ids = [each.get("id") for each in answers if isinstance(each, dict)]
    tokens = counted_in_all(output.get("usage"), *_COUNTED)
    for index, message in enumerate(messages):
        if isinstance(message, dict) and message.get("id") is not None and message["id"] in ids:
            found.count(index, tokens)


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> Document:
    """Return the document with the messages of a view in place of the sample's (contract R2).

    Kept messages are the original objects, and an unchanged view is the original document.

    Args:
        view: What to render.
        session: The session that it came from.
        reasoning: By default `strip_after_edit`: signed and redacted reasoning behind the first
            edit goes. Plain reasoning, which is bound to nothing, goes with `strip_all` only.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    source: Source = session.source
    if is_unchanged(view, session):
        return source.document
    messages = written_messages(view, session, InspectDialect(), reasoning or "strip_after_edit")
    return source.with_messages(messages)


def check(document: Any, *, pending_ok: bool = False) -> list[Fault]:  # noqa: ANN401
    """Return every fault that a provider would find in the messages of the samples.

    Args:
        document: The parsed JSON.
        pending_ok: Whether calls at the very end of a sample may wait for their results.
    """
    paths = _paths(document)
    if not paths:
        return [Fault("samples", "shape", "this is no sample and no log that holds samples")]
    faults: list[Fault] = []
    for path in paths:
        before = "".join(f".{each}" if isinstance(each, str) else f"[{each}]" for each in path)
        place = f"{before}.messages".lstrip(".")
        messages = _at(document, path)["messages"]
        events = list(_events(messages, place, faults))
        faults += check_events(events, pending_ok=pending_ok, user_first=True)
    return faults


def _paths(document: object) -> list[tuple[str | int, ...]]:
    """Return where samples with messages are: the document itself, or in its `samples`."""
    if not isinstance(document, dict):
        return []
    if _is_sample(document):
        return [()]
    samples = document.get("samples")
    if not (isinstance(samples, list) and isinstance(document.get("eval"), dict)):
        return []
    return [("samples", number) for number, each in enumerate(samples) if _is_sample(each)]


def _is_sample(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() >= _SAMPLE_KEYS
        and bool(value.keys() & _SAMPLE_MARKS)
        and isinstance(value["messages"], list)
    )


def _at(document: Any, path: tuple[str | int, ...]) -> dict[str, Any]:  # noqa: ANN401
    for key in path:
        document = document[key]
    sample: dict[str, Any] = document
    return sample


def _events(messages: list[Any], place: str, faults: list[Fault]) -> Iterator[Event]:
    for index, message in enumerate(messages):
        at = f"{place}[{index}]"
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str) or role not in _KINDS:
            faults.append(Fault(at, "role", "a message is an object with a known role"))
            continue
        calls = tuple(call.call_id for call in calls_of(message)) if role == "assistant" else ()
        answer = message.get("tool_call_id")
        yield Event(
            at,
            _KINDS[role],
            calls,
            answer if isinstance(answer, str) else "",
            blank=not calls and is_blank(message.get("content")),
        )
