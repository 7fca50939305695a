"""The fake provider: what arrives is held against the rules of its API, and answered."""

import json
from collections.abc import Iterator
from threading import Lock, Thread
from types import ModuleType, TracebackType
from typing import Any, Final, Literal, Self

from turnfold.formats import Fault
from turnfold.testing.provider import _chat, _conversations, _counting, _messages, _responses
from turnfold.testing.provider._errors import status_of
from turnfold.testing.provider._http import Arrival, HttpServer, Response
from turnfold.testing.provider._memory import Memory, Settings
from turnfold.testing.provider._records import Api, Reply, Request
from turnfold.testing.provider._replies import Replies

_ROUTES: Final[dict[str, Api]] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/messages": "messages",
    "/messages/count_tokens": "count_tokens",
    "/conversations": "conversations",
}
_APIS: Final[dict[str, ModuleType]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
    "count_tokens": _counting,
    "conversations": _conversations,
}
_WITHOUT_MODEL: Final = ("conversations", "count_tokens")
_POLL_SECONDS: Final = 0.02
_REFUSED: Final = 400


class FakeProvider:
    """A provider on this machine that holds every request against the real ones' rules.

    It speaks OpenAI's chat completions and Responses and Anthropic's messages, streamed or not,
    begins OpenAI's conversations, counts tokens as Anthropic's counting does, and answers a history
    that they refuse with their status, their body and their words. Any API key will do. The same
    requests get the same answers, ids included.

    Example:
        >>> from turnfold.testing.provider import FakeProvider, Reply
        >>> with FakeProvider(lambda request: Reply("hello")) as provider:
        ...     provider.base_url[:17]
        'http://127.0.0.1:'

    Args:
        replies: Chooses what the fake model answers; it may be replaced at any time.
        window: The context window in tokens, as turnfold estimates them; None for no limit.
        bound_reasoning: Whether reasoning holds only for the prefix that it was made with.
            Anthropic's is then refused, unless the request asks to drop it, and OpenAI's left out.
        prefill: Whether a conversation may end with the assistant, as for Anthropic's older models.
        dialect: `deepseek` for the words of DeepSeek's chat, which wants its reasoning back.
    """

    def __init__(
        self,
        replies: Replies | None = None,
        *,
        window: int | None = None,
        bound_reasoning: bool = False,
        prefill: bool = False,
        dialect: Literal["openai", "deepseek"] = "openai",
    ) -> None:
        self.replies: Replies = replies or (lambda _: Reply("ok"))
        self.requests: list[Request] = []
        self._settings = Settings(window, bound_reasoning, prefill, dialect)
        self._memory = Memory()
        self._lock = Lock()
        self._server: HttpServer | None = None

    @property
    def base_url(self) -> str:
        """The address for the clients of either provider; `/v1` may stand behind it.

        Raises:
            RuntimeError: The server does not run.
        """
        if self._server is None:
            msg = "the fake provider does not run: use it as `with FakeProvider() as provider:`"
            raise RuntimeError(msg)
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def refused(self) -> list[Request]:
        """The requests that were answered with an error."""
        return [each for each in self.requests if each.status >= _REFUSED]

    def __enter__(self) -> Self:
        self._server = HttpServer(self._receive)
        arguments = (_POLL_SECONDS,)
        Thread(target=self._server.serve_forever, args=arguments, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.close()
        self._server = None

    def _receive(self, arrival: Arrival) -> Response:
        api = _ROUTES.get(arrival.path.removeprefix("/v1"), "") if arrival.method == "POST" else ""
        style = "messages" if arrival.is_anthropic and not api else api or "chat"
        with self._lock:
            request = Request(len(self.requests) + 1, arrival.path, api)
            self.requests.append(request)
            fault = _opened(request, arrival, _APIS[style])
            if fault is not None:
                request.faults = (fault,)
            else:
                _APIS[api].inspect(request, self._memory, self._settings)
            if not request.faults:
                self._reply(request)
            named = self._memory.new_id("req")
            if not request.faults:
                return Response(200, named, request.answer, _events_of(request))
            request.status = status_of(request.faults[0])
            request.answer = _APIS[style].error_body(request.faults[0], named)
            return Response(request.status, named, request.answer)

    def _reply(self, request: Request) -> None:
        try:
            if request.api not in _WITHOUT_MODEL:
                request.reply = self.replies(request)
            answer, reply = _APIS[request.api].answer, request.reply or Reply()
            request.answer = answer(request, reply, self._memory, self._settings)
        except Exception as failure:  # noqa: BLE001  A mistake of a test is told to its client.
            request.failure = failure
            words = f"the replies of this fake provider raised {failure!r}"
            request.faults = (Fault("replies", "failed", "the replies raised", words),)
        else:
            request.status = 200


def _opened(request: Request, arrival: Arrival, style: ModuleType) -> Fault | None:
    """Parse the body; return why there is nothing to inspect."""
    try:
        request.body = json.loads(arrival.data)
    except (ValueError, RecursionError):
        request.body = None
    words: dict[str, str] = style.WORDS
    if not request.api:
        route = words["unknown_route"].format(method=arrival.method, path=arrival.path)
        return Fault("path", "unknown_route", "the route is unknown", route)
    if not arrival.has_key:
        return Fault("headers", "unauthorized", "there is no API key", words["unauthorized"])
    if not isinstance(request.body, dict):
        return Fault("body", "bad_json", "the body is no JSON object", words["bad_json"])
    return None


def _events_of(request: Request) -> Iterator[tuple[str, Any]] | None:
    if request.reply is None or not request.body.get("stream"):
        return None
    events: Iterator[tuple[str, Any]] = _APIS[request.api].events(request.answer, request.body)
    return events
