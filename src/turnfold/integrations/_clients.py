"""The clients of OpenAI and Anthropic: a hook of theirs through which every request goes.

Both are made by the same generator. `_prepare_options` is their hook for changing the options of a
request: create, parse, stream, raw responses and tool runners all pass it, and its body is plain
JSON by then. Neither client is imported here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from turnfold.budget import CompactionBudget
from turnfold.errors import InvalidConfiguration
from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversations import Conversations
from turnfold.integrations._dialect import PlainDialect
from turnfold.integrations._weights import weight_of

ClientT = TypeVar("ClientT")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A way to the model.

    Args:
        path: How its URL ends, without a query.
        format: The format of its messages.
        messages: The key of its messages.
        beside: The keys of what takes up room besides them, as text.
        answer: The keys of what the answer may take up, in tokens.
        elsewhere: The keys that say that the provider keeps or compacts the history itself.
    """

    path: str
    format: str
    messages: str
    beside: tuple[str, ...]
    answer: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()

    def is_ours(self, body: Mapping[str, Any]) -> bool:
        """Whether a request sends its whole history, and nobody else compacts it."""
        return isinstance(body.get(self.messages), list) and not any(
            _is_elsewhere(body.get(key)) for key in self.elsewhere
        )

    def room_beside(self, body: Mapping[str, Any]) -> int:
        """Return what a request needs besides its messages, in tokens."""
        sent = [body[key] for key in self.beside if body.get(key)]
        answers = [body[key] for key in self.answer if type(body.get(key)) is int]
        return (weight_of(sent) if sent else 0) + max(answers, default=0)


def _is_elsewhere(value: object) -> bool:
    """Whether a value says so: an id, or edits among which there is a compaction."""
    edits = value.get("edits") if isinstance(value, Mapping) else value
    if isinstance(edits, Sequence) and not isinstance(edits, str):
        return any(
            isinstance(edit, Mapping) and str(edit.get("type")).startswith("compact")
            for edit in edits
        )
    return bool(value)


def wrapped(
    client: ClientT,
    endpoints: Sequence[Endpoint],
    budget: CompactionBudget | int,
    **options: Any,  # noqa: ANN401  Those of `Compactor`.
) -> ClientT:
    """Return a copy of a client whose requests fit; copies of the copy do as well.

    Raises:
        InvalidConfiguration: It is no such client.
    """
    kind: Any = type(client)
    hook = getattr(kind, "_prepare_options", None)
    copy = getattr(client, "copy", None)
    if hook is None or copy is None:
        msg = f"a client of the provider's package is wanted; got a {kind.__name__}"
        raise InvalidConfiguration(msg, {"type": kind.__name__})
    known = {
        endpoint: Conversations(Compactor(PlainDialect(endpoint.format), budget, **options))
        for endpoint in endpoints
    }

    def found(request: Any) -> tuple[Endpoint, dict[str, Any]] | None:  # noqa: ANN401
        body = request.json_data
        if isinstance(body, dict):
            path = str(request.url).partition("?")[0]
            for endpoint in endpoints:
                if path.endswith(endpoint.path) and endpoint.is_ours(body):
                    return endpoint, body
        return None

    def prepare(self: Any, request: Any) -> Any:  # noqa: ANN401
        if ours := found(request):
            endpoint, body = ours
            history = body[endpoint.messages]
            conversation = known[endpoint].of(history)
            sent = conversation.fit(history, beside=endpoint.room_beside(body))
            request.json_data = {**body, endpoint.messages: sent}
        return hook(self, request)

    async def prepare_async(self: Any, request: Any) -> Any:  # noqa: ANN401
        if ours := found(request):
            endpoint, body = ours
            history = body[endpoint.messages]
            conversation = known[endpoint].of(history)
            sent = await conversation.fit_async(history, beside=endpoint.room_beside(body))
            request.json_data = {**body, endpoint.messages: sent}
        return await hook(self, request)

    replaced = prepare_async if iscoroutinefunction(hook) else prepare
    made: Any = copy()
    made.__class__ = type(f"Compacting{kind.__name__}", (kind,), {"_prepare_options": replaced})
    copied: ClientT = made
    return copied
