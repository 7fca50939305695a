"""The protocol of Claude Code's hooks: an event in, a JSON object with a context out.

By its "Hooks reference"; nothing here loads more than the standard library.
"""

import json
from dataclasses import dataclass
from typing import Final

COMPACTED: Final = "SessionStart"
PROMPTED: Final = "UserPromptSubmit"

_SOURCE: Final = "compact"
_EMPTYING: Final = frozenset({"/compact", "/clear"})
_FIELDS: Final = ("hook_event_name", "source", "transcript_path", "prompt", "agent_id")


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of Claude Code, as far as it matters here; what it does not name is empty.

    Args:
        name: `hook_event_name`.
        source: How a session started.
        transcript_path: The session's file.
        prompt: What the user says.
        agent_id: The subagent that it comes from.
    """

    name: str
    source: str = ""
    transcript_path: str = ""
    prompt: str = ""
    agent_id: str = ""

    @property
    def is_after_compaction(self) -> bool:
        """Whether a session goes on after a compaction."""
        return self.name == COMPACTED and self.source == _SOURCE and not self.agent_id

    @property
    def is_prompt(self) -> bool:
        """Whether a user speaks, and not to have the context emptied."""
        first = self.prompt.split(maxsplit=1)[:1]
        return self.name == PROMPTED and _EMPTYING.isdisjoint(first) and not self.agent_id


def read_event(content: bytes) -> HookEvent:
    """Read what Claude Code writes to a hook's standard input.

    Raises:
        ValueError: It is no JSON object.
    """
    try:
        record = json.loads(content)
    except RecursionError as fault:
        msg = "the event is nested too deeply to be read"
        raise ValueError(msg) from fault
    if not isinstance(record, dict):
        msg = f"an event is a JSON object, not a {type(record).__name__}"
        raise ValueError(msg)  # noqa: TRY004  One kind of fault, whatever was sent.
    fields = (record.get(key) for key in _FIELDS)
    return HookEvent(*(each if isinstance(each, str) else "" for each in fields))


def output_of(name: str, context: str) -> str:
    """Return the hook's standard output: JSON with the context, or nothing where there is none."""
    if not context:
        return ""
    specific = {"hookEventName": name, "additionalContext": context}
    return json.dumps({"hookSpecificOutput": specific}) + "\n"
