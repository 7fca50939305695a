"""How large the compacted view may be, and which turns nobody may touch (contract section 2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from turnfold._record import sealed
from turnfold.errors import InvalidConfiguration


@sealed
@dataclass(frozen=True, slots=True)
class CompactionBudget:
    """A window in tokens, and the tail that stays as it is.

    Args:
        max_tokens: The size of the window, in tokens.
        protected_recent_turns: How many turns at the end are untouchable.
        target_tokens: Where to go down to once compaction starts; `max_tokens` when absent.
        reserved_tokens: What is not a turn but needs room: tool schemas, the model's output.

    Raises:
        InvalidConfiguration: A value is no integer, is negative, or the reserve or the target
            do not fit (contract B1).
    """

    max_tokens: int
    protected_recent_turns: int = 4
    target_tokens: int | None = field(default=None, kw_only=True)
    reserved_tokens: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("max_tokens", "protected_recent_turns", "target_tokens", "reserved_tokens"):
            value = getattr(self, name)
            if value is None and name == "target_tokens":
                continue
            if type(value) is not int or value < 0:
                msg = f"{name} must be an integer of at least 0; got {value!r}"
                raise InvalidConfiguration(msg, {"field": name, "value": repr(value)})
        if self.reserved_tokens > self.max_tokens:
            msg = (
                f"reserved_tokens is {self.reserved_tokens}, more than max_tokens "
                f"{self.max_tokens}: nothing would be left for turns; lower the reserve"
            )
            raise InvalidConfiguration(msg, self.to_dict())
        if self.target_tokens is None:
            return
        if not self.reserved_tokens <= self.target_tokens <= self.max_tokens:
            msg = (
                f"target_tokens is {self.target_tokens}; it must lie between reserved_tokens "
                f"{self.reserved_tokens} and max_tokens {self.max_tokens}"
            )
            raise InvalidConfiguration(msg, self.to_dict())

    @property
    def limit(self) -> int:
        """Over this many tokens of turns compaction starts; equality fits."""
        return self.max_tokens - self.reserved_tokens

    @property
    def goal(self) -> int:
        """Down to this many tokens of turns compaction goes once it has started."""
        target = self.max_tokens if self.target_tokens is None else self.target_tokens
        return target - self.reserved_tokens

    def to_dict(self) -> dict[str, Any]:
        """Return the budget as plain JSON values."""
        return {
            "max_tokens": self.max_tokens,
            "protected_recent_turns": self.protected_recent_turns,
            "target_tokens": self.target_tokens,
            "reserved_tokens": self.reserved_tokens,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave; a missing key takes its default."""
        try:
            return cls(
                record["max_tokens"],
                record.get("protected_recent_turns", 4),
                target_tokens=record.get("target_tokens"),
                reserved_tokens=record.get("reserved_tokens", 0),
            )
        except (KeyError, TypeError, AttributeError) as fault:
            msg = f"a budget is an object with max_tokens; got a {type(record).__name__}"
            raise InvalidConfiguration(msg) from fault
