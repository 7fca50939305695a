"""Running `turnfold audit`: which of its forms was asked for, and where its reports go."""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Final

from turnfold.cli._audit_inner import Compaction, audit_session
from turnfold.cli._audit_inputs import Asked, config_of
from turnfold.cli._audit_many import audit_many, record_of_compaction
from turnfold.cli._audit_names import Wanted
from turnfold.cli._audit_runs import audit_pair
from turnfold.cli._audit_sheet import sheet
from turnfold.cli._audit_surface import audit_surfaces
from turnfold.cli._errors import CommandError
from turnfold.cli._files import STANDARD, Destination, Source, require_one_standard_input
from turnfold.cli._progress import Activity
from turnfold.cli._show import Screen
from turnfold.cli._values import Scope
from turnfold.reports import Audited, to_sarif

SESSION_SCHEMA: Final = "turnfold.audit.session/1"

_PAIR: Final = 2


def perform(wanted: Wanted) -> int:
    """Audit what was asked for, and return the exit code."""
    _require_shape(wanted)
    taken = wanted.jsonl or STANDARD in (wanted.sarif, wanted.junit)
    screen = Screen(wanted.as_json, wanted.quiet, result_taken=taken)
    sources = [Source(each) for each in wanted.files]
    given = [Source(each) for each in (wanted.vocabulary, wanted.config) if each is not None]
    require_one_standard_input((*sources, *given))
    outputs = _outputs(wanted, (*sources, *given))
    config, notes = config_of(wanted, screen)
    asked = Asked(config, notes, wanted.format_name, wanted.scope)
    asked.reading(Scope.FULL)
    if config.profile == "surface":
        _require_plain_pair(wanted)
        return audit_surfaces(sources[0], sources[1], config.min_severity, screen).exit_code
    if wanted.jsonl:
        return audit_many(sources, asked, screen)
    if len(sources) == _PAIR:
        audits = [_audit_pair(sources, asked, screen)]
    else:
        audits = _audit_session(sources[0], asked, screen)
    for kind, destination in outputs.items():
        destination.write({"": _written(kind, audits)})
    return max(audited.report.exit_code for audited in audits)


def _audit_pair(sources: Sequence[Source], asked: Asked, screen: Screen) -> Audited:
    with Activity(shown=screen.talks) as activity:
        audited = audit_pair(sources[0], sources[1], asked, screen=screen, activity=activity)
    screen.give(audited.report.to_dict())
    if screen.talks:
        screen.say(*sheet(audited))
    return audited


def _audit_session(source: Source, asked: Asked, screen: Screen) -> list[Audited]:
    with Activity(shown=screen.talks) as activity:
        found = list(audit_session(source, asked, screen, activity))
    screen.give(_record(source, found))
    if screen.talks:
        for each in found:
            heading = f"Compaction {each.number} of {each.of}: {each.turn_id}"
            heading += f" (line {each.line})" if each.line else ""
            screen.say(*([""] if each.number > 1 else []), *sheet(each.audited, heading=heading))
    return [each.audited for each in found]


def _record(source: Source, found: Sequence[Compaction]) -> dict[str, Any]:
    worst = max((each.audited.report for each in found), key=lambda report: report.exit_code)
    return {
        "schema": SESSION_SCHEMA,
        "file": source.path,
        "verdict": worst.verdict.value,
        "exit_code": worst.exit_code,
        "compactions": [record_of_compaction(source, each) for each in found],
    }


def _outputs(wanted: Wanted, inputs: tuple[Source, ...]) -> dict[str, Destination]:
    """Return where reports go; refused before any work where one could not be made."""
    named = {"sarif": wanted.sarif, "junit": wanted.junit}
    if wanted.junit is not None and find_spec("junitparser") is None:
        message = "--junit needs an extra; install it with: pip install 'turnfold[reports]'"
        raise CommandError(message, {"extra": "reports"}, "extra_missing")
    outputs = {
        kind: Destination(path, sources=inputs, force=wanted.force)
        for kind, path in named.items()
        if path is not None
    }
    for destination in outputs.values():
        destination.require_free()
    return outputs


def _written(kind: str, audits: Sequence[Audited]) -> bytes:
    if kind == "sarif":
        log = to_sarif(audits, version=version("turnfold"))
        return (json.dumps(log, indent=2) + "\n").encode("ascii")
    from turnfold.reports.junit import to_junit  # noqa: PLC0415  Needs an extra.

    return to_junit(audits)


def _require_shape(wanted: Wanted) -> None:
    number = len(wanted.files)
    reports = [each for each in (wanted.sarif, wanted.junit) if each is not None]
    message = ""
    if wanted.jsonl and reports:
        message = "--sarif and --junit are of one audit; leave --jsonl out"
    elif number > _PAIR and not wanted.jsonl:
        message = (
            f"{number} files were named; name TRANSCRIPT and SUMMARY, or one SESSION, or pass "
            "--jsonl to audit many sessions"
        )
    elif wanted.scope is not None and (wanted.jsonl or number < _PAIR):
        message = (
            "--scope is of TRANSCRIPT beside a SUMMARY; a compaction inside a session is held "
            "against the whole history"
        )
    elif len(reports) > len(set(reports)):
        message = "--sarif and --junit are two files; name another one, or - for one of them"
    if message:
        raise CommandError(message, {"files": number})


def _require_plain_pair(wanted: Wanted) -> None:
    if wanted.jsonl or len(wanted.files) != _PAIR:
        message = "the surface profile takes TRANSCRIPT and SUMMARY; name both"
        raise CommandError(message, {"profile": "surface"})
    others: Mapping[str, str | None] = {
        "--vocabulary": wanted.vocabulary,
        "--format": wanted.format_name,
        "--scope": wanted.scope,
        "--sarif": wanted.sarif,
        "--junit": wanted.junit,
    }
    given = [option for option, value in others.items() if value is not None]
    if given:
        message = f"the surface profile has no {', '.join(given)}; leave it out"
        raise CommandError(message, {"profile": "surface", "options": given})
