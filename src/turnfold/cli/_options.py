"""The options that commands share."""

from typing import Annotated, Final

import typer

from turnfold.cli._audit_names import ProfileName, Threshold
from turnfold.cli._tokens import TokensName
from turnfold.cli._values import AlternationName, PolicyName, ReasoningName, Scope
from turnfold.formats import FORMATS

SESSION_PANEL: Final = "Session"
BUDGET_PANEL: Final = "Budget"
POLICY_PANEL: Final = "Policy"
STAYS_PANEL: Final = "What stays as it is"
AUDIT_PANEL: Final = "Audit"
OUTPUT_PANEL: Final = "Output"

SessionFile = Annotated[
    str, typer.Argument(metavar="FILE", help="The session; - reads standard input.")
]
PlanFile = Annotated[
    str, typer.Argument(metavar="PLAN", help="What `turnfold plan -o` wrote; - for standard input.")
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help=f"{', '.join(FORMATS)}; detected when absent.",
        rich_help_panel=SESSION_PANEL,
    ),
]
Conversation = Annotated[
    int | None,
    typer.Option(
        "--conversation",
        metavar="N",
        min=0,
        help="Which one, from 0, of a file that holds several.",
        rich_help_panel=SESSION_PANEL,
    ),
]
ReasoningChoice = Annotated[
    ReasoningName | None,
    typer.Option(
        "--reasoning",
        help="What becomes of reasoning that is bound to what stood before it; the format's "
        "page has the default.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
ScopeChoice = Annotated[
    Scope,
    typer.Option(
        "--scope",
        help="What the model sees now (live), or the whole history (full).",
        rich_help_panel=SESSION_PANEL,
    ),
]
ScopeOfPlan = Annotated[
    Scope | None,
    typer.Option(
        "--scope",
        help="live or full; the one that the plan was made for when absent.",
        rich_help_panel=SESSION_PANEL,
    ),
]
TokensChoice = Annotated[
    TokensName,
    typer.Option(
        "--tokens",
        help="What sizes the turns: ratio, characters by a ratio; script, what a text is made of; "
        "o200k, counted offline (needs the extra turnfold[tokens]).",
        rich_help_panel=SESSION_PANEL,
    ),
]
TokensOfPlan = Annotated[
    TokensName,
    typer.Option(
        "--tokens",
        help="What sizes the turns: ratio, script or o200k, as for the plan.",
        rich_help_panel=SESSION_PANEL,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Write the result and errors as JSON.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print nothing but errors.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace output files that exist.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
MaxTokens = Annotated[
    str,
    typer.Option(
        "--max-tokens",
        metavar="N",
        help="The window: tokens (12000, 12_000, 12k) or a share of the session (30%).",
        rich_help_panel=BUDGET_PANEL,
    ),
]
TargetTokens = Annotated[
    str | None,
    typer.Option(
        "--target-tokens",
        metavar="N",
        help="Where to go down to once it is over the window: tokens or a share.",
        rich_help_panel=BUDGET_PANEL,
    ),
]
ReservedTokens = Annotated[
    str,
    typer.Option(
        "--reserved-tokens",
        metavar="N",
        help="Room in the window for what is no turn: tool schemas, output.",
        rich_help_panel=BUDGET_PANEL,
    ),
]
ProtectRecent = Annotated[
    int,
    typer.Option(
        "--protect-recent",
        metavar="TURNS",
        help="How many turns at the end are not touched.",
        rich_help_panel=STAYS_PANEL,
    ),
]
PolicyChoice = Annotated[
    PolicyName,
    typer.Option(
        "--policy",
        help="default masks tool results, then summarizes, then drops, until it fits.",
        rich_help_panel=POLICY_PANEL,
    ),
]
AlternationChoice = Annotated[
    AlternationName | None,
    typer.Option(
        "--alternation",
        help="strict: no two messages of one role in a row, as some servers' templates want it.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
MaskInputs = Annotated[
    bool,
    typer.Option(
        "--mask-inputs",
        help="Mask the inputs of calls too (files, scripts), where masking results falls short.",
        rich_help_panel=POLICY_PANEL,
    ),
]
PromptId = Annotated[
    str,
    typer.Option(
        "--prompt-id",
        metavar="NAME",
        help="The prompt that asks for summaries.",
        rich_help_panel=POLICY_PANEL,
    ),
]
PinFirst = Annotated[
    bool,
    typer.Option(
        "--pin-first/--no-pin-first",
        help="The user's first words: the task.",
        rich_help_panel=STAYS_PANEL,
    ),
]
PinLast = Annotated[
    bool,
    typer.Option(
        "--pin-last/--no-pin-last",
        help="The user's last words.",
        rich_help_panel=STAYS_PANEL,
    ),
]
PinNewest = Annotated[
    bool,
    typer.Option(
        "--pin-newest/--no-pin-newest",
        help="The newest exchange.",
        rich_help_panel=STAYS_PANEL,
    ),
]
PinPending = Annotated[
    bool,
    typer.Option(
        "--pin-pending/--no-pin-pending",
        help="Calls that wait for a result.",
        rich_help_panel=STAYS_PANEL,
    ),
]
SessionOut = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="The compacted session; OUT.plan.json, OUT.report.json and OUT.ledger.json stand "
        "beside it. - writes the session alone to standard output.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
CompactedOut = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="The compacted session; OUT.plan.json, OUT.report.json, OUT.ledger.json and "
        "OUT.audit.json stand beside it. - writes the session alone to standard output.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Audits = Annotated[
    bool,
    typer.Option(
        "--audit/--no-audit",
        help="Hold the result against the session at the end.",
        rich_help_panel=AUDIT_PANEL,
    ),
]
Gate = Annotated[
    bool,
    typer.Option(
        "--gate",
        help="Exit with the audit's code too: 1 WARN, 2 FAIL, where that is worse.",
        rich_help_panel=AUDIT_PANEL,
    ),
]
MinSeverity = Annotated[
    Threshold | None,
    typer.Option(
        "--min-severity",
        help="From which severity on the audit fails; high when absent.",
        rich_help_panel=AUDIT_PANEL,
    ),
]
Profile = Annotated[
    ProfileName | None,
    typer.Option(
        "--profile",
        help="default, or surface: whole lines, as compact-audit compares them.",
        rich_help_panel=AUDIT_PANEL,
    ),
]
VocabularyFile = Annotated[
    str | None,
    typer.Option(
        "--vocabulary",
        metavar="FILE",
        help="A JSON object with the lists keep, drop and scope: terms to hold a summary to.",
        rich_help_panel=AUDIT_PANEL,
    ),
]
ConfigFile = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="The options of the audit, as JSON or TOML.",
        rich_help_panel=AUDIT_PANEL,
    ),
]
ScopeOfOriginal = Annotated[
    Scope | None,
    typer.Option(
        "--scope",
        help="How much of TRANSCRIPT counts; full when absent, or what a ledger was made for.",
        rich_help_panel=SESSION_PANEL,
    ),
]
SarifOut = Annotated[
    str | None,
    typer.Option(
        "--sarif",
        metavar="OUT",
        help="Write the findings as SARIF 2.1.0 too; - for standard output.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
JunitOut = Annotated[
    str | None,
    typer.Option(
        "--junit",
        metavar="OUT",
        help="Write the findings as JUnit XML too; - for standard output.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Jsonl = Annotated[
    bool,
    typer.Option(
        "--jsonl",
        help="Every FILE is a session; one JSON record a compaction on standard output.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
