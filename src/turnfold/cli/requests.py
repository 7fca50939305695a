"""`turnfold requests`: what is to be summarized, as a prompt for each group."""

from typing import Annotated

import typer

from turnfold.cli import _options as options
from turnfold.cli._errors import CommandError, ExitCode
from turnfold.cli._files import Source, require_one_standard_input
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import read_plan, read_planned_session
from turnfold.cli._show import Screen, clean, count, write_json_line, write_text
from turnfold.decision import SummarizationRequest
from turnfold.fulfil import jobs, render_prompt
from turnfold.plan import CompactionPlan

SCHEMA = "turnfold.requests/1"


def requests(
    file: options.SessionFile,
    plan_file: options.PlanFile,
    *,
    group: Annotated[
        str | None,
        typer.Option(
            "--group",
            metavar="ID",
            help="The prompt of this group only.",
            rich_help_panel=options.OUTPUT_PANEL,
        ),
    ] = None,
    scope: options.ScopeOfPlan = None,
    format_name: options.FormatName = None,
    conversation: options.Conversation = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> ExitCode:
    """Print the prompt of each summary that a plan asks for, to paste or pipe into a model."""
    screen = Screen(as_json=as_json, quiet=quiet)
    source, plan_source = Source(file), Source(plan_file)
    require_one_standard_input((source, plan_source))
    plan = read_plan(plan_source)
    if group is not None:
        _require_group(group, plan, plan_source)
    with Activity(shown=screen.talks) as activity:
        session = read_planned_session(
            source,
            plan,
            scope=scope,
            format_name=format_name,
            conversation=conversation,
            screen=screen,
            activity=activity,
        )
        prompts = [
            (job.request, render_prompt(job))
            for job in jobs(session.transcript, plan)
            if group in (None, job.request.group_id)
        ]
    if as_json:
        records = {request.group_id: _record(request, prompt) for request, prompt in prompts}
        write_json_line({"schema": SCHEMA, "requests": records})
        return ExitCode.FITS
    for request, prompt in prompts:
        if len(prompts) > 1:
            write_text(f"===== group {request.group_id} =====\n")
        write_text(prompt if prompt.endswith("\n") else f"{prompt}\n")
    _note(prompts, screen)
    return ExitCode.FITS


def _record(request: SummarizationRequest, prompt: str) -> dict[str, object]:
    return {
        "prompt": prompt,
        "turn_ids": list(request.turn_ids),
        "target_tokens": request.target_tokens,
    }


def _require_group(group: str, plan: CompactionPlan, source: Source) -> None:
    known = [request.group_id for request in plan.summarization_requests]
    if group not in known:
        named = ", ".join(known[:10]) or "none"
        message = (
            f"{clean(source.name)}: the plan has no group {clean(group)!r}; its groups: {named}"
        )
        raise CommandError(message, {"group_id": group, "known": known[:10]}, "unknown_group")


def _note(prompts: list[tuple[SummarizationRequest, str]], screen: Screen) -> None:
    if not prompts:
        screen.note("The plan asks for no summary; it can be applied as it is.")
        return
    asked = "; ".join(
        f"{request.group_id} in at most {count(request.target_tokens, 'token')}"
        for request, _ in prompts
    )
    screen.note(
        f"Write {asked}. turnfold apply --summaries takes a JSON object from group id to text."
    )
