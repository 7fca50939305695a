"""Compacts a recorded session end to end, and checks what comes out.

The session under `acceptance/sessions` is read, planned, fulfilled without a model, applied,
written and read again: in both scopes, at several shares of its size, and then a second time
with new turns behind it. Nothing is written to a file.

    python acceptance/real_session.py [FILE]
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnfold import (
    BudgetUnsatisfiable,
    CompactedView,
    CompactionBudget,
    CompactionExecutor,
    CompactionPlan,
    Ledger,
    Role,
    Transcript,
    TranscriptTurn,
    default_chain,
)
from turnfold.formats import Session, parse, render, repaired, to_bytes
from turnfold.fulfil import fulfil_extractively
from turnfold.ledger import verify
from turnfold.tokens import MessageEstimator

RECORDED = Path(__file__).parent / "sessions" / "recorded_session.jsonl"
SHARES = (50, 30, 15)
RECENT = 4
LONG = 40
ESTIMATOR = MessageEstimator()


@dataclass(frozen=True)
class Run:
    """One compaction: what went in, what was decided, and what came out."""

    session: Session
    plan: CompactionPlan
    view: CompactedView
    written: bytes
    again: Session


def compact(session: Session, max_tokens: int) -> Run:
    """Plan, fulfil, apply, write and read again."""
    budget = CompactionBudget(max_tokens, RECENT)
    plan = default_chain(estimator=ESTIMATOR).decide(session.transcript, budget)
    summaries = fulfil_extractively(session.transcript, plan, estimator=ESTIMATOR)
    applied = CompactionExecutor().apply(
        session.transcript, plan, summaries, ledger=session.ledger, estimator=ESTIMATOR
    )
    view = repaired(applied, session, plan)
    written = to_bytes(render(view, session))
    ledger = Ledger.from_dict(json.loads(json.dumps(view.ledger.to_dict())))
    return Run(session, plan, view, written, parse(written, ledger=ledger))


def blocks(written: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the content blocks of a written session, each with its line. No code is shared."""
    for number, line in enumerate(written.split(b"\n"), 1):
        record = json.loads(line) if line.strip() else {}
        content = (record.get("message") or {}).get("content")
        if record.get("type") in ("user", "assistant") and isinstance(content, list):
            yield from ((number, block) for block in content if isinstance(block, dict))


def pairs_are_whole(run: Run) -> bool:
    """Every result answers an earlier call, once; every call but the last ones has a result."""
    called: dict[str, int] = {}
    answered: set[str] = set()
    for number, block in blocks(run.written):
        if block.get("type") == "tool_use":
            called[block["id"]] = number
        elif block.get("type") == "tool_result":
            name = block["tool_use_id"]
            if name not in called or name in answered:
                return False
            answered.add(name)
    last_answer = max((number for name, number in called.items() if name in answered), default=0)
    return all(number > last_answer for name, number in called.items() if name not in answered)


def outcome_is_honest(run: Run) -> bool:
    """Add up the view, and hold it against the limit."""
    size = sum(turn.token_estimate for turn in run.view.transcript)
    report = run.view.report
    return report.tokens_after == size and report.budget_unmet == (size > run.plan.budget.limit)


def budget_is_met(run: Run) -> bool:
    """Measure the written session as it is read again."""
    return run.again.transcript.token_estimate() <= run.plan.budget.limit


def pins_are_kept(run: Run) -> bool:
    """Every pinned turn and the protected tail stand in the view, word for word."""
    turns = run.session.transcript.turns
    kept = {turn for place, turn in enumerate(turns) if turn.pinned or place >= len(turns) - RECENT}
    return kept <= set(run.view.transcript) and any(turn.pinned for turn in turns)


def removed_is_gone(run: Run) -> bool:
    """No long line that stood only in what was removed or masked is in the written bytes."""
    standing = "\n".join(turn.content for turn in run.view.transcript)
    views = {turn.turn_id: turn.content for turn in run.view.transcript}
    text = run.written.decode()
    for turn in run.session.transcript:
        if views.get(turn.turn_id) == turn.content:
            continue
        for line in map(str.strip, turn.content.splitlines()):
            # As it is, and as it stands inside a JSON string: in a record, or in a call's input.
            spelled = line, json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1]
            stays = any(each in standing for each in spelled)
            if len(line) >= LONG and not stays and any(each in text for each in spelled):
                return False
    return True


def kept_are_original(run: Run) -> bool:
    """Messages are those of the source, but for masked results, summaries and closed calls."""
    originals = set(map(message_of, SOURCE.split(b"\n")))
    written = [message_of(line) for line in run.written.split(b"\n")]
    never_answered = [
        turn for turn in run.view.transcript if turn.metadata.get("turnfold.status") == "dead"
    ]
    report = run.view.report
    made = len(report.masked_turn_ids) + len(report.summary_turn_ids) + len(never_answered)
    return sum(each not in originals for each in written) <= made


