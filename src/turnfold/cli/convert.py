"""`turnfold convert`: a session in another format, and what is lost on the way."""

from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from turnfold import formats
from turnfold.cli import _options as options
from turnfold.cli import _show
from turnfold.cli._errors import ExitCode, place_of
from turnfold.cli._files import STANDARD, Destination, Source
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import inputs_of, read_session
from turnfold.cli._show import Screen, count
from turnfold.cli._values import NO_PINS, Reading, Scope
from turnfold.errors import TurnfoldError
from turnfold.formats.convert import TARGETS, Converted

SCHEMA: Final = "turnfold.convert/1"

TargetName = StrEnum("TargetName", {each.upper(): each for each in TARGETS})  # type: ignore[misc]


def convert(
    file: options.SessionFile,
    *,
    to: Annotated[
        TargetName,
        typer.Option("--to", help="What to write.", rich_help_panel=options.OUTPUT_PANEL),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Where to write it; - for standard output.",
            rich_help_panel=options.OUTPUT_PANEL,
        ),
    ],
    scope: options.ScopeChoice = Scope.LIVE,
    format_name: options.FormatName = None,
    conversation: options.Conversation = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> ExitCode:
    """Write a session in another format, and say what could not be carried."""
    screen = Screen(as_json=as_json, quiet=quiet, result_taken=output == STANDARD)
    source = Source(file)
    destination = Destination(output, (), inputs_of(source), force)
    destination.require_free()
    with Activity(shown=screen.talks) as activity:
        reading = Reading(format_name, scope, NO_PINS, conversation)
        session = read_session(source, reading, screen, activity)
        activity.step("Converting")
        try:
            converted = formats.convert(session, to.value)
        except TurnfoldError as error:
            raise place_of(error, source.name) from error
        destination.write({"": _bytes_of(converted)})
    screen.give(_record(source, session.format, to.value, converted))
    if screen.talks:
        losses = [(f"{each.count:,}", each.what) for each in converted.losses]
        turns = count(len(session.transcript), "turn")
        screen.say(_show.facts([("from", f"{session.format}, {turns}"), ("to", to.value)]))
        if losses:
            screen.say("", _show.heading("Not carried"), _show.facts(losses))
    return ExitCode.FITS


def _bytes_of(converted: Converted) -> bytes:
    document = converted.document
    if isinstance(document, str):
        return document.encode("utf-8", "surrogatepass")
    return formats.to_bytes(document)


def _record(source: Source, name: str, to: str, converted: Converted) -> dict[str, Any]:
    losses = [{"what": each.what, "count": each.count} for each in converted.losses]
    return {"schema": SCHEMA, "file": source.name, "from": name, "to": to, "losses": losses}
