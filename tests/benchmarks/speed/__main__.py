"""Print how fast turnfold is beside the hand loop and others, against the bars in README.md."""

import argparse
import platform
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final

from tests.benchmarks.speed import audit, fresh_process, loading, memory, validity
from tests.benchmarks.speed.contenders import (
    POLICIES,
    Contender,
    of_cutctx,
    of_langchain,
    of_turnfold,
)
from tests.benchmarks.speed.timing import Figure, compare, growth
from tests.benchmarks.speed.workload import SHAPES, Shape, Workload

_SIZES: Final = (100, 1_000, 10_000, 100_000)
_LARGE: Final = 1_000_000
_BARS_HOLD_FROM: Final = 1_000
_MEGABYTES: Final = 20
_EXPONENT: Final = 1.1
_GROWTH_FROM: Final = 10_000
_RUNS: Final = {100: 15, 1_000: 11, 10_000: 7, 100_000: 3, _LARGE: 2}


class Verdicts:
    """Counts what is over its bar."""

    def __init__(self) -> None:
        self.over: list[str] = []

    def mark(self, what: str, *, holds: bool) -> str:
        if holds:
            return "ok"
        self.over.append(what)
        return "OVER"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.speed", description=__doc__)
    parser.add_argument("--large", action="store_true", help="measure 1,000,000 turns as well")
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES, metavar="TURNS")
    parser.add_argument("--alone", action="store_true", help="leave cutctx and LangChain out")
    parser.add_argument("--audit", action="store_true", help="measure the audit, nothing else")
    parser.add_argument("--loading", action="store_true", help="measure loading, nothing else")
    options = parser.parse_args(arguments)
    sizes = (*options.sizes, _LARGE) if options.large else tuple(options.sizes)
    print(f"Python {platform.python_version()}, {platform.machine()}, {platform.system()}")
    for module in ("cutctx", "langchain_core"):
        if find_spec(module) is None:
            print(f"skipped: {module} is not installed for this Python")
    verdicts = Verdicts()
    if options.audit:
        audit.print_all(verdicts)
        return _ended(verdicts)
    if options.loading:
        loading.print_all(verdicts)
        return _ended(verdicts)
    others = [] if options.alone else [*of_cutctx(), *of_langchain()]
    _print_times([*of_turnfold(), *others], sizes, verdicts)
    _print_memory(verdicts)
    _print_fresh_processes(verdicts)
    _print_validity(verdicts)
    return _ended(verdicts)


def _ended(verdicts: Verdicts) -> int:
    print(f"\n{len(verdicts.over)} over their bar" + "".join(f"\n  {e}" for e in verdicts.over))
    return 1 if verdicts.over else 0


Figures = dict[Shape, list[Figure]]
"""By shape, in the order of the contenders; the hand loop's own come last."""


def _print_times(contenders: Sequence[Contender], sizes: Sequence[int], verdicts: Verdicts) -> None:
    figures: dict[int, Figures] = {}
    for size in sizes:
        shown = contenders if size < _LARGE else _few(contenders)
        runs = _RUNS.get(size, 5)
        figures[size] = {shape: compare(shown, Workload.of(size, shape), runs) for shape in SHAPES}
        print(f"\n{size:,} turns, the worse of {' and '.join(SHAPES)}: x hand loop, best, time")
        worst = _worst_of_shapes(shown, figures[size])
        for contender, figure in worst.items():
            mark = _against_bar(contender, size, figure, verdicts)
            times = (
                f"{figure.ratio:8.1f} {figure.best_ratio:8.1f} {figure.seconds * 1e3:>10,.2f} ms"
            )
            name = f"  {contender.project:9} {contender.name:28}"
            print(f"{name} {times}  {mark}", flush=True)
        if size != _LARGE:
            _print_lead(worst, size, verdicts)
    _print_growth(contenders, figures, verdicts)


def _few(contenders: Sequence[Contender]) -> list[Contender]:
    """Return those that are held against a bar and need no new turns for each run."""
    return [each for each in contenders if each.bar is not None and not each.once]


def _worst_of_shapes(contenders: Sequence[Contender], figures: Figures) -> dict[Contender, Figure]:
    pairs = zip(*figures.values(), strict=True)
    worst = [max(pair, key=lambda figure: figure.ratio) for pair in pairs]
    return dict(zip(contenders, worst, strict=False))


def _against_bar(contender: Contender, size: int, figure: Figure, verdicts: Verdicts) -> str:
    if contender.bar is None or size < _BARS_HOLD_FROM:
        return ""
    bar = contender.bar + (size == _BARS_HOLD_FROM)
    what = f"{contender.name} at {size:,} turns: {figure.ratio:.1f} of {bar:g}"
    return f"bar {bar:>4g} {verdicts.mark(what, holds=figure.ratio <= bar)}"


