"""Histories of the two JSON formats, valid by construction, and a way to compact them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from turnfold import (
    BudgetUnsatisfiable,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    CompactionPolicy,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    SummarizingPolicy,
    default_chain,
)
from turnfold.formats import Pins, Session

FIXTURES = Path(__file__).resolve().parent / "fixtures"
NO_PINS = Pins(first_user=False, last_user=False, newest_exchange=False, pending_calls=False)
SUMMARY = "What happened before."

Message = dict[str, Any]
Json = Any
"""What is compared has any shape."""


def eighth(text: str) -> int:
    """A small estimate, so that every budget can be tried."""
    return len(text) // 8


POLICIES: dict[str, CompactionPolicy] = {
    "masking": ObservationMaskingPolicy(0, "[gone]", estimator=eighth),
    "masking_inputs": ObservationMaskingPolicy(0, "[gone]", mask_inputs=True, estimator=eighth),
    "summarizing": SummarizingPolicy("any/1", min_span_turns=1),
    "summarizing_until_it_fits": SummarizingPolicy(
        "any/1", min_span_turns=2, extent="until_it_fits"
    ),
    "drop_oldest": DropOldestPolicy(),
    "default_chain": default_chain(keep_recent_results=1, min_span_turns=2, estimator=eighth),
}


def compact(
    session: Session, policy: CompactionPolicy, tokens: int, recent: int = 1
) -> CompactedView | None:
    """Return the view of a session, or None where the budget cannot be met."""
    try:
        plan = policy.decide(session.transcript, CompactionBudget(tokens, recent))
    except BudgetUnsatisfiable:
        return None
    summaries = {each.group_id: SUMMARY for each in plan.summarization_requests}
    executor = CompactionExecutor()
    return executor.apply(session.transcript, plan, summaries, ledger=session.ledger)


def sweep(session: Session, policy: CompactionPolicy) -> Iterator[CompactedView]:
    """Yield the view of every protected tail and every budget that can be met."""
    for recent in range(len(session.transcript) + 1):
        for tokens in range(1, session.transcript.token_estimate() + 1):
            view = compact(session, policy, tokens, recent)
            if view is not None:
                yield view


LONG_INPUT = 'print("é \\ x")\n[call run] {}\n' * 20
"""A script as an input: quotes, lines, and what looks like a call."""


LONG_PATCH = "\n+ a line of é" * 40
"""An input that is no JSON."""


def with_long_inputs(source: Json) -> Json:
    """Return a source in which every call writes a file, whatever its format spells it like."""
    if isinstance(source, bytes) and not source.startswith(b"{"):
        return source
    if isinstance(source, bytes):
        lines = [json.loads(line) for line in source.splitlines()]
        return b"".join(json.dumps(with_long_inputs(each)).encode() + b"\n" for each in lines)
    if isinstance(source, list):
        return [with_long_inputs(each) for each in source]
    if not isinstance(source, dict):
        return source
    return {
        key: _writing(each) if key in ("arguments", "args", "input") else with_long_inputs(each)
        for key, each in source.items()
    }


def _writing(arguments: Json) -> Json:
    if isinstance(arguments, str) and arguments.startswith("{"):
        return json.dumps(_writing(json.loads(arguments)))
    if isinstance(arguments, str) and arguments:
        return arguments + LONG_PATCH
    if isinstance(arguments, dict):
        return {**arguments, "written": [{"path": "a/b.py", "text": LONG_INPUT}]}
    return with_long_inputs(arguments)


def has_conversation(view: CompactedView) -> bool:
    """Whether there is a turn that a provider would take as a message."""
    return any(turn.role != "system" for turn in view.transcript)


def reuses_open_ids(session: Session) -> bool:
    """Whether an id that some call still waits on is used again by another message.

    Then no one can tell whose result came, and which turns are one exchange depends on those
    before them: what remains of such a history is valid, and need not pair as it did.
    """
    made = [
        (turn, set(json.loads(turn.metadata["turnfold.call_ids"])))
        for turn in session.transcript
        if turn.role == "assistant" and "turnfold.call_ids" in turn.metadata
    ]
    return any(
        turn.metadata.get("turnfold.status") in ("dead", "pending")
        and any(call_ids & others for other, others in made if other is not turn)
        for turn, call_ids in made
    )


def fixture_files(name: str) -> list[Path]:
    return sorted((FIXTURES / name).glob("*.json"))


def load(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


texts = st.sampled_from(["go on", "continue", "continue", "ok", "look at the log 🟥", "x" * 300])
outputs = st.sampled_from(["", "ok", "continue", "y" * 90, "z" * 400, '{"a": 1}'])
ids = st.sampled_from(["call_0", "call_1", "call_2"])

Step = tuple[str, Any]
"""What happens: a text of someone, or a batch of calls with their outputs."""

steps = st.one_of(
    st.tuples(st.just("user"), texts),
    st.tuples(st.just("assistant"), texts),
    st.tuples(st.just("system"), texts),
    st.tuples(
        st.just("batch"),
        st.tuples(
            st.sampled_from(["", "I look."]),
            st.dictionaries(ids, st.none() | outputs, min_size=1, max_size=3),
            st.none() | texts,
        ),
    ),
)


@st.composite
def histories(draw: st.DrawFn, build: Callable[[list[Step]], list[Message]]) -> list[Message]:
    """Build a history: parallel calls, reused ids, empty and missing results, user texts."""
    return build([("user", draw(texts)), *draw(st.lists(steps, min_size=1, max_size=9))])


@st.composite
def cuts(draw: st.DrawFn) -> tuple[int, int, Pins]:
    """A share of the tokens in percent, a protected tail, and the pins."""
    pins = draw(st.sampled_from([Pins(), NO_PINS]))
    return draw(st.integers(1, 99)), draw(st.integers(0, 4)), pins
