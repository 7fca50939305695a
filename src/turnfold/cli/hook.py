"""`turnfold hook`: hands back to an agent what its own compaction lost."""

import difflib
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

from turnfold.cli import _hook_settings as settings
from turnfold.cli._errors import CommandError, ExitCode
from turnfold.cli._files import STANDARD, Source
from turnfold.cli._hook_event import HookEvent, output_of, read_event
from turnfold.cli._hook_memory import Memory
from turnfold.cli._hook_tail import summaries
from turnfold.cli._show import Screen, clean, write_text

LARGEST: Final = 100_000_000
"""Bytes of a transcript; a larger one would keep the session waiting for too long."""

_LONGEST_NOTE: Final = 300
_UsageError: type[Any] = typer.BadParameter.__bases__[0]  # Of the click that this typer has.


class Runtime(StrEnum):
    """An agent that has hooks."""

    CLAUDE_CODE = "claude-code"


class ScopeName(StrEnum):
    """Whose settings a hook is put into."""

    USER = "user"
    PROJECT = "project"
    LOCAL = "local"


class _Patient(TyperCommand):
    """A command that ends well whatever its arguments are: its exit code could block an agent."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  As in click.
        """Read the arguments; what is wrong with them is said, and nothing is done."""
        try:
            return super().parse_args(ctx, args)
        except _UsageError as fault:
            _note(f"{fault}; nothing was done")
            raise typer.Exit(ExitCode.FITS) from fault


hook = typer.Typer(
    name="hook",
    help="Hand back to an agent what its own compaction lost.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@hook.command("claude-code", cls=_Patient)
def claude_code(
    *,
    max_tokens: Annotated[
        str,
        typer.Option(
            "--max-tokens", metavar="N", help="How large what is handed back may be, in tokens."
        ),
    ] = "1500",
    debug: Annotated[
        bool, typer.Option("--debug", help="Say on standard error why nothing is handed back.")
    ] = False,
) -> ExitCode:
    """Answer one event of Claude Code, from standard input; always exit code 0.

    After a compaction the answer is what its summary may have lost, and at the next prompt what it
    lost or changed. Other events have none, and neither has anything that goes wrong: that is one
    line on standard error.
    """
    try:
        answer = _answer(max_tokens, debug=debug)
        sys.stdout.write(answer)
        sys.stdout.flush()
    except Exception as fault:  # noqa: BLE001  No fault here may cost a person the session.
        _note(f"{type(fault).__name__}: {fault}")
    return ExitCode.FITS


def _answer(max_tokens: str, *, debug: bool) -> str:
    event = read_event(Source(STANDARD).read())
    if event.is_after_compaction:
        return _at_compaction(event, max_tokens, debug=debug)
    if event.is_prompt:
        return _at_prompt(event, max_tokens, debug=debug)
    return _nothing(f"nothing to do at {event.name or 'an event without a name'}", debug=debug)


def _at_compaction(event: HookEvent, max_tokens: str, *, debug: bool) -> str:
    """Hand back what may be lost, and remember what that was for the next prompt."""
    transcript = _transcript(event)
    if why := _unreadable(transcript):
        return _nothing(why, debug=True)
    from turnfold.integrations import claude_code as parts  # noqa: PLC0415  Loads the audit.

    tokens = _tokens_of(max_tokens)
    newest = next(summaries(transcript.path), "")
    context = parts.context_after_compaction(transcript.lines(), max_tokens=tokens)
    try:
        Memory(transcript.path).keep(newest, parts.digests_of(context))
    except (OSError, RuntimeError) as fault:
        _note(f"what was handed back cannot be remembered: {fault}")
    return output_of(event.name, context) or _nothing("nothing was lost", debug=debug)


def _at_prompt(event: HookEvent, max_tokens: str, *, debug: bool) -> str:
    """Hand back what the newest summary lost or changed, once.

    It counts as handed back before that is known: what fails or takes too long is not done again.
    """
    transcript = _transcript(event)
    if why := _unreadable(transcript):
        return _nothing(why, debug=debug)
    found = summaries(transcript.path)
    newest = next(found, "")
    if not newest:
        return _nothing("the session was not compacted", debug=debug)
    memory = Memory(transcript.path)
    if memory.has(newest):
        return _nothing("the newest summary was answered already", debug=debug)
    tokens = _tokens_of(max_tokens)
    if not memory.claim(newest):
        return _nothing("the newest summary is answered elsewhere", debug=debug)
    from turnfold.integrations import claude_code as parts  # noqa: PLC0415  Loads the audit.

    known = memory.kept(next(found, ""))
    context = parts.context_at_prompt(transcript.lines(), max_tokens=tokens, handed_back=known)
    return output_of(event.name, context) or _nothing("nothing was lost", debug=debug)


def _tokens_of(max_tokens: str) -> int:
    from turnfold.cli._values import tokens_of  # noqa: PLC0415  Loads the formats.

    tokens = tokens_of("--max-tokens", max_tokens, 0)
    if not tokens:
        message = f"--max-tokens {clean(max_tokens)!r} must be a number of tokens (1500, 2k) here"
        raise CommandError(message, {"option": "--max-tokens"}, "bad_value")
    return tokens


def _transcript(event: HookEvent) -> Source:
    return Source(os.path.expanduser(event.transcript_path))  # noqa: PTH111  Never fails.


def _unreadable(transcript: Source) -> str:
    """Return why a transcript is left alone; empty where it is not."""
    size = transcript.size()
    if size is None:
        return f"{transcript.name}: no such transcript"
    return f"{transcript.name}: {size:,} bytes, over {LARGEST:,}" if size > LARGEST else ""


def _nothing(why: str, *, debug: bool) -> str:
    if debug:
        _note(why)
    return ""


def _note(message: str) -> None:
    """Write a line to standard error, which Claude Code keeps in its debug log."""
    from turnfold.facts import redact  # noqa: PLC0415  Most prompts have nothing to say.

    line = clean(redact(message))
    with suppress(OSError, ValueError):
        sys.stderr.write(f"turnfold hook: {line[:_LONGEST_NOTE]}\n")


def run_hook(arguments: Sequence[str]) -> int:
    """Run `turnfold hook` on its arguments, and return the exit code; loads no other command."""
    command = typer.main.get_command(hook)
    try:
        code = command.main(list(arguments), prog_name="turnfold hook", standalone_mode=False)
    except typer.Abort:
        return ExitCode.INTERRUPTED
    return int(code or ExitCode.FITS)


RuntimeName = Annotated[Runtime, typer.Argument(metavar="AGENT", help="claude-code")]
ScopeChoice = Annotated[
    ScopeName,
    typer.Option(
        "--scope",
        help="Your settings (user), or those of the project in this folder: shared with others "
        "(project) or yours (local).",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change, and make none.")]


@hook.command()
def install(
    runtime: RuntimeName,
    *,
    scope: ScopeChoice = ScopeName.USER,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> ExitCode:
    """Put the hook into the agent's settings; shows the change, and asks first."""
    if not dry_run and shutil.which(settings.COMMAND.split()[0]) is None:
        message = f"turnfold is not on the PATH, where {runtime.value} will look for it"
        Screen().warn("not_on_path", message)
    return _change(scope, settings.with_hook, yes=yes, dry_run=dry_run)


