"""A JSON document of messages: bare list or wrapper object, and what its turns point at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from turnfold._metadata import KIND, KIND_SUMMARY
from turnfold.errors import UnreadableTranscript, UnrenderableView, name_some, some
from turnfold.formats._assemble import LoadedTurn, assemble, copied
from turnfold.formats._order import in_view_order
from turnfold.formats._roles import ASSISTANT
from turnfold.formats._session import Damage, Pins, Session, Usage, still_live
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import TranscriptTurn

Message = dict[str, Any]
Document = list[Any] | dict[str, Any]

DEFAULT_PINS: Final = Pins()
TOP_LEVEL: Final = -1
"""The message number of a system prompt that stands beside the messages."""

_OPENAI_ROLES: Final = frozenset({"tool", "function", "developer"})
_OPENAI_KEYS: Final = frozenset({"tool_calls", "function_call", "tool_call_id"})
_ANTHROPIC_BLOCKS: Final = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
)
_ANTHROPIC_SOURCES: Final = frozenset({"image", "document"})
_ROLES: Final = _OPENAI_ROLES | {"system", "user", "assistant"}


class Place(NamedTuple):
    """Where a turn stands: the number of its message, and of its blocks where it is a part."""

    message: int
    blocks: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Source:
    """What rendering needs of a parsed document; looked up by turn id when it first does.

    Args:
        document: The document itself, never changed.
        messages: Its list of messages.
        path: The keys and indexes that lead from the document to its messages.
        turns: The turns as they were read, each with its place.
    """

    document: Document
    messages: Sequence[Any]
    path: tuple[str | int, ...]
    turns: Sequence[tuple[LoadedTurn, Place]]

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """Where each turn stands."""
        return {turn.turn_id: place for turn, place in self.turns}

    @cached_property
    def calls(self) -> Mapping[str, tuple[str, ...]]:
        """The call ids of the turns that make calls."""
        return {
            turn.turn_id: tuple([call.call_id for call in turn.makes])
            for turn, _ in self.turns
            if turn.makes
        }

    @cached_property
    def answers(self) -> Mapping[str, str]:
        """The call id of each turn that answers one."""
        return {turn.turn_id: turn.answers[0] for turn, _ in self.turns if turn.answers}

    @cached_property
    def contents(self) -> Mapping[str, str]:
        """The content of each turn as it was read."""
        return {turn.turn_id: turn.content for turn, _ in self.turns}

    def is_changed(self, turn: TranscriptTurn) -> bool:
        """Whether the content of a turn is another than the one that was read."""
        return turn.content != self.contents[turn.turn_id]

    def with_messages(self, messages: list[Any]) -> Document:
        """Return the messages in the wrapper of the document; whatever else it holds stays.

        Raises:
            UnrenderableView: Only system messages would be left (contract T7).
        """
        if all(message.get("role") in ("system", "developer") for message in messages):
            msg = "only system messages would be left of the view, which no provider accepts"
            raise UnrenderableView(msg, {"messages": len(messages)})
        return placed(self.document, self.path, messages)


def placed(document: Document, path: Sequence[str | int], messages: list[Any]) -> Document:
    """Return a document with other messages at a path; only what holds them is copied."""
    if not path:
        return messages
    copied: Any = document.copy()
    copied[path[0]] = placed(copied[path[0]], path[1:], messages)
    made: Document = copied
    return made


@dataclass(slots=True)
class Found:
    """The turns of a document as they are found, what was damaged, and what was counted."""

    turns: list[tuple[LoadedTurn, Place]] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    """By the number of a message, what the provider counted for the request and the response."""

    def add(self, turn: LoadedTurn, place: Place) -> None:
        """Add a turn with its place."""
        self.turns.append((turn, place))

    def count(self, message: int, tokens: int) -> None:
        """Note what the provider counted at a message, where it counted anything."""
        if tokens > 0:
            self.counts[message] = tokens

    def report(self, place: str, message: str) -> None:
        """Report what is not as it should be."""
        self.damage.append(Damage(place, "malformed_message", message))


def messages_of(document: object) -> list[Any]:
    """Return the list of messages of a document.

    Raises:
        UnreadableTranscript: There is none, or it is empty.
    """
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list):
        kind = type(document).__name__
        msg = f"expected a list of messages or an object with `messages`; found a {kind}"
        raise UnreadableTranscript(msg, {"path": "messages", "type": kind})
    if not messages:
        msg = "the list of messages is empty: there is nothing to read"
        raise UnreadableTranscript(msg, {"path": "messages"})
    return messages


def shape_of(document: object) -> Literal["openai", "anthropic"] | None:
    """Tell whose messages these are by their structure; None where they are no messages.

    The way in which calls and results are linked decides; a text-only list is OpenAI's, unless
    the system prompt stands beside the messages.
    """
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list):
        return None
    spoken: list[dict[str, Any]] = []
    for each in messages:
        role = each.get("role") if isinstance(each, dict) else None
        if isinstance(role, str) and role in _ROLES:
            if role in _OPENAI_ROLES or not _OPENAI_KEYS.isdisjoint(each):
                return "openai"
            spoken.append(each)
    if not spoken:
        return None
    if isinstance(document, dict) and isinstance(document.get("system"), str | list):
        return "anthropic"
    contents = [each.get("content") for each in spoken]
    lists = [content for content in contents if isinstance(content, list)]
    blocks = [block for content in lists for block in content if isinstance(block, dict)]
    if any(map(_is_anthropic_block, blocks)):
        return "anthropic"
    # Gateways put cache marks on OpenAI's parts too, but Anthropic has no system message first.
    marked = spoken[0]["role"] != "system" and any("cache_control" in block for block in blocks)
    return "anthropic" if marked else "openai"


def _is_anthropic_block(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    if not isinstance(kind, str):
        return False
    if kind in _ANTHROPIC_SOURCES:
        return "source" in block
    return kind in _ANTHROPIC_BLOCKS or kind.endswith("_tool_result")


def finish(
    name: str,
    document: Document,
    messages: Sequence[Any],
    found: Found,
    *,
    path: tuple[str | int, ...] | None = None,
    pins: Pins,
    estimator: Estimator | None,
    ledger: Ledger | None,
) -> Session:
    """Build the session of the turns that were found.

    Args:
        name: The name of the format.
        document: The document.
        messages: Its list of messages.
        found: The turns and the damage.
        path: Where in the document the messages are; by default the document itself or its
            `messages`.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No turn was found.
    """
    if not found.turns:
        why = found.damage[0] if found.damage else Damage("messages", "", "no message is a turn")
        msg = f"{why.place}: {why.message}; none of the {len(messages)} messages can be read"
        raise UnreadableTranscript(msg, {"path": why.place, "format": name})
    turns, damage = found.turns, list(found.damage)
    if ledger is not None:
        turns = in_view_order([(copied(turn), place) for turn, place in found.turns], ledger)
    assembled = assemble(_loaded(turns), pins=pins, estimator=estimator, ledger=ledger)
    damage += assembled.damage
    if ledger is not None and assembled.ledger is None:
        turns = found.turns
        assembled = assemble(_loaded(turns), pins=pins, estimator=estimator)
    source = Source(
        document,
        messages,
        path=(() if isinstance(document, list) else ("messages",)) if path is None else path,
        turns=turns,
    )
    usage = still_live(_last_count(turns, found.counts), assembled.ledger)
    return Session(name, assembled.transcript, source, tuple(damage), assembled.ledger, usage)


def _loaded(turns: Sequence[tuple[LoadedTurn, Place]]) -> list[LoadedTurn]:
    return [turn for turn, _ in turns]


def _last_count(
    turns: Sequence[tuple[LoadedTurn, Place]], counts: Mapping[int, int]
) -> Usage | None:
    """Return what was counted at the last response that is a turn."""
    for turn, place in reversed(turns if counts else ()):
        if turn.role is ASSISTANT and place.message in counts:
            return Usage(counts[place.message], turn.turn_id)
    return None


def require_known(turns: Sequence[TranscriptTurn], source: Source) -> None:
    """Make sure that each turn is of the session or is a summary.

    Raises:
        UnrenderableView: The view holds turns of which the session has no original.
    """
    strange = [
        turn.turn_id
        for turn in turns
        if turn.turn_id not in source.places and turn.metadata.get(KIND) != KIND_SUMMARY
    ]
    if strange:
        msg = (
            f"the session has no original of these turns: {name_some(strange)}; render with the "
            "session that the compacted transcript came from"
        )
        raise UnrenderableView(msg, {"turn_ids": some(strange)})
