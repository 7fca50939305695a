"""Texts that turnfold writes into a rendered session; read back they are no turns.

A rendering that needs them again makes them again, so they neither grow nor get lost from round
to round.
"""

from typing import Final

CLOSED_CALL: Final = "[no result was recorded for this call: it was interrupted]"
"""Closes a call that was never answered; never a success (known failure A12)."""

BRIDGE: Final = "[the conversation before this point was removed]"
"""Stands in as a user message where the provider needs one and the view has none."""

NO_WORDS: Final = "[a message of reasoning only, which was removed]"
"""Stands for an assistant message of which nothing else would be left."""

_SUMMARY_OPENS: Final = '<conversation_summary turns="'
_SUMMARY_CLOSES: Final = "</conversation_summary>"


def is_marked_summary(text: str) -> bool:
    """Whether a text stands between the marks that turnfold puts around a summary (X4)."""
    return text.startswith(_SUMMARY_OPENS) and text.endswith(_SUMMARY_CLOSES)
