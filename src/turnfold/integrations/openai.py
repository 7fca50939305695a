"""OpenAI's own client: chat completions and responses whose history fits.

Example:
    >>> from turnfold.integrations.openai import compacting
    >>> compacting("no client", 100_000)
    Traceback (most recent call last):
    turnfold.errors.InvalidConfiguration: a client of the provider's package is wanted; got a str
"""

from typing import Any, Final

from turnfold.budget import CompactionBudget
from turnfold.integrations._clients import ClientT, Endpoint, wrapped

_ENDPOINTS: Final = (
    Endpoint(
        "/chat/completions",
        "openai-chat",
        "messages",
        beside=("tools", "functions", "response_format"),
        answer=("max_completion_tokens", "max_tokens"),
    ),
    Endpoint(
        "/responses",
        "openai-responses",
        "input",
        beside=("instructions", "tools", "text"),
        answer=("max_output_tokens",),
        elsewhere=("previous_response_id", "conversation", "context_management", "prompt"),
    ),
)


def compacting(client: ClientT, budget: CompactionBudget | int, **options: Any) -> ClientT:  # noqa: ANN401  Those of `Compactor`.
    """Return a client whose requests fit a budget; the one that is given is not changed.

    `chat.completions` and `responses`, however they are called: create, parse, stream, raw. The
    messages that a caller passes are never changed, so the history stays whole. A request whose
    history OpenAI keeps (`previous_response_id`, `conversation`) or compacts
    (`context_management`) is left as it is, and so are compaction items.

    Args:
        client: An `OpenAI` or `AsyncOpenAI`, or a client of a compatible server.
        budget: The window in tokens, or a budget. What a request reserves for its answer and its
            tools need is taken off.
        **options: As of `turnfold.integrations.Compactor`: `write`, `options`, `observers`, ...

    Raises:
        InvalidConfiguration: It is no such client, or an option cannot be.
    """
    return wrapped(client, _ENDPOINTS, budget, **options)
