"""From the turns that a format found to a transcript: ids, exchanges, statuses, pins (T4 to T7).

Every format hands over `LoadedTurn` values in the order of the conversation; what is common to
all formats happens here.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from turnfold import _metadata as keys
from turnfold._canonical import canonical_strings
from turnfold._pairing import Part, mint_exchanges
from turnfold.formats._hosted import join_hosted
from turnfold.formats._roles import TOOL, USER
from turnfold.formats._session import ORPHAN, Damage, Pins
from turnfold.ledger import Fate, Ledger
from turnfold.protocols import Estimator
from turnfold.tokens import MESSAGE_TOKENS, counter_of, text_tokens
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.turn import OpenTurn

MEDIA_TOKENS: Final = 1_600
"""What an image or a document costs, whatever its encoding and length (Anthropic: at most
width x height / 750 for the largest image that is not scaled down)."""


class Call(NamedTuple):
    """A call that a turn makes: its id, which may be empty or reused, and the tool's name."""

    call_id: str
    name: str


@dataclass(slots=True)
class LoadedTurn:
    """A turn as a format found it.

    Args:
        turn_id: A native id where it is stable, else one made of the place.
        role: The role.
        content: The text that the model reads, calls rendered.
        makes: The calls of an ASSISTANT turn.
        answers: The call ids that a TOOL turn answers, usually one.
        opens: The ids of calls that the provider runs itself, whose results are not in this turn.
        closes: The ids of such calls whose results are in this turn, and they are not.
        hidden: Text that costs tokens and is no content: thinking.
        media: How many images or documents the turn holds.
        kind: `summary`, `injected`, or None for a person's or the model's own words.
        failed: Whether a result is an error.
        tool_name: The tool's name, where the result itself says it.
        origin: Where in the source it stood, for a person.
    """

    turn_id: str
    role: Role
    content: str
    makes: tuple[Call, ...] = ()
    answers: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    hidden: str = ""
    media: int = 0
    kind: str | None = None
    failed: bool = False
    tool_name: str | None = None
    origin: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


_CALLS: Final = Part.CALLS
_ANSWERS: Final = Part.ANSWERS
_NEITHER: Final = Part.NEITHER


@dataclass(frozen=True, slots=True)
class Assembled:
    """A transcript, what was damaged in it, and the ledger if it fits."""

    transcript: Transcript
    damage: tuple[Damage, ...]
    ledger: Ledger | None


