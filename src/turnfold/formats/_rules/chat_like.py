"""The rules that are common to the providers' chats, for formats that any provider may get.

A framework has no rules of its own; the provider's hold once its messages are converted. What is
checked here is what OpenAI, Anthropic and Gemini all refuse in one wording or another. Written
without a look at the renderers: it is what their output is held against.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from turnfold.formats._faults import Fault

UNANSWERED: Final = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {}"
)
ORPHANED: Final = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message "
    "with 'tool_calls'."
)
REPEATED: Final = "`tool_use` ids must be unique"
FIRST_ROLE: Final = (
    "Please ensure that function call turn comes immediately after a user turn or after a "
    "function response turn."
)
EMPTY: Final = "text content blocks must be non-empty"


@dataclass(frozen=True, slots=True)
class Event:
    """What happens in a chat, as far as the rules are about it.

    Args:
        place: A path for a person.
        kind: Who speaks; `result` for the answer to one call.
        calls: The ids of the calls that an assistant makes.
        answer: The id of the call that a result answers.
        blank: Whether there is nothing in it: no text, no medium, no call.
    """

    place: str
    kind: Literal["system", "user", "assistant", "result"]
    calls: tuple[str, ...] = ()
    answer: str = ""
    blank: bool = False


def check_events(events: Iterable[Event], *, pending_ok: bool, user_first: bool) -> list[Fault]:
    """Return every fault of a chat; empty where there is none.

    Args:
        events: What happens, in order.
        pending_ok: Whether calls at the very end may wait for their results.
        user_first: Whether the model must not open the chat.
    """
    listed = list(events)
    faults = list(_shapes(listed, user_first=user_first))
    return faults + list(_pairs(listed, pending_ok=pending_ok))


def _shapes(events: list[Event], *, user_first: bool) -> Iterator[Fault]:
    spoken = [event for event in events if event.kind != "system"]
    if not spoken:
        yield Fault("messages", "only_system", "there is no message besides system messages")
    elif user_first and spoken[0].kind != "user":
        message = "the first message after the system prompt is not a user's"
        yield Fault(spoken[0].place, "first_role", message, FIRST_ROLE)
    for event in events:
        if event.blank and event.kind != "result":
            yield Fault(event.place, "empty_text", "the message holds no text and no call", EMPTY)


def _pairs(events: list[Event], *, pending_ok: bool) -> Iterator[Fault]:
    """Each call is answered once, before anybody speaks again, and nothing else is answered."""
    waiting: Counter[str] = Counter()
    caller = ""
    for event in events:
        if event.kind == "result":
            if not waiting[event.answer]:
                message = f"no call before it waits for {event.answer!r:.80}"
                yield Fault(event.place, "orphan_result", message, ORPHANED)
            else:
                waiting[event.answer] -= 1
            continue
        yield from _open(waiting, caller)
        waiting, caller = Counter(event.calls), event.place
        if any(count > 1 for call_id, count in waiting.items() if call_id):
            yield Fault(event.place, "repeated_id", "ids of one message repeat", REPEATED)
    if not pending_ok:
        yield from _open(waiting, caller)


def _open(waiting: Counter[str], caller: str) -> Iterator[Fault]:
    for call_id in sorted((+waiting).elements()):
        message = f"the call {call_id!r:.80} has no result before the next message"
        yield Fault(caller, "unanswered_call", message, UNANSWERED.format(call_id))
