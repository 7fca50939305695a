"""Hold turnfold's surface audit against compact-audit 0.1.0, report for report."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from tests.benchmarks.differential_compact_audit.cases import Case, by_hand, generated

if TYPE_CHECKING:
    from tests.benchmarks.differential_compact_audit.contenders import Files, Outcome

_VERSION: Final = "0.1.0"
_CASES: Final = 20_000
_SPACE: Final = "\u2003"
_TEXT: Final = ("\x85", "\u2028", "\u2029")


def main(arguments: Sequence[str]) -> int:
    name = "python -m tests.benchmarks.differential_compact_audit"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--cases", type=int, default=_CASES, help="how many to generate")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        installed = version("compact-audit")
    except PackageNotFoundError:
        print("skipped: compact-audit is not installed (pip install compact-audit==0.1.0)")
        return 0
    if installed != _VERSION:
        print(f"skipped: compact-audit is {installed}, and {_VERSION} is what is compared with")
        return 0
    tally, differing = _compare_all(chain(by_hand(), generated(options.cases, options.seed)))
    for label, count in sorted(tally.items(), key=lambda pair: (pair[0][0] == " ", pair[0])):
        print(f"{label:60}{count:>10,}")
    for each in differing[:3]:
        print(f"\n{each}")
    return 1 if differing else 0


def _compare_all(cases: Iterator[Case]) -> tuple[Counter[str], list[str]]:
    from tests.benchmarks.differential_compact_audit.contenders import (  # noqa: PLC0415
        Files,
        of_turnfold,
    )

    tally = Counter[str]()
    differing = []
    with Files() as files:
        for case in cases:
            ours = of_turnfold(case)
            verdict, theirs = _verdict(case, ours, files)
            tally.update(("compared", verdict, *_what_happened(ours.report)))
            if verdict == "differing":
                differing.append(f"{case}\n  compact-audit {theirs}\n  turnfold      {ours}")
    return tally, differing


def _verdict(case: Case, ours: "Outcome", files: "Files") -> tuple[str, "Outcome"]:
    theirs = files.of_compact_audit(case)
    if theirs.refused:
        failed = ours.report["parse_errors"] > 0 and ours.report["exit_code"] == 2
        return f"{theirs.refused}; a parse error here" if failed else "differing", theirs
    if case.hidden is not None:
        is_hidden = case.hidden not in str(ours.report) and case.hidden in str(theirs.report)
        same = _without(ours, "key", "text") == _without(theirs, "key", "text")
        return "equal but for a credential" if same and is_hidden else "differing", theirs
    if _without(ours) == _without(theirs):
        return "equal in all", theirs
    repaired = _repaired(case)
    if repaired == case:
        return "differing", theirs
    theirs = files.of_compact_audit(repaired)
    same = _without(ours, "text") == _without(theirs, "text")
    return "equal where U+0085, U+2028, U+2029, BOM are text" if same else "differing", theirs


def _repaired(case: Case) -> Case:
    """Return the case with a plain space for what that tool takes as an end of a line.

    The space is none that a trigger is written with. The mark before a record is left out.
    """
    text = case.source.decode()
    for each in _TEXT:
        text = text.replace(each, _SPACE).replace(f"\\u{ord(each):04x}", _SPACE)
    if case.suffix == ".jsonl":
        text = "\n".join(line.removeprefix("\ufeff") for line in text.split("\n"))
    return replace(case, source=text.encode())


def _without(outcome: "Outcome", *names: str) -> dict[str, Any]:
    """Return a report without its limitation, which is worded anew, and fields of its items."""
    left_out = dict.fromkeys(names, "")
    return {
        **outcome.report,
        "limitation": "",
        "dropped": [{**item, **left_out} for item in outcome.report["dropped"]],
    }


def _what_happened(report: dict[str, Any]) -> Iterator[str]:
    """Name what the reports were, so that a comparison of nothing shows."""
    yield f"  {report['verdict']} at {report['min_severity']}"
    yield from (f"  with {name}" for name in ("parse_errors", "truncated") if report[name])
    for category, counts in report["totals"].items():
        yield from (f"  with a {category} {name}" for name, count in counts.items() if count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
