"""Replays recorded sessions: what of that which the agent used next still stands in the view?

    python -m tests.benchmarks.hindsight [--budget 30] [--folders claude_code codex pi] [--cuts 4]

Prints a table: NAME, USABLE and EXACT LINE for each policy, means over sessions with 95 %
bootstrap intervals, and the paired differences to mask-largest.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.hindsight import measure, sessions
from turnfold import (
    BudgetUnsatisfiable,
    CompactionBudget,
    CompactionExecutor,
    DropOldestPolicy,
    ObservationMaskingPolicy,
    PolicyChain,
    SummarizingPolicy,
    Transcript,
    TranscriptTurn,
    default_chain,
)
from turnfold.fulfil import fulfil_extractively
from turnfold.policies import digest_chain
from turnfold.protocols import CompactionPolicy

WINDOW = 50
TAIL = 4
BASELINE = "mask-largest, then drop"


def _fold(ratio: float) -> CompactionPolicy:
    return SummarizingPolicy("turnfold.summary/1", ratio, extent="until_it_fits")


def policies() -> dict[str, CompactionPolicy]:
    drop = DropOldestPolicy()
    return {
        "drop-oldest": drop,
        "mask-oldest, then drop": PolicyChain((ObservationMaskingPolicy(), drop)),
        BASELINE: PolicyChain((ObservationMaskingPolicy(order="largest"), drop)),
        "default chain, oldest + digest": default_chain(),
        "default chain, largest + digest": default_chain(mask_order="largest"),
        "fold first (0.10), drop + digest": PolicyChain((_fold(0.10), drop)),
        "digest chain (0.15) + digest": digest_chain(),
        "fold first (0.20), drop + digest": PolicyChain((_fold(0.20), drop)),
    }


def cuts_of(steps: list[sessions.Step], count: int) -> list[int]:
    """Return where to cut: spread over the session, never between a call and its result."""
    found = []
    for number in range(1, count + 1):
        at = len(steps) * number // (count + 1)
        while at < len(steps) and steps[at].role == "tool":
            at += 1
        prefix = sum(len(step.content) for step in steps[:at])
        if at >= 20 and len(steps) - at >= 15 and prefix >= 40_000:
            found.append(at)
    return found


def compact(prefix: Transcript, policy: CompactionPolicy, share: float) -> Transcript:
    budget = CompactionBudget(int(prefix.token_estimate() * share), TAIL)
    plan = policy.decide(prefix, budget)
    summaries = fulfil_extractively(prefix, plan)
    view = CompactionExecutor().apply(prefix, plan, summaries, estimator=lambda t: -(-len(t) // 4))
    bare = any("\n@ " not in summary.text for summary in summaries.values())
    assert bare or view.transcript.token_estimate() <= plan.tokens_after_estimate
    return view.transcript


def _passages(turns: Iterable[TranscriptTurn]) -> list[measure.Passage]:
    return measure.passages((turn.role.value, turn.content, turn.tool_call_id) for turn in turns)


def replay(path: Path, share: float, count: int) -> dict[str, list[tuple[float | None, ...]]]:
    steps = sessions.load(path)
    results: dict[str, list[tuple[float | None, ...]]] = {}
    for cut in cuts_of(steps, count):
        whole = sessions.transcript_of(steps[: cut + WINDOW])
        prefix = Transcript(whole.turns[:cut])
        is_free = [t.pinned or at >= cut - TAIL for at, t in enumerate(prefix)]
        free = "\n".join(
            part.text for part in _passages(t for t, f in zip(prefix, is_free, strict=True) if f)
        )
        before = _passages(t for t, f in zip(prefix, is_free, strict=True) if not f)
        after = [(t.role.value, _passages([t])) for t in whole.turns[cut:]]
        need = measure.needed(before, free, after)
        try:
            views = {name: compact(prefix, each, share) for name, each in policies().items()}
        except BudgetUnsatisfiable:
            continue
        for name, view in views.items():
            results.setdefault(name, []).append(measure.readings(need, _passages(view)))
    return results


def emit(line: str) -> None:
    sys.stdout.write(line + "\n")


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else float("nan")


def interval(values: list[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean, over sessions; the same every time."""
    draw = random.Random(20240501)  # noqa: S311  A bootstrap, not a secret.
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(2000))
    return means[50], means[1949]


def by_session(rows: list[tuple[float | None, ...]], reading: int) -> float | None:
    values = [row[reading] for row in rows if row[reading] is not None]
    return mean(value for value in values if value is not None) if values else None


def _cell(values: list[float | None]) -> str:
    known = [100 * value for value in values if value is not None]
    if not known:
        return "-"
    low, high = interval(known)
    return f"{mean(known):5.1f} [{low:3.0f},{high:3.0f}]"


def report(all_rows: list[dict[str, list[tuple[float | None, ...]]]]) -> None:
    heads = ("NAME", "USABLE", "EXACT LINE")
    emit(f"  {'policy':38}" + "".join(f"{head:>18}" for head in heads))
    for name in policies():
        cells = [[by_session(rows[name], at) for rows in all_rows] for at in range(3)]
        emit(f"  {name:38}" + "".join(f"{_cell(values):>18}" for values in cells))
    emit(f"  paired, over {BASELINE}:")
    for name in list(policies())[3:]:
        cells = []
        for at in range(3):
            pairs = [(by_session(r[name], at), by_session(r[BASELINE], at)) for r in all_rows]
            cells.append([a - b for a, b in pairs if a is not None and b is not None])
        emit(f"  {name:38}" + "".join(f"{_cell(list(values)):>18}" for values in cells))


def corpus() -> Path | None:
    named = os.environ.get("TURNFOLD_CORPUS")
    path = Path(named) if named else Path(__file__).resolve().parents[4] / "shared" / "corpus"
    return path if path.is_dir() else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, nargs="+", default=[30])
    parser.add_argument("--folders", nargs="+", default=list(sessions.FOLDERS))
    parser.add_argument("--cuts", type=int, default=4)
    options = parser.parse_args()
    root = corpus()
    if root is None:
        emit("no corpus of recorded sessions; TURNFOLD_CORPUS names its folder")
        return 0
    files = [path for name in options.folders for path in sorted((root / name).glob("*.jsonl"))]
    for budget in options.budget:
        started = time.perf_counter()
        rows = [row for row in (replay(p, budget / 100, options.cuts) for p in files) if row]
        cuts = sum(len(next(iter(row.values()))) for row in rows)
        seconds = time.perf_counter() - started
        emit(f"budget {budget} %: {cuts} cuts of {len(rows)} sessions, {seconds:.0f} s")
        report(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
