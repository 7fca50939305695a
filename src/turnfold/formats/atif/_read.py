"""From one step of a trajectory to its turns."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from turnfold._metadata import KIND_SUMMARY
from turnfold.formats._assemble import Call, LoadedTurn
from turnfold.formats._document import Found
from turnfold.formats._marks import BRIDGE, CLOSED_CALL, NO_WORDS, is_marked_summary
from turnfold.formats._parts import Gathered, text_of
from turnfold.formats._roles import ASSISTANT, SYSTEM, TOOL, USER

Turns = list[tuple[LoadedTurn, tuple[int, ...] | None]]

_MEDIA: Final = ("image", "audio")
_ROLES: Final = {"system": SYSTEM, "user": USER, "agent": ASSISTANT}


def results_of(step: Mapping[str, Any]) -> list[Any]:
    """Return the results of a step, as they stand there."""
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    return results if isinstance(results, list) else []


def calls_of(step: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a step."""
    calls = step.get("tool_calls")
    return [each for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []


def read_step(index: int, step: object, found: Found) -> Turns:
    """Return the turns of a step, each with its result; what turnfold wrote is none."""
    place = f"steps[{index}]"
    name = step.get("source") if isinstance(step, dict) else None
    role = _ROLES.get(name) if isinstance(name, str) else None
    if not isinstance(step, dict) or role is None:
        found.report(place, f"a step is an object with a source: {', '.join(_ROLES)}")
        return []
    turn = LoadedTurn(f"s{index + 1}", role, "", origin=place)
    gathered = Gathered()
    _gather_content(step.get("message"), gathered, f"{place}.message", found)
    gathered.hidden.append(text_of(step.get("reasoning_content")))
    if role is ASSISTANT:
        results = _read_agent(turn, step, gathered, found)
    else:
        # What answers no call is part of what was said.
        results = []
        for number, result in enumerate(results_of(step)):
            _gather_result(result, gathered, f"{place}.observation.results[{number}]", found)
    _fill(turn, gathered)
    if role is USER and is_marked_summary(turn.content):
        turn.kind = KIND_SUMMARY
    return [] if role is USER and turn.content == BRIDGE else [(turn, None), *results]


def _fill(turn: LoadedTurn, gathered: Gathered) -> None:
    turn.content, turn.hidden = gathered.content, gathered.hidden_text
    turn.media = gathered.media


def _gather_content(content: object, gathered: Gathered, place: str, found: Found) -> None:
    if isinstance(content, str):
        gathered.add("" if content == NO_WORDS else content)
    elif isinstance(content, list):
        for number, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(part, dict) and kind == "text" and isinstance(part.get("text"), str):
                gathered.add(part["text"])
            elif isinstance(part, dict) and kind in _MEDIA:
                source = part.get("source")
                gathered.add_media(kind, source.get("path") if isinstance(source, dict) else "")
            else:
                found.report(f"{place}[{number}]", "a part is a text, an image or an audio")
                gathered.add_unknown(part)
    elif content is not None:
        found.report(place, f"text is a string or parts; got a {type(content).__name__}")
        gathered.add_unknown(content)


def _gather_result(result: object, gathered: Gathered, place: str, found: Found) -> None:
    if not isinstance(result, dict):
        found.report(place, "a result is an object")
        gathered.add_unknown(result)
        return
    named = result.get("source_call_id")
    if not (named is None or isinstance(named, str)):
        found.report(f"{place}.source_call_id", "a result names its call; this one's place does")
    _gather_content(result.get("content"), gathered, f"{place}.content", found)
    if result.get("subagent_trajectory_ref"):
        gathered.add_unknown(result["subagent_trajectory_ref"])


def _read_agent(
    turn: LoadedTurn, step: Mapping[str, Any], gathered: Gathered, found: Found
) -> Turns:
    listed = step.get("tool_calls")
    if listed is not None and (not isinstance(listed, list) or len(calls_of(step)) < len(listed)):
        found.report(f"{turn.origin}.tool_calls", "tool_calls is a list of objects")
        gathered.add_unknown(listed)
    calls = [
        Call(_string(call.get("tool_call_id")), text_of(call.get("function_name")))
        for call in calls_of(step)
    ]
    for call in calls_of(step):
        gathered.add_call(call.get("function_name"), call.get("arguments"))
    results: list[tuple[int, dict[str, Any]]] = []
    for number, result in enumerate(results_of(step)):
        if isinstance(result, dict):
            results.append((number, result))
        else:
            found.report(_place_of(turn, number), "a result is an object")
    answers = _answers([result for _, result in results], calls)
    joint = answers.count("")
    if joint:
        # What nobody names is answered together, and an action that is no call has a result too.
        calls, together = _named(calls, answers)
        calls += [Call("", together[0].name if together else "")] * joint
    turn.makes = tuple(calls)
    turns: Turns = []
    for (number, result), answer in zip(results, answers, strict=True):
        place = _place_of(turn, number)
        answered = LoadedTurn(f"{turn.turn_id}.r{number}", TOOL, "", origin=place)
        answered.answers = (answer,)
        inner = Gathered()
        _gather_result(result, inner, place, found)
        _fill(answered, inner)
        if answered.content != CLOSED_CALL:
            turns.append((answered, (number,)))
    return turns


def _place_of(turn: LoadedTurn, number: int) -> str:
    return f"{turn.origin}.observation.results[{number}]"


def _answers(results: list[dict[str, Any]], calls: list[Call]) -> list[str]:
    """Return for each result the id of the call that it answers.

    Results without one answer the calls that no result names, in order, where there are as many
    of these; elsewhere they answer all of them together (known failure A8).
    """
    named = [_string(result.get("source_call_id")) for result in results]
    _, unanswered = _named(calls, named)
    if named.count("") != len(unanswered) or not all(call.call_id for call in unanswered):
        return named
    following = iter(unanswered)
    return [name or next(following).call_id for name in named]


def _named(calls: list[Call], answers: list[str]) -> tuple[list[Call], list[Call]]:
    """Return the calls that answers name, and those that none does."""
    named = Counter(answers)
    found: tuple[list[Call], list[Call]] = ([], [])
    for call in calls:
        is_named = bool(call.call_id and named[call.call_id])
        named[call.call_id] -= is_named
        found[not is_named].append(call)
    return found


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
