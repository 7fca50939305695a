"""Faults in the shape of the providers' errors: the status, and the body around the words."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from turnfold.formats import Fault

_STATUS: Final = {
    "unauthorized": 401,
    "unknown_route": 404,
    "unknown_conversation": 404,
    "not_persisted": 404,
    "failed": 500,
}
_CODES: Final = {
    "window": "context_length_exceeded",
    "empty_calls": "empty_array",
    "empty_messages": "empty_array",
    "missing_parameter": "missing_required_parameter",
    "role": "invalid_value",
    "foreign_part": "invalid_value",
    "unknown_response": "previous_response_not_found",
}
"""The `code` of OpenAI's error by the rule that was broken; the others have none."""

_KINDS: Final = {401: "authentication_error", 404: "not_found_error", 500: "api_error"}
"""The `type` of Anthropic's error by the status."""

_OF_ROLE: Final = ("orphan_result", "unanswered_call")
_NO_PARAM: Final = ("unauthorized", "unknown_route", "unknown_conversation", "bad_json", "failed")
_ARRAY: Final = "Expected an array with minimum length 1, but got an empty array instead."


def status_of(fault: Fault) -> int:
    """Return the HTTP status that a provider answers a fault with."""
    return _STATUS.get(fault.rule, 400)


def openai_error(fault: Fault, param: str | None = None) -> dict[str, Any]:
    """Return the body of OpenAI's error.

    Args:
        fault: What was found, with the provider's words.
        param: What it is about; by default its place, as the chat spells it.
    """
    status = status_of(fault)
    error = {
        "message": fault.provider_error,
        "type": "server_error" if status >= 500 else "invalid_request_error",  # noqa: PLR2004
        "param": None if fault.rule in _NO_PARAM else param or _param_of(fault),
        "code": _CODES.get(fault.rule),
    }
    return {"error": error}


def anthropic_error(fault: Fault, request_id: str) -> dict[str, Any]:
    """Return the body of Anthropic's error."""
    kind = _KINDS.get(status_of(fault), "invalid_request_error")
    error = {"type": kind, "message": fault.provider_error}
    return {"type": "error", "error": error, "request_id": request_id}


def worded(faults: Iterable[Fault], *, dotted: bool = False) -> tuple[Fault, ...]:
    """Give each fault words where the provider's own are not known.

    Args:
        faults: What was found.
        dotted: Whether places are spelled as Anthropic does, `messages.3.content.1`.
    """
    return tuple(each if each.provider_error else _words(each, dotted=dotted) for each in faults)


def _words(fault: Fault, *, dotted: bool) -> Fault:
    place = fault.place.replace("[", ".").replace("]", "") if dotted else fault.place
    words = f"{place}: {fault.message}" if dotted else f"Invalid '{place}': {fault.message}."
    return replace(fault, provider_error=words)


def _param_of(fault: Fault) -> str:
    """Spell the place of a fault as OpenAI's chat does, `messages.[3].role`."""
    if fault.rule in _OF_ROLE and fault.place != "messages":
        return fault.place.replace("[", ".[", 1) + ".role"
    if fault.rule == "no_content":
        return fault.place.replace("[", ".[", 1)
    return fault.place


def empty_array(place: str) -> str:
    """Return what OpenAI says of an empty list."""
    return f"Invalid '{place}': empty array. {_ARRAY}"


def missing_parameter(name: str) -> Fault:
    """Return the fault of a request without something that OpenAI requires."""
    words = f"Missing required parameter: '{name}'."
    return Fault(name, "missing_parameter", f"{name} is missing", words)


OPENAI_WORDS: Final = {
    "unknown_route": "Invalid URL ({method} {path})",
    "unauthorized": (
        "You didn't provide an API key. You need to provide your API key in an Authorization "
        "header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
    ),
    "bad_json": (
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't "
        "using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was "
        "sent was not valid JSON.)"
    ),
}
ANTHROPIC_WORDS: Final = {
    "unknown_route": "Not Found",
    "unauthorized": "x-api-key header is required",
    "bad_json": "The request body is not valid JSON",
}
"""What is said of a request that cannot be looked at."""
