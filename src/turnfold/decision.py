"""Decisions, their reasons, and the summaries that they ask for (contracts P2, P4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Self

from turnfold._canonical import utf8
from turnfold._record import sealed

SUMMARY_PREFIX: Final = "summary:"

_HEX_PREFIX: Final = 16
_SLICE: Final = 4_096


class Action(StrEnum):
    """What becomes of a turn."""

    KEEP = "keep"
    MASK = "mask"
    SUMMARIZE = "summarize"
    DROP = "drop"


KEEP: Final = ord("K")
MASK: Final = ord("M")
SUMMARIZE: Final = ord("S")
DROP: Final = ord("D")
ACTIONS: Final[Mapping[int, Action]] = {
    KEEP: Action.KEEP,
    MASK: Action.MASK,
    SUMMARIZE: Action.SUMMARIZE,
    DROP: Action.DROP,
}
IS_RETAINED: Final = bytes(code in (KEEP, MASK) for code in range(256))
IS_REMOVED: Final = bytes(code in (SUMMARIZE, DROP) for code in range(256))


class Reason:
    """The reasons of turnfold's own policies; each reads with its action.

    A stranger's policy brings its own strings. `apply` never reads a reason.
    """

    KEEP_SYSTEM: Final = "keep: system"
    KEEP_PINNED: Final = "keep: pinned"
    KEEP_TAIL: Final = "keep: protected_tail"
    KEEP_LOCKED: Final = "keep: exchange_locked"
    KEEP_FITS: Final = "keep: fits"
    KEEP_RECENT_RESULT: Final = "keep: recent_result"
    KEEP_PROTECTED_TOOL: Final = "keep: protected_tool"
    KEEP_NOT_SMALLER: Final = "keep: stub_not_smaller"
    MASK_OLDEST: Final = "mask: oldest_result"
    MASK_LARGEST: Final = "mask: largest_result"
    MASK_CALL_INPUT: Final = "mask: call_input"
    SUMMARIZE_OLDEST: Final = "summarize: oldest_span"
    DROP_OVER_BUDGET: Final = "drop: over_budget"


@sealed
@dataclass(frozen=True, slots=True)
class TurnDecision:
    """What a plan decides about one turn, and why (contract P2).

    Args:
        turn_id: The turn.
        action: What becomes of it.
        reason: A short string that reads with the action.
        replacement: For MASK, the text that stands in for the content.
        replacement_tokens: For MASK, the estimate of that text in tokens.
        group_id: For SUMMARIZE, the group whose summary stands in for the turn.
    """

    turn_id: str
    action: Action
    reason: str
    replacement: str | None = None
    replacement_tokens: int | None = None
    group_id: str | None = None


def group_id_for(turn_ids: Sequence[str]) -> str:
    """Return the id of the group of these turns: a digest, never a counter (contract P4)."""
    digest = sha256()
    for start in range(0, len(turn_ids), _SLICE):
        part = turn_ids[start : start + _SLICE]
        digest.update(utf8("".join([f"{len(turn_id)}:{turn_id}" for turn_id in part])))
    return f"span-{digest.hexdigest()[:_HEX_PREFIX]}"


class _RequestCache:
    """A slot outside the fields: derived from the turns when first asked for."""

    __slots__ = ("_derived_id",)
    _derived_id: str


@sealed
@dataclass(frozen=True, slots=True)
class SummarizationRequest(_RequestCache):
    """A summary that the caller is asked for: ids and a prompt's name, never text (contract P4).

    Args:
        group_id: `group_id_for(turn_ids)`.
        turn_ids: The turns to summarise, in transcript order.
        target_tokens: How large the summary may be, in tokens, its marking text included.
        prompt_id: The name of the prompt that asks for it.
    """

    group_id: str
    turn_ids: tuple[str, ...]
    target_tokens: int
    prompt_id: str

    @classmethod
    def of(cls, turn_ids: Sequence[str], target_tokens: int, prompt_id: str) -> Self:
        """Make the request for these turns, with the derived group id."""
        group_id = group_id_for(turn_ids)
        request = cls(group_id, tuple(turn_ids), target_tokens, prompt_id)
        object.__setattr__(request, "_derived_id", group_id)
        return request

    def derived_id(self) -> str:
        """Return what `group_id` must be: that of these turns."""
        try:
            return self._derived_id
        except AttributeError:
            object.__setattr__(self, "_derived_id", group_id_for(self.turn_ids))
            return self._derived_id

    @property
    def summary_turn_id(self) -> str:
        """The id of the turn that will stand in for the group."""
        return f"{SUMMARY_PREFIX}{self.group_id}"

    def to_dict(self) -> dict[str, Any]:
        """Return the request as plain JSON values."""
        return {
            "group_id": self.group_id,
            "turn_ids": list(self.turn_ids),
            "target_tokens": self.target_tokens,
            "prompt_id": self.prompt_id,
        }
