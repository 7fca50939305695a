"""A fake provider: a server that refuses what OpenAI and Anthropic refuse, and a scripted model.

`FakeProvider` speaks the providers' HTTP on this machine. It is for tests of agents whose history
is compacted: a history that the provider would refuse is refused here, in the provider's words.

Example:
    >>> from turnfold.testing.provider import FakeProvider, Reply
    >>> provider = FakeProvider(lambda request: Reply("hello"), window=8000)
    >>> with provider:
    ...     provider.requests
    []
"""

from turnfold.testing.provider._records import Reply, Request, Stop
from turnfold.testing.provider._replies import Replies, scripted, tool_loop
from turnfold.testing.provider._server import FakeProvider

__all__ = ["FakeProvider", "Replies", "Reply", "Request", "Stop", "scripted", "tool_loop"]