@hook.command()
def uninstall(
    runtime: RuntimeName,  # noqa: ARG001  There is one.
    *,
    scope: ScopeChoice = ScopeName.USER,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> ExitCode:
    """Take the hook out of the agent's settings; shows the change, and asks first."""
    return _change(scope, settings.without_hook, yes=yes, dry_run=dry_run)


def _change(
    scope: ScopeName, edit: Callable[[str, str], str], *, yes: bool, dry_run: bool
) -> ExitCode:
    """Change a settings file: all of it or nothing, and only what was shown.

    Raises:
        CommandError: The file cannot be read or written, is no JSON, or changed meanwhile.
    """
    path = settings.path_of(scope.value)
    before = settings.read(path)
    after = edit(before, str(path))
    if after == before:
        Screen().say(f"{clean(str(path))}: nothing to change")
        return ExitCode.FITS
    write_text(_difference(before, after, str(path)))
    if dry_run:
        return ExitCode.FITS
    if not (yes or _agreed()):
        Screen().say("nothing was changed")
        return ExitCode.UNMET
    settings.write(path, after, before)
    Screen().say(f"written: {clean(str(path))}")
    return ExitCode.FITS


def _agreed() -> bool:
    if not _is_asked():
        message = "nobody is there to be asked; pass --yes to make this change"
        raise CommandError(message, {"option": "--yes"})
    return typer.confirm("Make this change?")


def _is_asked() -> bool:
    """Whether a person reads the question."""
    return sys.stdin.isatty()


def _difference(before: str, after: str, name: str) -> str:
    old, new = before.splitlines(), after.splitlines()
    shown = difflib.unified_diff(old, new, name, name, lineterm="")
    return "".join(f"{line}\n" for line in shown)
