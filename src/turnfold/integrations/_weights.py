"""What a message costs, told from its JSON alone and quickly: when to look closer, not a count."""

from collections.abc import Mapping
from typing import Final

from turnfold.tokens import MESSAGE_TOKENS, text_tokens

_MEDIA_TOKENS: Final = 1_600
_MEDIA: Final = ("image", "audio", "video", "document", "file", "media")
_LONGEST_DATA: Final = 4_096
"""A longer string beside an image or a document is its data, whatever the encoding."""

_WRITTEN: Final = ("text", "content")
"""The sources of a document that is text, and costs what its text costs."""


def weight_of(message: object) -> int:
    """Return about how many tokens a message takes up; at least the message around its text."""
    return MESSAGE_TOKENS + _weight(message)


def _weight(value: object) -> int:
    if isinstance(value, str):
        return text_tokens(value)
    if isinstance(value, Mapping):
        kind = value.get("type")
        if _is_media(kind) and not _is_written(value.get("source")):
            return _MEDIA_TOKENS + sum(
                text_tokens(each)
                for each in value.values()
                if isinstance(each, str) and len(each) <= _LONGEST_DATA
            )
        return sum(map(_weight, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_weight, value))
    return 0


def _is_media(kind: object) -> bool:
    return isinstance(kind, str) and kind.startswith(_MEDIA) and kind != "file_search_call"


def _is_written(source: object) -> bool:
    return isinstance(source, Mapping) and source.get("type") in _WRITTEN
