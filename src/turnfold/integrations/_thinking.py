"""What Anthropic's models want back of their thinking, as far as a request says it."""

from collections.abc import Mapping


def is_fixed(thinking: object) -> bool:
    """Whether a request gives thinking a fixed budget of tokens.

    Then the current tool loop has to begin with its own thinking, which is bound to nothing before
    it. Models that think as they see fit bind it to all that stands before, and refuse it behind an
    edit; they take no such budget.
    """
    return isinstance(thinking, Mapping) and thinking.get("type") == "enabled"
