"""Compaction for agents of Pydantic AI (`pip install "turnfold[pydantic-ai]"`).

`Compaction` is a capability: each request carries what fits, and the history of a run stays whole.
`compacting_history` is a history processor, for a history that is itself to stay small.

Example:
    >>> from pydantic_ai import Agent
    >>> from pydantic_ai.models.test import TestModel
    >>> agent = Agent(TestModel(), capabilities=[Compaction(100_000)])
    >>> agent.run_sync("Hello.").output
    'success (no tool calls)'
"""

from turnfold.integrations.pydantic_ai._capability import Compaction
from turnfold.integrations.pydantic_ai._messages import PydanticAIMessages
from turnfold.integrations.pydantic_ai._processor import compacting_history
from turnfold.integrations.pydantic_ai._writer import model_writer

__all__ = ["Compaction", "PydanticAIMessages", "compacting_history", "model_writer"]
