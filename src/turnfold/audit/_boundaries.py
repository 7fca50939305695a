"""Where a name stands in a text: with a boundary on both sides, or as a folder of a path."""

import re
from typing import Final

_NAME_ENDS: Final = re.compile(r"[\w/@-]")


def stands_in(text: str, name: str) -> bool:
    """Whether a name stands in a text with boundaries on both sides.

    Args:
        text: It begins and ends with white space.
        name: What is looked for.
    """
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not _NAME_ENDS.match(text[at - 1]) and _ends(text, end):
            return True
        at = text.find(name, end)
    return False


def holds_folder(text: str, folder: str) -> bool:
    """Whether a path below a folder stands in a text, which begins with white space."""
    sought = f"{folder}/"
    at = text.find(sought)
    while at >= 0:
        if text[at - 1] == "/" or not _NAME_ENDS.match(text[at - 1]):
            return True
        at = text.find(sought, at + 1)
    return False


def _ends(text: str, end: int) -> bool:
    """Whether a name may end here: `1.2` does not end where `.3` follows."""
    after = text[end]
    if after in ".:" and text[end + 1].isalnum():
        return False
    return not _NAME_ENDS.match(after)
