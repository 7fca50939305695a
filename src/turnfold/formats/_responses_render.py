"""From the turns of a view to the items of OpenAI's Responses.

What the provider accepts, and what a rendering therefore does:

- Every call has its result somewhere behind it; here results stand directly behind the model
  items of their batch. A call that was given up is closed, never as a success; one that is still
  pending at the end stays open. An orphan is left out.
- Reasoning stands before the item that it led to. It goes with its turn, and never half of it;
  where it is left out by itself, the items behind it lose their ids, which would ask for it.
- There is no rule on who speaks first. Where all between two turns of the model was removed, a
  bridge says so, and keeps them two.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from turnfold.formats._batches import Batch, batches_of
from turnfold.formats._blank_image import blank_image
from turnfold.formats._document import Source
from turnfold.formats._marks import BRIDGE, CLOSED_CALL
from turnfold.formats._reasoning import Reasoning, stripped_turns
from turnfold.formats._responses_items import Item, call_id_of, is_call, kind_of, part_of
from turnfold.formats._session import Session, renderable_turns
from turnfold.formats._short_inputs import Shortened, items_at, shortened
from turnfold.transcript import Role, Transcript, TranscriptTurn
from turnfold.view import CompactedView

_LINKED: Final = frozenset(
    {
        "mcp_approval_request",
        "item_reference",
        "image_generation_call",
        "local_shell_call",
        "program",
    }
)
"""Items whose id another item may name."""


class Written(NamedTuple):
    """An item of a rendering, its turn, and its number in the source where it is the original."""

    item: Item
    turn: TranscriptTurn
    at: int | None


def written_items(
    view: CompactedView | Transcript,
    session: Session,
    source: Source,
    *,
    reasoning: Reasoning | None = None,
    is_rollout: bool = False,
) -> list[Written]:
    """Return the items of a view in an order that the provider accepts.

    Args:
        view: The view; orphans are left out.
        session: The session that it was made from.
        source: The items and the places of the turns in them.
        reasoning: What becomes of reasoning; None is `keep`: the provider itself ignores what an
            edit made void.
        is_rollout: Whether Codex reads the items; it answers its local shell as a function.

    Raises:
        UnrenderableView: Nothing but SYSTEM turns would be left.
    """
    turns = renderable_turns(view)
    stripped = stripped_turns(view, session, reasoning or "keep", keeps_loop=False)
    short = shortened(view, source, numbers=items_at)
    writer = _Writer(short, stripped, is_rollout=is_rollout)
    written: list[Written] = []
    for batch in batches_of(turns, source):
        items = list(writer.write(batch))
        if items and written and _would_run_on(written[-1], items[0]):
            written.append(Written(words("user", BRIDGE), batch.turn, None))
        written += items
    return written


def _would_run_on(written: Written, following: Written) -> bool:
    """Whether two turns would be read as one: what stood between them was removed."""
    return all(
        each.turn.role is Role.ASSISTANT and part_of(each.item) == "model"
        for each in (written, following)
    )


class _Writer:
    def __init__(self, short: Shortened, stripped: frozenset[str], *, is_rollout: bool) -> None:
        self._source, self._short = short
        self._stripped = stripped
        self._is_rollout = is_rollout

    def write(self, batch: Batch) -> Iterator[Written]:
        """Yield the items of a turn, the results of its calls, and what closes the others."""
        yield from self._items_of(batch.turn)
        for turn in batch.results:
            yield from self._items_of(turn)
        if batch.to_close:
            calls = [item for _, item in self._originals(batch.turn) if is_call(item)]
            for number in batch.to_close:
                closing = closing_of(calls[number], is_rollout=self._is_rollout)
                yield Written(closing, batch.turn, None)

    def _originals(self, turn: TranscriptTurn) -> list[tuple[int, Item]]:
        place = self._source.places.get(turn.turn_id)
        indexes = place.blocks or () if place else ()
        return [(index, self._source.messages[index]) for index in indexes]

    def _items_of(self, turn: TranscriptTurn) -> Iterator[Written]:
        originals = self._originals(turn)
        if turn.turn_id not in self._source.places:
            yield Written(words("user", turn.content), turn, None)
        elif originals and self._source.is_changed(turn):
            for item in changed_items([item for _, item in originals], turn):
                yield Written(item, turn, None)
        elif turn.turn_id in self._short:
            yield from (Written(item, turn, None) for _, item in _stripped(originals))
        elif turn.turn_id in self._stripped:
            yield from (Written(item, turn, index) for index, item in _stripped(originals))
        else:
            yield from (Written(item, turn, index) for index, item in originals)


def _stripped(originals: Iterable[tuple[int, Item]]) -> Iterator[tuple[int | None, Item]]:
    """Yield model items without their reasoning, and without the ids that would ask for it."""
    is_bound = False
    for index, item in originals:
        kind = kind_of(item)
        if kind == "reasoning":
            is_bound = True
        elif is_bound and "id" in item and kind not in _LINKED:
            yield None, without_id(item)
        else:
            yield index, item


def without_id(item: Item) -> Item:
    """Return an item without its id."""
    return {key: value for key, value in item.items() if key != "id"}


def words(role: str, text: str) -> Item:
    """Return a new message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def changed_items(items: Sequence[Item], turn: TranscriptTurn) -> list[Item]:
    """Return the items of a turn that say another text, and nothing of what they said."""
    if turn.role is Role.TOOL:
        return [_changed_result(item, turn.content) for item in items]
    if turn.role is Role.ASSISTANT:
        # What was reasoned led to words that are gone, so none of it stays.
        return [
            words("assistant", turn.content),
            *(_emptied(each) for each in items if is_call(each)),
        ]
    item = items[-1]
    content = item.get("content")
    text: Any = turn.content
    if isinstance(content, list):
        text = words("user", turn.content)["content"]
    return [{**item, "content": text}] if part_of(item) != "compaction" else list(items)


