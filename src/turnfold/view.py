"""What applying a plan gives: the compacted view, its report and its ledger (contract X5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from turnfold._record import sealed
from turnfold.errors import TurnfoldDefect
from turnfold.ledger import Ledger
from turnfold.transcript import Transcript

SCHEMA: Final = "turnfold.report/1"


@sealed
@dataclass(frozen=True, slots=True)
class CompactionReport:
    """What a compaction did, in figures and ids: no content, no time (contract X5).

    Args:
        plan_hash: The plan's hash.
        policy_name: Who decided.
        policy_version: Its version.
        tokens_before: The planned turns, in tokens, as the plan saw them.
        tokens_after_estimate: What the plan promised.
        tokens_after: What the view has, appended turns and measured summaries included.
        budget_unmet: Whether the view is over the limit.
        estimator_ratio: Characters a token, when the built-in ratio produced a figure.
        turns_before: Turns of the transcript, appended ones included.
        turns_after: Turns of the view.
        kept_turn_ids: Turns that stand as they were; the appended ones are listed apart.
        masked_turn_ids: Turns whose content was replaced by a stub.
        summarized_turn_ids: Turns that a summary stands for.
        dropped_turn_ids: Turns that are gone.
        appended_turn_ids: Turns that came after the plan, kept verbatim.
        unseen_turn_ids: Turns that a summary stands for and its writer did not get to see.
        summary_turn_ids: The summaries.
    """

    plan_hash: str
    policy_name: str
    policy_version: str
    tokens_before: int
    tokens_after_estimate: int
    tokens_after: int
    budget_unmet: bool
    estimator_ratio: float | None
    turns_before: int
    turns_after: int
    kept_turn_ids: tuple[str, ...]
    masked_turn_ids: tuple[str, ...]
    summarized_turn_ids: tuple[str, ...]
    dropped_turn_ids: tuple[str, ...]
    appended_turn_ids: tuple[str, ...]
    unseen_turn_ids: tuple[str, ...]
    summary_turn_ids: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values, ready to be an event's body."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        listed = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }
        return {"schema": SCHEMA, **listed}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_dict` gave.

        Raises:
            TurnfoldDefect: The record is no report.
        """
        if not isinstance(record, Mapping) or record.get("schema") != SCHEMA:
            found = record.get("schema") if isinstance(record, Mapping) else type(record).__name__
            msg = f"not a report that this version reads: its schema is {found!r}, not {SCHEMA!r}"
            raise TurnfoldDefect(msg, {"schema": repr(found)})
        missing = cls.__dataclass_fields__.keys() - record.keys()
        if missing:
            msg = f"the report lacks {', '.join(sorted(missing))}"
            raise TurnfoldDefect(msg, {"missing": sorted(missing)})
        values: dict[str, Any] = {
            name: tuple(record[name]) if isinstance(record[name], list) else record[name]
            for name in cls.__dataclass_fields__
        }
        return cls(**values)


@sealed
@dataclass(frozen=True, slots=True)
class CompactedView:
    """The compacted transcript, what was done, and what each turn stands for."""

    transcript: Transcript
    report: CompactionReport
    ledger: Ledger
