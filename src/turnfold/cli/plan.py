"""`turnfold plan`: what would happen to each turn, and why."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from rich.console import RenderableType
from rich.text import Text

from turnfold._metadata import TOOL_NAME
from turnfold.cli import _options as options
from turnfold.cli import _show
from turnfold.cli import _values as values
from turnfold.cli._errors import ExitCode
from turnfold.cli._files import STANDARD, Destination, Source
from turnfold.cli._finish import warn_unmet
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import inputs_of, make_plan, read_session
from turnfold.cli._show import Column, Screen, clean, count, share, short
from turnfold.cli._tokens import TokensName, sizes_of
from turnfold.decision import Action, TurnDecision
from turnfold.formats import Pins, Session
from turnfold.plan import CompactionPlan

_SHOWN_AT_EACH_END: Final = 12
_ID_WIDTH: Final = 24
_STYLES: Final = {
    Action.KEEP: "",
    Action.MASK: "yellow",
    Action.SUMMARIZE: "cyan",
    Action.DROP: "red",
}
_COLUMNS: Final = (
    Column("#", "right", "dim"),
    Column("turn", shrinks=True),
    Column("role"),
    Column("tool", shrinks=True),
    Column("tokens", "right"),
    Column("after", "right"),
    Column("action"),
    Column("reason", style="dim", shrinks=True),
)


def plan(
    file: options.SessionFile,
    *,
    max_tokens: options.MaxTokens,
    target_tokens: options.TargetTokens = None,
    reserved_tokens: options.ReservedTokens = "0",
    protect_recent: options.ProtectRecent = 4,
    policy: options.PolicyChoice = values.PolicyName.DEFAULT,
    mask_inputs: options.MaskInputs = False,
    prompt_id: options.PromptId = values.DEFAULT_PROMPT,
    pin_first: options.PinFirst = True,
    pin_last: options.PinLast = True,
    pin_newest: options.PinNewest = True,
    pin_pending: options.PinPending = True,
    scope: options.ScopeChoice = values.Scope.LIVE,
    format_name: options.FormatName = None,
    conversation: options.Conversation = None,
    tokens: options.TokensChoice = TokensName.RATIO,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write the plan as JSON; - prints it.",
            rich_help_panel=options.OUTPUT_PANEL,
        ),
    ] = None,
    force: options.Force = False,
    show_all: Annotated[
        bool,
        typer.Option(
            "--all",
            help="List every turn, however many there are.",
            rich_help_panel=options.OUTPUT_PANEL,
        ),
    ] = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> int:
    """Show what would happen to each turn of a session, and why. Nothing is changed."""
    screen = Screen(as_json=as_json, quiet=quiet, result_taken=output == STANDARD)
    source = Source(file)
    budget = values.BudgetOptions(max_tokens, target_tokens, reserved_tokens, protect_recent)
    pins = Pins(pin_first, pin_last, pin_newest, pin_pending)
    sizes = sizes_of(tokens)
    reading = values.Reading(format_name, scope, pins, conversation, sizes)
    chosen = values.policy_of(policy, prompt_id, mask_inputs=mask_inputs, sizes=sizes)
    saved = Destination(output or STANDARD, sources=inputs_of(source), force=force)
    saved.require_free()
    with Activity(shown=screen.talks) as activity:
        session = read_session(source, reading, screen, activity)
        activity.step("Planning")
        made = make_plan(session, source, chosen, budget)
        content = made.canonical_json().encode("ascii")
    if output is not None:
        saved.write({"": content})
    if as_json and output != STANDARD:
        Destination(STANDARD).write({"": content})
    show_plan(made, session, screen, show_all=show_all)
    if not saved.is_standard:
        screen.say(Text(f"\nWrote {clean(saved.path)}"))
    if made.budget_unmet:
        warn_unmet(made.tokens_after_estimate, made.budget, screen)
        return ExitCode.UNMET
    return ExitCode.FITS


def show_plan(made: CompactionPlan, session: Session, screen: Screen, *, show_all: bool) -> None:
    """Print a plan for a person: its turns, its figures, and the summaries it asks for."""
    if not screen.talks:
        return
    if made.turn_ids:
        rows = _rows(made, session, show_all=show_all)
        screen.say(_show.table("Turns", _COLUMNS, rows), "")
    if made.summarization_requests:
        screen.say(_requests(made), "")
    screen.say(_show.heading("Plan"), _show.facts(_facts(made)))


def _rows(
    made: CompactionPlan, session: Session, *, show_all: bool
) -> Sequence[Sequence[str | Text]]:
    decisions = made.decisions
    numbered = list(enumerate(decisions))
    if show_all or len(numbered) <= 3 * _SHOWN_AT_EACH_END:
        return [_row(position, each, session) for position, each in numbered]
    head, tail = numbered[:_SHOWN_AT_EACH_END], numbered[-_SHOWN_AT_EACH_END:]
    hidden = decisions[_SHOWN_AT_EACH_END:-_SHOWN_AT_EACH_END]
    tally = Counter(each.action for each in hidden)
    said = ", ".join(f"{action} {tally[action]:,}" for action in Action if tally[action])
    gap = Text(f"{len(hidden):,} more ({said})", style="dim italic")
    return [
        *(_row(position, each, session) for position, each in head),
        [Text("⋮"), gap, *[Text("")] * 6],
        *(_row(position, each, session) for position, each in tail),
    ]


def _row(position: int, decision: TurnDecision, session: Session) -> Sequence[str | Text]:
    turn = session.transcript.turns[position]
    after = {Action.KEEP: turn.token_estimate, Action.MASK: decision.replacement_tokens}
    left = after.get(decision.action)
    action = decision.action.value
    return [
        f"{position + 1:,}",
        short(turn.turn_id, _ID_WIDTH),
        turn.role.value,
        short(turn.metadata.get(TOOL_NAME, ""), _ID_WIDTH),
        f"{turn.token_estimate:,}",
        "-" if left is None else f"{left:,}",
        Text(action, style=_STYLES[decision.action]),
        clean(decision.reason.removeprefix(f"{action}: ")),
    ]


def _requests(made: CompactionPlan) -> RenderableType:
    sizes = dict(zip(made.turn_ids, made.token_estimates, strict=True))
    columns = (
        Column("group"),
        Column("turns", "right"),
        Column("tokens", "right"),
        Column("target", "right"),
        Column("prompt", shrinks=True),
    )
    rows = [
        [
            each.group_id,
            f"{len(each.turn_ids):,}",
            f"{sum(sizes[turn_id] for turn_id in each.turn_ids):,}",
            f"{each.target_tokens:,}",
            each.prompt_id,
        ]
        for each in made.summarization_requests
    ]
    return _show.table("Summaries to write", columns, rows)


def _facts(made: CompactionPlan) -> list[tuple[str, str | Text]]:
    before, after, limit = made.tokens_before, made.tokens_after_estimate, made.budget.limit
    tally = Counter(made.actions)
    actions = ", ".join(f"{action} {tally[ord(action.name[0])]:,}" for action in Action)
    return [
        ("policy", f"{made.policy_name} {made.policy_version}"),
        ("turns", f"{len(made.turn_ids):,}: {actions}"),
        ("tokens", f"{before:,} before, {after:,} after ({share(after, before)})"),
        ("limit", _show.verdict(after, limit)),
        ("prompt cache", _cache(made)),
    ]


def _cache(made: CompactionPlan) -> str:
    cost = made.edit_cost
    if cost.first_changed_turn_id is None:
        return "all of it survives: nothing is changed"
    position = made.turn_ids.index(cost.first_changed_turn_id) + 1
    kept = share(cost.tokens_before_edit, made.tokens_before)
    return (
        f"{count(cost.tokens_before_edit, 'token')} ({kept}) survive, up to the first change at "
        f"turn {position:,}; {cost.tokens_after_edit:,} do not"
    )
