"""The messages that everybody compacts: deterministic, shaped like an agent's log.

`chat` repeats user, assistant with one to three parallel calls, their results, assistant. `loop`
is an unattended agent: one user, then calls and results only. Sizes are `ceil(len / 4)`, the same
for everybody.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, TypedDict

from turnfold import CompactionBudget, Role, TranscriptTurn

Shape = Literal["chat", "loop"]
SHAPES: Final[tuple[Shape, ...]] = ("chat", "loop")
PROTECTED: Final = 10
BUDGET_SHARE: Final = 0.2

_TOOLS: Final = ("bash", "grep", "http_get", "read_file", "write_file")
_LEVELS: Final = ("DEBUG", "ERROR", "INFO", "WARN")
_LOG_WORDS: Final = (
    "error warning request response timeout connection retry worker queue cache index session "
    "token build test failed passed module import value None line file src/app/main.py "
    "tests/test_api.py docs/readme.md exit code 0 1 127 http 200 404 500 GET POST decided must "
    "never TODO remaining created updated deleted commit branch merge"
)
_WORDS: Final = _LOG_WORDS.split()


class Call(TypedDict):
    """A tool call, with arguments as an object."""

    id: str
    name: str
    args: dict[str, Any]


class Message(TypedDict):
    """A message in no provider's format."""

    id: str
    role: str
    content: str
    tool_calls: list[Call]
    tool_call_id: str | None
    name: str | None
    tokens: int


class _Log:
    """Appends messages whose texts are slices of a pool of log lines."""

    def __init__(self, seed: int) -> None:
        self.messages: list[Message] = []
        self.random = random.Random(seed)  # noqa: S311  A workload is no secret.
        self._pool = "\n".join(self._line() for _ in range(4_000))
        self._calls = 0

    def _line(self) -> str:
        pick = self.random
        words = " ".join(pick.choices(_WORDS, k=pick.randint(5, 18)))
        return (
            f"2025-0{pick.randint(1, 9)}-{pick.randint(1, 28):02}T{pick.randint(0, 23):02}:"
            f"{pick.randint(0, 59):02}:{pick.randint(0, 59):02}Z {pick.choice(_LEVELS)} "
            f"[{pick.choice(_TOOLS)}-{pick.randint(1, 9999)}] {words}"
        )

    def text(self, shortest: int, longest: int) -> str:
        size = self.random.randint(shortest, longest)
        start = self.random.randrange(len(self._pool) - size)
        return self._pool[start : start + size]

    def add(self, role: str, content: str, **more: Any) -> None:  # noqa: ANN401
        calls: list[Call] = more.get("tool_calls", [])
        self.messages.append(
            {
                "id": f"m{len(self.messages)}",
                "role": role,
                "content": content,
                "tool_calls": calls,
                "tool_call_id": more.get("tool_call_id"),
                "name": more.get("name"),
                "tokens": _size(content) + sum(_size(json.dumps(c["args"])) + 2 for c in calls),
            }
        )

    def add_exchange(self) -> None:
        calls: list[Call] = []
        for _ in range(self.random.randint(1, 3)):
            arguments = {"cmd": self.text(10, 120), "n": self._calls}
            name = self.random.choice(_TOOLS)
            calls.append({"id": f"call_{self._calls:06}", "name": name, "args": arguments})
            self._calls += 1
        self.add("assistant", self.text(0, 200), tool_calls=calls)
        for call in calls:
            self.add("tool", self.text(200, 4000), tool_call_id=call["id"], name=call["name"])


def _size(text: str) -> int:
    return (len(text) + 3) // 4


def messages(count: int, shape: Shape, seed: int = 0) -> list[Message]:
    """Return `count` messages that end outside of an exchange."""
    log = _Log(seed)
    log.add("system", f"You are a careful coding agent. {log.text(1500, 1500)}")
    if shape == "loop":
        log.add("user", f"Fix the failing build. {log.text(300, 300)}")
    longest_round = 6 if shape == "chat" else 4
    while count - len(log.messages) >= longest_round:
        if shape == "chat":
            log.add("user", log.text(40, 400))
        log.add_exchange()
        if shape == "chat":
            log.add("assistant", log.text(80, 600))
    while len(log.messages) < count:
        log.add("assistant" if log.messages[-1]["role"] == "user" else "user", log.text(120, 120))
    return log.messages


@dataclass(frozen=True)
class Workload:
    """Messages, and what they are to fit."""

    shape: Shape
    messages: list[Message]

    @classmethod
    def of(cls, count: int, shape: Shape, seed: int = 0) -> "Workload":
        return cls(shape, messages(count, shape, seed))

    @cached_property
    def max_tokens(self) -> int:
        return int(sum(message["tokens"] for message in self.messages) * BUDGET_SHARE)

    @cached_property
    def budget(self) -> CompactionBudget:
        return CompactionBudget(self.max_tokens, PROTECTED)

    @cached_property
    def task(self) -> str:
        """The id of the first user message, which a loader pins."""
        return next(message["id"] for message in self.messages if message["role"] == "user")

    def exchange_ids(self) -> list[str | None]:
        """Return for each message the id of the message whose calls it makes or answers."""
        callers = {call["id"]: each["id"] for each in self.messages for call in each["tool_calls"]}
        return [
            callers[each["tool_call_id"]]
            if each["tool_call_id"] is not None
            else each["id"]
            if each["tool_calls"]
            else None
            for each in self.messages
        ]

    def turns(self) -> tuple[TranscriptTurn, ...]:
        """Return new turns, as a loader makes them: none of them has been hashed."""
        task = self.task
        return tuple(
            TranscriptTurn(
                each["id"],
                Role(each["role"]),
                each["content"],
                each["tokens"],
                tool_call_id=exchange,
                pinned=each["id"] == task,
                metadata={} if each["name"] is None else {"turnfold.tool_name": each["name"]},
            )
            for each, exchange in zip(self.messages, self.exchange_ids(), strict=True)
        )

    def once(self, name: str, make: Callable[["Workload"], Any]) -> Any:  # noqa: ANN401
        """Return what `make` makes of the workload; it is made once for each name."""
        if name not in self._made:
            self._made[name] = make(self)
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, Any]:
        return {}

    @cached_property
    def hashed_turns(self) -> tuple[TranscriptTurn, ...]:
        """The turns of an agent that plans again and again: their contents are hashed already."""
        turns = self.turns()
        for turn in turns:
            turn.digest()
        return turns
