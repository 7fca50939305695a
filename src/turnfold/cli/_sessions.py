"""Reading a session with the ledger that stands beside it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from turnfold import formats
from turnfold.cli._errors import place_of
from turnfold.cli._files import Source, read_json_object
from turnfold.cli._progress import Activity
from turnfold.cli._show import Screen, clean, count
from turnfold.cli._tokens import BY_RATIO, Sizes
from turnfold.cli._values import NO_PINS, BudgetOptions, Reading, Scope
from turnfold.errors import BudgetUnsatisfiable, PlanTranscriptMismatch, TurnfoldError
from turnfold.formats import Damage, Session
from turnfold.ledger import Ledger
from turnfold.plan import CompactionPlan
from turnfold.protocols import CompactionPolicy

LEDGER_SUFFIX: Final = ".ledger.json"

_SHOWN: Final = 5
_RELAXING: Final = (
    "the options are --max-tokens, --protect-recent, --no-pin-first, --no-pin-last, "
    "--no-pin-newest and --no-pin-pending"
)


def inputs_of(session: Source, *others: Source) -> tuple[Source, ...]:
    """Return every file that is read, the ledger beside the session included."""
    if session.is_standard:
        return (session, *others)
    return (session, Source(session.path + LEDGER_SUFFIX), *others)


def read_session(source: Source, reading: Reading, screen: Screen, activity: Activity) -> Session:
    """Read a session, and warn of what is damaged in it.

    Raises:
        CommandError: The file cannot be read.
        UnreadableTranscript: It holds no session.
    """
    session = parse(source, reading, ledger_beside(source, screen), activity)
    warn_of_damage(session.damage, source, screen)
    return session


def parse(source: Source, reading: Reading, ledger: Ledger | None, activity: Activity) -> Session:
    """Read a session line by line.

    Raises:
        CommandError: The file cannot be read.
        UnreadableTranscript: It holds no session.
    """
    try:
        return formats.parse(
            activity.follow(source.lines(), source.size()),
            format=reading.format,
            scope=reading.scope.value,
            pins=reading.pins,
            estimator=reading.sizes.estimator,
            ledger=ledger,
            conversation=reading.conversation,
        )
    except TurnfoldError as error:
        if "file" in error.details:
            raise
        raise place_of(error, source.name) from error


def ledger_beside(source: Source, screen: Screen) -> Ledger | None:
    """Return the ledger of the compaction that wrote a session; a broken one is a warning."""
    if source.is_standard:
        return None
    beside = Source(source.path + LEDGER_SUFFIX)
    if not beside.exists():
        return None
    try:
        return Ledger.from_dict(read_json_object(beside, "ledger"))
    except TurnfoldError as error:
        located = error if "file" in error.details else place_of(error, beside.name)
        message = f"{located.message}; this ledger is left aside"
        screen.warn("ledger_unreadable", message, {"file": beside.path})
        return None


def warn_of_damage(damage: Iterable[Damage], source: Source, screen: Screen) -> None:
    """Warn of each damaged place, to a person of the first few."""
    listed = list(damage)
    shown = listed if screen.as_json else listed[:_SHOWN]
    for each in shown:
        message = f"{clean(source.name)}: {each.place}: {each.message}"
        details = {"file": source.name, "place": each.place}
        screen.warn(each.code, message, details)
    if len(listed) > len(shown):
        rest = count(len(listed) - len(shown), "more place")
        hint = "" if source.is_standard else f"; see turnfold inspect {clean(source.path)}"
        screen.warn("more_damage", f"{clean(source.name)}: {rest} like these{hint}")


def make_plan(
    session: Session, source: Source, policy: CompactionPolicy, budget: BudgetOptions
) -> CompactionPlan:
    """Plan a session.

    Raises:
        BudgetUnsatisfiable: What may not be touched exceeds the limit; names the options.
        CommandError: A share leaves nothing of the session.
    """
    transcript = session.transcript
    try:
        return policy.decide(transcript, budget.of(transcript.token_estimate()))
    except BudgetUnsatisfiable as error:
        located = place_of(error, source.name)
        message = f"{located.message}; {_RELAXING}"
        raise BudgetUnsatisfiable(message, located.details, error.code) from error


def read_plan(source: Source) -> CompactionPlan:
    """Read a plan.

    Raises:
        CommandError: The file cannot be read or holds no JSON object.
        InvalidPlan: The object is no plan; names all violations.
    """
    record = read_json_object(source, "plan")
    try:
        return CompactionPlan.from_dict(record)
    except TurnfoldError as error:
        raise place_of(error, source.name) from error


def read_planned_session(
    source: Source,
    plan: CompactionPlan,
    *,
    scope: Scope | None,
    format_name: str | None,
    conversation: int | None,
    screen: Screen,
    activity: Activity,
    sizes: Sizes = BY_RATIO,
) -> Session:
    """Read the session of a plan, in the scope that the plan was made for.

    Raises:
        CommandError: The file cannot be read.
        UnreadableTranscript: It holds no session.
        PlanTranscriptMismatch: The plan is for another session.
    """
    ledger = ledger_beside(source, screen)
    reading = Reading(format_name, scope or Scope.LIVE, NO_PINS, conversation, sizes)
    session = parse(source, reading, ledger, activity)
    if scope is None and not _begins_with(session, plan):
        whole = parse(source, replace(reading, scope=Scope.FULL), ledger, activity)
        if _begins_with(whole, plan):
            session = whole
    if not set(plan.turn_ids) & set(session.transcript.turn_ids()) and plan.turn_ids:
        message = (
            f"{clean(source.name)}: the plan is for another session: none of its "
            f"{count(len(plan.turn_ids), 'turn')} is here; plan this session first"
        )
        raise PlanTranscriptMismatch(message, {"file": source.name})
    warn_of_damage(session.damage, source, screen)
    return session


def _begins_with(session: Session, plan: CompactionPlan) -> bool:
    return session.transcript.turn_ids()[: len(plan.turn_ids)] == plan.turn_ids
