"""mini-SWE-agent: a `.traj.json` file, chat messages with an `extra` each.

Models with tool calls name them, as chat messages or as items of OpenAI's Responses. A model
without writes its one command into a fenced block, and the user message behind it is what the
command gave. The last message can have the role `exit`; no model is sent that.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold._metadata import KIND_INJECTED
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import (
    DEFAULT_PINS,
    Document,
    Found,
    Message,
    Place,
    messages_of,
    placed,
)
from turnfold.formats._either import Given, opened
from turnfold.formats._faults import Fault
from turnfold.formats._itemwise import Held, finished, pair_by_place
from turnfold.formats._marks import CLOSED_CALL
from turnfold.formats._openai_read import read_message
from turnfold.formats._parts import json_of
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._rewrite import (
    Spelling,
    call_id_of,
    flat,
    without_signed_reasoning,
    written_batches,
)
from turnfold.formats._roles import ASSISTANT, TOOL, USER
from turnfold.formats._rules.chats import Entry, check_entries
from turnfold.formats._session import Pins, Session, counted, is_unchanged
from turnfold.ledger import Ledger
from turnfold.protocols import Estimator
from turnfold.transcript import Transcript, TranscriptTurn
from turnfold.view import CompactedView

NAME: Final = "mini-swe-agent"
LINES: Final = False

_FENCES: Final = ("```mswea_bash_command\n", "```bash\n")
_RETURN_CODE: Final = "<returncode>"
_GENUINE: Final = "UserInterruption"


def matches(document: object) -> bool:
    """Whether a parsed JSON document is a trajectory of mini-SWE-agent; a bare list never is."""
    if not isinstance(document, Mapping) or not isinstance(document.get("messages"), list):
        return False
    named = document.get("trajectory_format")
    if named is not None:
        return isinstance(named, str) and named.startswith(NAME)
    info = document.get("info")
    return isinstance(info, Mapping) and "mini_version" in info


def parse(
    source: Given,
    *,
    scope: str = "live",  # noqa: ARG001  A trajectory has no part that is not live.
    pins: Pins = DEFAULT_PINS,
    estimator: Estimator | None = None,
    ledger: Ledger | None = None,
) -> Session:
    """Read the messages of a trajectory, or a bare list of them; it is never changed.

    A message is a turn `m{index}`, but for the role `exit`.

    Args:
        source: The parsed JSON, or its bytes.
        scope: Accepted for the sake of line formats.
        pins: What is pinned by default.
        estimator: Sizes the turns.
        ledger: The ledger of the compaction that wrote the document.

    Raises:
        UnreadableTranscript: No message can be read.
    """
    held = opened(source)
    messages = messages_of(held.document)
    path = () if isinstance(held.document, list) else ("messages",)
    return finished(
        NAME, held, _read(messages), path, pins=pins, estimator=estimator, ledger=ledger
    )


def _read(messages: Sequence[Any]) -> Found:
    found = Found()
    acts = False
    for index, message in enumerate(messages):
        if _is_exit(message):
            continue
        chat = _as_chat(message)
        if acts and _role(chat) == "user" and chat.get("content") == CLOSED_CALL:
            acts = False
            continue
        turn = read_message(index, chat, found)
        if turn is None:
            continue
        if turn.role is ASSISTANT:
            found.count(index, _tokens(message))
            acts = not turn.makes and _acts(turn, chat)
            if acts:
                turn.makes = (Call("", "bash"),)
        elif turn.role is USER and turn.kind is None:
            acts = _read_user(turn, chat, acts=acts)
        if turn.role is TOOL:
            turn.failed = _failed(turn, chat)
        found.add(turn, Place(index))
    pair_by_place([turn for turn, _ in found.turns])
    return found


def _tokens(message: Mapping[str, Any]) -> int:
    """Return what was counted at a response: beside a chat message, or in one of the Responses."""
    extra = message.get("extra")
    response = extra.get("response") if isinstance(extra, dict) else None
    usage = response.get("usage") if isinstance(response, dict) else message.get("usage")
    return (
        counted(usage, "total_tokens")
        or counted(usage, "prompt_tokens", "completion_tokens")
        or counted(usage, "input_tokens", "output_tokens")
    )


def _role(message: object) -> object:
    return message.get("role") if isinstance(message, dict) else None


def _is_exit(message: object) -> bool:
    return _role(message) == "exit"


def _as_chat(message: Any) -> Any:  # noqa: ANN401  JSON.
    """Return a message of OpenAI's Responses as a chat message; any other as it is."""
    if not isinstance(message, dict):
        return message
    if message.get("type") == "function_call_output":
        named = {"tool_call_id": message.get("call_id"), "content": message.get("output")}
        return {"role": "tool", **named, "extra": message.get("extra")}
    if message.get("object") != "response" or not isinstance(message.get("output"), list):
        return message
    items = [item for item in message["output"] if isinstance(item, dict)]
    parts = [
        part
        for item in items
        if item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
    ]
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    return {
        "role": "assistant",
        "content": parts,
        "tool_calls": [_as_call(item) for item in items if item.get("type") == "function_call"],
        "reasoning": json_of(thoughts) if thoughts else "",
    }


