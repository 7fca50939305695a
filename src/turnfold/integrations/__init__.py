"""turnfold in the agent runtimes that people use: a module for each framework.

Each is an extra and imports its framework when it is used, never before. `Compactor` is what they
share, and what an integration of your own is made of.
"""

from turnfold.integrations._compactor import Compactor
from turnfold.integrations._conversation import Conversation
from turnfold.integrations._dialect import Dialect, PlainDialect
from turnfold.integrations._weights import weight_of
from turnfold.integrations.events import Event, Observer, add_span_event, log_event

__all__ = [
    "Compactor",
    "Conversation",
    "Dialect",
    "Event",
    "Observer",
    "PlainDialect",
    "add_span_event",
    "log_event",
    "weight_of",
]
