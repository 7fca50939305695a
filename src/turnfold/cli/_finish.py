"""What `apply` and `compact` share: from a plan and its summaries to files and a report."""

from collections.abc import Mapping
from typing import Any, Final

from rich.text import Text

from turnfold import formats
from turnfold._canonical import canonical_json
from turnfold.budget import CompactionBudget
from turnfold.cli import _show
from turnfold.cli._errors import ExitCode
from turnfold.cli._files import Destination, Source
from turnfold.cli._measure import by_class
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import LEDGER_SUFFIX, inputs_of
from turnfold.cli._show import Screen, clean, count, share
from turnfold.cli._tokens import BY_RATIO, Sizes
from turnfold.cli._values import AlternationName, ReasoningName
from turnfold.executor import CompactionExecutor, Summary
from turnfold.formats import Reasoning, Session
from turnfold.plan import CompactionPlan
from turnfold.view import CompactedView

PLAN_SUFFIX: Final = ".plan.json"
REPORT_SUFFIX: Final = ".report.json"
AUDIT_SUFFIX: Final = ".audit.json"

Summaries = Mapping[str, str | Summary]

_REASONING: Final[Mapping[ReasoningName | None, Reasoning]] = {
    ReasoningName.STRIP_AFTER_EDIT: "strip_after_edit",
    ReasoningName.KEEP: "keep",
    ReasoningName.STRIP_ALL: "strip_all",
}


def destination_of(
    output: str, session: Source, *others: Source, force: bool, audits: bool = False
) -> Destination:
    """Return where a compacted session and its side files go; checked before any work."""
    suffixes = (PLAN_SUFFIX, REPORT_SUFFIX, LEDGER_SUFFIX, *((AUDIT_SUFFIX,) if audits else ()))
    destination = Destination(output, suffixes, inputs_of(session, *others), force)
    destination.require_free()
    return destination


def finish(
    session: Session,
    plan: CompactionPlan,
    summaries: Summaries,
    destination: Destination,
    *,
    activity: Activity,
    sizes: Sizes = BY_RATIO,
    audits: bool = False,
    reasoning: ReasoningName | None = None,
    alternation: AlternationName | None = None,
) -> tuple[CompactedView, dict[str, Any]]:
    """Apply a plan, render the view, and write everything once all of it has succeeded.

    Returns:
        The view as it was rendered, and the record of the report; with `audits` that of the audit
        under `audit`, None where nothing was compacted.
    """
    activity.step("Applying")
    view = CompactionExecutor().apply(
        session.transcript,
        plan,
        summaries,
        ledger=session.ledger,
        estimator=sizes.written,
    )
    repairs = formats.repairs(view, session)
    view = formats.repaired(view, session, plan)
    activity.step("Rendering")
    rendered = formats.render(
        view,
        session,
        reasoning=_REASONING.get(reasoning),
        alternation=None if alternation is None else "strict",
    )
    content = formats.to_bytes(rendered)
    record = report_record(view, repairs, session, sizes)
    contents = {
        "": content,
        PLAN_SUFFIX: plan.canonical_json().encode("ascii"),
        REPORT_SUFFIX: canonical_json(record).encode("ascii"),
        LEDGER_SUFFIX: canonical_json(view.ledger.to_dict()).encode("ascii"),
    }
    if audits:
        from turnfold.cli._audit_end import audit_record  # noqa: PLC0415  Loaded when asked for.

        activity.step("Auditing")
        audited = audit_record(session, view)
        contents[AUDIT_SUFFIX] = canonical_json(audited).encode("ascii")
        record["audit"] = None if "skipped" in audited else audited
    activity.step("Writing")
    destination.write(contents)
    return view, record


def report_record(
    view: CompactedView, repairs: tuple[str, ...], session: Session, sizes: Sizes = BY_RATIO
) -> dict[str, Any]:
    """Return the report with what was left out as a repair and what was damaged."""
    damage = [
        {"place": each.place, "code": each.code, "message": each.message} for each in session.damage
    ]
    left = by_class(view.transcript, sizes)
    return {**view.report.to_dict(), "by_class": left, "repairs": list(repairs), "damage": damage}


def conclude(
    view: CompactedView,
    record: Mapping[str, Any],
    plan: CompactionPlan,
    destination: Destination,
    *,
    screen: Screen,
    gate: bool = False,
) -> ExitCode:
    """Say what was done, and return how the command ends.

    Args:
        view: What was made.
        record: What `finish` gave with it.
        plan: The plan.
        destination: Where it was written.
        screen: Where to say it.
        gate: Whether the audit counts for the exit code; the worse of budget and audit then.
    """
    screen.give(record)
    if screen.talks:
        screen.say(_show.facts(_facts(view, record, plan, destination)))
    code = ExitCode.FITS
    if view.report.budget_unmet:
        warn_unmet(view.report.tokens_after, plan.budget, screen)
        code = ExitCode.UNMET
    audited = record.get("audit")
    if gate and audited and audited["exit_code"]:
        message = f"the audit says {audited['verdict']}, and --gate makes the exit code say it too"
        screen.warn("audit_gate", message, {"verdict": audited["verdict"]})
        code = max(code, ExitCode(audited["exit_code"]))
    return code


def warn_unmet(tokens: int, budget: CompactionBudget, screen: Screen) -> None:
    """Say by how much a budget is not met, and what could be done."""
    over = tokens - budget.limit
    message = (
        f"over the budget by {count(over, 'token')}: {tokens:,} are left, and the limit is "
        f"{budget.limit:,}; raise --max-tokens, lower --protect-recent, or try --policy default"
    )
    details = {"tokens_after": tokens, "limit": budget.limit, "over_by": over}
    screen.warn("budget_unmet", message, details)


def _facts(
    view: CompactedView,
    record: Mapping[str, Any],
    plan: CompactionPlan,
    destination: Destination,
) -> list[tuple[str, str | Text]]:
    report = view.report
    before, after = session_tokens(view, plan), report.tokens_after
    rows: list[tuple[str, str | Text]] = [
        ("tokens", f"{before:,} before, {after:,} after ({share(after, before)})"),
        ("limit", _show.verdict(after, plan.budget.limit)),
        ("turns", f"{report.turns_before:,} before, {report.turns_after:,} after{_fates(view)}"),
    ]
    if record["repairs"]:
        left_out = count(len(record["repairs"]), "result")
        rows.append(("left out", f"{left_out} that no call asked for"))
    if record.get("audit"):
        from turnfold.cli._audit_sheet import verdict_line  # noqa: PLC0415  Loaded by then.

        rows.append(("audit", verdict_line(record["audit"])))
    if not destination.is_standard:
        beside = ", ".join(destination.suffixes)
        rows.append(("written", f"{clean(destination.path)}, and beside it {beside}"))
    return rows


def session_tokens(view: CompactedView, plan: CompactionPlan) -> int:
    """Return the tokens before, of turns that were appended since the plan too."""
    appended = set(view.report.appended_turn_ids)
    later = sum(turn.token_estimate for turn in view.transcript if turn.turn_id in appended)
    return plan.tokens_before + later


def _fates(view: CompactedView) -> str:
    report = view.report
    fates = (
        (len(report.masked_turn_ids), "masked"),
        (len(report.summarized_turn_ids), "summarized"),
        (len(report.dropped_turn_ids), "dropped"),
        (len(report.appended_turn_ids), "appended since the plan"),
    )
    said = ", ".join(f"{number:,} {fate}" for number, fate in fates if number)
    return f": {said}" if said else ": it fits as it is"