def message_of(line: bytes) -> str:
    """Return the message of a record as JSON; empty where it has none."""
    record = json.loads(line) if line.strip() else {}
    message = record.get("message")
    return json.dumps(message) if message else ""


def reads_again(run: Run) -> bool:
    """The written session is read without damage, as the same turns."""
    own, again = run.view.transcript, run.again.transcript
    return (
        not run.again.damage
        and own.turn_ids() == again.turn_ids()
        and [turn.role for turn in own] == [turn.role for turn in again]
    )


def ledger_holds(run: Run) -> bool:
    """The ledger accounts for every turn once, and fits both sides."""
    verify(run.session.transcript, run.view.transcript, run.view.ledger)
    leaves = tuple(entry.turn_id for entry in run.view.ledger.entries())
    return leaves == run.session.transcript.turn_ids() and run.again.ledger is not None


def summaries_fit(run: Run) -> bool:
    """Each digest is within its target, its marks included."""
    return all(
        run.view.transcript.turn(each.summary_turn_id).token_estimate <= each.target_tokens
        for each in run.plan.summarization_requests
    )


CLAIMS = (
    ("the outcome is honest", outcome_is_honest),
    ("the budget is met", budget_is_met),
    ("every result has its call and every call its result", pairs_are_whole),
    ("pinned turns and the tail are kept", pins_are_kept),
    ("nothing that was removed is in the output", removed_is_gone),
    ("kept messages are the original ones", kept_are_original),
    ("the output reads again as the same turns", reads_again),
    ("the ledger fits both sides", ledger_holds),
    ("summaries are within their targets", summaries_fit),
)


def second_round(first: Run) -> bool:
    """Compact the written session again, with new turns, to the leaves of the first round."""
    carried = first.again
    later = tuple(
        TranscriptTurn(f"later-{n}", Role.USER, f"Remark {n}: go on. " * 40, 200) for n in range(9)
    )
    grown = Transcript((*carried.transcript, *later))
    budget = CompactionBudget(grown.token_estimate() * 7 // 10, RECENT)
    plan = default_chain(estimator=ESTIMATOR).decide(grown, budget)
    summaries = fulfil_extractively(grown, plan, estimator=ESTIMATOR)
    view = CompactionExecutor().apply(
        grown, plan, summaries, ledger=carried.ledger, estimator=ESTIMATOR
    )
    original = Transcript((*first.session.transcript, *later))
    verify(original, view.transcript, view.ledger)
    leaves = [entry.turn_id for entry in view.ledger.entries()]
    stands_for = [leaf for each in view.transcript for leaf in view.ledger.leaves_of(each.turn_id)]
    return leaves == list(original.turn_ids()) and len(stands_for) == len(set(stands_for))


def floor_is_named(session: Session, max_tokens: int, refused: BudgetUnsatisfiable) -> bool:
    """Work out the floor by hand, and compare it with what the refusal names."""
    turns = session.transcript.turns
    floor = sum(
        turn.token_estimate
        for place, turn in enumerate(turns)
        if turn.role is Role.SYSTEM or turn.pinned or place >= len(turns) - RECENT
    )
    named = refused.details["floor_tokens"], refused.details["limit"]
    return floor > max_tokens and named == (floor, max_tokens)


def check(title: str, sentence: str, *, holds: bool, why: str = "") -> int:
    """Print one line, and return how many claims failed."""
    print(f"{'ok' if holds else 'FAIL':<4} {title:<9} {sentence}{why}")
    return 0 if holds else 1


def main() -> int:
    """Run every compaction, print a line for each claim, and return the exit code."""
    failed = 0
    unchanged = parse(SOURCE, scope="full")
    same = to_bytes(render(unchanged.transcript, unchanged)) == SOURCE
    failed += check("full 100%", "an unchanged session is written as it was read", holds=same)
    for scope in ("live", "full"):
        session = parse(SOURCE, scope="full" if scope == "full" else "live")
        for share in SHARES:
            title = f"{scope} {share}%"
            max_tokens = session.transcript.token_estimate() * share // 100
            try:
                run = compact(session, max_tokens)
            except BudgetUnsatisfiable as refused:
                named = floor_is_named(session, max_tokens, refused)
                sentence = f"refused: {refused.details['floor_tokens']:,} tokens may not be touched"
                failed += check(title, sentence, holds=named)
                continue
            for sentence, claim in (*CLAIMS, ("a second round resolves to leaves", second_round)):
                try:
                    holds, why = claim(run), ""
                except Exception as error:  # noqa: BLE001  Whatever is raised, it does not hold.
                    holds, why = False, f" ({type(error).__name__}: {error})"
                failed += check(title, sentence, holds=holds, why=why)
    print("all claims hold" if not failed else f"{failed} claims do not hold")
    return 1 if failed else 0


SOURCE = Path(sys.argv[1] if len(sys.argv) > 1 else RECORDED).read_bytes()

if __name__ == "__main__":
    sys.exit(main())
