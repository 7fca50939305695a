"""Ratios to the hand loop: the machine is noisy, so each run has one of the hand loop beside it.

The clock is that of the process, so that others on the machine do not count. The garbage collector
is on, as it is where agents run, and starts out clean. Small workloads are run several times at a
stretch.
"""

import gc
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Final

from tests.benchmarks.speed.contenders import Contender, Timed, hand_loop
from tests.benchmarks.speed.workload import Workload

_SECONDS: Final = 2.0
"""After this long a contender that is slow is not run again, but it is run three times."""

_TURNS: Final = 2_000
"""So many turns are worth the clock."""


@dataclass(frozen=True)
class Figure:
    """A contender's median and best seconds, and the ratios to the hand loop of both."""

    seconds: float
    ratio: float
    best_seconds: float
    best_ratio: float


def compare(contenders: Sequence[Contender], workload: Workload, runs: int) -> list[Figure]:
    """Run everybody in turn, so that a slow minute hits all of them; the hand loop comes last."""
    repeats = max(1, _TURNS // len(workload.messages))
    yardstick = [hand_loop(workload)] * repeats
    times: list[list[tuple[float, float]]] = [[] for _ in contenders]
    for contender in contenders:
        if not contender.once:
            contender.ready(workload)
    gc.freeze()
    for run in range(runs):
        for contender, taken in zip(contenders, times, strict=True):
            if run > 2 and sum(each for each, _ in taken) > _SECONDS:
                continue
            if contender.once:
                timed = [contender.ready(workload) for _ in range(repeats)]
            else:
                timed = [contender.ready(workload)] * repeats
            taken.append((_clock(timed), _clock(yardstick)))
    gc.unfreeze()
    figures = [
        Figure(
            median(own for own, _ in taken),
            median(own / hand for own, hand in taken),
            min(own for own, _ in taken),
            min(own for own, _ in taken) / min(hand for _, hand in taken),
        )
        for taken in times
    ]
    by_hand = [hand for taken in times for _, hand in taken]
    return [*figures, Figure(median(by_hand), 1.0, min(by_hand), 1.0)]


def _clock(timed: Sequence[Timed]) -> float:
    """Return the seconds that one call takes."""
    gc.collect()
    start = process_time()
    for each in timed:
        each()
    return (process_time() - start) / len(timed)


def growth(small: tuple[int, float], large: tuple[int, float]) -> float:
    """Return the exponent by which time grows between two sizes."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])
