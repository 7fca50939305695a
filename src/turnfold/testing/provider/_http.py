"""The HTTP around the fake provider: one thread a connection, silent, and gone when closed."""

import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Final

_JOIN_SECONDS: Final = 5.0
_OK: Final = 200


@dataclass(slots=True)
class Arrival:
    """What the HTTP says of a request.

    Args:
        method: As `POST`.
        path: The path, without a query.
        data: The body.
        has_key: Whether it carries an API key.
        is_anthropic: Whether it comes from a client of Anthropic's.
    """

    method: str
    path: str
    data: bytes
    has_key: bool
    is_anthropic: bool


@dataclass(slots=True)
class Response:
    """What is sent back.

    Args:
        status: The HTTP status.
        request_id: The id of the request, for the headers.
        body: The body.
        events: The events of a stream, each a name and its data; None where it is none.
    """

    status: int
    request_id: str
    body: dict[str, Any]
    events: Iterator[tuple[str, Any]] | None = None


class HttpServer(ThreadingHTTPServer):
    """A server on a free port of this machine.

    Args:
        receive: Takes a request in and returns what is sent back; called by several threads.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, receive: Callable[[Arrival], Response]) -> None:
        self.receive = receive
        self._lock = Lock()
        self._open: dict[Thread, socket.socket] = {}
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Answer a connection in a thread of its own."""
        arguments = (request, client_address)
        thread = Thread(target=self.process_request_thread, args=arguments, daemon=True)
        with self._lock:
            self._open = {each: held for each, held in self._open.items() if each.is_alive()}
            thread.start()
            self._open[thread] = request

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Say nothing: a client that hangs up costs nothing."""

    def close(self) -> None:
        """End every connection, and wait for its thread."""
        self.shutdown()
        self.server_close()
        with self._lock:
            left = dict(self._open)
        for held in left.values():
            with contextlib.suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)
        for thread in left:
            thread.join(_JOIN_SECONDS)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401
        """Say nothing."""

    def do_POST(self) -> None:
        self._answer("POST")

    def do_GET(self) -> None:
        self._answer("GET")

    def _answer(self, method: str) -> None:
        self.close_connection = True
        length = self.headers.get("Content-Length", "0")
        data = self.rfile.read(int(length) if length.isdecimal() else 0)
        key = self.headers.get("Authorization", "").removeprefix("Bearer").strip()
        named = self.headers.get("x-api-key", "")
        is_anthropic = "anthropic-version" in self.headers
        path = self.path.partition("?")[0]
        arrival = Arrival(method, path, data, bool(key or named), is_anthropic)
        self._send(self.server.receive(arrival))

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        self.send_header("x-request-id", response.request_id)
        self.send_header("request-id", response.request_id)
        self.send_header("Connection", "close")
        if response.status != _OK:
            self.send_header("x-should-retry", "false")
        if response.events is None:
            body = json.dumps(response.body).encode()
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for name, data in response.events:
            self.wfile.write(_event(name, data))


def _event(name: str, data: Any) -> bytes:  # noqa: ANN401
    head = f"event: {name}\n" if name else ""
    text = data if isinstance(data, str) else json.dumps(data)
    return f"{head}data: {text}\n\n".encode()
