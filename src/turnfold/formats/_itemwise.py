"""A conversation that is a list of items, each of them one turn or a part of one: reading it.

What is common to such formats: calls and results that are linked by their place, and which of
several conversations is meant.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from turnfold.errors import InvalidConfiguration, UnreadableTranscript
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found, Source, finish
from turnfold.formats._either import Opened
from turnfold.formats._roles import ASSISTANT, TOOL
from turnfold.formats._session import Pins, Session
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator

Path = tuple[str | int, ...]

_NO_ID: Final = ""


@dataclass(frozen=True, slots=True)
class Held:
    """What rendering needs: where the turns stand, and the input."""

    source: Source
    opened: Opened


def pair_by_place(turns: Sequence[LoadedTurn]) -> None:
    """Link calls and results that have no ids: a result answers the model's turn before it.

    A turn that names its calls waits for as many results, whatever a person says in between. One
    that names none made as many calls as results stand directly behind it. A result that no call
    waits for stays an orphan (known failure A8).

    Args:
        turns: The turns in order. An empty call id means that there is none; ids are written in.
    """
    waiting: deque[str] = deque()
    for position, turn in enumerate(turns):
        if turn.role is ASSISTANT:
            waiting = deque(_numbered(turn, results_behind(turns, position)))
        elif turn.role is TOOL and turn.answers == (_NO_ID,):
            turn.answers = (waiting.popleft() if waiting else turn.turn_id,)


def results_behind(turns: Sequence[LoadedTurn], position: int) -> int:
    """Return how many results without an id stand directly behind a turn."""
    end = position + 1
    while end < len(turns) and turns[end].role is TOOL and turns[end].answers == (_NO_ID,):
        end += 1
    return end - position - 1


def _numbered(turn: LoadedTurn, results: int) -> list[str]:
    """Give the calls of a turn ids; return those that wait for a result by its place."""
    made = turn.makes or tuple(Call(_NO_ID, "") for _ in range(results))
    numbered = [
        call if call.call_id else Call(f"{turn.turn_id}.{number}", call.name)
        for number, call in enumerate(made)
    ]
    turn.makes = tuple(numbered)
    return [call.call_id for call, before in zip(numbered, made, strict=True) if not before.call_id]


def chosen(paths: Sequence[Path], conversation: int | None, places: str) -> Path:
    """Return where the conversation is that is meant.

    Args:
        paths: Where there are conversations.
        conversation: The number of one of them, counted from 0; None where there is only one.
        places: What holds them, for a person.

    Raises:
        UnreadableTranscript: There are several and none is named, or there are not so many.
        InvalidConfiguration: The number is no whole number from 0.
    """
    if conversation is None:
        if len(paths) == 1:
            return paths[0]
        msg = (
            f"{places} hold {len(paths)} conversations; name one of them: conversation=0 to "
            f"conversation={len(paths) - 1}"
        )
        raise UnreadableTranscript(msg, {"conversations": len(paths)})
    if type(conversation) is not int or conversation < 0:
        msg = f"conversation is a whole number from 0, or None; got {conversation!r:.40}"
        raise InvalidConfiguration(msg, {"conversation": repr(conversation)[:40]})
    if conversation >= len(paths):
        msg = f"there is no conversation={conversation}: {places} hold {len(paths)}"
        raise UnreadableTranscript(msg, {"conversations": len(paths)})
    return paths[conversation]


def at_path(document: Any, path: Path) -> Any:  # noqa: ANN401  JSON.
    """Return what stands at a path of a document."""
    for step in path:
        document = document[step]
    return document


def spelled_path(path: Path, root: str) -> str:
    """Return a path for a person: `[1].history`; the root's name where there is none."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]
    return "".join(steps).removeprefix(".") or root


def relocated(found: Found, root: str) -> Found:
    """Return what was found with places that name another list than `messages`."""
    for turn, _ in found.turns:
        turn.origin = turn.origin.replace("messages", root, 1)
    found.damage = [
        replace(each, place=each.place.replace("messages", root, 1)) for each in found.damage
    ]
    return found


def finished(
    name: str,
    held: Opened,
    found: Found,
    path: Path,
    *,
    items: Sequence[Any] | None = None,
    pins: Pins,
    estimator: Estimator | None,
    ledger: Ledger | None,
) -> Session:
    """Build the session of the turns that were found, with the input that they were found in.

    Args:
        name: The name of the format.
        held: The input.
        found: The turns and the damage.
        path: Where the list of items stands in the document.
        items: The items, where they are others than those of the list.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No turn was found.
    """
    listed = at_path(held.document, path) if items is None else items
    session = finish(
        name,
        held.document,
        listed,
        found,
        path=path,
        pins=pins,
        estimator=estimator,
        ledger=ledger,
    )
    source = Held(session.source, held)
    return replace(session, source=source, damage=held.damage + session.damage)
