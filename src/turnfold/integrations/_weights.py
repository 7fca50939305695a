"""What a message costs, told from its JSON alone and quickly: when to look closer, not a count."""

from collections.abc import Mapping
from typing import Final

from turnfold.tokens import MESSAGE_TOKENS, text_tokens

_MEDIA_TOKENS: Final = 1_600
_MEDIA: Final = ("image", "audio", "video", "document", "file", "media")
_LONGEST_DATA: Final = 4_096
"""A longer string beside an image or a document is its data, whatever the encoding."""


def weight_of(message: object) -> int:
    """Return about how many tokens a message takes up; at least the message around its text."""
    return MESSAGE_TOKENS + _weight(message)


def _weight(value: object) -> int:
    if isinstance(value, str):
        return text_tokens(value)
    if isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str) and kind.startswith(_MEDIA) and kind != "file_search_call":
            return _MEDIA_TOKENS + sum(
                text_tokens(each)
                for each in value.values()
                if isinstance(each, str) and len(each) <= _LONGEST_DATA
            )
        return sum(map(_weight, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_weight, value))
    return 0
