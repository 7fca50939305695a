"""The rules over a plan's own columns, each a named function that yields its violations.

Every rule decides fast over whole columns; turns are named only when it fails.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain, compress
from operator import ge
from typing import TYPE_CHECKING, Any, Protocol

from turnfold._columns import FREE, IS_PROTECTED, PINNED, PREFIX_BYTES, SYSTEM, TAIL
from turnfold.budget import CompactionBudget
from turnfold.decision import (
    DROP,
    IS_RETAINED,
    KEEP,
    MASK,
    SUMMARIZE,
    SummarizationRequest,
    group_id_for,
)
from turnfold.errors import name_some

if TYPE_CHECKING:

    class PlanColumns(Protocol):
        """What the rules read of a plan."""

        @property
        def budget(self) -> CompactionBudget: ...
        @property
        def policy_name(self) -> str: ...
        @property
        def policy_version(self) -> str: ...
        @property
        def turn_ids(self) -> tuple[str, ...]: ...
        @property
        def digests(self) -> bytes: ...
        @property
        def token_estimates(self) -> tuple[int, ...]: ...
        @property
        def exchanges(self) -> tuple[int, ...]: ...
        @property
        def protections(self) -> bytes: ...
        @property
        def actions(self) -> bytes: ...
        @property
        def reasons(self) -> tuple[str, ...]: ...
        @property
        def replacements(self) -> tuple[str, ...]: ...
        @property
        def replacement_tokens(self) -> tuple[int, ...]: ...
        @property
        def summarization_requests(self) -> tuple[SummarizationRequest, ...]: ...
        @property
        def estimator_ratio(self) -> float | None: ...
        @property
        def tokens_before(self) -> int: ...
        @property
        def changes_nothing(self) -> bool: ...


_ACTION_CODES = frozenset((KEEP, MASK, SUMMARIZE, DROP))
_PROTECTION_CODES = frozenset((FREE, SYSTEM, PINNED, TAIL))


def violations(plan: "PlanColumns") -> list[str]:
    """Return all violations of a plan by itself; where the columns are no columns, only those."""
    shape = list(_columns_have_their_kinds(plan)) or list(_columns_fit_together(plan))
    if shape:
        return shape
    return [violation for rule in RULES for violation in rule(plan)]


def _columns_have_their_kinds(plan: "PlanColumns") -> Iterator[str]:
    """P6: every column is an immutable sequence of the kind that it is declared as."""
    kinds: tuple[tuple[str, type[Any], type[Any] | None], ...] = (
        ("budget", CompactionBudget, None),
        ("policy_name", str, None),
        ("policy_version", str, None),
        ("turn_ids", tuple, str),
        ("digests", bytes, None),
        ("token_estimates", tuple, int),
        ("exchanges", tuple, int),
        ("protections", bytes, None),
        ("actions", bytes, None),
        ("reasons", tuple, str),
        ("replacements", tuple, str),
        ("replacement_tokens", tuple, int),
        ("summarization_requests", tuple, SummarizationRequest),
    )
    for name, kind, member in kinds:
        column: tuple[object, ...] = getattr(plan, name)
        if type(column) is not kind:
            yield f"P6 {name} must be a {kind.__name__}, not a {type(column).__name__}"
        elif member is not None and (strangers := set(map(type, column)) - {member}):
            names = ", ".join(sorted(each.__name__ for each in strangers))
            yield f"P6 {name} must hold {member.__name__} values only; found {names}"
    for request in plan.summarization_requests if not _is_odd(plan) else ():
        if not _is_request(request):
            yield f"P4 a request holds strings, a tuple of ids and a target; got {request!r:.80}"
    ratio = plan.estimator_ratio
    if ratio is not None and not (type(ratio) is float and math.isfinite(ratio) and ratio > 0):
        yield f"P8 estimator_ratio must be a finite float above 0, or None; got {ratio!r}"
    for name in ("policy_name", "policy_version"):
        if not getattr(plan, name):
            yield f"P8 {name} must not be empty"


def _is_odd(plan: "PlanColumns") -> bool:
    requests: object = plan.summarization_requests
    return type(requests) is not tuple or set(map(type, requests)) - {SummarizationRequest} != set()


def _is_request(request: SummarizationRequest) -> bool:
    turn_ids: object = request.turn_ids
    return (
        type(request.group_id) is str
        and type(request.prompt_id) is str
        and type(request.target_tokens) is int
        and type(turn_ids) is tuple
        and set(map(type, turn_ids)) <= {str}
    )


def _columns_fit_together(plan: "PlanColumns") -> Iterator[str]:
    """P1, P6: one entry a turn in every column, ids unique, positions and codes in range."""
    count = len(plan.turn_ids)
    sizes = {
        "digests": len(plan.digests) / PREFIX_BYTES,
        "token_estimates": len(plan.token_estimates),
        "exchanges": len(plan.exchanges),
        "protections": len(plan.protections),
        "actions": len(plan.actions),
        "reasons": len(plan.reasons),
    }
    for name, size in sizes.items():
        if size != count:
            yield f"P1 {name} has entries for {size:g} turns; the plan has {count}"
    masked = plan.actions.count(MASK)
    for name in ("replacements", "replacement_tokens"):
        if len(getattr(plan, name)) != masked:
            yield f"P2 {name} has {len(getattr(plan, name))} entries; {masked} turns are masked"
    if len(set(plan.turn_ids)) != count or "" in plan.turn_ids:
        yield "P1 turn_ids must be unique and not empty"
    if not _ACTION_CODES.issuperset(plan.actions):
        yield "P2 actions must be K, M, S or D"
    if not _PROTECTION_CODES.issuperset(plan.protections):
        yield "P6 protections must be S, P, T or -"
    if min(plan.token_estimates, default=0) < 0 or min(plan.replacement_tokens, default=0) < 0:
        yield "P6 token figures must be at least 0"
    if len(plan.exchanges) == count and not _leaders_lead(plan.exchanges):
        yield "P6 exchanges must hold the position of the earliest turn of each exchange"


def _leaders_lead(exchanges: Sequence[int]) -> bool:
    """Whether each entry points at or before itself, at a position that points at itself."""
    if not exchanges:
        return True
    if min(exchanges) < 0 or not all(map(ge, range(len(exchanges)), exchanges)):
        return False
    return tuple(map(exchanges.__getitem__, exchanges)) == tuple(exchanges)


def reasons_are_given(plan: "PlanColumns") -> Iterator[str]:
    """P2: every decision has a reason."""
    if not all(plan.reasons):
        silent = compress(plan.turn_ids, map("".__eq__, plan.reasons))
        yield f"P2 decisions without a reason: {name_some(silent)}"


def untouchable_turns_are_kept(plan: "PlanColumns") -> Iterator[str]:
    """B2: SYSTEM turns, pinned turns and the protected tail are KEEP."""
    protected = plan.protections.translate(IS_PROTECTED)
    decided = bytes(compress(plan.actions, protected))
    if decided.count(KEEP) != len(decided):
        changed = [
            turn_id
            for turn_id, code in zip(compress(plan.turn_ids, protected), decided, strict=True)
            if code != KEEP
        ]
        yield f"B2 untouchable turns must be kept: {name_some(changed)}"


def tail_is_protected(plan: "PlanColumns") -> Iterator[str]:
    """B2: the last `protected_recent_turns` turns, and no others, are protected as the tail."""
    count = len(plan.protections)
    start = max(0, count - plan.budget.protected_recent_turns)
    if FREE in plan.protections[start:]:
        yield f"B2 the last {count - start} turns must be protected"
    if TAIL in plan.protections[:start]:
        yield f"B2 only the last {count - start} turns are the protected tail"


def untouchable_turns_fit(plan: "PlanColumns") -> Iterator[str]:
    """B4: no plan exists where the untouchable turns alone exceed the limit."""
    floor = sum(compress(plan.token_estimates, plan.protections.translate(IS_PROTECTED)))
    if floor > plan.budget.limit:
        yield (
            f"B4 the untouchable turns alone are {floor} tokens, over the limit of "
            f"{plan.budget.limit}"
        )


def fitting_transcripts_are_untouched(plan: "PlanColumns") -> Iterator[str]:
    """B5: what fits comes back untouched."""
    if plan.tokens_before <= plan.budget.limit and not plan.changes_nothing:
        yield (
            f"B5 the transcript fits ({plan.tokens_before} of {plan.budget.limit} tokens), so "
            "every turn must be kept"
        )


def exchanges_stay_whole(plan: "PlanColumns") -> Iterator[str]:
    """P3, B3: in one exchange all are retained, or all are removed into the same group."""
    fates = plan.actions.translate(_FATES)
    if bytes(map(fates.__getitem__, plan.exchanges)) != fates:
        split = [
            turn_id
            for turn_id, fate, leader in zip(plan.turn_ids, fates, plan.exchanges, strict=True)
            if fates[leader] != fate
        ]
        yield f"P3 exchanges are split; these differ from their earliest turn: {name_some(split)}"
        return
    if len(plan.summarization_requests) > 1:
        yield from _groups_hold_whole_exchanges(plan)


_FATES = bytes(KEEP if IS_RETAINED[code] else code for code in range(256))


def _groups_hold_whole_exchanges(plan: "PlanColumns") -> Iterator[str]:
    group_of = {
        turn_id: request.group_id
        for request in plan.summarization_requests
        for turn_id in request.turn_ids
    }
    leaders = map(plan.turn_ids.__getitem__, plan.exchanges)
    split = [
        turn_id
        for turn_id, leader in zip(plan.turn_ids, leaders, strict=True)
        if group_of.get(turn_id) != group_of.get(leader)
    ]
    if split:
        yield f"P3 exchanges are split between groups: {name_some(split)}"


def stand_ins_are_not_larger(plan: "PlanColumns") -> Iterator[str]:
    """M2: a masked turn has a text that is not blank and no larger than what it replaces."""
    masked = plan.actions.translate(_IS_MASKED)
    originals = compress(plan.token_estimates, masked)
    if all(map(str.strip, plan.replacements)) and all(map(ge, originals, plan.replacement_tokens)):
        return
    ids = compress(plan.turn_ids, masked)
    rows = zip(
        ids,
        compress(plan.token_estimates, masked),
        plan.replacements,
        plan.replacement_tokens,
        strict=True,
    )
    wrong = [turn_id for turn_id, size, text, tokens in rows if not text.strip() or tokens > size]
    yield f"M2 stand-ins must not be blank or larger than the original: {name_some(wrong)}"


_IS_MASKED = bytes(code == MASK for code in range(256))


def groups_agree_with_decisions(plan: "PlanColumns") -> Iterator[str]:
    """P4: requests and SUMMARIZE decisions name the same turns, once each, in order."""
    decided_ids = tuple(compress(plan.turn_ids, plan.actions.translate(_IS_SUMMARIZED)))
    named = [request.turn_ids for request in plan.summarization_requests]
    if all(named) and tuple(chain.from_iterable(named)) == decided_ids:
        return
    order = {turn_id: position for position, turn_id in enumerate(plan.turn_ids)}
    requested: list[int] = []
    heads = []
    for request in plan.summarization_requests:
        unknown = [turn_id for turn_id in request.turn_ids if turn_id not in order]
        if unknown or not request.turn_ids:
            yield f"P4 {request.group_id} names no turns of the plan: {name_some(unknown)}"
            return
        positions = [order[turn_id] for turn_id in request.turn_ids]
        if positions != sorted(positions):
            yield f"P4 {request.group_id} must name its turns in transcript order"
        requested.extend(positions)
        heads.append(min(positions))
    if heads != sorted(heads):
        yield "P4 requests must be ordered by their earliest turn"
    decided = list(compress(range(len(plan.actions)), plan.actions.translate(_IS_SUMMARIZED)))
    if sorted(requested) != decided:
        odd = set(requested).symmetric_difference(decided) or {
            each for each in requested if requested.count(each) > 1
        }
        names = name_some(plan.turn_ids[position] for position in sorted(odd))
        yield f"P4 requests and SUMMARIZE decisions must name the same turns, once: {names}"


_IS_SUMMARIZED = bytes(code == SUMMARIZE for code in range(256))


def requests_are_sound(plan: "PlanColumns") -> Iterator[str]:
    """P4, S1: derived ids that are free, a prompt, and a summary smaller than its span."""
    if not plan.summarization_requests:
        return
    taken = {each.summary_turn_id for each in plan.summarization_requests}.intersection(
        plan.turn_ids
    )
    summarized = plan.actions.translate(_IS_SUMMARIZED)
    sizes = dict(
        zip(
            compress(plan.turn_ids, summarized),
            compress(plan.token_estimates, summarized),
            strict=True,
        )
    )
    for request in plan.summarization_requests:
        name = request.group_id
        if name != group_id_for(request.turn_ids):
            yield f"P4 {name} must be derived from its turns: {group_id_for(request.turn_ids)}"
        if request.summary_turn_id in taken:
            yield f"P4 the id {request.summary_turn_id!r} is taken by a turn"
        if not (isinstance(request.prompt_id, str) and request.prompt_id.strip()):
            yield f"P4 {name} needs a prompt_id"
        target, size = request.target_tokens, sum(sizes.get(each, 0) for each in request.turn_ids)
        if type(target) is not int or not 1 <= target < size:
            yield f"S1 {name} has a target of {target!r} tokens; its turns have {size}"


def ratio_has_a_figure(plan: "PlanColumns") -> Iterator[str]:
    """P8: the built-in ratio is named only where it sized a stand-in of this plan."""
    if plan.estimator_ratio is not None and not plan.replacements:
        yield "P8 estimator_ratio is given, and no figure of the plan came from it"


RULES = (
    reasons_are_given,
    tail_is_protected,
    untouchable_turns_are_kept,
    untouchable_turns_fit,
    fitting_transcripts_are_untouched,
    exchanges_stay_whole,
    stand_ins_are_not_larger,
    groups_agree_with_decisions,
    requests_are_sound,
    ratio_has_a_figure,
)