def _as_call(item: Message) -> Message:
    function = {"name": item.get("name"), "arguments": item.get("arguments")}
    return {"id": item.get("call_id"), "type": "function", "function": function}


def _extra(message: Message) -> Mapping[str, Any]:
    extra = message.get("extra")
    return extra if isinstance(extra, dict) else {}


def _acts(turn: LoadedTurn, message: Message) -> bool:
    """Whether a message without tool calls holds one command, as the agent takes it."""
    actions = _extra(message).get("actions")
    if isinstance(actions, list):
        return bool(actions)
    counts = [turn.content.count(fence) for fence in _FENCES]
    return next((count for count in counts if count), 0) == 1


def _read_user(turn: LoadedTurn, message: Message, *, acts: bool) -> bool:
    """Tell what a command gave, and what the agent wrote, from a person's words."""
    interrupt = _extra(message).get("interrupt_type")
    if interrupt is not None:
        turn.kind = None if interrupt == _GENUINE else KIND_INJECTED
    elif acts:
        turn.role, turn.answers = TOOL, ("",)
        return False
    return acts


def _failed(turn: LoadedTurn, message: Message) -> bool:
    code = _extra(message).get("returncode")
    if isinstance(code, int):
        return code != 0
    if not turn.content.startswith(_RETURN_CODE):
        return False
    return not turn.content.startswith(f"{_RETURN_CODE}0<")


def render(
    view: CompactedView | Transcript, session: Session, *, reasoning: Reasoning | None = None
) -> bytes | Document:
    """Return the messages of a view in the wrapper of the input (contract R2).

    A message `exit` stays at the end. What `extra` repeats of a masked output is left out.

    Args:
        view: The view.
        session: The session that it was made of.
        reasoning: What becomes of thinking blocks and reasoning items; by default they are left
            out after the first edit, as providers bind them to what stands before.

    Raises:
        UnrenderableView: Nothing but system messages would be left, or a turn has no original.
    """
    held: Held = session.source
    if is_unchanged(view, session):
        return held.opened.given
    stripped = stripped_turns(view, session, reasoning or "strip_after_edit")

    def kept(message: Message, turn: TranscriptTurn) -> Message:
        return _without_reasoning(message) if turn.turn_id in stripped else message

    spelling = Spelling(_summary, _masked, _closing, kept, _without_reasoning)
    messages = flat(written_batches(view, held.source, spelling))
    messages += filter(_is_exit, held.source.messages)
    return held.opened.spelled(placed(held.source.document, held.source.path, messages))


def _summary(turn: TranscriptTurn) -> Message:
    return {"role": "user", "content": turn.content}


