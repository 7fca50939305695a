"""What chats ask of calls and results, with ids or by their place; written without a renderer.

A chat is spelled as entries: what is said by whom, which calls it makes, which call it answers.
The words of a fault are OpenAI's, as chats of recorded runs are sent to such an endpoint.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from turnfold.formats._faults import Fault

_UNANSWERED: Final = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {}"
)
_ORPHAN: Final = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
    "with 'tool_calls'."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One message.

    Args:
        place: Where it stands.
        role: `system`, `user`, `assistant`, `tool`, or whatever else was found.
        calls: The ids of its calls, empty ones where calls have none.
        answers: The id of the call that a `tool` entry answers.
        is_blank: Whether it neither says nor calls anything.
    """

    place: str
    role: str
    calls: tuple[str, ...] = ()
    answers: str = ""
    is_blank: bool = False


def check_entries(entries: Sequence[Entry], *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault of a chat: pairing, roles, messages that say nothing.

    Args:
        entries: The messages in order.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    faults = list(_pairing(entries, pending_ok=pending_ok))
    for entry in entries:
        if entry.role not in ("system", "user", "assistant", "tool"):
            message = f"no endpoint takes the role {entry.role!r:.40}"
            words = f"Invalid value: {entry.role!r:.40}. Supported values are: 'system', ..."
            faults.append(Fault(entry.place, "role", message, words))
        elif entry.is_blank and entry.role != "tool":
            words = "Invalid value for 'content': expected a string, got null."
            faults.append(Fault(entry.place, "no_content", "content is missing", words))
    if all(entry.role == "system" for entry in entries):
        message = "there is no message besides system messages"
        faults.append(Fault("messages", "only_system", message))
    return faults


def _pairing(entries: Sequence[Entry], *, pending_ok: bool) -> Iterator[Fault]:
    """Check that all results of a message stand right behind it, and nothing else does."""
    expected: list[str] = []
    for entry in entries:
        if entry.role == "tool":
            if entry.answers in expected:
                expected.remove(entry.answers)
            else:
                message = f"no call before it waits for {entry.answers!r}"
                yield Fault(entry.place, "orphan_result", message, _ORPHAN)
            continue
        if expected:
            yield _unanswered(entry.place, expected)
        expected = list(entry.calls)
        named = [each for each in expected if each]
        if len(set(named)) < len(named):
            yield Fault(entry.place, "repeated_id", "ids of one message repeat", "Duplicate value")
        if expected and entry.role != "assistant":
            yield Fault(entry.place, "call_role", "only an assistant message makes calls")
    if expected and not pending_ok:
        yield _unanswered("messages", expected)


def _unanswered(place: str, calls: Sequence[str]) -> Fault:
    named = ", ".join(calls)
    message = f"{len(calls)} calls before it have no result"
    return Fault(place, "unanswered_call", message, _UNANSWERED.format(named))
