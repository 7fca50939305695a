"""The least of the Gemini API: a server that refuses contents that Gemini refuses."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

from turnfold.formats import Fault, check

Object = dict[str, Any]

SUMMARY = "<state_snapshot>The worker moves to port 8443.</state_snapshot>"


class Gemini:
    """A server whose model says its replies one after the other, and the last one for ever.

    Args:
        replies: Each the parts of a content.
    """

    def __init__(self, *replies: list[Object]) -> None:
        self.replies = list(replies)
        self.requests: list[Object] = []
        self.faults: list[Fault] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401
                """Say nothing."""

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, lines = server.answer(body, is_stream=":stream" in self.path)
                self.send_response(status)
                self.send_header("Content-Type", "text/event-stream" if lines[1:] else "text/json")
                self.end_headers()
                self.wfile.write("".join(lines).encode())

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def base_url(self) -> str:
        """The address for clients."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, body: Object, *, is_stream: bool) -> tuple[int, list[str]]:
        """Return the status and the text of an answer; one to a stream is an event."""
        self.requests.append(body)
        faults = check(body["contents"], format="gemini-contents")
        self.faults += faults
        if faults:
            error = {"code": 400, "message": faults[0].message, "status": "INVALID_ARGUMENT"}
            return 400, [json.dumps({"error": error})]
        tokens = len(json.dumps(body)) // 4
        content = {"role": "model", "parts": self._parts(body)}
        answer = {
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": tokens, "totalTokenCount": tokens + 9},
        }
        return 200, ["data: ", json.dumps(answer), "\n\n"] if is_stream else [json.dumps(answer)]

    def _parts(self, body: Object) -> list[Object]:
        if not body.get("tools"):
            return [{"text": SUMMARY}]
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def says(text: str, *commands: str) -> list[Object]:
    """The parts of a reply: a thought, a text, and calls of the shell."""
    parts: list[Object] = [{"text": "I think.", "thought": True}, {"text": text}]
    for command in commands:
        call = {"name": "run_shell_command", "args": {"command": command}}
        parts.append({"functionCall": call, "thoughtSignature": "c2ln"})
    return parts


def texts(body: Object) -> list[str]:
    """What the contents of a request say, one after the other, calls left out."""
    return [text for content in body["contents"] for text in _texts(content["parts"])]


def _texts(parts: list[Object]) -> Iterator[str]:
    for part in parts:
        if part.get("text"):
            yield part["text"]
        elif "functionResponse" in part:
            yield part["functionResponse"]["response"]["output"]
