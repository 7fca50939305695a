"""The golden cases, and `python -m tests.goldens.write` to write their files anew."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from turnfold import (
    CompactionBudget,
    CompactionExecutor,
    CompactionPolicy,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
    default_chain,
)
from turnfold._canonical import canonical_json

FOLDER = Path(__file__).parent

POLICIES: Mapping[str, Callable[[], CompactionPolicy]] = {
    "drop_oldest": DropOldestPolicy,
    "observation_masking": ObservationMaskingPolicy,
    "observation_masking_largest": lambda: ObservationMaskingPolicy(1, order="largest"),
    "summarizing": lambda: SummarizingPolicy("brief"),
    "summarizing_until_it_fits": lambda: SummarizingPolicy("brief", extent="until_it_fits"),
    "default_chain": default_chain,
}


def agent() -> Transcript:
    """A task, ten rounds of one call and one result of growing size, and a question."""
    turns = [
        TranscriptTurn("sys", "system", "You fix bugs.", 4),
        TranscriptTurn("task", "user", "Fix the parser.", 4, pinned=True),
    ]
    for number in range(10):
        output = f"line {number}: \u00e9\ud800\n" * (number + 1) * 10
        turns += [
            TranscriptTurn(f"call{number}", "assistant", "read", 6, tool_call_id=f"call{number}"),
            TranscriptTurn(
                f"result{number}",
                "tool",
                output,
                40 * (number + 1),
                tool_call_id=f"call{number}",
                metadata={"turnfold.tool_name": "read_file"},
            ),
        ]
    return Transcript((*turns, TranscriptTurn("now", "user", "Is it done?", 4)))


def tangle() -> Transcript:
    """Exchanges that interleave, a batch of parallel calls, an orphan, and ids of any script."""
    rows = [
        ("\u00fc", "user", "hello", 30, None),
        ("call a", "assistant", "", 20, "a"),
        ("call b", "assistant", "", 20, "b"),
        ("result a1", "tool", "one", 120, "a"),
        ("middle", "system", "note", 10, None),
        ("result b", "tool", "two", 90, "b"),
        ("result a2", "tool", "", 60, "a"),
        ("orphan", "tool", "whose?", 70, "orphan"),
        ("\u65e5\u672c", "user", "\u8cea\u554f", 40, None),
        ("text 1", "assistant", "answer", 50, None),
        ("text 2", "assistant", "more", 50, None),
        ("question", "user", "why", 30, None),
        ("text 3", "assistant", "because", 50, None),
        ("end", "user", "go on", 10, None),
    ]
    return Transcript(
        tuple(
            TranscriptTurn(turn_id, role, content, tokens, tool_call_id=call)
            for turn_id, role, content, tokens, call in rows
        )
    )


FIXTURES: Mapping[str, Callable[[], Transcript]] = {"agent": agent, "tangle": tangle}

BUDGETS: Mapping[str, Mapping[str, CompactionBudget]] = {
    "agent": {
        "2000": CompactionBudget(2000),
        "1500": CompactionBudget(1500, 3, target_tokens=1300, reserved_tokens=100),
        "900": CompactionBudget(900, 2),
    },
    "tangle": {"500": CompactionBudget(500, 2), "200": CompactionBudget(200, 1)},
}


@dataclass(frozen=True, slots=True)
class Golden:
    """A file, and what turnfold gives for it now."""

    path: Path
    text: str


def goldens() -> Iterator[Golden]:
    """Yield every plan and its view, named policy-version-fixture-budget."""
    for policy_name, make in POLICIES.items():
        for fixture, build in FIXTURES.items():
            for size, budget in BUDGETS[fixture].items():
                policy = make()
                transcript = build()
                plan = policy.decide(transcript, budget)
                name = f"{policy_name}-{policy.version}-{fixture}-{size}"
                yield Golden(FOLDER / f"{name}.plan.json", f"{plan.canonical_json()}\n")
                summaries = {
                    request.group_id: f"A summary of {len(request.turn_ids)} turns."
                    for request in plan.summarization_requests
                }
                view = CompactionExecutor().apply(transcript, plan, summaries)
                shown = {
                    "ledger": view.ledger.digest(),
                    "report": view.report.to_dict(),
                    "view": view.transcript.digest(),
                }
                yield Golden(FOLDER / f"{name}.view.json", f"{canonical_json(shown)}\n")


def main() -> int:
    """Write all files anew, and remove those of no case."""
    current = {golden.path: golden.text for golden in goldens()}
    for path in FOLDER.glob("*.json"):
        if path not in current:
            path.unlink()
    for path, text in current.items():
        path.write_text(text, encoding="ascii", newline="\n")
    sys.stdout.write(f"{len(current)} files written to {FOLDER}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
