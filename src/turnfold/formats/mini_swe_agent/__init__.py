"""mini-SWE-agent: a `.traj.json` file, chat messages with an `extra` each.

Models with tool calls name them, as chat messages or as items of OpenAI's Responses. A model
without writes its one command into a fenced block, and the user message behind it is what the
command gave. The last message can have the role `exit`; no model is sent that.
"""

from turnfold.formats.mini_swe_agent._format import LINES, NAME, matches, parse, render
from turnfold.formats.mini_swe_agent._rules import check

__all__ = ["LINES", "NAME", "check", "matches", "parse", "render"]
