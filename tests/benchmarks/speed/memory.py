"""What planning and applying allocate at 100,000 turns, digests included, as `tracemalloc` sees it.

The turns are there already. What a view brings of its own, stubs and summaries, is its output and
counted apart.
"""

import gc
import sys
import tracemalloc
from dataclasses import dataclass

from tests.benchmarks.speed.contenders import plan_and_apply
from tests.benchmarks.speed.workload import Workload
from turnfold import CompactedView, CompactionPolicy, Transcript, TranscriptTurn


@dataclass(frozen=True)
class Megabytes:
    """The highest and the last level beyond the new turns of the view, and these turns."""

    peak: float
    held: float
    new_turns: float


def measure(policy: CompactionPolicy, workload: Workload) -> Megabytes:
    turns = workload.turns()
    gc.collect()
    tracemalloc.start()
    transcript = Transcript(turns)
    plan, view = plan_and_apply(policy, transcript, workload)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del plan
    new = _size_of_new_turns(view, turns)
    return Megabytes((peak - new) / 1e6, (held - new) / 1e6, new / 1e6)


def _size_of_new_turns(view: CompactedView, turns: tuple[TranscriptTurn, ...]) -> int:
    known = set(map(id, turns))
    new = [turn for turn in view.transcript if id(turn) not in known]
    metadata = {id(turn.metadata): turn.metadata for turn in new}.values()
    return sum(sys.getsizeof(turn) + sys.getsizeof(turn.content) for turn in new) + sum(
        sys.getsizeof(each) + sys.getsizeof(tuple(each)) for each in metadata
    )
