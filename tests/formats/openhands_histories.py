"""OpenHands events, made by hand."""

from typing import Any

from hypothesis import strategies as st

Event = dict[str, Any]


def text(words: str) -> list[Event]:
    return [{"cache_prompt": False, "type": "text", "text": words}] if words else []


def event(kind: str, name: str, source: str, **fields: Any) -> Event:  # noqa: ANN401
    stamp = "2026-01-02T03:04:05.000006"
    return {"id": name, "timestamp": stamp, "source": source, **fields, "kind": kind}


def system(name: str = "s0", words: str = "You look after ledgerline.") -> Event:
    prompt = {"type": "text", "text": words}
    return event("SystemPromptEvent", name, "agent", system_prompt=prompt, tools=[])


def message(name: str, words: str, source: str = "user", **extra: Any) -> Event:  # noqa: ANN401
    role = "assistant" if source == "agent" else "user"
    held = {"role": role, "content": text(words), **extra}
    return event("MessageEvent", name, source, llm_message=held)


def image(name: str, url: str) -> Event:
    parts = [*text("look"), {"type": "image", "image_urls": [url]}]
    return event("MessageEvent", name, "user", llm_message={"role": "user", "content": parts})


def action(name: str, call_id: str, response: str, words: str = "", **extra: Any) -> Event:  # noqa: ANN401
    call = {
        "id": call_id,
        "name": "think",
        "arguments": '{"thought":  "a"}',
        "origin": "completion",
    }
    return event(
        "ActionEvent",
        name,
        "agent",
        thought=text(words),
        thinking_blocks=[],
        **extra,
        tool_name="think",
        tool_call_id=call_id,
        tool_call=call,
        llm_response_id=response,
        action={"kind": "ThinkAction", "thought": "a"},
    )


def observation(name: str, call_id: str, of: str, words: str = "y" * 60) -> Event:
    held = {"content": text(words), "is_error": False, "kind": "ThinkObservation"}
    fields = {"tool_name": "think", "tool_call_id": call_id, "action_id": of}
    return event("ObservationEvent", name, "environment", **fields, observation=held)


def error(name: str, call_id: str, words: str = "it broke") -> Event:
    fields = {"tool_name": "think", "tool_call_id": call_id}
    return event("AgentErrorEvent", name, "agent", **fields, error=words)


def rejection(name: str, call_id: str, of: str) -> Event:
    fields = {"tool_name": "think", "tool_call_id": call_id, "action_id": of}
    reason = {"rejection_reason": "not that", "rejection_source": "user"}
    return event("UserRejectObservation", name, "environment", **fields, **reason)


def condensation(name: str, forgotten: list[str], words: str | None, offset: int | None) -> Event:
    fields = {"forgotten_event_ids": forgotten, "summary": words, "summary_offset": offset}
    return event("Condensation", name, "environment", **fields, llm_response_id="r-c")


def pause(name: str) -> Event:
    return event("PauseEvent", name, "user")


THINKING = [{"type": "thinking", "thinking": "h" * 40, "signature": "c2ln"}]


@st.composite
def histories(draw: st.DrawFn, *, reuse_ids: bool = False) -> list[Event]:
    """Events: parallel calls, thinking, errors, rejections, empty results, a pending tail."""
    events = [system(), message("u0", "the task")]
    steps = draw(
        st.lists(st.sampled_from(["user", "agent", "image", "batch", "pause"]), max_size=8)
    )
    for number, step in enumerate(steps):
        if step == "user":
            events.append(message(f"u{number + 1}", draw(TEXTS)))
        elif step == "agent":
            thinking = draw(st.sampled_from([{}, {"thinking_blocks": THINKING}]))
            events.append(message(f"a{number}", draw(TEXTS), "agent", **thinking))
        elif step == "image":
            events.append(image(f"i{number}", "https://pictures.example/1.png"))
        elif step == "pause":
            events.append(pause(f"p{number}"))
        else:
            events += draw(batches(f"b{number}", is_last=number == len(steps) - 1, reuse=reuse_ids))
    return events


TEXTS = st.sampled_from(["go on", "continue", "ok 🟥", "x" * 300])


@st.composite
def batches(draw: st.DrawFn, name: str, *, is_last: bool, reuse: bool) -> list[Event]:
    size = draw(st.integers(1, 3))
    ids = [f"call_{number}" if reuse else f"{name}_{number}" for number in range(size)]
    thinking = draw(st.sampled_from([{}, {"thinking_blocks": THINKING}]))
    made = [
        action(f"{name}a{number}", each, f"r-{name}", "I look." if number == 0 else "")
        for number, each in enumerate(ids)
    ]
    made[0] |= thinking
    results = []
    for number, each in enumerate(ids):
        answer = draw(st.sampled_from(["ok", "empty", "error", "rejected", "long"]))
        if answer == "error":
            results.append(error(f"{name}e{number}", each))
        elif answer == "rejected":
            results.append(rejection(f"{name}j{number}", each, f"{name}a{number}"))
        else:
            words = {"ok": "fine", "empty": "", "long": "z" * 400}[answer]
            results.append(observation(f"{name}o{number}", each, f"{name}a{number}", words))
    if is_last:
        results = results[: draw(st.integers(0, size))]
    elif draw(st.integers(0, 9)) == 0:
        results = results[1:]
    return [*made, *draw(st.permutations(results))]


def deed(what: str, number: int, **args: Any) -> Event:  # noqa: ANN401
    stamp = {"id": number, "timestamp": "2025-01-02T03:04:05", "source": "agent"}
    return {**stamp, "message": "", "action": what, "args": {"thought": "", **args}}


def said(number: int, words: str, source: str = "user") -> Event:
    fields = {"content": words, "image_urls": None, "wait_for_response": source == "agent"}
    return {**deed("message", number), "source": source, "args": fields}


def observed(what: str, number: int, cause: int, words: str, **extras: Any) -> Event:  # noqa: ANN401
    stamp = {"id": number, "timestamp": "2025-01-02T03:04:06", "source": "agent", "cause": cause}
    return {**stamp, "message": "", "observation": what, "content": words, "extras": extras}


@st.composite
def earlier_histories(draw: st.DrawFn) -> list[Event]:
    """Events of the kind before the SDK."""
    events = [said(0, "the task")]
    for step in draw(st.lists(st.sampled_from(["user", "agent", "run", "state"]), max_size=9)):
        number = len(events)
        if step in ("user", "agent"):
            events.append(said(number, draw(TEXTS), step))
        elif step == "state":
            events.append(observed("agent_state_changed", number, -1, ""))
        else:
            events.append(deed("run", number, command="make test", thought="I test."))
            if draw(st.integers(0, 7)):
                words = draw(st.sampled_from(["", "ok", "z" * 400]))
                events.append(observed("run", number + 1, number, words, exit_code=0))
    return events