def _changed_result(item: Item, text: str) -> Item:
    output = item.get("output")
    said: dict[str, Any]
    match item["type"]:
        case "computer_call_output":
            said = {"output": _screenshot(text)}
        case "shell_call_output":
            said = {"output": [{"stdout": text, "stderr": "", "outcome": _outcome_of(output)}]}
        case "mcp_approval_response":
            said = {"reason": text}
        case "tool_search_output":
            said = {"tools": []}
        case "program_output":
            said = {"result": text}
        case _ if isinstance(output, dict) and isinstance(output.get("content"), str):
            said = {"output": {**output, "content": text}}
        case _:
            said = {"output": text}
    return {**item, **said}


def _screenshot(text: str) -> Item:
    return {"type": "computer_screenshot", "image_url": blank_image(text)}


def _outcome_of(output: object) -> object:
    """Return how a shell ended: the first outcome that is no success, else a success."""
    chunks = output if isinstance(output, list) else ()
    outcomes = [each.get("outcome") for each in chunks if isinstance(each, dict)]
    failed = [each for each in outcomes if isinstance(each, dict) and each.get("exit_code") != 0]
    return failed[0] if failed else {"type": "exit", "exit_code": 0}


def _emptied(item: Item) -> Item:
    """Return a call without its input, and without the id that would ask for its reasoning."""
    kind = item["type"]
    call = item if kind in _LINKED else without_id(item)
    empties: dict[str, Item] = {
        "custom_tool_call": {"input": ""},
        "local_shell_call": {"action": {"type": "exec", "command": [], "env": {}}},
        "shell_call": {"action": {"commands": []}},
        "apply_patch_call": {"operation": _emptied_patch(item.get("operation"))},
        "computer_call": {"action": {"type": "screenshot"}},
        "tool_search_call": {"arguments": {}},
        "program": {"code": ""},
    }
    call = {**call, **empties.get(kind, {"arguments": "{}"})}
    if kind == "computer_call":
        call.pop("actions", None)
    return call


def _emptied_patch(operation: object) -> object:
    if not isinstance(operation, dict):
        return operation
    return {**operation, "diff": ""} if "diff" in operation else operation


def closing_of(call: Item, *, is_rollout: bool) -> Item:
    """Return the result that closes a call which was never answered (known failure A12)."""
    found = call_id_of(call)
    call_id = found if isinstance(found, str) else ""
    body: Item
    kind, body = "function_call_output", {"call_id": call_id, "output": CLOSED_CALL}
    match call["type"]:
        case "custom_tool_call":
            kind = "custom_tool_call_output"
        case "local_shell_call" if not is_rollout:
            kind, body = "local_shell_call_output", {"id": call_id, "output": CLOSED_CALL}
        case "apply_patch_call":
            kind, body = "apply_patch_call_output", {**body, "status": "failed"}
        case "shell_call":
            chunk = {"stdout": "", "stderr": CLOSED_CALL, "outcome": {"type": "timeout"}}
            kind, body = "shell_call_output", {"call_id": call_id, "output": [chunk]}
        case "computer_call":
            body = {"call_id": call_id, "output": _screenshot(CLOSED_CALL)}
            kind = "computer_call_output"
        case "mcp_approval_request":
            body = {"approval_request_id": call_id, "approve": False, "reason": CLOSED_CALL}
            kind = "mcp_approval_response"
        case "tool_search_call":
            body = {"call_id": call_id, "tools": [], "status": "incomplete"}
            kind = "tool_search_output"
        case "program":
            body = {"id": f"{call_id}_closed", "call_id": call_id, "status": "incomplete"}
            kind, body = "program_output", {**body, "result": CLOSED_CALL}
    return {"type": kind, **body}
