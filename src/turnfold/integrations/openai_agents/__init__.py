"""Compaction for agents of the OpenAI Agents SDK (`pip install "turnfold[openai-agents]"`).

`CompactionFilter` is for `RunConfig(call_model_input_filter=...)`: each call of the model gets what
fits. `CompactingSession` is a session around another one, whose items stay whole: what was
compacted outlives the process, and its `model_input_filter` goes on with it within a run.
"""

from turnfold.integrations.openai_agents._filter import CompactionFilter
from turnfold.integrations.openai_agents._session import CompactingSession
from turnfold.integrations.openai_agents._writer import model_writer

__all__ = ["CompactingSession", "CompactionFilter", "model_writer"]
