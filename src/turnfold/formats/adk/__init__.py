"""ADK sessions: events of agents, each with a Gemini content (contract section 8).

Contents are read as `_gemini_read` says and written as `_gemini_write` says. What is ADK's own:

- An event with `actions.compaction` stands for the events of its time span; one with a rewind
  takes back all since an invocation. The live events are those that ADK would send.
- Responses may stand in several events. A later response to the same call replaces the first.
- Events of several agents may stand behind each other: ADK shows them to each other as a user's.
"""

from turnfold.formats.adk._parse import LINES, NAME, matches, parse
from turnfold.formats.adk._render import check, render

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
