"""`turnfold check`: what a provider would refuse in a history, and why."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from turnfold import formats
from turnfold.cli import _options as options
from turnfold.cli import _show
from turnfold.cli._errors import CommandError, ExitCode, place_of, record_of
from turnfold.cli._files import Source, require_one_standard_input
from turnfold.cli._progress import Activity
from turnfold.cli._show import Screen, clean, count, write_json_line
from turnfold.cli._values import AlternationName, Reading
from turnfold.errors import TurnfoldError
from turnfold.formats import Fault

SCHEMA: Final = "turnfold.check/1"

_SHOWN: Final = 20


class Provider(StrEnum):
    """Whose rules a history can be held against."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


_FORMATS: Final[Mapping[Provider, tuple[str, ...]]] = {
    Provider.OPENAI: ("openai-chat", "openai-responses", "codex"),
    Provider.ANTHROPIC: ("anthropic-messages", "claude-code"),
    Provider.GEMINI: ("gemini-contents", "gemini-cli", "adk"),
}
"""The formats that a provider's rules are known for; the first is read as its messages."""


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Histories; - reads standard input.")
    ],
    *,
    provider: Annotated[
        Provider | None,
        typer.Option(
            "--provider",
            help="Whose rules count; those of the format when absent.",
            rich_help_panel=options.SESSION_PANEL,
        ),
    ] = None,
    pending: Annotated[
        bool,
        typer.Option(
            "--pending/--no-pending",
            help="Calls at the very end may wait for their results.",
            rich_help_panel=options.SESSION_PANEL,
        ),
    ] = False,
    alternation: options.AlternationChoice = None,
    format_name: options.FormatName = None,
    show_all: Annotated[
        bool,
        typer.Option("--all", help="List every fault.", rich_help_panel=options.OUTPUT_PANEL),
    ] = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> ExitCode:
    """Hold histories against their provider's rules: exit 1 if it would refuse one."""
    screen = Screen(as_json=as_json, quiet=quiet)
    Reading(format_name)
    sources = [Source(each) for each in files]
    require_one_standard_input(sources)
    records, code = [], ExitCode.FITS
    for number, source in enumerate(sources):
        try:
            name = _format_of(source, provider, format_name)
            faults = _faults(source, name, screen, pending=pending, alternation=alternation)
        except TurnfoldError as error:
            screen.fail(record_of(error))
            code = ExitCode.UNUSABLE
            continue
        if faults and code is ExitCode.FITS:
            code = ExitCode.UNMET
        records.append(_record(source, name, faults))
        if screen.talks:
            screen.say(*([""] if number else []), *_sheet(records[-1], show_all=show_all))
    if as_json:
        write_json_line({"schema": SCHEMA, "histories": records})
    return code


def _format_of(source: Source, provider: Provider | None, format_name: str | None) -> str:
    """Return the format to read a history in: the one it has, as its provider reads it."""
    try:
        found = format_name or formats.detect(source.lines())
    except TurnfoldError as error:
        if "file" in error.details:
            raise
        raise place_of(error, source.name) from error
    if provider is None or found in _FORMATS[provider]:
        return found
    if found in {listed[0] for listed in _FORMATS.values()}:
        return _FORMATS[provider][0]
    target = _FORMATS[provider][0]
    message = (
        f"{clean(source.name)}: {found} is not sent to {provider.value} as it is; turnfold convert "
        f"FILE --to {target} writes what can be sent, and says what is lost"
    )
    raise CommandError(message, {"file": source.name, "format": found, "provider": provider.value})


def _faults(
    source: Source,
    name: str,
    screen: Screen,
    *,
    pending: bool,
    alternation: AlternationName | None,
) -> tuple[Fault, ...]:
    with Activity(shown=screen.talks) as activity:
        lines = activity.follow(source.lines(), source.size())
        try:
            return formats.check(
                lines,
                format=name,
                pending_ok=pending,
                alternation=None if alternation is None else "strict",
            )
        except TurnfoldError as error:
            if "file" in error.details:
                raise
            raise place_of(error, source.name) from error


def _record(source: Source, name: str, faults: tuple[Fault, ...]) -> dict[str, Any]:
    return {
        "file": source.name,
        "format": name,
        "faults": [
            {
                "place": each.place,
                "rule": each.rule,
                "message": each.message,
                "provider_error": each.provider_error or None,
            }
            for each in faults
        ],
    }


def _sheet(record: Mapping[str, Any], *, show_all: bool) -> list[Any]:
    faults = record["faults"]
    if not faults:
        said = Text(f"no fault, as {record['format']}", style="green")
        return [_show.heading(record["file"]), _show.facts([("verdict", said)])]
    rules = Counter(each["rule"] for each in faults)
    kinds = ", ".join(f"{number:,} {rule}" for rule, number in rules.most_common())
    rows: list[tuple[str, str | Text]] = [
        ("verdict", Text(f"{count(len(faults), 'fault')}, as {record['format']}", style="red")),
        ("rules", kinds),
    ]
    parts: list[Any] = [_show.heading(record["file"]), _show.facts(rows)]
    shown = faults if show_all else faults[:_SHOWN]
    for each in shown:
        details: list[tuple[str, str | Text]] = [(each["rule"], each["message"])]
        if each["provider_error"]:
            details.append(("provider", Text(clean(each["provider_error"]), style="dim")))
        parts += ["", Text(clean(each["place"]), style="bold"), _show.facts(details)]
    if len(shown) < len(faults):
        parts += ["", Text(f"{len(faults) - len(shown):,} more; --all lists them", style="dim")]
    return parts
