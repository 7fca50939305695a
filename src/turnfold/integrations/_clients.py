"""The clients of OpenAI and Anthropic: a hook of theirs through which every request goes.

Both are made by the same generator. `_prepare_options` is their hook for changing the options of a
request: create, parse, stream, raw responses and tool runners all pass it, and its body is plain
JSON by then. `request` is around it, and raises what the provider refused. Neither client is
imported here.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, Final, TypeVar

from turnfold.budget import CompactionBudget
from turnfold.errors import InvalidConfiguration
from turnfold.formats import Reasoning
from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversations import Conversations
from turnfold.integrations._dialect import PlainDialect
from turnfold.integrations.overflow import Overflow, overflow_of
from turnfold.tokens import text_tokens

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
        reasoning_of: What becomes of reasoning behind an edit, by a request; None for the
            format's default.
    """

    path: str
    format: str
    messages: str
    beside: tuple[str, ...]
    answer: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    reasoning_of: Callable[[Mapping[str, Any]], Reasoning | None] = lambda body: None  # noqa: ARG005

    def is_ours(self, body: Mapping[str, Any]) -> bool:
        """Whether a request sends its whole history, and nobody else compacts it."""
        return isinstance(body.get(self.messages), list) and not any(
            _is_elsewhere(body.get(key)) for key in self.elsewhere
        )

    def room_beside(self, body: Mapping[str, Any]) -> int:
        """Return what a request needs besides its messages, in tokens."""
        sent = [body[key] for key in self.beside if body.get(key)]
        answers = [body[key] for key in self.answer if type(body.get(key)) is int]
        # The keys of a schema are sent as well.
        return (text_tokens(json.dumps(sent)) if sent else 0) + max(answers, default=0)


def _is_elsewhere(value: object) -> bool:
    """Whether a value says so: an id, or edits among which there is a compaction."""
    edits = value.get("edits") if isinstance(value, Mapping) else value
    if isinstance(edits, Sequence) and not isinstance(edits, str):
        return any(
            isinstance(edit, Mapping) and str(edit.get("type")).startswith("compact")
            for edit in edits
        )
    return bool(value)


def _body_of(request: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what a request will hold: clients add `extra_body` behind their hook."""
    body, more = request.json_data, request.extra_json
    return {**body, **(more or {})} if isinstance(body, dict) else {}


def _send(request: Any, key: str, messages: list[Any]) -> None:  # noqa: ANN401
    """Have a request hold other messages; a body that is handed in is not changed."""
    if key in (request.extra_json or ()):
        request.extra_json = {**request.extra_json, key: messages}
    else:
        request.json_data = {**request.json_data, key: messages}


class Doors:
    """The conversations of a client, by endpoint and by what becomes of their reasoning."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        budget: CompactionBudget | int,
        options: Mapping[str, Any],
    ) -> None:
        self._known: dict[tuple[Endpoint, Reasoning | None], Conversations[Any]] = {}
        self._endpoints = endpoints
        self._budget = budget
        self._options = options
        for endpoint in endpoints:
            self._conversations(endpoint, None)

    def of(self, request: Any) -> tuple[Endpoint, Conversations[Any]] | None:  # noqa: ANN401
        """Return where a request goes and the conversations there; None where it is not ours."""
        body = _body_of(request)
        path = str(request.url).partition("?")[0]
        for endpoint in self._endpoints:
            if path.endswith(endpoint.path) and endpoint.is_ours(body):
                return endpoint, self._conversations(endpoint, endpoint.reasoning_of(body))
        return None

    def _conversations(self, endpoint: Endpoint, reasoning: Reasoning | None) -> Conversations[Any]:
        known = self._known.get((endpoint, reasoning))
        if known is None:
            options = {"reasoning": reasoning, **self._options}
            made: Compactor[Any] = Compactor(PlainDialect(endpoint.format), self._budget, **options)
            known = self._known[endpoint, reasoning] = Conversations(made)
        return known


@dataclass(slots=True)
class _Call:
    """A call of a client, which may take two requests: the second where the first was too long."""

    is_fitted: bool = False
    refusal: Exception | None = None
    overflow: Overflow | None = None

    def is_refused(self, fault: Exception) -> bool:
        """Whether what was fitted was refused as too long, so that a second request is made."""
        self.refusal = fault
        self.overflow = overflow_of(fault) if self.is_fitted else None
        return self.overflow is not None

    def taken_overflow(self) -> Overflow | None:
        """Return what the first request was refused for, once: clients retry on their own too."""
        overflow, self.overflow = self.overflow, None
        self.is_fitted = True
        return overflow

    def sent(self, messages: list[Any] | None) -> list[Any]:
        """Return the messages of the second request; raise the refusal where there are none."""
        if messages is None:
            assert self.refusal is not None  # noqa: S101  Only a refusal makes it ask for less.
            raise self.refusal
        return messages


_CALL: Final[ContextVar[_Call | None]] = ContextVar("turnfold_client_call", default=None)


@contextmanager
def _called() -> Iterator[_Call]:
    call = _Call()
    token = _CALL.set(call)
    try:
        yield call
    finally:
        _CALL.reset(token)


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
    methods = _asynchronous if iscoroutinefunction(hook) else _synchronous
    made: Any = copy()
    replaced = methods(kind, Doors(endpoints, budget, options))
    made.__class__ = type(f"Compacting{kind.__name__}", (kind,), replaced)
    copied: ClientT = made
    return copied


def _synchronous(kind: Any, doors: Doors) -> dict[str, Any]:  # noqa: ANN401
    """Return the methods of a client that are replaced."""

    def prepare(self: Any, request: Any) -> Any:  # noqa: ANN401
        if found := doors.of(request):
            endpoint, conversations = found
            call, body = _CALL.get() or _Call(), _body_of(request)
            history, beside = body[endpoint.messages], endpoint.room_beside(body)
            with conversations.lent(history) as conversation:
                if overflow := call.taken_overflow():
                    sent = call.sent(conversation.refit(history, overflow, beside=beside))
                else:
                    sent = conversation.fit(history, beside=beside)
            _send(request, endpoint.messages, sent)
        return kind._prepare_options(self, request)  # noqa: SLF001  The client's hook.

    def request(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        with _called() as call:
            try:
                return kind.request(self, *args, **kwargs)
            except Exception as fault:
                if not call.is_refused(fault):
                    raise
            return kind.request(self, *args, **kwargs)

    return {"_prepare_options": prepare, "request": request}


def _asynchronous(kind: Any, doors: Doors) -> dict[str, Any]:  # noqa: ANN401
    """Return the methods of an asynchronous client that are replaced."""

    async def prepare(self: Any, request: Any) -> Any:  # noqa: ANN401
        if found := doors.of(request):
            endpoint, conversations = found
            call, body = _CALL.get() or _Call(), _body_of(request)
            history, beside = body[endpoint.messages], endpoint.room_beside(body)
            with conversations.lent(history) as conversation:
                if overflow := call.taken_overflow():
                    less = await conversation.refit_async(history, overflow, beside=beside)
                    sent = call.sent(less)
                else:
                    sent = await conversation.fit_async(history, beside=beside)
            _send(request, endpoint.messages, sent)
        return await kind._prepare_options(self, request)  # noqa: SLF001

    async def request(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        with _called() as call:
            try:
                return await kind.request(self, *args, **kwargs)
            except Exception as fault:
                if not call.is_refused(fault):
                    raise
            return await kind.request(self, *args, **kwargs)

    return {"_prepare_options": prepare, "request": request}