def assemble(
    loaded: Sequence[LoadedTurn],
    *,
    pins: Pins,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Assembled:
    """Build the transcript of a session.

    Ids that repeat get a number. With a ledger whose view the turns begin with, they get their
    old ids back (contract L3). Exchanges are minted for each occurrence of a call batch, results
    get their tool's name, unanswered calls are marked pending or dead, orphans are marked, and
    the pins are set. Where the ledger does not fit, the turns are no use any more: assemble
    copies, and the turns themselves without a ledger then.
    """
    damage: list[Damage] = []
    _make_unique(loaded, damage)
    fitting = _restore(loaded, ledger, damage) if ledger is not None else None
    exchanges = _mint(loaded, damage)
    _name_tools(loaded, exchanges)
    unanswered = _mark_unanswered(loaded, exchanges)
    pinned = _pinned(loaded, exchanges, unanswered, pins)
    count = text_tokens if estimator is None else counter_of(estimator)
    transcript = Transcript(
        tuple(
            _turn(turn, exchange, count, pinned=turn.turn_id in pinned)
            for turn, exchange in zip(loaded, exchanges, strict=True)
        )
    )
    if fitting is not None and not _is_view_of(transcript, fitting):
        damage.append(_mismatch("its turns were changed after turnfold wrote them"))
        fitting = None
    return Assembled(transcript, tuple(damage), fitting)


def copied(turn: LoadedTurn) -> LoadedTurn:
    """Return a turn that may be assembled without changing the first one."""
    return replace(turn, metadata=dict(turn.metadata))


def _make_unique(loaded: Sequence[LoadedTurn], damage: list[Damage]) -> None:
    if len({turn.turn_id for turn in loaded}) == len(loaded):
        return
    seen: dict[str, int] = {}
    for turn in loaded:
        turn_id = turn.turn_id
        if turn_id in seen:
            while turn_id in seen:
                seen[turn.turn_id] += 1
                turn_id = f"{turn.turn_id}#{seen[turn.turn_id]}"
            message = f"the id {turn.turn_id!r} repeats; this occurrence is {turn_id!r}"
            damage.append(Damage(turn.origin, "repeated_id", message))
            turn.turn_id = turn_id
        seen[turn_id] = 1


def _restore(loaded: Sequence[LoadedTurn], ledger: Ledger, damage: list[Damage]) -> Ledger | None:
    """Give the turns that turnfold wrote their ids and kinds back."""
    view_ids = ledger.view_turn_ids()
    if len(loaded) < len(view_ids):
        damage.append(_mismatch(f"it is of {len(view_ids)} turns, and {len(loaded)} are here"))
        return None
    masked = {entry.turn_id for entry in ledger.entries() if entry.fate is Fate.MASKED}
    summaries = {name for name, _ in ledger.groups}
    taken = {*view_ids, *ledger.leaf_ids}
    for turn, turn_id in zip(loaded, view_ids, strict=False):
        turn.turn_id = turn_id
        if turn_id in summaries:
            turn.kind = keys.KIND_SUMMARY
        elif turn_id in masked:
            turn.kind = keys.KIND_MASKED
    for turn in loaded[len(view_ids) :]:
        while turn.turn_id in taken:
            turn.turn_id += "+"
        taken.add(turn.turn_id)
    return ledger


def _mismatch(why: str) -> Damage:
    message = f"the ledger beside the session does not fit, so it is left aside: {why}"
    return Damage("ledger", "ledger_mismatch", message)


def _is_view_of(transcript: Transcript, ledger: Ledger) -> bool:
    size = len(ledger.view_turn_ids())
    view = Transcript(transcript.turns[:size])
    return view.digest() == ledger.view_digest


def _mint(loaded: Sequence[LoadedTurn], damage: list[Damage]) -> list[str | None]:
    minted = mint_exchanges(map(_part, loaded))
    for turn, (_, orphaned) in zip(loaded, minted, strict=True):
        if orphaned:
            turn.metadata[keys.DAMAGE] = ORPHAN
            named = ", ".join(map(repr, orphaned))
            message = f"a result answers {named}, and no call before it waits for that"
            damage.append(Damage(turn.origin, ORPHAN, message))
    exchanges = [exchange for exchange, _ in minted]
    if any(turn.opens for turn in loaded):
        join_hosted([(turn.turn_id, turn.opens, turn.closes) for turn in loaded], exchanges)
    return exchanges


def _part(turn: LoadedTurn) -> tuple[str, Part, Sequence[str]]:
    if turn.makes:
        return turn.turn_id, _CALLS, [call.call_id for call in turn.makes]
    return turn.turn_id, _ANSWERS if turn.role is TOOL else _NEITHER, turn.answers


def _name_tools(loaded: Sequence[LoadedTurn], exchanges: Sequence[str | None]) -> None:
    names: dict[tuple[str | None, str], str] = {}
    for turn, exchange in zip(loaded, exchanges, strict=True):
        if exchange is None:
            continue
        for call in turn.makes:
            names[exchange, call.call_id] = call.name
        if turn.answers and turn.tool_name is None:
            turn.tool_name = names.get((exchange, turn.answers[0]))


def _mark_unanswered(
    loaded: Sequence[LoadedTurn], exchanges: Sequence[str | None]
) -> set[str | None]:
    """Mark calls without a result as dead or pending (T7); return the pending exchanges."""
    waiting: dict[int, int] = {}
    callers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    answered: dict[str, int] = {}
    for position, (turn, exchange) in enumerate(zip(loaded, exchanges, strict=True)):
        if exchange is None:
            continue
        for call in turn.makes:
            waiting[position] = waiting.get(position, 0) + 1
            callers[exchange, call.call_id].append(position)
        for call_id in turn.answers:
            if stack := callers[exchange, call_id]:
                caller = stack.pop()
                waiting[caller] -= 1
                if caller > answered.get(exchange, -1):
                    answered[exchange] = caller
    latest = sorted(((at, exchange) for exchange, at in answered.items()), reverse=True)[:2]
    pending: set[str | None] = set()
    for position in (each for each, calls in waiting.items() if calls):
        exchange = exchanges[position]
        is_dead = any(at > position and other != exchange for at, other in latest)
        status = keys.STATUS_DEAD if is_dead else keys.STATUS_PENDING
        loaded[position].metadata[keys.STATUS] = status
        if not is_dead:
            pending.add(exchange)
    return pending


def _pinned(
    loaded: Sequence[LoadedTurn],
    exchanges: Sequence[str | None],
    pending: set[str | None],
    pins: Pins,
) -> set[str]:
    genuine = [turn.turn_id for turn in loaded if turn.role is USER and turn.kind is None]
    pinned: set[str] = set()
    if pins.first_user:
        summaries = [turn.turn_id for turn in loaded if turn.kind == keys.KIND_SUMMARY]
        pinned.update(genuine[:1] or summaries[-1:])
    if pins.last_user:
        pinned.update(genuine[-1:])
    whole = set(pending) if pins.pending_calls else set()
    if pins.newest_exchange and loaded:
        pinned.add(loaded[-1].turn_id)
        whole.add(exchanges[-1])
    whole.discard(None)
    if whole:
        pairs = zip(loaded, exchanges, strict=True)
        pinned.update([turn.turn_id for turn, exchange in pairs if exchange in whole])
    return pinned


def _turn(
    turn: LoadedTurn, exchange: str | None, count: Callable[[str], int], *, pinned: bool
) -> TranscriptTurn:
    """Return a turn; what only a caller's own objects bring is left to the constructor's checks."""
    turn_id, content = turn.turn_id, turn.content
    tokens = MESSAGE_TOKENS + count(content) + turn.media * MEDIA_TOKENS
    if turn.hidden:
        tokens += count(turn.hidden)
    if not (
        type(turn_id) is type(content) is str
        and turn_id
        and type(tokens) is int
        and tokens >= 0
        and (exchange is None or type(exchange) is str)
    ):
        return TranscriptTurn(
            turn_id,
            turn.role,
            content,
            tokens,
            tool_call_id=exchange,
            pinned=pinned,
            metadata=_metadata_of(turn),
        )
    metadata = _metadata_of(turn)
    return OpenTurn().closed(turn_id, turn.role, content, tokens, exchange, pinned, metadata)


def _metadata_of(turn: LoadedTurn) -> keys.Metadata:
    """Return what is known of a turn by its keys in order; what it brings itself goes first."""
    pairs: list[tuple[str, str]] = []
    if turn.makes:
        call_ids = canonical_strings([call.call_id for call in turn.makes])
        pairs.append((keys.CALL_IDS, call_ids))
    elif turn.answers:
        pairs.append((keys.CALL_IDS, canonical_strings(turn.answers)))
    if turn.kind is not None:
        pairs.append((keys.KIND, turn.kind))
    if turn.origin:
        pairs.append((keys.ORIGIN, turn.origin))
    if turn.failed:
        pairs.append((keys.STATUS, keys.STATUS_ERROR))
    if turn.tool_name is not None:
        pairs.append((keys.TOOL_NAME, turn.tool_name))
    if turn.metadata:
        return keys.Metadata({**dict(pairs), **turn.metadata})
    return keys.of_sorted(pairs)
