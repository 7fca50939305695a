"""The transcripts that both libraries decide about: some by hand, thousands by a seed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_ROLES: Final = ("user", "assistant", "tool")
_SIZES: Final = (0, 0, 1, 2, 3, 5, 10, 29, 30, 31, 60, 200, 900)


@dataclass(frozen=True)
class Turn:
    """A turn in no library's type."""

    name: str
    role: str
    tokens: int
    call: str | None = None
    pinned: bool = False


@dataclass(frozen=True)
class Case:
    """A transcript, its budget, and how the policies are set."""

    label: str
    turns: tuple[Turn, ...]
    max_tokens: int
    protected: int
    ratio: float = 0.2
    min_span: int = 4
    keep_recent: int = 2
    stub_tokens: int = 30


def _turns(spelled: str) -> tuple[Turn, ...]:
    """Read turns like `u10 a5:x t900:x* s12`: role, tokens, exchange, pin."""
    roles = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
    made = []
    for place, word in enumerate(spelled.split()):
        size, _, call = word.rstrip("*")[1:].partition(":")
        pinned = word.endswith("*")
        made.append(Turn(f"{word[0]}{place}", roles[word[0]], int(size), call or None, pinned))
    return tuple(made)


def by_hand() -> Iterator[Case]:
    """Yield the cases that a person would think of first."""
    yield Case("the example of the README", _turns("s12 u30 a20:c t900:c a25"), 100, 1)
    yield Case("empty", (), 0, 4)
    yield Case("fits exactly", _turns("u10 a10 u10"), 30, 0)
    yield Case("one token too many", _turns("u10 a10 u10"), 29, 0)
    yield Case("floor over the budget", _turns("s90 u10 a10"), 50, 1)
    yield Case("a pin locks its exchange", _turns("u9 a9:x t50:x* a9:y t50:y u5 a5"), 90, 1)
    yield Case("the tail locks a far call", _turns("a9:x u50 a50 u50 a50 t5:x"), 100, 1)
    interleaved = "a9:x a9:y t60:x t60:y a9:z t60:z u9 a9"
    yield Case("interleaved", _turns(interleaved), 80, 1, min_span=2)
    yield Case("parallel results", _turns("u9 a9:x t60:x t70:x t80:x a9 u9"), 60, 1, min_span=2)
    across = "a9:x u50 a50:y u50 t50:z t50:y u50 u50 t9:z* u5"
    yield Case("an exchange across a gap", _turns(across), 150, 1, min_span=2)
    split = "u5 a50:x a5:y t5:q t50:x u5 s1 t5:y u9"
    yield Case("a span that cuts an exchange", _turns(split), 60, 1, min_span=2)
    yield Case("zero-token turns", _turns("u0 a0:x t0:x u0 a60 u0 a60"), 60, 0, min_span=1)
    yield Case("nothing smaller than its span", _turns("u1 a1 u1 a1 u1"), 3, 0, min_span=1)
    yield Case("a summary as large as its span", _turns("u9 a9 u9 a9"), 30, 0, ratio=1.0)
    yield Case("stubs no smaller", _turns("a1:x t30:x a1:y t31:y u1"), 50, 0, keep_recent=0)


def generated(count: int, seed: int) -> Iterator[Case]:
    """Yield `count` cases; a case depends on the seed and its number alone."""
    for number in range(count):
        pick = random.Random(f"{seed}:{number}")  # noqa: S311  No secret.
        turns = tuple(_some_turns(pick))
        total = sum(turn.tokens for turn in turns)
        yield Case(
            f"seed {seed}, case {number}",
            turns,
            max_tokens=int(total * pick.choice((0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1, 1.1))),
            protected=pick.choice((0, 0, 1, 2, 4, 10)),
            ratio=pick.choice((0.01, 0.2, 0.2, 0.5, 0.9, 1.0, 1.5)),
            min_span=pick.choice((1, 2, 3, 4, 4, 8)),
            keep_recent=pick.choice((0, 1, 2, 5)),
            stub_tokens=pick.choice((0, 1, 5, 30)),
        )


def _some_turns(pick: random.Random) -> Iterator[Turn]:
    """Yield turns; an open exchange is continued now or much later, others come in between."""
    pins, continues = pick.choice((0, 0, 0.05, 0.3)), pick.choice((0.2, 0.5, 0.8))
    open_calls: list[str] = []
    for place in range(pick.choice((0, 1, 2, 5, 8, 12, 20, 40))):
        role, call = pick.choice(_ROLES), None
        if (place == 0 and pick.random() < 0.7) or pick.random() < 0.03:
            role = "system"
        elif open_calls and pick.random() < continues:
            call = pick.choice(open_calls)
            role = pick.choice(("tool", "tool", "tool", "assistant"))
            if pick.random() < 0.6:
                open_calls.remove(call)
        elif pick.random() < 0.5:
            call, role = f"call-{place}", "assistant"
            open_calls.append(call)
        yield Turn(f"turn-{place}", role, pick.choice(_SIZES), call, pick.random() < pins)
