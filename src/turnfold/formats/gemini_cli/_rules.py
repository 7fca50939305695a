"""What Gemini would refuse of what the Gemini CLI sends of a session.

Written without a look at the renderer: it is what a rendering is held against. A session is turned
into contents as the client does it when a session is resumed: notes and slash commands are left
out, contents of one speaker are joined, and signatures are the client's business.
"""

from collections.abc import Iterator
from typing import Any, Final

from turnfold.formats._faults import Fault
from turnfold.formats._rules.gemini import check_gemini

_TWICE: Final = (
    "Please ensure that the number of function response parts is equal to the number of function "
    "call parts of the function call turn."
)
_UNSENT: Final = ("/", "?", "<session_context>", "<hook_context>")

_Sent = tuple[str, str, list[Any]]
"""A place, a role, and parts."""


def check_gemini_cli(document: object, *, pending_ok: bool = False) -> list[Fault]:
    """Return every fault of a session; empty where there is none.

    Args:
        document: The session.
        pending_ok: Whether calls at the very end may wait for their results.
    """
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list):
        return [Fault("messages", "no_content", "a session has a list of messages")]
    sent: list[_Sent] = []
    faults: list[Fault] = []
    for place, role, parts in _sent(messages):
        if role == "user" and _repeats(parts, sent):
            message = "it repeats the results before it, and a client that resumes sends both"
            faults.append(Fault(place, "repeated_response", message, _TWICE))
            continue
        if sent and sent[-1][1] == role == "model":
            sent[-1] = (sent[-1][0], role, [*sent[-1][2], *parts])
        else:
            sent.append((place, role, parts))
    contents = [{"role": role, "parts": parts} for _, role, parts in sent]
    places = [place for place, _, _ in sent]
    faults += check_gemini(contents, pending_ok=pending_ok, places=places, signatures=False)
    if contents and contents[0]["role"] == "model":
        faults.append(Fault(places[0], "first_role", "a session begins with a user's message"))
    return faults


def _repeats(parts: list[Any], sent: list[_Sent]) -> bool:
    """Whether parts are responses that were sent directly before, each by its id."""
    if not sent or sent[-1][1] != "user":
        return False
    named, known = _response_ids(parts), _response_ids(sent[-1][2])
    return bool(named) and None not in named and all(each in known for each in named)


def _response_ids(parts: list[Any]) -> list[Any]:
    responses = [part.get("functionResponse") for part in parts if isinstance(part, dict)]
    return [each.get("id") if isinstance(each, dict) else None for each in responses]


def _sent(messages: list[Any]) -> Iterator[_Sent]:
    for index, message in enumerate(messages):
        place = f"messages[{index}]"
        if not isinstance(message, dict):
            continue
        parts = _parts(message.get("content"))
        if message.get("type") == "user":
            said = "".join(str(part.get("text") or "") for part in parts).strip()
            mute = all("text" in part for part in parts)
            if not (mute and (not said or said.startswith(_UNSENT))):
                yield place, "user", parts
        elif message.get("type") == "gemini":
            calls = [each for each in _listed(message.get("toolCalls")) if isinstance(each, dict)]
            parts = [*parts, *_missing(parts, calls)]
            if parts:
                yield place, "model", parts
            answers = [part for call in calls for part in _answers(call)]
            if answers:
                yield place, "user", answers


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _parts(content: object) -> list[dict[str, Any]]:
    listed = content if isinstance(content, list) else [content] if content else []
    return [part if isinstance(part, dict) else {"text": str(part)} for part in listed]


def _missing(parts: list[dict[str, Any]], calls: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the recorded calls that the content does not hold already."""
    held = [part["functionCall"] for part in parts if isinstance(part.get("functionCall"), dict)]
    known = [(call.get("id"), call.get("name")) for call in held]
    for call in calls:
        named = (call.get("id"), call.get("name"))
        same = [each for each in known if each == named or (not each[0] and each[1] == named[1])]
        if same:
            known.remove(same[0])
        else:
            yield {"functionCall": {"id": named[0], "name": named[1], "args": call.get("args")}}


def _answers(call: dict[str, Any]) -> list[Any]:
    result = call.get("result")
    if isinstance(result, str) and result:
        named = {"id": call.get("id"), "name": call.get("name")}
        return [{"functionResponse": {**named, "response": {"output": result}}}]
    return _parts(result) if result else []
