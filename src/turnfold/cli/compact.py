"""`turnfold compact`: plan, fulfil, apply and write, without a model."""

from turnfold.cli import _options as options
from turnfold.cli import _values as values
from turnfold.cli._errors import CommandError, ExitCode
from turnfold.cli._files import STANDARD, Source
from turnfold.cli._finish import conclude, destination_of, finish
from turnfold.cli._progress import Activity
from turnfold.cli._sessions import make_plan, read_session
from turnfold.cli._show import Screen
from turnfold.cli._tokens import TokensName, sizes_of
from turnfold.formats import Pins
from turnfold.fulfil import fulfil_extractively


def compact(
    file: options.SessionFile,
    *,
    max_tokens: options.MaxTokens,
    output: options.CompactedOut,
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
    audits: options.Audits = True,
    gate: options.Gate = False,
    reasoning: options.ReasoningChoice = None,
    alternation: options.AlternationChoice = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> ExitCode:
    """Compact a session in one go; its summaries are extracts, so no model is needed."""
    if gate and not audits:
        message = "--gate asks for the audit that --no-audit leaves out; pass one of them"
        raise CommandError(message, {"option": "--gate"})
    screen = Screen(as_json=as_json, quiet=quiet, result_taken=output == STANDARD)
    source = Source(file)
    budget = values.BudgetOptions(max_tokens, target_tokens, reserved_tokens, protect_recent)
    pins = Pins(pin_first, pin_last, pin_newest, pin_pending)
    sizes = sizes_of(tokens)
    reading = values.Reading(format_name, scope, pins, conversation, sizes)
    chosen = values.policy_of(policy, prompt_id, mask_inputs=mask_inputs, sizes=sizes)
    destination = destination_of(output, source, force=force, audits=audits)
    with Activity(shown=screen.talks) as activity:
        session = read_session(source, reading, screen, activity)
        activity.step("Planning")
        plan = make_plan(session, source, chosen, budget)
        activity.step("Summarizing")
        summaries = fulfil_extractively(session.transcript, plan, estimator=sizes.written)
        view, record = finish(
            session,
            plan,
            summaries,
            destination,
            activity=activity,
            sizes=sizes,
            audits=audits,
            reasoning=reasoning,
            alternation=alternation,
        )
    return conclude(view, record, plan, destination, screen=screen, gate=gate)
