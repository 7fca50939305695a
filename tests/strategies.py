"""What the tests add to `turnfold.testing.strategies`: cases that can be planned, and policies."""

import pickle
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

from tests.oracles import floor_by_cause, size
from turnfold import (
    CompactionBudget,
    CompactionPlan,
    CompactionPolicy,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    PolicyChain,
    Role,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
    default_chain,
)
from turnfold.policies import digest_chain
from turnfold.testing.strategies import transcripts

STUB_TOKENS = 5


def five(_text: str) -> int:
    """Size every text alike, so that an oracle need not know how a stub is worded."""
    return STUB_TOKENS


OURS: Mapping[str, Callable[[], CompactionPolicy]] = {
    "masking": lambda: ObservationMaskingPolicy(1),
    "masking_largest": lambda: ObservationMaskingPolicy(0, order="largest", estimator=five),
    "masking_protecting": lambda: ObservationMaskingPolicy(
        0, protect_tools=("read_file",), estimator=five
    ),
    "masking_inputs": lambda: ObservationMaskingPolicy(0, mask_inputs=True, estimator=five),
    "summarizing": lambda: SummarizingPolicy("p", min_span_turns=2),
    "summarizing_until_it_fits": lambda: SummarizingPolicy(
        "p", 0.5, min_span_turns=1, extent="until_it_fits"
    ),
    "drop_oldest": DropOldestPolicy,
    "default_chain": lambda: default_chain(min_span_turns=2),
    "digest_chain": lambda: digest_chain(min_span_turns=2),
    "odd_chain": lambda: PolicyChain(
        [SummarizingPolicy("p", min_span_turns=2), ObservationMaskingPolicy(0, estimator=five)]
    ),
    "nested_chain": lambda: PolicyChain(
        [PolicyChain([ObservationMaskingPolicy(0, estimator=five)]), DropOldestPolicy()]
    ),
}


def policies() -> st.SearchStrategy[CompactionPolicy]:
    """Return turnfold's own policies in several settings."""
    return st.sampled_from(sorted(OURS)).map(lambda name: OURS[name]())


@st.composite
def satisfiable_budgets(draw: st.DrawFn, transcript: Transcript) -> CompactionBudget:
    """Return budgets whose limit is at least the floor of the transcript."""
    recent = draw(st.integers(0, 4))
    floor = sum(floor_by_cause(transcript.turns, CompactionBudget(0, recent)).values())
    limit = draw(st.integers(floor, max(floor, size(transcript.turns))))
    reserve = draw(st.sampled_from((0, 7)))
    goal = draw(st.one_of(st.none(), st.integers(0, limit)))
    target = None if goal is None else goal + reserve
    return CompactionBudget(limit + reserve, recent, target_tokens=target, reserved_tokens=reserve)


@st.composite
def satisfiable_cases(
    draw: st.DrawFn, *, max_turns: int = 12
) -> tuple[Transcript, CompactionBudget]:
    """Return a transcript with a budget that it can be planned for."""
    transcript = draw(transcripts(max_turns=max_turns))
    return transcript, draw(satisfiable_budgets(transcript))


@st.composite
def planned(draw: st.DrawFn) -> tuple[Transcript, CompactionPlan]:
    """Return a transcript and a plan that one of our policies made for it."""
    transcript, budget = draw(satisfiable_cases())
    return transcript, draw(policies()).decide(transcript, budget)


def summaries_for(plan: CompactionPlan) -> dict[str, str]:
    """Write a short text for every group of a plan."""
    return {
        each.group_id: f"summary of {len(each.turn_ids)}" for each in plan.summarization_requests
    }


def unpickle(data: bytes) -> Any:  # noqa: ANN401  Whatever was pickled.
    """Read bytes that the test itself has made."""
    return pickle.loads(data)  # noqa: S301


def turn(  # noqa: PLR0917  Short calls keep the examples readable.
    turn_id: str,
    role: Role | str = "user",
    tokens: int = 10,
    call: str | None = None,
    content: str | None = None,
    *,
    pinned: bool = False,
) -> TranscriptTurn:
    """Make a turn whose content is its id, where nothing else matters."""
    text = turn_id if content is None else content
    return TranscriptTurn(turn_id, role, text, tokens, tool_call_id=call, pinned=pinned)


def session(*, rounds: int = 3, tokens: int = 100) -> Transcript:
    """Make a small session: system, task, and rounds of one call with one result."""
    turns = [turn("sys", "system", 10), turn("task", "user", 10)]
    for number in range(rounds):
        call = f"x{number}"
        turns.append(turn(f"call{number}", "assistant", 5, call))
        turns.append(turn(f"result{number}", "tool", tokens, call, f"output {number} " * 40))
    return Transcript((*turns, turn("last", "user", 10)))
