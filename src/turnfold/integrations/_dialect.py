"""Between a framework's messages and their JSON, which a format reads."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from turnfold.integrations._weights import weight_of

MessageT = TypeVar("MessageT")


class Dialect(Protocol[MessageT]):
    """How the messages of a framework are written as JSON, and read from it."""

    @property
    def format(self) -> str:
        """The name of the format in `turnfold.formats.FORMATS` that reads a list of them."""

    def dump(self, messages: Sequence[MessageT]) -> list[Any]:
        """Return the JSON of each message, in order, one value a message."""

    def load(self, documents: Sequence[Any]) -> list[MessageT]:
        """Return the messages that these values stand for; asked for changed ones only."""

    def weight(self, message: MessageT) -> int:
        """Return about how many tokens a message takes up."""

    def snapshot(self, message: MessageT) -> MessageT:
        """Return what a message is compared with when it comes again: itself, or a copy."""


class PlainDialect:
    """Messages that are JSON themselves: dicts, as the providers' clients take them."""

    def __init__(self, format: str) -> None:  # noqa: A002  The word that a caller expects.
        self.format = format

    def dump(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages as they are."""
        return list(messages)

    def load(self, documents: Sequence[Any]) -> list[Any]:
        """Return the values as they are."""
        return list(documents)

    def weight(self, message: object) -> int:
        """Return about how many tokens a message takes up."""
        return weight_of(message)

    def snapshot(self, message: Any) -> Any:  # noqa: ANN401  Messages are JSON.
        """Return a copy, since a dict can be changed where it is."""
        return _copied(message)


def _copied(value: Any) -> Any:  # noqa: ANN401  JSON.
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_copied(each) for each in value]
    return value
