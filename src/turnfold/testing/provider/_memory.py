"""What a server remembers: counters, the prefixes that it saw, and the reasoning that it gave."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any


@dataclass(slots=True)
class Settings:
    """How strict a server is.

    Args:
        window: The context window in tokens; None for one that is never full.
        bound_reasoning: Whether reasoning holds only for the prefix that it was made with.
        prefill: Whether a conversation may end with the assistant (Anthropic's older models).
        dialect: `deepseek` for the rules and the words of DeepSeek's chat.
    """

    window: int | None = None
    bound_reasoning: bool = False
    prefill: bool = False
    dialect: str = "openai"


@dataclass(slots=True)
class Prefix:
    """What each part of a request stands behind.

    Args:
        digests: At `n`, what tells the first `n` units from any others.
        sizes: At `n`, the characters of the first `n` units.
    """

    digests: list[str]
    sizes: list[int]

    @property
    def whole(self) -> str:
        """What tells the whole request from any other."""
        return self.digests[-1]


def prefix_of(units: Iterable[object]) -> Prefix:
    """Return the digests of every prefix of a list of JSON values; cache marks do not count."""
    running = sha256()
    digests, sizes = [running.hexdigest()], [0]
    for unit in units:
        text = json.dumps(plain(unit), sort_keys=True)
        running.update(text.encode() + b"\n")
        digests.append(running.hexdigest())
        sizes.append(sizes[-1] + len(text))
    return Prefix(digests, sizes)


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return a JSON value without nulls and without marks for the cache."""
    if isinstance(value, dict):
        return {
            key: plain(each)
            for key, each in value.items()
            if each is not None and key != "cache_control"
        }
    return [plain(each) for each in value] if isinstance(value, list) else value


@dataclass(slots=True)
class Memory:
    """What a server remembers between requests.

    Args:
        counts: How many ids of each kind were given.
        seen: The prefixes of the requests that were accepted.
        leaders: By the id of an item of OpenAI's, the id of the reasoning that led to it.
        bindings: By the id of reasoning, the prefix that it was made with.
        stored: By the id of a response, its items with all before them.
        conversations: By the id of a conversation, its items.
        items: By id, the items that were given and stored.
        lost: The ids of items that were given and not stored.
        spoken: By the id of a call, the reasoning that DeepSeek wants back with it.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    leaders: dict[str, str] = field(default_factory=dict)
    bindings: dict[str, str] = field(default_factory=dict)
    stored: dict[str, list[Any]] = field(default_factory=dict)
    conversations: dict[str, list[Any]] = field(default_factory=dict)
    items: dict[str, Any] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    spoken: dict[str, str] = field(default_factory=dict)

    def new_id(self, kind: str) -> str:
        """Return the next id of a kind, as `call_000001`."""
        self.counts[kind] += 1
        return f"{kind}_{self.counts[kind]:06d}"

    def cached(self, prefix: Prefix, tokens: int) -> int:
        """Return how many tokens of a request an earlier one began with; remember this one."""
        known = [at for at, digest in enumerate(prefix.digests) if at and digest in self.seen]
        self.seen.update(prefix.digests)
        share = prefix.sizes[known[-1]] / max(prefix.sizes[-1], 1) if known else 0
        return int(tokens * share)
