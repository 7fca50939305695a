"""The rules over a plan's own columns, each a named function that yields its violations.

Every rule decides fast over whole columns; turns are named only when it fails.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import compress, islice
from operator import ge
from typing import TYPE_CHECKING

from turnfold._columns import FREE, IS_PROTECTED, TAIL, Columns, untouchable_tokens
from turnfold._plan_shape import (
    are_shared,
    columns_fit_together,
    columns_have_their_kinds,
    groups_stand_in_order,
)
from turnfold.decision import (
    IS_RETAINED,
    KEEP,
    MASK,
    SUMMARIZE,
)
from turnfold.errors import name_some

if TYPE_CHECKING:
    from turnfold._plan_shape import PlanColumns


def violations(plan: "PlanColumns", columns: Columns | None = None) -> list[str]:
    """Return all violations of a plan by itself; where the columns are no columns, only those.

    Args:
        plan: The plan.
        columns: Those of the transcript, if known: what the plan shares with it is not proven anew.
    """
    shared = are_shared(plan, columns)
    shape = list(columns_have_their_kinds(plan, shared=shared))
    shape = shape or list(columns_fit_together(plan, shared=shared))
    if shape:
        return shape
    return [violation for rule in RULES for violation in rule(plan)]


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
    floor = untouchable_tokens(plan.token_estimates, plan.protections)
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
    """M2, H3: a masked turn has a text that is not blank and no larger than what it replaces."""
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
    if groups_stand_in_order(plan):
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
        counts = Counter(requested)
        odd = set(requested).symmetric_difference(decided) or {
            each for each, count in counts.items() if count > 1
        }
        names = name_some(plan.turn_ids[position] for position in sorted(odd))
        yield f"P4 requests and SUMMARIZE decisions must name the same turns, once: {names}"


_IS_SUMMARIZED = bytes(code == SUMMARIZE for code in range(256))


def requests_are_sound(plan: "PlanColumns") -> Iterator[str]:
    """P4, S1: derived ids that are free, a prompt, and a summary smaller than its span."""
    if not plan.summarization_requests:
        return
    taken = {each.summary_turn_id for each in plan.summarization_requests}
    taken.intersection_update(plan.turn_ids)
    for request, size in zip(plan.summarization_requests, _span_sizes(plan), strict=True):
        name = request.group_id
        if name != request.derived_id():
            yield f"P4 {name} must be derived from its turns: {request.derived_id()}"
        if request.summary_turn_id in taken:
            yield f"P4 the id {request.summary_turn_id!r} is taken by a turn"
        if not (isinstance(request.prompt_id, str) and request.prompt_id.strip()):
            yield f"P4 {name} needs a prompt_id"
        target = request.target_tokens
        if type(target) is not int or not 1 <= target < size:
            yield f"S1 {name} has a target of {target!r} tokens; its turns have {size}"


def _span_sizes(plan: "PlanColumns") -> list[int]:
    """Return the original size of what each request replaces, in tokens."""
    summarized = plan.actions.translate(_IS_SUMMARIZED)
    named = [request.turn_ids for request in plan.summarization_requests]
    sizes = compress(plan.token_estimates, summarized)
    if groups_stand_in_order(plan):
        return [sum(islice(sizes, len(each))) for each in named]
    known = dict(zip(compress(plan.turn_ids, summarized), sizes, strict=True))
    return [sum(known.get(turn_id, 0) for turn_id in each) for each in named]


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
