"""Roles and turns: what a transcript is made of (contracts T1, T2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self, cast

from turnfold import _metadata
from turnfold._canonical import utf8
from turnfold._metadata import Metadata
from turnfold._record import sealed
from turnfold.errors import InvalidTranscript


class Role(StrEnum):
    """Who speaks; the value is the wire form."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


_ROLES: Final[Mapping[str, Role]] = {role.value: role for role in Role}
_WIRE_FORMS: Final[Mapping[Role, str]] = {role: role.value for role in Role}


class _TurnCache:
    """A slot outside the fields: neither compared, nor copied, nor pickled."""

    __slots__ = ("_digests",)
    _digests: bytes | None


@sealed
@dataclass(frozen=True, slots=True, init=False)
class TranscriptTurn(_TurnCache):
    """One turn of a transcript, immutable.

    Args:
        turn_id: Not empty; unique within a transcript.
        role: A `Role`, or its value.
        content: The text that the model reads.
        token_estimate: The caller's estimate of the turn's size in tokens, at least 0.
        tool_call_id: The exchange of the turn: one occurrence of a call batch and its results.
        pinned: Whether the turn is untouchable.
        metadata: Strings by string, copied.

    Raises:
        InvalidTranscript: A value has the wrong type, or the id is empty (contract T2).
    """

    turn_id: str
    role: Role
    content: str
    token_estimate: int
    tool_call_id: str | None
    pinned: bool
    metadata: Mapping[str, str]

    def __init__(
        self,
        turn_id: str,
        role: Role | str,
        content: str,
        token_estimate: int,
        *,
        tool_call_id: str | None = None,
        pinned: bool = False,
        metadata: Mapping[str, str] = _metadata.EMPTY,
    ) -> None:
        if not (
            type(turn_id) is str
            and turn_id
            and type(role) is Role
            and type(content) is str
            and type(token_estimate) is int
            and token_estimate >= 0
            and (tool_call_id is None or type(tool_call_id) is str)
            and type(pinned) is bool
        ):
            role = _checked_role(turn_id, role, content, token_estimate, tool_call_id, pinned)
            # A string of a subclass is kept as the plain string that it holds.
            turn_id, content = str.__str__(turn_id), str.__str__(content)
            tool_call_id = None if tool_call_id is None else str.__str__(tool_call_id)
        _set_turn_id(self, turn_id)
        _set_role(self, role)
        _set_content(self, content)
        _set_token_estimate(self, token_estimate)
        _set_tool_call_id(self, tool_call_id)
        _set_pinned(self, pinned)
        _set_metadata(self, metadata if type(metadata) is Metadata else _own(turn_id, metadata))
        _set_digests(self, None)

    def digest(self) -> str:
        """Return the hex SHA-256 over id, role, content and `tool_call_id` (contract T3)."""
        return self.digest_bytes()[32:].hex()

    def content_digest(self) -> str:
        """Return the hex SHA-256 of the complete content in UTF-8."""
        return self.digest_bytes()[:32].hex()

    def digest_bytes(self) -> bytes:
        """Return both digests, content first, 32 bytes each; the content is hashed once.

        The turn's digest goes on from the content with the role, the length of the id, the id, `-`
        or `+` and the `tool_call_id`, and the length of the content. Read from its end, the text
        can be taken apart in one way only, so that no two turns spell the same bytes.
        """
        known = self._digests
        if known is not None:
            return known
        text = self.content
        hashed = sha256(utf8(text))
        content = hashed.digest()
        call = "-" if self.tool_call_id is None else f"+{self.tool_call_id}"
        role, turn_id = _WIRE_FORMS[self.role], self.turn_id
        named = f"{role}:{len(turn_id)}:{turn_id}{call}:{len(text)}"
        hashed.update(named.encode("utf-8", "surrogatepass"))
        digests = content + hashed.digest()
        _set_digests(self, digests)
        return digests

    def masked(self, content: str, token_estimate: int) -> "TranscriptTurn":
        """Return the turn with a stand-in for its content, marked as masked (contract X4).

        Id, role, `tool_call_id` and pin stay.

        Raises:
            InvalidTranscript: The content is no string, or the estimate no integer of at least 0.
        """
        if type(content) is not str or type(token_estimate) is not int or token_estimate < 0:
            return replace(self, content=content, token_estimate=token_estimate)
        return OpenTurn().closed(
            self.turn_id,
            self.role,
            content,
            token_estimate,
            self.tool_call_id,
            self.pinned,
            _metadata.as_masked(_metadata.own(self.metadata).pairs),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the turn as plain JSON values."""
        return {
            "turn_id": self.turn_id,
            "role": self.role.value,
            "content": self.content,
            "token_estimate": self.token_estimate,
            "tool_call_id": self.tool_call_id,
            "pinned": self.pinned,
            "metadata": dict(self.metadata),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Raises:
            InvalidTranscript: A key is missing or a value cannot be one of a turn.
        """
        try:
            return cls(
                record["turn_id"],
                record["role"],
                record["content"],
                record["token_estimate"],
                tool_call_id=record.get("tool_call_id"),
                pinned=record.get("pinned", False),
                metadata=record.get("metadata", _metadata.EMPTY),
            )
        except (KeyError, TypeError, AttributeError) as fault:
            msg = f"a turn is an object with turn_id, role, content and token_estimate: {fault!r}"
            raise InvalidTranscript(msg) from fault


class OpenTurn(_TurnCache):
    """A turn in the making, with the slots of a closed one.

    Its plain stores take a quarter of the time of a frozen class's constructor, which counts where
    thousands of turns are read or masked. What closes it hands over checked values only.
    """

    __slots__ = tuple(column.name for column in fields(TranscriptTurn))
    turn_id: str
    role: Role
    content: str
    token_estimate: int
    tool_call_id: str | None
    pinned: bool
    metadata: Mapping[str, str]

    def closed(  # noqa: PLR0917  By position, in the order of the columns: it is faster.
        self,
        turn_id: str,
        role: Role,
        content: str,
        token_estimate: int,
        tool_call_id: str | None,
        pinned: bool,  # noqa: FBT001
        metadata: Metadata,
    ) -> TranscriptTurn:
        """Become a turn with these values, and freeze."""
        self.turn_id = turn_id
        self.role = role
        self.content = content
        self.token_estimate = token_estimate
        self.tool_call_id = tool_call_id
        self.pinned = pinned
        self.metadata = metadata
        self._digests = None
        self.__class__ = TranscriptTurn  # type: ignore[assignment]
        return cast("TranscriptTurn", self)


def _setter_of(owner: type, name: str) -> Callable[[TranscriptTurn, object], None]:
    """Return what sets a slot; a frozen class sets it through this alone."""
    return cast("Callable[[TranscriptTurn, object], None]", owner.__dict__[name].__set__)


_set_turn_id = _setter_of(TranscriptTurn, "turn_id")
_set_role = _setter_of(TranscriptTurn, "role")
_set_content = _setter_of(TranscriptTurn, "content")
_set_token_estimate = _setter_of(TranscriptTurn, "token_estimate")
_set_tool_call_id = _setter_of(TranscriptTurn, "tool_call_id")
_set_pinned = _setter_of(TranscriptTurn, "pinned")
_set_metadata = _setter_of(TranscriptTurn, "metadata")
_set_digests = _setter_of(_TurnCache, "_digests")


def _checked_role(*values: object) -> Role:
    """Name the first value that a turn cannot have; a role's value stands for the role."""
    turn_id, role, content, token_estimate, tool_call_id, pinned = values
    known_role = _ROLES.get(role) if isinstance(role, str) else None
    rules = (
        (isinstance(turn_id, str) and turn_id != "", "turn_id must be a string, not empty"),
        (known_role is not None, f"role must be one of {', '.join(_ROLES)}"),
        (isinstance(content, str), "content must be a string"),
        (
            type(token_estimate) is int and token_estimate >= 0,
            f"token_estimate must be an integer of at least 0; got {token_estimate!r:.40}",
        ),
        (tool_call_id is None or isinstance(tool_call_id, str), "tool_call_id must be a string"),
        (type(pinned) is bool, "pinned must be a bool"),
    )
    for holds, rule in rules:
        if not holds:
            msg = f"turn {turn_id!r:.80}: {rule}"
            raise InvalidTranscript(msg, {"turn_id": str(turn_id)[:80], "rule": rule})
    assert known_role is not None  # noqa: S101  The second rule holds.
    return known_role


def _own(turn_id: str, metadata: object) -> Metadata:
    if not isinstance(metadata, Mapping):
        msg = f"turn {turn_id!r}: metadata must be a mapping, not a {type(metadata).__name__}"
        raise InvalidTranscript(msg, {"turn_id": turn_id})
    return Metadata(metadata)
