"""What Gemini refuses in a history: the pairing, ordering and signature rules of contents.

Written without a look at the renderers: it is what their output is held against.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from turnfold.formats._faults import Fault

_COUNT: Final = (
    "Please ensure that the number of function response parts is equal to the number of function "
    "call parts of the function call turn."
)
_AFTER_CALL: Final = (
    "Please ensure that function response turn comes immediately after a function call turn."
)
_AFTER_USER: Final = (
    "Please ensure that function call turn comes immediately after a user turn or after a function "
    "response turn."
)
_UNSIGNED: Final = (
    "Function call is missing a thought_signature in functionCall parts. This is required for "
    "tools to work correctly. Additional data, function call `default_api:{}`, position {}."
)
_ROLES: Final = ("user", "function", "tool", None)

Contents = Sequence[Any]


def check_gemini(
    contents: Contents,
    *,
    pending_ok: bool = False,
    places: Sequence[str] | None = None,
    signatures: bool = True,
) -> list[Fault]:
    """Return every fault that Gemini would refuse in contents; empty where there is none.

    Signatures are asked for where any call has one: older models give none. Which calls of the
    current turn need them is the rule of the models since Gemini 3.

    Args:
        contents: The contents.
        pending_ok: Whether calls at the very end may wait for their responses.
        places: A place for each content, for a person; by default its index.
        signatures: Whether signatures are looked at.
    """
    named = places or [f"contents[{index}]" for index in range(len(contents))]
    faults: list[Fault] = []
    for place, content in zip(named, contents, strict=True):
        faults += _shape(place, content)
    if not contents:
        faults.append(Fault("contents", "no_content", "there is no content"))
    for index in range(len(contents)):
        faults += _calls_at(contents, named, index, pending_ok=pending_ok)
        faults += _responses_at(contents, named, index)
    return faults + (list(_signatures(contents, named)) if signatures else [])


def _shape(place: str, content: object) -> Iterator[Fault]:
    if not isinstance(content, dict):
        yield Fault(place, "role", "a content is an object with a role")
        return
    role = content.get("role")
    if role != "model" and role not in _ROLES:
        yield Fault(f"{place}.role", "role", "a role is user or model")
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        yield Fault(f"{place}.parts", "empty_content", "a content has at least one part")
    for number, part in enumerate(parts if isinstance(parts, list) else ()):
        if not isinstance(part, dict) or not part:
            yield Fault(f"{place}.parts[{number}]", "part_type", "a part is an object")


def _parts(content: object) -> list[dict[str, Any]]:
    parts = content.get("parts") if isinstance(content, dict) else None
    listed = parts if isinstance(parts, list) else []
    return [part for part in listed if isinstance(part, dict)]


def _named(content: object, *keys: str) -> list[dict[str, Any]]:
    """Return the calls, or the responses, of a content."""
    found = [next((part[key] for key in keys if key in part), None) for part in _parts(content)]
    return [each for each in found if isinstance(each, dict)]


def _calls(content: object) -> list[dict[str, Any]]:
    return _named(content, "functionCall", "function_call")


def _responses(content: object) -> list[dict[str, Any]]:
    return _named(content, "functionResponse", "function_response")


def _is_model(content: object) -> bool:
    return isinstance(content, dict) and content.get("role") == "model"


def _calls_at(
    contents: Contents, places: Sequence[str], index: int, *, pending_ok: bool
) -> Iterator[Fault]:
    """A call follows a user or a response, and all its responses stand in the next content."""
    calls = _calls(contents[index])
    if not calls:
        return
    place = places[index]
    if not _is_model(contents[index]):
        yield Fault(place, "call_role", "only the model makes calls")
    if index == 0 or _is_model(contents[index - 1]):
        message = "a call follows a user's content or responses"
        yield Fault(place, "call_order", message, _AFTER_USER)
    following = contents[index + 1] if index + 1 < len(contents) else None
    answers = _responses(following)
    at_end = index >= len(contents) - 2 and len(answers) == len(_parts(following))
    if len(answers) < len(calls) and not (pending_ok and at_end):
        message = f"{len(calls)} calls, and {len(answers)} responses in the next content"
        yield Fault(place, "unanswered_call", message, _COUNT)


def _responses_at(contents: Contents, places: Sequence[str], index: int) -> Iterator[Fault]:
    answers = _responses(contents[index])
    if not answers:
        return
    place = places[index]
    if _is_model(contents[index]):
        yield Fault(place, "response_role", "a response stands in a user's content")
    calls = _calls(contents[index - 1]) if index else []
    if not calls:
        message = "responses follow the content that called"
        yield Fault(place, "response_order", message, _AFTER_CALL)
        return
    if len(answers) > len(calls):
        message = f"{len(answers)} responses to {len(calls)} calls"
        yield Fault(place, "orphan_result", message, _COUNT)
    waiting = [(call.get("id"), call.get("name")) for call in calls]
    for answer in answers:
        fitting = [each for each in waiting if _fits(each, answer)]
        if fitting:
            waiting.remove(fitting[0])
        else:
            message = f"no call of the content before it waits for {answer.get('name')!r:.60}"
            yield Fault(place, "orphan_result", message, _COUNT)


def _fits(call: tuple[Any, Any], answer: dict[str, Any]) -> bool:
    own, named = answer.get("id"), answer.get("name")
    if own and call[0]:
        return bool(own == call[0])
    return bool(named == call[1])


def _signatures(contents: Contents, places: Sequence[str]) -> Iterator[Fault]:
    """The first call of each step of the current turn has its signature."""
    if not any(
        _signed(part) and _calls({"parts": [part]}) for each in contents for part in _parts(each)
    ):
        return
    current = max((at for at, each in enumerate(contents) if _is_words(each)), default=-1)
    for index in range(current + 1, len(contents)):
        if not _is_model(contents[index]):
            continue
        calling = [part for part in _parts(contents[index]) if _calls({"parts": [part]})]
        if calling and not _signed(calling[0]):
            name = _calls({"parts": calling})[0].get("name")
            words = _UNSIGNED.format(name, index)
            message = "the first call of a step of the current turn has a signature"
            yield Fault(places[index], "missing_signature", message, words)


def _signed(part: dict[str, Any]) -> bool:
    return bool(part.get("thoughtSignature") or part.get("thought_signature"))


def _is_words(content: object) -> bool:
    """Whether a content is a user's with anything but responses in it."""
    return not _is_model(content) and len(_responses(content)) < len(_parts(content))
