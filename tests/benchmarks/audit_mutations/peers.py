"""Other tools on the same cases: each is skipped where it is not installed."""

import importlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.benchmarks.audit_mutations.cases import Case, cases
from tests.benchmarks.audit_mutations.classes import CLASSES, MUST_FLAG, MUST_NOT_FLAG
from tests.benchmarks.audit_mutations.judge import balanced
from turnfold import Transcript

Found = frozenset[tuple[str, ...]]
"""What a tool complains of, so that two runs can be compared."""


def compact_audit(case: Case, summary: str) -> Found:
    """`compact-audit`: the lines of the transcript, and which of them the summary drops."""
    extract = importlib.import_module("compact_audit.extract")
    judge = importlib.import_module("compact_audit.audit")
    lines = [line for line in _text(case.transcript).splitlines() if line.strip()]
    found = judge.audit(extract.extract(lines), summary, "medium")
    return frozenset((each["category"], each["key"]) for each in found["dropped"])


def ctxdrift(case: Case, summary: str) -> Found:
    """`ctxdrift`: the session with one compaction, whose text goes on in the next turn."""
    tool = importlib.import_module("ctxdrift")
    events = [_event(tool, at, turn) for at, turn in enumerate(case.transcript, 1)]
    last = len(events) + 1
    told = f"<summary>\n{summary}"
    events += [tool.Event("user", told, line_no=last), tool.Event("user", told, line_no=last + 1)]
    found = tool.analyze(events, [tool.Compaction(last, "", "<summary>")])
    return frozenset(
        (each.rule, str(what))
        for each in found
        if each.severity != "info"
        for what in each.evidence
    )


def _event(tool: Any, at: int, turn: Any) -> Any:  # noqa: ANN401  A stranger's type.
    role, content = turn.role.value, turn.content
    if role == "assistant" and content.startswith("[call "):
        name, _, arguments = content.removeprefix("[call ").partition("] ")
        given = json.loads(arguments)
        return tool.Event("tool_call", arguments, tool=name, line_no=at, meta={"input": given})
    kind = {"tool": "tool_result", "system": "other"}.get(role, role)
    return tool.Event(kind, content, line_no=at)


def compaction_guard(case: Case, summary: str) -> Found:
    """`compaction-guard`: what the user ruled, decided and corrected is registered by hand."""
    guard = importlib.import_module("compaction_guard")
    groups = ("rule", "limit", "list", "decision", "correction")
    rules = [case.session.lines[at].said for at in case.session.of(*groups)]
    if not rules:
        return frozenset()
    found = guard.check(rules, summary).findings
    return frozenset(
        (each.invariant_id, each.kind.value) for each in found if each.kind in guard.GATING_KINDS
    )


def conformance_kit(case: Case, summary: str) -> Found:
    """`compaction-conformance-kit`: each fact is a canary that needs its value."""
    kit = importlib.import_module("compaction_kit")
    probe = kit.BehaviorProbe()
    lost = []
    for at, line in enumerate(case.session.lines):
        value = (line.value or line.slots.get("topic", "")).lower()
        old = (line.slots["old"].lower(),) if "old" in line.slots else ()
        canary = kit.Canary(
            id=str(at),
            type=kit.CanaryType.FACT,
            content=line.said,
            required_tokens=(value,),
            direct_question="",
            superseded_tokens=old,
        )
        if not probe.probe(canary, summary).survived:
            lost.append((str(at),))
    return frozenset(lost)


PEERS: Final[dict[str, tuple[str, Callable[[Case, str], Found]]]] = {
    "compact-audit": ("compact_audit", compact_audit),
    "ctxdrift": ("ctxdrift", ctxdrift),
    "compaction-guard": ("compaction_guard", compaction_guard),
    "compaction-conformance-kit": ("compaction_kit", conformance_kit),
}


def _text(transcript: Transcript) -> str:
    return "\n".join(turn.content for turn in transcript)


def _importable() -> Iterator[str]:
    for name, (module, _) in PEERS.items():
        try:
            importlib.import_module(module)
        except ImportError:
            print(f"{name}: skipped, not installed")
        else:
            yield name


def report(split: str, seeds: range) -> None:
    """Print a table: for each class how often each tool flags it.

    Flagged is as for the audit: a complaint that the clean summary does not bring; for `clean` any
    complaint. `compaction-guard` is told the rules, and `compaction-conformance-kit` the facts,
    which nobody tells the audit.
    """
    names = list(_importable())
    if not names:
        return
    flagged: dict[tuple[str, str], int] = defaultdict(int)
    for case in cases(split, seeds):
        for name in names:
            find = PEERS[name][1]
            known = frozenset() if case.name == "clean" else find(case, case.clean)
            flagged[name, case.name] += bool(find(case, case.changed) - known)
    print(
        f"\n== peers, {split} wording: share flagged\n{'class':<40}"
        + "".join(f"{n:>28}" for n in names)
    )
    for kind in CLASSES:
        rates = [flagged[name, kind.name] / len(seeds) for name in names]
        print(f"{kind.name:<40}" + "".join(f"{rate:>28.3f}" for rate in rates))
    for name in names:
        score = balanced(
            (flagged[name, kind.name] / len(seeds) for kind in MUST_FLAG),
            (flagged[name, kind.name] / len(seeds) for kind in MUST_NOT_FLAG),
        )
        print(f"{name}: balanced accuracy {score:.3f}")
