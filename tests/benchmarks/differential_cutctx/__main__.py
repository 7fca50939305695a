"""Hold turnfold's decisions against those of cutctx 0.1.0, turn for turn."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import Final

from tests.benchmarks.differential_cutctx.cases import Case, by_hand, generated
from tests.benchmarks.differential_cutctx.deciders import (
    POLICIES,
    Outcome,
    faults,
    of_cutctx,
    of_turnfold,
)

_VERSION: Final = "0.1.0"
_CASES: Final = 20_000


def main(arguments: Sequence[str]) -> int:
    name = "python -m tests.benchmarks.differential_cutctx"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--cases", type=int, default=_CASES, help="how many to generate")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        installed = version("cutctx")
    except PackageNotFoundError:
        print("skipped: cutctx is not installed (pip install cutctx==0.1.0, Python 3.12)")
        return 0
    if installed != _VERSION:
        print(f"skipped: cutctx is {installed}, and {_VERSION} is what is compared with")
        return 0
    tallies, first = _compare_all(chain(by_hand(), generated(options.cases, options.seed)))
    _print_table(tallies)
    if first is not None:
        print(f"\nfirst counterexample: {first}")
    return 0 if first is None else 1


def _compare_all(cases: Iterator[Case]) -> tuple[dict[str, Counter[str]], str | None]:
    tallies = {policy: Counter[str]() for policy in POLICIES}
    first = None
    for case in cases:
        for policy in POLICIES:
            theirs, ours = of_cutctx(case, policy), of_turnfold(case, policy)
            verdict = _verdict(case, theirs, ours)
            tallies[policy].update((verdict, "compared", *_what_happened(theirs, verdict)))
            if verdict == "differing" and first is None:
                first = f"{policy}, {case}\n  cutctx   {theirs}\n  turnfold {ours}"
    return tallies, first


def _verdict(case: Case, theirs: Outcome, ours: Outcome) -> str:
    if theirs.kind == "refused":
        return "refused, ours valid" if not faults(case, ours) else "differing"
    if theirs == ours and (ours.kind != "plan" or not faults(case, ours)):
        return "equal"
    return "differing"


def _what_happened(theirs: Outcome, verdict: str) -> Iterator[str]:
    """Name what equal decisions were, so that a comparison of nothing shows."""
    if verdict == "equal":
        changed = any(action != "keep" for action in theirs.actions)
        yield theirs.kind if theirs.kind != "plan" else "changed" if changed else "untouched"


_COLUMNS: Final = {
    "compared": "compared",
    "equal": "equal",
    "changed": "of these: turns changed",
    "untouched": "nothing changed",
    "unsatisfiable": "unsatisfiable",
    "refused, ours valid": "cutctx refused its own plan, ours is valid",
    "differing": "differing",
}


def _print_table(tallies: dict[str, Counter[str]]) -> None:
    print(f"{'':44}" + "".join(f"{policy:>12}" for policy in tallies))
    for key, label in _COLUMNS.items():
        print(f"{label:44}" + "".join(f"{tally[key]:>12,}" for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