def _without_reasoning(message: Message) -> Message:
    """Leave out signed reasoning; items that followed it lose their ids, which would miss it."""
    output = message.get("output")
    if message.get("object") != "response" or not isinstance(output, list):
        return without_signed_reasoning(message)
    if not any(isinstance(item, dict) and item.get("type") == "reasoning" for item in output):
        return message
    kept = [
        {key: value for key, value in item.items() if key != "id"}
        for item in output
        if isinstance(item, dict) and item.get("type") != "reasoning"
    ]
    return {**message, "output": kept}


def _masked(message: Message, text: str) -> Message:
    if message.get("object") == "response":
        content = [{"type": "output_text", "text": text, "annotations": []}]
        calls = [
            item
            for item in _without_reasoning(message)["output"]
            if isinstance(item, dict) and item.get("type") == "function_call"
        ]
        said = {"type": "message", "role": "assistant", "content": content}
        masked = {**message, "output": [said, *calls]}
    else:
        key = "output" if message.get("type") == "function_call_output" else "content"
        masked = without_signed_reasoning({**message, key: text})
    if isinstance(message.get("extra"), dict):
        short = (int, float, type(None))
        extra = {key: value for key, value in message["extra"].items() if isinstance(value, short)}
        masked["extra"] = extra
    return masked


def _closing(message: Message, number: int) -> Message:
    call_id = call_id_of(_as_chat(message), number)
    if call_id is None:
        return {"role": "user", "content": CLOSED_CALL}
    if message.get("object") == "response":
        return {"type": "function_call_output", "call_id": call_id, "output": CLOSED_CALL}
    return {"role": "tool", "tool_call_id": call_id, "content": CLOSED_CALL}


def check(document_or_bytes: Given, *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault for which a provider would refuse the messages.

    Args:
        document_or_bytes: The parsed JSON of a trajectory, or its bytes.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    document = opened(document_or_bytes).document
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list):
        return [Fault("messages", "no_messages", "there is no list of messages")]
    while messages and isinstance(messages[-1], dict) and messages[-1].get("role") == "exit":
        messages = messages[:-1]
    return check_entries(list(_entries(messages)), pending_ok=pending_ok)


def _entries(messages: Sequence[Any]) -> Iterator[Entry]:
    waits = False
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if not isinstance(message, dict):
            yield Entry(place, type(message).__name__)
        elif message.get("type") == "function_call_output":
            yield Entry(place, "tool", answers=str(message.get("call_id") or ""))
        elif message.get("object") == "response":
            items = _objects(message.get("output"))
            made = [each for each in items if each.get("type") == "function_call"]
            calls = tuple(str(each.get("call_id") or "") for each in made)
            yield Entry(place, "assistant", calls, is_blank=not items)
        else:
            entry, waits = _entry(place, message, waits=waits)
            yield entry


def _objects(value: object) -> list[Message]:
    return [each for each in (value if isinstance(value, list) else ()) if isinstance(each, dict)]


def _entry(place: str, message: Message, *, waits: bool) -> tuple[Entry, bool]:
    role, content = str(message.get("role")), message.get("content")
    if role == "tool":
        return Entry(place, role, answers=str(message.get("tool_call_id") or "")), waits
    extra = message.get("extra")
    held = extra if isinstance(extra, dict) else {}
    if role == "user" and waits and held.get("interrupt_type") is None:
        return Entry(place, "tool"), False
    calls = tuple(str(call.get("id") or "") for call in _objects(message.get("tool_calls")))
    is_blank = content in (None, [], "") and not calls
    if role != "assistant" or calls:
        return Entry(place, role, calls, is_blank=is_blank), False
    text = content if isinstance(content, str) else json_of(content).replace("\\n", "\n")
    actions = held.get("actions")
    if isinstance(actions, list):
        waits = bool(actions)
    else:
        named, plain = (text.count(fence) for fence in _FENCES)
        waits = (named or plain) == 1
    return Entry(place, role, ("",) if waits else (), is_blank=is_blank), waits
