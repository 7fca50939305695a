"""`turnfold inspect`: what sessions are made of."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType
from rich.text import Text

from turnfold.cli import _options as options
from turnfold.cli import _show
from turnfold.cli._errors import ExitCode, record_of
from turnfold.cli._files import Source, require_one_standard_input
from turnfold.cli._measure import measure
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import ledger_beside, parse
from turnfold.cli._show import Column, Screen, clean, count, share, write_json_line
from turnfold.cli._tokens import TokensName, sizes_of
from turnfold.cli._values import NO_PINS, Reading, Scope
from turnfold.errors import TurnfoldError
from turnfold.formats import Pins

SCHEMA: Final = "turnfold.inspect/1"

_SHOWN: Final = 10


def inspect(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Sessions; - reads standard input.")
    ],
    *,
    scope: options.ScopeChoice = Scope.LIVE,
    format_name: options.FormatName = None,
    conversation: options.Conversation = None,
    tokens: options.TokensChoice = TokensName.RATIO,
    show_all: Annotated[
        bool,
        typer.Option(
            "--all",
            help="List every damaged place and every tool.",
            rich_help_panel=options.OUTPUT_PANEL,
        ),
    ] = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> ExitCode:
    """Show what sessions are made of: tokens by role and tool, exchanges, damage."""
    screen = Screen(as_json=as_json, quiet=quiet)
    reading = Reading(format_name, scope, Pins(), conversation, sizes_of(tokens))
    sources = [Source(each) for each in files]
    require_one_standard_input(sources)
    records, code = [], ExitCode.FITS
    for number, source in enumerate(sources):
        try:
            record = inspect_one(source, reading, screen)
        except TurnfoldError as error:
            screen.fail(record_of(error))
            code = ExitCode.UNUSABLE
            continue
        records.append(record)
        if screen.talks:
            screen.say(*([""] if number else []), *_sheet(record, show_all=show_all))
    if as_json:
        write_json_line({"schema": SCHEMA, "sessions": records})
    return code


def inspect_one(source: Source, reading: Reading, screen: Screen) -> dict[str, Any]:
    """Return what one session is made of, as plain JSON values."""
    with Activity(shown=screen.talks) as activity:
        ledger = ledger_beside(source, screen)
        session = parse(source, reading, ledger, activity)
        whole = session
        if reading.scope is Scope.LIVE:
            everything = replace(reading, scope=Scope.FULL, pins=NO_PINS)
            whole = parse(source, everything, ledger, activity)
        return measure(source.name, reading.scope.value, session, whole, sizes=reading.sizes)


def _sheet(record: Mapping[str, Any], *, show_all: bool) -> list[Any]:
    parts: list[Any] = [_show.heading(record["file"]), _show.facts(_facts(record))]
    if record["damage"]:
        parts += ["", _damage(record["damage"], show_all=show_all)]
    for key, title in (("by_role", "Tokens by role"), ("by_tool", "Results by tool")):
        if record[key]:
            parts += ["", _tokens(title, record[key], record["tokens"], show_all=show_all)]
    return parts


def _facts(record: Mapping[str, Any]) -> list[tuple[str, str | Text]]:
    whole, calls, floor = record["whole"], record["exchanges"], record["floor"]
    scope = "the whole history"
    if record["scope"] == "live":
        history = f"{count(whole['turns'], 'turn')} and {count(whole['tokens'], 'token')}"
        scope = f"live context, of a history of {history}"
        if whole["turns"] == record["turns"]:
            scope = "live context, which is the whole history"
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in record["kinds"].items() if number)
    causes = ", ".join(f"{name} {tokens:,}" for name, tokens in floor["by_cause"].items() if tokens)
    exchanges = f"{count(calls['with_calls'], 'exchange')} with calls"
    if calls["parallel"]:
        exchanges += f", {calls['parallel']:,} of them parallel (up to {calls['widest']:,} calls)"
    rows: list[tuple[str, str | Text]] = [
        ("format", record["format"]),
        ("scope", scope),
        ("size", f"{count(record['tokens'], 'token')} (estimated) in {record['turns']:,} turns"),
        ("calls", exchanges),
        ("compactions", f"{record['compactions']:,}"),
    ]
    if usage := record["usage"]:
        counted = (
            f"{count(usage['context_tokens'], 'token')} by the provider's count at "
            f"{_show.short(usage['turn_id'], 24)}, {usage['estimated']:,} estimated for its turns"
        )
        rows.append(("whole request", counted))
    rows.append(("spent on", _show.shares(record["by_class"], record["tokens"])))
    if kinds:
        rows.append(("not original", kinds))
    for status, style in (("pending", "yellow"), ("dead", "red")):
        if record[status]:
            named = ", ".join(_show.short(each, 24) for each in record[status][:5])
            said = f"{count(len(record[status]), 'turn')} without all results: {named}"
            rows.append((f"{status} calls", Text(clean(said), style=style)))
    pins = f"{count(record['pins']['turns'], 'turn')}, {count(record['pins']['tokens'], 'token')}"
    rows.append(("pinned", pins))
    rows.append(("smallest budget", f"{count(floor['tokens'], 'token')}: {causes or 'nothing'}"))
    return rows


def _damage(damage: list[dict[str, str]], *, show_all: bool) -> RenderableType:
    shown = damage if show_all else damage[:_SHOWN]
    rows: list[list[str | Text]] = [
        [each["place"], Text(clean(each["code"]), style="red"), each["message"]] for each in shown
    ]
    if len(shown) < len(damage):
        rows.append(["⋮", Text(f"{len(damage) - len(shown):,} more", style="dim italic"), "--all"])
    columns = (Column("place"), Column("what", shrinks=True), Column("message", shrinks=True))
    return _show.table(f"Damage: {count(len(damage), 'place')}", columns, rows)


def _tokens(
    title: str, rows: list[dict[str, Any]], total: int, *, show_all: bool
) -> RenderableType:
    shown = rows if show_all else rows[: 2 * _SHOWN]
    failed = any(each.get("failed") for each in rows)
    columns = [
        Column("name", shrinks=True),
        Column("turns", "right"),
        Column("tokens", "right"),
        Column("share", "right"),
        Column("largest", "right"),
    ]
    if failed:
        columns.append(Column("failed", "right", "red"))
    cells = [
        [
            _show.short(each["name"], 32),
            f"{each['turns']:,}",
            f"{each['tokens']:,}",
            share(each["tokens"], total),
            f"{each['largest']:,}",
            *([f"{each['failed'] or '-'}"] if failed else []),
        ]
        for each in shown
    ]
    if len(shown) < len(rows):
        rest = rows[len(shown) :]
        tokens = sum(each["tokens"] for each in rest)
        turns = sum(each["turns"] for each in rest)
        name = f"{count(len(rest), 'more tool')}"
        blank = [""] * (len(columns) - 4)
        cells.append([name, f"{turns:,}", f"{tokens:,}", share(tokens, total), *blank])
    return _show.table(title, columns, cells)
