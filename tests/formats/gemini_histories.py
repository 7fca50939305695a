"""Histories of Gemini contents, valid by construction, and the same as ADK events."""

from typing import Any

from hypothesis import strategies as st

Object = dict[str, Any]
Step = tuple[Any, ...]

IMAGE = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
SIGNATURE = "c2lnbmVk"

texts = st.sampled_from(["go on", "continue", "continue", "look at the log", "x" * 300])
bodies = st.sampled_from(
    [
        {"output": ""},
        {"output": "ok"},
        {"output": "y" * 400},
        {"error": "no such file " * 9},
        {"result": [1, 2]},
        {"rows": ["z" * 90] * 3, "more": None},
        {},
    ]
)
calls = st.lists(
    st.tuples(st.sampled_from(["read", "read", "run"]), st.none() | bodies), min_size=1, max_size=3
)
steps = st.one_of(
    st.tuples(st.just("user"), texts, st.booleans()),
    st.tuples(st.just("model"), texts, st.booleans()),
    st.tuples(st.just("batch"), calls, st.none() | texts),
)
histories = st.lists(steps, min_size=1, max_size=8)


def user(*parts: Any) -> Object:  # noqa: ANN401
    return {"role": "user", "parts": [text(each) for each in parts]}


def model(*parts: Any) -> Object:  # noqa: ANN401
    return {"role": "model", "parts": [text(each) for each in parts]}


def text(part: Any) -> Any:  # noqa: ANN401
    return {"text": part} if isinstance(part, str) else part


def call(name: str, call_id: str | None = None, *, signed: bool = False, **args: Any) -> Object:  # noqa: ANN401
    named: Object = {"name": name, "args": args}
    part: Object = {"functionCall": {"id": call_id, **named} if call_id else named}
    return {**part, "thoughtSignature": SIGNATURE} if signed else part


def response(name: str, body: Any, call_id: str | None = None) -> Object:  # noqa: ANN401
    """Return a part that answers; a text is the output."""
    named: Object = {"name": name, "response": {"output": body} if isinstance(body, str) else body}
    return {"functionResponse": {"id": call_id, **named} if call_id else named}


def contents_of(story: list[Step], *, with_ids: bool, signed: bool) -> list[Object]:
    """Write a story as contents. A user begins; a call always follows a user or responses."""
    contents: list[Object] = [user("the task")]
    for kind, first, second in story:
        if kind == "user":
            contents.append(user(first, *([IMAGE] if second else [])))
        elif kind == "model":
            thought = [{"text": "hm " * 20, "thought": True, "thoughtSignature": SIGNATURE}]
            contents.append(model(*(thought if second else []), first))
        else:
            if contents[-1]["role"] == "model":
                contents.append(user("now do it"))
            contents += _batch(first, second, with_ids=with_ids, signed=signed)
    return contents


def _batch(
    made: list[tuple[str, Any]], after: str | None, *, with_ids: bool, signed: bool
) -> list[Object]:
    ids = [f"call_{number}" if with_ids else None for number in range(len(made))]
    parts = [
        call(name, each, signed=signed and number == 0, n=number)
        for number, (each, (name, _)) in enumerate(zip(ids, made, strict=True))
    ]
    answers = [
        response(name, body, each)
        for each, (name, body) in zip(ids, made, strict=True)
        if body is not None
    ]
    behind = [text(after)] if after is not None else []
    following = [{"role": "user", "parts": [*answers, *behind]}] if answers or behind else []
    return [model(*parts), *following]


@st.composite
def contents(draw: st.DrawFn) -> list[Object]:
    """Draw contents: parallel calls with and without ids, thoughts, images, open calls."""
    return contents_of(draw(histories), with_ids=draw(st.booleans()), signed=draw(st.booleans()))


_SNAKE = {
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "thoughtSignature": "thought_signature",
}


def in_snake_case(value: Any) -> Any:  # noqa: ANN401
    """Return contents with the keys of the Python SDK."""
    if isinstance(value, dict):
        return {_SNAKE.get(key, key): in_snake_case(each) for key, each in value.items()}
    return [in_snake_case(each) for each in value] if isinstance(value, list) else value


def event(number: int, content: Object | None, author: str = "", **more: Any) -> Object:  # noqa: ANN401
    """Return an ADK event."""
    said = "user" if content is not None and content["role"] == "user" else "agent"
    responds = content is not None and "function_response" in str(content["parts"])
    return {
        "id": f"ev{number}",
        "invocation_id": f"inv{number // 4}",
        "author": author or ("agent" if responds else said),
        "timestamp": 1_700_000_000.5 + number,
        **({} if content is None else {"content": content}),
        **more,
    }


def session_of(contents: list[Object], *, apart: bool = False) -> Object:
    """Return an ADK session of contents; `apart` gives every response an event of its own."""
    events: list[Object] = []
    for content in in_snake_case(contents):
        responses = [part for part in content["parts"] if "function_response" in part]
        groups = [[part] for part in responses] if apart else [responses] if responses else []
        others = [part for part in content["parts"] if "function_response" not in part]
        groups += [others] if others else []
        events += [
            event(len(events) + at, {"role": content["role"], "parts": parts})
            for at, parts in enumerate(groups)
        ]
    return {"id": "s1", "app_name": "app", "user_id": "u", "state": {}, "events": events}
