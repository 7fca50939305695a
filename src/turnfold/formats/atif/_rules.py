"""The rules of ATIF's validator, and those of the chats that a trajectory is turned into.

Written without a look at the renderer: it is what its output is held against.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats._faults import Fault
from turnfold.formats._rules.chat_like import Event, check_events

_AGENT_ONLY: Final = (
    "model_name",
    "reasoning_effort",
    "reasoning_content",
    "tool_calls",
    "metrics",
)
_STEP_KEYS: Final = frozenset(
    {
        *_AGENT_ONLY,
        *("step_id", "timestamp", "source", "message", "observation", "is_copied_context"),
        *("extra", "llm_call_count"),
    }
)
_SOURCES: Final = ("system", "user", "agent")


def check_steps(steps: list[Any], *, pending_ok: bool) -> list[Fault]:
    """Return every fault of the steps of a trajectory; empty where there is none.

    Args:
        steps: The steps.
        pending_ok: Whether the calls of the last step may wait for their results.
    """
    faults: list[Fault] = []
    events: list[Event] = []
    for index, step in enumerate(steps):
        place = f"steps[{index}]"
        if not isinstance(step, dict) or step.get("source") not in _SOURCES:
            faults.append(Fault(place, "source", "a step is an object with a known source"))
            continue
        faults += _step_faults(place, index, step)
        events += _events_of(place, step)
    return faults + check_events(events, pending_ok=pending_ok, user_first=False)


def _step_faults(place: str, index: int, step: dict[str, Any]) -> Iterator[Fault]:
    number, expected = step.get("step_id"), index + 1
    if number != expected:
        words = (
            f"steps[{index}].step_id: expected {expected} (sequential from 1), got {number!r:.40}"
        )
        yield Fault(f"{place}.step_id", "step_id", "step ids count from 1", words)
    if step["source"] != "agent":
        for key in _AGENT_ONLY:
            if step.get(key) is not None:
                words = f"Field '{key}' is only applicable when source is 'agent'"
                yield Fault(f"{place}.{key}", "agent_only", "only an agent has this", words)
    for key in sorted(map(str, step.keys() - _STEP_KEYS)):
        yield Fault(
            f"{place}.{key:.80}", "unknown_key", "no such key", "Extra inputs are not permitted"
        )
    own = {call.get("tool_call_id") for call in _calls(step) if _is_id(call.get("tool_call_id"))}
    for at, result in enumerate(_results(step)):
        named = result.get("source_call_id")
        if named is not None and not (_is_id(named) and named in own):
            words = (
                f"Observation result references source_call_id '{named!s:.80}' which is not found "
                f"in step {number!r:.40}'s tool_calls"
            )
            where = f"{place}.observation.results[{at}]"
            yield Fault(where, "foreign_result", "a result names a call of its own step", words)


def _is_id(value: object) -> bool:
    return isinstance(value, str)


def _calls(step: dict[str, Any]) -> list[dict[str, Any]]:
    calls = step.get("tool_calls")
    return [each for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []


def _results(step: dict[str, Any]) -> list[dict[str, Any]]:
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    return [each for each in results if isinstance(each, dict)] if type(results) is list else []


def _events_of(place: str, step: dict[str, Any]) -> Iterator[Event]:
    """What happens in a step. Results that name no call answer all calls that no other names."""
    message, results = step.get("message"), _results(step)
    empty = not message or (isinstance(message, str) and not message.strip())
    if step["source"] != "agent":
        kind: Any = step["source"]
        yield Event(place, kind, blank=empty and not results)
        return
    ids = [call.get("tool_call_id") for call in _calls(step)]
    calls = tuple(each if isinstance(each, str) else "" for each in ids)
    blank = empty and not calls and not results and not step.get("reasoning_content")
    yield Event(place, "assistant", calls, blank=blank)
    named = [result.get("source_call_id") for result in results]
    for number, answer in enumerate(named):
        if isinstance(answer, str):
            yield Event(f"{place}.observation.results[{number}]", "result", answer=answer)
    if not all(isinstance(answer, str) for answer in named):
        waiting = Counter(calls) - Counter(each for each in named if isinstance(each, str))
        for call_id in waiting.elements():
            yield Event(f"{place}.observation", "result", answer=call_id)
