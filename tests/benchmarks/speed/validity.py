"""Whether what comes back can be sent to a model: checked over many seeds, by message id."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import compress
from typing import Any, Final

from tests.benchmarks.speed.contenders import (
    POLICIES,
    PROMPT,
    SUMMARY,
    cutctx_turns,
    langchain_messages,
    plan_and_apply,
)
from tests.benchmarks.speed.workload import PROTECTED, Shape, Workload
from turnfold import CompactionPlan, CompactionPolicy, Transcript

SEEDS: Final = 60
_TURNS: Final = 200
CHECKS: Final = (
    "orphans",
    "over and silent",
    "tail lost",
    "task lost",
    "no user first",
    "over-compacted",
)


@dataclass(frozen=True)
class Returned:
    """What came back: role, content and size by id, in order; whether it says that it is over."""

    messages: Mapping[str, tuple[str, str, int]]
    says_unmet: bool = False
    plan: CompactionPlan | None = None


Compact = Callable[[Workload], Returned]


@dataclass(frozen=True)
class Verdict:
    """How many of the seeds failed a check, and how much of the budget was used on average."""

    failures: Counter[str]
    budget_used: float


def everybody() -> Iterator[tuple[str, Compact]]:
    """Yield who is judged and how it compacts a workload."""
    for name, policy in POLICIES.items():
        yield f"turnfold {name}", lambda workload, policy=policy: _turnfold(policy, workload)  # type: ignore[misc]
    if find_spec("cutctx") is not None:
        cutctx = import_module("cutctx")
        for name, policy in (
            ("drop", cutctx.DropOldestPolicy()),
            ("chain", cutctx.default_chain(prompt_id=PROMPT)),
        ):
            yield f"cutctx {name}", lambda workload, policy=policy: _cutctx(policy, workload)  # type: ignore[misc]
    if find_spec("langchain_core") is not None:
        yield "trim_messages", lambda workload: _langchain(workload, None)
        yield "trim_messages, start_on human", lambda workload: _langchain(workload, "human")


@cache
def _workload(shape: Shape, seed: int) -> Workload:
    return Workload.of(_TURNS, shape, seed)


def judge(compact: Compact, shape: Shape) -> Verdict:
    failures: Counter[str] = Counter()
    used = 0.0
    for seed in range(SEEDS):
        workload = _workload(shape, seed)
        returned = compact(workload)
        failures.update(_faults(workload, returned))
        used += sum(tokens for _, _, tokens in returned.messages.values()) / workload.max_tokens
    return Verdict(failures, used / SEEDS)


def _faults(workload: Workload, returned: Returned) -> Iterator[str]:
    messages = returned.messages
    calls = {
        call["id"]
        for each in workload.messages
        if each["id"] in messages
        for call in each["tool_calls"]
    }
    results = {
        each["tool_call_id"]
        for each in workload.messages
        if each["id"] in messages and each["tool_call_id"] is not None
    }
    if calls != results:
        yield "orphans"
    tokens = sum(size for _, _, size in messages.values())
    if tokens > workload.max_tokens and not returned.says_unmet:
        yield "over and silent"
    verbatim = {each["id"]: each["content"] for each in workload.messages}
    kept = {name for name, (_, content, _) in messages.items() if verbatim.get(name) == content}
    if not kept.issuperset(each["id"] for each in workload.messages[-PROTECTED:]):
        yield "tail lost"
    if workload.task not in kept:
        yield "task lost"
    if next((role for role, _, _ in messages.values() if role != "system"), "") != "user":
        yield "no user first"
    if returned.plan is not None and _is_over_compacted(returned.plan):
        yield "over-compacted"


def _is_over_compacted(plan: CompactionPlan) -> bool:
    """Whether the last removed exchange, or the last masked result, could have stayed (H2)."""
    if plan.changes_nothing or plan.budget_unmet:
        return False
    slack = plan.budget.goal - plan.tokens_after_estimate
    places = range(len(plan.actions))
    removed = Counter[int]()
    for place, leader, action in zip(places, plan.exchanges, plan.actions, strict=True):
        if action in b"SD":
            removed[leader] += plan.token_estimates[place]
    masked = list(compress(places, [action in b"M" for action in plan.actions]))
    could_return = []
    if removed:
        could_return.append(removed[max(removed)])
    if masked:
        could_return.append(plan.token_estimates[masked[-1]] - plan.replacement_tokens[-1])
    return any(tokens <= slack for tokens in could_return)


def _turnfold(policy: CompactionPolicy, workload: Workload) -> Returned:
    plan, view = plan_and_apply(policy, Transcript(workload.turns()), workload)
    messages = {
        turn.turn_id: (turn.role.value, turn.content, turn.token_estimate)
        for turn in view.transcript
    }
    is_chain = policy is POLICIES["chain"]
    return Returned(messages, view.report.budget_unmet, plan if is_chain else None)


def _cutctx(policy: Any, workload: Workload) -> Returned:  # noqa: ANN401
    cutctx = import_module("cutctx")
    transcript = cutctx.Transcript(workload.once("cutctx", cutctx_turns))
    plan = policy.decide(transcript, cutctx.CompactionBudget(workload.max_tokens, PROTECTED))
    summaries = {request.group_id: SUMMARY for request in plan.summarization_requests}
    view = cutctx.CompactionExecutor().apply(transcript, plan, summaries)
    messages = {
        turn.turn_id: (turn.role.value, turn.content, turn.token_estimate)
        for turn in view.transcript.turns
    }
    return Returned(messages, view.report.budget_unmet)


def _langchain(workload: Workload, start_on: str | None) -> Returned:
    library = import_module("langchain_core.messages")
    sizes = {each["id"]: each["tokens"] for each in workload.messages}
    trimmed = library.trim_messages(
        langchain_messages(workload),
        max_tokens=workload.max_tokens,
        token_counter=lambda messages: sum(sizes[each.id] for each in messages),
        include_system=True,
        start_on=start_on,
    )
    roles = {"human": "user", "ai": "assistant"}
    return Returned(
        {
            each.id: (roles.get(each.type, each.type), each.content, sizes[each.id])
            for each in trimmed
        }
    )
