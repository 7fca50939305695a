"""The application: its commands, and the one place where errors become exit codes."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from turnfold.cli._errors import (
    CommandError,
    ExitCode,
    from_os_error,
    record_of,
    unexpected,
)
from turnfold.cli._show import Screen
from turnfold.cli.apply import apply
from turnfold.cli.audit import audit
from turnfold.cli.check import check
from turnfold.cli.compact import compact
from turnfold.cli.convert import convert
from turnfold.cli.hook import hook
from turnfold.cli.inspect import inspect
from turnfold.cli.plan import plan
from turnfold.cli.requests import requests
from turnfold.errors import TurnfoldError

# Newer releases of typer hold a copy of click, so that its errors have two homes and one heir.
_UsageError: type[Any] = typer.BadParameter.__bases__[0]


class _ReaderLeft(Exception):  # noqa: N818  Nothing went wrong: the reader had enough.
    """What reads the output was closed."""


class _Group(TyperGroup):
    """Runs a command, and says what went wrong in a sentence."""

    def main(self, *arguments: Any, **settings: Any) -> Any:  # noqa: ANN401  As in click.
        """Run the command line, and exit unless told to return the code."""
        given = arguments[0] if arguments else settings.get("args")
        words = sys.argv[1:] if given is None else list(given)
        exits = settings.pop("standalone_mode", True)
        settings |= {"args": words, "prog_name": "turnfold", "standalone_mode": False}
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError):
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        code = int(_guarded(lambda: super(_Group, self).main(**settings), words))
        if exits:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  As in click.
        """Run a command; a closed pipe is told from other faults before click sees it."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as fault:
            raise _ReaderLeft from fault


def _guarded(work: Callable[[], Any], words: Sequence[str]) -> int:
    """Return the exit code of some work; no traceback leaves it."""
    try:
        code = work()
        sys.stdout.flush()
    except (_ReaderLeft, BrokenPipeError):
        _abandon_output()
        return ExitCode.READER_LEFT
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except Exception as fault:  # noqa: BLE001  Whatever it is, a person reads a sentence.
        return _fail(_as_error(fault), words)
    return ExitCode.FITS if code is None else code


def _as_error(fault: Exception) -> TurnfoldError:
    if isinstance(fault, TurnfoldError):
        return fault
    if isinstance(fault, _UsageError):
        context = getattr(fault, "ctx", None)
        command = context.command_path if context else "turnfold"
        said = fault.format_message().rstrip(".")
        return CommandError(f"{said}; try {command} --help", {"command": command})
    if isinstance(fault, OSError):
        _abandon_output()
        return from_os_error(fault, None if fault.filename else "standard output")
    return unexpected(fault)


def _fail(error: TurnfoldError, words: Sequence[str]) -> int:
    options = words[: words.index("--")] if "--" in words else words
    with suppress(OSError):
        Screen(as_json="--json" in options).fail(record_of(error))
        sys.stderr.flush()
    return ExitCode.UNUSABLE


def _abandon_output() -> None:
    """Let the interpreter flush into nothing, since what it would flush into is gone."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _show_version(asked: bool) -> None:  # noqa: FBT001  The signature that typer calls.
    if asked:
        from turnfold import __version__  # noqa: PLC0415  Reads files.

        sys.stdout.write(f"turnfold {__version__}\n")
        raise typer.Exit


app = typer.Typer(
    name="turnfold",
    cls=_Group,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Exit codes: 0 it fits; 1 it is over the budget, and is written all the same; 2 the "
        "input, an option or the budget cannot be used."
    ),
)


@app.callback(invoke_without_command=True)
def turnfold(
    context: typer.Context,
    *,
    version: Annotated[  # noqa: ARG001  It is answered by its callback.
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Compact the session of an agent that has outgrown its window: plan, fulfil, apply."""
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help())
        raise typer.Exit(ExitCode.UNUSABLE)


for command in (inspect, plan, requests, apply, compact, audit, check, convert):
    app.command()(command)
app.add_typer(hook)


def run(arguments: Sequence[str]) -> int:
    """Run the command line on these arguments, and return its exit code."""
    code: int = typer.main.get_command(app).main(args=list(arguments), standalone_mode=False)
    return code
