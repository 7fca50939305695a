"""Anthropic's own client: messages whose history fits.

Example:
    >>> from turnfold.integrations.anthropic import compacting
    >>> compacting("no client", 100_000)
    Traceback (most recent call last):
    turnfold.errors.InvalidConfiguration: a client of the provider's package is wanted; got a str
"""

from collections.abc import Mapping
from typing import Any, Final

from turnfold.budget import CompactionBudget
from turnfold.formats import Reasoning
from turnfold.integrations._clients import ClientT, Endpoint, wrapped
from turnfold.integrations._thinking import is_fixed


def _reasoning_of(body: Mapping[str, Any]) -> Reasoning | None:
    """Return what the model of a request wants of the thinking behind an edit."""
    return "strip_after_edit" if is_fixed(body.get("thinking")) else "strip_all"


_ENDPOINTS: Final = (
    Endpoint(
        "/v1/messages",
        "anthropic-messages",
        "messages",
        beside=("system", "tools"),
        answer=("max_tokens",),
        elsewhere=("context_management", "compaction"),
        reasoning_of=_reasoning_of,
    ),
)


def compacting(client: ClientT, budget: CompactionBudget | int, **options: Any) -> ClientT:  # noqa: ANN401  Those of `Compactor`.
    """Return a client whose requests fit a budget; the one that is given is not changed.

    `messages` and `beta.messages`, however they are called: create, parse, stream, raw, tool
    runners. The messages that a caller passes are never changed, so the history stays whole. A
    request that has Anthropic compact its history (`context_management` with a compaction, or
    `compaction`) is left as it is, and so are compaction blocks.

    Once something was compacted, thinking is left out, as models refuse it behind an edit; where a
    request asks for thinking with a fixed budget, the current tool loop keeps its own.

    Args:
        client: An `Anthropic` or `AsyncAnthropic`; one of Bedrock, Vertex or Foundry sends its
            messages elsewhere and is not reached.
        budget: The window in tokens, or a budget. What a request reserves for its answer, its
            system prompt and its tools need is taken off.
        **options: As of `turnfold.integrations.Compactor`: `write`, `options`, `observers`, ...

    Raises:
        InvalidConfiguration: It is no such client, or an option cannot be.
    """
    return wrapped(client, _ENDPOINTS, budget, **options)
