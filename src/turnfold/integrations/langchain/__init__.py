"""Compaction for agents of LangChain and LangGraph (`pip install "turnfold[langchain]"`).

`CompactionMiddleware` is for `create_agent`, `compaction_hook` for `create_react_agent`, and
`Compaction` for a graph of one's own. The history of a thread stays whole; what was compacted is
kept beside it, under `turnfold`, in the state that checkpoints hold.
"""

from turnfold.integrations.langchain._agents import (
    CompactionMiddleware,
    CompactionState,
    compaction_hook,
)
from turnfold.integrations.langchain._compaction import Compaction, Fitted, Settings
from turnfold.integrations.langchain._messages import LangChainMessages
from turnfold.integrations.langchain._writer import model_writer

__all__ = [
    "Compaction",
    "CompactionMiddleware",
    "CompactionState",
    "Fitted",
    "LangChainMessages",
    "Settings",
    "compaction_hook",
    "model_writer",
]
