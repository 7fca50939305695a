"""`turnfold apply`: a plan and its summaries make the compacted session."""

from typing import Annotated

import typer

from turnfold.cli import _options as options
from turnfold.cli._errors import CommandError, ExitCode, place_of
from turnfold.cli._files import (
    STANDARD,
    Source,
    read_json_object,
    require_one_standard_input,
)
from turnfold.cli._finish import conclude, destination_of, finish
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import read_plan, read_planned_session
from turnfold.cli._show import Screen, clean
from turnfold.cli._tokens import TokensName, sizes_of
from turnfold.errors import SummaryMissing, SummaryRejected
from turnfold.plan import CompactionPlan


def apply(
    file: options.SessionFile,
    plan_file: options.PlanFile,
    *,
    output: options.SessionOut,
    summaries: Annotated[
        str | None,
        typer.Option(
            "--summaries",
            metavar="S",
            help="A JSON object from group id to text; - reads standard input. A plan without "
            "summaries needs none.",
        ),
    ] = None,
    scope: options.ScopeOfPlan = None,
    format_name: options.FormatName = None,
    conversation: options.Conversation = None,
    tokens: options.TokensOfPlan = TokensName.RATIO,
    reasoning: options.ReasoningChoice = None,
    alternation: options.AlternationChoice = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> ExitCode:
    """Apply a plan with the summaries that it asks for, and write the compacted session."""
    screen = Screen(as_json=as_json, quiet=quiet, result_taken=output == STANDARD)
    source, plan_source = Source(file), Source(plan_file)
    others = (plan_source,) if summaries is None else (plan_source, Source(summaries))
    require_one_standard_input((source, *others))
    destination = destination_of(output, source, *others, force=force)
    plan, sizes = read_plan(plan_source), sizes_of(tokens)
    texts = {} if summaries is None else read_summaries(others[-1], plan)
    with Activity(shown=screen.talks) as activity:
        session = read_planned_session(
            source,
            plan,
            scope=scope,
            format_name=format_name,
            conversation=conversation,
            screen=screen,
            activity=activity,
            sizes=sizes,
        )
        try:
            view, record = finish(
                session,
                plan,
                texts,
                destination,
                activity=activity,
                sizes=sizes,
                reasoning=reasoning,
                alternation=alternation,
            )
        except (SummaryMissing, SummaryRejected) as error:
            if summaries is None:
                raise
            raise place_of(error, others[-1].name) from error
    return conclude(view, record, plan, destination, screen=screen)


def read_summaries(source: Source, plan: CompactionPlan) -> dict[str, str]:
    """Read the texts of a plan's groups; entries for other groups are left aside.

    Raises:
        CommandError: The file cannot be read, holds no JSON object, or a group has no text.
    """
    record = read_json_object(source, "object from group id to text")
    texts = {}
    for request in plan.summarization_requests:
        group_id = request.group_id
        if group_id not in record:
            continue
        if not isinstance(record[group_id], str):
            kind = type(record[group_id]).__name__
            message = f"{clean(source.name)}: the summary of group {group_id} is no text: {kind}"
            details = {"file": source.name, "group_id": group_id}
            raise CommandError(message, details, "summary_is_no_text")
        texts[group_id] = record[group_id]
    return texts
