"""What is timed. A contender gets a workload ready, untimed, and returns what is to be timed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from tests.benchmarks.speed.hand_loop import drop_oldest
from tests.benchmarks.speed.workload import PROTECTED, Workload
from turnfold import (
    CompactedView,
    CompactionExecutor,
    CompactionPlan,
    CompactionPolicy,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    SummarizingPolicy,
    Transcript,
    default_chain,
)

Timed = Callable[[], object]
PROMPT: Final = "benchmark.summary/1"
SUMMARY: Final = "The build failed on one test; it was fixed, and the suite passes by now."
POLICIES: Final[Mapping[str, CompactionPolicy]] = {
    "drop": DropOldestPolicy(),
    "mask": ObservationMaskingPolicy(),
    "summarise": SummarizingPolicy(PROMPT),
    "chain": default_chain(prompt_id=PROMPT),
}
_EXECUTOR: Final = CompactionExecutor()


@dataclass(frozen=True)
class Contender:
    """Something that compacts a workload.

    Args:
        project: Whose it is.
        name: The policy and how far it goes.
        ready: Prepares a workload, and returns what is to be timed.
        bar: The most times that it may take of the hand loop's time; None where it is others'.
        once: Whether what is ready is used up by running it.
    """

    project: str
    name: str
    ready: Callable[[Workload], Timed]
    bar: float | None = None
    once: bool = False


def hand_loop(workload: Workload) -> Timed:
    messages, max_tokens = workload.messages, workload.max_tokens
    return lambda: drop_oldest(messages, max_tokens, PROTECTED)


def plan_and_apply(
    policy: CompactionPolicy, transcript: Transcript, workload: Workload
) -> tuple[CompactionPlan, CompactedView]:
    plan = policy.decide(transcript, workload.budget)
    summaries = {request.group_id: SUMMARY for request in plan.summarization_requests}
    return plan, _EXECUTOR.apply(transcript, plan, summaries)


def of_turnfold() -> Iterator[Contender]:
    """Yield every policy: columns in the timing, then cached, then applied, then hashed too."""
    for name, policy in POLICIES.items():
        is_chain = name == "chain"

        def plan(workload: Workload, policy: CompactionPolicy = policy) -> Timed:
            turns, budget = workload.hashed_turns, workload.budget
            return lambda: policy.decide(Transcript(turns), budget)

        def again(workload: Workload, policy: CompactionPolicy = policy) -> Timed:
            transcript, budget = Transcript(workload.hashed_turns), workload.budget
            policy.decide(transcript, budget)
            return lambda: policy.decide(transcript, budget)

        def apply(workload: Workload, policy: CompactionPolicy = policy) -> Timed:
            turns = workload.hashed_turns
            return lambda: plan_and_apply(policy, Transcript(turns), workload)

        def hashed(workload: Workload, policy: CompactionPolicy = policy) -> Timed:
            turns = workload.turns()
            return lambda: plan_and_apply(policy, Transcript(turns), workload)

        yield Contender("turnfold", f"{name}: plan", plan, 6 if is_chain else 4)
        yield Contender("turnfold", f"{name}: plan again", again, 6 if is_chain else 4)
        yield Contender("turnfold", f"{name}: plan, apply", apply, 9 if is_chain else 8)
        yield Contender("turnfold", f"{name}: hash, plan, apply", hashed, 13, once=True)


def of_cutctx() -> Iterator[Contender]:
    """Yield the same four policies of `cutctx`; turns are built beforehand as well."""
    if find_spec("cutctx") is None:
        return
    cutctx = import_module("cutctx")
    executor = cutctx.CompactionExecutor()
    policies = {
        "drop": cutctx.DropOldestPolicy(),
        "mask": cutctx.ObservationMaskingPolicy(),
        "summarise": cutctx.SummarizingPolicy(PROMPT),
        "chain": cutctx.default_chain(prompt_id=PROMPT),
    }

    def ready(workload: Workload, policy: Any, *, applied: bool) -> Timed:  # noqa: ANN401
        turns = workload.once("cutctx", cutctx_turns)
        budget = cutctx.CompactionBudget(workload.max_tokens, PROTECTED)

        def run() -> object:
            transcript = cutctx.Transcript(turns)
            plan = policy.decide(transcript, budget)
            if not applied:
                return plan
            summaries = {request.group_id: SUMMARY for request in plan.summarization_requests}
            return executor.apply(transcript, plan, summaries)

        return run

    for name, policy in policies.items():
        for applied, extent in ((False, "plan"), (True, "plan, apply")):
            yield Contender(
                "cutctx",
                f"{name}: {extent}",
                lambda workload, policy=policy, applied=applied: ready(  # type: ignore[misc]
                    workload, policy, applied=applied
                ),
            )


def cutctx_turns(workload: Workload) -> tuple[Any, ...]:
    """Return the workload as turns of `cutctx`."""
    cutctx = import_module("cutctx")
    return tuple(
        cutctx.TranscriptTurn(
            turn.turn_id,
            cutctx.Role(turn.role.value),
            turn.content,
            turn.token_estimate,
            tool_call_id=turn.tool_call_id,
            pinned=turn.pinned,
            metadata=dict(turn.metadata),
        )
        for turn in workload.hashed_turns
    )


def of_langchain() -> Iterator[Contender]:
    """Yield `trim_messages` with both counters, as its documentation shows it."""
    if find_spec("langchain_core") is None:
        return
    library = import_module("langchain_core.messages")
    counters = {
        "len // 4": _quarter_of_length,
        "approximately": library.utils.count_tokens_approximately,
    }
    for name, counter in counters.items():

        def ready(workload: Workload, counter: Any = counter) -> Timed:  # noqa: ANN401
            messages = workload.once("langchain", langchain_messages)
            max_tokens = workload.max_tokens
            return lambda: library.trim_messages(
                messages, max_tokens=max_tokens, token_counter=counter, include_system=True
            )

        yield Contender("langchain", f"trim_messages: {name}", ready)


def _quarter_of_length(messages: Sequence[Any]) -> int:
    return sum([len(message.content) // 4 for message in messages])


def langchain_messages(workload: Workload) -> list[Any]:
    """Return the workload as messages of LangChain."""
    library = import_module("langchain_core.messages")
    made = []
    for each in workload.messages:
        common = {"content": each["content"], "id": each["id"]}
        if each["role"] == "tool":
            call_id, name = each["tool_call_id"], each["name"]
            made.append(library.ToolMessage(tool_call_id=call_id, name=name, **common))
        elif each["role"] == "assistant":
            made.append(library.AIMessage(tool_calls=list(each["tool_calls"]), **common))
        else:
            kind = library.SystemMessage if each["role"] == "system" else library.HumanMessage
            made.append(kind(**common))
    return made
