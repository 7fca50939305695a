"""Whether the columns of a plan are columns at all: kinds, lengths, codes, positions.

Only where they are do the rules over their values mean anything.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import chain, compress
from operator import eq, ge
from typing import TYPE_CHECKING, Any, Final, Protocol

from turnfold._columns import FREE, PINNED, PREFIX_BYTES, SYSTEM, TAIL, Columns
from turnfold.budget import CompactionBudget
from turnfold.decision import DROP, KEEP, MASK, SUMMARIZE, SummarizationRequest

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


_ACTION_CODES: Final = bytes((KEEP, MASK, SUMMARIZE, DROP))
_PROTECTION_CODES: Final = bytes((FREE, SYSTEM, PINNED, TAIL))


PROVEN: Final = frozenset(("turn_ids", "token_estimates", "exchanges"))
"""What a plan shares with its transcript, which has checked it already."""


def are_shared(plan: "PlanColumns", columns: Columns | None) -> bool:
    """Whether the plan's `PROVEN` columns are the very objects of a transcript's columns."""
    return columns is not None and (
        plan.turn_ids is columns.ids
        and plan.token_estimates is columns.tokens
        and plan.exchanges is columns.exchanges
    )


def columns_have_their_kinds(plan: "PlanColumns", *, shared: bool) -> Iterator[str]:
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
        if shared and name in PROVEN:
            continue
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


def columns_fit_together(plan: "PlanColumns", *, shared: bool) -> Iterator[str]:
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
    if plan.actions.translate(None, _ACTION_CODES):
        yield "P2 actions must be K, M, S or D"
    if plan.protections.translate(None, _PROTECTION_CODES):
        yield "P6 protections must be S, P, T or -"
    if min(plan.replacement_tokens, default=0) < 0:
        yield "P6 token figures must be at least 0"
    if not shared:
        yield from _proven_columns_hold(plan)


def _proven_columns_hold(plan: "PlanColumns") -> Iterator[str]:
    count = len(plan.turn_ids)
    if len(set(plan.turn_ids)) != count or "" in plan.turn_ids:
        yield "P1 turn_ids must be unique and not empty"
    if min(plan.token_estimates, default=0) < 0:
        yield "P6 token estimates must be at least 0"
    if len(plan.exchanges) == count and not _leaders_lead(plan.exchanges):
        yield "P6 exchanges must hold the position of the earliest turn of each exchange"


def groups_stand_in_order(plan: "PlanColumns") -> bool:
    """Whether the requests, read one after another, name just the summarised turns in order."""
    flags = plan.actions.translate(_IS_SUMMARIZED)
    named = [request.turn_ids for request in plan.summarization_requests]
    if not all(named) or sum(map(len, named)) != flags.count(1):
        return False
    return all(map(eq, chain.from_iterable(named), compress(plan.turn_ids, flags)))


_IS_SUMMARIZED = bytes(code == SUMMARIZE for code in range(256))


def _leaders_lead(exchanges: Sequence[int]) -> bool:
    """Whether each entry points at or before itself, at a position that points at itself."""
    if not exchanges:
        return True
    if min(exchanges) < 0 or not all(map(ge, range(len(exchanges)), exchanges)):
        return False
    return tuple(map(exchanges.__getitem__, exchanges)) == tuple(exchanges)