def _print_lead(figures: dict[Contender, Figure], size: int, verdicts: Verdicts) -> None:
    """Hold turnfold, with all content hashed, against the same policy of others."""
    ours = {
        each.name.split(":")[0]: figure.ratio
        for each, figure in figures.items()
        if each.project == "turnfold" and "hash" in each.name
    }
    for each, figure in figures.items():
        if each.project == "cutctx" and each.name.endswith("apply"):
            own = ours[each.name.split(":")[0]]
        elif each.project == "langchain" and each.name.endswith("approximately"):
            own = ours["drop"]
        else:
            continue
        what = f"ahead of {each.project} {each.name} at {size:,}: {own:.1f} to {figure.ratio:.1f}"
        print(f"  {what} {verdicts.mark(what, holds=own < figure.ratio)}")


def _print_growth(
    contenders: Sequence[Contender], figures: dict[int, Figures], verdicts: Verdicts
) -> None:
    """Compare the best times of the largest size with those where caches no longer matter."""
    small, large = min(figures, key=lambda size: abs(size - _GROWTH_FROM)), max(figures)
    if small == large:
        return
    print(f"\ngrowth exponent, {small:,} to {large:,} turns; the hand loop's in brackets")
    places = {contender: place for place, contender in enumerate(contenders)}
    grown = _few(contenders) if large == _LARGE else contenders
    for last, contender in enumerate(grown):
        place = places[contender]
        exponents = [
            tuple(
                growth((small, each[0].best_seconds), (large, each[1].best_seconds))
                for each in ((before[place], after[last]), (before[-1], after[-1]))
            )
            for before, after in zip(figures[small].values(), figures[large].values(), strict=True)
        ]
        own, hand = max(exponents, key=lambda pair: pair[0] - max(_EXPONENT, pair[1]))
        what = f"growth of {contender.name}: {own:.2f} of {max(_EXPONENT, hand):.2f}"
        holds = own <= max(_EXPONENT, hand)
        mark = verdicts.mark(what, holds=holds) if contender.bar else ""
        print(f"  {contender.project:9} {contender.name:28} {own:6.2f} ({hand:.2f}) {mark}")


def _print_memory(verdicts: Verdicts) -> None:
    print("\nmemory at 100,000 turns beyond the new turns of the view, digests included, MB")
    for shape in SHAPES:
        workload = Workload.of(100_000, shape)
        for name, policy in POLICIES.items():
            figure = memory.measure(policy, workload)
            what = f"memory of {name}, {shape}: {figure.peak:.1f} of {_MEGABYTES} MB"
            mark = verdicts.mark(what, holds=figure.peak <= _MEGABYTES)
            print(
                f"  {shape:5} {name:10} peak {figure.peak:6.1f} held {figure.held:6.1f} "
                f"new turns {figure.new_turns:6.1f}  bar {_MEGABYTES} {mark}"
            )


def _print_fresh_processes(verdicts: Verdicts) -> None:
    print("\nin a fresh process, over bare Python")
    figures = fresh_process.measure()
    bars = {
        "import turnfold": (5.0, 5.0),
        "turnfold, first plan, apply": (2 * figures["six standard modules"][0], float("inf")),
    }
    for name, (milliseconds, modules) in figures.items():
        mark = ""
        if name in bars:
            most_ms, most_modules = bars[name]
            what = f"{name}: {milliseconds:.1f} of {most_ms:.1f} ms, {modules} modules"
            holds = milliseconds <= most_ms and modules <= most_modules
            mark = f"bar {most_ms:5.1f} ms {verdicts.mark(what, holds=holds)}"
        print(f"  {name:28} {milliseconds:8.1f} ms {modules:5} modules  {mark}")


def _print_validity(verdicts: Verdicts) -> None:
    print(f"\nvalidity: how many of {validity.SEEDS} seeds fail a check (first user turn pinned)")
    for name, compact in validity.everybody():
        for shape in SHAPES:
            verdict = validity.judge(compact, shape)
            faults = ", ".join(
                f"{check} {verdict.failures[check]}"
                for check in validity.CHECKS
                if verdict.failures[check]
            )
            what = f"validity of {name}, {shape}: {faults}"
            mark = verdicts.mark(what, holds=not faults) if name.startswith("turnfold") else ""
            used = f"{verdict.budget_used:.0%}"
            print(f"  {name:30} {shape:5} {used:>5} of budget  {faults or 'none'}  {mark}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
