"""`turnfold audit`: is a summary true, is what mattered still there, were the rules respected?"""

from typing import Annotated

import typer

from turnfold.cli import _options as options
from turnfold.cli._audit_names import Wanted


def audit(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="TRANSCRIPT SUMMARY: a session or a text, and the text that stands for it or what "
            "`turnfold compact` wrote. One SESSION: each compaction inside it. With --jsonl any "
            "number of sessions. - reads standard input.",
        ),
    ],
    *,
    min_severity: options.MinSeverity = None,
    profile: options.Profile = None,
    vocabulary: options.VocabularyFile = None,
    config: options.ConfigFile = None,
    scope: options.ScopeOfOriginal = None,
    format_name: options.FormatName = None,
    sarif: options.SarifOut = None,
    junit: options.JunitOut = None,
    force: options.Force = False,
    jsonl: options.Jsonl = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Hold a summary against what it replaced. Exit codes: 0 PASS, 1 WARN, 2 FAIL or unusable."""
    from turnfold.cli._audit_command import perform  # noqa: PLC0415  Loaded when asked for.

    return perform(
        Wanted(
            tuple(files),
            min_severity,
            profile,
            vocabulary,
            config=config,
            scope=scope,
            format_name=format_name,
            sarif=sarif,
            junit=junit,
            force=force,
            jsonl=jsonl,
            as_json=as_json,
            quiet=quiet,
        )
    )
