"""The rules of a budget and of a plan against their transcript (contracts B4, P6, X3).

A plan checks its own columns when it is made; what only the transcript knows is checked here.
"""

from collections.abc import Mapping
from itertools import compress

from turnfold._columns import (
    FREE,
    PINNED,
    PREFIX_BYTES,
    SYSTEM,
    TAIL,
    Columns,
    untouchable_tokens,
)
from turnfold.budget import CompactionBudget
from turnfold.decision import IS_RETAINED, KEEP
from turnfold.errors import BudgetUnsatisfiable, PlanTranscriptMismatch, name_some, some
from turnfold.plan import CompactionPlan
from turnfold.transcript import Transcript

_IS_CHANGED = bytes(code != KEEP for code in range(256))
_FLOOR_CAUSES: Mapping[str, int] = {"system": SYSTEM, "pinned": PINNED, "tail": TAIL}


def require_satisfiable(columns: Columns, budget: CompactionBudget, protections: bytes) -> None:
    """Refuse a budget that the untouchable turns alone exceed (contract B4).

    Raises:
        BudgetUnsatisfiable: Names both numbers, the floor by cause, and what could be relaxed.
    """
    if columns.total <= budget.limit:
        return
    floor = untouchable_tokens(columns.tokens, protections)
    if floor <= budget.limit:
        return
    causes = {
        name: sum(compress(columns.tokens, map(code.__eq__, protections)))
        for name, code in _FLOOR_CAUSES.items()
    }
    named = ", ".join(f"{name} {tokens:,}" for name, tokens in causes.items())
    msg = (
        f"the turns that may not be touched need {floor:,} tokens, and the limit is "
        f"{budget.limit:,} (max_tokens {budget.max_tokens:,} less reserved_tokens "
        f"{budget.reserved_tokens:,}): {named}; raise max_tokens to at least "
        f"{floor + budget.reserved_tokens:,}{_what_to_relax(causes, budget)}"
    )
    details = {
        "floor_tokens": floor,
        "limit": budget.limit,
        "floor_by_cause": causes,
        "protected_recent_turns": budget.protected_recent_turns,
        "untouchable_turns": len(protections) - protections.count(FREE),
    }
    raise BudgetUnsatisfiable(msg, details)


def _what_to_relax(causes: Mapping[str, int], budget: CompactionBudget) -> str:
    ways = []
    if causes["pinned"]:
        ways.append("unpin turns")
    if causes["tail"]:
        ways.append(f"protect fewer than {budget.protected_recent_turns} recent turns")
    return "".join(f", or {way}" for way in ways)


def require_same_turns(transcript: Transcript, plan: CompactionPlan) -> int:
    """Hold a plan against the transcript that it is to be applied to (contracts X3, P6, L2).

    The planned turns must stand unchanged at the beginning; turns that were appended since are
    no mismatch. Estimates and metadata may have changed. So may pins, but a turn that is pinned
    by now is not changed by a plan that did not know it.

    Returns:
        How many turns were appended.

    Raises:
        PlanTranscriptMismatch: Names unknown, unplanned, reordered and changed turns.
    """
    columns = transcript.columns()
    count = len(plan.turn_ids)
    if columns.ids[:count] != plan.turn_ids:
        raise _other_turns(plan, columns)
    if columns.prefixes[: count * PREFIX_BYTES] != plan.digests:
        raise _changed_turns(plan, columns)
    _require_honest(plan, columns)
    if len(columns.ids) > count:
        _require_no_late_results(plan, columns)
    return len(columns.ids) - count


def _other_turns(plan: CompactionPlan, columns: Columns) -> PlanTranscriptMismatch:
    planned, present = set(plan.turn_ids), set(columns.ids)
    unknown = [each for each in plan.turn_ids if each not in present]
    unplanned = [each for each in columns.ids if each not in planned]
    in_plan = [each for each in plan.turn_ids if each in present]
    in_transcript = [each for each in columns.ids if each in planned]
    pairs = zip(in_plan, in_transcript, strict=True)
    reordered = [before for before, after in pairs if before != after]
    parts = [
        f"{len(ids)} {what}: {name_some(ids)}"
        for ids, what in (
            (unknown, "planned but not there"),
            (unplanned, "there but not planned"),
            (reordered, "in another order"),
        )
        if ids
    ]
    msg = (
        f"the plan was made for {len(plan.turn_ids)} turns and the transcript has "
        f"{len(columns.ids)}; {'; '.join(parts)}; plan this transcript again"
    )
    details = {
        "unknown": some(unknown),
        "unplanned": some(unplanned),
        "reordered": some(reordered),
        "changed": [],
    }
    return PlanTranscriptMismatch(msg, details)


def _changed_turns(plan: CompactionPlan, columns: Columns) -> PlanTranscriptMismatch:
    width = PREFIX_BYTES
    changed = [
        turn_id
        for position, turn_id in enumerate(plan.turn_ids)
        if columns.prefixes[position * width : (position + 1) * width]
        != plan.digests[position * width : (position + 1) * width]
    ]
    msg = (
        f"{len(changed)} of {len(plan.turn_ids)} turns changed since the plan was made (id, role, "
        f"content or tool_call_id): {name_some(changed)}; plan this transcript again"
    )
    details = {"unknown": [], "unplanned": [], "reordered": [], "changed": some(changed)}
    return PlanTranscriptMismatch(msg, details)


def _require_honest(plan: CompactionPlan, columns: Columns) -> None:
    """P6: what the plan says of exchanges, SYSTEM turns and pins is what the transcript has."""
    count = len(plan.turn_ids)
    false_claims: list[str] = []
    if columns.exchanges[:count] != plan.exchanges:
        pairs = zip(plan.turn_ids, columns.exchanges, plan.exchanges, strict=False)
        false_claims += [turn_id for turn_id, real, claimed in pairs if real != claimed]
    system = columns.system_flags()[:count]
    if system != plan.protections.translate(_CLAIMS_SYSTEM):
        triples = zip(plan.turn_ids, system, plan.protections, strict=True)
        false_claims += [each for each, real, claim in triples if real != (claim == SYSTEM)]
    changed = plan.actions.translate(_IS_CHANGED)
    if any(compress(changed, columns.pinned)):
        false_claims += compress(plan.turn_ids, map(min, changed, columns.pinned))
    if false_claims:
        msg = (
            "the plan does not know the exchange, the role or the pin of these turns: "
            f"{name_some(dict.fromkeys(false_claims))}; plan this transcript again"
        )
        details = {
            "unknown": [],
            "unplanned": [],
            "reordered": [],
            "changed": some(dict.fromkeys(false_claims)),
        }
        raise PlanTranscriptMismatch(msg, details)


_CLAIMS_SYSTEM = bytes(code == SYSTEM for code in range(256))


def _require_no_late_results(plan: CompactionPlan, columns: Columns) -> None:
    """X3: what was appended answers no call that the plan removes."""
    count = len(plan.turn_ids)
    late = [
        (turn_id, plan.turn_ids[leader])
        for turn_id, leader in zip(columns.ids[count:], columns.exchanges[count:], strict=True)
        if leader < count and not IS_RETAINED[plan.actions[leader]]
    ]
    if late:
        named = ", ".join(f"{turn!r} of {call!r}" for turn, call in late[:10])
        msg = (
            f"{len(late)} appended turns belong to exchanges that the plan removes: {named}; "
            "plan this transcript again"
        )
        details = {
            "unknown": [],
            "unplanned": some(turn for turn, _ in late),
            "reordered": [],
            "changed": [],
            "calls": some(call for _, call in late),
        }
        raise PlanTranscriptMismatch(msg, details)
