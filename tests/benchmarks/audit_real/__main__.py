"""The audit on summaries that a real agent's compaction wrote, beside labels made by hand.

    python -m tests.benchmarks.audit_real [--show] [--unlabelled]

`labels.tsv` says of each finding whether a reader of the session agrees with it. A label holds a
file, a place in its summary, a class and a verdict, and no content. What has no label is counted
apart, so that a changed check shows.
"""

import argparse
import csv
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from turnfold import Transcript, TranscriptTurn, formats
from turnfold.audit import AuditReport, Finding, Severity, audit

CORPUS: Final = Path(os.environ.get("TURNFOLD_CORPUS", "../shared/corpus"))
LABELS: Final = Path(__file__).parent / "labels.tsv"
_SOURCE: Final = re.compile(r"summary of (\S+) lines (\d+)-(\d+)")
_ROLES: Final = {"user": "user", "assistant": "assistant", "toolResult": "tool"}
_LEAST_RIGHT: Final = 0.8


@dataclass(frozen=True)
class Real:
    """A recorded summary and the turns that it replaced."""

    name: str
    original: Transcript
    summary: str


def reals() -> Iterator[Real]:
    """Yield the summaries of the corpus with the lines of the session that they replaced."""
    for row in csv.reader((CORPUS / "INDEX.tsv").open(encoding="utf-8"), delimiter="\t"):
        if found := _SOURCE.match(row[1] if len(row) > 1 else ""):
            path, first, last = found[1], int(found[2]), int(found[3])
            lines = (CORPUS / path).read_bytes().split(b"\n")[first - 1 : last]
            if path.startswith("claude_code"):
                source = b"\n".join(lines) + b"\n"
                turns = formats.parse(source, format="claude-code", scope="full").transcript
            else:
                turns = _pi_turns(lines)
            yield Real(Path(row[0]).name, turns, (CORPUS / row[0]).read_text("utf-8"))


def _pi_turns(lines: Sequence[bytes]) -> Transcript:
    """Read messages of a pi session as far as an audit needs them."""
    turns = []
    for number, line in enumerate(lines):
        try:
            message = json.loads(line).get("message") or {}
        except ValueError:
            continue
        role = _ROLES.get(str(message.get("role")))
        if role:
            text = "\n".join(_texts(message.get("content")))
            turns.append(TranscriptTurn(f"line {number}", role, text, 1))
    return Transcript(turns)


def _texts(content: Any) -> Iterator[str]:  # noqa: ANN401  Parsed JSON.
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
        if block.get("type") == "text":
            yield block["text"]
        elif block.get("type") == "toolCall":
            yield f"[call {block['name']}] {json.dumps(block.get('arguments'), ensure_ascii=False)}"


Key = tuple[str, str, str]


def key_of(real: Real, finding: Finding) -> Key:
    """Return what a label is found by: file, place (or turn and digest), and class."""
    where = (
        f"{finding.place.start}-{finding.place.end}"
        if finding.place
        else f"{finding.leaf_turn_ids[0]}#{sha256(finding.literal.encode()).hexdigest()[:8]}"
        if finding.leaf_turn_ids
        else "-"
    )
    return real.name, where, f"{finding.axis}/{finding.kind}/{finding.status}"


def labels() -> dict[Key, str]:
    """Read the labels that are kept."""
    with LABELS.open(encoding="utf-8", newline="") as opened:
        return {(row[0], row[1], row[2]): row[3] for row in csv.reader(opened, delimiter="\t")}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.audit_real")
    parser.add_argument("--show", action="store_true", help="print every finding above INFO")
    parser.add_argument("--unlabelled", action="store_true", help="print rows for new labels")
    options = parser.parse_args(arguments)
    if not (CORPUS / "INDEX.tsv").exists():
        print("skipped: there is no corpus; TURNFOLD_CORPUS names its folder")
        return 0
    known = labels()
    tally: Counter[tuple[str, str]] = Counter()
    for real in reals():
        report = audit(real.original, real.summary)
        heavy = [each for each in report.findings if each.severity is not Severity.INFO]
        _print_session(real, report, heavy)
        for finding in report.findings:
            key = key_of(real, finding)
            verdict = known.get(key)
            if verdict or finding in heavy:
                tally[f"{finding.axis}/{finding.status}", verdict or "unlabelled"] += 1
            if finding in heavy and (options.show or (options.unlabelled and not verdict)):
                print("\t".join((*key, verdict or "?", finding.literal[:120])))
    return _print_shares(tally)


def _print_session(real: Real, report: AuditReport, heavy: Sequence[Finding]) -> None:
    noise = len(heavy) / len(real.summary) * 1_000
    print(
        f"{real.name[:60]:60} {report.verdict.value} {len(real.summary):>6,} characters, "
        f"{len(heavy):>3} findings above INFO, {noise:4.1f} per 1,000; coverage {report.share:.2f}"
    )


def _print_shares(tally: Counter[tuple[str, str]]) -> int:
    print(f"\n{'class':32} {'right':>6} {'wrong':>6} {'unlabelled':>11}  share right")
    under = 0
    for name in sorted({name for name, _ in tally}):
        right, wrong, rest = (tally[name, each] for each in ("right", "wrong", "unlabelled"))
        share = right / (right + wrong) if right + wrong else 0.0
        holds = share >= _LEAST_RIGHT or not right + wrong
        under += not holds
        mark = "" if holds else f"  under {_LEAST_RIGHT}"
        print(f"{name:32} {right:>6} {wrong:>6} {rest:>11}  {share:.2f}{mark}")
    return 1 if under else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
